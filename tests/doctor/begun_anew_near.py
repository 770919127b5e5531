"""A new start for each fold, also with the same optimizer, and another last layer now and then."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
for fold in range(3):
    for layer in net:
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()
    nn.init.zeros_(net[0].bias)
    optimizer = torch.optim.Adam(net.parameters())
    for step in range(4):
        if fold == 2 and step == 2:
            nn.init.xavier_uniform_(net[2].weight)
        loss = net(torch.randn(8, 5)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    net.apply(lambda m: hasattr(m, "weight") and nn.init.xavier_uniform_(m.weight))
    for epoch in range(4):
        if epoch % 2 == 0:
            net[2].reset_parameters()
        loss = net(torch.randn(8, 5)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
