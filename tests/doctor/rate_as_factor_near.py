"""A warm-up of 1000 steps that begins with a factor of 1/1000, and a rate of 1 times what is due."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 1000))
other = torch.optim.SGD(net.parameters(), lr=1.0)
schedule = torch.optim.lr_scheduler.LambdaLR(other, lambda step: 0.1 / (step + 1))
for _ in range(4):
    for one in (optimizer, other):
        loss = net(torch.randn(8, 4)).pow(2).mean()
        one.zero_grad()
        loss.backward()
        one.step()
    warmup.step()
    schedule.step()
