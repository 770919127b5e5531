"""The floating-point operations of a network, by module and by operator."""
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, stride=2)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.head = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2, bias=False))

    def forward(self, x):
        x = self.up(torch.relu(self.conv(x)))
        return self.head(x.flatten(2).transpose(1, 2).reshape(-1, 4))


def show(counter):
    print(counter.get_total_flops())
    for module, counts in sorted(counter.get_flop_counts().items()):
        print(module, sorted((str(op), n) for op, n in counts.items()))


net, x = Net(), torch.randn(2, 3, 8, 8)
with FlopCounterMode(display=False) as counter:
    net(x)
show(counter)
with FlopCounterMode(display=False) as counter:
    net(x).sum().backward()
show(counter)
