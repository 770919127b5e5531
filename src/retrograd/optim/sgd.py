"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from ._functions import apply
from ._rule import UpdateRule, check_fused, check_lr, descent, zeros_like

__all__ = ["SGD", "sgd"]


class SGD(UpdateRule):
    r"""Stochastic gradient descent, with momentum (Sutskever et al., 2013).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        b = momentum b + (1 - dampening) g              (b = g at the first step)
        p = p - lr b             or, with nesterov,     p = p - lr (g + momentum b)

    In the paper lr is a factor of g, where b is computed; here, as in PyTorch, of the whole step.

    Args:
        params: parameters or groups.
        lr: learning rate, a number or a one-element Tensor.
        momentum: factor of the momentum buffer; 0 keeps none.
        dampening: how much of the gradient the buffer leaves out.
        weight_decay: factor of the L2 penalty.
        nesterov: look ahead by one momentum step.
        maximize: ascend.
        foreach, fused: accepted; one implementation serves all.
        differentiable: record the step, so that gradients flow through it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = torch.ones(2)
    >>> torch.optim.SGD([w], lr=0.5).step()
    >>> w.tolist()
    [0.5, 1.5]
    """

    buffers = ("momentum_buffer",)
    compiled = "sgd_update"
    long_formula = False
    scalars = ()

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ) -> None:
        check_lr(lr, nan=True)
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = dict(
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            nesterov=nesterov,
            maximize=maximize,
            foreach=foreach,
            differentiable=differentiable,
            fused=fused,
        )
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)

    def keeps_state(self, h):
        return h["momentum"] != 0

    def init_state(self, p, group):
        return {"momentum_buffer": None}

    def check_sparse(self, group):
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")
        if group["weight_decay"] != 0:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) "
                               "instead.\n\nweight_decay has no place beside sparse gradients.")

    def update_sparse(self, p, g, state, h):
        if h["maximize"]:
            g = -g
        if h["momentum"] != 0:
            b = state["momentum_buffer"]
            b = g.clone() if b is None else b * h["momentum"] + g * (1 - h["dampening"])
            state["momentum_buffer"] = b
            g = g + b * h["momentum"] if h["nesterov"] else b
        p.add_(g, alpha=-h["lr"])

    def begin(self, F, p, state, h):
        if h["momentum"] == 0:
            return (1,)
        if state.get("momentum_buffer") is not None:
            return (1 - h["dampening"],)
        state["momentum_buffer"] = zeros_like(p)
        return (1,)

    def update(self, F, p, g, s, h, share):
        g = descent(p, g, h)
        if h["momentum"] != 0:
            b = s["momentum_buffer"]
            F.mul_(b, h["momentum"])
            F.add_(b, g, share)
            if h["nesterov"]:
                g = g + b * h["momentum"]
            else:
                g = b
        F.add_(p, g, -h["lr"])


def sgd(params, d_p_list, momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None,
        grad_scale=None, found_inf=None, *, weight_decay, momentum, lr, dampening, nesterov,
        maximize):
    """A step of SGD for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"momentum_buffer": momentum_buffer_list}
    apply(SGD, params, d_p_list, state, unscaled=(grad_scale, found_inf), weight_decay=weight_decay,
          momentum=momentum, lr=lr, dampening=dampening, nesterov=nesterov, maximize=maximize)
