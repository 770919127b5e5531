import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8)), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()])
for _ in range(3):
    x = torch.randn(8, 4)
    h = checkpoint(body, x, use_reentrant=True)
    loss = head(h).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
