"""Checks of optimizers and schedules: made again, never stepped, without effect."""

from __future__ import annotations

import ast
import re
import sys
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..optim.lr_scheduler import LambdaLR, LRScheduler, ReduceLROnPlateau
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check
from .checks_training import PASSES, parameters_of, variable_at
from .errors import frozen_at
from .names import Names
from .places import Place, is_our_class, outwards, user_frames
from .words import listed

STEPS = 20                 # of an optimizer: as many are a training, not a demonstration
TIMES = 3                  # that something happens in every iteration
FEWER = 3                  # times fewer steps of a schedule than of its optimizer
NOTHING = 1e-9             # of the highest learning rate
STEPPED_PER_EPOCH = (
    "a schedule counts the calls of its step(): this one goes through the first part of its course "
    "only", "call its step() after each optimizer.step(), or give it its length in epochs")
STEPPED_PER_BATCH = (
    "a schedule counts the calls of its step(), and its settings are mostly meant in epochs",
    "call its step() once in each epoch, or give it its lengths in batches")


class ScheduleFirst(Check):
    """A schedule goes on before the optimizer has made its first step."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.early: dict[int, tuple[Optimizer, Place]] = {}

    def on_schedule(self, optimizer: Optimizer, where: Place) -> None:
        self.early.setdefault(id(optimizer), (optimizer, where))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        _, early = self.early.pop(id(optimizer), (None, None))
        if early is not None:
            self.find(early, "schedule-first", "the scheduler's step() came before the first "
                      "step() of the optimizer", "the first value of the schedule is skipped, and "
                      "all others come one step too early", "call scheduler.step() after "
                      "optimizer.step(), at the end of the epoch or batch")


class ScheduleOfAnother(Check):
    """A schedule that goes on for an optimizer which never steps, while another one does."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, tuple[LRScheduler, Place]] = {}
        self.steps: dict[int, int] = {}

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        self.made[id(scheduler)] = scheduler, where

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.steps[id(optimizer)] = self.steps.get(id(optimizer), 0) + 1

    def at_end(self) -> None:
        stepped = max(self.steps.values(), default=0)
        for scheduler, where in self.made.values():
            calls = getattr(scheduler, "last_epoch", 0)
            if stepped >= STEPS and calls >= TIMES and id(scheduler.optimizer) not in self.steps:
                self.find(where, "never-scheduled", "this schedule is of an optimizer that never "
                          f"steps, while another one has made {stepped} steps", "it changes the "
                          "learning rate of the optimizer that it was made with: the rate of the "
                          "other one stays as it is", "make it after the optimizer, and of the one "
                          "that steps")


MEASURES = {               # of a ReduceLROnPlateau: names of what should not be watched so
    "min": re.compile(r"(^|_)(acc|accuracy|f1|auc|auroc|iou|miou|dice|precision|recall|bleu|psnr"
                      r"|ssim|r2)s?(_|\d|$)", re.IGNORECASE),
    "max": re.compile(r"loss|(^|_)(err|error|mse|mae|rmse|nll|ppl|perplexity)(_|\d|$)",
                      re.IGNORECASE)}


class WrongWay(Check):
    """ReduceLROnPlateau(mode="min").step(accuracy): the rate falls while the accuracy rises."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[str, tuple[ReduceLROnPlateau, Place]] = {}

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        if isinstance(scheduler, ReduceLROnPlateau):
            self.made[str(where)] = scheduler, where

    def at_end(self) -> None:
        for scheduler, where in self.made.values():
            source, name = S.read(where.file), variable_at(where)
            part, mode = name.rpartition(".")[2], scheduler.mode
            for call in ast.walk(source.tree) if source is not None and name else ():
                watched = watched_by(call, part)
                if watched and MEASURES[mode].search(watched) and not MEASURES[
                        "min" if mode == "max" else "max"].search(watched):
                    low, other = mode == "min", "max" if mode == "min" else "min"
                    self.find(source.place(call), "schedule-wrong-way",  # type: ignore[union-attr]
                              f"this schedule waits for `{watched}` to {'fall' if low else 'rise'}",
                              f'with mode="{mode}" it lowers the rate when the number has not '
                              f"become {'smaller' if low else 'larger'} for a while: here that is "
                              f"as long as training goes well", f'`mode="{other}"` in '
                              "ReduceLROnPlateau(...)", str(where))


def watched_by(call: ast.AST, name: str) -> str:
    """The `x` of `name.step(x)`; "" for any other expression."""
    func = getattr(call, "func", None)
    if not isinstance(call, ast.Call) or not call.args or not isinstance(
            func, ast.Attribute) or func.attr != "step":
        return ""
    last = ast.unparse(func.value).rpartition(".")[2]
    return ast.unparse(call.args[0]).rpartition(".")[2] if last == name and isinstance(
        call.args[0], (ast.Name, ast.Attribute)) else ""


class RateAsFactor(Check):
    """LambdaLR(optimizer, lambda epoch: 1e-3 * 0.95**epoch): the rate, where a factor is due.

    A warm-up may begin with such a number by chance, but does not stay there.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: list[tuple[LambdaLR, Place]] = []

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        rates = scheduler.get_last_lr() if isinstance(scheduler, LambdaLR) else []
        if isinstance(scheduler, LambdaLR) and scheduler.last_epoch == 0 and all(
                0 < base < 1 and is_square(rate, base)
                for rate, base in zip(rates, scheduler.base_lrs, strict=True)):
            self.made.append((scheduler, where))

    def at_end(self) -> None:
        for scheduler, where in self.made:
            rates, bases = scheduler.get_last_lr(), scheduler.base_lrs
            if scheduler.last_epoch >= TIMES and all(
                    rate < base * base or is_square(rate, base)
                    for rate, base in zip(rates, bases, strict=True)):
                self.find(where, "rate-as-factor", f"the learning rate is {rates[0]:.3g}: that of "
                          f"the optimizer, {bases[0]:.3g}, times what the function gives",
                          "LambdaLR takes a factor for the optimizer's rate, and this function "
                          "gives the rate itself", "let it give a factor that begins with 1: "
                          "`lambda epoch: 0.95 ** epoch`", str(where))


def is_square(rate: float, base: float) -> bool:
    """Whether a rate is the square of another, except for rounding."""
    return abs(rate - base * base) <= 1e-6 * base * base


class NeverScheduled(Check):
    """A schedule is made, and the program has no line that steps it."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: list[tuple[LRScheduler, Place, int]] = []     # with the epoch it began at
        self.steps: dict[int, int] = {}                          # of each optimizer

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        self.made.append((scheduler, where, scheduler.last_epoch))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.steps[id(optimizer)] = self.steps.get(id(optimizer), 0) + 1

    def at_end(self) -> None:
        self.made_anew()
        going = {id(s.optimizer) for s, _, begun in self.made if s.last_epoch > begun}
        for scheduler, where, _ in self.made:
            steps, kind = self.steps.get(id(scheduler.optimizer), 0), type(scheduler)
            name = variable_of(where)
            if (steps < STEPS or id(scheduler.optimizer) in going or not name
                    or not is_our_class(kind)):
                continue
            self.find(where, "never-scheduled", f"step() of this {kind.__name__} is never called, "
                      f"while its optimizer has made {steps} steps",
                      "a schedule changes the learning rate when its own step() is called: the "
                      "rate stays as it is", f"call `{name}.step()` after optimizer.step(), at the "
                      "end of each epoch, or of each batch, as the schedule counts")

    def made_anew(self) -> None:
        """Schedules of one line and the same parameters, none of which gets beyond one step."""
        lines: dict[str, list[tuple[LRScheduler, Place, int]]] = {}
        for made in self.made:
            lines.setdefault(str(made[1]), []).append(made)
        for several in lines.values():
            params = {frozenset(map(id, parameters_of(s.optimizer))) for s, _, _ in several}
            went = {s.last_epoch - begun for s, _, begun in several}
            if len(several) >= PASSES and len(params) == 1 and went == {1}:
                self.find(several[0][1], "made-anew", f"a schedule of the same parameters is made "
                          f"here {len(several)} times, and each makes one step", "each begins "
                          "with the first rate again, so that the rate stays as it is",
                          "make it once, together with its optimizer, before the loop")


def variable_of(where: Place) -> str:
    """The variable that a line sets and its file neither steps nor gives away; "" otherwise."""
    source, name = S.read(where.file), variable_at(where)
    if source is None or not name:
        return ""
    part = name.rpartition(".")[2]               # self.scheduler is trainer.scheduler elsewhere
    for node in ast.walk(source.tree):
        if getattr(node, "attr", getattr(node, "id", "")) == part and isinstance(
                getattr(node, "ctx", None), ast.Load):
            user = node.parent                   # type: ignore[attr-defined]
            if not isinstance(user, ast.Attribute) or user.attr == "step":
                return ""
    return name


@dataclass
class Line:
    """What a line made: optimizers of the same parameters, each stepped at most once so far."""

    where: Place
    params: set[int]
    last: Optimizer
    times: int = 1
    steps: int = 0                   # of the last one
    most: int = 0                    # of any


class MadeAnew(Check):
    """An optimizer is made in each iteration: what it has learned of the gradients is lost."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, Line] = {}

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        params = {id(p) for p in parameters_of(optimizer)}
        line = self.lines.get(str(where))
        if line is None or line.params != params:
            self.lines[str(where)] = Line(where, params, optimizer)
            return
        line.last, line.steps, line.times = optimizer, 0, line.times + 1

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        for line in self.lines.values():
            if line.last is optimizer:
                line.steps += 1
                line.most = max(line.most, line.steps)

    def at_end(self) -> None:
        for line in self.lines.values():
            if line.times >= PASSES and line.most == 1 and keeps_averages(line.last):
                self.find(line.where, "made-anew", f"an optimizer of the same parameters is made "
                          f"here {line.times} times, and each makes one step",
                          f"{type(line.last).__name__} goes by averages of the gradients so far: "
                          "a new one has none", "make it once, before the loop")


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
    return float(reading.array_of(group["lr"]))


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
    """Steps with a gradient that another step has used: no backward() came between."""

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
    """Whether another optimizer is stepping, which is made of this one."""
    return any(f.f_code.co_name == "step" and isinstance(owner := f.f_locals.get("self"), Optimizer)
               and owner is not optimizer for f in outwards(sys._getframe(1)))


class VanishedRate(Check):
    """A schedule that steps too often: the rate falls to nothing, or begins to rise again."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: list[tuple[LRScheduler, Place]] = []
        self.rates: dict[int, tuple[float, int, int]] = {}       # the highest; steps; with far less

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        self.made.append((scheduler, where))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        rate = max((rate_of(g) for g in optimizer.param_groups if "lr" in g), default=0.0)
        highest, steps, low = self.rates.get(id(optimizer), (0.0, 0, 0))
        highest = max(highest, rate)
        self.rates[id(optimizer)] = highest, steps + 1, low + (rate < NOTHING * highest)

    def at_end(self) -> None:
        for scheduler, where in self.made:
            highest, steps, low = self.rates.get(id(scheduler.optimizer), (0.0, 0, 0))
            kind, span = type(scheduler).__name__, getattr(scheduler, "T_max", None)
            if low >= STEPS and 2 * low >= steps:
                self.find(where, "schedule-too-fast", f"the learning rate has fallen below "
                          f"{highest * NOTHING:.0g}: the last {low} of {steps} steps have changed "
                          "next to nothing", *STEPPED_PER_BATCH)
            elif kind == "CosineAnnealingLR" and span and scheduler.last_epoch >= 2 * span:
                self.find(where, "schedule-too-fast", f"this schedule was made for {span} steps, "
                          f"and has made {scheduler.last_epoch}: since then the learning rate goes "
                          "up and down", *STEPPED_PER_BATCH)
            elif is_in_batches(scheduler, where, steps):
                self.find(where, "schedule-too-slow", "this schedule was made for "
                          f"{length_of(scheduler)} steps, as many as there are batches, and has "
                          f"made {scheduler.last_epoch}, while its optimizer has made {steps}",
                          *STEPPED_PER_EPOCH)


def length_of(scheduler: LRScheduler) -> int:
    """The number of steps that a schedule was made for, if it was told; 0 otherwise."""
    return getattr(scheduler, "total_steps", None) or getattr(scheduler, "T_max", 0)


def is_in_batches(scheduler: LRScheduler, where: Place, steps: int) -> bool:
    """Whether a schedule's length is in batches while its step() comes once in an epoch."""
    length, made = length_of(scheduler), scheduler.last_epoch
    told = steps == length or "steps_per_epoch" in statement_text(where) and (
        made > 0 and steps // made > 1 and length % (steps // made) == 0)
    return told and 0 < FEWER * made <= min(length, steps)


def statement_text(where: Place) -> str:
    """The statement that a line is in, as text."""
    source = S.read(where.file)
    statement = None if source is None else S.statement_at(source, where)
    return where.text if statement is None else ast.unparse(statement)


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


OPTIMIZER_CHECKS = (MadeAnew, ScheduleFirst, NeverScheduled, ScheduleOfAnother, WrongWay,
                    RateAsFactor, NoEffect, UsedTwice,
                    VanishedRate, SteppedThoughFrozen)
