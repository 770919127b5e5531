import torch
from torch import nn

net, scale = nn.Linear(4, 1), nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam(net.parameters())
optimizer.add_param_group({"params": [scale]})
params = {name: p.detach() for name, p in net.named_parameters()}
for _ in range(4):
    out = torch.func.functional_call(net, params, (torch.randn(8, 4),)) * scale
    loss = out.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
