"""Checks of what actors and critics learn, and of a gradient added by hand: steps uphill."""

from __future__ import annotations

import ast
import re
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass
from .checks_directions import STEPS, learns_rewards, sign_of
from .checks_goals import goal_of
from .checks_losses import LOSSES, output_behind
from .checks_training import parameters_of
from .names import Names
from .places import Place, is_our_class, place, user_frames
from .programs import called_name
from .words import listed

LARGEST = 1 << 20        # the most elements of a leaf that is compared with its gradient
LEAVES = 20              # the most leaves of a pass that is looked at
ATTACKS = re.compile(r"adv|delta|pert|noise|attack|perturb", re.IGNORECASE)


class ActorSign(Check):
    """`actor_loss = critic(state, actor(state)).mean()`: the actor learns to get the least reward.

    Since a critic may also learn costs, it counts only if its targets are rewards plus a
    discounted value, going by the names of the variables.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.valued: set[int] = set()                # networks that learn from errors
        self.critics: dict[Node, Node] = {}          # their outputs in this pass: the actor's
        self.signs: list[tuple] = []                 # of this pass, until a step follows
        self.lines: dict[str, tuple[Place, list[int]]] = {}

    def before_pass(self, task: Pass) -> None:
        self.critics.clear()
        self.signs.clear()
        for node in task.nodes if task.fills else ():
            if type(node).__name__ in LOSSES:
                output = output_behind(node)
                self.valued.add(id(getattr(output, "_network", None)))
            network: Any = getattr(node, "_network", None)
            if network is None or id(network) not in self.valued:
                continue
            actor = next((n for n in reading.nodes([node]) if n is not node and getattr(
                n, "_network", network) is not network), None)
            if actor is not None:
                self.critics[node] = actor

    def before_run(self, node: Node, g: Any) -> None:
        if node in self.critics:
            line = getattr(node, "_called_at", None) or reading.place_of(node)
            networks = node._network, self.critics[node]._network
            critic, actor = ({id(p) for p in m.parameters()} for m in networks)
            if not reading.are_zeros(g):             # as of the larger of two, before min()
                self.signs.append((line, critic, actor, sign_of(g)))

    def after_pass(self, task: Pass) -> None:
        self.critics.clear()                         # which keep their graphs alive

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        stepped = {id(p) for p in parameters_of(optimizer)}
        for line, critic, actor, sign in () if uphill else self.signs:
            if line is not None and not critic & stepped and actor & stepped:
                self.lines.setdefault(str(line), (line, []))[1].append(sign)
        self.signs.clear()

    def at_end(self) -> None:
        for where, signs in self.lines.values():
            if len(signs) >= STEPS and set(signs) == {1} and learns_rewards(where):
                self.find(where, "wrong-sign", "what the critic says of the actor's actions is "
                          "made small", "it learns the reward that will come, and a step makes the "
                          "loss smaller: without a minus the actor learns what brings least",
                          "`actor_loss = -critic(state, actor(state)).mean()`")


class LargestOfAll(Check):
    """`q = net(state).max(1)[0]` as the prediction, where only the action taken has a target."""

    rests = True

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            chosen: Any = node.edges[0] if type(node).__name__ in LOSSES else None
            while type(chosen).__name__ in ("SqueezeBackward1", "UnsqueezeBackward0",
                                            "ViewBackward0"):
                chosen = chosen.edges[0]
            if type(chosen).__name__ in ("MaxBackward0", "AmaxBackward0") and hasattr(
                    chosen.edges[0], "_network"):
                where = reading.place_of(node)
                if where is not None and learns_rewards(where):
                    self.find(reading.place_of(chosen), "largest-of-all", "the prediction is the "
                              "value of the best action, not of the one that was taken",
                              "the reward came after one action, and says nothing of the others: "
                              "the network never learns what they are worth",
                              "`q.gather(1, action.unsqueeze(1)).squeeze(1)`, with the actions "
                              "that were taken; max() is for the target")


class PlaceAsValue(Check):
    """`reward + gamma * net(next).max(1)[1]`: the number of the best action, not its value."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.files: dict[str, Place] = {}

    def before_pass(self, task: Pass) -> None:
        if task.fills:
            self.files.setdefault(task.where.file, task.where)

    def at_end(self) -> None:
        for file, where in self.files.items():
            source = S.read(file)
            for node in source.nodes if source is not None and learns_rewards(where) else ():
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(
                        getattr(node, "parent", None), ast.BinOp) and isinstance(
                        node.parent.op, ast.Add):                        # type: ignore
                    made = next((m for m in map(picked_place, factors_in(node)) if m), None)
                    if made is not None:
                        self.find(source.place(S.statement(made)),       # type: ignore[union-attr]
                                  "place-as-value", "the number of the best action is taken for "
                                  "its value", "max(1) gives two tensors, the largest values and "
                                  "their places: [1], like argmax(), is the place, a whole number "
                                  "that says nothing of the reward",
                                  "`net(next_state).max(1)[0]`, or `.max(1).values`")
                        break


def factors_in(node: ast.expr) -> Iterator[ast.expr]:
    """The factors of a product of several."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from factors_in(node.left)
        yield from factors_in(node.right)
    else:
        yield node


def picked_place(node: ast.expr | None, follow: bool = True) -> ast.expr | None:
    """The expression `x.max(1)[1]` or `x.argmax(1)`, where a factor is that or a variable of it."""
    while isinstance(node, ast.Call) and called_name(node) in ("detach", "float", "squeeze",
                                                               "unsqueeze", "view", "reshape"):
        node = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(node, ast.Name) and follow:
        scope = next(n for n in S.around(node) if isinstance(n, S.Scope))
        made = S.assignments(scope, node.id)
        plain = len(made) == 1 and isinstance(made[0], ast.Assign) and isinstance(
            made[0].targets[0], ast.Name)
        return picked_place(made[0].value, False) if plain else None     # type: ignore
    if isinstance(node, ast.Call) and called_name(node) == "argmax":
        return node
    inner = node.value if isinstance(node, (ast.Subscript, ast.Attribute)) else None
    second = isinstance(node, ast.Attribute) and node.attr == "indices" or isinstance(
        node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == 1
    several = isinstance(inner, ast.Call) and called_name(inner) in ("max", "topk") and bool(
        inner.args or inner.keywords)
    return node if second and several else None


@dataclass
class Climb:
    """A leaf and its gradient after a pass, and how often a step went along it."""

    leaf: weakref.ref
    before: np.ndarray
    g: np.ndarray
    name: str
    first: float
    version: int = 0             # of its memory, at the pass
    times: int = 0
    where: Place | None = None
    last: float = 0.0


class StepUphill(Check):
    """`w += lr * w.grad`, by hand, where the loss is an error."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.climbs: dict[int, Climb] = {}
        self.error = 0.0             # that this pass makes small; nan where it is none
        self.own: set[int] = set()   # parameters that an optimizer of the program's own was given

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        if not is_our_class(type(optimizer)):
            self.own |= {id(p) for p in parameters_of(optimizer)}

    def before_pass(self, task: Pass) -> None:
        for climb in list(self.climbs.values()):
            self.look_at(climb)
        value = getattr(task.roots[0], "_value", None)
        fills = task.fills and len(task.roots) == 1
        self.error = value if fills and value is not None and is_error(
            task.roots[0]) else float("nan")

    def look_at(self, climb: Climb) -> None:
        """Whether a leaf has moved along its gradient since the pass before."""
        leaf = climb.leaf()
        if leaf is None or leaf._data.shape != climb.before.shape:
            self.climbs = {k: c for k, c in self.climbs.items() if c is not climb}
            return
        moved, g = leaf._data - climb.before, climb.g
        if not moved.any():
            return
        rate = float((moved * g).sum() / max(float((g * g).sum()), 1e-30))
        along = rate > 0 and bool(np.allclose(moved, rate * g, rtol=1e-2, atol=1e-3 * float(
            np.abs(moved).max())))
        climb.times = climb.times + 1 if along else -STEPS * LEAVES
        write = leaf._cell[1]
        if write is not None and leaf._cell[0] != climb.version:     # else it went through .data
            climb.where = place(write[1], write[2])
        climb.before = leaf._data.copy()

    def after_pass(self, task: Pass) -> None:
        leaves = [n.variable for n in task.nodes if isinstance(n, AccumulateGrad)]
        if np.isnan(self.error) or len(leaves) > LEAVES or not all(map(self.is_own, leaves)) or (
                any(not isinstance(t, Parameter) for t in leaves)
                and any(hasattr(n, "_network") for n in task.nodes)):
            return                               # an input of a network may be an attack's
        for leaf in leaves:
            climb = self.climbs.get(id(leaf))
            if climb is None or climb.leaf() is not leaf:
                name = Names(user_frames()).of(leaf) or ""
                climb = self.climbs[id(leaf)] = Climb(
                    weakref.ref(leaf), leaf._data, leaf._data, name, self.error)
            climb.before, climb.g = leaf._data.copy(), reading.array_of(leaf._grad).copy()
            climb.last, climb.version = self.error, leaf._cell[0]

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        climb = self.climbs.get(id(t)) if what == ".data" else None
        if climb is not None and climb.leaf() is t:
            climb.where = place(*caller())

    def is_own(self, leaf: Any) -> bool:
        """Whether a leaf is one that the program itself may step."""
        return (id(leaf) not in self.doctor.given - self.own and leaf._data.size <= LARGEST
                and type(leaf._data) is np.ndarray and leaf._data.dtype.kind == "f"
                and type(reading.array_of(leaf._grad)) is np.ndarray)

    def at_end(self) -> None:
        found = [c for c in self.climbs.values() if c.times >= STEPS - 1 and c.last > c.first
                 and c.where is not None and not ATTACKS.search(c.name)]
        if found:
            first, names = found[-1], [c.name for c in found[::-1]]      # the last leaf is first
            self.find(first.where, "wrong-sign", (listed(names) if all(names) else "a parameter")
                      + f" moved along the gradient: the loss has grown from {first.first:.3g} to "
                      f"{first.last:.3g}", "the gradient points to where the loss becomes larger, "
                      "and this loss is an error", "subtract it: `w -= lr * w.grad`")


def is_error(root: Node) -> bool:
    """Whether a loss is one error, or the mean of squares or sizes of differences."""
    node: Any = root
    if goal_of(root)[1] == "error":
        return True
    while type(node).__name__ in ("MeanBackward0", "SumBackward0", "MeanBackward1", "SumBackward1"):
        node = node.edges[0]
    return type(node).__name__ in ("PowBackward0", "AbsBackward0") and type(
        node.edges[0]).__name__ == "SubBackward0" and None in node.edges[0].edges


CHECKS = (ActorSign, LargestOfAll, PlaceAsValue, StepUphill)
