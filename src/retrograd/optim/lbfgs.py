"""L-BFGS, with a line search under the strong Wolfe conditions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import retrograd as rg

from .. import kernels as K
from .._tensor import Tensor, wrap
from ..autograd.grad_mode import enable_grad, no_grad
from ._line_search import cubic_interpolate as _cubic_interpolate  # noqa: F401
from ._line_search import strong_wolfe as _strong_wolfe
from ._rule import check_lr
from .optimizer import Optimizer, _get_value, _to_scalar

KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    r"""Limited-memory BFGS (Nocedal and Wright, 2006, algorithm 7.4). One parameter group.

    A step runs up to `max_iter` iterations of::

        d = -H g          H: from the last history_size pairs y = g - g', s = t d'
        t = lr            (the first: min(1, 1 / |g|_1) lr), or by line search
        x = x + t d

    Args:
        params: parameters.
        lr: learning rate, a number or a one-element Tensor.
        max_iter: iterations a step.
        max_eval: function evaluations a step, by default 1.25 max_iter.
        tolerance_grad: stop where no element of the gradient is larger.
        tolerance_change: stop where neither the parameters nor the loss change by more.
        history_size: pairs kept.
        line_search_fn: None or "strong_wolfe".

    Raises:
        ValueError: a setting is out of its range, or several groups.
        RuntimeError: another line search.

    >>> import retrograd as torch
    >>> w = torch.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (w - 1).pow(2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure)
    >>> w.detach().round(decimals=3).tolist()
    [1.0, 1.0]
    """

    def __init__(
        self,
        params,
        lr=1,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
        line_search_fn=None,
    ) -> None:
        check_lr(lr)
        defaults = dict(
            lr=lr,
            max_iter=max_iter,
            max_eval=max_iter * 5 // 4 if max_eval is None else max_eval,
            tolerance_grad=tolerance_grad,
            tolerance_change=tolerance_change,
            history_size=history_size,
            line_search_fn=line_search_fn,
        )
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Run up to `max_iter` iterations.

        Args:
            closure: computes the loss and its gradients; called several times.

        Returns:
            The first loss.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(
                f"Expected exactly one param_group, but got {len(self.param_groups)}")
        with no_grad():
            return self._iterate(enable_grad()(closure))

    def _iterate(self, closure: Callable[[], Any]) -> Any:
        """step(), where nothing is recorded but what the closure computes."""
        h = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = "d" not in state

        first_loss = closure()
        loss = float(_get_value(first_loss))
        evaluations = 1
        state["func_evals"] += 1
        g = self._flat_grad()
        if g.abs().max() <= h["tolerance_grad"]:
            return first_loss

        for iteration in range(1, h["max_iter"] + 1):
            d, t = self._next_step(state, g, loss)
            previous_loss, slope = loss, g.dot(d)
            if slope > -h["tolerance_change"]:
                break
            last = iteration == h["max_iter"]
            loss, g, t, count = self._take_step(closure, t, d, loss, g, slope, last,
                                                h["max_eval"] - evaluations)
            state["t"] = t
            state["func_evals"] += count
            evaluations += count
            if last or evaluations >= h["max_eval"] or self._converged(
                    g, d.mul(t), loss - previous_loss):
                break
        for name in KEPT if first else ():              # in PyTorch's order, after "al"
            state[name] = state.pop(name)
        return first_loss

    def _take_step(self, closure: Callable, t: Any, d: Tensor, loss: float, g: Tensor,
                   slope: Tensor, last: bool, max_ls: int) -> tuple:
        """Move by t d, or as far along d as a search finds: (loss, g, t, evaluations)."""
        if self.param_groups[0]["line_search_fn"] is not None:
            return self._search(closure, t, d, loss, g, slope, max_ls)
        self._move(t, d)
        if last:                            # nothing reads the loss after the last iteration
            return loss, g, t, 0
        return *self._loss_and_grad(closure), t, 1

    def _converged(self, g: Tensor, step: Tensor, change: float) -> bool:
        h = self.param_groups[0]
        return bool(g.abs().max() <= h["tolerance_grad"]
                    or step.abs().max() <= h["tolerance_change"]
                    or abs(change) < h["tolerance_change"])

    def _next_step(self, state: dict[str, Any], g: Tensor, loss: float) -> tuple:
        """The next direction and its length; the state notes where they start from."""
        lr = _to_scalar(self.param_groups[0]["lr"])
        state["n_iter"] += 1
        d = state["d"] = _direction(state, g, self.param_groups[0]["history_size"])
        if state.get("prev_flat_grad") is None:
            state["prev_flat_grad"] = g.clone()
        else:
            state["prev_flat_grad"].copy_(g)
        state["prev_loss"] = loss
        t = state["t"] = min(1.0, 1.0 / g.abs().sum()) * lr if state["n_iter"] == 1 else lr
        return d, t

    def _flat_grad(self) -> Tensor:
        parts = []
        for p in self._params:
            g = rg.zeros_like(p) if p.grad is None else p.grad.to_dense()
            parts.append(rg.view_as_real(g).reshape(-1) if g.is_complex() else g.reshape(-1))
        return rg.cat(parts, 0)

    def _move(self, t: Any, d: Tensor) -> None:
        """Add t d to the parameters."""
        start = 0
        for p in self._params:
            p = rg.view_as_real(p) if p.is_complex() else p
            p.add_(d[start : start + p.numel()].view_as(p), alpha=_get_value(t))
            start += p.numel()

    def _loss_and_grad(self, closure: Callable) -> tuple[float, Tensor]:
        return float(_get_value(closure())), self._flat_grad()

    def _search(self, closure: Callable, t: Any, d: Tensor, loss: float, g: Tensor, slope: Tensor,
                max_ls: int) -> tuple:
        """Take a step along d that meets the strong Wolfe conditions: (loss, g, t, evaluations)."""
        if self.param_groups[0]["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        start = [p.clone() for p in self._params]
        evaluate = functools.partial(self._evaluate, closure)
        found = _strong_wolfe(evaluate, start, t, d, loss, g, slope, max_ls=max_ls)
        self._move(found[2], d)
        return found

    def _evaluate(self, closure: Callable, start: list[Tensor], t: Any, d: Tensor) -> tuple:
        """Loss and gradient at start + t d; the parameters are back at start afterwards."""
        self._move(t, d)
        loss, g = self._loss_and_grad(closure)
        for p, value in zip(self._params, start, strict=True):
            p.copy_(value)
        return loss, g


def _direction(state: dict[str, Any], g: Tensor, history_size: int) -> Tensor:
    """-H g by the two-loop recursion, after taking the last step's pair into the history."""
    if state["n_iter"] == 1:
        state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
        return g.neg()
    ys, ss, ro = state["old_dirs"], state["old_stps"], state["ro"]
    y = g.sub(state["prev_flat_grad"])
    s = state["d"].mul(state["t"])
    ys_dot = y.dot(s)
    if ys_dot > 1e-10:
        if len(ys) == history_size:
            for history in (ys, ss, ro):
                history.pop(0)
        ys.append(y)
        ss.append(s)
        ro.append(1.0 / ys_dot)
        state["H_diag"] = ys_dot / y.dot(y)
    al, rows = state.setdefault("al", [None] * history_size), range(len(ys))
    q = g.neg()._data               # arrays, as most of an operator's time is not the arithmetic
    for i in reversed(rows):
        along = K.dot(ss[i]._data, q) * ro[i]._data
        al[i] = wrap(np.asarray(along))
        q = K.add_scaled(q, ys[i]._data, -float(along))
    r = wrap(q).mul(state["H_diag"])._data
    for i in rows:
        along = al[i]._data - K.dot(ys[i]._data, r) * ro[i]._data
        r = K.add_scaled(r, ss[i]._data, float(along))
    return wrap(r)
