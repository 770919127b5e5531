"""Checks of what accompanies the steps: masks of pruning, averages, the order of the data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from .._callers import is_own
from .._state import state
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from ..random import Generator, default_generator
from ..utils.data import DataLoader, RandomSampler
from . import breaks, reading
from . import source as S
from .check import Check, Pass, only
from .checks_training import parameters_of
from .names import Names
from .places import Place, of_frame, place, user_frames
from .programs import env_of
from .words import listed

STEPS = 3                # steps after the zeros came that make a finding
BATCH = 4                # the least number of labels in a batch
BATCHES = 6
SEEDED = 4               # steps after the same seed that make a finding
EPOCHS = 2               # and so many epochs
TURNS = 3                # turns of a loop around them
TOGETHER = 2             # the most backward passes in an iteration
AVERAGES = 8             # the most updates of an average that are looked at
AWAY, STRAIGHT = 1 + 1e-5, 1e-3          # the least growth of a distance, and how far from straight
HARDLY = 0.1             # an average that keeps less than this of its old numbers is wrong
PRUNED = 0.1             # the least share of a parameter that a pruning clears
PRUNING = re.compile(r"prun|sparsi|lottery", re.IGNORECASE)


@dataclass
class Zeros:
    """A parameter, and the elements that the program has set to 0."""

    param: Tensor
    count: int                       # of its zeros, when it was seen last,
    before: np.ndarray | None        # and its numbers; None where it may have been pruned by then
    mask: np.ndarray | None = None   # where they are
    times: int = 0                   # that the program has set them
    steps: int = 0                   # since then
    where: Place | None = None
    name: str = ""


class PrunedOnce(Check):
    """`p.data *= mask`, once: the next step fills what the mask has cleared."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.known: dict[int, Zeros] = {}

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        for p in parameters_of(optimizer):
            if type(p._data) is np.ndarray and p._data.ndim > 1:
                pruned = speaks_of_pruning(where.file)
                now = reading.sampled(p._data)
                self.known.setdefault(id(p), Zeros(p, 0 if pruned else zeros_in(now), None if pruned
                                                   else now.copy()))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        for p in parameters_of(optimizer):
            seen = self.known.get(id(p))
            now = reading.sampled(p._data)
            count = 0 if seen is None else zeros_in(now)
            if seen is not None and count - seen.count >= PRUNED * now.size > 0 and (
                    count < now.size) and (seen.before is None or np.array_equal(
                        now[now != 0], seen.before[now != 0])):      # no new start
                seen.mask, seen.steps, seen.where = p._data == 0, 0, where
                seen.times += 1
                seen.name = seen.name or Names(user_frames()).of(p) or "a parameter"

    def after_step(self, optimizer: Optimizer, closure: Any) -> None:
        for p in parameters_of(optimizer):
            seen = self.known.get(id(p))
            if seen is not None:
                now = reading.sampled(p._data)
                seen.count, seen.before, seen.steps = zeros_in(now), now.copy(), seen.steps + 1

    def at_end(self) -> None:
        undone = [seen for seen in self.known.values() if seen.mask is not None
                  and seen.times == 1 and seen.steps >= STEPS
                  and np.count_nonzero(seen.param._data[seen.mask]) * 2 > seen.mask.sum()]
        if undone:
            cleared, size = (sum(int(n) for n in several) for several in zip(*(
                (seen.mask.sum(), seen.mask.size) for seen in undone), strict=True))
            self.find(undone[0].where, "pruned-once", f"{cleared} of {size} elements of "
                      f"{listed([seen.name for seen in undone])} were set to 0 before this step(), "
                      "and steps have changed them again",
                      "a mask that is multiplied with the numbers once changes them once: their "
                      "gradients, momentum and weight decay go on filling them",
                      "apply the mask after every step(), inside of `with torch.no_grad():`, or "
                      "let torch.nn.utils.prune.custom_from_mask() apply it in each forward()")


def zeros_in(array: np.ndarray) -> int:
    """How many elements are exactly 0."""
    return array.size - int(np.count_nonzero(array))


@lru_cache(maxsize=64)
def speaks_of_pruning(file: str) -> bool:
    """Whether a name in a file speaks of pruning; else the zeros may be an identity matrix."""
    source = S.read(file)
    return source is not None and any(
        PRUNING.search(getattr(n, "id", getattr(n, "attr", getattr(n, "name", None))) or "")
        for n in source.nodes)


@dataclass
class Follower:
    """A network of the same kind as a trained one, which no optimizer was given."""

    network: Module
    other: Module
    names: tuple[str, str]
    params: list[int]                # the fingerprints at the first step,
    buffers: list[int]               # of both, and of the trained network's
    others: list[int]
    where: Place                     # of the first step, or the line that averages


class BuffersLeftOut(Check):
    """An average of a network's parameters that leaves the averages of its BatchNorm behind."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.seen: set[int] = set()              # optimizers
        self.found: dict[tuple[int, int], Follower] = {}

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        if id(optimizer) in self.seen:
            return
        self.seen.add(id(optimizer))
        names = Names(user_frames())
        several = {id(m): (name, m) for name, m in reversed(names.modules.items())
                   if any(isinstance(part, _BatchNorm) for part in m.modules())}
        own = {id(p) for p in parameters_of(optimizer)}
        for trained, network in several.values():
            if not any(id(p) in own for p in network.parameters()):
                continue
            for name, other in several.values():
                if other is not network and type(other) is type(network) and not any(
                        id(p) in self.doctor.given for p in other.parameters()) and (
                        shapes(other) == shapes(network)):
                    self.found.setdefault((id(other), id(network)), Follower(
                        other, network, (name, trained), prints(other.parameters()),
                        prints(means(other)), prints(means(network)),
                        averaged_at(where.file) or where))

    def at_end(self) -> None:
        for one in self.found.values():
            if (prints(one.network.parameters()) != one.params
                    and prints(means(one.network)) == one.buffers
                    and prints(means(one.other)) != one.others):
                name, trained = one.names
                self.find(one.where, "buffers-left-out",
                          f"`{name}` follows the parameters of `{trained}`, and the running mean "
                          "and variance of its BatchNorm have stayed as they were at the start",
                          "these are buffers, which parameters() does not give: in eval() mode "
                          f"`{name}` normalizes by numbers that never fitted its weights",
                          f"copy them too: `for a, b in zip({name}.buffers(), {trained}.buffers()):"
                          " a.copy_(b)`; torch.optim.swa_utils.AveragedModel does so with "
                          "use_buffers=True")


def shapes(network: Module) -> list[tuple[int, ...]]:
    return [t._data.shape for t in (*network.parameters(), *network.buffers())]


def means(network: Module) -> list[Tensor]:
    """The running means and variances of a network."""
    return [t for m in network.modules() if isinstance(m, _BatchNorm)
            for t in (m.running_mean, m.running_var) if t is not None]


def averaged_at(file: str) -> Place | None:
    """The loop over the parameters of two networks at once, in a file."""
    source = S.read(file)
    loops = [n for n in source.nodes if isinstance(n, ast.For) and
             ast.unparse(n.iter).count("parameters()") > 1] if source is not None else []
    return source.place(loops[0]) if len(loops) == 1 and source is not None else None


def prints(tensors: Any) -> list[int]:
    return [reading.fingerprint(reading.numbers(t._data)) for t in tensors]


@dataclass
class Pair:
    """A parameter of a trained network, and that of a network which follows it by averages."""

    other: Tensor
    param: Tensor
    names: tuple[str, str]
    where: Place
    before: np.ndarray               # the other one's numbers at the last step
    kept: list[float] = field(default_factory=list)      # how much of them is left


class FollowsAtOnce(Check):
    """`ema = (1 - decay) * ema + decay * p` with a decay of 0.999: the weights are swapped."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.seen: set[int] = set()              # optimizers
        self.pairs: dict[int, list[Pair]] = {}   # by them

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        if id(optimizer) not in self.seen:
            self.seen.add(id(optimizer))
            self.pairs[id(optimizer)] = list(followers(optimizer, where))
        for pair in self.pairs[id(optimizer)]:
            now, goal = (reading.sampled(t._data) for t in (pair.other, pair.param))
            left, was = (float(np.abs(a - goal).max()) for a in (now, pair.before))
            if now.shape == pair.before.shape and len(pair.kept) < AVERAGES and was:
                away = left > AWAY * was and not is_straight(now - goal, pair.before - goal)
                pair.kept.append(1 if away else left / was)      # another training is no average
            pair.before = now.copy()

    def at_end(self) -> None:
        for pair in [p for pairs in self.pairs.values() for p in pairs]:
            kept = sorted(pair.kept)[len(pair.kept) // 2] if pair.kept else 1
            name, trained = pair.names
            if len(pair.kept) == AVERAGES and min(pair.kept) > AWAY:
                write = pair.other._cell[1]
                line = None if write is None or is_own(write[1].co_filename) else place(*write[1:])
                self.find(line or averaged_at(pair.where.file) or pair.where, "average-of-the-last",
                          f"`{name}` has moved away from `{trained}` after each step: the distance "
                          f"grows by {100 * (kept - 1):.2g} % each time", "an average takes a part "
                          "of the way towards the new numbers: here the sign is the other way "
                          "round, and its numbers grow without end",
                          "`ema = decay * ema + (1 - decay) * p`, or `ema.lerp_(p, 1 - decay)`")
            if len(pair.kept) == AVERAGES and 0 < min(pair.kept) and kept < HARDLY:
                self.find(averaged_at(pair.where.file) or pair.where, "average-of-the-last",
                          f"`{name}` is almost `{trained}` itself after each step: it keeps about "
                          f"{kept:.1g} of what it was", "an average over many steps keeps nearly "
                          "all of what it was, and takes a little of the new: here the two shares "
                          "are the other way round",
                          "`ema = decay * ema + (1 - decay) * p` with a decay of 0.99 or 0.999")


def is_straight(now: np.ndarray, before: np.ndarray) -> bool:
    """Whether a difference is a multiple of what it was."""
    now, before = (a.ravel().astype(float) for a in (now, before))
    rest = now - before * (np.dot(now, before) / max(float(np.dot(before, before)), 1e-30))
    return bool(np.abs(rest).max() < STRAIGHT * np.abs(now).max())


def followers(optimizer: Optimizer, where: Place) -> Iterator[Pair]:
    """The networks of the same kind as the one an optimizer steps that no optimizer was given."""
    names = Names(user_frames())
    own = {id(p) for p in parameters_of(optimizer)}
    several = {id(m): (name, m) for name, m in reversed(names.modules.items())}.values()
    for trained, network in several:
        first = next((p for p in network.parameters() if id(p) in own), None)
        for name, other in several if first is not None else ():
            if other is network or type(other) is not type(network) or (
                    shapes(other) != shapes(network)):
                continue
            pairs = zip(other.parameters(), network.parameters(), strict=True)
            p, q = next((p, q) for p, q in pairs if q is first)
            if id(p) not in own and type(p._data) is np.ndarray and p._data.dtype.kind == "f":
                yield Pair(p, q, (name, trained), where, reading.sampled(p._data).copy())
        for name, kept in copies_of(network) if first is not None else ():
            yield Pair(kept, next(network.parameters()), (name, trained), where,
                       reading.sampled(kept._data).copy())


def copies_of(network: Module) -> Iterator[tuple[str, Tensor]]:
    """The lists, and dicts, of tensors like the parameters of a network, and the first of each."""
    shapes_of_all = [p._data.shape for p in network.parameters()]
    for name, value in [pair for frame in user_frames() for pair in frame.f_locals.items()]:
        own = vars(value) if hasattr(value, "__dict__") and not isinstance(
            value, (Module, type, ModuleType)) else {}
        for part, held in ((name, value), *((f"{name}.{k}", v) for k, v in [*own.items()])):
            kept = list(held.values()) if isinstance(held, dict) else held
            if isinstance(kept, (list, tuple)) and len(kept) == len(shapes_of_all) and all(
                    isinstance(t, Tensor) and not t.requires_grad and t._data.shape == shape
                    for t, shape in zip(kept, shapes_of_all, strict=True)):
                yield part, kept[0]


@dataclass
class Order:
    """The targets of the batches that a loss was given, one after another."""

    where: Place
    batches: int = 0
    alone: int = 0                   # with a single class
    turns: int = 0                   # from one class to another between such batches
    last: int = -1
    classes: set[int] = field(default_factory=set)


class Unshuffled(Check):
    """Batches of one class each, one class after another: data in the order of their labels."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, Order] = {}

    @only("NllLossBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        target = reading.array_of(variables.get("target"))
        if type(target) is np.ndarray and target.ndim == 1 and target.size >= BATCH:
            node._classes = target

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes:
            labels = getattr(node, "_classes", None)
            where = None if labels is None else reading.place_of(node)
            if where is None or labels is None:
                continue
            seen = self.lines.setdefault(str(where), Order(where))
            seen.batches += 1
            if (labels == labels[0]).all():
                seen.alone += 1
                seen.turns += seen.last != int(labels[0])
                seen.last = int(labels[0])
                seen.classes.add(seen.last)

    def at_end(self) -> None:
        for seen in self.lines.values():
            if (seen.batches >= BATCHES and seen.alone * 5 >= seen.batches * 4
                    and len(seen.classes) > 1 and seen.turns * 2 <= seen.alone):
                self.find(seen.where, "unshuffled", f"{seen.alone} of {seen.batches} batches hold "
                          "examples of one class only, and one class comes after the other",
                          "each step teaches the network to answer with the class at hand, and "
                          "forget the others", "mix the examples: `DataLoader(..., shuffle=True)`, "
                          "or `order = torch.randperm(len(x))` in each epoch")


class LastBatchOnly(Check):
    """`for x, y in loader: loss = ...`, and backward() after it: only the last batch counts."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, int] = {}

    def before_pass(self, task: Pass) -> None:
        times = self.lines[str(task.where)] = self.lines.get(str(task.where), 0) + 1
        env = env_of(user_frames()[0]) if times == TURNS and task.fills else None
        loss = None if env is None else breaks.argument(env, task.where)
        if env is None or not isinstance(loss, ast.Name):
            return
        backward = S.statement_at(env.source, task.where)
        made = S.last_assignments(env.scope, loss.id, backward) if backward is not None else []
        loop = S.loop_of(made[-1]) if len(made) == 1 else None
        if not isinstance(loop, ast.For) or not isinstance(made[-1], ast.Assign) or (
                backward is None or S.holds(loop, backward) or S.loop_of(backward) is None):
            return
        loader = breaks.Search().value(loop.iter, env)
        if isinstance(loader, DataLoader) and len(loader) > 1 and (
                loss.id not in S.names_in(made[-1].value)):
            text = ast.unparse(loop.iter)
            self.find(task.where, "thrown-away", f"this backward() comes once after the loop over "
                      f"`{text}`, and sees the last of its {len(loader)} batches only",
                      f"`{loss.id}` is made anew for each batch, and all but the last are lost",
                      "move backward() and step() into the loop, after the line that computes "
                      f"`{loss.id}`")


@dataclass
class Seeded:
    """A line that begins the random numbers anew, with the same seed, during a training."""

    where: Place
    seed: int
    passes: int                      # until its last run
    steps: int                       # of the optimizer that steps between
    times: int = 0                   # that one iteration came between,
    drawn: bool = False              # which drew numbers
    epochs: int = 0                  # that several steps came between, which drew numbers


class SeededAgain(Check):
    """torch.manual_seed(0) in each iteration, or epoch: the same noise, or order, every time."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple, Seeded] = {}
        self.stepping: tuple = None, 0           # an optimizer, and how many steps it has made
        self.last: np.ndarray | None = None      # the generator's state at the last step, if known
        self.drawn = False                       # by the training, since the last seed

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        last, steps = self.stepping
        self.stepping = id(optimizer), steps + 1 if last == id(optimizer) else 1
        if self.lines and not self.drawn:
            now = default_generator.get_state()._data
            self.drawn = self.last is not None and not np.array_equal(self.last, now)
            self.last = now

    def on_reading(self, loader: DataLoader, where: Place) -> None:
        self.drawn |= isinstance(getattr(loader, "sampler", None), RandomSampler) and state.grad

    def on_seed(self, seed: int, where: Place) -> None:
        optimizer, steps = self.stepping
        seen = self.lines.get((str(where), optimizer))
        now = default_generator.get_state()
        if seen is None or seen.seed != seed:
            seen = self.lines[str(where), optimizer] = Seeded(
                within_loop(user_frames()) or where, seed, self.doctor.passes, steps)
        elif steps > seen.steps:
            if self.doctor.passes - seen.passes <= TOGETHER:
                seen.times += 1
                seen.drawn |= self.moved(now, seed)
            else:
                seen.epochs += self.drawn
        seen.passes, seen.steps = self.doctor.passes, steps
        self.last, self.drawn = None, False

    @staticmethod
    def moved(now: Tensor, seed: int) -> bool:
        """Whether numbers were drawn since the generator was seeded."""
        return not np.array_equal(now._data, Generator().manual_seed(seed).get_state()._data)

    def at_end(self) -> None:
        for seen in self.lines.values():
            if seen.times >= SEEDED and seen.drawn:
                self.tell(seen, f"before each of {seen.times} steps", "iteration",
                          "the same noise, the same dropout, the same batch")
            elif seen.epochs >= EPOCHS:
                self.tell(seen, f"{seen.epochs + 1} times during the training", "epoch",
                          "the same order of the examples, the same dropout, the same augmentation")

    def tell(self, seen: Seeded, when: str, turn: str, same: str) -> None:
        self.find(seen.where, "seeded-again", f"the random numbers begin anew here, with the seed "
                  f"{seen.seed}, {when}", f"each {turn} draws the same numbers as the one before: "
                  f"{same}", "seed once, at the beginning of the program; for an evaluation that "
                  "shall always draw the same, `generator=torch.Generator().manual_seed(0)`")


def within_loop(frames: list[FrameType]) -> Place | None:
    """The innermost line that runs and stands in a loop: a call such as `set_seed()`, or None."""
    for where in map(of_frame, frames):
        source = S.read(where.file)
        statement = None if source is None else S.statement_at(source, where)
        if statement is not None and S.loop_of(statement) is not None:
            return where if isinstance(statement, ast.Expr) else None
    return None


CHECKS = (PrunedOnce, BuffersLeftOut, FollowsAtOnce, Unshuffled, LastBatchOnly, SeededAgain)
