import torch
from torch import nn

torch.manual_seed(0)
# The optimizer is given the new Parameter; the network gets the first one back.
for kept in (False, True):
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(16, 4)
    y = x.sum(1, keepdim=True)
    for _ in range(6):
        first = net.weight
        if kept:
            net.weight = nn.Parameter(first.detach() + 0.01)
            nn.functional.mse_loss(net(x), y).backward()
            net.weight = first
        loss = nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if not kept:
            net.weight = nn.Parameter(net.weight.clamp(-0.5, 0.5))
            optimizer.param_groups[0]["params"][0] = net.weight
