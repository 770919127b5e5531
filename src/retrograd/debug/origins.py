"""The line of a function where a variable got its first nan or inf, and what computed it there."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from .._tensor import Tensor
from . import source as S
from .places import Place
from .programs import Env, called_name

DEPTH = 5                # the most assignments back
ROOTS = ("rsqrt", "reciprocal", "pow", "float_power")
ENDS = ("atanh", "arctanh", "logit")      # infinite at the ends of what they take
KNOWN = (*ROOTS, *ENDS, "log", "log2", "log10", "div", "true_divide")


@dataclass
class Origin:
    """A variable with nan or inf in it, the line that set it, and what went wrong there."""

    name: str
    place: Place
    why: str
    cure: str


def first_not_finite(env: Env, name: str) -> Origin | None:
    """Where the nan or inf of a variable was computed from finite numbers, in the same function.

    None if that is not to be seen, as of data that were read.
    """
    for _ in range(DEPTH):
        made = S.assignments(env.scope, name)
        value = getattr(made[-1], "value", None) if made else None
        if value is None:
            return None
        tensors = {n: t for n in sorted(S.names_in(value) - {name}) if isinstance(
            t := env.values.get(n), Tensor) and type(t._data) is np.ndarray}
        bad = next((n for n, t in tensors.items() if not np.isfinite(t._data).all()), None)
        if bad is None:
            return computed(env, name, made[-1], value) if tensors else None
        name = bad
    return None


def looped_over(env: Env, where: Place | None, name: str) -> str:
    """The variable that a loop, or a comprehension, around a line takes `name` from; or ""."""
    line = None if where is None else S.statement_at(env.source, where)
    loops: list = [g for n in ast.walk(line) for g in getattr(n, "generators", ())
                   ] if line is not None else []
    loops += [n for n in S.around(line) if isinstance(n, ast.For)] if line is not None else []
    loop = next((one for one in loops if name in S.names_in(one.target)), None)
    given, target = (loop.iter, loop.target) if loop is not None else (None, None)
    while isinstance(given, ast.Call) and given.args:
        kind, parts = called_name(given), list(getattr(target, "elts", ()))
        places = [k for k, part in enumerate(parts) if name in S.names_in(part)]
        if kind == "zip" and places and places[0] < len(given.args):
            given, target = given.args[places[0]], parts[places[0]]
        elif kind == "enumerate" and places == [1]:
            given, target = given.args[0], parts[1]
        else:
            return ""
    return given.id if isinstance(given, ast.Name) else ""


def computed(env: Env, name: str, line: ast.AST, value: ast.expr) -> Origin | None:
    """What divides by 0, or takes a logarithm or a root of it, on the line that set a variable."""
    for node in ast.walk(value):
        operand, kind = divided_by(node)
        held = env.values.get(operand.id) if isinstance(operand, ast.Name) else None
        if operand is None or isinstance(held, Tensor) and kind not in ENDS and (
                held._data != 0).all():
            continue
        zeros = f", and {int((held._data == 0).sum())} of {held._data.size} numbers in " \
            f"`{operand.id}` are 0" if isinstance(held, Tensor) else ""  # type: ignore[attr-defined]
        text = S.bracketed(operand)
        place = env.source.place(line)
        if kind in ENDS:
            low = 0 if kind == "logit" else -1
            return Origin(name, place, f"{kind}() is infinite at {low} and 1",
                          f"keep it inside: `{text}.clamp({low} + 1e-6, 1 - 1e-6)`")
        if kind == "log":
            return Origin(name, place, f"the logarithm of 0 is -inf{zeros}",
                          f"keep it above 0: `{text}.clamp(min=1e-12)`")
        return Origin(name, place, f"it divides by 0{zeros}", "keep the divisor away from 0, "
                      f"`{text}.clamp(min=1)` for a number of neighbours or the like; or set what "
                      f"came of it to 0: `{name}.masked_fill({text} == 0, 0)`")
    return None


def divided_by(node: ast.AST) -> tuple[ast.expr | None, str]:
    """What an expression divides by, or takes the logarithm of, and which of the two."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return (None, "") if isinstance(node.right, ast.Constant) else (node.right, "div")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return (node.left, "pow") if is_negative(node.right) else (None, "")
    if not isinstance(node, ast.Call) or called_name(node) not in KNOWN:
        return None, ""
    kind = called_name(node)
    method = isinstance(node.func, ast.Attribute) and not S.dotted(node.func).startswith("torch.")
    given = [node.func.value, *node.args] if method else node.args       # type: ignore[attr-defined]
    if kind in ("pow", "float_power") and not (len(given) > 1 and is_negative(given[1])):
        return None, ""
    which = 1 if kind in ("div", "true_divide") else 0
    operand = given[which] if len(given) > which else None
    if kind in ENDS:
        return operand, kind
    return operand, "log" if kind.startswith("log") else "div"


def is_negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
