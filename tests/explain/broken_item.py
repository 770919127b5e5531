import torch
from torch import nn

net = nn.Linear(3, 1)
criterion = nn.MSELoss()
losses = []
for batch in range(3):
    losses.append(criterion(net(torch.ones(2, 3)), torch.zeros(2, 1)).item())
total = torch.tensor(losses).mean()
total.backward()
