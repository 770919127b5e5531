import torch
from torch import nn
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters())
for i in range(6):
    x, y = torch.randn(8, 2), torch.randn(8, 1)
    params = dict(net.named_parameters())
    inner = ((torch.func.functional_call(net, params, (x,)) - y) ** 2).mean()
    grads = torch.autograd.grad(inner, tuple(params.values()), create_graph=True)
    fast = {k: p - .1 * g for (k, p), g in zip(params.items(), grads)}
    loss = ((torch.func.functional_call(net, fast, (x,)) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
