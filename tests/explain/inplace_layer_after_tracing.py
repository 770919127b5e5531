import torch
from torch import fx, nn

fx.symbolic_trace(nn.ReLU())         # from now on functions ask what stands in for a Tensor

net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.ReLU(inplace=True), nn.Linear(4, 1))
loss = net(torch.ones(2, 3)).sum()
loss.backward()
