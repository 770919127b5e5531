"""Adadelta."""

from __future__ import annotations

from ._functions import apply
from ._rule import UpdateRule, check_lr, check_not_negative, count, descent

__all__ = ["Adadelta", "adadelta"]


class Adadelta(UpdateRule):
    r"""Adadelta (Zeiler, 2012, algorithm 1).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        v = rho v + (1 - rho) g^2
        c = sqrt(u + eps) / sqrt(v + eps) g
        u = rho u + (1 - rho) c^2
        p = p - lr c

    Args:
        params: parameters or groups.
        lr: factor of the change, a number or a one-element Tensor.
        rho: decay of the averages.
        eps: keeps both roots from zero.
        weight_decay: factor of the L2 penalty.
        foreach: accepted; one implementation serves all.
        capturable: only for devices that retrograd does not have: the step refuses it.
        maximize: ascend.
        differentiable: record the step, so that gradients flow through it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = torch.tensor([3.0, -0.1])
    >>> torch.optim.Adadelta([w], eps=0.01).step()
    >>> w
    tensor([0.6855, 2.0953], requires_grad=True)
    """

    compiled = "adadelta_update"
    buffers = ("square_avg", "acc_delta")
    devices = ["cuda", "xpu", "hpu", "privateuseone"]

    def __init__(
        self,
        params,
        lr=1.0,
        rho=0.9,
        eps=1e-6,
        weight_decay=0,
        foreach=None,
        *,
        capturable=False,
        maximize=False,
        differentiable=False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative("Invalid epsilon value", eps)
        check_not_negative("Invalid weight_decay value", weight_decay)
        defaults = dict(
            lr=lr,
            rho=rho,
            eps=eps,
            weight_decay=weight_decay,
            maximize=maximize,
            capturable=capturable,
            foreach=foreach,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def begin(self, F, p, state, h):
        count(state)
        return ()

    def update(self, F, p, g, s, h):
        rho, eps = h["rho"], h["eps"]
        g = descent(p, g, h)
        v, u = s["square_avg"], s["acc_delta"]
        F.mul_(v, rho)
        F.addcmul_(v, g, g, 1 - rho)
        change = F.sqrt(u + eps) / F.sqrt(v + eps) * g
        F.mul_(u, rho)
        F.addcmul_(u, change, change, 1 - rho)
        F.add_(p, change, -h["lr"])


def adadelta(params, grads, square_avgs, acc_deltas, state_steps, capturable=False, foreach=None,
             differentiable=False, has_complex=False, *, lr, rho, eps, weight_decay, maximize):
    """A step of Adadelta for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"square_avg": square_avgs, "acc_delta": acc_deltas, "step": state_steps}
    apply(Adadelta, params, grads, state, capturable=capturable, lr=lr, rho=rho, eps=eps,
          weight_decay=weight_decay, maximize=maximize)
