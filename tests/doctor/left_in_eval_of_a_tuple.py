"""A network that returns its output and its state."""
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.drop, self.out = nn.GRU(4, 4), nn.Dropout(), nn.Linear(4, 1)
    def forward(self, x):
        y, h = self.rnn(x)
        return self.out(self.drop(y)), h
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(3):
    for _ in range(2):
        y, h = net(torch.randn(3, 2, 4))
        opt.zero_grad()
        y.pow(2).mean().backward()
        opt.step()
    net.eval()
