"""The check of scalar sums: a term of the loss that has no history, and where its history was lost.

It looks at a sum while the function that computes it still runs, when the values of the variables
are known. `checks_losses.ConstantPenalty` starts later, from the line that calls backward().
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from . import breaks, reading
from . import source as S
from .check import Check, Pass, only
from .checks_training import PASSES
from .cuts import Break, cutting_call
from .places import Place, place, user_frames
from .programs import Env, called_function, called_name, env_of, operands

DEPTH = 10                 # the most assignments back from what a function returns
SUMS = {"AddBackward0": "+", "SubBackward0": "-", "RsubBackward1": "-"}
PASSED_BY = {*SUMS, "NegBackward0", "MulBackward0", "DivBackward0", "StackBackward0",
             "MeanBackward0", "SumBackward0", "ViewBackward0", "SqueezeBackward0",
             "UnsqueezeBackward0", "ToCopyBackward0"}


class ConstantPart(Check):
    """`loss = data_loss + penalty`, where `penalty` was computed by way of item() or no_grad()."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple, tuple[str, Break] | None] = {}       # of sums, and what is cut off

    @only(*SUMS)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if getattr(reading.array_of(variables.get("res")), "size", 0) != 1:
            return
        pair = [variables.get("input"), variables.get("other")]
        dead = [self.is_dead(t, edge) for t, edge in zip(pair, (*node.edges, None), strict=False)]
        if dead.count(True) == 1:
            line = caller()
            if line not in self.lines:
                self.lines[line] = self.lost_in(place(*line), pair, dead.index(True))
            node._constant = self.lines[line]

    def is_dead(self, t: Any, edge: Node | None) -> bool:
        """Whether a summand has no history, or is a leaf of plain numbers and no parameter."""
        return edge is None or isinstance(edge, AccumulateGrad) and isinstance(t, Tensor) and (
            t.is_leaf and not self.doctor.is_trained(t))

    def lost_in(self, where: Place, pair: list[Any], which: int) -> tuple[str, Break] | None:
        """The summand without a history, and the cut on its way; None if there is none."""
        env = env_of(user_frames()[0]) if where.function != "<genexpr>" else None
        at = None if env is None else S.at(env.scope, where)
        if env is None or at is None:
            return None
        term = summand(at, pair, which, env)
        leaf = isinstance(pair[which], Tensor) and pair[which].requires_grad
        if term is None or is_sum_so_far(term, at) and not leaf:
            return None
        found = slope_in(weighed(term, env), env) or breaks.Search(anything=leaf).why(term, env)
        if found is not None and found.kind == "constant":       # a slope that is 0 is no cut
            found = breaks.Search(anything=leaf, past=("constant",)).why(term, env)
        if found is None or found.place is None or is_subtracted_from_itself(at, found):
            return None
        found = behind_a_factor(found, term, env, self.doctor.taken)
        return None if found is None else (ast.unparse(term), found)

    def before_pass(self, task: Pass) -> None:
        waiting, seen = list(task.roots) if task.fills else [], set(task.roots)
        while waiting:
            node = waiting.pop()
            if type(node).__name__ not in PASSED_BY:
                continue
            lost = getattr(node, "_constant", None)
            if lost is not None and not any(
                    f.cause == str(lost[1].place) for f in self.doctor.report.findings):
                text, cut = lost
                self.find(cut.place, "constant-penalty", f"`{text}` is a part of the loss that has "
                          "no gradient: the network does not learn from it", cut.what, cut.cure,
                          str(cut.place))
            new = [n for n in node.edges if n is not None and n not in seen]
            seen.update(new)
            waiting += new


def weighed(node: ast.expr, env: Env) -> ast.expr:
    """A part of a sum without the number that it is multiplied by: `f(x)` of `10 * f(x)`."""
    for one, other in ((node.left, node.right), (node.right, node.left)) if isinstance(
            node, ast.BinOp) and isinstance(node.op, ast.Mult) else ():
        if isinstance(breaks.Search().value(one, env), (int, float)):
            return weighed(other, env)
    return node


def slope_in(term: ast.expr, env: Env) -> Break | None:
    """The cut in what a function of the program returns, if that is made of gradients alone."""
    body = called_function(breaks.Search().value(term.func, env)) if isinstance(
        term, ast.Call) else None
    returned = [] if body is None else list(breaks.Search().returns(term, body, env))
    cuts = [cut for value, where in returned for cut in slopes_in(value, where)]
    return cuts[0] if all(cuts) and cuts else None


def slopes_in(node: ast.AST, env: Env, depth: int = DEPTH) -> Iterator[Break | None]:
    """Yield the calls of autograd.grad() that an expression is made of and that record nothing.

    Constants are left out; None is yielded for anything else.
    """
    make = cutting_call(node, env) if isinstance(node, ast.Call) else None
    cut = None if make is None else make()
    value = breaks.Search().value(node, env)
    if cut is not None and cut.kind == "create_graph":
        yield cut
    elif isinstance(node, ast.Constant) or isinstance(value, (int, float, ModuleType)) or (
            isinstance(value, Tensor) and not value.requires_grad):
        return
    elif isinstance(node, ast.Name):
        origin = breaks.Search().origin(node, env) if depth else None
        for expression, where in origin or ():
            yield from slopes_in(expression, where, depth - 1)
        if not origin:
            yield None
    elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
        yield None                               # of another function, or a network
    else:
        for part in operands(node):
            yield from slopes_in(part, env, depth)


def summand(at: ast.AST, pair: list[Any], which: int, env: Env) -> ast.expr | None:
    """The expression of what was added, or subtracted, where a sum was computed."""
    if isinstance(at, ast.Assign):               # of several statements on a line
        at = at.value
    if isinstance(at, ast.AugAssign):            # `total += t` of the number 0 is `t + 0`
        turned = isinstance(breaks.Search().value(at.target, env), (int, float))
        return at.value if which ^ turned else None
    if isinstance(at, ast.BinOp):
        sides = [at.left, at.right]
        values = [breaks.Search().value(side, env) for side in sides]
        turned = values[1] is pair[0] or isinstance(values[0], (int, float))     # 1 + t
        return sides[which ^ turned]
    if isinstance(at, ast.Call) and called_name(at) == "sum" and at.args:
        return element(at.args[0], pair[which], env)
    return None


def element(several: ast.AST, value: Any, env: Env, depth: int = 3) -> ast.expr | None:
    """The expression of the one in a list that a summand without a history was made of."""
    if isinstance(several, (ast.GeneratorExp, ast.ListComp)) and depth:
        inner = several.generators[0].iter
        sources = inner.args if isinstance(inner, ast.Call) and called_name(inner) == "zip" else [
            inner]
        found = (element(source, None, env, depth - 1) for source in sources)
        return next((f for f in found if f is not None), None)
    if isinstance(several, ast.Name) and depth:
        held = breaks.Search().value(several, env)
        made = breaks.Search().origin(several, env) or []
        known = made[0][0] if len(made) == 1 and made[0][1] is env else None
        if isinstance(held, (list, tuple)) and isinstance(known, (ast.List, ast.Tuple)) and len(
                known.elts) == len(held):
            return next((e for e, v in zip(known.elts, held, strict=True) if isinstance(
                v, Tensor) and not v.requires_grad and (value is None or v is value)), None)
        return None
    if isinstance(several, (ast.List, ast.Tuple)):
        values = [(e, breaks.Search().value(e, env)) for e in several.elts]
        return next((e for e, v in values if isinstance(v, Tensor) and not v.requires_grad), None)
    return None


def is_sum_so_far(term: ast.expr, at: ast.AST) -> bool:
    """Whether a summand is what is added to: the first `total` of `total = total + loss` is 0."""
    text = ast.unparse(term)
    return any(text == ast.unparse(t) or text.startswith(ast.unparse(t) + ".")
               for t in S.targets(S.statement(at)))


def is_subtracted_from_itself(at: ast.AST, found: Break) -> bool:
    """Whether a cut is that of `x - x.detach()`, which has the gradient of x and no size."""
    if found.kind not in ("detach", "data", "item") or not isinstance(at, ast.BinOp):
        return False
    left, right = ast.unparse(at.left), ast.unparse(at.right)
    return left + "." in right or right + "." in left


def behind_a_factor(found: Break, term: ast.AST, env: Env, taken: dict) -> Break | None:
    """The cut itself, or the one behind it if it cuts off a factor, which is often intended.

    In `log_prob * advantage.detach()` it is `log_prob` that should have a history. The place where
    that was lost is known only if exactly one other line has called detach() or the like.
    """
    if found.kind not in ("detach", "data"):
        return found
    factor = next((n for n in ast.walk(S.statement(term)) if isinstance(n, ast.BinOp)
                   and isinstance(n.op, ast.Mult) and is_cut(n.left) != is_cut(n.right)), None)
    for names in () if factor is not None else searched_names(term, env):
        factor = factor or names
    if factor is None:
        return found
    other = factor.left if is_cut(factor.right) else factor.right
    value = breaks.Search().value(other, env)
    if not isinstance(value, Tensor) or value.requires_grad:
        return found
    nearer = breaks.Search().why(other, env)
    if nearer is not None:
        return nearer
    lines = {str(where): (where, what) for known in taken.values()
             for where, what in known.values() if str(where) != str(found.place)}
    if len(lines) != 1:
        return None
    (where, what), = lines.values()
    return Break(found.kind, where, f"`{ast.unparse(other)}` is computed from what {what} gives "
                 "here: numbers without their history", f"leave out {what} here")


def searched_names(term: ast.AST, env: Env) -> list[ast.BinOp]:
    """The products that the variables in an expression were last set to."""
    found = []
    for name in ast.walk(term):
        for made, where in (breaks.Search().origin(name, env) or []) if isinstance(
                name, ast.Name) else []:
            found += [n for n in ast.walk(made) if where is env and isinstance(n, ast.BinOp)
                      and isinstance(n.op, ast.Mult) and is_cut(n.left) != is_cut(n.right)]
    return found


def is_cut(node: ast.AST) -> bool:
    """Whether an expression is `x.detach()` or `x.data`."""
    return isinstance(node, ast.Attribute) and node.attr == "data" or isinstance(
        node, ast.Call) and called_name(node) == "detach"


class WeightOfZero(Check):
    """`loss + beta * kl` with `beta = epoch // 20`, which is 0 in all epochs that there are."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple, list[int]] = {}          # how often the weight was 0, or was not

    @only("MulBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if None in node.edges and getattr(variables.get("res"), "size", 0) == 1:
            weight = reading.array_of(variables.get("input" if node.edges[0] is None else "other"))
            if getattr(weight, "size", 1) == 1:
                self.lines.setdefault(caller(), [0, 0])[bool(weight)] += 1

    def at_end(self) -> None:
        for line, (zeros, others) in self.lines.items():
            where = place(*line)
            made = floored_at(where) if zeros >= PASSES and not others else None
            if made is not None:
                text, cause = made
                self.find(where, "weight-of-zero", f"a part of the loss is multiplied by 0 in all "
                          f"{zeros} passes: `{text}`", "// cuts off what comes after the point, "
                          "so it is 0 until the second number is reached: this part teaches the "
                          "network nothing", f"`{text.replace('//', '/')}`, a share that grows "
                          "from the beginning", cause)


def floored_at(where: Place) -> tuple[str, str] | None:
    """A quotient `a // b` on a line, or in what its variables were set to, and where it stands."""
    source = S.read(where.file)
    line = None if source is None else S.statement_at(source, where)
    scope = next((n for n in S.around(line) if isinstance(n, S.Scope)), None) if line else None
    if line is None or source is None or scope is None:
        return None
    made = [n for name in sorted(S.names_in(line)) for n in S.assignments(scope, name)[-1:]]
    for statement in (line, *made):
        for node in ast.walk(statement):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
                return ast.unparse(node), str(source.place(statement))
    return None


CHECKS = (ConstantPart, WeightOfZero)
