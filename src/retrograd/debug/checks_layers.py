"""Checks of layers that add nothing: two linear ones in a row, and a divergence that drowns all."""

from __future__ import annotations

import re
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.dropout import Dropout
from ..nn.modules.linear import Identity, Linear
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import reading
from .check import Check, Pass, only
from .checks_directions import STEPS, of_divergence
from .places import Place, place

PASSED_BY = (Identity, Dropout)          # between two layers, and no bend in what they compute
ON_PURPOSE = re.compile("linear|factor|low_?rank|lora", re.IGNORECASE)
TRAINED = 30             # steps with such layers: a sketch of a few steps may leave it out
MEAN = 1                 # reduction="mean", in the numbers that nodes of losses save
ERRORS = ("MseLossBackward0", "BinaryCrossEntropyBackward0",
          "BinaryCrossEntropyWithLogitsBackward0", "SmoothL1LossBackward0")


@dataclass
class Pair:
    """Two Linear layers of a Module, of which the second is given what the first returns."""

    first: Linear
    second: Linear
    network: Module
    between: weakref.ref         # the node that computed what is between
    where: Place
    steps: int = 0


class NoActivation(Check):
    """`self.fc2(self.fc1(x))`: two linear layers in a row can do what one of them can.

    A narrow first layer is meant so: it makes a product of low rank. So is a result between the two
    that something else uses, as an embedding of the examples.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.last: tuple[Linear, Module, weakref.ref] | None = None      # the layer called last
        self.now: dict[tuple[int, int], Pair] = {}
        self.pairs: dict[tuple[int, int], Pair] = {}

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        given = next(iter(self.doctor.arguments), None)
        follows = self.last is not None and given is not None and given is self.last[2]()
        if isinstance(module, PASSED_BY) and follows and self.last is not None:
            self.last = (*self.last[:2], weakref.ref(result))
        if type(module) is not Linear or not self.doctor.calling or not isinstance(result, Tensor):
            return
        owner = self.doctor.calling[-1]
        if follows and self.last is not None and self.last[1] is owner and (
                not ON_PURPOSE.search(type(owner).__name__)):
            first = self.last[0]
            head = reading.head(given)           # type: ignore[arg-type]
            if head is not None and first.out_features >= min(
                    first.in_features, module.out_features):
                self.now[id(first), id(module)] = Pair(
                    first, module, self.doctor.calling[0], weakref.ref(head),
                    where or place(*caller()))
        self.last = module, owner, weakref.ref(result)

    def before_pass(self, task: Pass) -> None:
        for key, pair in self.now.items() if task.fills else ():
            head = pair.between()
            if head is not None and sum(e is head for n in task.nodes for e in n.edges) == 1:
                self.pairs.setdefault(key, pair).steps += 1
        self.now.clear()
        self.last = None

    def at_end(self) -> None:
        for pair in self.pairs.values():
            trained = all(id(layer.weight) in self.doctor.given for layer in (
                pair.first, pair.second))
            if pair.steps >= TRAINED and trained and pair.first is not pair.second:
                self.find(pair.where, "no-activation", f"{self.called(pair.first, pair.network)} "
                          f"and {self.called(pair.second, pair.network)}, two Linear "
                          "layers, follow each other with nothing in between", "one linear layer "
                          "after the other can do what a single one can, whatever their widths: "
                          "only an activation between them bends the lines that they fit",
                          "`torch.relu(...)` between them in forward(), or nn.ReLU() in "
                          "nn.Sequential; or leave out one of the two")
                return

    def called(self, layer: Module, network: Module) -> str:
        """What the program calls a layer of a network: "`net.fc1`"."""
        path = next((n for n, m in network.named_modules() if m is layer), "")
        return f"`{self.doctor.named(network, path)}`"


class DrownedError(Check):
    """`F.mse_loss(recon, x) - 0.5 * torch.sum(1 + log_var - ...)`: a mean and a sum.

    The loss of a VAE has a sum of both, or a mean over the examples of both.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.error = 0                           # of this pass: it is the mean of so many numbers
        self.divergence: Place | None = None
        self.fills = False
        self.lines: dict[str, list] = {}

    def before_pass(self, task: Pass) -> None:
        self.error, self.divergence, self.fills = 0, None, task.fills

    def after_pass(self, task: Pass) -> None:
        self.fills = False

    @only("SumBackward0", *ERRORS)
    def before_run(self, node: Node, g: Any) -> None:
        weight = reading.array_of(g) if self.fills else None
        if not isinstance(weight, np.ndarray) or weight.size != 1:
            return
        if type(node).__name__ == "SumBackward0":
            if abs(weight.item()) == 0.5 and of_divergence(
                    node.edges[0])[0] is not None:
                self.divergence = reading.place_of(node)
        elif weight.item() == 1.0 and getattr(node, "_saved_reduction", None) == MEAN:
            self.error = next((s.array.size for s in reading.saved(node) if s.name == "self"), 0)

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        if self.error > 1 and self.divergence is not None:
            line = self.lines.setdefault(str(self.divergence), [self.divergence, self.error, 0])
            line[2] += 1
        self.error, self.divergence = 0, None

    def at_end(self) -> None:
        for where, count, times in self.lines.values():
            if times >= STEPS:
                self.find(where, "mean-and-sum", "the Kullback-Leibler divergence is summed over "
                          f"the whole batch, and the error is the mean of {count} numbers",
                          f"the divergence counts {count} times as much as it should beside the "
                          "error: the code of every input is driven to the prior, and all outputs "
                          "become the same", "reduction='sum' for the error as well; or for both "
                          "the sum over an example, and the mean over the examples: "
                          "`(-0.5 * (...).sum(1)).mean()` and `error.sum(1).mean()`")


CHECKS = (NoActivation, DrownedError)
