"""Checks of how far the steps go: rates that move everything, or nothing, and weights that vanish.

They compare what an optimizer's parameters are with what they were before its first step.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..optim.optimizer import Optimizer
from . import reading
from .check import Check, Pass
from .checks_optimizers import STEPS, rate_of
from .checks_training import parameters_of
from .checks_values import finite
from .names import Names
from .places import Place, user_frames
from .reading import array_of
from .words import listed

ADAPTIVE = ("Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop")    # their steps are their rate
FEW = 5                    # the mean of so many last losses is compared with the first one
VAST = 1.0                 # the least rate of such an optimizer that can be too high,
FARTHER = 10               # if it is so many times the size of the weights
FEWEST = 10                # the least number of steps after which weights can have decayed
LEFT = 0.01                # weights have vanished if less than this share of them is left,
HALF = 0.5                 # or less than this, where each step takes
LITTLE = 0.1               # this share of them, or where AdamW's decay is
HEAVY = 10                 # so large: no weight can then be larger than the inverse of that
TINY = 1e-6                # the rate below which steps, of less than this share of the parameters'
                           # size, can be too small


@dataclass
class Course:
    """An optimizer's parameters as they were before its first step, and what came of it."""

    optimizer: Optimizer
    where: Place                     # that made it, or stepped it first
    begun: list[np.ndarray]          # of large parameters some elements
    steps: int = 0
    highest: float = 0.0             # of the rates,
    lowest: float = float("inf")
    slope: float = 0.0               # and of the gradients, where the rate is tiny
    first: float | None = None       # of the losses,
    last: deque[float] = field(default_factory=lambda: deque(maxlen=FEW))
    names: list[str] = field(default_factory=list)

    def matrices(self) -> list[tuple[int, float, float]]:
        """The numbers of weights that are no vectors, and their sizes before training and now."""
        now = parameters_of(self.optimizer)
        return [(k, size_of(a), size_of(reading.sampled(now[k]._data)))
                for k, a in enumerate(self.begun) if a.size > 1 and now[k]._data.ndim > 1]


def size_of(array: np.ndarray) -> float:
    """The root of the mean square of an array's elements."""
    return float(np.sqrt(np.mean(np.square(array, dtype=float)))) if array.size else 0.0


class FarSteps(Check):
    """Rates and weight decays that are thousands of times too large, or too small."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, Place] = {}
        self.courses: dict[int, Course] = {}
        self.loss: float | None = None           # of the last backward pass

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.made[id(optimizer)] = where

    def before_pass(self, task: Pass) -> None:
        if task.fills and task.roots:
            self.loss = getattr(task.roots[0], "_value", None)   # which `Diverging` notes

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        seen = self.courses.get(id(optimizer))
        if seen is None or seen.optimizer is not optimizer:
            begun = [reading.sampled(p._data).copy() for p in parameters_of(optimizer)
                     if type(p._data) is np.ndarray and p._data.dtype.kind == "f"]
            seen = self.courses[id(optimizer)] = Course(
                optimizer, self.made.get(id(optimizer), where), begun)
        rates = [rate_of(group) for group in optimizer.param_groups if "lr" in group]
        if closure is not None or not rates:
            seen.begun = []                      # LBFGS, or a kind without a rate: not judged
            return
        seen.steps += 1
        seen.highest = max(seen.highest, *rates)
        seen.lowest = min(seen.lowest, *rates)
        if seen.highest < TINY:
            self.measure(seen)
        if seen.steps == FEWEST:
            names = Names(user_frames())
            seen.names = [names.of(p) or "a parameter" for p in parameters_of(optimizer)]
        if self.loss is not None:
            seen.first = self.loss if seen.first is None else seen.first
            seen.last.append(self.loss)
            self.loss = None

    def measure(self, seen: Course) -> None:
        grads = [reading.numbers(p._grad._data) for p in parameters_of(seen.optimizer)
                 if p._grad is not None]
        seen.slope = max([float(np.abs(g).max()) for g in grads if g.size], default=0.0)

    def at_end(self) -> None:
        for seen in self.courses.values():
            now = parameters_of(seen.optimizer)
            if not seen.begun or len(now) != len(seen.begun) or any(
                    a.shape != reading.sampled(p._data).shape
                    for a, p in zip(seen.begun, now, strict=True)):
                continue                         # parameters were added, or changed their form
            self.vast(seen)
            self.decayed(seen)
            self.tiny(seen)

    def vast(self, seen: Course) -> None:
        """Steps of Adam that are far larger than the weights were, and a loss that is no lower."""
        kind, sizes = type(seen.optimizer).__name__, [before for _, before, _ in seen.matrices()]
        if kind not in ADAPTIVE or seen.highest < VAST or not sizes or (
                seen.steps < FEW or seen.first is None or len(seen.last) < FEW):
            return
        last = sum(seen.last) / len(seen.last)
        if seen.highest >= FARTHER * max(sizes) and not last < seen.first:
            self.find(seen.where, "rate-too-high", f"the learning rate is {seen.highest:g}, and "
                      f"the weights were about {max(sizes):.2g} before the first step",
                      f"a step of {kind} moves each weight by about the learning rate, however "
                      "small its gradient is: the first one wipes out what the weights were; the "
                      f"loss was {seen.first:.3g} before it, and is {last:.3g} at the end",
                      "begin with `lr=1e-3`", str(seen.where))

    def decayed(self, seen: Course) -> None:
        """Weights that weight decay has made so small that a network of them gives a constant."""
        first = 0
        for group in seen.optimizer.param_groups:
            numbers = range(first, first + len(group["params"]))
            first = numbers.stop
            sizes = [(k, a, b) for k, a, b in seen.matrices() if k in numbers and a]
            decay = group.get("weight_decay", 0)
            bounded = type(seen.optimizer).__name__ == "AdamW" and decay >= HEAVY
            limit = HALF if seen.lowest * decay >= LITTLE or bounded else LEFT
            if not decay or len(sizes) < 2 or seen.steps < FEWEST or not all(
                    b < limit * a for _, a, b in sizes):
                continue
            share = "half" if limit == HALF else "a hundredth"
            names = listed([seen.names[k] for k, _, _ in sizes])
            self.find(seen.where, "decayed-away", f"{names} have shrunk to less than {share} "
                      f"of what they were, in {seen.steps} steps", f"weight_decay is {decay:g}: "
                      "each step makes the weights smaller by that times the learning rate, more "
                      "than their gradients can make up for, and with such small weights the "
                      "network gives nearly the same for every input",
                      "a weight_decay between 1e-5 and 1e-2", str(seen.where))

    def tiny(self, seen: Course) -> None:
        """Steps that have changed some last digits and nothing else."""
        largest = max((float(np.abs(a).max()) for a in seen.begun if a.size), default=0.0)
        moved = max((float(np.abs(a - reading.sampled(p._data)).max()) for a, p in zip(
            seen.begun, parameters_of(seen.optimizer), strict=True) if a.size), default=0.0)
        known = any(f.kind in ("step-without-effect", "schedule-too-fast")
                    for f in self.doctor.report.findings)
        if seen.steps >= STEPS and 0 < seen.highest < TINY and seen.slope and (
                0 < moved < TINY * largest) and not known:
            self.find(seen.where, "rate-too-low", f"{seen.steps} steps have moved no parameter by "
                      f"more than {moved:.1g}, and parameters are as large as {largest:.2g}",
                      f"a step is the learning rate, {seen.highest:.1g}, times the gradient, which "
                      f"is at most {seen.slope:.1g}: nothing is learned in any useful time",
                      "a larger learning rate: 0.01 to 0.1 is usual for SGD, 1e-4 to 1e-2 for "
                      "Adam", str(seen.where))


class LostEps(Check):
    """Adam with parameters in float16, where `eps=1e-8` is 0: a small gradient is divided by 0."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.sound: list[Tensor] = []            # parameters that this step may spoil
        self.found = False

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        groups = () if self.found else optimizer.param_groups
        self.sound = [p for group in groups if group.get("eps") for p in group["params"]
                      if p._data.dtype == np.float16 and not np.float16(group["eps"])
                      and p._grad is not None and finite(p._data) and finite(array_of(p._grad))]
        self.where = where

    def after_step(self, optimizer: Optimizer, closure: Any) -> None:
        spoilt = [p for p in self.sound if not finite(p._data)]
        self.sound = []
        if spoilt:
            self.found = True
            eps = next(g["eps"] for g in optimizer.param_groups if g.get("eps"))
            names = Names(user_frames())
            self.find(self.where, "nan-step", f"this step has made inf or nan of "
                      f"{listed([names.of(p) or 'a parameter' for p in spoilt])}, whose gradients "
                      "were finite", f"the parameters are float16, where eps={eps:g} is 0, and so "
                      "is the square of a gradient below 2e-4: the step is divided by 0",
                      "parameters in float32, with torch.autocast() around the forward pass; or "
                      "bfloat16; or `eps=1e-4`")


CHECKS = (FarSteps, LostEps)
