import torch
from torch import nn

net, x = nn.Linear(1, 1), torch.linspace(-1, 1, 9)[:, None]
optimizer = torch.optim.LBFGS(net.parameters())


def closure():
    optimizer.zero_grad()
    loss = (net(x) - x.sin()).pow(2).mean()
    loss.backward()


optimizer.step(closure)
