import torch
from torch import nn

net = nn.Linear(3, 1)
labels = torch.zeros(2, 1)
pred = torch.sigmoid(net(torch.ones(2, 3)))
wrong = ((pred > 0.5) != labels).float()
loss = wrong.mean()
loss.backward()
