"""RAdam: Adam with a rectified variance."""

from __future__ import annotations

from ._functions import apply
from ._rule import (
    UpdateRule,
    check_moment_settings,
    count,
    decayed,
    moments,
)

__all__ = ["RAdam", "radam"]


class RAdam(UpdateRule):
    r"""Rectified Adam (Liu et al., 2020, algorithm 2).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g^2
        R = 2 / (1 - beta2) - 1
        r = R - 2 t beta2^t / (1 - beta2^t)
        k = sqrt((r - 4) (r - 2) R / ((R - 4) (R - 2) r))
        p = p - lr m / (1 - beta1^t) k sqrt(1 - beta2^t) / (sqrt(v) + eps)     where r > 5
        p = p - lr m / (1 - beta1^t)                                           before

    With `decoupled_weight_decay`, weight_decay shrinks p itself and stays out of g.

    Args:
        params: parameters or groups.
        lr: learning rate, a number or a one-element Tensor.
        betas: decay of the two moments.
        eps: keeps the denominator from zero.
        weight_decay: factor of the L2 penalty.
        decoupled_weight_decay: decay as AdamW does.
        foreach: accepted; one implementation serves all.
        maximize: ascend.
        capturable: only for devices that retrograd does not have: the step refuses it.
        differentiable: record the step, so that gradients flow through it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> w.grad = torch.tensor([3.0])
    >>> torch.optim.RAdam([w], lr=0.25).step()
    >>> w.tolist()
    [0.25]
    """

    compiled = "radam_update"
    buffers = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
    ) -> None:
        check_moment_settings(lr, betas, eps, weight_decay)
        defaults = dict(
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            decoupled_weight_decay=decoupled_weight_decay,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def begin(self, F, p, state, h):
        t = count(state)
        beta1, beta2 = h["betas"]
        correction2 = 1 - beta2**t
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * t * beta2**t / correction2
        rectifier = None
        if length > 5.0:
            shorter = (length - 4) * (length - 2) * longest
            rectifier = (shorter / ((longest - 4) * (longest - 2) * length)) ** 0.5
        return 1 - beta1**t, correction2**0.5, rectifier

    def update(self, F, p, g, s, h, correction1, root_correction2, rectifier):
        g = decayed(F, p, g, h)
        m, v = moments(F, g, s, h["betas"])
        change = m / correction1 * h["lr"]
        if rectifier is not None:
            change = change * (root_correction2 / (F.sqrt(v) + h["eps"])) * rectifier
        p -= change


def radam(params, grads, exp_avgs, exp_avg_sqs, state_steps, decoupled_weight_decay=False,
          foreach=None, differentiable=False, capturable=False, has_complex=False, maximize=False,
          *, beta1, beta2, lr, weight_decay, eps):
    """A step of RAdam for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": state_steps}
    apply(RAdam, params, grads, state, capturable=capturable,
          decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, betas=(beta1, beta2),
          lr=lr, weight_decay=weight_decay, eps=eps)
