"""Where the graph broke: why a tensor does not require grad, found after the fact.

Nothing was noted while the program ran. So the search goes backward through the source, as a
reader would: from the tensor to the statement that computed it, to the variables in that, into the
functions it calls, and asks of each value at hand whether it still requires grad. The first
expression whose inputs do and whose result does not is the place.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType, FunctionType, MethodType
from typing import Any

from .._tensor import INFERENCE_TENSOR, Tensor
from ..nn.modules.module import Module
from ..ops.declare import REGISTRY
from . import source as S
from .places import Place, is_own, of_frame, outwards
from .source import Source

DEPTH = 25               # steps back through assignments and calls
UNKNOWN = object()

NUMBERS = {"item", "tolist", "numpy", "__float__", "__int__"}
CASTS = {"long", "int", "short", "byte", "char", "bool"}
INTEGER_DTYPES = {"long", "int", "int64", "int32", "int16", "int8", "uint8", "bool", "short"}
COPIES = {"tensor", "Tensor", "FloatTensor", "DoubleTensor", "from_numpy"}
NO_GRAD = {"no_grad": "no_grad", "inference_mode": "inference_mode"}
MAKERS = {"argmax", "argmin", "argsort", "one_hot", "multinomial", "bernoulli", "bincount", "histc",
          "histogram", "unique", "unique_consecutive", "count_nonzero", "nonzero", "searchsorted",
          "bucketize", "isclose", "allclose", "isin", "topk_indices"}


@dataclass
class Break:
    """A place where the graph was cut: `kind`, and what the user should read about it."""

    kind: str
    place: Place | None
    what: str                    # what happened there
    cure: str
    opened: Place | None = None  # the line that begins the no_grad block


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


def find(frame: FrameType, value: Any, position: int = 0) -> tuple[Break | None, Search]:
    """Why `value` (argument `position` of the call that `frame` stands at) does not require grad.

    The second result tells what the search met: `plain` and `frozen`.
    """
    search = Search()
    env = env_of(frame)
    if env is None:
        return None, search
    expression = argument(env, of_frame(frame), position)
    if expression is None:
        return None, search
    search.start = expression
    return search.why(expression, env), search


def find_between(frame: FrameType, loss: str, goal: Tensor) -> Break | None:
    """What cuts `goal` off from the variable `loss` of a frame, which does require grad."""
    env = env_of(frame)
    if env is None:
        return None
    return Search(goal).why(variable(loss, env), env)


def find_named(frame: FrameType, name: str) -> tuple[Break | None, Search]:
    """Why the variable `name` of a frame does not require grad."""
    env, search = env_of(frame), Search()
    return (None if env is None else search.why(variable(name, env), env)), search


def variable(name: str, env: Env) -> ast.expr:
    """An expression that reads a variable where a frame stands."""
    node = ast.parse(name, mode="eval").body
    line = of_frame(env.frame).line if env.frame is not None else 1
    place = ast.Expr(node, lineno=line, col_offset=0)
    node.parent, place.parent = place, env.scope            # type: ignore[attr-defined]
    return node


def argument(env: Env, place: Place, position: int = 0) -> ast.expr | None:
    """The expression of what backward() is called on, or grad() is given first."""
    node = S.at(env.scope, place)
    calls = [n for n in ([node] if isinstance(node, ast.Call) else ast.walk(node or env.scope))
             if isinstance(n, ast.Call) and _called(n) in ("backward", "grad")]
    if node is None or not calls:
        return None
    call = calls[0]
    if S.dotted(call.func) in ("torch.autograd.backward", "torch.autograd.grad", "autograd.grad",
                               "autograd.backward", "grad"):
        if not call.args:
            return None
        first = call.args[0]
        several = isinstance(first, (ast.Tuple, ast.List)) and position < len(first.elts)
        return first.elts[position] if several else first    # type: ignore[union-attr]
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def lines_behind(node: ast.expr, env: Env) -> set[int]:
    """The lines of a function that an expression's value was computed by."""
    search, lines, waiting = Search(), {S.statement(node).lineno}, [node]
    while waiting:
        for name in ast.walk(waiting.pop()):
            found = search.origin(name, env) if isinstance(name, ast.Name) else None
            for expression, where in found or []:
                line = S.statement(expression).lineno
                if where is env and line not in lines:
                    lines.add(line)
                    waiting.append(expression)
    return lines


def asked_for(env: Env, place: Place, position: int) -> ast.expr | None:
    """The expression of the input number `position` of a call of autograd.grad()."""
    call = S.at(env.scope, place)
    call = next((n for n in ast.walk(call or ast.Pass())
                 if isinstance(n, ast.Call) and _called(n) == "grad"), None)
    if call is None or len(call.args) < 2:
        return None
    second = call.args[1]
    several = isinstance(second, (ast.Tuple, ast.List)) and position < len(second.elts)
    return second.elts[position] if several else second      # type: ignore[union-attr]


def _called(call: ast.Call) -> str:
    """The last part of a called name: "item" for x.item()."""
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


class Search:
    """One search; remembers where it has been."""

    def __init__(self, goal: Tensor | None = None, anything: bool = False):
        self.goal = goal                     # look for what cuts this off, not for any cut
        self.anything = anything             # look on behind tensors that require grad
        self.seen: set[tuple[int, int]] = set()
        self.known: dict[tuple[int, int], bool] = {}        # what alive() has answered
        self.plain: dict[str, Place | None] = {}   # tensors made without requires_grad
        self.frozen: list[tuple[str, Module]] = []     # Modules without a trainable parameter
        self.start: ast.expr | None = None

    # ---------------------------------------------------------------- values
    def value(self, node: ast.AST, env: Env) -> Any:
        """The value of a variable, an attribute or an entry; UNKNOWN for anything else."""
        if isinstance(node, ast.Name):
            return env.values.get(node.id, UNKNOWN)
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Attribute):
            return attribute(self.value(node.value, env), node.attr)
        if isinstance(node, ast.Subscript):
            return entry(self.value(node.value, env), self.value(node.slice, env))
        return UNKNOWN

    def alive(self, node: ast.AST, env: Env) -> bool:
        """Whether an expression's value can be traced to something that requires grad."""
        key = id(node), id(env.scope)
        if key not in self.known:
            self.known[key] = False                  # until found otherwise: ends cycles
            self.known[key] = self.leads_to_grad(node, env)
        return self.known[key]

    def leads_to_grad(self, node: ast.AST, env: Env) -> bool:
        value = self.value(node, env)
        if isinstance(value, Tensor):
            if value is self.goal is not None:
                return True
            if self.goal is None and value.requires_grad and not (
                    self.anything and value.is_leaf):
                return True
            if not isinstance(node, ast.Name):
                return False
        if isinstance(value, Module):
            return trainable(value) if self.goal is None else any(
                p is self.goal for p in value.parameters())
        if isinstance(node, ast.Name):
            origin = self.origin(node, env)
            return origin is not None and any(self.alive(e, where) for e, where in origin)
        if isinstance(node, ast.Call):
            if makes_leaf(node) and self.goal is None:
                return True
            body = called_function(self.value(node.func, env))
            if body is not None and any(self.alive(e, where)
                                        for e, where in self.returns(node, body, env)):
                return True
        return any(self.alive(e, env) for e in operands(node))

    # ---------------------------------------------------------------- the search
    def why(self, node: ast.AST, env: Env, depth: int = DEPTH) -> Break | None:
        """The first cut on the way to an expression's value, or None if there is none."""
        value = self.value(node, env)
        alive = isinstance(value, Tensor) and value.requires_grad
        if depth == 0 or value is self.goal is not None:
            return None
        if alive and self.goal is None and not (self.anything and value.is_leaf):
            return None
        if isinstance(node, ast.Name):
            return self.why_name(node, env, depth)
        if isinstance(node, ast.Attribute):
            return self.why_attribute(node, env, depth)
        if isinstance(node, ast.Call):
            return self.why_call(node, env, depth)
        if isinstance(node, ast.Compare):
            return self.cut_at(node, env, depth, lambda: comparison(node, env))
        return self.first(operands(node), env, depth)

    def first(self, nodes, env, depth) -> Break | None:
        """The first cut among several expressions."""
        for node in nodes:
            found = self.why(node, env, depth - 1)
            if found is not None:
                return found
        return None

    def cut_at(self, node, env, depth, make) -> Break | None:
        """An earlier cut in the operands, or this one, if something alive goes into it."""
        parts = list(operands(node))
        found = self.first(parts, env, depth)
        if found is not None and found.kind in ("detach", "data") and isinstance(node, ast.Call):
            cut_here = make()                # x.detach().numpy(): the last step is the one to undo
            if cut_here.place == found.place and cut_here.kind in NUMBERS | {"numpy"}:
                return cut_here
        if found is None and any(self.alive(part, env) for part in parts):
            return make()
        return found

    def why_name(self, node: ast.Name, env: Env, depth: int) -> Break | None:
        value = env.values.get(node.id, UNKNOWN)
        origin = self.origin(node, env)
        if origin is None:
            if isinstance(value, Tensor):
                self.plain.setdefault(node.id, None)
            return inference(value, node.id) if isinstance(value, Tensor) else None
        for expression, where in origin:
            key = id(expression), id(where.source)
            if key in self.seen:
                continue
            self.seen.add(key)
            found = unrecorded(expression, where) if self.alive(expression, where) else None
            found = found or self.why(expression, where, depth - 1)
            if found is not None:
                return found
        if isinstance(value, Tensor) and self.goal is None:
            if value._track & INFERENCE_TENSOR:
                return inference(value, node.id)
            if any(self.alive(e, where) for e, where in origin):
                return mode_off(origin[0][0], origin[0][1])
            if all(makes_tensor(e) for e, _ in origin):
                self.plain.setdefault(node.id, env.source.place(S.statement(origin[0][0])))
        return None

    def origin(self, node: ast.Name, env: Env) -> list[tuple[ast.expr, Env]] | None:
        """The expressions that a variable has its value from, each with its Env; None: no idea."""
        made: list[tuple[ast.expr, Env]] = []
        for outer in S.around(node):                 # p in [... for p in parameters]
            for generator in getattr(outer, "generators", []):
                if node.id in S.names_in(generator.target):
                    return [(generator.iter, env)]
        for found in S.last_assignments(env.scope, node.id, S.statement(node)):
            expression = getattr(found, "value", None) or getattr(found, "iter", None)
            if expression is not None:
                made.append((part_for(found, node.id, expression), env))
        made += [(argument, env) for argument in S.appended(env.scope, node.id)]
        if not made and node.id in env.bound:
            return [env.bound[node.id]]
        return made or self.argument_of(node.id, env) or self.module_level(node, env)

    def module_level(self, node: ast.Name, env: Env) -> list[tuple[Any, Env]] | None:
        """The same for a global variable that a function reads."""
        if env.scope is env.source.tree or node.id in S.parameter_names(env.scope):
            return None
        outer = Env(env.source, env.source.tree, env.values)
        found = S.assignments(env.source.tree, node.id)[-1:]
        return [(n.value, outer) for n in found if getattr(n, "value", None)] or None

    def argument_of(self, name: str, env: Env) -> list[tuple[Any, Env]] | None:
        """The expression that the caller, if it is still running, gave for a parameter."""
        names = S.parameter_names(env.scope)
        if env.frame is None or name not in names:
            return None
        for frame in outwards(env.frame.f_back):
            if is_own(frame.f_code.co_filename):
                continue
            outer = env_of(frame)
            call = None if outer is None else S.at(outer.scope, of_frame(frame))
            if outer is None or not isinstance(call, ast.Call):
                return None
            given = bind(call, env.scope).get(name)
            return None if given is None else [(given, outer)]
        return None

    def why_attribute(self, node: ast.Attribute, env: Env, depth: int) -> Break | None:
        if node.attr == "data":
            return self.cut_at(node, env, depth, lambda: cut(
                "data", node, env, ".data gives the numbers without their history",
                "leave out `.data`"))
        if node.attr == "grad":
            return cut("grad", node, env, "a gradient filled by backward() is not recorded itself",
                       "ask for a gradient with a history: "
                       "torch.autograd.grad(..., create_graph=True)")
        if node.attr in ("T", "mT", "H", "mH", "real", "imag"):
            return self.why(node.value, env, depth - 1)
        name = ast.unparse(node)
        found = S.last_assignments(env.scope, name, S.statement(node)) or [
            n for n in ast.walk(env.source.tree) if any(ast.unparse(t) == name
                                                        for t in S.targets(n))]
        expression = getattr(found[-1], "value", None) if found else None
        if expression is None or id(expression) in {k for k, _ in self.seen}:
            return None
        self.seen.add((id(expression), id(env.source)))
        if self.alive(expression, env):
            off = unrecorded(expression, env)
            if off is not None:
                return off
        return self.why(expression, env, depth - 1)

    def why_call(self, node: ast.Call, env: Env, depth: int) -> Break | None:
        make = cutting_call(node, env)
        if make is not None:
            return self.cut_at(node, env, depth, make)
        function = self.value(node.func, env)
        found = self.first(operands(node), env, depth)
        if found is not None:
            return found
        if isinstance(function, Module) and not trainable(function):
            if any(True for _ in function.parameters()):
                self.frozen.append((ast.unparse(node.func), function))
        body = called_function(function)
        if body is None:
            return None
        inner = decorated(body)
        if inner is not None and self.alive(node, env):
            return inner
        for expression, where in self.returns(node, body, env):
            if self.alive(expression, where):
                off = unrecorded(expression, where, everywhere=False)
                if off is not None:
                    return off
            found = self.why(expression, where, depth - 1)
            if found is not None:
                return found
        return None

    def returns(self, call: ast.Call, body: FunctionType | MethodType, env: Env):
        """The expressions that a called function of the user's returns."""
        plain = body.__func__ if isinstance(body, MethodType) else body
        plain = inspect.unwrap(plain)
        source = S.read(plain.__code__.co_filename)
        if source is None:
            return []
        scope = source.scope(plain.__code__)
        if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return []
        values = dict(plain.__globals__)
        if isinstance(body, MethodType):
            values[(S.parameter_names(scope) or ["self"])[0]] = body.__self__
        given = bind(call, scope, skip=isinstance(body, MethodType))
        for name in [*given, *S.parameter_names(scope)]:
            if name != (S.parameter_names(scope) or [""])[0] or not isinstance(body, MethodType):
                values.pop(name, None)
        for name, expression in given.items():
            known = self.value(expression, env)
            if known is not UNKNOWN:
                values[name] = known
        where = Env(source, scope, values, None, {n: (e, env) for n, e in given.items()})
        return [(n.value, where) for n in S.inside(scope)
                if isinstance(n, ast.Return) and n.value is not None]


# --------------------------------------------------------------------------- pieces of programs

def makes_leaf(call: ast.Call) -> bool:
    """Whether a call makes a tensor that requires grad: torch.ones(2, requires_grad=True)."""
    if _called(call) in ("Parameter", "requires_grad_"):
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
    return UNKNOWN if isinstance(found, (property, classmethod, staticmethod)) else found


def entry(owner: Any, key: Any) -> Any:
    """owner[key] of a list, a tuple, a dict or a ModuleList."""
    if isinstance(owner, (list, tuple)) and isinstance(key, int) and -len(owner) <= key < len(
            owner):
        return owner[key]
    if isinstance(owner, dict) and isinstance(key, (str, int)):
        return owner.get(key, UNKNOWN)
    if isinstance(owner, Module) and isinstance(key, int):
        return owner._modules.get(str(key), UNKNOWN)
    return UNKNOWN


def trainable(module: Module) -> bool:
    """Whether some parameter of a Module requires grad."""
    return any(p.requires_grad for p in module.parameters())


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
    return {**given, **{k.arg: k.value for k in call.keywords if k.arg in names}}   # type: ignore


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
        yield node.value
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
    """In `a, b = u, v` what b is given; otherwise the whole value."""
    for target in getattr(found, "targets", []):
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(
                target.elts) == len(value.elts):
            for left, right in zip(target.elts, value.elts, strict=True):
                if isinstance(left, ast.Name) and left.id == name:
                    return right
    return value


# --------------------------------------------------------------------------- kinds of cuts

def cut(kind: str, node: ast.AST, env: Env, what: str, cure: str) -> Break:
    return Break(kind, env.source.place(S.statement(node)), what, cure)


def shown(node: ast.AST) -> str:
    """An expression's text, cut short."""
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "..."


def cutting_call(node: ast.Call, env: Env):
    """For a call whose result has no history, a function that makes the Break; else None."""
    name, owner = _called(node), S.dotted(node.func).split(".")[0]
    arguments = [*node.args, *(k.value for k in node.keywords)]
    inner = shown(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    first = shown(arguments[0]) if arguments else "x"

    def make(kind, what, cure):
        return lambda: cut(kind, node, env, what, cure)
    if name == "detach":
        return make("detach", f"detach() gives the numbers of `{inner}` without their history",
                    f"use `{inner}` instead of `{inner}.detach()`")
    if name in NUMBERS:
        kind = {"item": "a plain number", "tolist": "a list of plain numbers",
                "numpy": "a NumPy array"}.get(name, "a plain number")
        return make(name, f"{name}() gives {kind}, and that has no history",
                    f"keep computing with `{inner.removesuffix('.detach()')}` itself, in torch; "
                    f"{name}() is for printing")
    if name in ("float", "int") and isinstance(node.func, ast.Name):
        return make("item", f"{name}() gives a plain number, and that has no history",
                    f"keep computing with `{first}` itself")
    if owner in ("np", "numpy", "math"):
        return make("numpy", f"{S.dotted(node.func)}() computes outside of torch, "
                    "where nothing is recorded", f"use the torch function, such as torch.{name}")
    if name == "grad" and owner in ("torch", "autograd", "grad"):
        if any(k.arg == "create_graph" and getattr(k.value, "value", True) for k in node.keywords):
            return make("constant", "this gradient was recorded, but it does not depend on "
                        "anything that requires grad: it is constant",
                        "none is needed: the derivative of a constant gradient is zero")
        return make("create_graph", "this gradient was computed without recording how",
                    "ask for that: torch.autograd.grad(..., create_graph=True)")
    if name in COPIES and (inner == "torch" or not inner):
        return make("copy", f"{S.dotted(node.func)}(...) copies the numbers into a new tensor and "
                    "forgets how they were computed", copy_cure(arguments, first))
    if name in CASTS and inner or name in ("to", "type") and any(
            S.dotted(a).split(".")[-1] in INTEGER_DTYPES for a in arguments):
        return make("integer", f"`{shown(node)}` turns it into whole numbers or True/False, which "
                    "have no gradient", "keep it a floating point tensor")
    if name in MAKERS or name in REGISTRY and not differentiable(name):
        return make("operator", f"{name}() has no gradient: {why_not(name)}", instead_of(name))
    return None


def copy_cure(arguments, first: str) -> str:
    if arguments and isinstance(arguments[0], (ast.List, ast.Tuple, ast.ListComp)):
        return f"use torch.stack({first}) if these are tensors"
    return f"use `{first}` itself"


def differentiable(name: str) -> bool:
    """Whether a declared operator records anything."""
    operator = REGISTRY[name]
    return operator.grad_fn is not None and not set(operator.outputs) <= set(operator.nondiff)


def why_not(name: str) -> str:
    if name.startswith("arg") or name in ("multinomial", "searchsorted", "bucketize", "nonzero"):
        return "it gives positions, and a position jumps instead of changing smoothly"
    if name in ("bernoulli",):
        return "a random draw does not change smoothly with its probability"
    if name in ("bincount", "histc", "histogram", "count_nonzero", "unique"):
        return "it counts, and a count jumps instead of changing smoothly"
    return "its result jumps instead of changing smoothly"


def instead_of(name: str) -> str:
    if name.startswith("arg"):
        return "compute the loss from the scores themselves, as F.cross_entropy() does"
    return "compute the loss from what went into it"


def comparison(node: ast.Compare, env: Env) -> Break:
    return cut("comparison", node, env, f"`{shown(node)}` is True or False, which has no gradient",
               "use it to report; for the loss take a smooth measure, such as F.mse_loss or "
               "F.cross_entropy")


def inference(value: Tensor, name: str) -> Break | None:
    if not value._track & INFERENCE_TENSOR:
        return None
    return Break("inference_mode", None, f"`{name}` was made in torch.inference_mode(), which "
                 "records nothing", "compute it outside of the inference_mode block")


def mode_name(node: ast.AST) -> str:
    """"no_grad" for `torch.no_grad()` and the like that switch recording off, else ""."""
    call = node if isinstance(node, ast.Call) else None
    name = S.dotted(call.func if call is not None else node).split(".")[-1]
    if name == "set_grad_enabled" and call is not None and call.args:
        off = isinstance(call.args[0], ast.Constant) and call.args[0].value is False
        return "set_grad_enabled(False)" if off else ""
    return NO_GRAD.get(name, "")


def unrecorded(node: ast.AST, env: Env, everywhere: bool = True) -> Break | None:
    """The Break of a statement inside a no_grad block or a function decorated with it."""
    outer_nodes = list(S.around(node))
    for outer in outer_nodes:
        if isinstance(outer, ast.With):
            for item in outer.items:
                if S.dotted(getattr(item.context_expr, "func", item.context_expr)).endswith(
                        "enable_grad"):
                    return None
                mode = mode_name(item.context_expr)
                if mode:
                    found = off(mode, node, env, env.source.place(outer), "block")
                    found.cure = update_cure(node) or found.cure
                    return found
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for decorator in outer.decorator_list:
                if mode_name(decorator):
                    return off(mode_name(decorator), node, env, env.source.place(decorator),
                               f"function {outer.name}()")
    return None


def off(mode: str, node: ast.AST, env: Env, opened: Place, what: str) -> Break:
    call = mode if "(" in mode else mode + "()"
    return Break(mode.partition("(")[0], env.source.place(S.statement(node)),
                 f"torch.{call} is on for this {what}, so nothing was recorded",
                 "move this line out of the block" if what == "block" else
                 f"take `{opened.text}` off the function, or compute the loss outside of it",
                 opened)


def update_cure(node: ast.AST) -> str:
    """For `w = w - lr * w.grad` under no_grad, which makes a new w: to change the old one."""
    text = in_place_text(S.statement(node))
    return f"change the same tensor instead of making a new one: `{text}`" if text else ""


def in_place_text(assign: ast.stmt) -> str:
    """`w -= lr * g` for the statement w = w - lr * g; "" for any other."""
    value = getattr(assign, "value", None)
    if isinstance(assign, ast.Assign) and isinstance(value, ast.BinOp) and ast.unparse(
            value.left) == ast.unparse(assign.targets[0]):
        return ast.unparse(ast.AugAssign(assign.targets[0], value.op, value.right))
    return ""


def decorated(body: FunctionType | MethodType) -> Break | None:
    """The Break of calling a function that is decorated with no_grad."""
    plain = inspect.unwrap(body)
    source = S.read(plain.__code__.co_filename)
    scope = None if source is None else source.scope(plain.__code__)
    for decorator in getattr(scope, "decorator_list", []):
        mode = mode_name(decorator)
        if mode and source is not None:
            place = source.place(decorator)
            return Break(mode, place, f"torch.{mode}() is on for all of {plain.__name__}(), so "
                         "nothing was recorded", f"take `{place.text}` off the function")
    return None


def mode_off(node: ast.AST, env: Env) -> Break | None:
    """The Break of a statement that ran while recording was off, by a switch or a caller."""
    for frame in outwards(env.frame):
        outer = env_of(frame) if not is_own(frame.f_code.co_filename) else None
        call = None if outer is None else S.at(outer.scope, of_frame(frame))
        found = None if call is None or outer is None else unrecorded(call, outer)
        if found is not None:
            return found
    for call in ast.walk(env.source.tree):
        if isinstance(call, ast.Call) and mode_name(call) == "set_grad_enabled(False)" and \
                isinstance(getattr(call, "parent", None), ast.Expr):
            place = env.source.place(call)
            return Break("set_grad_enabled", place, "this switches recording off, and it was still "
                         "off when the loss was computed", "switch it on again after the part that "
                         "needs no gradient, or use `with torch.no_grad():` for that part")
    return None
