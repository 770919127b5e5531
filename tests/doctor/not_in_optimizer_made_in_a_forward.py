import torch
from torch import nn
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4); self.register_buffer("mask", (torch.rand(4, 4) > 0.3).float())
    def forward(self, x):
        self.lin.weight = nn.Parameter(self.lin.weight * self.mask)
        return self.lin(x)
net = Masked(); opt = torch.optim.SGD(net.parameters(), lr=0.1)
for it in range(8):
    loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
