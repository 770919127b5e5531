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

STEPS = 2                # steps after such passes; a single one may show what backward() does
NOISE = re.compile("noise|eps", re.IGNORECASE)
DRAWN = ("randn_like", "randn", "normal")
NO_EFFECT = frozenset("""abs clamp clip clamp_min clamp_max detach div exp index_add
    index_copy index_fill masked_fill masked_scatter mul neg permute reshape scatter_add softmax
    sqrt squeeze transpose type_as unsqueeze""".split())         # no log, scatter: loggers, plots
UNRECORDED = ("no_grad", "inference_mode", "set_grad_enabled")       # others await an error
SIZES = ("pow", "square", "abs", "norm")
STATE = re.compile(r"cell|rnn|gru|lstm|recur|^(h|hx|hc|hid\w*|states?|carry|mem\w*)$", re.I)
ERROR = re.compile("loss|crit|entropy|nll|mse|bce", re.I)
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "criterion", "loss_fn", "mse",
          "loss_func", "loss_function", "loss")


class LostLoss(OfPasses):
    """`loss =+ penalty`, and a loss of each step in a loop, of which backward() gets the last."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.sources: list[S.Source] = []

    def read(self, source: S.Source) -> None:
        self.sources.append(source)
        for node in source.nodes:
            first: Any = node.value if isinstance(node, ast.Assign) else None
            while isinstance(first, ast.BinOp):
                first = first.left
            if isinstance(node, ast.Assign) and isinstance(first, ast.UnaryOp) and isinstance(
                    first.op, ast.UAdd) and "=+" in (place := source.place(node)).text:
                name, value = ast.unparse(node.targets[0]), ast.unparse(node.value).lstrip("+")
                self.find(place, "lost-loss", f"`=+` gives `{name}` a new value: what it was "
                          "before is lost", "to add is `+=`; here the plus is the sign of what "
                          "follows", f"`{name} = {name} + {value}`", str(place))

        draws = [n for n in source.nodes if isinstance(n, ast.Call)
                 and called_name(n) in DRAWN]
        mixed = [n for n in draws if is_mixed(n)]
        for scope in [source.tree, *source.functions.values()] if mixed else ():
            self.drawn_twice(source, scope, draws, mixed)

    def drawn_twice(self, source: S.Source, scope: ast.AST, draws: list, mixed: list) -> None:
        """`loss(net(x + torch.randn_like(x)), noise)`: noise that the network never sees."""
        for name in S.assigned_names(scope):
            made = S.assignments(scope, name)
            read = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name
                    and isinstance(n.ctx, ast.Load)]
            target = read[0].parent if len(read) == 1 else None
            draw = getattr(made[0], "value", None) if len(made) == 1 else None
            if not (NOISE.search(name) and draw in draws and is_error(target, source)):
                continue
            called = {called_name(n) for n in ast.walk(scope) if isinstance(n, ast.Call)}
            helpers = {id(n): function_of(n) for n in mixed}
            others = [n for n in mixed if n is not draw and (helpers[id(n)] in called or
                                                             S.holds(scope, n))]
            if others:
                other = next((n for n in others if called_name(n) == called_name(draw)), others[0])
                text, helper = ast.unparse(other), helpers[id(other)]
                self.find(source.place(S.statement(target)), "noise-not-seen", f"`{name}`, which "
                          "the network is to predict, goes into nothing else",
                          f"`{text}` at {source.place(other)} draws other numbers for its input: "
                          "what it is to predict is not in there, and it can only learn to answer "
                          "0", f"draw once: `{name}` in place of `{text}`" + (
                              "" if S.holds(scope, other) else
                              f", as an argument of {helper}()"))

    def at_end(self) -> None:
        if any(f.kind == "thrown-away" for f in self.doctor.report.findings):
            return                               # which tells of the same loop, over batches
        for source in self.sources:
            for loop in source.nodes:
                lost = of_each_turn(loop) if isinstance(loop, ast.For) else None
                if lost is not None:
                    name, value = ast.unparse(lost.targets[0]), ast.unparse(lost.value)
                    self.find(source.place(lost), "lost-loss", f"each turn of the loop over "
                              f"`{ast.unparse(loop.iter)}` gives `{name}` a new value, and "
                              "backward() after it gets the last one", "the losses of all other "
                              "turns are computed and thrown away: nothing is learned from them",
                              f"add them up: `{name} = 0` before the loop, and `{name} = {name} + "
                              f"{value}` in it")


def is_mixed(draw: ast.Call) -> bool:
    """Whether a draw, or the variable that holds it, is added or multiplied."""
    line = getattr(draw, "parent", None)
    target = line.targets[0] if isinstance(line, ast.Assign) else None
    scope = next((n for n in S.around(draw) if isinstance(n, S.Scope)), None)
    if isinstance(target, ast.Name) and isinstance(scope, S.Function):
        return any(isinstance(n, ast.Name) and n.id == target.id and isinstance(
            getattr(n, "parent", None), ast.BinOp) for n in S.inside(scope))
    return isinstance(line, ast.BinOp)


def function_of(node: ast.AST) -> str:
    """The name of the function that a node stands in."""
    return next((n.name for n in S.around(node) if isinstance(n, ast.FunctionDef)), "")


def of_each_turn(loop: ast.For) -> ast.Assign | None:
    """The line that computes a loss in each turn of a loop, of which only the last one is used."""
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


def is_error(node: ast.AST | None, source: S.Source) -> bool:
    """Whether an expression measures an error: a loss, or a squared (or similar) difference.

    A loss() that the program defines itself may pass its arguments on to the network.
    """
    outer = getattr(node, "parent", None)
    return isinstance(node, ast.Call) and called_name(node) in LOSSES and len(node.args) == 2 and (
        called_name(node) not in {name for name, _ in source.functions}) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and (
            isinstance(outer, ast.Attribute) and outer.attr in SIZES
            or isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Pow)))


class Unused(OfPasses):
    """`loss + penalty` and `p.requires_grad == True` as statements, whose results nobody gets.

    Also a mixture of one thing with itself, which leaves out what it was to be mixed with.
    """

    def read(self, source: S.Source) -> None:
        for node in source.nodes:
            if isinstance(node, ast.BinOp) and (same := mixed_with_itself(node)):
                self.find(source.place(node), "lost-loss", f"both parts of this mixture are "
                          f"`{same}`", "with shares that add up to 1 the sum is that alone",
                          "in mixup the second part takes the targets of the other examples: "
                          "`lam * criterion(out, y) + (1 - lam) * criterion(out, y[index])`")
            value = node.value if isinstance(node, ast.Expr) and has_no_effect(node) else None
            if isinstance(value, ast.BinOp):
                first = ast.unparse(value.left)
                added = isinstance(value.left, (ast.Attribute, ast.Subscript)) or isinstance(
                    value.op, (ast.Add, ast.Sub)) and isinstance(value.left, ast.Name)
                cure = f"`{first} = {ast.unparse(value)}`" if added else (
                    f"give the result a name: `... = {ast.unparse(value)}`")
                self.find(source.place(node), "lost-loss", "this computes a result that nothing "
                          "uses", "it is a new value, and changes none of those it is computed "
                          "from", cure)
            elif isinstance(value, ast.Call):
                text, owner = ast.unparse(value), ast.unparse(value.func.value)
                leaf = isinstance(getattr(node, "parent", None), ast.With)       # of no_grad()
                self.find(source.place(node), "lost-loss", f"`{text}` makes a new tensor, and "
                          "nothing uses it", f"without an underscore at its end the method leaves "
                          f"`{owner}` as it was", f"`{owner} = {text}`"
                          if owner.isidentifier() and not leaf
                          else f"`{owner}.{called_name(value)}_(...)`, which changes it in place; "
                          "or give the result a name")
            elif isinstance(value, ast.Compare):
                left, right = ast.unparse(value.left), ast.unparse(value.comparators[0])
                self.find(source.place(node), "no-such-setting", f"this asks whether `{left}` is "
                          f"`{right}`, and does nothing with the answer", "`==` compares, `=` sets",
                          f"`{left} = {right}`")


def mixed_with_itself(node: ast.BinOp) -> str:
    """The loss in `a * loss(x, y) + (1 - a) * loss(x, y)`; "" for any other sum."""
    parts = node.left, node.right
    if not isinstance(node.op, ast.Add) or not all(
            isinstance(p, ast.BinOp) and isinstance(p.op, ast.Mult) for p in parts):
        return ""
    (share, loss), (rest, other) = [(ast.unparse(p.left), p.right) for p in parts]
    known = isinstance(loss, ast.Call) and len(loss.args) > 1 and ERROR.search(called_name(loss))
    same = ast.unparse(loss)
    return same if known and same == ast.unparse(other) and rest in (
        f"1 - {share}", f"1.0 - {share}") else ""


def has_no_effect(node: ast.Expr) -> bool:
    """Whether a statement only computes, and neither provokes an error nor shows a cell's value."""
    value, outer = node.value, getattr(node, "parent", None)
    shows = S.loop_of(node) is None and isinstance(next(
        n for n in S.around(node) if isinstance(n, S.Scope)), ast.Module)
    if isinstance(outer, ast.Try) or shows or isinstance(outer, ast.With) and not all(
            isinstance(item.context_expr, ast.Call) and called_name(item.context_expr)
            in UNRECORDED for item in outer.items):
        return False
    if isinstance(value, ast.Compare):
        return len(value.ops) == 1 and isinstance(value.ops[0], ast.Eq) and isinstance(
            value.left, (ast.Attribute, ast.Subscript, ast.Name))
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Attribute) and value.func.attr in NO_EFFECT and not any(
            k.arg in ("out", "inplace") for k in value.keywords)
    return isinstance(value, ast.BinOp) and isinstance(
        value.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)) and not any(
            isinstance(n, ast.Constant) and isinstance(n.value, str)
            and not isinstance(getattr(n, "parent", None), ast.Subscript) for n in ast.walk(value))


class DetachedState(OfPasses):
    """`h = cell(x[:, t], h.detach())` in a loop over steps, whose last state alone is used."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.cuts: dict[tuple, tuple] = {}       # lines of such calls: what to say

    def before_pass(self, task: Pass) -> None:
        super().before_pass(task)
        if not self.cuts or not task.fills:
            return
        lines = {(w.file, w.line) for w in map(reading.place_of, task.nodes) if w is not None}
        for line in lines & self.cuts.keys():    # that training goes through
            self.find(*self.cuts.pop(line))

    def read(self, source: S.Source) -> None:
        for loop in source.nodes:
            if not isinstance(loop, ast.For) or any(
                    isinstance(n, ast.Attribute) and n.attr == "backward" for n in ast.walk(loop)):
                continue
            for node in loop.body:
                name = carried(node, loop)
                cuts = [n for n in loop.body if detaches(n, name)] if name else []
                uses = [n for n in ast.walk(loop) if isinstance(n, ast.Name) and n.id == name
                        and isinstance(n.ctx, ast.Load) and S.statement(n) not in (node, *cuts)]
                if cuts and not uses:
                    self.cuts[source.file, node.lineno] = (
                        source.place(cuts[0]), "detached-state", f"`{name}` is detached in each "
                        "step of this loop, and only what the last one gives is used",
                        "backward() reaches the last step and none before it: nothing is learned "
                        "that has to be remembered for longer", f"hand on `{name}` itself; where "
                        "it comes from the batch before, detach it once, before this loop")


def carried(node: ast.AST, loop: ast.For) -> str:
    """The `h` of `h = cell(x[:, t], h)`, a line of a loop over `t`; "" for any other line."""
    value = node.value if isinstance(node, ast.Assign) else None
    steps = [n for n in ast.walk(value) if isinstance(n, ast.Subscript)
             and S.names_in(n.slice) & S.names_in(loop.target)] if value is not None else []
    if not isinstance(value, ast.Call) or not steps:
        return ""
    return next((t.id for t in S.targets(node) if isinstance(t, ast.Name)
                 and t.id in S.names_in(value) and (
                     STATE.search(t.id) or STATE.search(ast.unparse(value.func)))), "")


def detaches(node: ast.AST, name: str) -> bool:
    """Whether a line of a loop says `h.detach()`, or `h.detach_()`."""
    return isinstance(node, (ast.Assign, ast.Expr)) and any(
        isinstance(n, ast.Call) and S.dotted(n.func) in (f"{name}.detach", f"{name}.detach_")
        for n in ast.walk(node))


class CountedTwice(Check):
    """Two backward passes of a loss in one step, also as a part of another: it counts twice."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.root = -1                           # the number of the last pass's loss
        self.first: tuple = ()                   # a leaf, and the gradient that it got then
        self.now: Pass | None = None
        self.where: Place | None = None          # of the first pass,
        self.again: Place | None = None          # and of the other,
        self.part = False                        # whose loss has the first one for a part
        self.steps: dict[str, list] = {}

    def before_pass(self, task: Pass) -> None:
        self.now = task if task.fills and len(task.roots) == 1 else None

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        task, self.now = self.now, None          # one leaf is enough to tell
        array = reading.array_of(g)
        if task is None or id(leaf) not in self.doctor.given:
            return
        number = task.roots[0]._seq
        if leaf._grad is not None and self.counts_again(task, number, leaf, array):
            self.again, self.part = task.where, number != self.root
        elif number != self.root and (self.again is None or leaf._grad is None
                                      or reading.are_zeros(leaf._grad)):
            self.root, self.first = number, (id(leaf), reading.fingerprint(array))
            self.where, self.again = task.where, None

    def counts_again(self, task: Pass, number: int, leaf: Tensor, g: Any) -> bool:
        """Whether the first loss is passed through again, while its gradient is in leaf.grad."""
        kept = reading.array_of(leaf._grad)
        return (self.first == (id(leaf), reading.fingerprint(g if number == self.root else kept))
                and bool(kept.any() and g.any()) and any(n._seq == self.root for n in task.nodes))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.root = -1
        if self.again is not None and closure is None:
            line = self.steps.setdefault(str(self.again), [self.where, self.again, self.part, 0])
            line[3] += 1
        self.again = None

    def at_end(self) -> None:
        for first, again, part, times in self.steps.values():
            if times >= STEPS:
                if part and str(first) == str(again):
                    self.find(again, "counted-twice", "each turn of the loop calls backward() on "
                              "the sum of all losses so far: those of the turns before are "
                              "counted once more", "the first loss counts as often as there are "
                              "turns, and keeping all graphs for that takes memory and time",
                              "backward() of each turn's own loss, which adds to .grad; or one "
                              "backward() of the sum, after the loop", f"{first}")
                    continue
                self.find(again, "counted-twice", (
                    f"the loss of the backward() at {first} is a part of this one: its gradients "
                    "are added once more") if part else (
                    f"this is the second backward() of the same loss, after the one at {first}: "
                    "its gradients are added once more"),
                          "each step goes by twice this gradient, and keeping the graph for that "
                          "takes memory and time", "leave out one of the two, and retain_graph="
                          "True with it", f"{first}")


CHECKS = (LostLoss, Unused, DetachedState, CountedTwice)
