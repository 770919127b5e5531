"""What a FlopCounterMode prints at its end."""
import torch
from torch.utils.flop_counter import FlopCounterMode

with FlopCounterMode():
    a, b = torch.randn(2, 30, 40, requires_grad=True), torch.randn(2, 40, 50)
    torch.bmm(a, b).sum().backward()
with FlopCounterMode():
    torch.baddbmm(torch.zeros(1), a.detach(), b.requires_grad_()).sum().backward()
with FlopCounterMode():
    torch.ones(1).exp()
net = torch.nn.Sequential(torch.nn.Conv2d(3, 40, 3), torch.nn.Flatten(),
                          torch.nn.Sequential(torch.nn.Linear(160, 1000)))
with FlopCounterMode() as counter:
    net(torch.randn(2, 3, 4, 4))
print(counter.get_table(depth=1))
print(counter.get_table(depth=3))
