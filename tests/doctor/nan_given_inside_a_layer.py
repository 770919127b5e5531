"""A node without neighbours has degree 0, whose root divides: no parameter goes into that."""
import torch
from torch import nn

class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x, degree):
        norm = degree.rsqrt()
        h = self.lin(x) * norm[:, None]
        return torch.relu(h) * (x > 0)
net = Conv()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(3, 4), torch.tensor([2.0, 0.0, 1.0])).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
