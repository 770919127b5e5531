"""A leaf that was made of numbers is no part of the loss either."""
import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    out = net(torch.randn(8, 4)).squeeze(1)
    loss = torch.tensor((out.detach().numpy() ** 2).mean(), requires_grad=True)
    loss = loss + 0.01 * net.weight.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
