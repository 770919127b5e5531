import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
net[:2].requires_grad_(False)
net[1].eval()
optimizer = torch.optim.SGD(net[3].parameters(), lr=0.1)
for epoch in range(2):
    for _ in range(3):
        optimizer.zero_grad()
        loss = net(torch.randn(8, 4)).pow(2).mean()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        print(net(torch.randn(8, 4)).mean())
    net.train()
