import torch
from torch import nn

net = nn.Linear(2, 2)
x = torch.tensor([[1.0, 1000.0]])
scores = torch.exp(net(x).abs() * 0 + x)
loss = (scores / scores.sum()).mean()
loss.backward()
