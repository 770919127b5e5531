"""Schedules that rise and fall, with momentum if asked: CyclicLR, OneCycleLR, warm restarts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ._schedule import (
    LRScheduler,
    _check_optimizer,
    _enable_get_lr_call,
    _format_param,
    _function_state,
    _update_param_group_val,
)
from .optimizer import Optimizer


class _MomentumCycle(LRScheduler):
    """A schedule that can move the momentum (or beta1) against the learning rate."""

    cycle_momentum: bool
    use_beta1: bool

    def _start_momentum(self, base_momentum: Any, max_momentum: Any, last_epoch: int) -> tuple:
        """Check and note both momentums; start from the higher one."""
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        base = _format_param("base_momentum", optimizer, base_momentum)
        highest = _format_param("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for group, low, high in zip(optimizer.param_groups, base, highest, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        return base, highest

    def _set_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_MomentumCycle):
    """Between two rates, up and down forever (Smith, 2017).

    ::

        lr_t = base_lr + (max_lr - base_lr) h scale,    h: 0 to 1 in step_size_up steps and back

    scale is 1 ("triangular"), 2^(1 - cycle) ("triangular2"), or gamma^t ("exp_range").

    Args:
        optimizer: whose groups are scheduled.
        base_lr, max_lr: the lower and the upper rate, or lists with one for each group.
        step_size_up, step_size_down: steps of the two halves of a cycle (by default the same).
        mode: see above; ignored with `scale_fn`.
        gamma: of "exp_range".
        scale_fn: cycle number, or step number, to scale.
        scale_mode: which of them, "cycle" or "iterations".
        cycle_momentum: move the momentum the other way, from `max_momentum` to
            `base_momentum`.
        base_momentum, max_momentum: the bounds.
        last_epoch: the last step taken when resuming.

    Raises:
        TypeError: not an Optimizer.
        ValueError: an unknown mode, or an optimizer without momentum.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.CyclicLR(sgd, base_lr=0.5, max_lr=1.0, step_size_up=2)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [0.5, 0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _format_param("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                _update_param_group_val(group, "lr", lr)
        self.max_lrs = _format_param("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._start_momentum(
                base_momentum, max_momentum, last_epoch
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        self._scale_fn_ref = {
            "triangular": self._triangular_scale_fn,
            "triangular2": self._triangular2_scale_fn,
            "exp_range": partial(self._exp_range_scale_fn, self.gamma),
        }[self.mode]
        self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    # under PyTorch's names: a file with a schedule in it refers to them

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def scale_fn(self, x: float) -> float:
        """The scale of a cycle or step number."""
        return (self._scale_fn_custom or self._scale_fn_ref)(x)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        if x <= self.step_ratio:
            height = x / self.step_ratio
        else:
            height = (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, bounds, strict=True):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [
            low + (high - low) * height * scale
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer and functions (of a callable object, its attributes)."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        del state["_scale_fn_custom"]                 # PyTorch lists it last
        state["_scale_fn_custom"] = _function_state(self._scale_fn_custom)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        rest = {k: v for k, v in state_dict.items() if k != "_scale_fn_custom"}
        super().load_state_dict(rest)
        if state_dict["_scale_fn_custom"] is not None:
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])
        self._init_scale_fn()


class OneCycleLR(_MomentumCycle):
    """Up to `max_lr` and down to far below the start, in all of training (Smith and Topin, 2018).

    The rate goes from max_lr / div_factor to max_lr in the first pct_start of the steps, then to
    max_lr / div_factor / final_div_factor. With `three_phase` it first comes back the way it
    went and falls below only afterwards.

    Args:
        optimizer: whose groups are scheduled.
        max_lr: the highest rate, or a list with one for each group.
        total_steps: or `epochs` and `steps_per_epoch`.
        pct_start: fraction of the steps that rise, a float.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: move the momentum the other way.
        base_momentum, max_momentum: its bounds, or lists with one for each group.
        div_factor, final_div_factor: see above.
        three_phase: see above.
        last_epoch: the last step taken when resuming.

    Raises:
        TypeError: not an Optimizer.
        ValueError: a setting is out of its range, or a step past the last.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(sgd, max_lr=1.0, total_steps=4)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [0.040000000000000036, 0.811745653949763]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _number_of_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                "anneal_strategy must be one of 'cos' or 'linear', "
                f"instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        highest = _format_param("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, highest, strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: Any, end: Any, fraction: float) -> Any:
        if not hasattr(self, "_anneal_func_type"):  # old state dictionaries hold the function
            return self.anneal_func(start, end, fraction)
        if self._anneal_func_type == "linear":
            return self._annealing_linear(start, end, fraction)
        return self._annealing_cos(start, end, fraction)

    @staticmethod
    def _annealing_cos(start: Any, end: Any, fraction: float) -> Any:
        return end + (start - end) / 2.0 * (math.cos(math.pi * fraction) + 1)

    @staticmethod
    def _annealing_linear(start: Any, end: Any, fraction: float) -> Any:
        return (end - start) * fraction + start

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        t = self.last_epoch
        if t > self.total_steps:
            raise ValueError(
                f"Tried to step {t} times. "
                f"The specified number of total steps is {self.total_steps}"
            )
        start, phase = 0.0, self._schedule_phases[0]
        for following in self._schedule_phases[1:]:
            if t <= phase["end_step"]:
                break
            start, phase = phase["end_step"], following
        fraction = (t - start) / (phase["end_step"] - start)

        def between(group: dict[str, Any], what: str) -> Any:
            ends = group[phase[f"start_{what}"]], group[phase[f"end_{what}"]]
            return self._anneal_func(*ends, fraction)

        rates = [between(group, "lr") for group in self.optimizer.param_groups]
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                self._set_momentum(group, between(group, "momentum"))
        return rates


def _number_of_steps(
    total_steps: int | None, epochs: int | None, steps_per_epoch: int | None
) -> int:
    if total_steps is not None:
        return _positive("total_steps", total_steps)
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return _positive("epochs", epochs) * _positive("steps_per_epoch", steps_per_epoch)


def _positive(name: str, value: int) -> int:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


def _phases(total_steps: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """The last step of each phase, and between which of a group's values it goes."""

    def phase(end_step: float, lrs: tuple[str, str], momentums: tuple[str, str]) -> dict:
        return {
            "end_step": end_step,
            "start_lr": lrs[0],
            "end_lr": lrs[1],
            "start_momentum": momentums[0],
            "end_momentum": momentums[1],
        }

    low, high = "base_momentum", "max_momentum"
    rise = phase(float(pct_start * total_steps) - 1, ("initial_lr", "max_lr"), (high, low))
    if not three_phase:
        return [rise, phase(total_steps - 1, ("max_lr", "min_lr"), (low, high))]
    back = phase(float(2 * pct_start * total_steps) - 2, ("max_lr", "initial_lr"), (low, high))
    return [rise, back, phase(total_steps - 1, ("initial_lr", "min_lr"), (high, high))]


class CosineAnnealingWarmRestarts(LRScheduler):
    """lr_t = eta_min + (lr_0 - eta_min) (1 + cos(pi T_cur / T_i)) / 2, with restarts.

    T_cur counts the steps since the last restart; the i-th run lasts T_i = T_0 T_mult^i steps
    (Loshchilov and Hutter, 2017).

    Args:
        optimizer: whose groups are scheduled.
        T_0: steps until the first restart.
        T_mult: factor of the length of the runs.
        eta_min: the smallest rate.
        last_epoch: the last step taken when resuming.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, T_0=2)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        cosine = math.cos(math.pi * self.T_cur / self.T_i)
        return [
            self.eta_min + (base_lr - self.eta_min) * (1 + cosine) / 2
            for base_lr in self.base_lrs
        ]

    def step(self, epoch: float | None = None) -> None:  # type: ignore[override]
        """Go on by one step, or to an epoch, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        else:
            self._jump(epoch)
        self.last_epoch = math.floor(epoch)
        with _enable_get_lr_call(self):
            self._set_lr(self.get_lr())

    def _jump(self, epoch: float) -> None:
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            runs = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            before = self.T_0 * (self.T_mult**runs - 1) / (self.T_mult - 1)
            self.T_cur = epoch - before
            self.T_i = self.T_0 * self.T_mult**runs
