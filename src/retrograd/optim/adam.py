"""Adam."""

from __future__ import annotations

from .._tensor import Tensor
from ._functions import apply
from ._rule import (
    UpdateRule,
    check_fused,
    check_moment_settings,
    count,
    decayed,
    moments,
    scalar,
    zeros_like,
)
from .optimizer import _to_scalar

__all__ = ["Adam", "adam"]


class Adam(UpdateRule):
    r"""Adam: adaptive moments (Kingma and Ba, 2015, algorithm 1; amsgrad: Reddi et al., 2018).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g^2
        p = p - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)

    With `amsgrad` the largest v so far stands under the root. With `decoupled_weight_decay`
    (see `AdamW`) weight_decay shrinks p itself and stays out of g.

    Args:
        params: parameters or groups.
        lr: learning rate, a number or a one-element Tensor.
        betas: decay of the two moments, two numbers or two one-element Tensors.
        eps: keeps the denominator from zero.
        weight_decay: factor of the L2 penalty.
        amsgrad: use the running maximum of v.
        maximize: ascend.
        foreach, fused: accepted; one implementation serves all.
        capturable: only for devices that retrograd does not have: the step refuses it.
        differentiable: record the step, so that gradients flow through it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = torch.tensor([3.0, -0.1])
    >>> torch.optim.Adam([w], lr=0.5).step()
    >>> w.detach().round(decimals=3).tolist()
    [0.5, 2.5]
    """

    buffers = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    compiled = "adam_update"

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ) -> None:
        _refuse_with_foreach("lr", lr, foreach, capturable)
        check_moment_settings(lr, betas, eps, weight_decay)
        _check_kinds_of_betas(betas, foreach, capturable)
        defaults = dict(
            lr=lr,
            betas=tuple(map(_to_scalar, betas)),
            eps=eps,
            weight_decay=weight_decay,
            amsgrad=amsgrad,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=decoupled_weight_decay,
        )
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)

    def init_state(self, p, group):
        state = {
            "step": scalar(0.0),
            "exp_avg": zeros_like(p),
            "exp_avg_sq": zeros_like(p),
        }
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(p)
        return state

    def check_sparse(self, group):
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam "
                           "instead")

    def used_buffers(self, h):
        return self.buffers if h["amsgrad"] else ("exp_avg", "exp_avg_sq")

    def begin(self, F, p, state, h):
        t = count(state)
        beta1, beta2 = h["betas"]
        return h["lr"] / (1 - beta1**t), (1 - beta2**t) ** 0.5

    def update(self, F, p, g, s, h, step_size, root_correction2):
        g = decayed(F, p, g, h)
        m, v = moments(F, g, s, h["betas"])
        if h["amsgrad"]:
            largest = s["max_exp_avg_sq"]
            F.copy_(largest, F.maximum(largest, v))
            v = largest
        denominator = F.sqrt(v) / root_correction2
        denominator += h["eps"]
        F.addcdiv_(p, m, denominator, -step_size)


def _check_kinds_of_betas(betas, foreach, capturable) -> None:
    kinds = [isinstance(beta, Tensor) for beta in betas]
    if any(kinds) != all(kinds) or not all(isinstance(b, (float, Tensor)) for b in betas):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas):
        _refuse_with_foreach(f"betas[{i}]", beta, foreach, capturable)
        if isinstance(beta, Tensor) and beta.numel() != 1:
            raise ValueError(f"Tensor betas[{i}] must be 1-element")


def _refuse_with_foreach(name, value, foreach, capturable) -> None:
    if isinstance(value, Tensor) and foreach and not capturable:
        raise ValueError(
            f"{name} as a Tensor is not supported for capturable=False and foreach=True"
        )


def adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None,
         capturable=False, differentiable=False, fused=None, grad_scale=None, found_inf=None,
         has_complex=False, decoupled_weight_decay=False, *, amsgrad, beta1, beta2, lr,
         weight_decay, eps, maximize):
    """A step of Adam for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq": max_exp_avg_sqs,
             "step": state_steps}
    apply(Adam, params, grads, state, unscaled=(grad_scale, found_inf), capturable=capturable,
          decoupled_weight_decay=decoupled_weight_decay, amsgrad=amsgrad, betas=(beta1, beta2),
          lr=lr, weight_decay=weight_decay, eps=eps, maximize=maximize)
