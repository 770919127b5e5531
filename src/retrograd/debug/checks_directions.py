"""Checks of where training goes: uphill, by a wrong sign, or further away with each step."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_losses import UNSQUEEZED, is_chosen_log_prob
from .checks_training import parameters_of
from .checks_values import largest
from .places import Place, place
from .reading import array_of

MANY = 32                # so many normal numbers are never all above 0
STEPS = 5                # steps in a row that make a finding
TERMS = 20               # the most terms of a sum that are looked at
FARTHER = 1000           # a diverging loss is so many times the first one,
GROWN = 10               # and the parameters so many times: else it is the data
REWARD = re.compile(r"(^|_)(rew|reward|ret|return|adv|advantage|gae|score)s?(_|\d|$)|^[RG]s?$"
                    r"|^G_?t$|discounted", re.IGNORECASE)
SHORT_REWARD = re.compile(r"^r\d*$|^rs$")
SURPRISE = re.compile(r"(^|_)(td|delta|surprise)s?(_|\d|$)", re.IGNORECASE)     # at a reward
TAKEN_AT = ("IndexBackward0", "GatherBackward0")
SIZES = ("PowBackward0", "AbsBackward0", "LinalgVectorNormBackward0", "NormBackward0")
LOOKED_AT = ("MeanBackward0", "SumBackward0", "MeanBackward1", "SumBackward1", "MulBackward0",
             "AddBackward0", "SubBackward0", *SIZES)
EXPLAINED = ("nan-forward", "nan-backward", "wrong-sign", "not-cleared", "trained-to-lose",
             "wrong-backward", "swapped-target", "scaled-step")


def is_positive(g: Any, somewhere: bool = False) -> bool:
    """Whether a gradient is above 0 everywhere, so that steps make its tensor smaller.

    With `somewhere` it may be 0 in places, as the gradient of torch.min() is.
    """
    g = array_of(g)
    return isinstance(g, np.ndarray) and g.dtype.kind == "f" and g.size > 0 and bool(
        g.min() >= 0 < g.max() if somewhere else g.min() > 0)


def sign_of(g: Any) -> int:
    """1 or -1 if no element of a gradient has the other sign, 0 if the signs differ."""
    if is_positive(g, somewhere=True):
        return 1
    g = array_of(g)
    return -1 if isinstance(g, np.ndarray) and is_positive(-g, somewhere=True) else 0


def behind_views(node: Any) -> Any:
    """The node that computed a result, behind any squeeze() and the like."""
    while type(node).__name__ in UNSQUEEZED:
        node = node.edges[0]
    return node


def is_log_prob(node: Any) -> bool:
    """Whether a result is log_prob() of what was drawn, or several of them."""
    node = behind_views(node)
    if type(node).__name__ == "ExpBackward0" and type(node.edges[0]).__name__ == "SubBackward0":
        node = behind_views(node.edges[0].edges[0])      # the ratio of two: exp(new - old)
    if type(node).__name__ in ("StackBackward0", "CatBackward0"):
        node = behind_views(node.edges[0])
    while type(node).__name__ in ("SumBackward0", "SumBackward1"):       # over several actions
        node = node.edges[0]
    if getattr(node, "_is_scored", False):               # of any distribution
        return True
    return type(node).__name__ != "NegBackward0" and is_chosen_log_prob(node)


def turned_ratio(node: Any) -> Any:
    """The node of exp(old - new) behind clamp() and views, of the logarithms of probabilities."""
    node = behind_views(node)
    if type(node).__name__.startswith("Clamp"):
        node = node.edges[0]
    between: Any = node.edges[0] if type(node).__name__ == "ExpBackward0" else None
    turned = type(between).__name__ == "SubBackward0" and between.edges[0] is None and (
        is_log_prob(between.edges[1]))
    return node if turned else None


def terms_of_sum(node: Any) -> Iterator[tuple[int, Node]]:
    """The parts of a sum of tensors, (1, a) and (-1, b) for a - b; not what they are made of."""
    for sign, (part, _) in edges_of_sum(node):
        yield sign, part


class WrongDeviation(Check):
    """`z = mu + log_var * noise`, or `mu + log_var.exp() * noise`, beside a KL of `log_var`.

    The divergence 1 + log_var - mu**2 - exp(log_var) says what the two numbers mean.
    """

    rests = True

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        if what in (".data", "detach()") and (node := reading.head(t)) is not None:
            node._cut_at = caller()

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            if type(node).__name__ in ("AddBackward0", "SubBackward0"):
                log_var, mean = of_divergence(node)
                if log_var is not None and mean is not None:
                    self.look_for_cut(task, log_var, mean)
                    self.look_at(task, log_var, mean)

    def look_for_cut(self, task: Pass, log_var: Edge, mean: Edge) -> None:
        """At `mean.detach()` and `log_var.detach()`, where the divergence alone has `mean`."""
        users = {type(n).__name__ for n in task.nodes if mean in edges_of(n)}
        if users == {"PowBackward0"} and all(hasattr(n, "_cut_at") for n, _ in (mean, log_var)):
            self.find(place(*mean[0]._cut_at), "detached-draw", "the mean and the variance are "
                      "taken without their history, and meet the loss in the divergence only",
                      "the decoder's error does not reach the encoder: the divergence alone "
                      "teaches it, and makes all codes alike",
                      "draw with the tensors themselves: `mu + torch.exp(0.5 * log_var) * "
                      "torch.randn_like(mu)`")

    def look_at(self, task: Pass, log_var: Edge, mean: Edge) -> None:
        """At the draws `mean + deviation * noise` of a pass."""
        for node in task.nodes:
            several = edges_of(node) if type(node).__name__ == "AddBackward0" else []
            product = [n for n, _ in several if type(n).__name__ == "MulBackward0"
                       and n.edges.count(None) == 1]
            if mean not in several or len(product) != 1:
                continue
            (deviation,) = [e for e in edges_of(product[0]) if e[0] is not None]
            variance = type(deviation[0]).__name__ == "ExpBackward0" and edges_of(
                deviation[0])[0] == log_var
            if deviation == log_var or variance:
                self.find(reading.place_of(node), "wrong-deviation", "noise is multiplied by "
                          + ("the variance" if variance else "the logarithm of the variance")
                          + ", and not by the standard deviation", "the divergence in this loss "
                          "takes the same number for the logarithm of the variance: what is drawn "
                          "here is from another distribution", "`mean + torch.exp(0.5 * log_var) "
                          "* noise`")
            elif is_even_noise(product[0]):
                self.find(reading.place_of(node), "wrong-deviation", "the noise is between 0 and "
                          "1, as torch.rand() draws it", "the divergence in this loss is that of "
                          "a normal distribution, whose noise has the mean 0 and the deviation 1: "
                          "here no draw is below the mean", "`torch.randn_like(mean)`")


def is_even_noise(product: Node) -> bool:
    """Whether the given factor of a product is many numbers between 0 and 1."""
    factors = [s.array for s in reading.saved(product)]
    return len(factors) == 1 and factors[0].size >= MANY and bool(
        0 <= factors[0].min() < factors[0].max() < 1)


Edge = tuple[Any, int]


def edges_of(node: Node) -> list[Edge]:
    """The nodes that a result was computed from, each with the number of its output."""
    return list(node.next_functions)


def of_divergence(node: Node) -> tuple[Edge | None, Edge | None]:
    """`log_var` and `mean` of 1 + log_var - mean**2 - exp(log_var), where a sum is made so."""
    parts = list(edges_of_sum(node))
    for sign, (part, _) in parts:
        inner = edges_of(part)[0] if type(part).__name__ == "ExpBackward0" else None
        if inner is not None and (-sign, inner) in parts:
            squares = [edges_of(n)[0] for s, (n, _) in parts
                       if s == sign and type(n).__name__ == "PowBackward0"]
            return inner, squares[0] if len(squares) == 1 else None
    return None, None


def edges_of_sum(node: Node) -> Iterator[tuple[int, Edge]]:
    """The parts of a sum of tensors as terms_of_sum() gives them, each with its output's number."""
    waiting: list[tuple[int, Edge]] = [(1, (node, 0))]
    for _ in range(TERMS):
        if not waiting:
            return
        sign, (node, number) = waiting.pop()
        kind = type(node).__name__
        if kind in ("AddBackward0", "SubBackward0", "NegBackward0") and node._scale == 1:
            second = -sign if kind != "AddBackward0" else sign
            first = second if kind == "NegBackward0" else sign
            waiting += [(s, e) for s, e in zip((first, second), edges_of(node), strict=False)
                        if e[0] is not None]
        elif node is not None:
            yield sign, (node, number)


class WrongSign(Check):
    """A loss that lowers the log-probability of the right answer, or raises a divergence."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.times: dict[tuple, list] = {}       # by the kind and line: how often in a row, what g
        self.waiting: list[tuple] = []           # what this pass has shown, until a step follows
        self.weights: set[int] = set()           # matrices and the like, of Modules
        self.fills = False

    def on_part(self, module: Module, name: str, part: Parameter | Module, line: tuple) -> None:
        if isinstance(part, Parameter) and part._data.ndim > 1:
            self.weights.add(id(part))

    def before_pass(self, task: Pass) -> None:
        self.fills = task.fills

    @only("AddBackward0", "SubBackward0", "NegBackward0", "MulBackward0", "DivBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        node._scale = variables.get("alpha", 1)
        other = variables.get("other")
        number = isinstance(other, Tensor) and other._data.size == 1 and not other.requires_grad
        node._factor = other._data.item() if number else None

    @only(*LOOKED_AT)
    def before_run(self, node: Node, g: Any) -> None:
        kind = type(node).__name__
        if not self.fills:
            return
        if kind in ("MeanBackward0", "SumBackward0", "MeanBackward1", "SumBackward1"):
            chosen = behind_views(node.edges[0])
            if type(chosen).__name__ in TAKEN_AT and type(
                    chosen.edges[0]).__name__ == "LogSoftmaxBackward0" and is_positive(g):
                self.waiting.append(("labels", chosen, array_of(g).item(0)))
        elif kind == "MulBackward0":
            sides = [e for e in node.edges if e is not None]
            if len(sides) == 1 and is_log_prob(sides[0]) and is_positive(g, somewhere=True):
                self.waiting.append(("reward", node, 0.0))
            elif len(sides) == 1 and sign_of(g) == -1 and (
                    ratio := turned_ratio(sides[0])) is not None and names_reward(
                    reading.place_of(node)):
                self.waiting.append(("ratio", ratio, 0.0))
        elif kind in SIZES:
            leaf = getattr(node.edges[0], "variable", None)
            if id(leaf) in self.weights & self.doctor.given and sign_of(g) == -1 and is_size(node):
                self.waiting.append(("weights", node, array_of(g).item(0)))
        elif self.falls_without_end(node, g):
            self.waiting.append(("divergence", node, 0.0))
        elif kind in ("AddBackward0", "SubBackward0") and variance_grows(node, sign_of(g)):
            self.waiting.append(("variance", node, 0.0))

    def falls_without_end(self, node: Node, g: Any) -> bool:
        """Whether x - exp(x) is made small, as by a Kullback-Leibler divergence of wrong sign."""
        parts = list(terms_of_sum(node))
        several = {e: sign for sign, e in parts}
        for sign, part in parts:
            inner = part.edges[0] if type(part).__name__ == "ExpBackward0" else None
            if inner is not None and several.get(inner) == -sign:
                return is_positive(g if sign < 0 else -array_of(g))
        return False

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        for kind, node, g in () if uphill else self.waiting:
            line = reading.place_of(node)
            if line is None or kind == "reward" and not names_reward(line):
                continue
            seen = self.times.setdefault((kind, str(line)), [line, 0, g])
            seen[1] = seen[1] + 1 if seen[2] == g else 0
        self.waiting.clear()

    def at_end(self) -> None:
        for (kind, _), (line, times, _) in self.times.items():
            if times >= STEPS:
                self.find(line, "wrong-sign", *SAID[kind])


SAID = {
    "weights": ("the size of parameters is made large", "a step makes the loss smaller, and this "
                "part of it falls as the parameters grow: a penalty is added, not subtracted",
                "a plus in front of it: `loss = loss + 0.01 * penalty`"),
    "labels": ("the logarithm of the right answers' probability is made small", "a step makes the "
               "loss smaller: without a minus sign it teaches the network to give the right answer "
               "the smallest probability", "put a minus in front of it, or take F.cross_entropy() "
               "or F.nll_loss(), which have one"),
    "reward": ("the logarithm of the chosen action's probability, or a ratio made of it, times its "
               "reward is made small",
               "a step makes the loss smaller: without a minus sign actions become rarer, the "
               "more reward they have brought", "put a minus in front of it: "
               "`loss = -(log_prob * reward).mean()`"),
    "ratio": ("the ratio that is made large is that of the old probability to the new one",
              "it grows as the new probability falls: actions become rarer, the more reward they "
              "have brought", "`ratio = torch.exp(new_log_prob - old_log_prob)`"),
    "variance": ("the logarithm of the variance is made large", "an error divided by the variance "
                 "falls as the variance grows, and the logarithm is there to stop that: with a "
                 "minus the loss falls without end, whatever the mean is",
                 "a plus: `0.5 * (log_var + (y - mean)**2 / log_var.exp())`"),
    "divergence": ("the Kullback-Leibler divergence is made large: `x - exp(x)` falls without end",
                   "`1 + log_var - mu**2 - exp(log_var)` is below 0, and is 0 where the two "
                   "distributions are equal: the divergence is that times -0.5, and without the "
                   "minus a step moves them apart", "`-0.5 * (1 + log_var - mu**2 - "
                   "log_var.exp()).sum()`"),
}


def variance_grows(node: Node, direction: int) -> bool:
    """Whether a sum x / exp(v) - v, or x * exp(-v) - v, is made small: it has no smallest value."""
    parts = [(sign * own, edge) for sign, part in edges_of_sum(node)
             for own, edge in [without_numbers(part)]]
    signs = {edge: sign for sign, edge in parts}
    for sign, (part, _) in parts:
        own, inner = 1, None
        if type(part).__name__ == "DivBackward0" and type(part.edges[1]).__name__ == "ExpBackward0":
            own, inner = without_numbers(edges_of(part.edges[1])[0])
        elif type(part).__name__ == "MulBackward0":
            factors = [without_numbers(e) for e in edges_of(part) if e[0] is not None]
            growth = [(own, e) for own, (e, _) in factors if type(e).__name__ == "ExpBackward0"]
            if len(growth) == 1:
                times, (grown,) = growth[0][0], edges_of(growth[0][1])
                own, inner = without_numbers(grown)
                own = -own * times
        if inner is not None and own == 1 and sign == direction == -signs.get(inner, 0):
            return True
    return False


def without_numbers(edge: Edge) -> tuple[int, Edge]:
    """What was multiplied or divided by given numbers, and the sign of their product."""
    sign = 1
    while True:
        node, _ = edge
        kind, factor = type(node).__name__, getattr(node, "_factor", None)
        if kind == "NegBackward0":
            sign = -sign
        elif kind in ("MulBackward0", "DivBackward0") and factor:
            sign = sign if factor > 0 else -sign
        else:
            return sign, edge
        edge = edges_of(node)[0]


def is_size(node: Node) -> bool:
    """Whether a node computes the size of a leaf: a norm, or a power that is even."""
    exponent = getattr(node, "_saved_exponent", 2)
    return isinstance(exponent, (int, float)) and exponent > 0 and exponent % 2 == 0 or (
        type(node).__name__ != "PowBackward0")


def names_reward(where: Place | None) -> bool:
    """Whether a line multiplies by something that its name calls a reward, or made of one."""
    source = None if where is None else S.read(where.file)
    if source is None or where is None:
        return False
    at = S.at(source.tree, where) or S.statement_at(source, where)
    for node in [at] if isinstance(at, ast.BinOp) else ast.walk(at or ast.Pass()):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            names = [getattr(n, "attr", getattr(n, "id", "")) for n in ast.walk(node)]
            if any(map(REWARD.search, names)) or any(map(SURPRISE.search, names)) and (
                    learns_rewards(where)):
                return True
    return False


def learns_rewards(where: Place) -> bool:
    """Whether a file computes a reward plus a discounted value, by the names in it."""
    source = S.read(where.file)
    for node in source.nodes if source is not None else ():
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            continue
        for reward, value in ((node.left, node.right), (node.right, node.left)):
            names = {reward.attr} if isinstance(reward, ast.Attribute) else S.names_in(reward)
            if not isinstance(reward, (ast.UnaryOp, ast.BinOp)) and isinstance(
                    value, ast.BinOp) and isinstance(value.op, ast.Mult) and any(
                    REWARD.search(n) or SHORT_REWARD.search(n) for n in names):
                return True
    return False


@dataclass
class Losses:
    """The losses of the passes of a line."""

    where: Place
    first: float
    last: deque[float] = field(default_factory=lambda: deque(maxlen=STEPS))
    times: int = 0
    begun: float = 0.0               # the size of the parameters at the first step,
    size: float = 0.0                # and at the last one of a loss far away

    def is_high(self) -> bool:
        """Whether the last loss is far above the first one."""
        return self.last[-1] > FARTHER * self.first > 0

    def is_low(self) -> bool:
        """Whether the last loss is far below the first one."""
        return self.last[-1] < -FARTHER * max(abs(self.first), 1)


class Diverging(Check):
    """A loss that grows with every step, to thousands of times what it was."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, Losses] = {}
        self.line = ""

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        result = variables.get("res")
        result = array_of(result[0] if isinstance(result, tuple) else result)    # nll_loss: two
        if isinstance(result, np.ndarray) and result.size == 1 and result.dtype.kind == "f":
            node._value = result.item(0)

    def before_pass(self, task: Pass) -> None:
        value = getattr(task.roots[0], "_value", None)
        if task.fills and value is not None and len(task.roots) == 1:
            self.line = str(task.where)
            seen = self.lines.setdefault(self.line, Losses(task.where, value))
            seen.last.append(value)

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        seen = self.lines.get(self.line)
        if seen is not None and closure is None and not any(
                group.get("maximize") for group in optimizer.param_groups):
            seen.times += 1
            if not seen.begun or seen.is_low() or seen.is_high():
                seen.size = largest(p._data for p in parameters_of(optimizer))
                seen.begun = seen.begun or seen.size

    def at_end(self) -> None:
        if any(f.kind in EXPLAINED for f in self.doctor.report.findings):
            return
        for seen in self.lines.values():
            last = list(seen.last)
            falls = list(zip(last, last[1:], strict=False))
            if seen.times >= STEPS == len(last) and seen.is_low() and (
                    seen.size > GROWN * seen.begun) and all(a > b for a, b in falls):
                self.find(seen.where, "diverging", f"the loss has fallen from {seen.first:.3g} to "
                          f"{last[-1]:.3g} in {seen.times} steps, and falls on",
                          "it has no smallest value: the parameters grow for ever, and nothing "
                          "else is learned", "a loss that is smallest where the output is right, "
                          "such as a squared difference or F.cross_entropy(); or bound what is "
                          "made large, by a penalty, clipping, or a sigmoid")
            if seen.times >= STEPS == len(last) and seen.is_high() and (
                    seen.size > GROWN * seen.begun) and all(a < b for a, b in falls):
                self.find(seen.where, "diverging", f"the loss has grown from {seen.first:.3g} to "
                          f"{last[-1]:.3g} in {seen.times} steps", "each step goes so far beyond "
                          "the lowest point that the slope is steeper on the other side, and the "
                          "next step goes even further", "a learning rate of a tenth or less; "
                          "inputs and targets divided by their standard deviation allow larger "
                          "ones")


CHECKS = (WrongSign, WrongDeviation, Diverging)
