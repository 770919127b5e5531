"""Reading the source of the user's functions: where a name got its value, inside which blocks.

Nothing runs here: files are parsed, and only when an error is to be explained.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Any

from .places import Place

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Scope = ast.Module | Function | ast.ClassDef


class Source:
    """A parsed file: its `tree`, of which every node has a `parent`, and all its `nodes`."""

    def __init__(self, file: str, text: str):
        self.file, self.text = file, text
        self.tree = ast.parse(text)
        self.nodes = [*ast.walk(self.tree)]
        self.functions: dict[tuple[str, int], Function] = {}     # by name and first line
        self.statements: dict[int, list[ast.stmt]] = {}          # simple ones, by their lines
        for node in self.nodes:
            for child in ast.iter_child_nodes(node):
                child.parent = node          # type: ignore[attr-defined]
            if isinstance(node, Function):
                self.functions.setdefault((getattr(node, "name", "<lambda>"), first_line(node)),
                                          node)
            elif isinstance(node, ast.stmt) and not hasattr(node, "body") and not hasattr(
                    node, "cases"):
                for line in range(node.lineno, (node.end_lineno or 0) + 1):
                    self.statements.setdefault(line, []).append(node)

    def scope(self, code: CodeType) -> Scope:
        """The function (or the module) whose code this is."""
        return self.functions.get((code.co_name, code.co_firstlineno), self.tree)

    def place(self, node: ast.AST) -> Place:
        """A node's first line."""
        line: int = node.lineno              # type: ignore[attr-defined]
        return Place(self.file, line, linecache.getline(self.file, line).strip())


def first_line(function: ast.AST) -> int:
    """The line that a function's code object begins with: that of its first decorator."""
    decorators = getattr(function, "decorator_list", [])
    return min([function.lineno, *(d.lineno for d in decorators)])  # type: ignore[attr-defined]


def read(file: str) -> Source | None:
    """The parsed file; None where there is no source, or none that parses."""
    lines = linecache.getlines(file)
    return _parsed(file, "".join(lines)) if lines else None


@lru_cache(maxsize=64)
def _parsed(file: str, text: str) -> Source | None:
    try:
        return Source(file, text)
    except (SyntaxError, ValueError, RecursionError):
        return None


# --------------------------------------------------------------------------- around a node

def around(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that contain a node, from the inside out."""
    parent = getattr(node, "parent", None)
    while parent is not None:
        yield parent
        parent = getattr(parent, "parent", None)


def statement(node: ast.AST) -> ast.stmt:
    """The statement that a node is part of."""
    while not isinstance(node, ast.stmt):
        node = node.parent                   # type: ignore[attr-defined]
    return node


def loop_of(node: ast.AST) -> ast.AST | None:
    """The innermost loop around a node, in its function."""
    for outer in around(node):
        if isinstance(outer, (ast.For, ast.While, ast.AsyncFor)):
            return outer
        if isinstance(outer, Scope):
            return None
    return None


def inside(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, not of those defined in it, in the order of the text."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, Scope):
            yield from inside(child)


def at(scope: ast.AST, place: Place) -> ast.AST | None:
    """The smallest expression (or statement) of a scope that stands at a place."""
    best = None
    for node in inside(scope):
        line = getattr(node, "lineno", None)
        if line is None or not line <= place.line <= (node.end_lineno or line):
            continue
        columns = node.col_offset, node.end_col_offset
        if columns == place.columns or isinstance(node, ast.stmt) and not beside(node, place):
            best = node
    return best


def beside(node: ast.stmt, place: Place) -> bool:
    """Whether a place is another statement on the same line: `a(); b()`."""
    return (place.columns is not None and node.lineno == node.end_lineno
            and not node.col_offset <= place.columns[0] < (node.end_col_offset or 0))


def statement_at(source: Source, place: Place) -> ast.stmt | None:
    """The simple statement (no loop, block or function) of a file that a place is in."""
    return next((node for node in source.statements.get(place.line, ())
                 if not beside(node, place)), None)


# --------------------------------------------------------------------------- names

def targets(node: ast.AST) -> Iterator[ast.expr]:
    """The targets that a statement (or a walrus) assigns to; tuples are taken apart."""
    if isinstance(node, ast.Assign):
        found = list(node.targets)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
        found = [node.target]
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        found = [node.optional_vars]
    else:
        return
    while found:
        target = found.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            found += target.elts
        elif isinstance(target, ast.Starred):
            found.append(target.value)
        else:
            yield target


def assignments(scope: ast.AST, name: str) -> list[ast.AST]:
    """The statements of a scope that give `name` (also "self.h") a value, in order."""
    return _tables(scope)[0].get(name, [])


def _tables(scope: ast.AST) -> tuple[dict[str, list[ast.AST]], dict[str, list[ast.expr]]]:
    """By name: the assignments of a scope, and what it appends to lists. Made once a scope."""
    found = getattr(scope, "tables", None)
    if found is None:
        assigned: dict[str, list[ast.AST]] = {}
        put: dict[str, list[ast.expr]] = {}
        for node in inside(scope):
            for target in targets(node):
                assigned.setdefault(ast.unparse(target), []).append(node)
            if isinstance(node, ast.Call) and node.args and dotted(node.func).endswith(".append"):
                put.setdefault(dotted(node.func), []).append(node.args[0])
        found = scope.tables = assigned, put          # type: ignore[attr-defined]
    return found


def assigned_names(scope: ast.AST) -> set[str]:
    """The variables that a scope gives values to."""
    return set(_tables(scope)[0])


def last_assignments(scope: ast.AST, name: str, before: ast.stmt) -> list[ast.AST]:
    """The assignments that `name` may have its value from, when `before` runs.

    These are the nearest one above and, in a loop without an assignment above, the last one
    further down, which ran in the previous iteration. An assignment that adds to the old value
    also brings the assignments of that value.
    """
    found = assignments(scope, name)
    above = [node for node in found if _position(node) < _position(before)]
    result = above[-1:]
    loop = loop_of(before)
    if loop is not None and not (above and holds(loop, above[-1])):
        result += [node for node in found if holds(loop, node) and node not in result][-1:]
    if not result and not isinstance(scope, ast.Module):
        return result
    for node in result:
        if isinstance(node, ast.AugAssign) and node is not before:
            result = [*last_assignments(scope, name, node), *result]
    return result or found[-1:]


def appended(scope: ast.AST, name: str) -> list[ast.expr]:
    """What a scope puts into the list `name`: the arguments of name.append(...)."""
    return _tables(scope)[1].get(name + ".append", [])


def appends(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls that append to a list: for "trainer.losses" also self.losses, losses["train"]."""
    part = name.rpartition(".")[2]
    return [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(
        n.func, ast.Attribute) and n.func.attr == "append" and n.args
        and container(n.func.value).split(".")[-1] == part]


def container(node: ast.expr) -> str:
    """"losses" for losses["train"] and for losses.setdefault("train", [])."""
    while isinstance(node, ast.Subscript) or isinstance(node, ast.Call) and isinstance(
            node.func, ast.Attribute) and node.func.attr in ("setdefault", "get"):
        node = node.value if isinstance(node, ast.Subscript) else node.func.value
    return ast.unparse(node)


def holds(outer: ast.AST, node: ast.AST) -> bool:
    """Whether a node is somewhere in another."""
    return any(above is outer for above in around(node))


def _position(node: Any) -> tuple[int, int]:
    """Where a statement, or an item of a with statement, begins."""
    node = node if hasattr(node, "lineno") else node.context_expr
    return node.lineno, node.col_offset


def parameter_names(function: ast.AST) -> list[str]:
    """The names of a function's parameters, in order."""
    a = getattr(function, "args", None)
    return [] if a is None else [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]


def names_in(node: ast.AST) -> set[str]:
    """The variables that an expression reads."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def dotted(node: ast.AST) -> str:
    """"torch.no_grad" for such an expression, else ""."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def bracketed(node: ast.AST) -> str:
    """An expression's text that a method can be called on, or that more can be written after."""
    text = ast.unparse(node)
    plain = not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Lambda))
    return text if plain else f"({text})"
