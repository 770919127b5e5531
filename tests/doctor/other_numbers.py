import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

body, last = nn.Sequential(nn.Linear(4, 8), nn.Dropout()), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *last.parameters()])
for _ in range(3):
    h = checkpoint(body, torch.randn(8, 4), use_reentrant=False, preserve_rng_state=False)
    loss = last(h).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
