"""Checks of kept numbers that were never copied: averages in the memory of the parameters."""

from __future__ import annotations

import inspect
import re
import sysconfig
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from .check import Check
from .checks_training import parameters_of
from .names import Names
from .places import Place, is_own, user_frames
from .programs import assigned, env_of

LOOKED_AT = 3            # the step in which names are looked up
AVERAGES = re.compile(r"(^|_)(shadow|ema|avg|average|averaged|slow|target|old|prev|previous|"
                      r"snapshot|anchor)(_|s?$|\d)", re.IGNORECASE)


class SharedAverage(Check):
    """`self.shadow = {k: p.data for ...}`: what is averaged there is the parameters themselves."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.steps: dict[int, int] = {}

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        steps = self.steps[id(optimizer)] = self.steps.get(id(optimizer), 0) + 1
        if steps != LOOKED_AT:
            return
        own = {p._data.ctypes.data: p for p in parameters_of(optimizer)
               if type(p._data) is np.ndarray and p._data.size}
        frames = user_frames()
        env = env_of(frames[0])
        for name, kept in kept_tensors(env.values) if env is not None else ():
            leaf = own.get(kept[0]._data.ctypes.data)
            if leaf is None or not all(t._data.ctypes.data in own and not t.requires_grad
                                       for t in kept):
                continue
            first = f"`{Names(frames).of(leaf) or 'a parameter'}`"
            more = f" and {len(kept) - 1} more" if len(kept) > 1 else ""
            self.find(assigned(env, name) or where, "same-memory",       # type: ignore[arg-type]
                      f"`{name}` lies in the memory of {first}{more}, which an optimizer changes",
                      ".data and detach() give the numbers themselves, not a copy of them: what "
                      "is kept here changes with every step, and an average of it with the "
                      "parameters is the parameters", "keep a copy: `p.detach().clone()`")
            return                               # it may be held by several names


def kept_tensors(values: dict[str, Any], depth: int = 2) -> Iterator[tuple[str, list[Tensor]]]:
    """The lists and dicts of tensors, by names that speak of earlier numbers or of averages.

    They may be variables, or attributes of objects of the program's own classes.
    """
    for name, value in values.items():
        tensors = list(value.values()) if type(value) is dict else value
        if type(tensors) is list and tensors and type(tensors[0]) is list:       # one for a group
            tensors = [t for group in tensors if type(group) is list for t in group]
        if type(tensors) is list and tensors and AVERAGES.search(name.rpartition(".")[2]) and all(
                isinstance(t, Tensor) and type(t._data) is np.ndarray and t._data.size
                for t in tensors):
            yield name, tensors
        elif depth and is_users(value):
            yield from kept_tensors({f"{name}.{part}": held for part, held in vars(value).items()},
                                    depth - 1)


def is_users(value: Any) -> bool:
    """Whether a value is an object, no Module, of a class that a file of the program defines."""
    kind = type(value)
    return hasattr(value, "__dict__") and not isinstance(value, (type, ModuleType, Module)) and (
        kind.__module__ == "__main__" or is_users_file(kind))


def is_users_file(kind: type) -> bool:
    """Whether a class was made by Python code that is neither ours nor in a library."""
    try:
        file = inspect.getfile(kind)
    except (OSError, TypeError):
        return False
    return not is_own(file) and "site-packages" not in file and not file.startswith(
        sysconfig.get_path("stdlib"))


CHECKS = (SharedAverage,)
