"""The inner loop of MAML: ten steps, each from the weights that the one before has made."""
import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Linear(4, 1)
for task in range(3):
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    weights = dict(net.named_parameters())
    for step in range(10):
        loss = (functional_call(net, weights, (x,)) - y).pow(2).mean()
        gradients = torch.autograd.grad(loss, list(weights.values()))
        weights = {name: w - 0.1 * g for (name, w), g in zip(weights.items(), gradients)}
    print(task, loss.item())
