"""The ways to cut a graph: what each is called, what is said of it, and its cure."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

from .._tensor import INFERENCE_TENSOR, Tensor
from ..ops.declare import REGISTRY
from . import source as S
from .places import Place, is_own, of_frame, outwards
from .programs import Env, called_name, env_of, held_in, makes_tensor, shown

NUMBERS = {"item", "tolist", "numpy", "__float__", "__int__"}
CASTS = {"long", "int", "short", "byte", "char", "bool"}
INTEGER_DTYPES = {"long", "int", "int64", "int32", "int16", "int8", "uint8", "bool", "short"}
COPIES = {"tensor", "Tensor", "FloatTensor", "DoubleTensor", "from_numpy"}       # of torch
NEW_COPIES = {"new_tensor"}                                                     # of a tensor
SWITCHES = ("no_grad", "inference_mode")
WITHOUT_GRADIENT = {             # functions written by hand; declarations of operators say it
    "allclose", "argmax", "argmin", "argsort", "bernoulli", "bincount", "bucketize",
    "count_nonzero", "histc", "histogram", "isclose", "isin", "multinomial", "nonzero", "one_hot",
    "searchsorted", "unique", "unique_consecutive",
}


@dataclass
class Break:
    """A place where the graph was cut: `kind`, and what the user should read about it."""

    kind: str
    place: Place | None
    what: str                    # what happened there
    cure: str
    opened: Place | None = None  # the line that begins the no_grad block


def cut(kind: str, node: ast.AST, env: Env, what: str, cure: str) -> Break:
    return Break(kind, env.source.place(S.statement(node)), what, cure)


@dataclass
class Call:
    """A call in the source: its name, what stands before the dot, and its arguments."""

    node: ast.Call
    env: Env

    def __post_init__(self):
        func = self.node.func
        self.name, self.owner = called_name(self.node), S.dotted(func).split(".")[0]
        self.inner = shown(func.value) if isinstance(func, ast.Attribute) else ""
        self.owned = f"({self.inner})" if isinstance(
            getattr(func, "value", None), (ast.BinOp, ast.UnaryOp)) else self.inner
        self.arguments = [*self.node.args, *(k.value for k in self.node.keywords)]
        self.first = shown(self.arguments[0]) if self.arguments else "x"


Words = tuple[str, str, str] | None      # the kind of a cut, what happened, and the cure


def cutting_call(node: ast.Call, env: Env, drawn: bool = False):
    """For a call whose result has no history, a function that makes the Break; else None.

    With `drawn`, sample() counts too; mostly it is intended and not where a gradient is lost.
    """
    call = Call(node, env)
    ways = (*WAYS, _sample) if drawn else WAYS
    words = next((w for way in ways if (w := way(call)) is not None), None)
    return None if words is None else lambda: cut(words[0], node, env, *words[1:])


def _detached(call: Call) -> Words:
    if call.name != "detach":
        return None
    return ("detach", f"detach() gives the numbers of `{call.inner}` without their history",
            "leave out `.detach()`" if call.inner.endswith("...") else
            f"use `{call.inner}` instead of `{call.owned}.detach()`")


def _number(call: Call) -> Words:
    if call.name in NUMBERS:
        kind = {"tolist": "a list of plain numbers", "numpy": "a NumPy array"}.get(
            call.name, "a plain number")
        return (call.name, f"{call.name}() gives {kind}, and that has no history",
                f"keep computing with `{undetached(call.node.func)}` itself, in torch; "
                f"{call.name}() is for results that need no gradient")
    if call.name in ("float", "int") and isinstance(call.node.func, ast.Name):
        return ("item", f"{call.name}() gives a plain number, and that has no history",
                f"keep computing with `{call.first}` itself")
    return None


def _outside(call: Call) -> Words:
    if call.owner not in ("np", "numpy", "math"):
        return None
    return ("numpy", f"{S.dotted(call.node.func)}() computes outside of torch, where nothing is "
            "recorded", f"use the torch function, such as torch.{call.name}")


def _gradient(call: Call) -> Words:
    if call.name != "grad" or call.owner not in ("torch", "autograd", "grad"):
        return None
    if any(k.arg == "create_graph" and getattr(k.value, "value", True) for k in call.node.keywords):
        return ("constant", "this gradient was recorded, but it does not depend on anything that "
                "requires grad: it is constant",
                "none is needed: the derivative of a constant gradient is zero")
    return ("create_graph", "this gradient was computed without recording how",
            "ask for that: torch.autograd.grad(..., create_graph=True)")


def _copied(call: Call) -> Words:
    if not (call.name in COPIES and call.inner in ("torch", "") or call.name in NEW_COPIES):
        return None
    return ("copy", f"{S.dotted(call.node.func)}(...) copies the numbers into a new tensor and "
            "forgets how they were computed", f"use `{stacked(call)}` if these are tensors"
            if is_list(call.arguments[:1], call.env) else f"use `{call.first}` itself")


def stacked(call: Call) -> str:
    """`torch.stack(rows)`, or for a list of lists of tensors a stack of stacks."""
    text, first = ast.unparse(call.arguments[0]), call.arguments[0]
    inner = [first.elt] if isinstance(first, ast.ListComp) else S.appended(call.env.scope, text)
    return f"torch.stack([torch.stack(row) for row in {text}])" if is_list(
        inner, call.env) else f"torch.stack({text})"


def is_list(nodes: list[ast.expr], env: Env) -> bool:
    """Whether the first of some expressions is a list, or a variable that is made as one."""
    if not nodes:
        return False
    made = [getattr(n, "value", None) for n in S.assignments(env.scope, ast.unparse(nodes[0]))]
    return any(isinstance(n, (ast.List, ast.Tuple, ast.ListComp)) for n in [*made, nodes[0]])


def _integer(call: Call) -> Words:
    dtypes = {S.dotted(a).split(".")[-1] for a in call.arguments}
    if not (call.name in CASTS and call.inner
            or call.name in ("to", "type") and dtypes & INTEGER_DTYPES):
        return None
    kind = "True or False" if call.name == "bool" or "bool" in dtypes else "whole numbers"
    return ("integer", f"{call.name}() gives {kind} here, which have no gradient",
            "keep it a floating point tensor")


def _operator(call: Call) -> Words:
    name = call.name
    if name not in WITHOUT_GRADIENT and (name not in REGISTRY or differentiable(name)):
        return None
    return "operator", f"{name}() has no gradient: {why_not(name)}", instead_of(name)


def _checkpointed(call: Call) -> Words:
    tensors = [t for a in call.arguments if isinstance(t := given_for(a, call.env), Tensor)]
    made = any(makes_tensor(given_for(a, call.env, made=True)) for a in call.arguments)
    recording = any(k.arg == "use_reentrant" and getattr(k.value, "value", None) is False
                    for k in call.node.keywords)
    if not (call.name.startswith("checkpoint") and (tensors or made)) or recording or any(
            t.requires_grad for t in tensors):
        return None
    return ("checkpoint", f"{call.name}() records nothing where none of its inputs requires grad, "
            "unless it is given use_reentrant=False", "give it `use_reentrant=False`")


def given_for(argument: ast.AST, env: Env, made: bool = False) -> Any:
    """The value of a variable, or of the argument that a caller gave for this parameter.

    With `made`, the expression that was given instead of its value.
    """
    while isinstance(argument, ast.Name) and argument.id in env.bound:
        argument, env = env.bound[argument.id]
    return argument if made else env.values.get(getattr(argument, "id", ""))


def _sample(call: Call) -> Words:
    if call.name != "sample" or not call.inner:
        return None
    inner = "" if call.inner.endswith("...") else call.inner
    return ("sample", "sample() gives a draw without its history",
            f"`{inner}.rsample()`, which computes the draw from the parameters of the "
            f"distribution; a policy learns by `{inner}.log_prob(...)` times the reward")


WAYS = (_detached, _number, _outside, _gradient, _copied, _integer, _operator, _checkpointed)


WITH_POSITIONS = {"max", "min", "topk", "sort", "median", "nanmedian", "mode", "kthvalue", "cummax",
                  "cummin"}


def gives_positions(node: ast.AST) -> bool:
    """Whether the second result of a call holds positions: x.max(1), torch.topk(x, 3)."""
    if not isinstance(node, ast.Call) or called_name(node) not in WITH_POSITIONS:
        return False
    given = node.args[1:] if S.dotted(node.func).startswith("torch.") else node.args
    return called_name(node) in ("sort", "topk", "kthvalue", "mode") or bool(
        {k.arg for k in node.keywords} & {"dim", "axis"}) or any(
        isinstance(n, (ast.Constant, ast.UnaryOp)) for n in given)


def positions(node: ast.AST, env: Env) -> Break:
    name = called_name(node)                     # type: ignore[arg-type]
    return cut("operator", node, env, f"the second result of {name}() has no gradient: "
               f"{why_not('argmax')}", instead_of("argmax"))


def undetached(func: ast.AST) -> str:
    """The tensor that was taken out of torch: "y" for the function y.detach().cpu().numpy."""
    node = func.value if isinstance(func, ast.Attribute) else func
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called_name(
            node) in ("detach", "cpu") or isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.func.value if isinstance(node, ast.Call) else node.value
    return shown(node)


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
    if name == "argmin":
        return ("go on with `z + (q - z).detach()`: it has the numbers of the `q` that was picked, "
                "and hands the gradient to `z` (straight-through); a codebook learns by a part of "
                "the loss of its own, `F.mse_loss(q, z.detach())`; or compute the loss from the "
                "distances themselves")
    if name.startswith("arg"):
        return ("compute the loss from the scores themselves, as F.cross_entropy() does; for a "
                "choice that another layer goes on with take F.gumbel_softmax(scores, hard=True)")
    return "compute the loss from what went into it"


def comparison(node: ast.Compare, env: Env) -> Break:
    return cut("comparison", node, env, f"`{shown(node)}` is True or False, which has no gradient",
               "use it to report; for the loss take a smooth measure, such as F.mse_loss or "
               "F.cross_entropy")


def inference(value: Tensor, name: str) -> Break | None:
    if not value._flags & INFERENCE_TENSOR:
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
    return name if name in SWITCHES else ""


def unrecorded(node: ast.AST, env: Env) -> Break | None:
    """The Break of a statement inside a no_grad block or a function decorated with it."""
    for outer in S.around(node):
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
    line = S.statement(node)
    if text := in_place_text(line):
        return f"change the same tensor instead of making a new one: `{text}`"
    value = getattr(line, "value", None)
    if isinstance(value, ast.ListComp) and isinstance(value.elt, ast.BinOp) and any(
            ast.unparse(t) in S.names_in(value.generators[0].iter) for t in S.targets(line)):
        value = ast.ListComp(ast.parse(f"({ast.unparse(value.elt)}).requires_grad_()",
                                       mode="eval").body, value.generators)
        return ("make leaves of the new tensors: "
                f"`{ast.unparse(next(S.targets(line)))} = {ast.unparse(value)}`")
    return ""


AGAIN_A_LEAF = ("requires_grad_", "detach", "clone")


def in_place_text(assign: ast.stmt) -> str:
    """`w -= lr * g` for w = w - lr * g, or w = (w - lr * g).requires_grad_(); "" for any other."""
    value = getattr(assign, "value", None)
    while isinstance(value, ast.Call) and called_name(value) in AGAIN_A_LEAF and isinstance(
            value.func, ast.Attribute):
        value = value.func.value
    if isinstance(assign, ast.Assign) and isinstance(value, ast.BinOp) and ast.unparse(
            value.left) == ast.unparse(assign.targets[0]):
        return ast.unparse(ast.AugAssign(assign.targets[0], value.op, value.right))
    return ""


def cut_off(name: str, env: Env) -> str:
    """The statement that cuts a variable off from its history: a tensor, or several in a tuple."""
    several = isinstance(held_in(name, env), (tuple, list))
    return f"{name} = tuple(h.detach() for h in {name})" if several else f"{name} = {name}.detach()"


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


def switched(node: ast.AST, env: Env) -> Break | None:
    """The Break of a block `with torch.set_grad_enabled(phase == "train"):` that was off."""
    for outer in S.around(node):
        for item in getattr(outer, "items", ()):
            call = item.context_expr
            if not isinstance(call, ast.Call) or called_name(call) != "set_grad_enabled":
                continue
            known = [f"`{name}` is {env.values[name]!r}" for n in ast.walk(call)
                     if isinstance(n, ast.Name) and (name := n.id) in env.values
                     and isinstance(env.values[name], (str, int, float, type(None)))]
            told = f" ({', '.join(known[:3])})" if known else ""
            return Break("set_grad_enabled", env.source.place(S.statement(node)),
                         f"`{shown(call)}` is off here{told}, so nothing was recorded",
                         "call backward() only where it is on", env.source.place(outer))
    return None


def mode_off(node: ast.AST, env: Env) -> Break | None:
    """The Break of a statement that ran while recording was off, by a switch or a caller."""
    found = switched(node, env)
    if found is not None:
        return found
    for frame in outwards(env.frame):
        outer = env_of(frame) if not is_own(frame.f_code.co_filename) else None
        call = None if outer is None else S.at(outer.scope, of_frame(frame))
        found = None if call is None or outer is None else unrecorded(call, outer)
        if found is not None:
            return found
    for call in env.source.nodes:
        if isinstance(call, ast.Call) and mode_name(call) == "set_grad_enabled(False)" and \
                isinstance(getattr(call, "parent", None), ast.Expr):
            place = env.source.place(call)
            return Break("set_grad_enabled", place, "this switches recording off, and it was still "
                         "off when the loss was computed", "switch it on again after the part that "
                         "needs no gradient, or use `with torch.no_grad():` for that part")
    return None
