import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.randn(3, 1, requires_grad=True)
    def forward(self, x):
        return x @ self.w
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=.1)
