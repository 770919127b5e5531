"""Descriptions made from declarations: the text of help(), and where an operator is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dis import get_instructions
from inspect import getsource, unwrap
from pathlib import Path

from .. import kernels as K
from ..kernels import fast
from .declare import REGISTRY, Operator
from .dtype_errors import TENSORS_ONLY
from .manual import MANUAL
from .public import FUNCTIONS, METHODS, NATIVE, unwrapped

PACKAGE = Path(__file__).parents[1]

# The errors for dtypes that an operator does not have. Some come from the table in dtype_errors.py,
# the others from NumPy, in whose loops the dtype is missing, or from a kernel.
DTYPE_ERRORS = {name: f"{error} dtypes" for error, names in {
    "NotImplementedError for complex":
        "atan2 digamma entr erf erfc erfinv ge gt i0 i0e i1 i1e le lgamma logit lt sign signbit "
        "xlog1py xlogy",
    "NotImplementedError for half-precision and complex":
        "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t "
        "chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w erfcx "
        "hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p "
        "log_ndtr modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 "
        "ndtri scaled_modified_bessel_k0 scaled_modified_bessel_k1 "
        "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u "
        "shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w spherical_bessel_j0 zeta",
    "RuntimeError for complex":
        "deg2rad fmax fmin heaviside isneginf isposinf maximum minimum rad2deg",
    "NotImplementedError for bool and complex": "ceil floor floor_divide threshold trunc",
    "RuntimeError for bool and NotImplementedError for complex": "relu",
    "NotImplementedError for bool": "abs trace",
    "RuntimeError for bool": "neg",
    "NotImplementedError for all but floating":
        "celu frac hardshrink hypot igamma igammac logaddexp2 nextafter",
    "NotImplementedError for bool and integer": "logaddexp",
    "NotImplementedError for all but integer": "bitwise_left_shift bitwise_right_shift gcd lcm",
    "NotImplementedError for floating and complex":
        "bitwise_and bitwise_not bitwise_or bitwise_xor",
    "RuntimeError for all but complex": "view_as_real",
}.items() for name in names.split()}


def describe(op: Operator) -> str | None:
    """The docstring of a declared function; None where the manual has no entry for it."""
    entry = MANUAL.get(op.name)
    if entry is None:
        return None
    sentence, prompt, example = entry.partition(">>> ")
    return f"{sentence}\n{facts(op)}\n\n>>> import retrograd as torch\n{prompt}{example}"


def describe_in_place(op: Operator) -> str:
    """The docstring of the variant of a declared function that writes into `input`."""
    return (f"`{op.name}` in place: writes into `input` and returns it.\n\n"
            "The shape and dtype of `input` stay. Raises RuntimeError where it cannot hold the\n"
            f"result, and for a leaf that requires grad, unless recording is off.\n{in_place(op)}")


def in_place(op: Operator) -> str:
    """The manual's example in place, where a comparison writes 0 and 1."""
    _, _, example = MANUAL.get(op.name, "").rpartition(">>> ")
    return as_method(op.name, re.sub(r"(\[|, ) ?True", r"\g<1>1", example).replace("False", "0"))


def as_method(name: str, example: str) -> str:
    """An example of a function as one of the method in place: torch.exp(x) becomes x.exp_()."""
    call, _, result = example.partition("\n")
    if not (call.startswith(f"torch.{name}(") and call.endswith(")")):
        return ""
    arguments = ast.parse(call, mode="eval").body.args  # type: ignore[attr-defined]
    first, *rest = [ast.get_source_segment(call, arg) for arg in arguments]
    return f"\n>>> import retrograd as torch\n>>> {first}.{name}_({', '.join(rest)})\n{result}"


def facts(op: Operator) -> str:
    """What the declaration says of arguments and result, and of what the graph keeps."""
    told = [*shape_and_dtype(op)]
    if op.name in DTYPE_ERRORS:
        told.append(f"Raises {DTYPE_ERRORS[op.name]}.")
    if op.view:
        told.append("The result is a view: it shares the memory of `input`.")
    if op.inplace:
        told.append(f"`{op.name}_` writes into `input`.")
    if no_gradient(op):
        told.append("No gradient flows through it.")
    else:
        told.append(f"Its node, {op.grad_fn}, keeps {kept(op)}.")
    return "\n".join(told)


def shape_and_dtype(op: Operator) -> Iterator[str]:
    """What shape and dtype the result has; where these change, the manual's sentence says how."""
    sentence = MANUAL.get(op.name, "").partition(">>> ")[0]
    bools = sentence.startswith("Whether ")
    if op.broadcasts and len(op.inputs) == 2:
        numbers = "" if op.name in TENSORS_ONLY else "; either operand may be a number"
        dtypes = "; the result holds bools" if bools else " and dtypes promote"
        yield f"Shapes broadcast{dtypes}{numbers}."
    elif bools:
        yield "The result has the shape of `input` and holds bools."
    elif "->" not in sentence:
        real = "; that of complex numbers is real" if op.name in ("abs", "angle") else ""
        yield f"The result has the shape and dtype of `input`{real}."
    if op.floats:
        yield "Integers become the default floating dtype."


def no_gradient(op: Operator) -> bool:
    """Whether no output of the operator has a gradient."""
    return op.grad_fn is None or set(op.outputs) <= set(op.nondiff)


def kept(op: Operator) -> str:
    """What the node saves, and for the gradient of which input where that differs."""
    def listed(names):
        return " and ".join("input" if name == "self" else name for name in names)
    parts = {i: listed(names) for i, names in op.saves.items() if names}
    if len(set(parts.values())) < 2:
        return next(iter(parts.values()), "nothing")
    return "; ".join(f"{what} for the gradient of {listed([i])}" for i, what in parts.items())


def places(op: Operator) -> str:
    """Comments that say where an operator is declared, and where its kernels are."""
    kernel = op.kernel or getattr(K, op.kernel_name)
    kernel = getattr(kernel, "plain", kernel)
    twins = dict.fromkeys(fast.TWINS[name] for name in (
        op.kernel_name, *(f"{op.name}.{i}" for i in op.inputs)) if name in fast.TWINS)
    large = "".join(f"\n# large arrays: kernels/fast/{family}.py" for family in twins)
    return (f"# declared: {_line(*op.place)}\n"
            f"# arrays: {_place(kernel) or f'numpy.{kernel.__name__}'}{large}\n")


def function_source(name: str) -> str | None:
    """The source of torch.<name>, a method or a function of nn.functional that is written by hand.

    Above it stand its place, and the operators that it calls. None where nothing has that name.
    """
    from textwrap import dedent

    from retrograd.nn import functional
    found = (FUNCTIONS.get(name) or METHODS.get(name) or NATIVE.get(name)
             or getattr(functional, name, None))
    function = unwrap(unwrapped(found)) if callable(found) else None
    if getattr(function, "__code__", None) is None:
        return None
    called = ", ".join(operators_of(function))
    return (f"# written by hand: {_place(function)}\n"
            f"# operators: {called or 'none by name; see the functions that it calls'}\n"
            f"{dedent(getsource(function))}")


def operators_of(function) -> list[str]:
    """The operators that a function names, or one of its file that it calls: T.mm, or "mm"."""
    waiting, found = [function], {}
    for f in waiting:                                   # which grows
        before = None
        for step in get_instructions(f):
            name = step.argval if isinstance(step.argval, str) else ""
            of_namespace = (step.opname in ("LOAD_ATTR", "LOAD_METHOD") and before is not None
                            and before.opname == "LOAD_GLOBAL" and before.argval in ("T", "ops"))
            if of_namespace or step.opname == "LOAD_CONST":
                found[name.removesuffix("_")] = None
            before = step
            callee = unwrap(f.__globals__.get(name))
            code = getattr(callee, "__code__", None)
            if (code is not None and code.co_filename == f.__code__.co_filename
                    and callee not in waiting):
                waiting.append(callee)
    return [name for name in found if name in REGISTRY]


def _place(function) -> str | None:
    """Where a function of the package begins; None for a builtin one."""
    code = getattr(unwrap(function), "__code__", None)
    return None if code is None else _line(code.co_filename, code.co_firstlineno)


def _line(file: str, line: int) -> str:
    """A line of the package, as ops/arithmetic.py:75."""
    return f"{Path(file).relative_to(PACKAGE).as_posix()}:{line}"
