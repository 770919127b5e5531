import torch
from torch import nn
class PReLU2(nn.Module):
    def __init__(self): super().__init__(); self.register_buffer("slope", torch.tensor(0.1, requires_grad=True))
    def forward(self, x): return torch.where(x > 0, x, self.slope * x)
net = nn.Sequential(nn.Linear(4, 4), PReLU2(), nn.Linear(4, 1)); opt = torch.optim.Adam(net.parameters(), 1e-2)
for it in range(8):
    loss = (net(torch.randn(8, 4)) - 1).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
