"""Adafactor."""

from __future__ import annotations

import numpy as np

import retrograd as rg

from ._functions import apply
from ._rule import UpdateRule, check_lr, count, scalar, zeros_like

__all__ = ["Adafactor", "adafactor"]


class Adafactor(UpdateRule):
    r"""Adafactor (Shazeer and Stern, 2018): second moments kept as the rank-one R C / mean(R).

    ::

        g = grad                                        (-grad with maximize)
        b = t^beta2_decay,  rho = min(lr, 1 / sqrt(t))
        p = (1 - lr weight_decay) p
        R = (1 - b) R + b mean(g^2, -1),  C = (1 - b) C + b mean(g^2, -2)
        v = R C / max(mean(R, -2), eps1)                (vectors: v = (1 - b) v + b g^2)
        u = g / sqrt(max(v, eps1^2))
        p = p - max(eps2, rms(p)) rho u / max(1, rms(u) / d)

    Args:
        params: parameters or groups, real.
        lr: bound of the relative step size, a number or a one-element Tensor.
        beta2_decay: power by which b falls.
        eps: eps1 (by default the machine epsilon of the dtype) and eps2.
        d: bound of the root mean square of the update.
        weight_decay: decoupled decay.
        foreach: accepted; one implementation serves all.
        maximize: ascend.

    Raises:
        ValueError: a setting is out of its range.
        RuntimeError: a complex parameter.

    >>> import retrograd as torch
    >>> w = torch.ones(2, 3, requires_grad=True)
    >>> w.grad = torch.ones(2, 3)
    >>> torch.optim.Adafactor([w], lr=0.5).step()
    >>> w.detach().round(decimals=3).tolist()
    [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]
    """

    buffers = ("row_var", "col_var", "variance")
    elementwise = False
    complex_as_real = False
    can_record = False

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(None, 1e-3),
        d=1.0,
        weight_decay=0.0,
        *,
        foreach=None,
        maximize=False,
    ) -> None:
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = dict(
            lr=lr,
            beta2_decay=beta2_decay,
            eps=eps,
            d=d,
            weight_decay=weight_decay,
            foreach=foreach,
            maximize=maximize,
        )
        super().__init__(params, defaults)

    def init_state(self, p, group):
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        if p.dim() < 2:
            return {"step": scalar(0.0), "variance": zeros_like(p)}
        *batch, rows, columns = p.shape
        return {
            "step": scalar(0.0),
            "row_var": p.grad.new_zeros([*batch, rows, 1]),
            "col_var": p.grad.new_zeros([*batch, 1, columns]),
        }

    def begin(self, F, p, state, h):
        eps1 = h["eps"][0]
        return count(state), rg.finfo(p.dtype).eps if eps1 is None else eps1

    def update(self, F, p, g, s, h, t, eps1):
        g = -g if h["maximize"] else g
        rho = min(h["lr"], 1 / t**0.5)
        alpha = max(h["eps"][1], _rms(p)) * rho
        if h["weight_decay"] != 0:
            p *= 1 - h["lr"] * h["weight_decay"]
        b = t ** h["beta2_decay"]
        squares = np.square(g)
        if g.ndim > 1:
            rows, columns = s["row_var"], s["col_var"]
            F.lerp_(rows, squares.mean(-1, keepdims=True), b)  # (..., r, c) -> (..., r, 1)
            F.lerp_(columns, squares.mean(-2, keepdims=True), b)  # (..., r, c) -> (..., 1, c)
            v = rows * columns
            v /= np.maximum(rows.mean(-2, keepdims=True), eps1)
        else:
            v = s["variance"]
            F.lerp_(v, squares, b)
        u = g / np.sqrt(np.maximum(v, eps1 * eps1))
        F.add_(p, u, -alpha / max(1.0, _rms(u) / h["d"]))


def _rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(x))))


def adafactor(params, grads, row_vars, col_vars, variances, state_steps, foreach=None,
              grad_scale=None, found_inf=None, has_complex=False, *, d, lr, beta2_decay,
              weight_decay, eps1, eps2, maximize):
    """A step of Adafactor for lists of tensors, which are written to (optim/_functions.py)."""
    state = {"row_var": row_vars, "col_var": col_vars, "variance": variances,
             "step": state_steps}
    apply(Adafactor, params, grads, state, unscaled=(grad_scale, found_inf), d=d, lr=lr,
          beta2_decay=beta2_decay, weight_decay=weight_decay, eps=(eps1, eps2), maximize=maximize)
