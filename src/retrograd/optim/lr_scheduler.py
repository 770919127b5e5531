"""Learning-rate schedules: each step() sets the `lr` of the optimizer's groups.

It is called after optimizer.step(): once an epoch, or once a batch for schedules that count those.
Most schedules say how the next rate follows from this one (`get_lr`), so that they can be chained;
`_get_closed_form_lr`, where there is one, gives the rate of a step by its number.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from ._plateau import ReduceLROnPlateau
from ._schedule import EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING
from ._schedule import (
    LRScheduler,
    _function_state,
    _param_groups_val_list,
    _update_param_group_val,
)
from ._schedule import _enable_get_lr_call as _enable_get_lr_call
from ._schedule import _LRScheduler as _LRScheduler
from .optimizer import Optimizer

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


class _FunctionSchedule(LRScheduler):
    """A schedule given by one function, or one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        n = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * n
        if len(lr_lambda) != n:
            raise ValueError(f"Expected {n} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas: list[Callable[[int], float]] = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; of the functions, those of callable objects alone."""
        state = super().state_dict()
        del state["lr_lambdas"]                       # PyTorch lists them last
        state["lr_lambdas"] = [_function_state(fn) for fn in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for k, state in enumerate(state_dict["lr_lambdas"]):
            if state is not None:
                self.lr_lambdas[k].__dict__.update(state)


class LambdaLR(_FunctionSchedule):
    """lr_t = lr_0 lr_lambda(t)

    Args:
        optimizer: whose groups are scheduled.
        lr_lambda: step number to factor, or a list with a function for each group.
        last_epoch: the last step taken when resuming.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> torch.optim.lr_scheduler.LambdaLR(sgd, lambda t: 0.5 ** (t + 1)).get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base_lr * fn(self.last_epoch) for fn, base_lr in pairs]


class MultiplicativeLR(_FunctionSchedule):
    """lr_t = lr_{t-1} lr_lambda(t)

    Args:
        optimizer: whose groups are scheduled.
        lr_lambda: step number to factor, or a list with a function for each group.
        last_epoch: the last step taken when resuming.

    Raises:
        TypeError: something that cannot be called.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(sgd, lambda t: 0.5)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [1.0, 0.5]
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        for fn in lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda]:
            if not callable(fn):
                raise TypeError(f"lr_lambda should be a function, but got {type(fn).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        if self._is_initial:
            return self._present_lrs()
        pairs = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [group["lr"] * fn(self.last_epoch) for fn, group in pairs]


class StepLR(LRScheduler):
    """lr_t = lr_0 gamma^floor(t / step_size)

    Args:
        optimizer: whose groups are scheduled.
        step_size: steps between two changes.
        gamma: factor of a change.
        last_epoch: the last step taken when resuming.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.StepLR(sgd, step_size=2, gamma=0.5)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [1.0, 1.0]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._present_lrs()
        return self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list:
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [base_lr * factor for base_lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """lr_t = lr_0 gamma^(number of milestones up to t)

    Args:
        optimizer: whose groups are scheduled.
        milestones: the steps of the changes.
        gamma: factor of a change.
        last_epoch: the last step taken when resuming.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(sgd, milestones=[1, 3], gamma=0.5)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        if self.last_epoch not in self.milestones:
            return self._present_lrs()
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base_lr * self.gamma**passed for base_lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """lr_t = lr_0 factor for t < total_iters, then lr_0

    Args:
        optimizer: whose groups are scheduled.
        factor: between 0 and 1.
        total_iters: steps it lasts.
        last_epoch: the last step taken when resuming.

    Raises:
        ValueError: `factor` is out of range.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.ConstantLR(sgd, factor=0.5, total_iters=2)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [0.5, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        if self.last_epoch != self.total_iters:
            return self._present_lrs()
        return self._scaled(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list:
        over = self.last_epoch >= self.total_iters
        return [base_lr * (self.factor + over * (1 - self.factor)) for base_lr in self.base_lrs]


class LinearLR(LRScheduler):
    """lr_t = lr_0 (start_factor + (end_factor - start_factor) min(t, total_iters) / total_iters)

    Args:
        optimizer: whose groups are scheduled.
        start_factor: above 0, at most 1.
        end_factor: between 0 and 1.
        total_iters: steps from one to the other.
        last_epoch: the last step taken when resuming.

    Raises:
        ValueError: a factor is out of range.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.LinearLR(sgd, start_factor=0.5, total_iters=2)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [0.5, 0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 "
                "and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present_lrs()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self._scaled(1.0 + rise / before)

    def _get_closed_form_lr(self) -> list:
        rise = self.end_factor - self.start_factor
        done = min(self.total_iters, self.last_epoch)
        return [
            base_lr * (self.start_factor + rise * done / self.total_iters)
            for base_lr in self.base_lrs
        ]


class ExponentialLR(LRScheduler):
    """lr_t = lr_0 gamma^t

    Args:
        optimizer: whose groups are scheduled.
        gamma: factor of a step.
        last_epoch: the last step taken when resuming.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(sgd, gamma=0.5)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [1.0, 0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        return self._present_lrs() if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list:
        return [base_lr * self.gamma**self.last_epoch for base_lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """lr_t = lr_0 (1 - min(t, total_iters) / total_iters)^power

    Args:
        optimizer: whose groups are scheduled.
        total_iters: steps until the rate is 0.
        power: of the polynomial.
        last_epoch: the last step taken when resuming.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.PolynomialLR(sgd, total_iters=4)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [1.0, 0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present_lrs()
        left = 1.0 - self.last_epoch / self.total_iters
        left_before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._scaled((left / left_before) ** self.power)

    def _get_closed_form_lr(self) -> list:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base_lr * left**self.power for base_lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """lr_t = eta_min + (lr_0 - eta_min) (1 + cos(pi t / T_max)) / 2

    (Loshchilov and Hutter, 2017, without its restarts.)

    Args:
        optimizer: whose groups are scheduled.
        T_max: steps until the smallest rate.
        eta_min: the smallest rate.
        last_epoch: the last step taken when resuming.

    >>> import retrograd as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(sgd, T_max=4)
    >>> rates = scheduler.get_last_lr()
    >>> sgd.step()
    >>> scheduler.step()
    >>> rates + scheduler.get_last_lr()
    [1.0, 0.8535533905932737]
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        groups, t, T, low = self.optimizer.param_groups, self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return self._present_lrs()
        if self._step_count == 1 and t > 0:
            cosine = math.cos(t * math.pi / T)
            return [low + (base_lr - low) * (1 + cosine) / 2 for base_lr in self.base_lrs]
        if (t - 1 - T) % (2 * T) == 0:  # up again from the minimum, where the ratio is 0 / 0
            cosine = math.cos(math.pi / T)
            return [
                group["lr"] + (base_lr - low) * (1 - cosine) / 2
                for base_lr, group in zip(self.base_lrs, groups, strict=True)
            ]
        ratio = (1 + math.cos(math.pi * t / T)) / (1 + math.cos(math.pi * (t - 1) / T))
        return [ratio * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list:
        cosine = math.cos(math.pi * self.last_epoch / self.T_max)
        return [
            self.eta_min + (base_lr - self.eta_min) * (1 + cosine) / 2
            for base_lr in self.base_lrs
        ]


class _Combination(LRScheduler):
    """A schedule made of others, all of one optimizer."""

    _schedulers: Sequence[LRScheduler]

    def _check_members(self, optimizer: Any, schedulers: Sequence[Any]) -> None:
        name = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{i} in the given schedulers sequence."
                )
            if optimizer != scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(scheduler).__name__} at index {i} has "
                    f"{scheduler.optimizer}, which is different from {type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; of the schedules, their own `state_dict`."""
        state = super().state_dict()
        del state["_schedulers"]                      # PyTorch lists them last
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(_Combination):
    """One schedule after another: the i-th from step milestones[i - 1] on.

    Args:
        optimizer: the one of all schedules.
        schedulers: in the order in which they are used.
        milestones: the steps at which the next takes over, one fewer.
        last_epoch: the last step taken when resuming.

    Raises:
        ValueError: numbers that do not fit, another optimizer, or a ReduceLROnPlateau.

    >>> import retrograd as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> lr = torch.optim.lr_scheduler
    >>> warm, decay = lr.ConstantLR(optimizer, 0.5, 2), lr.ExponentialLR(optimizer, 0.5)
    >>> schedule = lr.SequentialLR(optimizer, [warm, decay], milestones=[2])
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(schedule.get_last_lr()[0])
    ...     optimizer.step(); schedule.step()
    >>> rates
    [0.5, 0.5, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler, but got no scheduler."
            )
        self._check_members(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                "the number of milestone points, but got number of schedulers "
                f"{len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # making each schedule took its first step: undo them, and take that of the first alone
        for group in optimizer.param_groups:
            _update_param_group_val(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back the step count of a schedule, or of those it is made of."""
        sched = self if sched is None else sched
        if hasattr(sched, "_schedulers"):
            for member in sched._schedulers:
                self.recursive_undo(member)
        elif hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Go on by one step, after the optimizer's."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combination):
    """Several schedules at once, each starting from the rate the one before has set.

    Args:
        schedulers: in the order in which they step.
        optimizer: by default that of the first.

    Raises:
        ValueError: no schedule, another optimizer, or a ReduceLROnPlateau.

    >>> import retrograd as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> lr = torch.optim.lr_scheduler
    >>> both = [lr.ExponentialLR(optimizer, 0.5), lr.StepLR(optimizer, 1, gamma=0.1)]
    >>> schedule = lr.ChainedScheduler(both)
    >>> optimizer.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.05]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, "
                "but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check_members(optimizer, schedulers)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = _param_groups_val_list(schedulers[-1].optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Let each schedule go on by one step, after the optimizer's."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = _param_groups_val_list(self._schedulers[-1].optimizer, "lr")
