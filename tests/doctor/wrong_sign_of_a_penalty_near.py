"""A penalty that is added, a saddle, a height of the program's own, and a goal to be large."""
import torch
from torch import nn

torch.manual_seed(0)


class Saddle(nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.y = nn.Parameter(torch.ones(1)), nn.Parameter(torch.full((1,), 1e-3))

    def forward(self):
        return self.x.pow(2) - self.y.pow(2)


net, saddle = nn.Linear(6, 3), Saddle()
uphill = nn.Linear(6, 3)
optimizer = torch.optim.SGD([*net.parameters(), *saddle.parameters()], lr=0.01)
other = torch.optim.SGD(uphill.parameters(), lr=0.01, maximize=True)
for _ in range(8):
    x, y = torch.randn(8, 6), torch.randint(3, (8,))
    loss = nn.functional.cross_entropy(net(x), y) + saddle().sum()
    loss = loss + 0.01 * sum(p.pow(2).sum() for p in net.parameters())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    goal = -nn.functional.cross_entropy(uphill(x), y)
    goal = goal - 0.01 * sum(p.pow(2).sum() for p in uphill.parameters())
    other.zero_grad()
    goal.backward()
    other.step()
