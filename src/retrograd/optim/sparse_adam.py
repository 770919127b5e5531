"""SparseAdam, which wants sparse gradients: retrograd's are dense."""

from __future__ import annotations

from ..autograd.grad_mode import enable_grad
from ._rule import check_betas, check_lr
from .optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam on the rows that a sparse gradient touches.

    It can be made, but its step has nothing to work on: it refuses dense gradients, as PyTorch's
    does, and retrograd has no sparse ones.

    Raises:
        ValueError: a setting is out of its range, or a parameter is complex.
    """

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False
    ) -> None:
        check_lr(lr, zero=False)
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, maximize=maximize))
        complex_params = [
            [i, j]
            for i, group in enumerate(self.param_groups)
            for j, p in enumerate(group["params"])
            if p.is_complex()
        ]
        if complex_params:
            raise ValueError(
                f"Complex params at indices {complex_params}: "
                "SparseAdam does not support complex parameters"
            )

    def step(self, closure=None):
        """Raise RuntimeError if there is a gradient, which is dense."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if any(p.grad is not None for group in self.param_groups for p in group["params"]):
            raise RuntimeError(
                "SparseAdam does not support dense gradients, please consider Adam instead"
            )
        return loss
