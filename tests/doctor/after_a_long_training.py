"""What comes after more steps than the doctor looks at closely: an evaluation, and a state."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 1)
        self.mean = torch.zeros(3)

    def forward(self, x):
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return self.linear(x - self.mean)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(130):
    x = torch.randn(16, 3)
    loss = nn.functional.binary_cross_entropy_with_logits(net(x), (x[:, :1] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 120:
        state = net.state_dict()
net.eval()
with torch.no_grad():
    x = torch.randn(16, 3)
    right = ((net(x) > 0.5) == (x[:, :1] > 0)).sum()
