import torch
from torch import nn

torch.manual_seed(0)
class Block:
    def __init__(self, size):
        self.linear = nn.Linear(size, size)
    def __call__(self, x):
        return x + torch.relu(self.linear(x))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.block = nn.Linear(6, 8), Block(8)
    def forward(self, x):
        return self.block(self.first(x))
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(5):
    loss = net(torch.randn(8, 6)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
