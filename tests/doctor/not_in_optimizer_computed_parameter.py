import torch
from torch import nn

torch.manual_seed(0)
class Gaussian(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(3)).to(torch.float64)
        self.scale = nn.Parameter(torch.ones(3, dtype=torch.float64))
    def forward(self, x):
        return ((x - self.mean) * self.scale).pow(2).mean() - self.scale.abs().log().mean()
net = Gaussian()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    loss = net(torch.randn(16, 3, dtype=torch.float64) + 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
