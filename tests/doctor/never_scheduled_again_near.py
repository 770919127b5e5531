import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 1)
body.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(7):
    if epoch == 2:
        body.requires_grad_(True)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    for _ in range(5):
        x = torch.randn(16, 4)
        loss = (head(body(x)) - x[:, :1]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
