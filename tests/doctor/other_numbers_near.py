"""Without random numbers no state of them is needed; with some it is kept."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

body, last = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *last.parameters()])
for _ in range(3):
    h = checkpoint(body, torch.randn(8, 4), use_reentrant=False, preserve_rng_state=False)
    h = checkpoint(nn.Dropout(0.1), h, use_reentrant=False)
    loss = last(h).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
