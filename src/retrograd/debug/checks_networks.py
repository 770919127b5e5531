"""Checks of several networks: one that is trained by the loss of another, as in a GAN."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import reading
from .check import Check, Pass, only
from .checks_directions import sign_of
from .checks_teachers import HEADS, TIMES, TeacherInTraining, TrainedTeacher
from .checks_training import parameters_of
from .names import Names
from .places import Place, user_frames
from .reading import fingerprint

PASSES_KEPT = 200
RESULTS = 200            # the most outputs of networks whose memory is remembered


@dataclass
class Behind:
    """A network whose output another network received, in the backward passes of one line.

    The passes are kept by number in sets: those whose gradients a step used, those used together
    with the gradients of the network's own loss, those thrown away, and those in which the
    gradients of other leaves were used.
    """

    where: Place | None          # that called the other network
    pair: tuple[int, int]        # the ids of this network and of the other
    network: str
    output: str
    leaves: set[int]
    used: set[int] = field(default_factory=set)
    mixed: set[int] = field(default_factory=set)
    thrown: set[int] = field(default_factory=set)
    served: set[int] = field(default_factory=set)


class NotDetached(Check):
    """The loss that trains a discriminator goes on into the generator: a detach() is missing."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.now: Pass | None = None
        self.behind: dict[str, list[Behind]] = {}        # by the line of the pass
        self.lines: dict[int, str] = {}                  # of the last passes
        self.reached: dict[int, set[int]] = {}           # the leaves that a pass gave gradients
        self.steps: dict[int, set[int]] = {}             # the optimizers that used a pass
        self.parts: dict[int, set[int]] = {}             # the passes in leaf.grad, not used so far
        self.params: dict[int, set[int]] = {}            # of an optimizer
        self.stepped: set[int] = set()                   # leaves that a step has used gradients of

    def before_pass(self, task: Pass) -> None:
        self.now = task if task.fills else None
        if not task.fills:
            return
        line = str(task.where)
        if line not in self.behind:
            self.behind[line] = networks_behind(task, self.doctor.networks)
        self.lines[task.number], self.reached[task.number] = line, set()
        if len(self.lines) > PASSES_KEPT:
            oldest = next(iter(self.lines))
            for known in (self.lines, self.reached, self.steps):
                known.pop(oldest, None)                  # type: ignore[attr-defined]

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        for t in reading.tensors_in(result):
            if t.grad_fn is not None:
                t.grad_fn._called_at = where

    def after_pass(self, task: Pass) -> None:
        self.now = None

    def records(self, number: int) -> list[Behind]:
        return self.behind.get(self.lines.get(number, ""), [])

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if self.now is None or not self.doctor.is_trained(leaf):
            return
        parts = self.parts.setdefault(id(leaf), set())
        if parts and (leaf._grad is None or not reading.numbers(leaf._grad._data).any()):
            for number in parts:
                for record in self.records(number):
                    if id(leaf) in record.leaves:
                        record.thrown.add(number)
            parts.clear()
        parts.add(self.now.number)
        self.reached[self.now.number].add(id(leaf))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        params = parameters_of(optimizer)
        self.params[id(optimizer)] = {id(p) for p in params}
        for p in params:
            parts = self.parts.get(id(p))
            if parts and p._grad is not None:
                self.stepped.add(id(p))
                self.use(id(p), parts, id(optimizer))
                parts.clear()

    def use(self, leaf: int, parts: set[int], optimizer: int) -> None:
        """A step uses the gradients of several passes."""
        for number in parts:
            self.steps.setdefault(number, set()).add(optimizer)
            for record in self.records(number):
                if leaf not in record.leaves:
                    record.served.add(number)
                    continue
                record.used.add(number)
                if any(self.is_followed(number, other, optimizer) for other in parts):
                    record.mixed.add(number)

    def is_followed(self, first: int, second: int, optimizer: int) -> bool:
        """Whether two passes go through a network that another optimizer stepped between them."""
        others = self.steps.get(first, set()) - {optimizer}
        return self.lines.get(first) != self.lines.get(second) and first < second and any(
            self.params[other] & self.reached.get(second, set()) for other in others)

    def at_end(self) -> None:
        for record in [r for records in self.behind.values() for r in records]:
            name, output = record.network, record.output
            if len(record.served) < TIMES or not record.leaves & self.stepped:
                continue
            cure = f"give the other network `{output}.detach()`" if output else \
                f"cut the output of `{name}` off with detach() before the other network gets it"
            if len(record.mixed) >= TIMES:
                self.find(record.where, "not-detached", f"the loss that trains another network "
                          f"goes back into `{name}` too: its gradients are added to those of the "
                          f"loss that `{name}` is trained with", f"`{name}` learns from the sum "
                          "of both: in a GAN it is pushed to help the discriminator as well as to "
                          "fool it", cure)
            elif len(record.thrown) >= TIMES and not record.used:
                self.find(record.where, "not-detached", f"the loss that trains another network "
                          f"goes back into `{name}` too, and its gradients there are thrown away",
                          f"going through `{name}` takes time and memory for nothing, and makes "
                          "retain_graph=True necessary where its output is used again", cure)


def networks_behind(task: Pass, names: dict[int, str]) -> list[Behind]:
    """The networks whose output went into another network, on the way to a loss."""
    heads: list[Any] = [n for n in task.nodes if id(getattr(n, "_network", None)) in names][:HEADS]
    if len({id(head._network) for head in heads}) < 2:
        return []
    above = {n: head for head in heads for n in reading.nodes([head]) if n is not head}
    known, found = Names(user_frames()), {}
    for head in heads:
        if head in above:
            found[id(head._network)] = Behind(
                getattr(above[head], "_called_at", None),
                (id(head._network), id(above[head]._network)), names[id(head._network)],
                known.of(head) or "", {id(leaf) for leaf in reading.leaves([head])})
    return list(found.values())


@dataclass
class Judged:
    """A network that another one judges, and how often one optimizer stepped both by its loss."""

    maker: str
    judge: str
    own: set[int]                # ids of the parameters of the maker,
    judges: set[int]             # and of the judge
    pair: tuple[int, int]
    optimizer: Optimizer | None = None
    times: int = 0


class TrainedToLose(Check):
    """One optimizer for both networks of a GAN: the discriminator learns to be fooled."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, Place] = {}                 # the lines of the optimizers
        self.called: set[int] = set()                    # networks, since the last pass
        self.cut_off: dict[str, set[int]] = {}           # and not reached, by the line of the pass
        self.judged: dict[str, list[Judged]] = {}        # by the line of the pass
        self.line = ""
        self.spans: dict[str, tuple[int, int]] = {}      # the first and the last pass of a line
        self.parts: dict[int, set[str]] = {}             # lines of the passes in leaf.grad
        self.used: dict[int, set[str]] = {}              # and in those that steps have used

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.made[id(optimizer)] = where

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        self.called.add(id(module))

    def before_pass(self, task: Pass) -> None:
        if not task.fills:
            return
        self.line = str(task.where)
        self.spans[self.line] = self.spans.get(self.line, (task.number, 0))[0], task.number
        reached = {id(getattr(n, "_network", None)) for n in task.nodes}
        self.cut_off.setdefault(self.line, set()).update(self.called - reached)
        self.called.clear()
        if self.line not in self.judged:
            modules = {id(n._network): n._network for n in task.nodes if hasattr(n, "_network")}
            self.judged[self.line] = [
                Judged(record.network, self.doctor.networks[record.pair[1]], record.leaves,
                       {id(p) for p in modules[record.pair[1]].parameters()}, record.pair)
                for record in networks_behind(task, self.doctor.networks)]

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if self.doctor.is_trained(leaf):
            lines = self.parts.setdefault(id(leaf), set())
            if leaf._grad is None or not reading.numbers(leaf._grad._data).any():
                lines.clear()
            lines.add(self.line)

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        lines: dict[str, set[int]] = {}                  # and the parameters that they changed
        for p in parameters_of(optimizer):
            parts = self.parts.pop(id(p), set()) if p._grad is not None else ()
            for line in parts:
                lines.setdefault(line, set()).add(id(p))
                self.used.setdefault(id(p), set()).add(line)
        for line, changed in lines.items():
            for judged in self.judged.get(line, ()):
                if changed & judged.own and changed & (judged.judges - judged.own):
                    judged.times += 1
                    judged.optimizer = optimizer

    def take_turns(self, line: str, other: str) -> bool:
        """Whether the passes of two lines interleave: neither ended before the other began."""
        (first, last), (other_first, other_last) = self.spans[line], self.spans[other]
        return first < other_last and other_first < last

    def at_end(self) -> None:
        for line, records in self.judged.items():
            for judged in records:
                others = {used for key in judged.judges for used in self.used.get(key, ())
                          if used != line and self.take_turns(line, used) and judged.pair not in [
                              r.pair for r in self.judged.get(used, ())]}
                if judged.times >= TIMES and any(judged.pair[0] in self.cut_off.get(other, ())
                                                 for other in others):
                    self.tell(judged, line)

    def tell(self, judged: Judged, line: str) -> None:
        kind = type(judged.optimizer).__name__
        maker, judge = judged.maker, judged.judge
        self.find(self.made.get(id(judged.optimizer)), "trained-to-lose",
                  f"this optimizer steps both `{maker}` and `{judge}` by the loss of {line}, in "
                  f"which `{judge}` judges what `{maker}` makes",
                  f"the same step teaches `{judge}` to find that good, and undoes what it has "
                  "learned by its own loss",
                  f"an optimizer for each: `torch.optim.{kind}({maker}.parameters(), ...)` and "
                  f"`torch.optim.{kind}({judge}.parameters(), ...)`; after this loss call step() "
                  "of the first one only")


@dataclass
class Pushed:
    """Which way losses push a network's answers to data, and to the output of another network."""

    name: str
    data: set[int] = field(default_factory=set)      # the signs of the gradients there: of data,
    made: set[int] = field(default_factory=set)      # of what was made, cut off from its network,
    through: set[int] = field(default_factory=set)   # and of what was made, on the way back there
    times: int = 0                                   # of these
    where: Place | None = None

    def pulls_apart(self) -> bool:
        """Whether what was made is pushed the one way by its maker's loss, the other by its own."""
        return len(self.made | self.through) == 2 and not (
            self.made & self.through or 0 in self.made | self.through)


class SameSide(Check):
    """A generator whose loss pushes the answer the same way as the loss of the discriminator."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.makers: dict[int, tuple[weakref.ref, int]] = {}     # memory -> the network
        self.pushed: dict[int, Pushed] = {}
        self.fills = False
        self.users: dict[Node, Node] = {}

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if not isinstance(result, Tensor):
            return
        floats = [t for t in self.doctor.arguments if isinstance(t, Tensor)
                  and t._data.dtype.kind == "f"]
        if result.grad_fn is not None and len(floats) == 1:      # of two it may say how they fit
            given = floats[0]
            ref, maker = self.makers.get(id(reading.memory_of(given._data)), (None, 0))
            known = ref is not None and ref() is reading.memory_of(given._data)
            made = known and maker != id(module)
            if made or not known and not given.requires_grad:
                kind = "data" if not made else "through" if given.requires_grad else "made"
                result.grad_fn._says = id(module), kind
        memory = reading.memory_of(result._data)
        if type(memory) is np.ndarray:
            self.makers[id(memory)] = weakref.ref(memory), id(module)
        if len(self.makers) > RESULTS:
            self.makers = {key: pair for key, pair in self.makers.items() if pair[0]() is not None}

    def before_pass(self, task: Pass) -> None:
        self.fills = task.fills
        self.users = {e: n for n in task.nodes for e in n.edges if hasattr(e, "_says")}

    def before_run(self, node: Node, g: Any) -> None:
        said = getattr(node, "_says", None)
        if said is None or not self.fills:
            return
        network, kind = said
        name = self.doctor.networks.get(network, "")
        seen = self.pushed.setdefault(network, Pushed(name or "the discriminator"))
        getattr(seen, kind).add(sign_of(g))
        if kind == "through":
            seen.times += 1
            seen.where = reading.place_of(self.users[node]) if node in self.users else seen.where

    def at_end(self) -> None:
        for seen in self.pushed.values():
            if seen.times >= TIMES and seen.through == seen.made and len(seen.made | seen.data) \
                    == 2 and not seen.made & seen.data and 0 not in seen.made | seen.data:
                way = "down" if seen.made == {1} else "up"
                self.find(seen.where, "wrong-sign", f"this loss pushes the answer of `{seen.name}` "
                          f"{way} for what the generator makes, as the loss of `{seen.name}` does",
                          "the two should pull against each other: this way the generator learns "
                          "to make what is told apart most easily", "label its results as real "
                          "here: `loss(D(fake), ones)`; for a critic turn the sign, "
                          "`-D(fake).mean()`")


@dataclass
class LeftOut:
    """A network that takes part in losses: where it is called, and one of its parameters."""

    network: Module
    where: Place | None
    leaf: Tensor
    before: int                  # the fingerprint of that parameter
    behind: bool                 # whether its output goes into another network
    steps: set[int] = field(default_factory=set)         # passes that trained another network


class WithoutOptimizer(Check):
    """A network that takes part in the loss of another one, and that no optimizer knows."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.known: dict[int, LeftOut] = {}
        self.now: list[int] = []                 # the networks in the passes since the last step

    def before_pass(self, task: Pass) -> None:
        heads = [n for n in task.nodes if id(getattr(n, "_network", None)) in self.doctor.networks]
        for head in heads if task.fills else ():
            network: Any = head._network
            if id(network) not in self.known:
                leaf = next((p for p in network.parameters() if p.requires_grad), None)
                if leaf is None:
                    continue
                others = [n for n in heads if n._network is not network]
                self.known[id(network)] = LeftOut(
                    network, getattr(head, "_called_at", None), leaf, fingerprint(leaf._data),
                    any(head in reading.nodes([other]) for other in others))
            self.now.append(id(network))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        if len(self.known) < 2:
            self.now.clear()
            return
        filled = {id(p) for p in parameters_of(optimizer) if p._grad is not None}
        stepped = [key for key in self.now
                   if any(id(p) in filled for p in self.known[key].network.parameters())]
        for key in self.now if stepped else ():
            self.known[key].steps.add(self.doctor.passes)
        self.now.clear()

    def at_end(self) -> None:
        for key, left in self.known.items():
            name = self.doctor.networks[key]
            own = {id(p) for p in left.network.parameters()}
            if (len(left.steps) < TIMES or own & self.doctor.given or left.leaf._grad is None
                    or fingerprint(left.leaf._data) != left.before or not name
                    or not (left.behind or left.network.training)):
                continue
            self.find(left.where, "not-in-optimizer", f"`{name}` got gradients but no optimizer "
                      "changes it", "it takes part in the loss that another network is trained "
                      "by, and backward() goes through it",
                      f"give an optimizer `{name}.parameters()`; or, if it shall stay as it is, "
                      + ("call it inside `with torch.no_grad():`" if left.behind else
                         f"`{name}.requires_grad_(False)`") + ", which saves time and memory",
                      str(left.where))


CHECKS = (NotDetached, TrainedToLose, TrainedTeacher, TeacherInTraining, SameSide,
          WithoutOptimizer)
