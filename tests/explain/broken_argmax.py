import torch
from torch import nn

net = nn.Linear(3, 5)
labels = torch.zeros(2, dtype=torch.long)
pred = net(torch.ones(2, 3)).argmax(dim=1)
loss = (pred - labels).float().mean()
loss.backward()
