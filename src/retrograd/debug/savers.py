"""The line that saved a tensor for backward, found by reading the source: nothing was traced.

It is looked for where a reader would look: in the functions that are running, in the one that wrote
to the tensor, in the forward() of the Modules at hand. A function with several candidates, or
none, tells nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType

from ..nn.modules.module import Module
from . import breaks
from . import source as S
from .names import Names
from .places import Place, is_own, of_frame
from .programs import Env, attribute, called_function, called_name, env_of

SYMBOLS = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": (ast.Div, ast.FloorDiv),
           "matmul": ast.MatMult, "mm": ast.MatMult, "mv": ast.MatMult, "dot": ast.MatMult,
           "bmm": ast.MatMult, "pow": ast.Pow, "rpow": ast.Pow, "remainder": ast.Mod,
           "reciprocal": ast.Div}
OTHER_CALLS = {                  # functions that record an operator of another name
    "nll_loss": {"cross_entropy"}, "log_softmax": {"cross_entropy"},
    "conv": {"conv1d", "conv2d", "conv3d"}, "max": {"amax"}, "min": {"amin"},
}
VIEWS = {"view", "reshape", "flatten", "transpose", "permute", "squeeze", "unsqueeze", "t",
         "detach", "narrow", "select", "diagonal", "view_as"}
FUNCTIONS = {"torch", "F", "nn.functional", "torch.nn.functional", "functional"}  # of these modules


@dataclass
class Saved:
    """What is known of a saved tensor: by which operator, and what the user calls it."""

    operator: str
    called: str | None           # in the functions that are running
    was_result: bool | None      # the operator's own result; None: that or an argument
    written: str | None = None   # in the function that wrote to it
    writer: CodeType | None = None


def line_that_saved(saved: Saved, frames: list[FrameType], names: Names) -> Place | None:
    """The one line that can have recorded the operator."""
    running = [env for frame in frames if (env := env_of(frame)) is not None]
    for env in running if saved.called else ():
        found = _only(_lines(env, saved, saved.called), env)
        if found is not None:
            return found
    for env in running[:1] if saved.was_result is not False else ():
        behind = {str(place): place for place in _behind(saved, env)}
        if len(behind) == 1:
            return next(iter(behind.values()))
    wrote = None if saved.writer is None or saved.written is None else env_of_code(
        saved.writer, names)
    if wrote is not None and all(wrote.scope is not env.scope for env in running):
        found = _only(_lines(wrote, saved, saved.written), wrote)
        if found is not None:
            return found
    inside = list(_inside_modules(saved, names))
    if len(inside) == 1:
        return inside[0]
    return line_that_called(frames, saved.called)


def line_that_called(frames: list[FrameType], parameter: str | None) -> Place | None:
    """The one line of the running function that calls the Module of a parameter (or any Module)."""
    env = env_of(frames[0])
    return None if env is None else _only(_calls_of(env, parameter), env)


STEPS = 100              # the most expressions that are looked at behind a variable


def _behind(saved: Saved, env: Env) -> Iterator[Place]:
    """Where a variable got the operator's result, perhaps by way of calls and their returns."""
    if not (saved.called or "").isidentifier():
        return
    search = breaks.Search()
    waiting: list[tuple[ast.AST, Env]] = [(breaks.variable(saved.called or "", env), env)]
    for node, where in waiting:
        if len(waiting) > STEPS:
            return
        if records(node, saved.operator, where):
            yield where.source.place(S.statement(node))
        elif isinstance(node, ast.Name):
            waiting += search.origin(node, where) or []
        elif isinstance(node, ast.Call):
            body = called_function(search.value(node.func, where))
            if body is not None:
                waiting += search.returns(node, body, where)
            elif called_name(node) in VIEWS and isinstance(node.func, ast.Attribute):
                waiting.append((node.func.value, where))


def _only(found: dict[int, Place], env: Env) -> Place | None:
    """The only candidate or, of several, the only one that took part in computing the loss."""
    if len(found) > 1 and env.frame is not None:
        loss = breaks.argument(env, of_frame(env.frame))
        behind = set() if loss is None else breaks.lines_behind(loss, env)
        found = {line: where for line, where in found.items() if line in behind}
    return next(iter(found.values())) if len(found) == 1 else None


def _lines(env: Env, saved: Saved, name: str | None) -> dict[int, Place]:
    """The lines of a function that can have recorded the operator on (or as) `name`."""
    found = {}
    for node in S.inside(env.scope):
        if not records(node, saved.operator, env):
            continue
        statement = S.statement(node)
        targets = {ast.unparse(t) for t in S.targets(statement)}
        inputs = {ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.expr)}
        known = targets | inputs if saved.was_result is None else \
            targets if saved.was_result else inputs
        if name is None or name in known:
            found[statement.lineno] = env.source.place(statement)
    return found


def _calls_of(env: Env, name: str | None) -> dict[int, Place]:
    """The lines that call the Module of the parameter `name`; without a name, any Module."""
    owner = name.partition(".")[0] if name else ""
    calls = [n for n in S.inside(env.scope) if isinstance(n, ast.Call) and (
        S.dotted(n.func) == owner != name if name else
        isinstance(env.values.get(S.dotted(n.func)), Module))]
    return {S.statement(n).lineno: env.source.place(S.statement(n)) for n in calls}


def _inside_modules(saved: Saved, names: Names) -> Iterator[Place]:
    """The lines of the Modules' own forward() that can have recorded the operator."""
    owner, _, part = (saved.called or "").rpartition(".")
    for env in _forwards(names, owner if saved.called else None):
        yield from _lines(env, saved, f"self.{part}" if owner else saved.called).values()


def _forwards(names: Names, name: str | None = None) -> Iterator[Env]:
    """The forward() of each class of the user's Modules, or of the one Module of this name."""
    seen = set()
    for module in list(names.objects.values()):
        code = getattr(getattr(type(module), "forward", None), "__code__", None)
        if not isinstance(module, Module) or code is None or is_own(code.co_filename):
            continue
        if code in seen or name is not None and names.of(module) != name:
            continue
        seen.add(code)
        env = env_of_code(code, names, module)
        if env is not None:
            yield env


def only_inplace_call(frames: list[FrameType], names: Names) -> Place | None:
    """The one call of a function that writes in place: F.relu(x, inplace=True), or F.relu_(x)."""
    running = [env for frame in frames if (env := env_of(frame)) is not None]
    found = {str(place): place for env in [*running, *_forwards(names)]
             for node in S.inside(env.scope) if isinstance(node, ast.Call)
             and not called_name(node)[:1].isupper()          # which makes a layer
             and (is_function_in_place(node) or any(
                 k.arg == "inplace" and getattr(k.value, "value", None) is True
                 for k in node.keywords))
             for place in [env.source.place(S.statement(node))]}
    return next(iter(found.values())) if len(found) == 1 else None


def is_function_in_place(call: ast.Call) -> bool:
    """Whether a call is that of a function that writes to its argument: F.relu_(x)."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return owner is not None and S.dotted(owner) in FUNCTIONS and bool(call.args) and (
        called_name(call).endswith("_"))


def env_of_code(code: CodeType, names: Names, module: Module | None = None) -> Env | None:
    """The Env of a function that is not running; `self` is known where it is a Module's method."""
    source = None if is_own(code.co_filename) else S.read(code.co_filename)
    if source is None:
        return None
    if module is None:
        module = next((m for m in names.objects.values() if isinstance(m, Module) and getattr(
            getattr(type(m), code.co_name, None), "__code__", None) is code), None)
    scope = source.scope(code)
    first = S.parameter_names(scope)[:1]
    return Env(source, scope, dict.fromkeys(first, module) if module is not None else {})


def records(node: ast.AST, operator: str, env: Env) -> bool:
    """Whether an expression may be what records this operator."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return isinstance(node.op, SYMBOLS.get(operator.split("_")[0], ()))
    if not isinstance(node, ast.Call):
        return False
    name = called_name(node).rstrip("_")
    if name in (operator, operator.split("_")[0]) or name in OTHER_CALLS.get(operator, ()):
        return True
    if S.dotted(node.func) == f"{operator}.apply":
        return True
    module = _module(node.func, env)
    return module is not None and is_layer_of(module, operator)


def _module(func: ast.AST, env: Env) -> Module | None:
    """The Module that self.act names, where that is known."""
    if isinstance(func, ast.Name):
        found = env.values.get(func.id)
    elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        found = attribute(env.values.get(func.value.id), func.attr)
    else:
        return None
    return found if isinstance(found, Module) else None


def is_layer_of(module: Module, operator: str) -> bool:
    """Whether a layer of the library computes this operator: Sigmoid for "sigmoid"."""
    return any(is_own(type(m).forward.__code__.co_filename)
               and type(m).__name__.lower() == operator.replace("_", "") for m in module.modules())


def written_name(statement: ast.AST | None) -> str | None:
    """What a statement that writes in place calls the tensor: "h" in h += x, h[0] = 1."""
    target: ast.AST | None = None
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        target = statement.target
    elif isinstance(statement, ast.Assign):
        target = statement.targets[0]
    call = getattr(statement, "value", None)
    if not isinstance(target, ast.Subscript) and isinstance(call, ast.Call):
        given = {k.arg: k.value for k in call.keywords}
        if "inplace" in given:
            target = call.args[0] if call.args else given.get("input")
        elif is_function_in_place(call):
            target = call.args[0]
        elif called_name(call).endswith("_") and isinstance(call.func, ast.Attribute):
            target = call.func.value
        else:
            target = given.get("out")
    while target is not None:
        if isinstance(target, ast.Subscript) or isinstance(target, ast.Attribute) and target.attr \
                in ("data", "T", "mT"):
            target = target.value
        elif isinstance(target, ast.Call) and called_name(target) in VIEWS and isinstance(
                target.func, ast.Attribute):
            target = target.func.value
        else:
            break
    return ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) else None
