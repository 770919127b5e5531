"""What a second network says is cut off a little later."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
slow = copy.deepcopy(net).eval()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    action = net(torch.randn(8, 4)).detach().argmax(1, keepdim=True)
    target = torch.randn(8) + 0.9 * slow(torch.randn(8, 4)).gather(1, action).squeeze(1).detach()
    loss = (net(torch.randn(8, 4))[:, 0] - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
