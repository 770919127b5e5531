"""Adagrad."""

from __future__ import annotations

from ._functions import apply
from ._rule import (
    UpdateRule,
    check_fused,
    check_lr,
    check_not_negative,
    count,
    descent,
    full_like,
    scalar,
)

__all__ = ["Adagrad", "adagrad"]


class Adagrad(UpdateRule):
    r"""Adagrad (Duchi et al., 2011).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        v = v + g^2                                     (v starts at initial_accumulator_value)
        p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(v) + eps)

    Args:
        params: parameters or groups.
        lr: learning rate, a number or a one-element Tensor.
        lr_decay: how fast the learning rate falls.
        weight_decay: factor of the L2 penalty.
        initial_accumulator_value: first value of v.
        eps: keeps the denominator from zero.
        foreach, fused: accepted; one implementation serves all.
        maximize: ascend.
        differentiable: record the step, so that gradients flow through it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = torch.tensor([3.0, -1.0])
    >>> torch.optim.Adagrad([w], lr=0.5).step()
    >>> w.tolist()
    [0.5, 2.5]
    """

    compiled = "adagrad_update"
    buffers = ("sum",)

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ) -> None:
        check_lr(lr)
        check_not_negative("Invalid lr_decay value", lr_decay)
        check_not_negative("Invalid weight_decay value", weight_decay)
        check_not_negative("Invalid initial_accumulator_value value", initial_accumulator_value)
        check_not_negative("Invalid epsilon value", eps)
        defaults = dict(
            lr=lr,
            lr_decay=lr_decay,
            eps=eps,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            fused=fused,
        )
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(self.init_state(p, group))

    def init_state(self, p, group):
        start = self.defaults["initial_accumulator_value"]
        if p.is_complex():
            start = complex(start, start)
        return {"step": scalar(0.0), "sum": full_like(p, start)}

    def share_memory(self) -> None:
        """Move the sums to shared memory."""
        for state in self.state.values():
            state["sum"].share_memory_()

    def check_sparse(self, group):
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse grad or complex param")
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")

    def update_sparse(self, p, g, state, h):
        (step_size,) = self.begin(None, p, state, h)
        g, v = (-g if h["maximize"] else g).coalesce(), state["sum"]
        v.add_(g.pow(2))
        at = tuple(g._indices())
        p[at] -= step_size * g._values() / (v[at].sqrt() + h["eps"])

    def begin(self, F, p, state, h):
        return (h["lr"] / (1 + (count(state) - 1) * h["lr_decay"]),)

    def update(self, F, p, g, s, h, step_size):
        g = descent(p, g, h)
        v = s["sum"]
        F.addcmul_(v, g, g, 1)
        F.addcdiv_(p, g, F.sqrt(v) + h["eps"], -step_size)


def adagrad(params, grads, state_sums, state_steps, fused=None, grad_scale=None, found_inf=None,
            has_sparse_grad=False, foreach=None, differentiable=False, has_complex=False, *, lr,
            weight_decay, lr_decay, eps, maximize):
    """A step of Adagrad for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"sum": state_sums, "step": state_steps}
    apply(Adagrad, params, grads, state, unscaled=(grad_scale, found_inf), lr=lr,
          weight_decay=weight_decay, lr_decay=lr_decay, eps=eps, maximize=maximize)
