import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(5):
    anchor, negative = torch.randn(16, 6), torch.randn(16, 6)
    positive = anchor + 0.1 * torch.randn(16, 6)
    a, p, n = net(anchor), net(positive), net(negative)
    pos_dist, neg_dist = (a - p).pow(2).sum(1), (a - n).pow(2).sum(1)
    loss = F.relu(1.0 + neg_dist - pos_dist).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
