"""Muon."""

from __future__ import annotations

import math

import numpy as np

from ._rule import UpdateRule, check_lr, zeros_like

__all__ = ["Muon"]

_ADJUSTMENTS = (None, "original", "match_rms_adamw")

# of a float32's bits: arrays, since NumPy takes longer over Python's numbers
HALF, ODD, BELOW_HALF, UPPER = [np.array(n, np.uint32) for n in (16, 1, 0x7FFF, 0xFFFF0000)]


class Muon(UpdateRule):
    r"""Momentum, orthogonalized by a Newton-Schulz iteration (Jordan et al., 2024). Matrices only.

    ::

        b = momentum b + (1 - momentum) grad
        X = b                                           (nesterov: a mean of grad and b instead)
        X = X / |X|, then ns_steps times:  A = X X^T,  X = a X + (b A + c A^2) X
        p = (1 - lr weight_decay) p - lr sqrt(max(1, rows / columns)) X

    Args:
        params: 2-d parameters or groups of them.
        lr: learning rate.
        weight_decay: decoupled decay.
        momentum: decay of the momentum buffer.
        nesterov: look ahead by one momentum step.
        ns_coefficients: a, b and c of the iteration, which runs in bfloat16 precision.
        eps: keeps the norm from zero.
        ns_steps: iterations, below 100.
        adjust_lr_fn: "original" (the factor above) or "match_rms_adamw", which makes it
            0.2 sqrt(max(rows, columns)).

    Raises:
        ValueError: a setting is out of its range, or a parameter is not 2-d.
        RuntimeError: a complex parameter.

    >>> import retrograd as torch
    >>> w = torch.zeros(2, 2, requires_grad=True)
    >>> w.grad = torch.eye(2)
    >>> torch.optim.Muon([w], lr=0.5).step()
    >>> w[0, 1].item()
    0.0
    """

    buffers = ("momentum_buffer",)
    scalars = ()
    elementwise = False
    complex_as_real = False
    can_record = False

    def __init__(
        self,
        params,
        lr=1e-3,
        weight_decay=0.1,
        momentum=0.95,
        nesterov=True,
        ns_coefficients=(3.4445, -4.775, 2.0315),
        eps=1e-7,
        ns_steps=5,
        adjust_lr_fn=None,
    ) -> None:
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in _ADJUSTMENTS:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = dict(
            lr=lr,
            weight_decay=weight_decay,
            momentum=momentum,
            nesterov=nesterov,
            ns_coefficients=ns_coefficients,
            eps=eps,
            ns_steps=ns_steps,
            adjust_lr_fn=adjust_lr_fn,
        )
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with "
                        f"size: {p.size()}"
                    )

    def init_state(self, p, group):
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return {"momentum_buffer": zeros_like(p)}

    def begin(self, F, p, state, h):
        return ()

    def update(self, F, p, g, s, h):
        momentum, b = h["momentum"], s["momentum_buffer"]
        F.lerp_(b, g, 1 - momentum)
        if h["nesterov"]:
            g = g.copy()
            F.lerp_(g, b, momentum)
        else:
            g = b
        x = _orthogonalize(g, h["ns_coefficients"], h["ns_steps"], h["eps"])
        p *= 1 - h["lr"] * h["weight_decay"]
        F.add_(p, x, -h["lr"] * _adjustment(h["adjust_lr_fn"], *p.shape))


def _orthogonalize(g: np.ndarray, coefficients: tuple, steps: int, eps: float) -> np.ndarray:
    """Newton-Schulz: pushes the singular values of `g` towards 1."""
    if steps >= 100:
        raise ValueError(
            "Number of steps must be less than 100 for computational efficiency"
        )
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = g.shape[0] > g.shape[1]
    x = _bfloat16(g.T if tall else g)
    x = _bfloat16(x / np.maximum(_bfloat16(np.linalg.norm(x)), _bfloat16(np.float32(eps))))
    for _ in range(steps):
        gram = _bfloat16(x @ x.T)  # (n, m) (m, n) -> (n, n)
        polynomial = _bfloat16(b * gram + c * (gram @ gram))
        x = _bfloat16(a * x + polynomial @ x)  # (n, n) (n, m) -> (n, m)
    return x.T if tall else x


def _bfloat16(x: np.ndarray) -> np.ndarray:
    """float32 rounded to bfloat16's 8 bits of precision, to nearest, ties to even."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    res = bits >> HALF
    res &= ODD
    res += BELOW_HALF
    res += bits
    res &= UPPER
    return res.view(np.float32).reshape(x.shape)


def _adjustment(rule: str | None, rows: int, columns: int) -> float:
    if rule == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))
