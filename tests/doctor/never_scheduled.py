import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=2)
for epoch in range(6):
    for _ in range(4):
        loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, scheduler.get_last_lr())
