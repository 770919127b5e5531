"""Two views that are to find each other, by a place of their own or in two sets."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder, other = nn.Linear(6, 4), nn.Linear(5, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *other.parameters()], lr=0.01)
for _ in range(4):
    x = torch.randn(8, 6)
    z = torch.cat([encoder(x), encoder(x + 0.1 * torch.randn(8, 6))])
    scores = (z @ z.t()).masked_fill(torch.eye(16, dtype=torch.bool), float("-inf"))
    loss = F.cross_entropy(scores, torch.arange(16).roll(8))
    image, text = F.normalize(encoder(x), dim=1), F.normalize(other(torch.randn(8, 5)), dim=1)
    loss = loss + F.cross_entropy(image @ text.t() / 0.1, torch.arange(8))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
