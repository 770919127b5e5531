"""Losses of empty batches and their gradients."""
import torch
import torch.nn.functional as F

for size in ((0, 3), (0, 3, 5, 7), (2, 3, 0, 7)):
    x = torch.rand(size, requires_grad=True)
    target = torch.zeros((size[0], *size[2:]), dtype=torch.long)
    for reduction in ("mean", "sum", "none"):
        for loss in (F.nll_loss, F.cross_entropy):
            x.grad = None
            value = loss(x, target, reduction=reduction).sum()
            value.backward()
            print(loss.__name__, reduction, value.item(), tuple(x.grad.shape))
