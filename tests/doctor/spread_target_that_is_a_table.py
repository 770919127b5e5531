"""A column in the target makes a table of it, before it meets the output (N,)."""
import torch
from torch import nn
import torch.nn.functional as F

net, target_net = nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    state, reward, done = torch.randn(8, 4), torch.rand(8), torch.zeros(8, 1)
    with torch.no_grad():
        expected = reward + 0.9 * target_net(state).max(1).values * (1 - done)
    loss = F.smooth_l1_loss(net(state)[:, 0], expected)
    opt.zero_grad()
    loss.backward()
    opt.step()
