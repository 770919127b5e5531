"""Schedules whose turn does not come: others do, the program steps them later, or gives them on."""
import torch
from torch import nn
from torch.optim import lr_scheduler, swa_utils


class Trainer:
    def __init__(self, optimizer, schedule):
        self.optimizer, self.schedule = optimizer, schedule

    def train(self, net, steps):
        for _ in range(steps):
            loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
warm = lr_scheduler.LinearLR(optimizer, 0.1, total_iters=3)
swa = swa_utils.SWALR(optimizer, swa_lr=0.05)
plateau = lr_scheduler.ReduceLROnPlateau(optimizer)
for epoch in range(24):
    Trainer(optimizer, warm).train(net, 1)
    if epoch < 3:
        warm.step()
    elif epoch > 100:
        swa.step()
second = torch.optim.SGD(net.parameters(), lr=0.1)
late = lr_scheduler.ExponentialLR(second, 0.9)
given = lr_scheduler.ExponentialLR(second, 0.9)
trainer = Trainer(second, given)
trainer.train(net, 24)
if trainer is None:
    late.step()
third = torch.optim.SGD(net.parameters(), lr=0.1)
both = lr_scheduler.SequentialLR(third, [lr_scheduler.ConstantLR(third, 0.5, 2),
                                         lr_scheduler.ExponentialLR(third, 0.9)], milestones=[2])
for _ in range(24):
    Trainer(third, None).train(net, 1)
    both.step()
