import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(8, 2), nn.LayerNorm(8)

    def forward(self, h):
        return self.norm(h + self.attention(h, h, h)[0])


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), Block(), nn.Flatten(), nn.Linear(48, 2))
opt = torch.optim.Adam(net.parameters())
for _ in range(8):
    x = torch.randn(16, 6, 3)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
