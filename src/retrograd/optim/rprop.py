"""Rprop."""

from __future__ import annotations

from ._functions import apply
from ._rule import UpdateRule, check_lr, count, full_like, scalar, zeros_like
from .optimizer import _get_value

__all__ = ["Rprop", "rprop"]


class Rprop(UpdateRule):
    r"""Resilient propagation (Riedmiller and Braun, 1993): a step size for each element.

    ::

        g = grad                                        (-grad with maximize)
        e = etas[1] where g g' > 0,  etas[0] where g g' < 0,  1 elsewhere
        s = clip(e s, step_sizes)
        g = 0 where e = etas[0]
        p = p - sign(g) s
        g' = g

    Args:
        params: parameters or groups.
        lr: the first step size, a number or a one-element Tensor.
        etas: factors that shrink and grow a step size.
        step_sizes: the smallest and the largest.
        capturable: only for devices that retrograd does not have: the step refuses it.
        foreach: accepted; one implementation serves all.
        maximize: ascend.
        differentiable: record the step, so that gradients flow through it.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = torch.tensor([3.0, -0.1])
    >>> torch.optim.Rprop([w], lr=0.5).step()
    >>> w.tolist()
    [0.5, 2.5]
    """

    compiled = "rprop_update"
    buffers = ("prev", "step_size")

    def __init__(
        self,
        params,
        lr=1e-2,
        etas=(0.5, 1.2),
        step_sizes=(1e-6, 50),
        *,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ) -> None:
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = dict(
            lr=lr,
            etas=etas,
            step_sizes=step_sizes,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            capturable=capturable,
        )
        super().__init__(params, defaults)

    def init_state(self, p, group):
        size = _get_value(group["lr"])
        if p.is_complex():
            size = complex(size, size)
        return {
            "step": scalar(0.0),
            "prev": zeros_like(p),
            "step_size": full_like(p, size),
        }

    def begin(self, F, p, state, h):
        count(state)
        return ()

    def update(self, F, p, g, s, h):
        shrink, grow = h["etas"]
        g = -g if h["maximize"] else g
        previous, size = s["prev"], s["step_size"]
        sign = F.sign(F.multiply(g, previous))
        factor = F.where(sign > 0, grow, F.where(sign < 0, shrink, sign + 1))
        size *= factor
        F.copy_(size, F.clip(size, *h["step_sizes"]))
        g = F.where(sign < 0, 0, g)
        F.addcmul_(p, F.sign(g), size, -1)
        F.copy_(previous, g)


def rprop(params, grads, prevs, step_sizes, state_steps, foreach=None, capturable=False,
          maximize=False, differentiable=False, has_complex=False, *, step_size_min, step_size_max,
          etaminus, etaplus):
    """A step of Rprop for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"prev": prevs, "step_size": step_sizes, "step": state_steps}
    apply(Rprop, params, grads, state, capturable=capturable, maximize=maximize, etas=(etaminus,
          etaplus), step_sizes=(step_size_min, step_size_max))
