import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.9)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for epoch in range(5):
    for inputs, targets in zip(x.split(8), y.split(8)):
        loss = nn.functional.mse_loss(net(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    schedule.step()
