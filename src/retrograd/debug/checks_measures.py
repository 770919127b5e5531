"""Checks of what a program measures: the accuracies and errors that it computes to be read."""

from __future__ import annotations

import ast
import re
import weakref
from typing import Any

import numpy as np

from .._callers import caller
from .._state import state
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from . import reading
from . import source as S
from .check import Check, only
from .checks_scores import is_rearranged
from .checks_targets import UNFIT, is_spread
from .names import Names
from .places import Place, place, user_frames
from .programs import called_name

UPRIGHT = re.compile(r"None|newaxis|unsqueeze|-1, 1\)")     # for all pairs, on purpose
KEEPING = {"abs", "square", "pow", "float", "double", "long", "int", "type", "to", "cpu", "float32"}
TABLES = {"eq": "comparison", "ne": "comparison", "sub": "difference"}


class SpreadMeasure(Check):
    """pred (N, 1) and target (N,) of an evaluation, which meet as (N, N): `(pred == y).mean()`."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.examples = 0                        # of the last output of a network

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        shape = next((t._data.shape for t in reading.tensors_in(result)), ())
        self.examples = shape[0] if shape else 0

    def on_compared(self, name: str, t: Tensor, other: Tensor, result: Any) -> None:
        if t._data.shape == other._data.shape or result is None or name not in TABLES:
            return
        wide, row = sorted((t, other), key=lambda t: -t._data.ndim)
        shapes = tuple(wide._data.shape), tuple(row._data.shape)
        if not is_spread(*shapes) or shapes[0][0] != self.examples or (
                state.grad and result.requires_grad):          # which is SpreadTarget's
            return
        code, offset = caller()
        where, source = place(code, offset), S.read(code.co_filename)
        scope = source and source.scope(code)
        node = S.at(scope, where) if scope and where.columns else None
        if np.may_share_memory(wide._data, row._data) or node is None or UPRIGHT.search(
                ast.unparse(node)) or not is_reduced(node, scope):
            return
        names = Names(user_frames())
        words = [f"`{found}`" if (found := names.of(t)) else word
                 for t, word in ((wide, "the one"), (row, "the other"))]
        self.find(where, "spread-target", f"{words[0]} has the shape {shapes[0]} and {words[1]} "
                  f"{shapes[1]}: their {TABLES[name]} is {shapes[0][0], *shapes[1]}",
                  f"each output is compared with every target, so {UNFIT}",
                  f"give both the same shape, as with `.squeeze(1)` on {words[0]} or "
                  f"`.unsqueeze(1)` on {words[1]}")


def is_reduced(node: ast.AST, scope: Any, names: bool = True) -> bool:
    """Whether only the sum or the mean of an expression over all its elements is taken.

    If the expression is assigned to a variable, the uses of that variable are looked at instead.
    """
    while True:
        outer: Any = node.parent                                # type: ignore[attr-defined]
        if isinstance(outer, ast.Attribute) and isinstance(outer.parent, ast.Call):
            call: Any = outer.parent                            # type: ignore[attr-defined]
            name, given = outer.attr, call.args
        elif isinstance(outer, ast.Call) and node in outer.args[:1]:
            call, given = outer, outer.args[1:]
            name = S.dotted(call.func).rpartition(".")[2]
        elif isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Pow) and (
                outer.left is node):
            node = outer
            continue
        else:
            break
        if name in ("sum", "mean"):
            return not given and not any(k.arg in ("dim", "axis") for k in call.keywords)
        if name not in KEEPING:
            return False
        node = call
    if not names or not isinstance(outer, ast.Assign):
        return False
    kept = [ast.unparse(target) for target in S.targets(outer)]
    return len(kept) == 1 and any(is_reduced(n, scope, False) for n in S.inside(scope)
                                  if isinstance(n, (ast.Name, ast.Attribute))
                                  and isinstance(n.ctx, ast.Load) and ast.unparse(n) == kept[0])


class PickedOverBatch(Check):
    """`output.argmax(dim=0) == labels`, or softmax(dim=0) under no_grad(), of an output (N, C)."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.output: tuple[Any, tuple[int, ...]] = (None, ())    # the last one: its memory, shape
        self.picked: dict[int, tuple[weakref.ref, Place, tuple[int, ...]]] = {}

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if isinstance(result, Tensor) and type(result._data) is np.ndarray and (
                reading.has_parameters(module)):
            self.output = weakref.ref(reading.memory_of(result._data)), tuple(result._data.shape)

    def on_picked(self, name: str, t: Tensor, dim: int, result: Any) -> None:
        memory, shape = self.output
        if (memory is None or len(shape) != 2 or min(shape) < 2 or dim % 2 or t._data.shape != shape
                or any(map(reading.has_parameters, self.doctor.calling))
                or memory() is not reading.memory_of(t._data)):
            return
        where = place(*caller())
        if name != "softmax":
            places = reading.memory_of(result[1]._data if name == "max" else result._data)
            self.picked = {key: kept for key, kept in self.picked.items() if kept[0]() is not None}
            self.picked[id(places)] = weakref.ref(places), where, shape
        elif not state.grad:                     # else SoftmaxOverBatch sees it
            self.find(where, "softmax-over-batch", f"softmax() of an output {shape} goes over its "
                      f"{shape[0]} rows", *OVER_EXAMPLES)

    def on_compared(self, name: str, t: Tensor, other: Tensor, result: Any) -> None:
        for one, labels in ((t, other), (other, t)) if name == "eq" else ():
            if one._data.ndim == 0 and labels._data.ndim == 1 and are_labels(labels._data):
                self.of_all(place(*caller()), len(labels._data))
        for picked, labels in ((t, other), (other, t)) if self.picked and name != "sub" else ():
            memory, where, shape = self.picked.get(id(reading.memory_of(picked._data)), (0, 0, 0))
            if memory and memory() is not None and are_labels(labels._data):
                self.find(where, "picked-over-batch", "the largest numbers of an output "
                          f"{shape} are looked for along its {shape[0]} rows, and their places "  # type: ignore[index]
                          f"compared with labels, at {place(*caller())}", "that gives the example "
                          "that fits a class best, not the class that fits an example best: "
                          + UNFIT, "give the dimension of the classes: `argmax(dim=1)`")


    def of_all(self, where: Place, examples: int) -> None:
        """Tell of `scores.argmax() == labels`, or of a variable that was set to that."""
        source = S.read(where.file)
        line = None if source is None else S.statement_at(source, where)
        if source is None or line is None:
            return
        scope = next(n for n in S.around(line) if isinstance(n, S.Scope))
        sides = [side for n in ast.walk(line) if isinstance(n, ast.Compare)
                 for side in (n.left, n.comparators[0])]
        for side in sides:
            made = S.assignments(scope, side.id) if isinstance(side, ast.Name) else []
            node = getattr(made[0], "value", None) if len(made) == 1 else side
            function = isinstance(node, ast.Call) and S.dotted(node.func) == "torch.argmax"
            if isinstance(node, ast.Call) and called_name(node) == "argmax" and not (
                    node.keywords or len(node.args) > function):
                self.find(source.place(S.statement(node)), "picked-over-batch", "argmax() without "
                          "a dimension gives one place for the whole batch, and it is compared "
                          f"with {examples} labels, at {where}", "it looks for the largest of all "
                          "numbers, not for the class of each example: " + UNFIT,
                          "give the dimension of the classes: `argmax(dim=1)`")
                return


class HalfOfScores(Check):
    """`net(x) > 0.5` of a network that is trained with a loss "with logits": scores, not shares."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.outputs: dict[int, tuple[weakref.ref, int]] = {}    # memory -> the network
        self.of_scores: set[int] = set()         # networks whose outputs such a loss was given
        self.decided: dict[str, tuple[Place, int]] = {}

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if isinstance(result, Tensor) and type(result._data) is np.ndarray and (
                reading.has_parameters(module)):
            memory = reading.memory_of(result._data)
            self.outputs = {k: kept for k, kept in self.outputs.items() if kept[0]() is not None}
            self.outputs[id(memory)] = weakref.ref(memory), id(module)

    @only("BinaryCrossEntropyWithLogitsBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        source = node.edges[0]
        while source is not None and not hasattr(source, "_network") and is_rearranged(source):
            source = source.edges[0]             # forward() itself may end with squeeze()
        self.of_scores.add(id(getattr(source, "_network", None)))

    def on_decided(self, t: Tensor) -> None:
        memory, network = self.outputs.get(id(reading.memory_of(t._data)), (None, 0))
        numbers = t._data
        if memory is not None and memory() is not None and numbers.size and (
                numbers.min() < 0 or numbers.max() > 1):
            where = place(*caller())
            self.decided[str(where)] = where, network

    def at_end(self) -> None:
        for where, network in self.decided.values():
            if network in self.of_scores:
                self.find(where, "half-of-scores", "scores are compared with 0.5, or rounded, as "
                          "probabilities are", "the loss \"with logits\" takes scores of any size: "
                          "a probability of 0.5 is a score of 0, and one above 0.5 means 0.62",
                          "`output > 0`, or `torch.sigmoid(output) > 0.5`")


OVER_EXAMPLES = ("the probabilities of one class then sum to 1 over the examples of the batch, not "
                 "those of one example over the classes",
                 "give the dimension of the classes: `dim=1`, or `dim=-1`")


def are_labels(numbers: Any) -> bool:
    """Whether these are class numbers: some repeat, which the indices of examples do not."""
    return type(numbers) is np.ndarray and numbers.dtype.kind == "i" and (
        np.unique(numbers).size < numbers.size)


CHECKS = (SpreadMeasure, PickedOverBatch, HalfOfScores)
