import torch
from torch.utils.checkpoint import checkpoint


def run(x):
    y = torch.exp(x)
    y.register_hook(print)
    return y * 2


checkpoint(run, torch.ones(3, requires_grad=True), use_reentrant=True)
