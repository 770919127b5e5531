"""The ways to cut a graph: what each is called, what is said of it, and its cure."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from types import FunctionType, MethodType

from .._tensor import INFERENCE_TENSOR, Tensor
from ..ops.declare import REGISTRY
from . import source as S
from .places import Place, is_own, of_frame, outwards
from .programs import Env, called_name, env_of, shown

NUMBERS = {"item", "tolist", "numpy", "__float__", "__int__"}
CASTS = {"long", "int", "short", "byte", "char", "bool"}
INTEGER_DTYPES = {"long", "int", "int64", "int32", "int16", "int8", "uint8", "bool", "short"}
COPIES = {"tensor", "Tensor", "FloatTensor", "DoubleTensor", "from_numpy"}
SWITCHES = ("no_grad", "inference_mode")
WITHOUT_GRADIENT = {             # functions written by hand; declared operators tell it themselves
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


def cutting_call(node: ast.Call, env: Env):
    """For a call whose result has no history, a function that makes the Break; else None."""
    name, owner = called_name(node), S.dotted(node.func).split(".")[0]
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
                    f"keep computing with `{undetached(node.func)}` itself, in torch; {name}() is "
                    "for results that need no gradient")
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
        truth = name == "bool" or any(S.dotted(a).endswith("bool") for a in arguments)
        return make("integer", f"{name}() gives {'True or False' if truth else 'whole numbers'} "
                    "here, which have no gradient", "keep it a floating point tensor")
    if name in WITHOUT_GRADIENT or name in REGISTRY and not differentiable(name):
        return make("operator", f"{name}() has no gradient: {why_not(name)}", instead_of(name))
    return None


def undetached(func: ast.AST) -> str:
    """The tensor that was taken out of torch: "y" for the function y.detach().cpu().numpy."""
    node = func.value if isinstance(func, ast.Attribute) else func
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called_name(
            node) in ("detach", "cpu") or isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.func.value if isinstance(node, ast.Call) else node.value    # type: ignore
    return shown(node)


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
    return name if name in SWITCHES else ""


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


def cut_off(name: str, env: Env) -> str:
    """The statement that cuts a variable off from its history: a tensor, or several in a tuple."""
    several = isinstance(env.values.get(name), (tuple, list))
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
