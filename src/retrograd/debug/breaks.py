"""Where the graph broke: why a tensor does not require grad, found after the fact.

Nothing was noted while the program ran, so the search goes backward through the source, as a
reader would: from the tensor to the statement that computed it, from there to the variables in
that statement, and into the functions that it calls. For each value it can still see, it asks
whether that value requires grad. The graph broke at the first expression whose inputs require
grad and whose result does not.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import FrameType, FunctionType, MethodType
from typing import Any

from .._tensor import INFERENCE_TENSOR, Tensor
from ..nn.modules.module import Module
from . import source as S
from .cuts import (
    NUMBERS,
    Break,
    comparison,
    cut,
    cutting_call,
    decorated,
    gives_positions,
    inference,
    mode_off,
    positions,
    unrecorded,
)
from .places import Place, is_own, of_frame, outwards
from .programs import (
    UNKNOWN,
    Env,
    attribute,
    behind_checkpoint,
    bind,
    called_function,
    called_name,
    elsewhere,
    entry,
    env_of,
    items,
    makes_leaf,
    makes_tensor,
    operands,
    part_for,
    trainable,
    users_modules,
)

DEPTH = 25               # the most steps back through assignments and calls
MOST = 100               # the most iterations looked at, of a loop over layers


def find(frame: FrameType, position: int = 0,
         drawn: bool = False) -> tuple[Break | None, Search]:
    """Why argument `position` of the call that `frame` stands at does not require grad.

    With `drawn`, sample() counts as a cut. The second result tells what the search came across:
    the tensors in `plain` and the Modules in `frozen` (see Search).
    """
    search = Search(drawn=drawn)
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
    if node is not None and not isinstance(node, ast.Call):
        node = S.statement(node)                 # loss.backward alone, where that fails
    calls = [n for n in ([node] if isinstance(node, ast.Call) else ast.walk(node or env.scope))
             if isinstance(n, ast.Call) and called_name(n) in ("backward", "grad")]
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
    """The lines of a function that computed the value of an expression."""
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
                 if isinstance(n, ast.Call) and called_name(n) == "grad"), None)
    if call is None or len(call.args) < 2:
        return None
    second = call.args[1]
    several = isinstance(second, (ast.Tuple, ast.List)) and position < len(second.elts)
    return second.elts[position] if several else second      # type: ignore[union-attr]


class Search:
    """One search; remembers where it has been."""

    def __init__(self, goal: Tensor | None = None, anything: bool = False, drawn: bool = False,
                 past: tuple[str, ...] = ()):
        self.goal = goal                     # look for what cuts this off, not for any cut
        self.drawn = drawn                   # sample() counts as a cut
        self.past = past                     # kinds of cuts that do not end the search
        self.anything = anything             # nor do tensors that require grad
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
            return self.is_source(value)
        if isinstance(node, ast.Name):
            origin = self.origin(node, env)
            return origin is not None and any(self.alive(e, where) for e, where in origin)
        if isinstance(node, ast.Call):
            return self.result_is_alive(node, env)
        return any(self.alive(e, env) for e in operands(node))

    def is_source(self, value: Any) -> bool:
        """Whether a value is a Module that has the goal, or anything to be trained."""
        return isinstance(value, Module) and (trainable(value) if self.goal is None else any(
            p is self.goal for p in value.parameters()))

    def called(self, node: ast.Call, env: Env) -> list[Any]:
        """What a call may call: one thing, or each element that a loop variable takes.

        Those that contain the goal come first. A container of the user's Modules, such as a
        Sequential, counts as one of these Modules.
        """
        value = self.value(node.func, env)
        several = [value] if value is not UNKNOWN else self.elements(node.func, env)
        parts = [part for one in several[:MOST] for part in users_modules(one)]
        return sorted(parts, key=lambda part: not self.is_source(part))

    def elements(self, node: ast.AST, env: Env) -> list[Any]:
        """The values that the variable of a loop takes, one after another."""
        if not isinstance(node, ast.Name):
            return []
        loops: list[Any] = [n for n in S.assignments(env.scope, node.id) if isinstance(n, ast.For)]
        loops += [g for outer in S.around(node) for g in getattr(outer, "generators", ())
                  if node.id in S.names_in(g.target)]
        return [v for loop in loops[-1:] for v in items(loop.iter, loop.target, node.id, (
            lambda part: self.value(part, env)))]

    def result_is_alive(self, node: ast.Call, env: Env) -> bool:
        """The same for what a call returns."""
        if makes_leaf(node) and self.goal is None:
            return True
        node = behind_checkpoint(node)
        called, parts = self.value(node.func, env), list(operands(node))
        if isinstance(called, type) and issubclass(called, Module) and self.goal is None:
            return True                          # nn.Linear(3, 1), with new parameters
        owner = getattr(called, "__self__", None)
        if isinstance(owner, Module) and called_name(node) in ("parameters", "named_parameters"):
            return self.is_source(owner)
        if isinstance(called, (Module, FunctionType, MethodType)) and isinstance(
                node.func, ast.Attribute) and not is_of_distribution(called):
            del parts[0]                         # of self.layer(x) the layer counts, not self
        body = called_function(called)
        returned = [] if body is None else self.returns(node, body, env)
        if returned and self.goal is not None or any(self.alive(e, w) for e, w in returned):
            return any(self.alive(e, where) for e, where in returned)
        if called is UNKNOWN and any(self.is_source(value) for value in self.called(node, env)):
            return True
        if isinstance(called, Module) and self.alive(node.func, env):
            return True
        return any(self.alive(e, env) for e in parts)

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
        if isinstance(node, ast.Subscript):
            if getattr(node.slice, "value", None) == 1 and gives_positions(node.value):
                return self.cut_at(node.value, env, depth, lambda: positions(node.value, env))
            return self.why(node.value, env, depth - 1) or (
                None if self.alive(node.value, env) else self.why_position(node, env, depth))
        return self.first(operands(node), env, depth)

    def first(self, nodes, env, depth) -> Break | None:
        """The first cut among several expressions."""
        for node in nodes:
            found = self.why(node, env, depth - 1)
            if found is not None:
                return found
        return None

    def cut_at(self, node, env, depth, make) -> Break | None:
        """The first cut in the operands; else this one, if an operand can still be traced."""
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
            if isinstance(value, Tensor) and value._data.dtype.kind not in "biu":
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
            if value._flags & INFERENCE_TENSOR:
                return inference(value, node.id)
            if any(self.alive(e, where) for e, where in origin):
                return mode_off(origin[0][0], origin[0][1])
            if value._data.dtype.kind not in "biu" and all(makes_tensor(e) for e, _ in origin):
                self.plain.setdefault(node.id, env.source.place(S.statement(origin[0][0])))
        return None

    def origin(self, node: ast.Name, env: Env) -> list[tuple[ast.expr, Env]] | None:
        """The expressions that gave a variable its value, each with its Env; None if unknown."""
        made: list[tuple[ast.expr, Env]] = []
        for outer in S.around(node):                 # p in [... for p in parameters]
            for generator in getattr(outer, "generators", []):
                if node.id in S.names_in(generator.target):
                    return [(generator.iter, env)]
        line = S.statement(node)
        several = S.last_assignments(env.scope, node.id, line)
        first = all(getattr(found, "lineno", 0) >= line.lineno for found in several)
        for found in several:
            expression = getattr(found, "value", None) or getattr(found, "iter", None)
            if expression is not None:
                made.append((part_for(found, node.id, expression), env))
        made += [(argument, env) for argument in S.appended(env.scope, node.id)]
        if first and node.id in env.bound:           # a parameter, which a loop sets anew
            return [*made, env.bound[node.id]]
        if first and made and node.id in S.parameter_names(env.scope):
            return [*made, *(self.argument_of(node.id, env) or ())]
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

    def why_position(self, node: ast.Subscript, env: Env, depth: int) -> Break | None:
        """The cut in what x[...] is indexed with."""
        found = self.why(node.slice, env, depth - 1)
        if found is not None and found.kind in ("integer", "operator"):
            found.cure = ("a position has no gradient: weigh the elements instead, as softmax or "
                          "interpolation do")
        return found

    def why_attribute(self, node: ast.Attribute, env: Env, depth: int) -> Break | None:
        if node.attr == "data":
            return self.cut_at(node, env, depth, lambda: cut(
                "data", node, env, ".data gives the numbers without their history",
                "leave out `.data`"))
        if node.attr == "grad":
            return cut("grad", node, env, "a gradient filled by backward() is not recorded itself",
                       "ask for a gradient with a history: "
                       "torch.autograd.grad(..., create_graph=True)")
        if node.attr == "indices" and gives_positions(node.value):
            return self.cut_at(node.value, env, depth, lambda: positions(node.value, env))
        if node.attr in ("T", "mT", "H", "mH", "real", "imag"):
            return self.why(node.value, env, depth - 1)
        name = ast.unparse(node)
        found = S.last_assignments(env.scope, name, S.statement(node)) or [
            n for n in env.source.nodes if any(ast.unparse(t) == name
                                                        for t in S.targets(n))]
        value = getattr(found[-1], "value", None) if found else None
        made = [(value, env)] if value is not None else [*self.fields(node, env)]
        for call in S.appends(env.source.tree, name):
            made.append((call.args[0], elsewhere(call, env)))
        for expression, where in made:
            if id(expression) in {k for k, _ in self.seen}:
                continue
            self.seen.add((id(expression), id(where.source)))
            off = unrecorded(expression, where) if self.alive(expression, where) else None
            off = off or self.why(expression, where, depth - 1)
            if off is not None:
                return off
        return None

    def fields(self, node: ast.Attribute, env: Env) -> Iterator[tuple[ast.expr, Env]]:
        """For `out.loss`, what the call Output(loss=...) that made `out` was given as `loss`.

        That call may stand in a function that was called.
        """
        origin = self.origin(node.value, env) if isinstance(node.value, ast.Name) else None
        for expression, where in origin or []:
            if not isinstance(expression, ast.Call):
                continue
            body = called_function(self.value(expression.func, where))
            made = [(expression, where)] if body is None else self.returns(expression, body, where)
            for call, inner in made:
                yield from ((k.value, inner) for k in getattr(call, "keywords", ())
                            if k.arg == node.attr)

    def why_call(self, node: ast.Call, env: Env, depth: int) -> Break | None:
        make = cutting_call(node, env, self.drawn)
        if make is not None and (not self.past or make().kind not in self.past):
            return self.cut_at(node, env, depth, make)
        node = behind_checkpoint(node)
        function = self.value(node.func, env)
        found = self.first(operands(node), env, depth)
        if found is not None:
            return found
        if isinstance(function, Module) and not trainable(function):
            if any(True for _ in function.parameters()):
                self.frozen.append((ast.unparse(node.func), function))
        for one in self.called(node, env):
            body = called_function(one)
            found = None if body is None else self.why_body(node, body, env, depth)
            if found is not None:
                return found
        return None

    def why_body(self, node: ast.Call, body: FunctionType | MethodType, env: Env,
                 depth: int) -> Break | None:
        """The cut in a function that a call runs."""
        inner = decorated(body)
        if inner is not None and self.alive(node, env):
            return inner
        for expression, where in self.returns(node, body, env):
            off = unrecorded(expression, where) if self.alive(expression, where) else None
            found = off or self.why(expression, where, depth - 1)
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
        if not isinstance(scope, S.Function):
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
            if known is not UNKNOWN and not S.assignments(scope, name):  # which set it anew
                values[name] = known
        where = Env(source, scope, values, None, {n: (e, env) for n, e in given.items()})
        if isinstance(scope, ast.Lambda):
            return [(scope.body, where)]
        return [(n.value, where) for n in S.inside(scope)
                if isinstance(n, ast.Return) and n.value is not None]


def is_of_distribution(called: Any) -> bool:
    """Whether a call is q.log_prob(x): its value also depends on the parameters of `q`."""
    return isinstance(called, MethodType) and is_own(called.__func__.__code__.co_filename) and (
        not isinstance(called.__self__, (Module, type)))
