"""Checks of shares: a mean that is divided again, and the two shares of mixed examples."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from .._tensor import Tensor
from ..autograd.node import Node
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_settings import OfPasses
from .places import Place
from .programs import called_name

MEAN = 1                 # reduction="mean", in the numbers that nodes of losses save
PASSES = 3
OF_A_BATCH = re.compile(r"size\(0\)|shape\[0\]|\blen\(|batch|\b(bs|BS|b|B|n|N)\b")


@dataclass
class Divided:
    """A line that divides a mean over a batch by the number of its examples."""

    where: Place
    size: int
    text: str
    times: int = 0


class DividedTwice(Check):
    """`F.mse_loss(out, y) / len(x)`: the mean over the batch, divided by its size once more.

    Where gradients are summed over several passes, the number may be that of these.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, Divided] = {}
        self.now: list[Divided] = []             # of this pass
        self.summed = False                      # over several passes

    def before_pass(self, task: Pass) -> None:
        self.now = []
        for node in task.nodes if task.fills else ():
            size = divided_again(node)
            where = reading.place_of(node) if size else None
            if where is None:
                continue
            seen = self.lines.get(str(where))
            if seen is None:
                seen = self.lines[str(where)] = Divided(where, size, divisor_at(where))
            self.now.append(seen)

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if self.now:
            self.summed |= leaf._grad is not None and not reading.are_zeros(leaf._grad)
            for seen in self.now:
                seen.times += 1
            self.now = []                        # one leaf is enough to tell

    def at_end(self) -> None:
        for seen in self.lines.values() if not self.summed else ():
            if seen.times >= PASSES and OF_A_BATCH.search(seen.text):
                self.find(seen.where, "divided-twice", f"the mean over a batch of {seen.size} is "
                          f"divided by {seen.size} once more",
                          "losses take the mean by themselves: all gradients are "
                          f"{seen.size} times too small, and training goes as slowly",
                          f"leave out `/ {seen.text}`, or let the loss sum up, `reduction=\"sum\"`")


def divided_again(node: Any) -> int:
    """How many examples a mean was taken over, if a node divides it by their number; else 0."""
    if type(node).__name__ != "DivBackward0" or node.edges[0] is None or node.edges[1:] != (
            None,) or reading.is_freed(node):
        return 0
    mean, divisor = node.edges[0], reading.array_of(node._saved_other)
    if type(mean).__name__ == "MeanBackward0":
        sizes = tuple(mean._saved_self_sym_sizes)                # type: ignore[attr-defined]
    elif getattr(mean, "_saved_reduction", None) == MEAN and not reading.is_freed(mean):
        sizes = reading.array_of(mean._saved_self).shape         # type: ignore[attr-defined]
    else:
        return 0
    return sizes[0] if sizes and divisor.ndim == 0 and divisor == sizes[0] > 1 else 0


def divisor_at(where: Place) -> str:
    """What a line divides by, as text."""
    source = S.read(where.file)
    statement = None if source is None else S.statement_at(source, where)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            return ast.unparse(node.right if isinstance(node, ast.BinOp) else node.value)
    return ""


class MixedShares(OfPasses):
    """mixup whose inputs are mixed `lam` to `1 - lam`, and whose losses the other way round.

    Also one that draws an order for the inputs, and another for their targets.
    """

    def read(self, source: S.Source) -> None:
        for scope in (source.tree, *source.functions.values()):
            mixes = [mix for n in S.inside(scope) if isinstance(n, ast.BinOp)
                     and (mix := mixed(n, scope)) is not None]
            for first, second in zip(mixes, mixes[1:], strict=False):
                if first[:2] == second[:2] and first[2] != second[2]:
                    self.tell(source, first, second)
                elif first[0] == second[0] and first[4] != second[4] and all(
                        "randperm(" in mix[1] for mix in (first, second)):
                    self.find(source.place(S.statement(second[3])), "shuffled-alone",
                              f"`{first[4]}` and `{second[4]}` are mixed in two orders, each drawn "
                              "by itself", "an example is mixed with one other, and its target "
                              "with that of another", "one order for both: `order = "
                              f"{second[1]}`, and `{second[4]}[order]`")

    def tell(self, source: S.Source, first: Any, second: Any) -> None:
        share, order, plain, _, text = first
        mine = share if plain else f"1 - {share}"
        self.find(source.place(S.statement(second[3])), "mixed-shares", f"here the own target has "
                  f"the share `{share if second[2] else f'1 - {share}'}`, and in the mixture of "
                  f"`{text}` the own example has `{mine}`", "the loss asks for the other example's "
                  "class the more, the less there is of it in the input",
                  f"the same shares in both: `{mine}` for what has no `[{order}]`")


def mixed(node: ast.BinOp, scope: ast.AST) -> tuple | None:
    """A sum `share * x + (1 - share) * x[order]`: (share, order, which is mine, node, x), or None.

    The parts may be losses, whose targets are `y` and `y[order]`.
    """
    parts = node.left, node.right
    if not isinstance(node.op, ast.Add) or not all(
            isinstance(p, ast.BinOp) and isinstance(p.op, ast.Mult) for p in parts):
        return None
    (weight, one), (rest, other) = [(ast.unparse(p.left), p.right) for p in parts]  # type: ignore
    of_rest = re.compile(r"\(?1(?:\.0)? - (.+?)\)?")
    if (match := of_rest.fullmatch(rest)) and match[1] == weight:
        share, first = weight, True
    elif (match := of_rest.fullmatch(weight)) and match[1] == rest:
        share, first = rest, False
    else:
        return None
    texts = [target_of(part, scope) for part in (one, other)]
    for text, shuffled in ((texts[0], texts[1]), texts[::-1]):
        if shuffled.startswith(f"{text}[") and shuffled.endswith("]"):
            mine = first if text is texts[0] else not first
            return share, shuffled[len(text) + 1:-1], mine, node, text
    return None


def target_of(part: ast.expr, scope: ast.AST) -> str:
    """What is mixed, as text; of a loss its target, also one that a line has named before."""
    if isinstance(part, ast.Call) and len(part.args) > 1 and called_name(part) != "index_select":
        part = part.args[1]
    if isinstance(part, ast.Name):
        made = S.assignments(scope, part.id)
        value = made[0].value if len(made) == 1 and isinstance(made[0], ast.Assign) else None
        for target in made[0].targets if value is not None else ():      # type: ignore
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                names = [ast.unparse(t) for t in target.elts]
                value = value.elts[names.index(part.id)] if part.id in names else None
        if isinstance(value, (ast.Subscript, ast.Name)) and (
                isinstance(value, ast.Name) or isinstance(value.slice, ast.Name)):
            return ast.unparse(value)
    return ast.unparse(part)


class OfItself(Check):
    """`F.mse_loss(decoded, decoded)`: a loss that is 0, whatever the network gives."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, int] = {}

    @only("MseLossBackward0", "SmoothL1LossBackward0", "HuberLossBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        cells = {s.name: s.cell for s in reading.saved(node)}
        same = node.edges[0] is node.edges[1] is not None or (
            "target" in cells and cells.get("self") is cells["target"]
            and reading.array_of(node._saved_self).shape == node._saved_target.shape)    # type: ignore
        if not same:
            return
        where = reading.place_of(node)
        times = self.lines[str(where)] = self.lines.get(str(where), 0) + 1
        if times == PASSES:
            self.find(where, "compared-with-itself", "a result is compared with itself: the "
                      "difference is 0, whatever the network gives",
                      "its gradient is 0 as well, and nothing is learned",
                      "give the target as the second one: `F.mse_loss(output, target)`")


CHECKS = (DividedTwice, MixedShares, OfItself)
