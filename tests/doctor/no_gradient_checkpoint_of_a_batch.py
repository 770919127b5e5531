import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
block = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
head = nn.Linear(4, 1)
opt = torch.optim.SGD([*block.parameters(), *head.parameters()], lr=0.1)
for it in range(6):
    h = checkpoint(block, torch.randn(8, 4), use_reentrant=True)
    loss = head(h).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
