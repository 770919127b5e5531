"""Checks of optimizers: made anew, without effect, or with parameters or losses that change."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._state import state
from .._tensor import Tensor
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..optim.lbfgs import LBFGS
from ..optim.lr_scheduler import LRScheduler
from ..optim.optimizer import Optimizer
from ..random import default_generator
from ..utils.data.dataloader import DataLoader
from . import reading
from .check import Check, Pass, only
from .checks_training import PASSES, parameters_of, variable_at
from .errors import frozen_at
from .names import Names
from .places import Place, outwards, place, user_frames
from .words import listed

STEPS = 20                 # steps of an optimizer that make a training, not a demonstration
TIMES = 3                  # how often it happens before it counts as every iteration
REPLACED = 50              # the most Parameters that are followed
NOTHING = 1e-9             # a rate that has no effect, relative to the highest one


@dataclass
class Line:
    """What a line made: optimizers of the same parameters, each stepped at most once so far."""

    where: Place
    params: set[int]
    last: Optimizer
    times: int = 1
    steps: int = 0                   # of the last one
    most: int = 0                    # of any
    loader: weakref.ref | None = None    # that was read first,
    epochs: int = 0                      # and how often
    meant: bool = False              # a schedule, another rate, or weights set anew, go with it


class MadeAnew(Check):
    """An optimizer is made in each iteration: what it has learned of the gradients is lost.

    So it is if it is made in each epoch, which may be meant: with a schedule that begins again, for
    other data, or after the weights were set anew, as by the average of several networks.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, Line] = {}

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        params = {id(p) for p in parameters_of(optimizer)}
        line = self.lines.get(str(where))
        if line is None or line.params != params:
            self.lines[str(where)] = Line(where, params, optimizer)
            return
        line.meant |= line.epochs != line.times or rates(optimizer) != rates(line.last)
        line.last, line.steps, line.times = optimizer, 0, line.times + 1

    def on_reading(self, loader: DataLoader, where: Place) -> None:
        for line in self.lines.values() if state.grad else ():
            line.loader = line.loader or weakref.ref(loader)
            line.meant |= line.loader() is not loader
            line.epochs += 1

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        for line in self.lines.values():
            line.meant |= scheduler.optimizer is line.last

    def on_load(self, module: Module, state: Any, strict: bool, where: Place) -> None:
        self.set_anew({id(p) for p in module.parameters()})

    def on_init(self, t: Tensor) -> None:
        self.set_anew({id(t)})

    def set_anew(self, params: set[int]) -> None:
        for line in self.lines.values():
            line.meant |= not params.isdisjoint(line.params)

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        for line in self.lines.values():
            if line.last is optimizer:
                line.steps += 1
                line.most = max(line.most, line.steps)

    def at_end(self) -> None:
        for line in self.lines.values():
            in_steps = line.times >= PASSES and line.most == 1
            in_epochs = line.epochs == line.times >= TIMES and line.most > 1 and not line.meant
            if (in_steps or in_epochs) and keeps_averages(line.last):
                self.find(line.where, "made-anew", f"an optimizer of the same parameters is made "
                          f"here {line.times} times, and each makes "
                          + ("one step" if in_steps else "the steps of one epoch"),
                          f"{type(line.last).__name__} goes by averages of the gradients so far: "
                          "a new one has none", "make it once, before the loop"
                          + ("" if in_steps else " over epochs"))


def rates(optimizer: Optimizer) -> list:
    return [group.get("lr") for group in optimizer.param_groups]


def keeps_averages(optimizer: Optimizer) -> bool:
    """Whether a step depends on the steps before."""
    plain = type(optimizer).__name__ == "SGD" and not any(
        group["momentum"] for group in optimizer.param_groups)
    return not plain


@dataclass
class Steps:
    """The steps of an optimizer that have changed nothing of a parameter group so far."""

    where: Place
    params: list[Tensor]
    prints: list[int]                # of the parameters, before the last step
    rates: set[float] = field(default_factory=set)
    times: int = 0
    largest: float = 0.0             # of the gradients
    names: list[str] = field(default_factory=list)

    @property
    def nothing_changed(self) -> bool:
        return self.prints == [reading.fingerprint(p._data) for p in self.params]


def rate_of(group: dict[str, Any]) -> float:
    """A group's learning rate, which may be a tensor that requires grad."""
    rate = group["lr"]
    return rate if type(rate) is float else float(reading.array_of(rate))


class NoEffect(Check):
    """Steps with gradients that change no parameter: a rate of 0, or one that is far too small."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, Place] = {}
        self.groups: dict[int, dict[int, Steps]] = {}    # of each optimizer, by their numbers
        self.idle: set[tuple[int, int]] = set()          # those that no step has changed

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.made[id(optimizer)] = where

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        known = self.groups.setdefault(id(optimizer), {})
        for k, group in enumerate(optimizer.param_groups):
            if k not in known:
                prints = [reading.fingerprint(p._data) for p in group["params"]]
                known[k] = Steps(where, group["params"], prints)
                self.idle.add((id(optimizer), k))
            if (id(optimizer), k) in self.idle:
                if not self.look_at(known[k], group, closure):
                    self.idle.remove((id(optimizer), k))

    def look_at(self, seen: Steps, group: dict[str, Any], closure: Any) -> bool:
        """Whether nothing of a group has changed so far."""
        if closure is not None or "lr" not in group or not seen.nothing_changed:
            return False
        grads = [reading.numbers(p._grad._data) for p in seen.params if p._grad is not None]
        seen.largest = max([float(np.abs(g).max()) for g in grads if g.size], default=0.0)
        seen.times += seen.largest > 0
        seen.rates.add(rate_of(group))
        if seen.times == PASSES:
            names = Names(user_frames())
            seen.names = [names.of(p) or "a parameter" for p in seen.params]
        return True

    def at_end(self) -> None:
        for key, groups in self.groups.items():
            idle = {k: seen for k, seen in groups.items() if (key, k) in self.idle
                    and seen.times >= PASSES and seen.nothing_changed}
            if idle and len(idle) == len(groups):
                self.of_all(max(idle.values(), key=lambda seen: seen.largest),
                            set().union(*(seen.rates for seen in idle.values())))
                continue
            for seen in idle.values():
                if seen.rates == {0.0}:
                    self.find(self.made.get(key), "step-without-effect",
                              f"the learning rate of {listed(seen.names)} is 0 in all "
                              f"{seen.times} steps", "a parameter group with a rate of its own "
                              "takes no other: this one gets gradients and stays as it is",
                              "look at what sets it: a division of whole numbers, `1 // 10`, or a "
                              "schedule that gives 0; if it shall stay as it is, "
                              "requires_grad_(False) saves its gradients")

    def of_all(self, seen: Steps, rates: set[float]) -> None:
        why, cure = ("the learning rate is 0 in every step",
                     "look at what sets it: a division of whole numbers, `1 // 10`, or a "
                     "schedule that gives 0") if rates == {0.0} else (
            f"the learning rate is {max(rates):.1g} and the largest gradient "
            f"{seen.largest:.1g}: their product is lost when it is added to a parameter",
            "a larger learning rate, or parameters in float32 with torch.autocast() and a "
            "GradScaler" if any(p._data.dtype.itemsize < 4 for p in seen.params) else
            "a larger learning rate, or float64")
        self.find(seen.where, "step-without-effect",
                  f"{seen.times} steps have changed no parameter", why, cure)


@dataclass
class Use:
    """A gradient that a step has used, and which step that was."""

    grad: weakref.ref
    version: int
    optimizer: int
    where: Place


class UsedTwice(Check):
    """Steps with a gradient that an earlier step has used: no backward() came between."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.last: dict[int, Use] = {}           # by parameter
        self.times: dict[tuple, int] = {}        # by the two lines, and the optimizers

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        self.last.pop(id(leaf), None)

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        params = [p for p in parameters_of(optimizer) if p._grad is not None]
        again = [p for p in params if self.is_used(p)] if closure is None else []
        first = self.last[id(again[0])] if again else None
        for p in params:
            self.last[id(p)] = Use(weakref.ref(p._grad), p._grad._cell[0], id(optimizer), where)
        if first is None or is_inside_a_step(optimizer):
            return
        key = str(first.where), str(where), first.optimizer, id(optimizer)
        self.times[key] = self.times.get(key, 0) + 1
        if self.times[key] == TIMES:
            self.tell(first, where, again, first.optimizer != id(optimizer))

    def is_used(self, p: Tensor) -> bool:
        """Whether p.grad, which is not 0, is as it was when a step used it."""
        last = self.last.get(id(p))
        return (last is not None and last.grad() is p._grad and last.version == p._grad._cell[0]
                and bool(reading.numbers(p._grad._data).any()))

    def tell(self, first: Use, where: Place, params: list[Tensor], several: bool) -> None:
        names = Names(user_frames())
        known = [n for p in params if (n := names.of(p))] or ["a parameter"]
        if several:
            self.find(where, "used-twice", f"{listed(known)} were given to two optimizers, and the "
                      f"other one has stepped by the same gradient, at {first.where}",
                      "they move twice as far as meant, or more, and neither optimizer knows of "
                      "the other's steps", "give each parameter to one optimizer only")
        else:
            self.find(where, "used-twice", "this step() uses gradients that a step() has used "
                      f"before, at {first.where}", "no backward() came between: it moves the "
                      "parameters once more, by a slope that they had elsewhere",
                      "one step() after each backward()")


def is_inside_a_step(optimizer: Optimizer) -> bool:
    """Whether this optimizer's step runs inside the step of one that wraps it."""
    return any(f.f_code.co_name == "step" and isinstance(owner := f.f_locals.get("self"), Optimizer)
               and owner is not optimizer for f in outwards(sys._getframe(1)))


class SteppedThoughFrozen(Check):
    """A parameter that was frozen during training, and that steps go on changing."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.reached: set[int] = set()
        self.frozen: list[tuple[Tensor, int, Place]] = []

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        self.reached.add(id(leaf))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.frozen = [(p, reading.fingerprint(p._data), where) for p in parameters_of(optimizer)
                       if not p.requires_grad and p._grad is not None and id(p) in self.reached
                       and not reading.numbers(p._grad._data).any()]

    def after_step(self, optimizer: Optimizer, closure: Any) -> None:
        changed = [(p, where) for p, number, where in self.frozen
                   if reading.fingerprint(p._data) != number]
        for p, where in changed[:1]:
            name, frozen = Names(user_frames()).of(p) or "a parameter", frozen_at(user_frames()[0])
            self.find(where, "stepped-though-frozen", f"step() changes `{name}`, which does not "
                      "require grad any more" + (f" since {frozen}" if frozen else ""),
                      "its `.grad` is zero, which is not None: momentum and weight decay go on",
                      "set `p.grad = None` for what is frozen, as zero_grad() does by itself: a "
                      "step leaves out what has no gradient")


@dataclass
class Replaced:
    """A Parameter of an optimizer, and what stands in its place in the network."""

    module: Module
    line: tuple                      # that replaced it first
    first: Tensor
    now: Tensor
    times: int = 1                   # that it was replaced
    trained: int = 0                 # of those that got gradients
    fresh: bool = True               # the last one got none so far
    steps: int = 0                   # of the optimizer that has the first one
    known: bool = False              # an optimizer has the new one, or the first one is back


class ReplacedAgain(Check):
    """`net.weight = nn.Parameter(...)` after each step: the optimizer has the first one only."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.parts: dict[tuple[int, str], Replaced] = {}

    def on_part(self, module: Module, name: str, part: Parameter | Module,
                line: tuple) -> None:
        old, seen = module._parameters.get(name), self.parts.get((id(module), name))
        if old is None or old is part or not isinstance(part, Parameter):
            return
        if seen is None and id(old) in self.doctor.given and len(self.parts) < REPLACED:
            self.parts[id(module), name] = Replaced(module, line, old, part)
        elif seen is not None:
            seen.known |= part is seen.first
            seen.now, seen.fresh, seen.times = part, True, seen.times + 1

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        for seen in self.parts.values():
            if seen.now is leaf:
                seen.trained, seen.fresh = seen.trained + seen.fresh, False

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        params = parameters_of(optimizer) if self.parts else []
        for seen in self.parts.values():
            seen.known |= any(p is seen.now for p in params)
            seen.steps += any(p is seen.first for p in params)

    def at_end(self) -> None:
        for (_, name), seen in self.parts.items():
            where = place(*seen.line)
            if where.function != "forward" and not seen.known and min(
                    seen.trained, seen.steps) >= TIMES:
                shown = variable_at(where) or name
                self.find(where, "not-in-optimizer", f"`{shown}` is a new Parameter from here on, "
                          f"{seen.times} times, and no optimizer changes it", "the optimizer has "
                          "the one that it was given, which the network does not use any more",
                          f"write into it instead: `with torch.no_grad(): {shown}.copy_(...)`, or "
                          f"`{shown}.clamp_(...)`", str(where))


class DrawsInClosure(Check):
    """step(closure) of LBFGS, whose closure draws another batch at each call."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.drawn = self.passes = 0             # in this step: batches, after the first
        self.state: Any = None                   # of the random numbers at the last pass; in a step
        self.given: int | None = None            # a print of what the first network was given,
        self.before: int | None = None           # before the last pass, too

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.drawn = self.passes = 0
        self.state = default_generator.get_state()._data if isinstance(optimizer, LBFGS) else None

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        arrays = reading.arrays_in(self.doctor.arguments) if self.state is not None else []
        if arrays and self.given is None:
            self.given = reading.fingerprint(arrays[0])

    def before_pass(self, task: Pass) -> None:
        if self.state is not None and task.fills:
            state = default_generator.get_state()._data
            self.drawn += self.passes > 0 and self.given != self.before and bool(
                (state != self.state).any())
            self.state, self.passes = state, self.passes + 1
            self.given, self.before = None, self.given

    def after_step(self, optimizer: Optimizer, closure: Any) -> None:
        code, self.state = getattr(closure, "__code__", None), None
        if code is not None and self.drawn:
            self.find(place(code, 0), "draws-in-closure", f"step() has called `{code.co_name}` "
                      "several times, and each time it drew another batch",
                      "LBFGS compares the losses and gradients of these calls to see how the loss "
                      "bends: those of different batches say nothing about that",
                      "draw before step(), so that all calls see the same; or take another "
                      "optimizer, such as Adam, for batches")


CHECKS = (MadeAnew, NoEffect, UsedTwice, SteppedThoughFrozen, ReplacedAgain, DrawsInClosure)
