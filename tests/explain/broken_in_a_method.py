import torch
from torch import nn


def backprop(loss, opt):
    opt.zero_grad()
    loss.backward()
    opt.step()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)

    def forward(self, x):
        x = self.features(x)
        return x.sum()

    def features(self, x):
        with torch.no_grad():
            h = self.a(x)
        return torch.relu(h)


net = Net()
opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(2):
    out = net(torch.ones(1, 2))
    backprop(out, opt)
