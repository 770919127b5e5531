import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.layer.weight.register_hook(self.watch)
    def watch(self, grad):
        self.norm = grad.norm().item()
        grad = grad.clamp(-1, 1)
    def forward(self, x):
        return self.layer(x)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(8, 4)).pow(2).mean().backward()
    opt.step()
