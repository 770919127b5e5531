import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

nets = [nn.Linear(3, 1) for _ in range(4)]
params, buffers = stack_module_state(nets)
optimizer = torch.optim.Adam([p for net in nets for p in net.parameters()])
x = torch.randn(16, 3)
for _ in range(4):
    out = vmap(lambda p, b: functional_call(nets[0], (p, b), (x,)))(params, buffers)
    loss = (out - x[:, :1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
