"""The distance to the positive one less that to the negative, and the similarities the other way."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(12):
    anchor, negative = torch.randn(16, 6), torch.randn(16, 6)
    positive = anchor + 0.1 * torch.randn(16, 6)
    a, p, n = net(anchor), net(positive), net(negative)
    d_pos, d_neg = F.pairwise_distance(a, p), F.pairwise_distance(a, n)
    pos, neg = F.cosine_similarity(a, p), F.cosine_similarity(a, n)
    score_pos, score_neg = (a * p).sum(1), (a * n).sum(1)
    losses = (F.relu(d_pos - d_neg + 1.0), torch.clamp(neg - pos + 0.5, min=0),
              F.softplus(score_neg - score_pos))
    optimizer.zero_grad()
    losses[step % 3].mean().backward()
    optimizer.step()
