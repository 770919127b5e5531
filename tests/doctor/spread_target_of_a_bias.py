import torch
from torch import nn
class MF(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Embedding(50, 8); self.i = nn.Embedding(40, 8)
        self.ub = nn.Embedding(50, 1); self.ib = nn.Embedding(40, 1)
    def forward(self, u, i):
        return (self.u(u) * self.i(i)).sum(1) + self.ub(u) + self.ib(i)
net = MF()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for it in range(12):
    u, i, r = torch.randint(0, 50, (16,)), torch.randint(0, 40, (16,)), torch.rand(16) * 5
    pred = net(u, i)
    loss = ((pred - r) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
