"""LRScheduler: what all learning-rate schedules share."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any
from weakref import ref

from .._tensor import Tensor
from .optimizer import Optimizer, _to_scalar

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
_ORDER = (
    "See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


def _copy_value(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def _format_param(name: str, optimizer: Optimizer, param: Any) -> list:
    """One value for each parameter group, from a value for all or a list of them."""
    n = len(optimizer.param_groups)
    if not isinstance(param, (list, tuple)):
        return [_copy_value(param) for _ in range(n)]
    if len(param) != n:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(param)} values, param_groups has {n}."
        )
    return [_copy_value(value) for value in param]


def _param_groups_val_list(optimizer: Optimizer, key: str) -> list:
    return [_copy_value(group[key]) for group in optimizer.param_groups]


def _update_param_group_val(group: dict[str, Any], key: str, value: Any) -> None:
    """Set a group's value; a Tensor is filled in place, so that who holds it sees the change."""
    if isinstance(group[key], Tensor):
        group[key].fill_(_to_scalar(value))
    else:
        group[key] = value


def _check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _track_steps(optimizer: Optimizer) -> None:
    """Make the optimizer remember (as `_opt_called`) that it stepped."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    weak = ref(optimizer)  # a strong one would be a cycle
    step = optimizer.step.__func__  # type: ignore[attr-defined]

    @wraps(step)
    def tracked(*args, **kwargs):
        optimizer = weak()
        optimizer._opt_called = True  # type: ignore[union-attr]
        return step.__get__(optimizer, type(optimizer))(*args, **kwargs)

    tracked._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = tracked  # type: ignore[method-assign]


class _enable_get_lr_call:
    """While entered, `get_lr` is called by the schedule itself."""

    def __init__(self, schedule: LRScheduler) -> None:
        self.schedule = schedule

    def __enter__(self) -> _enable_get_lr_call:
        self.schedule._get_lr_called_within_step = True
        return self

    def __exit__(self, *exc: object) -> None:
        self.schedule._get_lr_called_within_step = False


class LRScheduler:
    """Base class of schedules: sets the learning rate of each group when it steps.

    A subclass defines `get_lr` (the next rates, from the present ones and `last_epoch`) and,
    where there is one, `_get_closed_form_lr`. Making a schedule takes its first step.

    Args:
        optimizer: whose groups are scheduled.
        last_epoch: the last step taken when training is resumed, else -1.

    Raises:
        TypeError: not an Optimizer.
        KeyError: resuming groups that know no `initial_lr`.

    >>> import retrograd as torch
    >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [base / 2 ** self.last_epoch for base in self.base_lrs]
    >>> sgd = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.8)
    >>> schedule = Halving(sgd)
    >>> for _ in range(2):
    ...     sgd.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.2]
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copy_value(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming "
                    "scheduler with last_epoch >= 0.\nThis typically happens when:\n"
                    "1. You're trying to resume training from a checkpoint but haven't properly "
                    "loaded the optimizer state\n"
                    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
                )
        self.base_lrs = _param_groups_val_list(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _track_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the attributes of a `state_dict`."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list:
        """The rates set by the last step, one for each group."""
        return self._last_lr

    def get_lr(self) -> list:
        """The rates of the step being taken. Defined by subclasses, called by `step`."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on by one step, after the optimizer's (or, deprecated, to the given epoch)."""
        if self._step_count == 1:
            self._warn_of_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _warn_of_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                f"`lr_scheduler.step()`. {_ORDER}",
                UserWarning,
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
                "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
                "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
                f"skipping the first value of the learning rate schedule. {_ORDER}",
                UserWarning,
                stacklevel=3,
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        with _enable_get_lr_call(self):
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                values = getattr(self, "_get_closed_form_lr", self.get_lr)()
        self._set_lr(values)

    def _set_lr(self, values: list) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            _update_param_group_val(group, "lr", value)
        self._last_lr = _param_groups_val_list(self.optimizer, "lr")

    def _warn_unless_stepping(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    def _present_lrs(self) -> list:
        return _param_groups_val_list(self.optimizer, "lr")

    def _scaled(self, factor: float) -> list:
        """The present rates times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The old name of `LRScheduler`."""


def _function_state(fn: Callable | None) -> dict[str, Any] | None:
    """The attributes of a callable object; None for a function, which is not saved."""
    return None if fn is None or isinstance(fn, types.FunctionType) else fn.__dict__.copy()
