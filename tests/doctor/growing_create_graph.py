import torch
from torch import nn

net = nn.Linear(4, 1)
for step in range(8):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    loss.backward(create_graph=True)
