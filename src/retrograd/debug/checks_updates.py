"""Checks of what a step goes by: gradients left over from another loss, groups that get none."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from .._tensor import Tensor
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass
from .checks_networks import SameSide, networks_behind
from .checks_training import PASSES, optimizer_of, parameters_of
from .names import Names
from .places import Place, user_frames
from .programs import called_name
from .words import listed

TIMES = 3                  # that a step goes by gradients of an earlier turn


@dataclass
class Sum:
    """The passes whose gradients have been added up in a parameter, and how often it was so."""

    passes: list[tuple[Place, int]] = field(default_factory=list)    # and the steps before each
    times: int = 0


class LeftOver(Check):
    """GANs: the generator's backward() fills the discriminator's .grad too, and nobody clears it.

    Of each optimizer one parameter is followed. Where the generator steps first, both passes are of
    one turn: they are a mistake if the two losses push the discriminator's answers apart.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.sums: dict[int, Sum] = {}           # by the first parameter of an optimizer
        self.order: dict[str, int] = {}          # of the lines that call backward()
        self.line: Place | None = None
        self.steps = 0
        self.lefts: dict[tuple[str, str], tuple[Place, str, str]] = {}
        self.judges: dict[str, dict[int, int]] = {}      # by line: parameters of what judges there
        self.judging: dict[tuple[str, str], int] = {}    # the networks of `lefts` of one turn

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.sums.setdefault(id(first_of(optimizer)), Sum())

    def before_pass(self, task: Pass) -> None:
        self.line = task.where if task.fills else None
        if task.fills and str(task.where) not in self.order:
            self.order[str(task.where)] = len(self.order)
            if len(self.sums) > 1:
                judges = {record.pair[1] for record in networks_behind(task, self.doctor.networks)}
                self.judges[str(task.where)] = {
                    id(p): id(n._network) for n in task.nodes
                    if id(getattr(n, "_network", None)) in judges
                    for p in n._network.parameters()}    # type: ignore[attr-defined]

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        seen = self.sums.get(id(leaf)) if len(self.sums) > 1 else None
        if seen is None or self.line is None:
            return
        if leaf._grad is None or not reading.numbers(leaf._grad._data).any():
            seen.passes.clear()
        if reading.numbers(reading.array_of(g)).any():
            seen.passes.append((self.line, self.steps))
            del seen.passes[:-2]

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.steps += 1
        leaf = first_of(optimizer)
        seen = self.sums.get(id(leaf))
        if leaf is None or seen is None or len(seen.passes) < 2 or closure is not None:
            return
        (first, before), (last, after) = seen.passes
        seen.passes.clear()
        key = str(first), str(last)
        if before == after:
            return                               # of one turn: they may well be meant
        if self.order[key[0]] <= self.order[key[1]]:
            judge, later = (self.judges.get(line, {}).get(id(leaf)) for line in key)
            if judge is None or later is not None:
                return
            self.judging[key] = judge
        seen.times += 1
        if seen.times == TIMES:
            frames = user_frames()
            name, own = Names(frames).of(leaf) or "a parameter", optimizer_of(leaf, frames)
            self.lefts[key] = last, name, own

    def is_meant(self, key: tuple[str, str]) -> bool:
        """Whether two losses of one turn do not push the answers of a network apart."""
        for check in self.doctor.checks if key in self.judging else ():
            if isinstance(check, SameSide):
                seen = check.pushed.get(self.judging[key])
                return seen is None or not seen.pulls_apart()
        return False

    def at_end(self) -> None:
        if any(f.kind == "not-cleared" for f in self.doctor.report.findings):
            return
        for (first, last), (where, name, own) in self.lefts.items():
            if self.is_meant((first, last)):
                continue
            self.find(where, "left-over", "this backward() adds its gradients to those that the "
                      f"backward() at {first} has left in `{name}`",
                      f"that one was made for another optimizer, but backward() fills the .grad of "
                      f"every parameter it passes through: {own}.step() goes by the sum of both",
                      f"call {own}.zero_grad() right before this backward(), not only after "
                      f"{own}.step()")


def first_of(optimizer: Optimizer) -> Tensor | None:
    """The first parameter of an optimizer."""
    return next((p for p in parameters_of(optimizer)), None)


@dataclass
class Frozen:
    """A parameter group of its own that got no gradient in any step."""

    params: list[Tensor]
    names: list[str]
    file: str
    steps: int = 0


class FrozenVectors(Check):
    """Embedding.from_pretrained(vectors), which freezes them, and a parameter group for them."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.groups: dict[tuple[int, int], Frozen | None] = {}

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        for k, group in enumerate(optimizer.param_groups) if len(
                optimizer.param_groups) > 1 else ():
            key, params = (id(optimizer), k), group["params"]
            still = not any(p.requires_grad for p in params)
            if key not in self.groups:
                names = Names(user_frames()) if still else None
                self.groups[key] = names and Frozen(
                    params, [names.of(p) or "" for p in params], where.file)
            seen = self.groups[key]
            if seen is not None and not still:
                self.groups[key] = None
            elif seen is not None:
                seen.steps += 1

    def at_end(self) -> None:
        for seen in self.groups.values():
            where = pretrained_at(seen) if seen is not None and seen.steps >= PASSES else None
            if seen is not None and where is not None:
                self.find(where, "frozen-vectors", f"{listed(seen.names)} is frozen, and an "
                          f"optimizer has a parameter group for it: {seen.steps} steps have left "
                          "it as it was", "from_pretrained() makes vectors that do not require "
                          "grad, unless it is told to",
                          "`from_pretrained(..., freeze=False)` if they shall be trained; "
                          "otherwise leave them out of the optimizer")


def pretrained_at(seen: Frozen) -> Place | None:
    """The line that makes the embedding of a group, if it does not say whether to freeze it."""
    source = S.read(seen.file)
    for node in source.nodes if source is not None and len(seen.names) == 1 else ():
        if isinstance(node, ast.Call) and called_name(node) == "from_pretrained" and (
                "Embedding" in S.dotted(node.func)) and len(node.args) == 1 and not any(
                k.arg in ("freeze", None) for k in node.keywords):
            made = S.statement(node)
            parts = [ast.unparse(t).rpartition(".")[2] for t in S.targets(made)]
            if any(f".{part}." in f".{seen.names[0]}." for part in parts):
                return source.place(made)        # type: ignore[union-attr]
    return None


CHECKS = (LeftOver, FrozenVectors)
