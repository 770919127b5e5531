import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, h, adjacency):
        degree = adjacency.sum(1, keepdim=True)
        mean = adjacency @ h / degree
        return self.linear(mean)


torch.manual_seed(0)
adjacency = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
net = Layer()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.randn(3, 3), adjacency).pow(2).mean()
opt.zero_grad()
loss.backward()
opt.step()
