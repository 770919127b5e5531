"""Networks that are cropped after their training, and another one trained after that."""
import torch
from torch import nn

torch.manual_seed(0)
first, second = (nn.Sequential(nn.Embedding(8, 3), nn.Linear(3, 1)) for _ in range(2))
for net in (first, second):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        loss = net(torch.arange(4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net[0].weight = nn.Parameter(net[0].weight[:5])
    with torch.no_grad():
        net(torch.arange(5))
