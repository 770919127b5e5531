"""Checks of a teacher: a network whose output another network learns to reproduce."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .._callers import is_own
from .._state import state
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import reading
from .check import Check, Pass, only
from .checks_losses import LOSSES
from .checks_modes import acts_by_mode
from .checks_training import parameters_of
from .places import Place

TIMES = 3                # how often it happens before it counts as every iteration
CALLS = 50               # the most calls that are counted, of a network that nothing trains
HEADS = 20               # the most outputs of networks that are looked at in a pass
TEACHERS = re.compile(r"teacher|frozen|(^|[._])(ema|old|momentum)([._]|$)", re.IGNORECASE)
TARGETS = re.compile(r"target", re.IGNORECASE)


@dataclass
class Taught:
    """A network whose output another one learns to give, and that gets gradients itself."""

    teacher: str
    student: str
    where: Place | None          # that called the teacher
    own: set[int]                # ids of the parameters of the teacher,
    students: set[int]           # and of the student
    optimizer: Optimizer | None = None
    passes: int = 0
    steps: int = 0


class TrainedTeacher(Check):
    """A teacher that is stepped together with its student, or gets gradients for nothing."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, Place] = {}
        self.taught: dict[str, list[Taught]] = {}        # by the line of the pass
        self.passes: dict[str, int] = {}
        self.fresh: list[Taught] = []                    # of the passes that no step has used
        self.written: set[int] | None = None             # whose .data was taken since a step

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.made[id(optimizer)] = where

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        """A network with several results may consist of a teacher and its student."""
        several = [t.grad_fn for t in reading.tensors_in(result) if t.grad_fn is not None]
        if outermost and len(several) > 1:
            for node in several:
                node._part = getattr(node, "_called", None)
        elif len(self.doctor.calling) == 1:
            for node in several:
                node._called = module

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        """Look at the second argument of kl_div() and cross_entropy(): what is to be learned."""
        target = args[1] if len(args) > 1 else kwargs.get("target")
        if name in ("kl_div", "cross_entropy") and getattr(target, "grad_fn", None) is not None:
            target.grad_fn._is_target = True             # type: ignore[union-attr]

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        if what == ".data" and self.written is not None:
            self.written.add(id(t))

    def before_pass(self, task: Pass) -> None:
        line = str(task.where)
        if task.fills and not self.taught.get(line) and self.passes.get(line, 0) < TIMES:
            self.passes[line] = self.passes.get(line, 0) + 1
            self.taught[line] = list(self.teachers(task))
            for taught in self.taught[line]:
                self.doctor.standing |= taught.own - self.doctor.given

    def after_pass(self, task: Pass) -> None:
        for taught in self.taught.get(str(task.where), ()) if task.fills else ():
            taught.passes += 1
            self.fresh.append(taught)

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.written = set()
        filled = {id(p) for p in parameters_of(optimizer) if p._grad is not None}
        for taught in self.fresh[:]:
            if filled & taught.students:
                self.fresh.remove(taught)
                if filled & taught.own:
                    taught.optimizer = optimizer
                    taught.steps += 1

    def network_of(self, node: Any) -> Module | None:
        """The network, or the part of one, that gave a node's result."""
        network = getattr(node, "_network", None)
        return None if id(network) not in self.doctor.networks else (
            getattr(node, "_part", None) or network)

    def name_of(self, node: Any, network: Module) -> str:
        """What the program calls the network that gave a node's result."""
        outer = node._network
        path = next((path for path, m in outer.named_modules() if m is network), "")
        return self.doctor.named(outer, path)

    def teachers(self, task: Pass) -> Iterator[Taught]:
        """The networks whose output another one is to learn from, according to the loss."""
        heads = [(n, m) for n in task.nodes if (m := self.network_of(n)) is not None][:HEADS]
        if len({id(network) for _, network in heads}) < 2:
            return
        behind = {head: reading.nodes([head]) for head, _ in heads}
        leaves = {head: leaves_among(nodes) for head, nodes in behind.items()}
        learning = set(reached_as_output(task.roots))
        learned = set(reading.nodes([n for n in task.nodes if hasattr(n, "_is_target")]))
        for head, teacher in heads:
            name, own = self.name_of(head, teacher), leaves[head]
            written = self.written is not None and (own <= self.written or follows(teacher))
            meant = TEACHERS.search(name) or TARGETS.search(name) and written or (
                head not in learning and (TARGETS.search(name) or head in learned))
            for other, student in heads:
                apart = other not in behind[head] and head not in behind[other]
                still = student.training and not teacher.training
                if (apart and own and not own & leaves[other] and other in learning
                        and (meant or still and head not in learning)):
                    yield Taught(name, self.name_of(other, student),
                                 getattr(head, "_called_at", None), own, leaves[other])
                    break

    def at_end(self) -> None:
        for taught in [t for several in self.taught.values() for t in several]:
            teacher, student = f"`{taught.teacher}`", f"`{taught.student}`"
            still = f"call {teacher} inside `with torch.no_grad():`"
            if taught.steps >= TIMES:
                self.find(self.made.get(id(taught.optimizer)), "trained-teacher",
                          f"this optimizer changes {teacher} too, whose output {student} learns "
                          "to give", f"{teacher} is moved towards {student}: what it knew is "
                          "forgotten, and the loss falls though nothing is learned",
                          f"give the optimizer the parameters of {student} only, and {still}",
                          str(taught.where))
            elif taught.passes >= TIMES and not taught.own & self.doctor.given:
                self.find(taught.where, "trained-teacher", f"backward() goes through "
                          f"{teacher} too, whose output {student} learns to give, and no optimizer "
                          "changes it", "going through it takes time and memory for nothing",
                          still, str(taught.where))


@dataclass
class Standing:
    """A network in training mode that is called without recording, and its numbers then."""

    network: Module
    where: Place
    numbers: list[int]
    times: int = 0
    calls: Counter = field(default_factory=Counter)      # by the pass before them, and the line


class TeacherInTraining(Check):
    """A network that nothing trains, called under no_grad() while its Dropout is on.

    Several calls on a line before the next pass are draws, which are to differ.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.calls: dict[int, Standing] = {}

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is not None and module.training and not state.grad:
            if id(module) not in self.calls:
                prints = [reading.fingerprint(p._data) for p in module.parameters()]
                self.calls[id(module)] = Standing(module, where, prints)
            seen = self.calls[id(module)]
            seen.times += 1
            if len(seen.calls) < CALLS:
                seen.calls[self.doctor.passes, str(where)] += 1

    def at_end(self) -> None:
        for seen in self.calls.values():
            own = {id(p) for p in seen.network.parameters()}
            stays = seen.numbers == [reading.fingerprint(p._data)
                                     for p in seen.network.parameters()]
            single = {number for (number, _), times in seen.calls.items() if times == 1}
            if len(single) >= TIMES and own and stays and not own & self.doctor.given and (
                    self.doctor.given and acts_by_mode(seen.network)):
                name = self.doctor.named(seen.network, "") or "the network"
                self.find(seen.where, "teacher-in-training-mode", f"`{name}`, which is not "
                          f"trained, was called in training mode {seen.times} times",
                          "Dropout is on, and BatchNorm uses the mean of this batch, and goes on "
                          "changing its running averages: what the other network learns from it is "
                          "not what it would say", f"call `{name}.eval()` once, before training")


def follows(network: Module) -> bool:
    """Whether the program itself wrote into all parameters of a network since the last step."""
    writes = [p._cell[1] for p in network.parameters()]
    return bool(writes) and all(w is not None and not is_own(w[1].co_filename)
                                and not w[0].endswith(".step") for w in writes)  # of an optimizer


def reached_as_output(roots: list[Node]) -> list[Node]:
    """The nodes that a loss is computed from, without those that lead only to its target."""
    found, stack = dict.fromkeys(roots), list(roots)
    while stack:
        node = stack.pop()
        edges = node.edges[:1] if type(node).__name__ in LOSSES else node.edges
        for n in edges:
            if n is not None and n not in found and not hasattr(n, "_is_target"):
                found[n] = None
                stack.append(n)
    return list(found)


def leaves_among(nodes: list[Node]) -> set[int]:
    """The ids of the leaves whose nodes these are."""
    return {id(n.variable) for n in nodes if isinstance(n, AccumulateGrad)}
