"""SparseAdam: Adam for sparse gradients, on the rows that they list."""

from __future__ import annotations

from ..autograd.grad_mode import enable_grad, no_grad
from ._rule import check_betas, check_lr, zeros_like
from .optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam on the rows that a sparse gradient lists; the others and their moments stay.

    Args:
        params: parameters or groups.
        lr: learning rate.
        betas: how much of the running means of g and g^2 a step keeps.
        eps: keeps the denominator from zero.
        maximize: ascend.

    Raises:
        ValueError: a setting is out of its range, or a parameter is complex or sparse.

    >>> import retrograd as torch
    >>> table = torch.nn.Embedding(3, 2, sparse=True)
    >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
    >>> table(torch.tensor([2])).sum().backward()
    >>> optimizer.step()
    >>> optimizer.state[table.weight]["exp_avg"].round(decimals=2)
    tensor([[0.0000, 0.0000],
            [0.0000, 0.0000],
            [0.1000, 0.1000]])
    """

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False
    ) -> None:
        check_lr(lr, zero=False)
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, maximize=maximize))
        sparse_params = [
            [i, j]
            for i, group in enumerate(self.param_groups)
            for j, p in enumerate(group["params"])
            if p.is_sparse
        ]
        if sparse_params:
            raise ValueError(f"Sparse params at indices {sparse_params}: SparseAdam requires dense "
                             "parameter tensors")
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
        """Update the rows that each gradient lists.

        Returns:
            The closure's loss, or None without one.

        Raises:
            RuntimeError: a gradient is dense.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                updated = [p for p in group["params"] if p.grad is not None]
                if any(not p.grad.is_sparse for p in updated):
                    raise RuntimeError("SparseAdam does not support dense gradients, please "
                                       "consider Adam instead")
                for p in updated:
                    self._update(p, self.state[p], group)
        return loss

    def _update(self, p, state, h) -> None:
        if not state:
            state.update(step=0, exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
        state["step"] += 1
        g = p.grad.coalesce()
        if g._nnz() == 0:
            return
        (beta1, beta2), t, at = h["betas"], state["step"], tuple(g._indices())
        g = -g._values() if h["maximize"] else g._values()
        m, v = state["exp_avg"], state["exp_avg_sq"]
        m[at] += (g - m[at]) * (1 - beta1)
        v[at] += (g * g - v[at]) * (1 - beta2)
        step_size = h["lr"] * (1 - beta2**t) ** 0.5 / (1 - beta1**t)
        p[at] -= step_size * (m[at] / (v[at].sqrt() + h["eps"]))
