"""Checks of losses that go nowhere, or count twice, and of noise that the network never sees."""

from __future__ import annotations

import ast
import re
from typing import Any

from .._tensor import Tensor
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass
from .checks_settings import OfPasses
from .places import Place
from .programs import called_name

STEPS = 2                # after such passes; one alone may show what backward() does
NOISE = re.compile("noise|eps", re.IGNORECASE)
DRAWN = ("randn_like", "randn", "normal")
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "criterion", "loss_fn", "mse",
          "loss_func", "loss_function", "loss")


class LostLoss(OfPasses):
    """`loss =+ penalty`, and a loss of each step in a loop, of which backward() gets the last."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.sources: list[S.Source] = []

    def read(self, source: S.Source) -> None:
        self.sources.append(source)
        for node in ast.walk(source.tree):
            first: Any = node.value if isinstance(node, ast.Assign) else None
            while isinstance(first, ast.BinOp):
                first = first.left
            if isinstance(node, ast.Assign) and isinstance(first, ast.UnaryOp) and isinstance(
                    first.op, ast.UAdd) and "=+" in (place := source.place(node)).text:
                name, value = ast.unparse(node.targets[0]), ast.unparse(node.value).lstrip("+")
                self.find(place, "lost-loss", f"`=+` gives `{name}` a new value: what it was "
                          "before is lost", "to add is `+=`; here the plus is the sign of what "
                          "follows", f"`{name} = {name} + {value}`")

        for scope in [source.tree, *source.functions.values()]:
            self.drawn_twice(source, scope)

    def drawn_twice(self, source: S.Source, scope: ast.AST) -> None:
        """`loss(net(x + torch.randn_like(x)), noise)`: noise that the network never sees."""
        draws = [n for n in S.inside(scope) if isinstance(n, ast.Call) and called_name(n) in DRAWN]
        mixed = [n for n in draws if isinstance(getattr(n, "parent", None), ast.BinOp)]
        for name in S.assigned_names(scope) if mixed else ():
            made = S.assignments(scope, name)
            read = [n for n in S.inside(scope) if isinstance(n, ast.Name) and n.id == name
                    and isinstance(n.ctx, ast.Load)]
            target = read[0].parent if len(read) == 1 else None          # type: ignore
            draw = getattr(made[0], "value", None) if len(made) == 1 else None
            other = ast.unparse(draw) if draw in draws else ""           # type: ignore
            if NOISE.search(name) and isinstance(target, ast.Call) and (
                    called_name(target) in LOSSES and other in map(ast.unparse, mixed)):
                self.find(source.place(S.statement(target)), "noise-not-seen", f"`{name}`, which "
                          "the network is to predict, goes into nothing else",
                          f"`{other}` draws other numbers for its input: what it is to predict is "
                          "not in there, and it can only learn to answer 0",
                          f"draw once: `{name}` in place of `{other}`")

    def at_end(self) -> None:
        if any(f.kind == "thrown-away" for f in self.doctor.report.findings):
            return                               # which tells of the same loop, over batches
        for source in self.sources:
            for loop in ast.walk(source.tree):
                lost = of_each_turn(loop) if isinstance(loop, ast.For) else None
                if lost is not None:
                    name, value = ast.unparse(lost.targets[0]), ast.unparse(lost.value)
                    self.find(source.place(lost), "lost-loss", f"each turn of the loop over "
                              f"`{ast.unparse(loop.iter)}` gives `{name}` a new value, and "        # type: ignore
                              "backward() after it gets the last one", "the losses of all other "
                              "turns are computed and thrown away: nothing is learned from them",
                              f"add them up: `{name} = 0` before the loop, and `{name} = {name} + "
                              f"{value}` in it")


def of_each_turn(loop: ast.For) -> ast.Assign | None:
    """The line of a loop that computes a loss by what it goes through, if only the last is used."""
    own = S.names_in(loop.target)
    for node in S.inside(loop):
        call = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(call, ast.Call) or (
                len(node.targets) > 1 or not isinstance(node.targets[0], ast.Name)
                or len(call.args) < 2 or not own & S.names_in(call.args[1])):
            continue
        name = node.targets[0].id
        read = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
                   for n in ast.walk(loop))
        outer = getattr(loop, "parent", None)
        after = [n for n in ast.walk(outer) if getattr(n, "lineno", 0) > (loop.end_lineno or 0)
                 ] if outer is not None else []
        backward = any(isinstance(n, ast.Call) and called_name(n) == "backward" and isinstance(
            n.func, ast.Attribute) and ast.unparse(n.func.value) == name for n in after)
        if S.loop_of(node) is loop and backward and not read:
            return node
    return None


class CountedTwice(Check):
    """Two backward passes of the same loss in one step: its gradient counts twice."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.root = -1                           # the number of the last pass's loss
        self.first: tuple = ()                   # a leaf, and the gradient that it got then
        self.now: Pass | None = None
        self.where: Place | None = None          # of the first pass,
        self.again: Place | None = None          # and of the other
        self.steps: dict[str, list] = {}

    def before_pass(self, task: Pass) -> None:
        self.now = task if task.fills and len(task.roots) == 1 else None

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        task, self.now = self.now, None          # one leaf is enough to tell
        array = reading.array_of(g)
        if task is None or id(leaf) not in self.doctor.given:
            return
        number = task.roots[0]._seq
        if number == self.root and leaf._grad is not None and self.first == (
                id(leaf), reading.fingerprint(array)) and leaf._grad._data.any() and array.any():
            self.again = task.where
        elif number != self.root:
            self.root, self.first = number, (id(leaf), reading.fingerprint(array))
            self.where, self.again = task.where, None

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.root = -1
        if self.again is not None and closure is None:
            line = self.steps.setdefault(str(self.again), [self.where, self.again, 0])
            line[2] += 1
        self.again = None

    def at_end(self) -> None:
        for first, again, times in self.steps.values():
            if times >= STEPS:
                self.find(again, "counted-twice", "this is the second backward() of the same loss, "
                          f"after the one at {first}: its gradients are added once more",
                          "each step goes by twice the gradient, and keeping the graph for that "
                          "takes memory and time", "leave out one of the two, and retain_graph="
                          "True with it", f"{first}")


CHECKS = (LostLoss, CountedTwice)
