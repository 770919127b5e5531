"""UpdateRule: an optimizer written as the formula of its update.

A subclass gives `buffers` (what it keeps for a parameter; `init_state` too, where that does not
begin with zeros), `begin` (the numbers of this step) and `update` (the formula). The formula is
one text for several namespaces: `_arrays`, raw arrays in place (`_halves` where they have 16
bits), and `_tensors`, Tensors whose operations are recorded (`differentiable=True`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import retrograd as rg

from .._callers import caller
from .._dtype import float64, get_default_dtype
from .._state import features
from .._tensor import ON_META, SPARSE, WRAPPER, Tensor, wrap
from ..autograd.grad_mode import enable_grad, no_grad, set_grad_enabled
from ..kernels import fast
from ..ops.in_place import broadcast_error
from . import _arrays, _halves, _tensors, _together
from .optimizer import Optimizer

# Elements of a parameter that are updated at a time: an update reads and writes up to eight
# arrays, and those of this many float32 stay in a core's cache from one pass to the next.
BLOCK = 32768

_ACCELERATORS = ["cuda", "xpu", "hpu", "privateuseone", "xla"]

# Settings that older state dictionaries lack.
_LATER_SETTINGS = {
    "amsgrad": False,
    "capturable": False,
    "centered": False,
    "decoupled_weight_decay": False,
    "differentiable": False,
    "foreach": None,
    "fused": None,
    "maximize": False,
    "momentum": 0,
    "nesterov": False,
}


class UpdateRule(Optimizer):
    """An optimizer whose step applies `update` to each parameter that has a gradient."""

    buffers: tuple[str, ...] = ()  # state of the parameter's shape, which update works on
    scalars: tuple[str, ...] = ("step",)  # 0-d state, which begin advances
    compiled: str | None = None  # a kernel that does the same as update: kernels/fast/optimizer.py
    elementwise = True  # an update may be run on slices of a parameter
    long_formula = True  # it pays to copy short parameters side by side and update them as one
    complex_as_real = True  # it treats a complex number as two reals
    can_record = True  # it has the setting `differentiable`
    on_device = "params and state_steps"  # what capturable=True wants on a GPU
    devices = _ACCELERATORS
    _steps_made = 0  # by this object, whatever its state says

    def init_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """The new state of a parameter that is updated for the first time."""
        return {"step": scalar(0.0), **{name: zeros_like(p) for name in self.buffers}}

    def keeps_state(self, h: dict[str, Any]) -> bool:
        """Whether a group with these settings keeps state for its parameters."""
        return True

    def used_buffers(self, h: dict[str, Any]) -> tuple[str, ...]:
        """The buffers that update works on with these settings: others may be left from before."""
        return self.buffers

    def begin(self, F: Any, p: Tensor, state: dict[str, Any], h: dict[str, Any]) -> tuple:
        """Count the step; return the numbers that `update` takes after `h`."""
        raise NotImplementedError

    def update(self, F: Any, p: Any, g: Any, s: dict[str, Any], h: dict[str, Any], *numbers: Any):
        """Apply the formula: parameter `p`, gradient `g`, buffers `s`, settings `h`."""
        raise NotImplementedError

    def step(self, closure=None):
        """Update every parameter that has a gradient.

        Args:
            closure: called first, with recording on, to compute the loss again and its gradients.

        Returns:
            The closure's loss, or None without one.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if features.sparse and self._sparse_gradients():
            self._step_sparse((type(self).__name__ + ".step", *caller(sys._getframe(2))))
        elif self.defaults.get("differentiable"):
            with set_grad_enabled(True):
                self._step_recorded()
        elif features.other_arrays and self._wrapper_tensors():
            with no_grad():
                self._step_recorded()
        else:
            write = type(self).__name__ + ".step", *caller(sys._getframe(2))
            try:
                self._step_arrays(write)
            except ValueError as error:
                raise (self._misfit() or error) from None
        return loss

    step.hooked = False  # each class that inherits it gets hooks of its own

    def _misfit(self) -> RuntimeError | None:
        """PyTorch's error for what does not fit its parameter: a gradient from before `p.data` got
        another shape, or a state, as from another network."""
        for group in self.param_groups:
            for p in group["params"]:
                if p._grad is not None and p._grad.shape != p.shape:
                    return broadcast_error(p._data, (p._data, p._grad._data))
        for p, state in self.state.items():
            for name in self.buffers:
                if name in state and state[name].shape != p.shape:
                    return broadcast_error(state[name]._data, (state[name]._data, p._data))
        return None

    def _state_of(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state = self.state[p]
        if not state:
            state.update(self.init_state(p, group))
        return state

    def _check(self, group: dict[str, Any]) -> None:
        """Raise PyTorch's errors for capturable=True on a CPU and fused=True of complex numbers."""
        updated = [p for p in group["params"] if p.grad is not None]
        if updated and group.get("capturable") and not group.get("fused"):
            devices = [name for name in self.devices if name != "xla" or not group.get("foreach")]
            raise AssertionError(
                f"If capturable=True, {self.on_device} must be on supported devices: {devices}.")
        for p in updated:
            if not p.is_floating_point():
                raise RuntimeError(
                    "`fused=True` requires all the params to be floating point Tensors of "
                    "supported devices: ['mps', 'cuda', 'xpu', 'hpu', 'cpu', 'mtia', "
                    f"'privateuseone'] but {p.dtype} and {p.device.type}"
                )

    def _sparse_gradients(self) -> list[tuple[Tensor, dict[str, Any]]]:
        """The parameters that have a sparse gradient, each with its group."""
        return [(p, group) for group in self.param_groups for p in group["params"]
                if p._grad is not None and p._grad._flags & SPARSE]

    def _wrapper_tensors(self) -> bool:
        """Whether a parameter's class does its operators, or it has no numbers: see
        NOTE [wrapper tensors] and NOTE [meta tensors]."""
        return any(p._flags & (WRAPPER | ON_META)
                   for group in self.param_groups for p in group["params"])

    def _step_sparse(self, write: tuple) -> None:
        """A step where some gradients are sparse: those first, then the others as usual."""
        sparse, hidden = self._sparse_gradients(), []
        for group in self.param_groups:
            self.check_sparse(group)
            if group.get("differentiable"):
                raise NotImplementedError(f"{type(self).__name__}.step(): differentiable=True is "
                                          "not supported where gradients are sparse")
        try:
            for p, group in sparse:
                with no_grad():
                    state = self._state_of(p, group) if self.keeps_state(group) else {}
                    self.update_sparse(p, p._grad, state, group)
                hidden.append((p, p._grad))
                p._grad = None
            self._step_arrays(write)
        finally:
            for p, grad in hidden:
                p._grad = grad

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Raise if this optimizer, with these settings, does not take sparse gradients."""
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def update_sparse(self, p: Tensor, g: Tensor, state: dict[str, Any], h: dict[str, Any]) -> None:
        """Update a parameter whose gradient is sparse."""
        raise NotImplementedError

    def _step_recorded(self) -> None:
        for group in self.param_groups:
            if group.get("capturable"):
                self._check(group)
            keeps = self.keeps_state(group)
            for p in group["params"]:
                if p.grad is None:
                    continue
                if self.scalars and group.get("foreach") and group.get("differentiable"):
                    raise AssertionError("_foreach ops don't support autograd")
                state = self._state_of(p, group) if keeps else {}
                self.update_tensors(p, p.grad, state, group)

    def update_tensors(self, p: Tensor, g: Tensor, state: dict[str, Any], h: dict[str, Any]):
        """Update a parameter by operations on Tensors, which are recorded where that is on."""
        numbers = self.begin(_tensors, p, state, h)
        s = {name: state[name] for name in self.used_buffers(h) if name in state}
        tensors = [p, g, *s.values()]
        if p.is_complex() and self.complex_as_real:
            tensors = [_tensors.real(x) for x in tensors]
        p, g, *rest = tensors
        self.update(_tensors, p, g, dict(zip(s, rest, strict=True)), h, *numbers)

    def _step_arrays(self, write: tuple) -> None:
        self._steps_made += 1
        for group in self.param_groups:
            h = _numbers(group)
            if h.get("capturable") or h.get("fused"):
                self._check(group)
            short, waiting, alike = self._begin_all(group, h, write)
            if short:
                self._update_short(short, h, alike)
            if waiting:
                _together.update(self, waiting, h)

    def _begin_all(self, group: dict[str, Any], h: dict[str, Any], write: tuple):
        """Begin the step of a group's parameters, and update the long ones at once. Returns the
        short ones, each as (numbers, parameter, gradient, buffers), those that are updated side by
        side, and whether the short ones have the same numbers."""
        begin, states, params = self.begin, self.state, group["params"]
        keeps, buffers = self.keeps_state(h), self.used_buffers(h)
        several = self.elementwise and _together.pays(params, self.long_formula)
        short: list[tuple] = []
        waiting: list[tuple] = []
        last, changes = None, 0             # of the short ones' numbers
        for p in params:
            grad = p._grad
            if grad is None:
                continue
            data, g, s = p._data, grad._data, {}
            if keeps:
                state = states.get(p) or self._state_of(p, group)
                numbers = begin(_arrays, p, state, h)
                for name in buffers:
                    if name in state:
                        s[name] = state[name]._data
            else:
                numbers = begin(_arrays, p, s, h)
            if several and _together.may_wait(data, g):
                waiting.append((numbers, data, g, s))
            elif data.size <= BLOCK:
                short.append((numbers, data, g, s))
                if numbers != last:
                    last, changes = numbers, changes + 1
            else:
                self.update_special(data, g, s, h, numbers)
            cell = p._cell
            cell[0] += 1
            cell[1] = write
        return short, waiting, changes == 1

    def _update_short(self, short: list[tuple], h: dict[str, Any], alike: bool) -> None:
        """Update parameters of at most BLOCK elements, by the compiled kernel if there is one."""
        twin = self.twin(0)
        if twin is not None and alike:
            short = twin(short, h, *short[0][0])
        elif twin is not None:
            short = [item for item in short if twin([item], h, *item[0])]
        for numbers, data, g, s in short:
            if data.dtype.char in "fd":
                self.update(_arrays, data, g, s, h, *numbers)
            else:
                self.update_special(data, g, s, h, numbers)

    def twin(self, size: int) -> Callable | None:
        """The compiled kernel that does the same as update, bit for bit, where it is worth loading:
        for large parameters, after many steps, or when other kernels are loaded already."""
        if self.compiled is None or not (
            size >= fast.LARGE or self._steps_made > fast.OFTEN or fast.in_use()
        ):
            return None
        return fast.twin(self.compiled) if fast.has(self.compiled) else None

    def update_special(self, p: np.ndarray, g: np.ndarray, s: dict, h: dict, numbers: tuple):
        """Update a parameter that is long, complex or of 16 bits."""
        twin = self.twin(p.size)
        if twin is not None and not twin([(numbers, p, g, s)], h, *numbers):
            return
        if p.dtype.kind == "c" and self.complex_as_real:
            p, g = _arrays.real(p), _arrays.real(g)
            s = {name: _arrays.real(x) for name, x in s.items()}
        F = _halves if p.dtype.itemsize == 2 else _arrays
        fits = all([x.shape == p.shape for x in s.values()])       # else it is an error
        if p.size <= BLOCK or not self.elementwise or not fits:
            self.update(F, p, g, s, h, *numbers)
            return
        rows = max(1, BLOCK * len(p) // p.size)
        for i in range(0, len(p), rows):
            block = slice(i, i + rows)
            part = {name: x[block] for name, x in s.items()}
            self.update(F, p[block], g[block], part, h, *numbers)

    def __setstate__(self, state: dict[str, Any]) -> None:
        known = set(state["defaults"] if "defaults" in state else self.defaults)
        super().__setstate__(state)
        if not self.can_record:         # Optimizer.__setstate__ puts it into all defaults
            known.discard("differentiable")
        for group in self.param_groups:
            for name, value in _LATER_SETTINGS.items():
                if name in known:
                    group.setdefault(name, value)
            for p in group["params"]:
                own = self.state.get(p)
                if own:
                    _make_scalars_tensors(own, self.scalars)


def _make_scalars_tensors(state: dict[str, Any], names: tuple[str, ...]) -> None:
    """Old state dictionaries count in Python numbers."""
    for name in names:
        if not isinstance(state[name], Tensor):
            state[name] = scalar(float(state[name]))


def scalar(value: float) -> Tensor:
    """A 0-d state Tensor of the dtype step counts have."""
    wide = get_default_dtype() == float64
    return wrap(np.array(value, dtype=np.float64 if wide else np.float32))


def zeros_like(p: Tensor) -> Tensor:
    """State of zeros, laid out in memory like the parameter."""
    if p._flags & (WRAPPER | ON_META):
        return rg.zeros_like(p)
    return wrap(np.zeros_like(p._data))


def full_like(p: Tensor, value: Any) -> Tensor:
    """State of one value, laid out in memory like the parameter."""
    if p._flags & (WRAPPER | ON_META):
        return rg.full_like(p, value)
    return wrap(np.full_like(p._data, value))


def count(state: dict[str, Any]) -> float:
    """Advance `state["step"]` and return it."""
    step = state["step"]._data
    step += 1
    return float(step)


def _numbers(group: dict[str, Any]) -> dict[str, Any]:
    """The group with settings given as Tensors (lr, betas, weight_decay) read out as numbers."""
    beta = group["betas"][0] if "betas" in group else None
    if not (
        isinstance(group["lr"], Tensor)
        or isinstance(group.get("weight_decay"), Tensor)
        or isinstance(beta, Tensor)
    ):
        return group
    return {key: _number(value) for key, value in group.items() if key != "params"}


def _number(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.item()
    if type(value) is tuple:
        return tuple(_number(v) for v in value)
    return value


def descent(p: Any, g: Any, h: dict[str, Any]) -> Any:
    """The gradient to descend: negated to maximize, with the L2 penalty's weight_decay p added."""
    if h["maximize"]:
        g = -g
    decay = h["weight_decay"]
    if isinstance(decay, Tensor):
        return g + p.clone() * decay
    return g + p * decay if decay != 0 else g


def decayed(F: Any, p: Any, g: Any, h: dict[str, Any]) -> Any:
    """`descent`, or with decoupled_weight_decay: shrink p itself and leave the gradient alone."""
    if not h["decoupled_weight_decay"]:
        return descent(p, g, h)
    F.mul_(p, 1 - h["lr"] * h["weight_decay"])
    return -g if h["maximize"] else g


def moments(F: Any, g: Any, s: dict[str, Any], betas: tuple) -> tuple:
    """The running means of g and of g^2, with this step's gradient in them."""
    beta1, beta2 = betas
    m, v = s["exp_avg"], s["exp_avg_sq"]
    F.lerp_(m, g, 1 - beta1)
    F.mul_(v, beta2)
    F.addcmul_(v, g, g, 1 - beta2)
    return m, v


def check_lr(lr: Any, message: str = "Invalid learning rate: {}", zero: bool = True,
             nan: bool = False) -> None:
    """Refuse a Tensor lr of several elements and a negative (or zero, or no) number."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if lr < 0.0 if nan else not (0.0 <= lr if zero else 0.0 < lr):
        raise ValueError(message.format(lr))


def check_not_negative(message: str, value: Any) -> None:
    if not 0.0 <= value:
        raise ValueError(f"{message}: {value}")


def check_betas(betas: tuple) -> None:
    for i in (0, 1):
        beta = betas[i]
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


def check_moment_settings(lr: Any, betas: tuple, eps: float, weight_decay: Any) -> None:
    """The settings of Adam and similar optimizers, in the order in which PyTorch looks at them."""
    check_lr(lr)
    check_not_negative("Invalid epsilon value", eps)
    check_betas(betas)
    check_not_negative("Invalid weight_decay value", weight_decay)


def check_fused(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """fused and foreach choose no other code here; what PyTorch refuses is refused."""
    if not fused:
        return
    if differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
