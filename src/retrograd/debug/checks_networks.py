"""Checks of several networks: one that is trained by the loss of another, as in a GAN."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._tensor import Tensor
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import reading
from .checks_graph import tensors_in
from .checks_training import parameters_of
from .doctor import Check, Pass
from .names import Names
from .places import Place, user_frames

TIMES = 3                # that something happens in every turn
PASSES_KEPT = 200
HEADS = 20               # outputs of networks that are looked at in a pass


@dataclass
class Behind:
    """A network that another one got the output of, in the passes of one line.

    The passes are told by numbers: in which its gradients were used by a step, used together with
    those of its own loss, thrown away, and in which other leaves' gradients were used.
    """

    where: Place | None          # that called the other network
    network: str
    output: str
    leaves: set[int]
    used: set[int] = field(default_factory=set)
    mixed: set[int] = field(default_factory=set)
    thrown: set[int] = field(default_factory=set)
    served: set[int] = field(default_factory=set)


class NotDetached(Check):
    """The loss that trains a discriminator goes on into the generator, for want of detach()."""

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

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        for t in tensors_in(result) if outermost else ():
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
        """Whether two passes go through a network that another optimizer has stepped between."""
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
                getattr(above[head], "_called_at", None), names[id(head._network)],
                known.of(head) or "", {id(leaf) for leaf in reading.leaves([head])})
    return list(found.values())


NETWORK_CHECKS = (NotDetached,)
