"""Schedules that are only looked at, warm up from 0, and step when it is time."""
import torch
from torch import nn

torch.manual_seed(0)
lr_scheduler = torch.optim.lr_scheduler
looked_at = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
schedule = lr_scheduler.CosineAnnealingLR(looked_at, T_max=5)
for _ in range(5):
    schedule.step()
    print(schedule.get_last_lr())


class Own(torch.optim.SGD):
    def __init__(self, params, lr):
        super().__init__(params, lr)
        self.lr = lr


net = nn.Linear(4, 1)
optimizer = Own(net.parameters(), lr=0.1)
scheduler = lr_scheduler.LambdaLR(optimizer, lambda step: max(0, step - 6) / 10)
for _ in range(12):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
