"""The check of a target network that is set to the trained one before each use."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._callers import caller, is_own
from .._tensor import Tensor
from ..nn.modules.module import Module
from . import reading
from .check import Check, only
from .checks_teachers import TARGETS
from .places import Place, place

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


CHECKS = (FollowsAtOnce, ResetByTarget)
