"""Pieces of the user's program that explanations read: expressions, and values of variables.

Nothing of the user's runs: attributes are looked up without calling properties.
"""

from __future__ import annotations

import ast
import inspect
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import FrameType, FunctionType, MethodType
from typing import Any

from .._tensor import Tensor
from ..nn.modules.module import Module
from . import source as S
from .places import Place, is_own
from .source import Source

UNKNOWN = object()


@dataclass
class Env:
    """What is known where an expression stands: its function's source, and values of variables."""

    source: Source
    scope: ast.AST
    values: dict[str, Any]
    frame: FrameType | None = None
    bound: dict[str, tuple[ast.expr, Env]] = field(default_factory=dict)


def env_of(frame: FrameType) -> Env | None:
    """The Env of a running frame."""
    source = S.read(frame.f_code.co_filename)
    if source is None:
        return None
    values = {**frame.f_globals, **frame.f_locals}
    return Env(source, source.scope(frame.f_code), values, frame)


def called_name(call: ast.Call) -> str:
    """The last part of a called name: "item" for x.item()."""
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def shown(node: ast.AST) -> str:
    """An expression's text, cut short."""
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "..."


def makes_leaf(call: ast.Call) -> bool:
    """Whether a call makes a tensor that requires grad: torch.ones(2, requires_grad=True)."""
    if called_name(call) in ("Parameter", "requires_grad_"):
        return True
    return any(k.arg == "requires_grad" and getattr(k.value, "value", None) is True
               for k in call.keywords)


def makes_tensor(node: ast.AST) -> bool:
    """Whether an expression makes a tensor out of nothing: torch.ones(2)."""
    return isinstance(node, ast.Call) and S.dotted(node.func).startswith("torch.") and not any(
        isinstance(n, ast.Call) and n is not node for n in ast.walk(node))


def attribute(owner: Any, name: str) -> Any:
    """owner.name, without running code of the user's."""
    if owner is UNKNOWN or isinstance(owner, Tensor):
        return UNKNOWN
    if isinstance(owner, Module):
        for table in (owner._parameters, owner._buffers, owner._modules):
            if name in table:
                return table[name]
    found = inspect.getattr_static(owner, name, UNKNOWN)
    if isinstance(found, FunctionType) and not inspect.isclass(owner) and not inspect.ismodule(
            owner):
        return MethodType(found, owner)
    if inspect.ismodule(owner):
        return vars(owner).get(name, UNKNOWN)
    if isinstance(found, staticmethod):
        return found.__func__
    return UNKNOWN if isinstance(found, (property, classmethod)) else found


def held_in(name: str, env: Env) -> Any:
    """What a variable holds; for "self.h" read outside a method, the `h` of an object at hand."""
    first, *rest = name.split(".")
    owners = [env.values[first]] if first in env.values else list(env.values.values())
    for owner in owners:
        found = owner
        for part in rest:
            found = UNKNOWN if found is UNKNOWN else attribute(found, part)
        if found is not UNKNOWN and (rest or first in env.values):
            return found
    return UNKNOWN


def entry(owner: Any, key: Any) -> Any:
    """owner[key] of a list, a tuple, a dict or a ModuleList."""
    if isinstance(owner, (list, tuple, deque)) and isinstance(key, int):
        return owner[key] if -len(owner) <= key < len(owner) else UNKNOWN
    if isinstance(owner, dict) and isinstance(key, (str, int)):
        return owner.get(key, UNKNOWN)
    if isinstance(owner, Module) and isinstance(key, int):
        return owner._modules.get(str(key), UNKNOWN)
    return UNKNOWN


def trainable(module: Module) -> bool:
    """Whether some parameter of a Module requires grad."""
    return any(p.requires_grad for p in module.parameters())


def behind_checkpoint(node: ast.Call) -> ast.Call:
    """The call f(x) that checkpoint(f, x) makes; any other call itself."""
    if called_name(node) != "checkpoint" or not node.args or isinstance(node.args[0], ast.Starred):
        return node
    call = getattr(node, "checkpointed", None)   # kept: searches remember where they have been
    if call is None:
        keywords = [k for k in node.keywords if k.arg != "use_reentrant"]
        call = ast.copy_location(ast.Call(node.args[0], node.args[1:], keywords), node)
        call.parent = getattr(node, "parent", None)      # type: ignore[attr-defined]
        node.checkpointed = call                         # type: ignore[attr-defined]
    return call


def called_function(value: Any) -> FunctionType | MethodType | None:
    """The user's function that a call runs: a function, a method, a Module's forward."""
    if isinstance(value, Module):
        value = value.forward
    if not isinstance(value, (FunctionType, MethodType)):
        return None
    return None if is_own(inspect.unwrap(value).__code__.co_filename) else value


def bind(call: ast.Call, scope: ast.AST, skip: bool | None = None) -> dict[str, ast.expr]:
    """The argument expression of each parameter, as far as the call shows it."""
    names = S.parameter_names(scope)
    if skip if skip is not None else names[:1] == ["self"]:
        names = names[1:]
    plain = not any(isinstance(a, ast.Starred) for a in call.args)
    given = dict(zip(names, call.args, strict=False)) if plain else {}
    return {**given, **{k.arg: k.value for k in call.keywords if k.arg in names}}


def operands(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that an expression is computed from."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, (ast.Attribute, ast.Call)):
            yield node.func.value if isinstance(node.func, ast.Attribute) else node.func
        elif isinstance(node.func, ast.Name):
            yield node.func
        yield from node.args
        yield from (k.value for k in node.keywords)
    elif isinstance(node, ast.Subscript):
        yield from (node.value, node.slice)
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        yield node.elt
        yield from (g.iter for g in node.generators)
    elif isinstance(node, (ast.Lambda, ast.Constant, ast.Name)):
        return
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    else:
        yield from (c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr))


def part_for(found: ast.AST, name: str, value: ast.expr) -> ast.expr:
    """In `a, b = u, v` what b is given; in `a, b = f(x)` f(x)[1]; otherwise the whole value."""
    for target in getattr(found, "targets", []):
        names = [n.id if isinstance(n, ast.Name) else "" for n in getattr(target, "elts", [])]
        if name not in names:
            continue
        if isinstance(value, ast.Tuple) and len(value.elts) == len(names):
            return value.elts[names.index(name)]
        if isinstance(value, ast.Call):
            return _entry_of(found, value, names.index(name))
    return value


def _entry_of(found: Any, value: ast.expr, k: int) -> ast.expr:
    """The expression `value[k]`, always the same object."""
    made = found.__dict__.setdefault("entries", {})
    if k not in made:
        made[k] = ast.copy_location(ast.Subscript(value, ast.Constant(k), ast.Load()), value)
        made[k].parent = found
    return made[k]


def users_modules(value: Any) -> list[Any]:
    """A value itself; for a Module of this package, as Sequential, the user's in it."""
    if not is_our_module(value):
        return [value]
    return [part for child in value.children() for part in users_modules(child)]


def is_our_module(value: Any) -> bool:
    """Whether a value is a Module whose forward is this package's."""
    code = getattr(inspect.unwrap(value.forward), "__code__", None) if isinstance(
        value, Module) else None
    return code is not None and is_own(code.co_filename)


def items(iterated: ast.expr, target: ast.expr, name: str, value_of: Any) -> list[Any]:
    """What `name` in the target of a loop is given, for loops over containers that are known."""
    if isinstance(iterated, ast.Call):
        function, owner = called_name(iterated), getattr(iterated.func, "value", None)
        if function in ("zip", "enumerate", "items") and isinstance(target, ast.Tuple):
            names = [S.names_in(part) for part in target.elts]
            k = next((k for k, found in enumerate(names) if name in found), 0)
            sources = {"zip": iterated.args, "enumerate": [None, *iterated.args],
                       "items": [None, owner]}[function]
            source = sources[k] if k < len(sources) else None
            return [] if source is None else items(source, target.elts[k], name, value_of)
        if function in ("reversed", "list", "tuple") and iterated.args:
            return items(iterated.args[0], target, name, value_of)
        if function in ("values", "children", "modules") and owner is not None:
            return items(owner, target, name, value_of)
        return []
    if isinstance(iterated, ast.Subscript) and isinstance(iterated.slice, ast.Slice):
        return items(iterated.value, target, name, value_of)
    container = value_of(iterated)
    if isinstance(container, Module):
        return list(container.children())
    if isinstance(container, dict):
        return list(container.values())
    return list(container) if isinstance(container, (list, tuple)) else []


def elsewhere(node: ast.AST, env: Env) -> Env:
    """The Env of an expression elsewhere in the file, whose function's variables are unknown."""
    scope = next((n for n in S.around(node) if isinstance(n, S.Scope)), env.source.tree)
    if scope is env.scope:
        return env
    own = {*S.parameter_names(scope), *S.assigned_names(scope)}
    return Env(env.source, scope, {n: v for n, v in env.values.items() if n not in own})


# --------------------------------------------------------------------------- where a name was set

def assigned(env: Env, name: str) -> Place | None:
    """The line that gave a variable, an attribute or a container (for "z[0]": z) its value."""
    name = name.partition("[")[0]
    found = S.assignments(env.scope, name) or S.assignments(env.source.tree, name)
    return env.source.place(found[-1]) if found else _attribute_set(env, name)


def _attribute_set(env: Env, name: str) -> Place | None:
    """The last `self.part = ...` in the class of the object that `owner.part` is read from."""
    first, *rest = name.split(".")
    if not rest:
        return None
    owner = env.values.get(first, UNKNOWN)
    for part in rest[:-1]:
        owner = attribute(owner, part)
    code = next((f.__code__ for f in vars(type(owner)).values() if isinstance(f, FunctionType)),
                None)
    source = None if code is None or is_own(code.co_filename) else S.read(code.co_filename)
    for node in [] if source is None else source.nodes:
        if isinstance(node, ast.ClassDef) and node.name == type(owner).__name__:
            target = f"self.{rest[-1]}"
            found = [n for n in ast.walk(node) if any(ast.unparse(t) == target
                                                      for t in S.targets(n))]
            return source.place(found[-1]) if found else None    # type: ignore[union-attr]
    return None


def set_in_a_loop(where: Place | None, name: str) -> Place | None:
    """The line that sets a variable anew in each iteration, in the file of a line."""
    source = None if where is None else S.read(where.file)
    found = [] if source is None else [n for n in S.assignments(source.tree, name) if S.loop_of(n)]
    return source.place(found[-1]) if found else None    # type: ignore[union-attr]


@lru_cache(maxsize=256)
def made_in_forward(where: Place | None) -> Place | None:
    """The line of forward() that makes a leaf, for one that computes with it.

    None where the gradient is read in forward() itself.
    """
    source = None if where is None else S.read(where.file)
    statement = None if source is None or where is None else S.statement_at(source, where)
    scope = next((n for n in S.around(statement) if isinstance(n, S.Function)),
                 None) if statement is not None else None
    if scope is None or source is None or getattr(scope, "name", "") != "forward":
        return None
    read = {n.value.id for n in ast.walk(scope) if isinstance(n, ast.Attribute)
            and n.attr == "grad" and isinstance(n.value, ast.Name)}
    asked = {name for n in ast.walk(scope) if isinstance(n, ast.Call) and called_name(n) == "grad"
             for name in S.names_in(n)}
    for name in S.names_in(statement) - read - asked:                    # type: ignore[arg-type]
        for made in S.assignments(scope, name):
            value = getattr(made, "value", None)
            if isinstance(value, ast.Call) and S.dotted(value.func).startswith("torch.") and any(
                    k.arg == "requires_grad" and getattr(k.value, "value", None) is True
                    for k in value.keywords):
                return source.place(made)
    return None
