"""RMSprop."""

from __future__ import annotations

from ._functions import apply
from ._rule import UpdateRule, check_lr, check_not_negative, count, descent, scalar, zeros_like

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(UpdateRule):
    r"""RMSprop (Hinton, 2012, lecture 6; centered: Graves, 2013).

    ::

        g = grad + weight_decay p                       (-grad with maximize)
        v = alpha v + (1 - alpha) g^2
        a = alpha a + (1 - alpha) g                     (centered: v - a^2 for v below)
        b = momentum b + g / (sqrt(v) + eps)
        p = p - lr b

    Args:
        params: parameters or groups.
        lr: learning rate, a number or a one-element Tensor.
        alpha: decay of the averages.
        eps: keeps the denominator from zero.
        weight_decay: factor of the L2 penalty.
        momentum: factor of the momentum buffer; 0 keeps none.
        centered: divide by the estimated deviation instead of the root mean square.
        capturable: only for devices that retrograd does not have: the step refuses it.
        foreach: accepted; one implementation serves all.
        maximize: ascend.
        differentiable: record the step, so that gradients flow through it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = torch.tensor([3.0, -1.0])
    >>> torch.optim.RMSprop([w], lr=0.5, alpha=0.75).step()
    >>> w.tolist()
    [0.0, 3.0]
    """

    compiled = "rmsprop_update"
    buffers = ("square_avg", "momentum_buffer", "grad_avg")

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ) -> None:
        check_lr(lr)
        check_not_negative("Invalid epsilon value", eps)
        check_not_negative("Invalid momentum value", momentum)
        check_not_negative("Invalid weight_decay value", weight_decay)
        check_not_negative("Invalid alpha value", alpha)
        defaults = dict(
            lr=lr,
            momentum=momentum,
            alpha=alpha,
            eps=eps,
            centered=centered,
            weight_decay=weight_decay,
            capturable=capturable,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def init_state(self, p, group):
        state = {"step": scalar(0.0), "square_avg": zeros_like(p)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(p)
        if group["centered"]:
            state["grad_avg"] = zeros_like(p)
        return state

    def used_buffers(self, h):
        momentum = ("momentum_buffer",) if h["momentum"] > 0 else ()
        return ("square_avg", *momentum, "grad_avg") if h["centered"] else ("square_avg", *momentum)

    def begin(self, F, p, state, h):
        count(state)
        return ()

    def update(self, F, p, g, s, h):
        g = descent(p, g, h)
        v = s["square_avg"]
        F.mul_(v, h["alpha"])
        F.addcmul_(v, g, g, 1 - h["alpha"])
        if h["centered"]:
            a = s["grad_avg"]
            F.lerp_(a, g, 1 - h["alpha"])
            v = v - F.multiply(a, a)
        denominator = F.sqrt(v) + h["eps"]
        if h["momentum"] > 0:
            b = s["momentum_buffer"]
            F.mul_(b, h["momentum"])
            F.addcdiv_(b, g, denominator, 1)
            F.add_(p, b, -h["lr"])
        else:
            F.addcdiv_(p, g, denominator, -h["lr"])


def rmsprop(params, grads, square_avgs, grad_avgs, momentum_buffer_list, state_steps, foreach=None,
            maximize=False, differentiable=False, capturable=False, has_complex=False, *, lr, alpha,
            eps, weight_decay, momentum, centered):
    """A step of RMSprop for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"square_avg": square_avgs, "grad_avg": grad_avgs, "momentum_buffer":
             momentum_buffer_list, "step": state_steps}
    apply(RMSprop, params, grads, state, capturable=capturable, maximize=maximize, lr=lr,
          alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, centered=centered)
