"""Checks of schedules: never stepped, stepped too often, without effect, or set up wrongly."""

from __future__ import annotations

import ast
import re
from typing import Any

from ..optim.lr_scheduler import LambdaLR, LRScheduler, ReduceLROnPlateau
from ..optim.optimizer import Optimizer
from . import source as S
from .check import Check
from .checks_optimizers import NOTHING, STEPS, TIMES, rate_of
from .checks_training import PASSES, parameters_of, variable_at
from .places import Place, is_our_class
from .programs import called_name

FALLING = ("StepLR", "MultiStepLR", "ExponentialLR")
LITTLE = 1e-6              # a schedule has ended at this share of its highest rate
FEWER = 3                  # a schedule of epochs steps at least so many times less often
STEPPED_PER_EPOCH = (
    "a schedule counts the calls of its step(): this one goes through the first part of its course "
    "only", "call its step() after each optimizer.step(), or give it its length in epochs")
STEPPED_PER_BATCH = (
    "a schedule counts the calls of its step(), and its settings are mostly meant in epochs",
    "call its step() once in each epoch, or give it its lengths in batches")


class ScheduleFirst(Check):
    """A schedule is stepped before its optimizer has made a step."""

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
    """A schedule is stepped whose optimizer never is, or no longer, while another is stepped."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, tuple[LRScheduler, Place]] = {}
        self.steps: dict[int, int] = {}
        self.calls: dict[int, int] = {}          # of a schedule, at its optimizer's last step
        self.since: dict[int, int] = {}          # steps of the optimizer that took its place

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        self.made[id(scheduler)] = scheduler, where

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.steps[id(optimizer)] = self.steps.get(id(optimizer), 0) + 1
        for key, (scheduler, _) in self.made.items():
            if scheduler.optimizer is optimizer:
                self.calls[key], self.since[key] = getattr(scheduler, "last_epoch", 0), 0
            elif key in self.calls and share_parameters(scheduler.optimizer, optimizer):
                self.since[key] += 1

    def at_end(self) -> None:
        stepped = max(self.steps.values(), default=0)
        for scheduler, where in self.made.values():
            calls = getattr(scheduler, "last_epoch", 0)
            after = calls - self.calls.get(id(scheduler), calls) - 1     # one was for its steps
            if after >= TIMES and self.since[id(scheduler)] >= STEPS:
                self.find(where, "never-scheduled", f"the last {after} calls of this schedule's "
                          "step() were for an optimizer that no longer steps: another one with "
                          "the same parameters has made "
                          f"{self.since[id(scheduler)]} steps since", "a schedule changes the "
                          "learning rate of the optimizer that it was made with: the rate of the "
                          "new one stays as it is", "make a new schedule together with the new "
                          "optimizer; or keep the old one, `optimizer.add_param_group(...)`")
            if stepped >= STEPS and calls >= TIMES and id(scheduler.optimizer) not in self.steps:
                self.find(where, "never-scheduled", "this schedule is of an optimizer that never "
                          f"steps, while another one has made {stepped} steps", "it changes the "
                          "learning rate of the optimizer that it was made with: the rate of the "
                          "other one stays as it is", "make it after the optimizer, and of the one "
                          "that steps")


class GivenMeasure(Check):
    """`scheduler.step(loss)` of a schedule that takes what it is given for the number of an epoch.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: list[tuple[LRScheduler, Place]] = []

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        self.made.append((scheduler, where))

    def at_end(self) -> None:
        for scheduler, where in self.made:
            source = S.read(where.file)
            if type(getattr(scheduler, "last_epoch", 0)) is int or source is None or (
                    not is_our_class(type(scheduler))):
                continue
            for node in source.nodes:
                if not isinstance(node, ast.Call) or called_name(node) != "step" or not node.args:
                    continue
                given = ast.unparse(node.args[0])
                if any(named.search(given) for named in MEASURES.values()):
                    kind = type(scheduler).__name__
                    self.find(source.place(node), "schedule-of-loss", f"step() of this {kind} is "
                              f"given `{given}`", f"{kind} goes by the number of steps: it takes "
                              "what it is given for the number of the epoch, and computes the "
                              "learning rate from that", "`scheduler.step()`, with nothing in the "
                              "parentheses; of the schedules only ReduceLROnPlateau looks at a "
                              "loss")
                    break


def share_parameters(one: Optimizer, other: Optimizer) -> bool:
    """Whether two optimizers have a parameter in common."""
    return not {id(p) for p in parameters_of(one)}.isdisjoint(id(p) for p in parameters_of(other))


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
            for call in source.nodes if source is not None and name else ():
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
    return name_of_measure(call.args[0]) if last == name else ""


def name_of_measure(value: ast.expr) -> str:
    """"val_acc" for that, self.val_acc and log["val_acc"]; "accuracy" for accuracy(net, data)."""
    if isinstance(value, (ast.Name, ast.Attribute)):
        return ast.unparse(value).rpartition(".")[2]
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        return str(value.slice.value)
    if isinstance(value, ast.Call) and called_name(value) in ("item", "float", "mean"):
        inner = value.args or [getattr(value.func, "value", None)]
        return name_of_measure(inner[0]) if isinstance(inner[0], ast.expr) else ""
    return called_name(value) if isinstance(value, ast.Call) else ""


class RateAsFactor(Check):
    """LambdaLR(optimizer, lambda epoch: 1e-3 * 0.95**epoch): a rate where a factor is expected.

    The factor of a warm-up may be that small at its start, but does not stay so.
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
    for node in source.nodes:
        if getattr(node, "attr", getattr(node, "id", "")) == part and isinstance(
                getattr(node, "ctx", None), ast.Load):
            user = node.parent                   # type: ignore[attr-defined]
            if not isinstance(user, ast.Attribute) or user.attr == "step":
                return ""
    return name


class VanishedRate(Check):
    """A schedule that is stepped too often: the rate falls to almost 0, or starts to rise again."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: list[tuple[LRScheduler, Place]] = []
        self.rates: dict[int, tuple[float, int, int, float]] = {}    # highest; steps; low; last
        self.falls: dict[int, tuple[int, Place]] = {}    # steps on end, each at a lower rate
        self.zeros: dict[int, int] = {}          # steps at a rate of 0

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        self.made.append((scheduler, where))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        rate = max((rate_of(g) for g in optimizer.param_groups if "lr" in g), default=0.0)
        highest, steps, low, last = self.rates.get(id(optimizer), (0.0, 0, 0, 0.0))
        falls = self.falls.get(id(optimizer), (0, where))[0] + 1
        self.falls[id(optimizer)] = (falls if 0 < rate < last else 0), where
        highest = max(highest, rate)
        self.zeros[id(optimizer)] = self.zeros.get(id(optimizer), 0) + (rate == 0)
        self.rates[id(optimizer)] = highest, steps + 1, low + (rate < NOTHING * highest), rate

    def at_end(self) -> None:
        scheduled = {id(scheduler.optimizer) for scheduler, _ in self.made}
        for key, (falls, where) in self.falls.items():
            highest, _, _, rate = self.rates[key]
            if falls >= STEPS and rate < LITTLE * highest and key not in scheduled:
                self.find(where, "schedule-too-fast", f"the learning rate falls before each step: "
                          f"it was {highest:.3g}, and is {rate:.1g} after {falls} steps", "the "
                          "line that lowers it runs in every batch, and the steps become too small "
                          "to change anything", "lower it once in each epoch, outside of the loop "
                          "over batches")
        for scheduler, where in self.made:
            highest, steps, low, rate = self.rates.get(id(scheduler.optimizer), (0.0, 0, 0, 0.0))
            kind, span = type(scheduler).__name__, getattr(scheduler, "T_max", None)
            if highest and self.zeros[id(scheduler.optimizer)] * 2 >= max(steps, STEPS):
                self.find(where, "schedule-of-zeros", f"the learning rate is 0 in "
                          f"{self.zeros[id(scheduler.optimizer)]} of {steps} steps: these change "
                          "nothing", "a factor that is computed with `//` is 0 until it is 1, and "
                          "a schedule that has come to its end may stay at 0", "let the factor be "
                          "a fraction, `step / warmup`, and make the schedule as long as the "
                          "training, in batches if it steps in each batch")
            elif low >= STEPS and 2 * low >= steps:
                self.find(where, "schedule-too-fast", f"the learning rate has fallen below "
                          f"{highest * NOTHING:.0g}: the last {low} of {steps} steps have changed "
                          "next to nothing", *STEPPED_PER_BATCH)
            elif kind in FALLING and 0 < rate < LITTLE * highest and steps_inside(where):
                self.find(where, "schedule-too-fast", f"the learning rate has fallen from "
                          f"{highest:.3g} to {rate:.1g}, in {steps} steps: this schedule steps in "
                          "each batch", *STEPPED_PER_BATCH)
            elif kind == "CosineAnnealingLR" and span and scheduler.last_epoch >= 2 * span:
                self.find(where, "schedule-too-fast", f"this schedule was made for {span} steps, "
                          f"and has made {scheduler.last_epoch}: since then the learning rate goes "
                          "up and down", *STEPPED_PER_BATCH)
            elif is_in_batches(scheduler, where, steps):
                self.find(where, "schedule-too-slow", "this schedule was made for "
                          f"{length_of(scheduler)} steps, as many as there are batches, and has "
                          f"made {scheduler.last_epoch}, while its optimizer has made {steps}",
                          *STEPPED_PER_EPOCH)


def steps_inside(where: Place) -> bool:
    """Whether the schedule made on a line is stepped in a loop within another loop."""
    source, name = S.read(where.file), variable_at(where)
    loops = [n for n in source.nodes if isinstance(n, (ast.For, ast.While))
             and S.loop_of(n) is not None] if source is not None and name else []
    return any(step_in(loop, name) is not None for loop in loops)


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


class SteppedTwice(Check):
    """`scheduler.step()` in the loop over batches, and once more in the loop over epochs."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[str, tuple[LRScheduler, Place]] = {}

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        self.made[str(where)] = scheduler, where

    def at_end(self) -> None:
        for scheduler, where in self.made.values():
            source, name = S.read(where.file), variable_at(where)
            twice = None if source is None or not name else steps_of_two_loops(source.tree, name)
            if source is not None and twice is not None and scheduler.last_epoch >= TIMES:
                batch, epoch = map(source.place, twice)
                self.find(batch, "schedule-twice", f"`{name}` steps here, in the inner loop, and "
                          f"once more in the loop around it, at {epoch}",
                          "a schedule counts the calls of its step(): this one counts batches and "
                          "epochs together", "leave out one of the two calls: this one, where "
                          "the schedule is meant in epochs, the other where it is in batches",
                          str(where))


def steps_of_two_loops(tree: ast.AST, name: str) -> tuple[ast.AST, ast.AST] | None:
    """Calls of `name.step()` that stand in a loop and in one around it, under no `if`."""
    loops = (ast.For, ast.While)
    for outer in ast.walk(tree):
        epoch = step_in(outer, name) if isinstance(outer, loops) else None
        if epoch is not None:
            for inner in ast.walk(outer):
                batch = step_in(inner, name) if isinstance(inner, loops) else None
                if batch is not None and inner is not outer:
                    return batch, epoch
    return None


def step_in(loop: Any, name: str) -> ast.AST | None:
    """The statement `name.step(...)` of a loop's body."""
    for statement in loop.body:
        func = getattr(getattr(statement, "value", None), "func", None)
        if isinstance(statement, ast.Expr) and func is not None and (
                ast.unparse(func) == f"{name}.step"):
            return statement
    return None


CHECKS = (ScheduleFirst, NeverScheduled, ScheduleOfAnother, GivenMeasure, WrongWay, RateAsFactor,
          SteppedTwice, VanishedRate)
