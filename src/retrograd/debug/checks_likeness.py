"""Checks of losses that compare two outputs: pairs without a counterpart, labels turned round."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from . import reading
from .check import Check, Pass
from .checks_directions import STEPS, sign_of, without_numbers
from .checks_forms import HINGES, behind_margin, is_distance
from .checks_goals import FAR, is_cosine
from .places import Place

EQUAL = 8                # the most comparisons of classes that are remembered
PAIRS = 4                # the least number of pairs in one
LINEAR = ("AddBackward0", "SubBackward0", "NegBackward0", "MulBackward0", "DivBackward0",
          "RsubBackward1", "MeanBackward0", "MeanBackward1", "SumBackward0")


class OnlyAlike(Check):
    """A loss that makes two outputs of one network alike, and has no other part.

    The network that gives the same for every input makes it smallest. Siamese networks of this kind
    learn because one of the sides is detached.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.pairs: set[Node] = set()                    # in this pass
        self.found: list[tuple[Node, bool]] = []
        self.lines: dict[str, tuple[Place, list[bool]]] = {}

    def before_pass(self, task: Pass) -> None:
        self.found.clear()
        parts = parts_of(task.roots[0]) if task.fills and len(task.roots) == 1 else []
        self.pairs = set(parts) if parts and all(map(compares_outputs, parts)) else set()

    def before_run(self, node: Node, g: Any) -> None:
        if node in self.pairs:
            made_small = not is_cosine(node)
            self.found.append((node, sign_of(g) == (1 if made_small else -1)))

    def after_pass(self, task: Pass) -> None:
        self.pairs = set()

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        for node, alike in self.found:
            line = reading.place_of(node)
            if line is not None:
                self.lines.setdefault(str(line), (line, []))[1].append(alike and not uphill)
        self.found.clear()

    def at_end(self) -> None:
        for where, alike in self.lines.values():
            if len(alike) >= STEPS and all(alike):
                self.find(where, "collapse", "two outputs of one network are made alike, and the "
                          "loss has no other part", "it is smallest where the network gives the "
                          "same for every input: nothing keeps different inputs apart",
                          "`.detach()` on one of the two, with a layer more behind the other, as "
                          "SimSiam does; or a part that pushes different inputs apart, as "
                          "F.cross_entropy(z1 @ z2.t() / 0.1, torch.arange(len(z1))) has")


def parts_of(root: Node) -> list[Node]:
    """The results that a loss is a sum of, times numbers; [] where it is made otherwise."""
    waiting, parts = [root], []
    for _ in range(FAR):
        if not waiting:
            return parts
        node = waiting.pop()
        several = [e for e in node.edges if e is not None]
        if is_cosine(node) or type(node).__name__ == "MseLossBackward0" or sides_of_divergence(
                node):
            parts.append(node)
        elif type(node).__name__ in LINEAR and (len(several) == 1 or type(node).__name__ in (
                "AddBackward0", "SubBackward0")) and getattr(node, "_weights", None) is None:
            waiting += several
        else:
            return []
    return []


def compares_outputs(node: Node) -> bool:
    """Whether a cosine or an error compares two results of the same weights."""
    if is_cosine(node):
        node = node.edges[0]                     # type: ignore[assignment]
    pair = sides_of_divergence(node) or tuple(map(behind_widening, node.edges[:2]))
    if len(pair) < 2 or None in pair or any(
            type(e).__name__ in ("AddBackward0", "SubBackward0") and None in e.edges
            for e in pair if e is not None):     # as a reward and the value of what follows
        return False
    sides = [{id(n.variable) for n in reading.nodes([e]) if isinstance(n, AccumulateGrad)
              and isinstance(n.variable, Parameter) and n.variable._data.ndim > 1}
             for e in pair if e is not None]
    return pair[0] is not pair[1] and bool(sides[0] & sides[1]) and (
        sides[0] <= sides[1] or sides[1] <= sides[0])


def behind_widening(node: Node | None) -> Node | None:
    """The node that computed a result, before it was made as wide as another one."""
    while type(node).__name__ == "ExpandBackward0" and node is not None:
        node = node.edges[0]
    return node


def sides_of_divergence(node: Any) -> tuple[Node, Node] | None:
    """The two results that kl_div() compares, where both have a history."""
    if type(node).__name__ != "SubBackward0" or None in node.edges:
        return None
    first, second = node.edges
    target = first.edges[0] if type(first).__name__ == "XlogyBackward0" else None
    if target is None or type(second).__name__ != "MulBackward0" or target not in second.edges:
        return None
    other = next((e for e in second.edges if e is not target), None)
    return None if other is None else (target, other)


class TurnedLabels(Check):
    """`(1 - same) * d ** 2 + same * F.relu(margin - d) ** 2`, where `same = (i == j)`."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.equal: deque[np.ndarray] = deque(maxlen=EQUAL)

    def on_compared(self, name: str, t: Tensor, other: Tensor, result: Any) -> None:
        equal = reading.array_of(result)
        if name == "eq" and type(equal) is np.ndarray and equal.size >= PAIRS and (
                t._data.dtype.kind == other._data.dtype.kind == "i"
                and 0 < np.count_nonzero(equal) < equal.size):
            self.equal.append(equal)

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills and self.equal else ():
            weights = getattr(node, "_weights", None)
            if weights is None or type(node).__name__ != "MulBackward0":
                continue
            if any(np.array_equal(weights._data, equal) for equal in self.equal) and (
                    pushes_apart(reading.only_source(node))):
                self.find(reading.place_of(node), "wrong-sign", "the distance of pairs of the "
                          "same class is made large, up to the margin",
                          "the hinge of `margin - distance` pushes apart, and it is weighed by 1 "
                          "where the two classes are equal",
                          "the other way round: `same * d ** 2 + (1 - same) * F.relu(margin - d) "
                          "** 2`")
        self.equal.clear()


def pushes_apart(node: Any) -> bool:
    """Whether a result is a hinge of `margin - distance`, or its square."""
    _, (node, _) = without_numbers((node, 0))
    if type(node).__name__ == "PowBackward0":
        node = node.edges[0]
    inner: Any = node.edges[0] or node.edges[-1] if type(node).__name__ in HINGES else None
    turned = type(inner).__name__ == "RsubBackward1" or type(
        inner).__name__ == "SubBackward0" and inner.edges[0] is None
    return turned and is_distance(behind_margin(reading.only_source(inner)))


CHECKS = (OnlyAlike, TurnedLabels)
