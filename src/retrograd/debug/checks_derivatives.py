"""The check of second derivatives that a loss is made of, and that were not recorded."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ..autograd.node import AccumulateGrad, Node
from . import reading
from .check import Check, Pass, only
from .places import Place
from .reading import array_of

KEPT = 8                 # the most derivatives that are remembered in one step


class DeadDerivative(Check):
    """`u_xx = grad(u_x, x)[0]`, whose `u_x` was recorded, in a loss that goes through `u_x` too.

    The residual of an equation is right then, but its gradient leaves out this part.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.recorded: weakref.WeakSet[Node] = weakref.WeakSet()     # results with create_graph
        self.dead: list[tuple[np.ndarray, Place]] = []

    def after_pass(self, task: Pass) -> None:
        if task.fills:
            return
        if task.create:
            self.recorded.update(n for t in reading.tensors_in(task.results)
                                 if (n := reading.head(t)) is not None)
        elif len(self.dead) < KEPT and not self.recorded.isdisjoint(task.nodes) and any(
                self.doctor.is_trained(n.variable) for n in task.nodes
                if isinstance(n, AccumulateGrad)):
            self.dead += [(a, task.where) for a in reading.arrays_in(task.results) if a.any()]

    @only("AddBackward0", "SubBackward0", "RsubBackward1", "MulBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if self.dead and None in node.edges:
            given = array_of(variables.get("input" if node.edges[0] is None else "other"))
            node._dead = next((where for a, where in self.dead if is_made_of(given, a)), None)

    def before_pass(self, task: Pass) -> None:
        if not task.fills:
            return
        lines = {str(where): where for n in task.nodes if self.dead
                 and (where := getattr(n, "_dead", None)) is not None}
        for where in lines.values() if not self.recorded.isdisjoint(task.nodes) else ():
            self.find(where, "constant-penalty", "the derivative that is computed here is a part "
                      "of the loss that has no gradient", "the first derivative was recorded, and "
                      "this one was not: it counts as a number, and the network is not told how "
                      "to change it", "ask for that here too: "
                      "torch.autograd.grad(..., create_graph=True)")
        self.dead.clear()


def is_made_of(given: Any, derivative: np.ndarray) -> bool:
    """Whether an array is a derivative, or a column of it, times some number."""
    if type(given) is not np.ndarray or given.size < 2:
        return False
    if given.size == derivative.size:
        columns = [derivative]
    elif derivative.ndim == 2 and given.size == len(derivative):
        columns = list(derivative.T)
    else:
        return False
    flat = given.reshape(-1)
    for column in columns:
        numbers = column.reshape(-1)
        k = int(np.abs(numbers).argmax())
        if numbers[k] and flat[k] and np.allclose(
                flat, numbers * (flat[k] / numbers[k]), rtol=1e-4, atol=1e-6 * abs(flat[k])):
            return True
    return False


CHECKS = (DeadDerivative,)
