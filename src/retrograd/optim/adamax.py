"""Adamax: Adam under the infinity norm."""

from __future__ import annotations

from ._functions import apply
from ._rule import (
    UpdateRule,
    check_moment_settings,
    count,
    descent,
)

__all__ = ["Adamax", "adamax"]


class Adamax(UpdateRule):
    r"""Adam under the infinity norm (Kingma and Ba, 2015, algorithm 2).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        m = beta1 m + (1 - beta1) g
        u = max(beta2 u, |g| + eps)
        p = p - lr / (1 - beta1^t) m / u

    Args:
        params: parameters or groups.
        lr: learning rate, a number or a one-element Tensor.
        betas: decay of the mean and of the maximum.
        eps: keeps the denominator from zero.
        weight_decay: factor of the L2 penalty.
        foreach: accepted; one implementation serves all.
        maximize: ascend.
        differentiable: record the step, so that gradients flow through it.
        capturable: only for devices that retrograd does not have: the step refuses it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = torch.tensor([3.0, -1.0])
    >>> torch.optim.Adamax([w], lr=0.5).step()
    >>> w.detach().round(decimals=3).tolist()
    [0.5, 2.5]
    """

    compiled = "adamax_update"
    buffers = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        capturable=False,
    ) -> None:
        check_moment_settings(lr, betas, eps, weight_decay)
        defaults = dict(
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            capturable=capturable,
        )
        super().__init__(params, defaults)

    def begin(self, F, p, state, h):
        return (h["lr"] / (1 - h["betas"][0] ** count(state)),)

    def update(self, F, p, g, s, h, step_size):
        beta1, beta2 = h["betas"]
        g = descent(p, g, h)
        m, u = s["exp_avg"], s["exp_inf"]
        F.lerp_(m, g, 1 - beta1)
        F.mul_(u, beta2)
        F.copy_(u, F.maximum(u, F.absolute(g) + h["eps"]))
        F.addcdiv_(p, m, u, -step_size)


def adamax(params, grads, exp_avgs, exp_infs, state_steps, foreach=None, maximize=False,
           differentiable=False, capturable=False, has_complex=False, *, eps, beta1, beta2, lr,
           weight_decay):
    """A step of Adamax for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"exp_avg": exp_avgs, "exp_inf": exp_infs, "step": state_steps}
    apply(Adamax, params, grads, state, capturable=capturable, maximize=maximize, eps=eps,
          betas=(beta1, beta2), lr=lr, weight_decay=weight_decay)
