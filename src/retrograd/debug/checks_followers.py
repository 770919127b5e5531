"""The check of a target network that is set to the trained one before each use."""

from __future__ import annotations

import ast
import sys
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._callers import caller, is_own
from .._tensor import Tensor
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, only
from .checks_teachers import TARGETS
from .places import Place, is_library, place

TIMES = 10               # so many calls in a row, each after another step, make a finding
NETWORKS = 20            # the most networks that are compared


@dataclass
class Follower:
    """A target network, and how often it was equal to the trained network that it follows."""

    target: weakref.ref
    name: str
    call: Place | None
    leader: str = ""
    last: int = 0            # a print of the trained network's first weight
    times: int = 0
    written: Place | None = None


class FollowsAtOnce(Check):
    """`target.load_state_dict(net.state_dict())` in each step: it does not stay behind."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.trained: dict[int, weakref.ref] = {}        # networks that an optimizer changes
        self.followers: dict[int, Follower] = {}
        self.first: dict[int, Follower] = {}             # by their first parameters

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        if what == ".data" and id(t) in self.first:
            self.first[id(t)].written = place(*caller())

    def on_load(self, module: Module, state: Any, strict: bool, where: Place) -> None:
        for seen in self.followers.values():
            if any(m is seen.target() for m in module.modules()):
                seen.written = where

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        first = next(module.parameters(), None)
        name = self.doctor.networks.get(id(module), "")
        if first is None or len(self.trained) + len(self.followers) > NETWORKS:
            return
        if id(first) in self.doctor.given:
            self.trained[id(module)] = weakref.ref(module)
        elif TARGETS.search(name):
            seen = self.followers.get(id(module))
            if seen is None or seen.target() is not module:
                seen = Follower(weakref.ref(module), name, where)
                self.followers[id(module)] = self.first[id(first)] = seen
            self.compare(seen, module)

    def compare(self, seen: Follower, target: Module) -> None:
        """Count a call at which the target is equal to the network that it follows."""
        own = list(target.parameters())
        for key, reference in self.trained.items() if seen.times >= 0 else ():
            network = reference()
            theirs = list(network.parameters()) if type(network) is type(target) else []
            if [p._data.shape for p in theirs] != [p._data.shape for p in own] or any(
                    p is q for p, q in zip(theirs, own, strict=True)):
                continue
            number = reading.fingerprint(theirs[0]._data)
            if number == seen.last:
                return                           # no step since the last call
            equal = all(map(are_equal, theirs, own))
            seen.times = seen.times + 1 if equal else 0 if not seen.last else -1
            seen.last, seen.leader = number, self.doctor.networks.get(key, "")
            write = own[0]._cell[1]
            if write is not None and not is_own(write[1].co_filename):
                seen.written = place(write[1], write[2])
            return

    def at_end(self) -> None:
        for seen in self.followers.values():
            if seen.times >= TIMES:
                self.find(seen.written or seen.call, "follows-at-once", f"`{seen.name}` was equal "
                          f"to `{seen.leader}` in all of its {seen.times} uses, each after another "
                          "step", "a target network is there to stand still for a while: if it "
                          "follows each step at once, the network learns from its own last answer, "
                          "and may run after itself without end",
                          "copy it every few hundred steps, `if step % 500 == 0:`, or a little in "
                          "each step: `p_target.lerp_(p, 0.005)` for each pair of parameters, "
                          "under no_grad()")


@dataclass
class Standing:
    """A target network that was called, and a print of it then."""

    network: weakref.ref
    name: str
    print: int


class ResetByTarget(Check):
    """`net.load_state_dict(target.state_dict())`: the steps of the trained network are undone."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.standing: dict[int, Standing] = {}          # by their networks
        self.lines: dict[str, list] = {}

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        name = self.doctor.networks.get(id(module), "")
        if id(module) in self.standing or not TARGETS.search(name) or (
                len(self.standing) > NETWORKS):
            return
        first = next(module.parameters(), None)
        if first is not None and id(first) not in self.doctor.given:
            self.standing[id(module)] = Standing(weakref.ref(module), name,
                                                 reading.fingerprint(first._data))

    def on_load(self, module: Module, state: Any, strict: bool, where: Place) -> None:
        own = next(module.parameters(), None)
        given = next(reading.tensors_in(dict(state)), None)
        if own is None or given is None or id(own) not in self.doctor.given:
            return
        for seen in self.standing.values():
            first = next(seen.network().parameters(), None) if seen.network() else None  # type: ignore[union-attr]
            if first is not None and first._cell is given._cell:
                undone = reading.fingerprint(first._data) == seen.print and not are_equal(
                    first, own)
                name = self.doctor.networks.get(id(module), "")
                line = self.lines.setdefault(str(where), [where, name, seen.name, 0])
                line[3] += undone

    def at_end(self) -> None:
        trained = {seen.name for seen in self.standing.values() if seen.network() is not None
                   and any(id(p) in self.doctor.given for p in seen.network().parameters())}  # type: ignore[union-attr]
        for where, name, target, times in self.lines.values():
            if times >= UNDONE and target not in trained:
                self.find(where, "reset-by-target", f"`{name}` is set back to `{target}`, {times} "
                          f"times, and `{target}` never changes", "load_state_dict() writes into "
                          "the network that it is called on: what the steps since the last time "
                          "have learned is lost", "the other way round: "
                          f"`{target}.load_state_dict({name}.state_dict())`")


UNDONE = 2               # such loads make a finding


def are_equal(p: Tensor, q: Tensor) -> bool:
    return p._data is not q._data and bool(np.array_equal(p._data, q._data))


@dataclass
class Still:
    """A target network: a print at its first use, how often it was used after another step."""

    network: weakref.ref
    name: str
    where: Place
    print: int
    leader: str = ""
    step: int = -1
    times: int = 0


class NeverFollows(Check):
    """A target network that began as a copy of the trained one, and that no line updates.

    A line that has not been reached may update it later: it must not stand in a function that
    nothing calls.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.begun: dict[int, tuple[weakref.ref, str]] = {}      # print -> a trained network
        self.targets: dict[int, Still] = {}
        self.steps = 0

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.steps += 1

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        seen = self.targets.get(id(module))
        if seen is not None and seen.step != self.steps:
            seen.step, seen.times = self.steps, seen.times + 1
        if seen is not None or self.steps > 1 or where is None or len(self.begun) > NETWORKS:
            return
        first, name = next(module.parameters(), None), self.doctor.networks.get(id(module), "")
        if first is not None and TARGETS.search(name) and id(first) not in self.doctor.given:
            self.targets[id(module)] = Still(weakref.ref(module), name, where,
                                             reading.fingerprint(first._data))
        elif first is not None and id(first) in self.doctor.given and not self.steps:
            self.begun[reading.fingerprint(first._data)] = weakref.ref(module), name

    def at_end(self) -> None:
        for seen in self.targets.values():
            target, (leader, name) = seen.network(), self.begun.get(seen.print, (None, ""))
            first = None if target is None else next(target.parameters())
            if seen.times < USES or first is None or (
                    reading.fingerprint(first._data) != seen.print):
                continue
            may_follow, forgotten = updates(seen.name.rpartition(".")[2], seen.where.file)
            trained = leader() if leader is not None else None
            copied = trained is not None and type(target) is type(trained) and (
                reading.fingerprint(next(trained.parameters())._data) != seen.print)
            if not may_follow and (copied or forgotten):
                self.tell(seen, name if copied else "", forgotten)

    def tell(self, seen: Still, leader: str, forgotten: str) -> None:
        network = leader or "the trained network"
        self.find(seen.where, "never-follows", f"`{seen.name}` is as it was before the first "
                  f"step, in all of its {seen.times} uses, and "
                  + (f"`{forgotten}`, which would update it, is never called" if forgotten else
                     "no line updates it"),
                  "its values are still those of a network that has learned nothing, while "
                  f"{f'`{leader}`' if leader else network} has learned since",
                  f"call `{forgotten}` after optimizer.step()" if forgotten else
                  f"every few hundred steps `{seen.name}.load_state_dict("
                  f"{leader}.state_dict())`; or a little in each step: "
                  "`p_target.lerp_(p, 0.005)` for each pair of parameters, under no_grad()")


USES = 30                # of a target network, each after another step, make a finding
SETTINGS = ("eval", "train", "to", "float", "double", "requires_grad_", "zero_grad", "cpu",
            "state_dict")
WRITES = ("load_state_dict", "copy_", "lerp_", "mul_", ".data")


def updates(name: str, file: str) -> tuple[bool, str]:
    """Whether a line of the program, which calls `name` in this file, may write into it.

    And the function that would, if nothing calls that.
    """
    loaded = [getattr(m, "__file__", None) for m in list(sys.modules.values())]
    files = {file, *[path for path in loaded if path and not is_library(path)]}
    sources = [source for path in files
               if path.endswith(".py") and (source := S.read(path)) is not None]
    nodes = [node for source in sources for node in source.nodes]
    uses = [node for node in nodes if is_named(node, name)]
    functions = [f for node in uses if (f := function_of(node)) is not None
                 and "requires_grad" not in ast.unparse(f) and not may_be_called(f, nodes)
                 and any(word in ast.unparse(S.statement(node)) for word in WRITES)]
    return any(may_write(node, nodes) for node in uses), functions[0].name if functions else ""


def function_of(node: ast.AST) -> Any:
    return next((n for n in S.around(node) if isinstance(n, ast.FunctionDef)), None)


def is_named(node: ast.AST, name: str) -> bool:
    return getattr(node, "attr", getattr(node, "id", "")) == name and isinstance(
        getattr(node, "ctx", None), ast.Load)


def may_write(node: Any, program: list[ast.AST]) -> bool:
    """Whether a use of a network in a loop, or in a function that is called, may write into it."""
    outer, use = list(S.around(node)), node.parent
    if isinstance(use, ast.Call) and use.func is node:                   # target(x)
        return False
    if isinstance(use, ast.Attribute) and use.attr in SETTINGS:
        return False
    if not isinstance(use, ast.Attribute):                               # it gets another name
        return True
    loops = [n for n in outer if isinstance(n, (ast.For, ast.While))]
    if loops and "requires_grad" in ast.unparse(loops[0]):
        return False
    function = function_of(node)
    if function is None:
        return bool(loops)
    return function.name != "__init__" and may_be_called(function, program)


def may_be_called(function: Any, program: list[ast.AST]) -> bool:
    """Whether the program names a function, or another library may: a hook of a base class."""
    bases = [S.dotted(b).rpartition(".")[2] for n in S.around(function)
             if isinstance(n, ast.ClassDef) for b in n.bases]
    return bool(function.decorator_list) or function.name.startswith("__") or (
        not {"object", "Module"}.issuperset(bases)) or any(
        is_named(n, function.name) for n in program)


CHECKS = (FollowsAtOnce, ResetByTarget, NeverFollows)
