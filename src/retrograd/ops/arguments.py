"""PyTorch's errors for arguments that fit no signature of a function.

Nothing here runs while arguments are right. A function that has failed, with whatever error, asks
`misfit` whether one of its arguments was missing, or was no tensor where a tensor is wanted.
"""

from __future__ import annotations

import dis
import inspect
import math
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from types import FrameType, FunctionType
from typing import Any, NamedTuple

from .._attributes import memory_format as formats
from .._callers import FUNCTIONAL, called, in_operators
from .._dtype import full_name
from .._tensor import Tensor
from .._torch_function import is_of_pytorch

NUMBERS = (int, float, complex)
MISSING = object()     # stands for an argument that a generated function was not given
# Kinds of parameters in a signature that name several types of Python's.
ALIKE = {"float": ("float", "int", "long"), "int": ("int", "long")}
# Functions whose errors list one signature only, though they take older ones too.
LIST_THEIR_ONE = frozenset(("add", "addbmm", "addcdiv", "addcmul", "addmv", "addr", "sub",
                            *(f"{name}_" for name in ("add", "addmv", "sub"))))


class Signal(Exception):
    """An error that passes through operators and has nothing to do with their arguments."""


def c_name(value: Any) -> str:
    """The name in C of a value's type: numpy.ndarray, torch.dtype, but Tensor and int."""
    cls = type(value)
    if cls.__module__ == "numpy":
        return f"numpy.{cls.__name__}"
    return full_name(cls)


def as_method(given: int) -> bool:
    """Whether the program called a function that got `given` arguments as x.f(y), not as f(x, y).

    The function is the one that raises the error, or on whose behalf an operator raises it.
    """
    return program_call()[0] < given


def called_on_tensor(args: Sequence, kwargs: dict) -> bool:
    """Whether the program called args[0].f(...), with args[0] a tensor."""
    return bool(args) and isinstance(args[0], Tensor) and as_method(len(args) + len(kwargs))


def program_call() -> tuple[float, tuple[str, ...]]:
    """How many arguments the program gave the function that raises the error; see call_of()."""
    frame: Any = sys._getframe(1)
    while frame.f_globals is globals():
        frame = frame.f_back
    frame = frame.f_back or frame
    while frame.f_back is not None and in_operators(frame.f_code.co_filename):
        frame = frame.f_back
    return call_of(frame)


def call_of(frame: FrameType) -> tuple[float, tuple[str, ...]]:
    """How many arguments the call that a frame is in was written with, and which of them by name.

    f(*x) may have any number of them.
    """
    named: tuple[str, ...] = ()
    last = None
    for each in dis.get_instructions(frame.f_code):
        if each.offset > frame.f_lasti:
            break
        if last is not None and last.opname == "CALL":
            named = ()
        if each.opname == "KW_NAMES":                       # Python 3.11 and 3.12
            named = frame.f_code.co_consts[each.arg or 0]
        elif each.opname == "CALL_KW" and last is not None:
            named = last.argval
        last = each
    if last is None or last.opname not in ("CALL", "CALL_KW"):
        return math.inf, ()
    return last.arg or 0, named


def format_name(memory_format: Any, function: str | None = None) -> str:
    """The name of a memory format; a TypeError for anything else."""
    if memory_format.__class__ is not formats:
        raise must_be("torch.memory_format", function or called(), "memory_format", None,
                      memory_format)
    return memory_format.name


def must_be(what: str, name: str, argument: str, position: int | None, value: Any,
            given: int = 0, handed_on: bool = False) -> TypeError:
    """The TypeError for an argument of the wrong type; one given by name has no position.

    `given` is how many arguments there were, if it may have been a method that was called.
    `handed_on` means that in PyTorch another function, called by position, raises the error.
    """
    if value is MISSING:
        return left_out()
    if position is not None and not handed_on:
        written, named = program_call()
        position = None if argument in named else position - (written < given)
    where = "" if position is None else f" (position {position})"
    cure = ""
    if what == "Tensor" and is_of_pytorch(type(value)):
        cure = " of PyTorch (retrograd.from_dlpack(tensor) shares its memory)"
    elif what == "Tensor" and value.__class__ is tuple and value and isinstance(value[0], Tensor):
        cure = ("\n\nA layer such as nn.LSTM returns its output and its state.\nCure: take the "
                "first part: `out, _ = lstm(x)`.")
    error: Any = TypeError(f"{name}(): argument '{argument}'{where} must be {what}, not "
                           f"{c_name(value)}{cure}")
    error.handed_on = handed_on
    if what == "Tensor":
        error.obj = value  # like AttributeError.obj: a function that handed it on renames the error
    return error


def no_element(k: int, argument: int, value: Any) -> TypeError:
    """The TypeError for a sequence of tensors with an element that is no tensor."""
    return TypeError(f"expected Tensor as element {k} in argument {argument}, but got "
                     f"{c_name(value)}")


def not_given(name: str, arguments: Sequence[str]) -> TypeError:
    """The TypeError for arguments that are missing."""
    quoted = ", ".join(f'"{argument}"' for argument in arguments)
    plural = "s" * (len(arguments) == 1)                    # PyTorch's grammar
    return TypeError(f"{name}() missing {len(arguments)} required positional argument{plural}: "
                     f"{quoted}")


def invalid_combination(name: str, args: Sequence, kwargs: dict, signatures: Sequence[str],
                        obj: Any = None, handed_on: bool = False) -> TypeError:
    """The TypeError for arguments, `obj` among them, that fit none of a function's signatures.

    `handed_on` means that the program called another function, which called this one.
    """
    args = [a for a in args if a is not MISSING]
    if not handed_on and args and isinstance(args[0], Tensor) and (
            as_method(len(args) + len(kwargs))):
        args = args[1:]
        from .mistyped import of_method
        signatures = [of_method(way) for way in signatures
                      if way.startswith("Tensor") and "out_dtype" not in way]
    got = [c_name(a) for a in args]
    got += [f"{key}={c_name(value)}" for key, value in reversed(kwargs.items())]
    got += [""] * (not args and bool(kwargs))                # PyTorch's comma
    expected = "one of:\n" + "".join(f" * ({signature})\n{unmatched(signature, args, kwargs)}"
                                     for signature in signatures)
    if len(signatures) == 1:
        expected = f"({signatures[0]})"
    error: Any = TypeError(f"{name}() received an invalid combination of arguments - got "
                           f"({', '.join(got)}), but expected {expected}")
    error.obj = obj
    return error


def unmatched(signature: str, args: Sequence, kwargs: dict) -> str:
    """PyTorch's line below a signature that has as many parameters as there are arguments.

    It marks which arguments differ. PyTorch compares with the text of the signature, in which `*`
    and parameters with a default match nothing.
    """
    words = signature.split(", ")
    if len(words) != len(args) + len(kwargs):
        return ""
    kinds, names = zip(*((kind, name) for kind, _, name in (w.rpartition(" ") for w in words)),
                       strict=True)
    because = "      didn't match because some of the "
    strangers = [key for key in reversed(kwargs) if key not in names[len(args):]]
    if strangers:
        return f"{because}keywords were incorrect: {', '.join(strangers)}\n"
    given = [("", value) for value in args]
    given += [(f"{name}=", kwargs[name]) for name in names[len(args):]]
    types = [named + listed(value) if c_name(value) in ALIKE.get(kind, (kind,))
             else f"!{named}{listed(value)}!"
             for kind, (named, value) in zip(kinds, given, strict=True)]
    types += [""] * (not args)                              # PyTorch's comma
    return f"{because}arguments have invalid types: ({', '.join(types)})\n"


def listed(value: Any) -> str:
    """A value's type, and those of the elements of a tuple or list."""
    inside = ", ".join(map(c_name, value)) if isinstance(value, (tuple, list)) else ""
    if isinstance(value, tuple):
        return f"{c_name(value)} of ({inside}{',' * (len(value) == 1)})"
    return f"{c_name(value)} of [{inside}]" if isinstance(value, list) else c_name(value)


@cache
def signatures() -> dict[str, list[str]]:
    """The signatures of functions, as PyTorch writes them: where there are several, all."""
    from . import signatures as plain
    from . import signatures_in_place as in_place
    found: dict[str, list[str]] = {}
    for line in (plain.SIGNATURES + in_place.SIGNATURES).splitlines():
        name, _, rest = line.partition("(")
        found.setdefault(name, []).append(rest[:-1])
    return found


def known(name: str) -> list[str]:
    """A function's signatures as the table has them; in place it has those of the function."""
    return signatures().get(name) or signatures().get(name.removesuffix("_"), [])


def listed_signatures(name: str) -> list[str]:
    """A function's signatures, if it is one that lists them."""
    found = known(name)
    several = len(found) > 1 or name in LIST_THEIR_ONE
    return [unmarked(signature) for signature in found] if several else []


def unmarked(text: str) -> str:
    """A signature as PyTorch shows it, without the table's marks."""
    return text.replace("[1]", "").replace("? ", " ")


def split_words(signature: str) -> list[str]:
    """The parameters of a signature, and the * before those that are given by name."""
    return re.split(r", (?=[*A-Za-z])", signature)


def fitting(name: str, count: int) -> list[list[str]]:
    """The parameters of those of a function's signatures that can take so many arguments."""
    found = []
    for signature in listed_signatures(name):
        words = [word for word in split_words(signature) if word != "*"]
        if len([word for word in words if " = " not in word]) <= count <= len(words):
            found.append([word.partition(" = ")[0].rpartition(" ")[2] for word in words])
    return found


class Culprit(NamedTuple):
    """An argument that is not a tensor: its parameter, where it stands, and which element of it."""

    name: str
    position: int | None
    value: Any
    element: int | None = None


def has_default(parameter: inspect.Parameter) -> bool:
    """Whether a parameter may be left out; it is then less likely to be the one that is wrong."""
    return parameter.default is not inspect.Parameter.empty


def culprit(parameters: Sequence[inspect.Parameter], args: Sequence, kwargs: dict,
            obj: Any) -> Culprit | None:
    """The argument that is `obj` or contains it; or else the first one that is not a tensor."""
    given = [(min(k, len(parameters) - 1), k + 1, value) for k, value in enumerate(args)]
    names = ["input" if p.name == "self" else p.name for p in parameters]
    given += [(names.index(key), None, value) for key, value in kwargs.items() if key in names]
    order = (*given[:1], *given[:0:-1])         # a number or None may stand in several places,
    for k, position, value in sorted(order, key=lambda g: has_default(parameters[g[0]])):
        if value is obj and not isinstance(value, Tensor):
            if parameters[k].kind is not inspect.Parameter.VAR_POSITIONAL:
                return Culprit(names[k], position, value)
            if names[k] in ("tensors", "operands"):
                return Culprit(names[k], k + 1, value, position - 1 - k)
            return Culprit("input", position, value) if position == 1 else None
        for i, element in enumerate(value if isinstance(value, (list, tuple)) else ()):
            if element is obj and not isinstance(element, Tensor):
                return Culprit(names[k], position, element, i)
    known = isinstance(args[0], (Tensor, *NUMBERS)) if args else True
    if names[0] in ("input", "tensor", "args") and not known:
        return Culprit("input", 1, args[0])
    return None


def missing(name: str, parameters: Sequence[inspect.Parameter], args: Sequence,
            kwargs: dict) -> TypeError | None:
    """The TypeError for arguments that were not given, if there are any."""
    left = ["input" if p.name == "self" else p.name for p in parameters[len(args):]
            if p.default is p.empty and p.name not in kwargs and p.kind is p.POSITIONAL_OR_KEYWORD]
    return not_given(name, left) if left else None


def too_many(name: str, parameters: Sequence[inspect.Parameter],
             args: Sequence, method: bool = False) -> TypeError | None:
    """The TypeError for more arguments than have a place, if there are more.

    PyTorch counts neither `x` nor its place where `x.name(...)`, a `method`, was called.
    """
    places = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    if len(args) <= len(places) or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    if method and takes_nothing(parameters):
        return TypeError(f"TensorBase.{name}() takes no arguments ({len(args) - 1} given)")
    least = sum(p.default is p.empty for p in places)
    return crowded(name, least - method, len(places) - method, len(args) - method)


def takes_nothing(parameters: Sequence[inspect.Parameter]) -> bool:
    """Whether a method with the function's parameters takes no arguments at all."""
    return all(p.name == "out" for p in parameters[1:])


def crowded(name: str, least: int, most: int, given: int) -> TypeError:
    """The TypeError for `given` arguments where there are places for `least` to `most`."""
    if least != most:
        return TypeError(f"{name}() takes from {least} to {most} positional arguments but "
                         f"{given} were given")
    return TypeError(f"{name}() takes {most} positional argument{'s' * (most != 1)} but {given} "
                     f"{'was' if given == 1 else 'were'} given")


def strange(name: str, parameters: Sequence[inspect.Parameter], args: Sequence,
            kwargs: dict, method: bool = False) -> TypeError | None:
    """The TypeError for a keyword that no parameter has, or whose parameter has a value."""
    names = [p.name for p in parameters]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    if method and kwargs and takes_nothing(parameters):
        return TypeError(f"TensorBase.{name}() takes no keyword arguments")
    for key in kwargs:
        if key not in names:
            return TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if names.index(key) < len(args):
            return TypeError(f"{name}() got multiple values for argument '{key}'")
    return None


def binds(signature: inspect.Signature, args: Sequence, kwargs: dict) -> bool:
    """Whether these arguments fit this signature: not too few, not too many."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def misfit(name: str, function: Callable, args: Sequence, kwargs: dict,
           error: Exception) -> TypeError | None:
    """PyTorch's error, if `function` failed with `error` because its arguments do not fit."""
    if isinstance(error, Signal):
        return None
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    ours = function.__module__.startswith(FUNCTIONAL)
    if ours and (isinstance(error, ValueError) or getattr(error, "name", "") == "size"
                 or getattr(error, "handed_on", False)):
        return None  # an error of checks in Python, or of x.size(), which come first in PyTorch
    wrong = of_wrong_type(name, list(signature.parameters), ours, args, kwargs)
    if wrong is not None:
        return wrong
    if str(parameters[0]) == "tensors" and args and not isinstance(args[0], (tuple, list, Tensor)):
        return must_be("tuple of Tensors", name, "tensors", 1, args[0])
    found = culprit(parameters, args, kwargs, getattr(error, "obj", error))
    several = listed_signatures(name)
    method = not ours and called_on_tensor(args, kwargs)
    crowd = None if several or ours else too_many(name, parameters, args, method)
    if crowd is not None:
        return crowd
    fit = fitting(name, len(args) + len(kwargs))
    if found is None and (fit or not several) and binds(signature, args, kwargs):
        return None
    if several and len(fit) != 1:
        return invalid_combination(name, args, kwargs, several, found and found.value)
    if found is None and parameters[0].name in ("input", "self"):   # types first, then the count
        found = number_for_input(args, kwargs)
    if found is None and ours and not known(name):
        return None                            # a function written in Python, in PyTorch, too
    if found is None:
        return missing(name, parameters, args, kwargs) or strange(
            name, parameters, args, kwargs, method)
    if found.element is not None:
        return no_element(found.element, (found.position or 1) - 1, found.value)
    return must_be("Tensor", name, found.name, found.position, found.value,
                   len(args) + len(kwargs))


def of_wrong_type(name: str, names: list[str], ours: bool, args: Sequence,
                  kwargs: dict) -> TypeError | None:
    """PyTorch's error if an argument's type does not fit; `ours` are functions of nn.functional."""
    from .mistyped import handed_on, in_this_order, mistyped
    if not ours:
        return mistyped(name, args, kwargs, called_on_tensor(args, kwargs))
    if not in_this_order(name, names):
        return None
    return mistyped(name, *handed_on(name, names, args, kwargs), False)


def number_for_input(args: Sequence, kwargs: dict) -> Culprit | None:
    """The first argument, if it is a number or a text where a tensor is wanted."""
    value = args[0] if args else kwargs.get("input", MISSING)
    if isinstance(value, (*NUMBERS, str)):
        return Culprit("input", 1 if args else None, value)
    return None


def no_input(name: str, *args: Any) -> TypeError:
    """PyTorch's error for a function whose first argument, `input`, is not a tensor."""
    given = [value for k, value in enumerate(args) if k == 0 or value is not None]
    if len(fitting(name, len(given))) > 1:
        return invalid_combination(name, given, {}, listed_signatures(name), args[0])
    return must_be("Tensor", name, "input", 1, args[0])


def shown(op, in_place: bool = False) -> str:
    """What PyTorch calls a declared operator: "sum" for sum_all, "special_zeta" for zeta."""
    from .overloads import NAMES
    name = "special_" * op.in_special + op.name
    if not (op.public or op.in_special):
        name = NAMES.get(op.name, name).partition(".")[0]
    return name + "_" * in_place


def no_tensor(op, values: Sequence, k: int, in_place: bool = False) -> TypeError:
    """PyTorch's error for an operator whose input number k is not a tensor, or was not given."""
    name = shown(op, in_place)
    argument = "input" if op.inputs[k] == "self" else op.inputs[k]
    values = values if op.public else values[:len(op.inputs)]  # without what generated code adds
    return no_tensor_for(name, argument, k, values)


def no_tensor_for(name: str, argument: str, k: int, values: Sequence) -> TypeError:
    """PyTorch's error for the `argument` number k of a function, which is no tensor or is missing.
    """
    if values[k] is MISSING:
        return left_out()
    given = [value for value in values if value is not MISSING]
    if len(fitting(name, len(values))) > 1 or len(given) < len(values) and listed_signatures(name):
        named = program_call()[1]
        places = len(given) - len(named)
        kwargs = dict(zip(named, given[places:], strict=True)) if places >= 0 else {}
        return invalid_combination(name, given[:places] if kwargs else values, kwargs,
                                   listed_signatures(name), values[k])
    return must_be("Tensor", name, argument, k + 1, values[k], len(given))


def default_to_missing(function: FunctionType) -> FunctionType:
    """Give the required arguments of a function the default MISSING; returns the function.

    Called without one of them it then runs, meets MISSING where it expects a Tensor, and raises
    PyTorch's error (see left_out()), where Python would raise its own.
    """
    named: Any = function
    named.__signature__ = inspect.signature(function)
    defaults = function.__defaults__ or ()
    required = function.__code__.co_argcount - len(defaults)
    function.__defaults__ = (MISSING,) * required + defaults
    return function


def left_out() -> TypeError:
    """PyTorch's error for a function that was called without an argument: it is MISSING."""
    frame: Any = sys._getframe(1)
    called = frame
    while in_operators(frame.f_code.co_filename):
        if any(value is MISSING for value in frame.f_locals.values()):
            called = frame                     # the function itself, or what it has called
        frame = frame.f_back
    names, values = called.f_code.co_varnames, called.f_locals
    first = next(k for k, name in enumerate(names) if values[name] is MISSING)
    return invalid_combination(called.f_code.co_name, [values[name] for name in names[:first]], {},
                               listed_signatures(called.f_code.co_name))
