"""Explanations of nan and inf: which element, the values it was computed from, how to avoid it."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from . import source as S
from .places import Place
from .programs import called_name

SAID = {"self": "the input", "result": "the result"}
INFINITE_SLOPE = {
    "nan": "the slope is infinite there, and infinity times zero is nan: masking the result "
           "afterwards, as with torch.where, does not help",
    "inf": "the slope is infinite there: the next operator that multiplies by zero makes nan of it",
}
CURE = ("keep the input away from that point before the operator: clamp() it, add a small eps, or "
        "put torch.where around the input")
CURES = {
    "sqrt": "add a small number inside, `torch.sqrt({0} + 1e-12)`, or put torch.where around the "
            "input: around the result is too late",
    "norm": "add a small number inside, `(x * x).sum().add(1e-12).sqrt()`: the length of a zero "
            "vector has no slope",
    "log": "keep the input above 0: `torch.log({0}.clamp(min=1e-12))`; for log(softmax(x)) take "
           "F.log_softmax(x), for a loss F.cross_entropy()",
    "div": "keep the divisor away from 0: `torch.where({1} == 0, 1, {1})` instead of `{1}`; around "
           "the result torch.where comes too late",
    "reciprocal": "keep the divisor away from 0: `torch.where({1} == 0, 1, {1})` instead of `{1}`; "
                  "around the result torch.where comes too late",
    "pow": "add a small number inside, `({0} + 1e-12) ** ...`: a root has an infinite slope at 0",
    "acos": "keep the input inside: `{0}.clamp(-1 + 1e-6, 1 - 1e-6)`",
    "asin": "keep the input inside: `{0}.clamp(-1 + 1e-6, 1 - 1e-6)`",
    "exp": "take softmax(), logsumexp(), or F.softplus(x) for log(1 + exp(x)): they stay finite; "
           "or keep the input small, `x.clamp(max=80)`, and lower the learning rate if the input "
           "grows from step to step",
}


NORMALIZE = ("a vector of zeros has the length 0: `F.normalize({0}, dim=-1)` divides by 1e-12 "
             "instead; or keep the divisor away from 0, `{1}.clamp(min=1e-12)`")
CURES_OF_SLOPES = {
    "exp": "keep the input small before the operator, `torch.exp({0}.clamp(max=80))`: around the "
           "result torch.where comes too late",
}
OPERATORS = {"div": ast.Div, "reciprocal": ast.Div, "pow": ast.Pow}


def operands_at(where: Place | None, operator: str) -> tuple[str, str]:
    """What a line gives to an operator, as text to compute with: x and y where that is unknown."""
    source = None if where is None else S.read(where.file)
    statement = None if source is None or where is None else S.statement_at(source, where)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.BinOp) and OPERATORS.get(operator) is type(node.op):
            return S.bracketed(node.left), S.bracketed(node.right)
        if isinstance(node, ast.Call) and called_name(node) == operator:
            method = isinstance(node.func, ast.Attribute) and not S.dotted(node.func).startswith(
                ("torch.", "F."))
            given = [node.func.value, *node.args] if method else node.args
            texts = [S.bracketed(part) for part in given]
            return (*texts, "x", "y")[0], (*texts[1:], "y")[0]
    return "x", "y"


def has_nan(array: np.ndarray) -> bool:
    return array.dtype.kind in "fc" and bool(np.isnan(array).any())


def first_bad(array: np.ndarray) -> tuple[tuple[int, ...], str]:
    """(index, "nan" or "inf") of the first element that is not finite."""
    index = tuple(int(i[0]) for i in np.nonzero(~np.isfinite(np.atleast_1d(array))))
    return (index if array.ndim else ()), "nan" if has_nan(array) else "inf"


def element(array: np.ndarray, index: tuple[int, ...]) -> str:
    """One element as text; "" where the array has no such place."""
    try:
        return f"{float(array[index] if array.ndim else array):.6g}"
    except (IndexError, TypeError):
        return ""


def at(index: tuple[int, ...]) -> str:
    return f", at element {index}" if index else ""


def values_at(inputs: dict[str, Any], index: tuple[int, ...], operator: str) -> list[str]:
    """"the input is 0" for each array that an operator had, at one element."""
    said = {**SAID, "other": "the divisor" if operator == "div" else "the other one"}
    return [f"{said.get(name, name)} is {e}" for name, a in inputs.items()
            if (e := element(a, index))]
