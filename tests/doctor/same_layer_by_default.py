import torch
from torch import nn

torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self, layers=[nn.Linear(4, 4), nn.Linear(4, 1)]):
        super().__init__()
        self.layers = nn.Sequential(*layers)
    def forward(self, x):
        return self.layers(x)
first, second = Net(), Net()
for net, goal in ((first, 0.0), (second, 1.0)):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        loss = (net(torch.randn(8, 4)) - goal).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
