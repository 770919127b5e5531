"""NAdam: Adam with Nesterov momentum."""

from __future__ import annotations

from ._functions import apply
from ._rule import (
    UpdateRule,
    check_moment_settings,
    check_not_negative,
    count,
    decayed,
    moments,
    scalar,
    zeros_like,
)

__all__ = ["NAdam", "nadam"]


class NAdam(UpdateRule):
    r"""Adam with Nesterov momentum (Dozat, 2016).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2)
        M_t = mu_1 ... mu_t
        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g^2
        d = sqrt(v / (1 - beta2^t)) + eps
        p = p - lr (1 - mu_t) / (1 - M_t) g / d - lr mu_{t+1} / (1 - M_{t+1}) m / d

    With `decoupled_weight_decay`, weight_decay shrinks p itself and stays out of g.

    Args:
        params: parameters or groups.
        lr: learning rate, a number or a one-element Tensor.
        betas: decay of the two moments.
        eps: keeps the denominator from zero.
        weight_decay: factor of the L2 penalty.
        momentum_decay: how fast mu_t approaches beta1.
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
    >>> torch.optim.NAdam([w], lr=0.5).step()
    >>> w.item() < 1
    True
    """

    compiled = "nadam_update"
    buffers = ("exp_avg", "exp_avg_sq")
    scalars = ("step", "mu_product")
    on_device = "params, mu_products and state_steps"

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
    ) -> None:
        check_moment_settings(lr, betas, eps, weight_decay)
        check_not_negative("Invalid momentum_decay value", momentum_decay)
        defaults = dict(
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            momentum_decay=momentum_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def init_state(self, p, group):
        return {
            "step": scalar(0.0),
            "mu_product": scalar(1.0),
            "exp_avg": zeros_like(p),
            "exp_avg_sq": zeros_like(p),
        }

    def begin(self, F, p, state, h):
        t = count(state)
        beta1, beta2 = h["betas"]
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (t * h["momentum_decay"]))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((t + 1) * h["momentum_decay"]))
        product = state["mu_product"]
        F.assign(product, F.value(product) * mu)
        product = F.value(product)
        return (
            1 - beta2**t,
            -h["lr"] * (1.0 - mu) / (1.0 - product),
            -h["lr"] * mu_next / (1.0 - product * mu_next),
        )

    def update(self, F, p, g, s, h, correction2, g_factor, m_factor):
        g = decayed(F, p, g, h)
        m, v = moments(F, g, s, h["betas"])
        denominator = F.sqrt(v / correction2) + h["eps"]
        F.addcdiv_(p, g, denominator, g_factor)
        F.addcdiv_(p, m, denominator, m_factor)


def nadam(params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps,
          decoupled_weight_decay=False, foreach=None, capturable=False, differentiable=False,
          has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay, momentum_decay,
          eps):
    """A step of NAdam for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products, "step":
             state_steps}
    apply(NAdam, params, grads, state, capturable=capturable,
          decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, betas=(beta1, beta2),
          lr=lr, weight_decay=weight_decay, momentum_decay=momentum_decay, eps=eps)
