import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8))

    def forward(self, x):
        return x + self.net(x)


torch.manual_seed(0)
blocks, head = nn.ModuleList([Block() for _ in range(3)]), nn.Linear(8, 2)
opt = torch.optim.SGD([*blocks.parameters(), *head.parameters()], lr=0.1)
for _ in range(4):
    x = torch.randn(16, 8)
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=True)
    loss = head(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
