import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, x):
        bias = nn.Parameter(torch.zeros(3))
        return self.fc(x) + bias
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=.1)
for i in range(5):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
