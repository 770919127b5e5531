import torch
from torch import nn
class Hyper(nn.Module):
    def __init__(self):
        super().__init__()
        self.gen = nn.Linear(3, 8)
        self.layer = nn.Linear(4, 2, bias=False)
    def forward(self, z, x):
        self.layer.weight.data = self.gen(z).view(2, 4)
        return self.layer(x)
net = Hyper(); opt = torch.optim.Adam(net.parameters(), lr=1e-2)
z = torch.randn(3)
for it in range(8):
    loss = net(z, torch.randn(16, 4)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
