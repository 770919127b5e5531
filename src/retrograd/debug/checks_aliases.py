"""Checks of kept numbers that were never copied: they lie in the memory of the parameters."""

from __future__ import annotations

import ast
import inspect
import re
import sysconfig
import weakref
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import source as S
from .check import Check
from .checks_training import parameters_of
from .names import Names
from .places import Place, is_own, place, user_frames
from .programs import Env, assigned, env_of

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


class ComparedWithItself(Check):
    """`before = net.weight`, steps, and `torch.equal(before, net.weight)`, which is always True."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.optimizers: weakref.WeakSet[Optimizer] = weakref.WeakSet()      # that have stepped
        self.lines: dict[str, tuple[Place, str, Place | None]] = {}

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.optimizers.add(optimizer)

    def on_compared(self, name: str, t: Tensor, other: Tensor, result: Any) -> None:
        if t._data is not other._data or not any(
                p._data is t._data for o in self.optimizers for p in parameters_of(o)):
            return
        where, env = place(*caller()), env_of(user_frames()[0])
        kept = None if env is None else kept_in(env, where)
        if env is None or kept is None:
            return
        self.lines.setdefault(str(where), (where, kept, assigned(env, kept)))

    def at_end(self) -> None:
        if any(f.kind == "same-memory" for f in self.doctor.report.findings):
            return                               # an average, which is brought up to date so
        for where, kept, line in self.lines.values():
            self.find(where, "same-tensor", f"`{kept}` is compared with itself here: steps change "
                      "it, and both sides are always equal", f"what was put into `{kept}`"
                      + (f" at {line}" if line is not None else "") + " is the parameter, or lies "
                      "in its memory: neither `=` nor .data, detach() and state_dict() copy "
                      "numbers", "keep a copy of the numbers from before: `p.detach().clone()`, "
                      "or copy.deepcopy(net.state_dict())")


def kept_in(env: Env, where: Place) -> str | None:
    """The variable, or its entry, that is one side of a comparison: "before", "old[0]".

    Two layers that share a weight are compared as `a.weight == b.weight`.
    """
    node = S.at(env.scope, where)
    if isinstance(node, ast.Compare):
        sides = [node.left, node.comparators[0]]
    elif isinstance(node, ast.BinOp):
        sides = [node.left, node.right]
    elif isinstance(node, ast.Call):
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        sides = [*owner, *node.args] if len(node.args) == 1 else node.args[:2]
    else:
        return None
    return next((ast.unparse(side) for side in sides if isinstance(side, (ast.Name, ast.Subscript))
                 and isinstance(getattr(side, "value", side), ast.Name)), None)


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


CHECKS = (SharedAverage, ComparedWithItself)
