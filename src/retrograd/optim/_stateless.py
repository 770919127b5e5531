"""A step of an optimizer on parameters and a state that are not its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import Tensor
from .optimizer import Optimizer

_NEEDS = "swap_in_optimizer_params_and_state requires "
_PACKED = _NEEDS + "optimizer.state_dict()-style "


@contextmanager
def swap_in_optimizer_params_and_state(
        optimizer: Optimizer, swapin_parameters: dict[str, Tensor],
        swapin_optim_state: dict[str, Any]) -> Iterator[None]:
    """Let an optimizer work on other parameters, with another state, inside a `with` block.

    Tensors of the state that `step()` writes in place keep what it wrote; that it puts other
    values into its state does not change `swapin_optim_state`.

    Args:
        optimizer: one that has made a step.
        swapin_parameters: tensors in the order of the optimizer's parameters; the names are
            not looked at.
        swapin_optim_state: as `optimizer.state_dict()` gives it.

    Raises:
        RuntimeError: the optimizer has no state yet, or the groups or the state do not fit.

    >>> import retrograd as torch
    >>> net = torch.nn.Linear(1, 1, bias=False)
    >>> torch.nn.init.ones_(net.weight).grad = torch.ones(1, 1)
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=1.0, momentum=0.5)
    >>> optimizer.step()
    >>> other = torch.full((1, 1), 5.0)
    >>> other.grad = torch.ones(1, 1)
    >>> state = optimizer.state_dict()
    >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"w": other}, state):
    ...     optimizer.step()
    >>> other.item(), net.weight.item()
    (3.5, 0.0)
    """
    state, groups = _checked(optimizer, swapin_parameters, swapin_optim_state)
    kept = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        optimizer.state = defaultdict(dict, {
            parameter: dict(state.get(number, {}))
            for group, parameters in groups
            for number, parameter in zip(group["params"], parameters, strict=True)})
        for own, (group, parameters) in zip(optimizer.param_groups, groups, strict=True):
            own.update(group, params=parameters)
        yield
    finally:
        optimizer.state = kept[0]
        for own, before in zip(optimizer.param_groups, kept[1], strict=True):
            own.clear()
            own.update(before)


def _checked(optimizer: Optimizer, parameters: dict[str, Tensor],
             given: Any) -> tuple[dict, list[tuple[dict, list[Tensor]]]]:
    """The state, and each group with its parameters."""
    if not optimizer.state:
        raise RuntimeError(_NEEDS + "initialized optimizer state.")
    if not isinstance(given, dict):
        raise RuntimeError(_NEEDS + "a DCP-style optimizer state_dict.")
    state, groups = _state(given.get("state")), given.get("param_groups")
    if not isinstance(groups, list):
        raise RuntimeError(_NEEDS + "swapin_optim_state['param_groups'] to be a list of "
                           f"param-group dicts, got {type(groups).__name__}.")
    if len(optimizer.param_groups) != len(groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than "
                           "the live optimizer.")
    rest = list(parameters.values())
    found = []
    for place, (own, group) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        _check_group(place, own, group)
        size = len(own["params"])
        if len(rest) < size:
            raise RuntimeError(_NEEDS + "the explicit parameter state to match "
                               "optimizer.param_groups ordering.")
        found.append((group, rest[:size]))
        del rest[:size]
    known = {number for group, _ in found for number in group["params"]}
    extra = [key for key in state if key not in known]
    if extra:
        raise RuntimeError(_NEEDS + "swapin_optim_state['state'] to be keyed only by packed "
                           "parameter ids from param_groups[*]['params']; got extra keys "
                           f"{extra!r}.")
    return state, found


def _state(state: Any) -> dict:
    if not isinstance(state, dict):
        raise RuntimeError(_NEEDS + "swapin_optim_state['state'] to be a dict mapping packed "
                           "parameter ids to per-param state dicts, got "
                           f"{type(state).__name__}.")
    if any(isinstance(key, Tensor) for key in state):
        raise RuntimeError(_PACKED + "state keyed by packed parameter ids.")
    if any(isinstance(key, int) and not isinstance(value, dict) for key, value in state.items()):
        raise RuntimeError(_NEEDS + "per-parameter optimizer state entries to be dictionaries.")
    return state


def _check_group(place: int, own: dict, group: Any) -> None:
    if not isinstance(group, dict):
        raise RuntimeError(_NEEDS + "each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    if not isinstance(numbers, list) or not all(isinstance(n, int) for n in numbers):
        raise RuntimeError(_PACKED + "param_groups[*]['params'] entries keyed by packed parameter "
                           "ids.")
    if len(own["params"]) != len(numbers):
        raise RuntimeError(f"swapin_optim_state param group {place} has a different number of "
                           "params than the live optimizer param group.")
    here, there = [k for k in group if k not in own], [k for k in own if k not in group]
    if here or there:
        raise RuntimeError(_PACKED + "param group keys to exactly match the live optimizer group "
                           f"keys for group {place}. Keys only in swap-in: {here}. Keys only in "
                           f"live: {there}.")


swap_in_optimizer_params_and_state.__module__ = "retrograd.optim"
