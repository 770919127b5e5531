"""A layer that is frozen in the middle of training, and whose weights go on decaying."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.1)
for step in range(6):
    if step == 3:
        net[0].requires_grad_(False)
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
