"""Checks of the parts of a loss: targets and advantages to detach, draws, constants, signs."""

from __future__ import annotations

import ast
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .._callers import caller, is_own
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..distributions import Distribution
from ..nn.modules.module import Module
from . import breaks, reading
from . import source as S
from .check import Check, Pass, only
from .checks_constants import behind_a_factor, slope_in, weighed
from .cuts import COPIES, decorated, unrecorded
from .places import Place, outwards, place, user_frames
from .programs import Env, called_function, called_name, env_of

DRAWS = 1000             # the most draws of sample() that are looked at
LOSSES = ("MseLossBackward0", "SmoothL1LossBackward0", "HuberLossBackward0")


def is_discount(factor: Any) -> bool:
    """Whether a factor may be the discount of future rewards: 0.99, or 0 at the end.

    0.5 does not count, since it is mostly the half in front of a square.
    """
    if isinstance(factor, Tensor):
        a = factor._data
        return not factor.requires_grad and a.dtype.kind == "f" and 0 < a.size < 1 << 16 and bool(
            a.min() >= 0 and 0.5 < a.max() < 1)
    return isinstance(factor, float) and 0.5 < factor < 1


class DifferentiatedTarget(Check):
    """A target reward + discount * value that is not detached: backward() goes through it."""

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if reading.has_parameters(module):       # no loss function
            for t in reading.tensors_in(result):
                if t.grad_fn is not None:
                    t.grad_fn._network = module

    @only("MulBackward0", "SubBackward0", *LOSSES)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind == "MulBackward0":
            node._discounts = any(is_discount(variables.get(n)) for n in ("input", "other"))
        else:
            sides = [e for e in node.edges if e is not None]
            sums = [reward_and_value(side) for side in sides]
            if len(sides) == 2 and sums.count(None) == 1:
                second = sums[0] is None
                node._pair = sides[not second], sides[second], sums[second]

    def before_pass(self, task: Pass) -> None:
        leaves = [n.variable for n in task.nodes if isinstance(n, AccumulateGrad)]
        if not all(map(self.doctor.is_trained, leaves)):     # an equation with slopes, no rewards
            return
        for node in task.nodes:
            if hasattr(node, "_pair"):
                prediction, target, total = node._pair
                self.compare(output_behind(prediction), output_behind(target), total)

    def compare(self, prediction: Any, value: Any, total: Node) -> None:
        if prediction is None or value is None:
            return
        trained, other = prediction._network, value._network
        if shapes(trained) != shapes(other):
            return
        own = {id(p) for p in other.parameters()}
        if trained is not other:
            self.doctor.standing |= own - self.doctor.given
        moved = trained is not other and bool(own & self.doctor.given)
        name = self.doctor.networks.get(id(other)) or "a network"
        self.find(reading.place_of(total), "differentiated-target",
                  f"the target, reward plus discounted value of `{name}`, was computed while "
                  "recording: backward() goes through it as well",
                  "the step moves the target towards the prediction too, not only the prediction "
                  "towards the target: learning is slow or unstable" if trained is other else
                  f"`{name}` gets gradients, and an optimizer was given its parameters: what "
                  "should stand still moves towards the prediction" if moved else
                  f"`{name}` gets gradients, which cost time and memory, and are added up for "
                  "nothing or change what should stand still",
                  "compute the target inside `with torch.no_grad():`, or cut it off with "
                  "`.detach()`" + (f"; leave `{name}` out of the optimizer" if moved else ""),
                  str(getattr(value, "_called_at", "")))


class LearnedAdvantage(Check):
    """log_prob (or a ratio) times (return - value), where backward() goes on into the value."""

    rests = True

    def on_density(self, distribution: Distribution, value: Any, result: Any) -> None:
        if isinstance(value, Tensor) and not value.requires_grad and (
                getattr(result, "grad_fn", None) is not None):
            result.grad_fn._density = True       # of an action

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes:
            sides = [e for e in node.edges if e is not None]
            if type(node).__name__ == "MulBackward0" and len(sides) == 2 and any(
                    map(is_of_policy, sides)):
                advantage = behind_stack(sides[is_of_policy(sides[0])])
                if type(advantage).__name__ == "SubBackward0" and None in advantage.edges and (
                        any(map(is_value, advantage.edges))):
                    self.tell(node)

    def tell(self, node: Node) -> None:
        self.find(reading.place_of(node), "learned-advantage", "the logarithm of a chosen action's "
                  "probability, or a ratio made of it, is multiplied by an advantage that "
                  "backward() goes into as well",
                  "the loss of the policy then moves the values too, to where it becomes small, "
                  "and not to what the returns are", "`advantage.detach()` here: the values learn "
                  "from their own loss")


@dataclass
class Draw:
    """What sample() has drawn from a distribution whose parameters require grad."""

    result: weakref.ref
    where: Place
    behind: set[int]                 # ids of the leaves that the distribution was computed from
    scored: bool = False             # its log_prob() was asked for
    used: bool = False               # in a loss that depends on the distribution otherwise, too


LEARNS_ELSEWHERE = (
    "the parameters of the distribution learn from the other parts of the loss only, such as a KL "
    "divergence or an entropy")


class DetachedDraw(Check):
    """z = q.sample() in a loss where only the divergence of `q` reaches the encoder."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.draws: list[Draw] = []              # one of each line and pass
        self.alive: dict[int, Draw] = {}         # by the id of what was drawn
        self.lines: set[str] = set()             # of passes with torch.normal()

    def on_draw(self, distribution: Distribution, result: Any, where: Place) -> None:
        heads = [t.grad_fn for t in parameters_in(distribution) if t.grad_fn is not None]
        if heads and isinstance(result, Tensor) and len(self.draws) < DRAWS:
            draw = Draw(weakref.ref(result), where, {id(t) for t in reading.leaves(heads)})
            self.draws.append(draw)
            self.alive[id(result)] = draw

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        for value in variables.values() if self.alive else ():
            draw = self.alive.get(id(value))
            if draw is not None and draw.result() is value:
                if any("/distributions/" in f.f_code.co_filename.replace("\\", "/")
                       for f in outwards(sys._getframe(1)) if is_own(f.f_code.co_filename)):
                    draw.scored = True           # by the distribution itself
                else:
                    node._draw = draw

    def before_pass(self, task: Pass) -> None:
        self.drawn_by_normal(task)
        drawn = [n._draw for n in task.nodes if hasattr(n, "_draw")]
        leaves = {id(n.variable) for n in task.nodes if isinstance(n, AccumulateGrad)}
        for draw in drawn:
            draw.used |= not leaves.isdisjoint(draw.behind)

    def drawn_by_normal(self, task: Pass) -> None:
        """torch.normal(mean, std), whose gradient is 0, where others reach the same leaves."""
        draws = {n for n in task.nodes if type(n).__name__.startswith("NormalBackward")}
        if not draws or not task.fills or str(task.where) in self.lines:
            return
        self.lines.add(str(task.where))
        for node in draws:
            behind = set(reading.nodes([node])) - draws
            if any(e in behind for n in task.nodes if n not in behind | draws for e in n.edges):
                self.find(reading.place_of(node), "detached-draw", "torch.normal() gives a draw "
                          "whose gradient is 0, and a part of the loss is computed from it",
                          LEARNS_ELSEWHERE, "`mean + std * torch.randn_like(std)`, which computes "
                          "the draw from them")

    def after_pass(self, task: Pass) -> None:
        self.alive = {key: draw for key, draw in self.alive.items() if draw.result() is not None}

    def at_end(self) -> None:
        scored = {str(draw.where) for draw in self.draws if draw.scored}
        for draw in self.draws:
            if draw.used and str(draw.where) not in scored:
                self.find(draw.where, "detached-draw", "sample() gives a draw without its history, "
                          "and a part of the loss is computed from it", LEARNS_ELSEWHERE,
                          "`.rsample()` instead of `.sample()`: it computes the draw from the "
                          "parameters", str(draw.where))


def parameters_in(distribution: Distribution) -> Iterator[Tensor]:
    """The tensors that a distribution was made with, also by way of another."""
    for value in vars(distribution).values():
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, Distribution):
            yield from parameters_in(value)


UNSQUEEZED = {"SqueezeBackward0", "SqueezeBackward1", "ViewBackward0", "ReshapeAliasBackward0",
              "SelectBackward0"}


STACKED = ("StackBackward0", "CatBackward0")         # of one for each step
PICKING = ("GatherBackward0", "IndexBackward0")


def is_chosen_log_prob(node: Node | None) -> bool:
    """Whether a result is log_softmax(scores) at chosen places, as Categorical.log_prob() gives."""
    while type(node).__name__ in (*UNSQUEEZED, "NegBackward0", *STACKED):
        node = node.edges[0]                     # type: ignore[union-attr]
    if type(node).__name__ == "LogBackward0":    # of a probability that was picked
        picked: Any = node.edges[0]              # type: ignore[union-attr]
        one = False
        while type(picked).__name__ in (*UNSQUEEZED, *PICKING):
            one |= type(picked).__name__ in ("SelectBackward0", *PICKING)
            picked = picked.edges[0]
        return one and type(picked).__name__ == "SoftmaxBackward0"
    source: Any = node.edges[0] if type(node).__name__ in PICKING else None
    return type(source).__name__ in ("LogSoftmaxBackward0", "LogBackward0") or (
        type(source).__name__ == "SubBackward0"
        and type(source.edges[1]).__name__ == "LogsumexpBackward0")


def is_of_policy(node: Any) -> bool:
    """Whether a result is an action's log-probability, or exp(log_prob - old), as in PPO."""
    difference = node.edges[0] if type(node).__name__ == "ExpBackward0" else None
    return is_log_prob_of_action(node) or type(difference).__name__ == "SubBackward0" and any(
        map(is_log_prob_of_action, difference.edges))


def is_log_prob_of_action(node: Any) -> bool:
    """Whether a result is a chosen log-probability, or what log_prob() gave, summed up."""
    if is_chosen_log_prob(node):
        return True
    while type(node).__name__ in (*UNSQUEEZED, "NegBackward0", "SumBackward1", *STACKED):
        node = node.edges[0]
    return hasattr(node, "_density")


def behind_stack(node: Any) -> Any:
    """The first of several results that were stacked; any other node itself."""
    return node.edges[0] if type(node).__name__ in STACKED else node


def is_value(node: Node | None) -> bool:
    """Whether a result is the output of a layer with one output."""
    while type(node).__name__ in (*UNSQUEEZED, *STACKED):
        node = node.edges[0]                     # type: ignore[union-attr]
    return type(node).__name__ == "AddmmBackward0" and tuple(
        node._saved_self_sym_sizes) == (1,)      # type: ignore[union-attr]


def reward_and_value(node: Node | None) -> Node | None:
    """The sum in `reward + discount * value` that a node's result was made of, if it was."""
    total, discounted = None, False
    while node is not None and not hasattr(node, "_network"):
        if type(node).__name__ == "AddBackward0" and not discounted:
            total = node
        discounted |= getattr(node, "_discounts", False)
        node = reading.only_source(node)
    return total if discounted else None


def output_behind(node: Node) -> Any:
    """The node of a network's output that a node's result is computed from, the nearest."""
    return next((n for n in reading.nodes([node]) if hasattr(n, "_network")), None)


def shapes(module: Module) -> list[tuple[int, ...]]:
    return [tuple(p.shape) for p in module.parameters()]


class ConstantPenalty(Check):
    """A part of the loss that was made of autograd.grad() without create_graph=True."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.searched: set[str] = set()

    def before_pass(self, task: Pass) -> None:
        if not task.fills or str(task.where) in self.searched:
            return
        self.searched.add(str(task.where))
        env = env_of(user_frames()[0])
        loss = None if env is None else breaks.argument(env, task.where)
        known = loss is not None and env is not None
        for term in terms_of(loss, env, self.doctor.is_trained) if known else ():
            cut = slope_in(weighed(term, env), env) or breaks.Search().why(term, env)
            cut = cut and behind_a_factor(cut, term, env, self.doctor.taken)
            if cut is not None and cut.place is not None and (
                    cut.kind in ("create_graph", "grad") or is_constant(term, env)):
                self.find(cut.place, "constant-penalty", f"`{ast.unparse(term)}` is a part of the "
                          "loss that has no gradient: the network does not learn from it",
                          cut.what, cut.cure, str(cut.place))


class ConstantSlope(Check):
    """`ux + u` with ux = grad(u.sum(), x) without create_graph=True: a residual half learned.

    That may be intended where the gradient is multiplied, scaled or detached. Where it is added
    unchanged to the output of the same network, and is taken by an input that is no parameter, it
    is a term of a differential equation and needs its history.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.slopes: dict[int, tuple[weakref.ref, Place, set[int]]] = {}     # by their memory

    def after_pass(self, task: Pass) -> None:
        inputs = [n for n in task.asked if isinstance(n, AccumulateGrad)]
        if task.fills or task.create or not inputs or any(
                self.doctor.is_trained(n.variable) for n in inputs):
            return
        trained = {id(t) for n in task.nodes if isinstance(n, AccumulateGrad)
                   and self.doctor.is_trained(t := n.variable)}
        self.slopes = {key: slope for key, slope in self.slopes.items() if slope[0]() is not None}
        for array in map(reading.memory_of, reading.arrays_in(task.results) if trained else ()):
            self.slopes[id(array)] = weakref.ref(array), task.where, trained

    @only("AddBackward0", "SubBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if not self.slopes or node.edges.count(None) != 1:
            return
        first = node.edges[0] is None
        slope = self.slope_at(variables.get("input" if first else "other"))
        recorded = getattr(node.edges[first], "_kept_by_pass", None)     # by create_graph=True
        node._slope = slope or (self.weighed_slope(caller()) if recorded is not None else None)

    def slope_at(self, t: Any) -> tuple[Place, set[int]] | None:
        """Where a slope that has no history was made, and of which parameters, if `t` is one."""
        memory = reading.memory_of(t._data) if isinstance(t, Tensor) else None
        ref, where, trained = self.slopes.get(id(memory), (None, None, set()))
        return (where, trained) if ref is not None and ref() is memory else None  # type: ignore[return-value]

    def weighed_slope(self, line: tuple) -> tuple[Place, set[int]] | None:
        """The slope `v` of `u_t - k * v`, where u_t is one that was recorded."""
        env = env_of(user_frames()[0])
        at = None if env is None else S.at(env.scope, place(*line))
        for side in (at.left, at.right) if isinstance(at, ast.BinOp) else ():
            inner = weighed(side, env)                                   # type: ignore[arg-type]
            slope = None if inner is side else self.slope_at(
                breaks.Search().value(inner, env))                       # type: ignore[arg-type]
            if slope is not None:
                return slope
        return None

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            where, trained = getattr(node, "_slope", None) or (None, set())
            if where is not None and not trained.isdisjoint(map(id, reading.leaves([node]))):
                self.find(where, "constant-penalty", "this gradient is added to what the network "
                          f"gives, at {reading.place_of(node)}, and has no gradient itself",
                          "without create_graph=True it is a constant: the network learns from the "
                          "other part of the sum alone, as if this one could not change",
                          "`torch.autograd.grad(..., create_graph=True)`", str(where))


def terms_of(node: ast.expr, env: Env,
             is_trained: Callable[[Tensor], bool]) -> Iterator[ast.expr]:
    """The terms of a sum, and of the sums that its variables stand for, that train nothing.

    An input that requires grad because the network is differentiated by it does not count.
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from terms_of(node.left, env, is_trained)
        yield from terms_of(node.right, env, is_trained)
        return
    values = [env.values.get(n) for n in S.names_in(node)]
    if is_number(weighed(node, env)):
        yield node
    elif not any(isinstance(v, Module) or isinstance(v, Tensor) and v.requires_grad and (
            not v.is_leaf or is_trained(v)) for v in values):
        yield node
    elif isinstance(call := weighed(node, env), ast.Call):
        if is_unrecorded(call, env) or slope_in(call, env) is not None:
            yield node
    elif isinstance(node, ast.Name):
        for found in S.last_assignments(env.scope, node.id, S.statement(node)):
            value = getattr(found, "value", None)
            if isinstance(value, ast.BinOp) and (
                    node.id not in S.names_in(value) or is_itself(value.left, node)):
                yield from terms_of(value.right if is_itself(value.left, node) else value, env,
                                    is_trained)


def is_itself(value: ast.expr, name: ast.Name) -> bool:
    """Whether an expression is just this variable, as on the left in `loss = loss + penalty`."""
    return isinstance(value, ast.Name) and value.id == name.id


def is_constant(term: ast.expr, env: Env) -> bool:
    """Whether a term certainly needs no gradient; lists may hold anything, so they do not count."""
    values = [env.values.get(n) for n in S.names_in(term)]
    call = weighed(term, env)
    if is_number(call) or isinstance(call, ast.Call) and is_unrecorded(call, env):
        return True
    return bool(values) and all(
        isinstance(v, (int, float, ModuleType)) or isinstance(v, Tensor) and not v.requires_grad
        for v in values)


def is_number(term: ast.expr) -> bool:
    """Whether an expression is what item() gives of a call: `mse_loss(net(x), y).item()`."""
    return isinstance(term, ast.Call) and isinstance(term.func, ast.Attribute) and (
        term.func.attr == "item" and isinstance(term.func.value, ast.Call))


def is_unrecorded(call: ast.Call, env: Env) -> bool:
    """Whether a function of the program returns what it has computed under no_grad()."""
    function = called_function(breaks.Search().value(call.func, env))
    if function is None:
        return False
    returned = list(breaks.Search().returns(call, function, env))
    return decorated(function) is not None or bool(returned) and all(
        unrecorded(value, where) or is_copied(value) for value, where in returned)


def is_copied(value: ast.expr) -> bool:
    """Whether an expression is torch.tensor(...), which has no history."""
    return isinstance(value, ast.Call) and called_name(value) in COPIES and S.dotted(
        value.func).startswith("torch.")


CHECKS = (DifferentiatedTarget, LearnedAdvantage, DetachedDraw, ConstantPenalty, ConstantSlope)
