import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(3, 4)
        self.layer2 = nn.Linear(4, 1)

    def forward(self, x):
        return self.layer2(torch.tanh(self.layer1(x)))


def train():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    out = net(torch.ones(2, 3))
    loss1, loss2 = out.mean(), (out**2).mean()
    loss1.backward(retain_graph=True)
    optimizer.step()
    loss2.backward()


train()
