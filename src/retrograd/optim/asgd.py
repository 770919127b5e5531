"""Averaged stochastic gradient descent."""

from __future__ import annotations

from ._functions import apply
from ._rule import UpdateRule, check_lr, check_not_negative, count, descent, scalar, zeros_like
from .optimizer import _get_value

__all__ = ["ASGD", "asgd"]


class ASGD(UpdateRule):
    r"""Averaged stochastic gradient descent (Polyak and Juditsky, 1992).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        p = (1 - lambd eta) p - eta g
        a = a + mu (p - a)                              (state "ax")
        eta = lr / (1 + lambd lr t)^alpha
        mu = 1 / max(1, t - t0)

    Args:
        params: parameters or groups.
        lr: learning rate, a number or a one-element Tensor.
        lambd: decay of the parameters.
        alpha: power by which eta falls.
        t0: step at which averaging begins.
        weight_decay: factor of the L2 penalty.
        foreach: accepted; one implementation serves all.
        maximize: ascend.
        differentiable: record the step, so that gradients flow through it.
        capturable: only for devices that retrograd does not have: the step refuses it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = torch.ones(2)
    >>> torch.optim.ASGD([w], lr=0.5, lambd=0).step()
    >>> w.tolist()
    [0.5, 1.5]
    """

    compiled = "asgd_update"
    buffers = ("ax",)
    scalars = ("step", "eta", "mu")
    on_device = "params, mus, etas, and state_steps"

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd=1e-4,
        alpha=0.75,
        t0=1e6,
        weight_decay=0,
        foreach=None,
        maximize=False,
        differentiable=False,
        capturable=False,
    ) -> None:
        check_lr(lr)
        check_not_negative("Invalid weight_decay value", weight_decay)
        defaults = dict(
            lr=lr,
            lambd=lambd,
            alpha=alpha,
            t0=t0,
            weight_decay=weight_decay,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            capturable=capturable,
        )
        super().__init__(params, defaults)

    def init_state(self, p, group):
        return {
            "step": scalar(0.0),
            "eta": scalar(_get_value(group["lr"])),
            "mu": scalar(1.0),
            "ax": zeros_like(p),
        }

    def begin(self, F, p, state, h):
        t = count(state)
        eta, mu = state["eta"].item(), F.value(state["mu"])
        F.assign(state["eta"], h["lr"] / (1 + h["lambd"] * h["lr"] * t) ** h["alpha"])
        F.assign(state["mu"], 1 / max(1, t - h["t0"]))
        return eta, mu

    def update(self, F, p, g, s, h, eta, mu):
        g = descent(p, g, h)
        F.mul_(p, 1 - h["lambd"] * eta)
        F.add_(p, g, -eta)
        average = s["ax"]
        if mu == 1:
            F.copy_(average, p)
        else:
            average += (p - average) * mu


def asgd(params, grads, axs, mus, etas, state_steps, foreach=None, maximize=False,
         differentiable=False, capturable=False, has_complex=False, *, lambd, lr, t0, alpha,
         weight_decay):
    """A step of ASGD for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"ax": axs, "mu": mus, "eta": etas, "step": state_steps}
    apply(ASGD, params, grads, state, capturable=capturable, maximize=maximize, lambd=lambd, lr=lr,
          t0=t0, alpha=alpha, weight_decay=weight_decay)
