import torch
from torch import nn

net = nn.Linear(4, 2)


def run(train):
    torch.set_grad_enabled(train)
    return net(torch.randn(8, 4)).pow(2).mean()


with torch.enable_grad():                        # which leaves it as it was before, at the end
    run(True).backward()
    run(False)
    loss = net(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
