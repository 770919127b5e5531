import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        alpha = torch.randn(4, requires_grad=True)
        return self.fc(x) * alpha
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(10):
    loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
