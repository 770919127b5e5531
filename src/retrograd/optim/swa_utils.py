"""Averages of weights: stochastic weight averaging and exponential moving averages."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import retrograd as rg

from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..nn import Module
from ..nn.modules.batchnorm import _BatchNorm
from ._schedule import LRScheduler, _format_param
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable:
    """average = decay average + (1 - decay) present, for lists of Tensors, in place.

    Raises:
        ValueError: `decay` is not between 0 and 1.

    >>> import retrograd as torch
    >>> average, present = torch.zeros(1), torch.ones(1)
    >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.75)([average], [present], 3); average
    tensor([0.2500])
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _) -> None:
        for average, present in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(present, 1 - decay)
            else:
                average.copy_(average * decay + present * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable:
    """average = average + (present - average) / (n + 1), for lists of Tensors, in place.

    >>> import retrograd as torch
    >>> average, present = torch.zeros(1), torch.ones(1)
    >>> torch.optim.swa_utils.get_swa_multi_avg_fn()([average], [present], 3); average
    tensor([0.2500])
    """

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged) -> None:
        weight = 1 / (float(num_averaged) + 1)
        for average, present in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(present, weight)
            else:
                average.add_((present - average) * weight)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """decay average + (1 - decay) present

    Raises:
        ValueError: `decay` is not between 0 and 1.

    >>> import retrograd as torch
    >>> torch.optim.swa_utils.get_ema_avg_fn(0.75)(torch.zeros(1), torch.ones(1), 3)
    tensor([0.2500])
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[[Tensor, Tensor, Any], Tensor]:
    """average + (present - average) / (n + 1)

    >>> import retrograd as torch
    >>> torch.optim.swa_utils.get_swa_avg_fn()(torch.zeros(1), torch.ones(1), 3)
    tensor([0.2500])
    """

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


class AveragedModel(Module):
    """A copy of a model whose weights are an average of the model's over time.

    Args:
        model: copied; the first update copies its weights, later ones average.
        device: accepted; there is the CPU.
        avg_fn: `(average, present, n) -> average`, by default that of stochastic weight
            averaging (Izmailov et al., 2018).
        multi_avg_fn: the same for lists of Tensors, in place; not together with `avg_fn`.
        use_buffers: average the buffers too, instead of copying them.

    Raises:
        AssertionError: both functions are given.

    >>> import retrograd as torch
    >>> net = torch.nn.Linear(1, 1)
    >>> average = torch.optim.swa_utils.AveragedModel(net)
    >>> for weight in (1., 2., 6.):
    ...     _ = net.weight.data.fill_(weight)
    ...     average.update_parameters(net)
    >>> average.module.weight.item()
    3.0
    """

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable | None = None,
        multi_avg_fn: Callable | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", rg.tensor(0, dtype=rg.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the present weights of `model` into the average."""
        averages = [t.detach() for t in self._averaged(self.module)]
        presents = [t.detach() for t in self._averaged(model)]
        if self.n_averaged == 0:
            for average, present in zip(averages, presents, strict=True):
                average.copy_(present)
        elif self.multi_avg_fn is not None:
            for dtype in dict.fromkeys(t.dtype for t in averages):
                same = [i for i, t in enumerate(averages) if t.dtype == dtype]
                self.multi_avg_fn(
                    [averages[i] for i in same], [presents[i] for i in same], self.n_averaged
                )
        else:
            avg_fn = self.avg_fn or get_swa_avg_fn()
            for average, present in zip(averages, presents, strict=True):
                average.copy_(avg_fn(average, present, self.n_averaged))
        if not self.use_buffers:
            for mine, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(theirs.detach())
        self.n_averaged += 1

    def _averaged(self, model: Module) -> Iterable[Tensor]:
        if self.use_buffers:
            return itertools.chain(model.parameters(), model.buffers())
        return model.parameters()


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of a model's batch norms again, over one pass of the data.

    Args:
        loader: batches; of a list or tuple, the first element is the input.
        model: in training mode during the pass.
        device: moves the batches.

    >>> import retrograd as torch
    >>> net = torch.nn.BatchNorm1d(1)
    >>> batches = [torch.tensor([[1.], [3.]]), torch.tensor([[5.], [7.]])]
    >>> torch.optim.swa_utils.update_bn(batches, net)
    >>> net.running_mean
    tensor([4.])
    """
    norms = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not norms:
        return
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # a plain average over the batches
    was_training = model.training
    model.train()
    for batch in loader:
        if isinstance(batch, (list, tuple)):
            batch = batch[0]
        model(batch if device is None else batch.to(device))
    for norm, momentum in norms.items():
        norm.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """From each group's rate to `swa_lr` in `anneal_epochs` steps, then constant.

    ::

        a = t / anneal_epochs, or (1 - cos(pi t / anneal_epochs)) / 2
        lr_t = (1 - a) lr_0 + a swa_lr

    Args:
        optimizer: whose groups are scheduled.
        swa_lr: the last rate, or a list with one for each group.
        anneal_epochs: steps until then.
        anneal_strategy: "cos" or "linear".
        last_epoch: the last step taken when resuming.

    Raises:
        ValueError: a setting is out of its range.

    >>> import retrograd as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.)
    >>> schedule = torch.optim.swa_utils.SWALR(
    ...     optimizer, 0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> for _ in range(3):
    ...     optimizer.step(); schedule.step()
    ...     print(schedule.get_last_lr())
    [0.75]
    [0.5]
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        lrs = _format_param("swa_lr", optimizer, swa_lr)
        for group, lr in zip(optimizer.param_groups, lrs, strict=True):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                "anneal_strategy must be one of 'cos' or 'linear', "
                f"instead got {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        self._set_anneal_func()
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(
                f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            )
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _set_anneal_func(self) -> None:
        cos = self._anneal_strategy == "cos"
        self.anneal_func = self._cosine_anneal if cos else self._linear_anneal

    # under PyTorch's names: a file with a schedule in it refers to them

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    def _share(self, step: int) -> float:
        """How much of the rate is `swa_lr` after a number of steps."""
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        # the optimizer's first step has been taken at _step_count 1
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        lrs = []
        for group in self.optimizer.param_groups:
            lr, last = group["lr"], group["swa_lr"]
            start = last if before == 1 else (lr - before * last) / (1 - before)
            lrs.append(last * now + start * (1 - now))
        return lrs

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer and the function."""
        state = super().state_dict()
        del state["anneal_func"]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        self._set_anneal_func()
