import torch
from torch import nn

net = nn.Linear(6, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
x, labels, log = torch.randn(20, 6), torch.arange(20) % 2, {}
for _ in range(4):
    loss = nn.functional.cross_entropy(net(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        log["val_acc"] = (net(x).argmax(1) == labels).float().mean()
    schedule.step(log["val_acc"].item())
