"""Lines whose result nothing reads."""

from __future__ import annotations

import ast

from . import source as S
from .places import Place


def unused_call(where: Place) -> ast.Call | None:
    """The call that a line consists of, whose result nothing uses."""
    source = S.read(where.file)
    line = None if source is None else S.statement_at(source, where)
    return line.value if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call) else None


def unused_variable(where: Place) -> str:
    """The variable that a line gives the result of a call to, and that nothing reads, or ""."""
    source = S.read(where.file)
    line = None if source is None else S.statement_at(source, where)
    target = line.targets[0] if isinstance(line, ast.Assign) and isinstance(
        line.value, ast.Call) and len(line.targets) == 1 else None
    scope = next((n for n in S.around(line) if isinstance(n, S.Scope)), None) if line else None
    if not isinstance(target, ast.Name) or scope is None or target.id.startswith("_"):
        return ""
    read = any(isinstance(n, ast.Name) and n.id == target.id and isinstance(n.ctx, ast.Load)
               for n in ast.walk(scope))
    return "" if read else target.id
