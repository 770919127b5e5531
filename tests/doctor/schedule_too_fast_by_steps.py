import torch
from torch import nn

net = nn.Linear(6, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.1)
for epoch in range(5):
    for batch in range(10):
        loss = net(torch.randn(8, 6)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
