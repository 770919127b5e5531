"""A linear recurrence by an associative scan, as state space models compute it."""
import torch
from torch._higher_order_ops.associative_scan import associative_scan


def combine(first, second):
    return first[0] * second[0], second[0] * first[1] + second[1]


for n in (1, 2, 3, 5, 8, 13):
    decay, x = torch.rand(2, n, 3), torch.randn(2, n, 3, requires_grad=True)
    for reverse in (False, True):
        _, state = associative_scan(combine, (decay, x), 1, reverse=reverse,
                                    combine_mode="generic")
        gradient, = torch.autograd.grad(state.square().sum(), x)
        print(state[1, :, 0].detach(), f"{gradient.sum():.4f}")
print(associative_scan(torch.add, torch.arange(7), 0, combine_mode="generic"))
