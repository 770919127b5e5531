"""PyTorch's error for the first argument whose type does not fit its parameter.

It runs only when a call has failed. `mistyped` is given the call's arguments; `of_call` reads them
from the frame of the function that the program called, for the few places, like wrap_dim(), where
most arguments of a wrong type are noticed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache
from inspect import CO_VARARGS, unwrap
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from .._attributes import device, layout, memory_format
from .._callers import in_operators
from .._dtype import dtype
from .._tensor import Tensor
from .arguments import (
    MISSING,
    NUMBERS,
    c_name,
    call_of,
    crowded,
    invalid_combination,
    known,
    must_be,
    not_given,
    split_words,
    unmarked,
)

SYNONYMS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x2": "other"}
INTS = (int, np.integer)
# Functions that take numbers for tensors, though their signatures do not say so.
TAKE_NUMBERS = frozenset(("add", "sub", "mul", "div", "subtract", "multiply", "divide",
                          "true_divide", "floor_divide"))


class Parameter(NamedTuple):
    """A parameter of one of PyTorch's signatures; `kind` is its type in PyTorch's errors."""

    kind: str
    name: str
    optional: bool
    takes_none: bool
    by_name: bool


@cache
def parameters(signature: str) -> tuple[Parameter, ...]:
    """The parameters of a signature."""
    found, by_name = [], False
    for word in split_words(signature) if signature else ():
        if word == "*":
            by_name = True
            continue
        declared, _, default = word.partition(" = ")
        kind, _, name = declared.rpartition(" ")
        found.append(Parameter(kind.removesuffix("?"), name, bool(default),
                               default in ("None", "[]") or kind.endswith("?"), by_name))
    return tuple(found)


def is_int(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value._data.ndim == 0 and value._data.dtype.kind in "iu" and not value._flags & 1
    return isinstance(value, INTS) and not isinstance(value, bool)


def starts_with_bool(value: Any) -> bool:
    """Whether it is a bool, or a sequence that begins with one: PyTorch looks at no other."""
    if isinstance(value, (tuple, list)) and value:
        value = value[0]
    return isinstance(value, bool)


def is_number(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value._data.ndim == 0 and not value._flags & 1
    return isinstance(value, (*NUMBERS, np.generic))


CLASSES = {"Tensor": Tensor, "bool": bool, "str": str, "torch.dtype": dtype,
           "torch.device": (device, str, int), "torch.layout": layout,
           "torch.memory_format": memory_format}


def fits(kind: str, value: Any) -> bool:
    """Whether a parameter of this kind takes the value; kinds that are not known take any."""
    if kind in CLASSES:
        return isinstance(value, CLASSES[kind])
    if kind.startswith("tuple of "):
        if not isinstance(value, (tuple, list)):
            return "[1]" in kind and is_int(value)
        one = unmarked(kind).removeprefix("tuple of ")
        return not value or one == "Tensors" or fits(one[:-1], value[0])
    if kind == "int":
        return is_int(value)
    if kind == "float" and isinstance(value, (complex, np.complexfloating)):
        return False
    return is_number(value) if kind in ("Number", "float") else True


def not_an_int(kind: str, value: Any) -> int | None:
    """The position, from 1 on, of an element that is no int in what should be a tuple of ints."""
    if kind.startswith("tuple of ints") and isinstance(value, (tuple, list)):
        return next((k for k, n in enumerate(value)
                     if k and not (is_int(n) or isinstance(n, bool))), None)
    return None


def refused(name: str, signature: str, args: Sequence, kwargs: dict) -> TypeError | None:
    """PyTorch's error for arguments that do not fit a signature, None if they do."""
    wanted = parameters(signature)
    names = {p.name for p in wanted}
    kwargs = {key if key in names else SYNONYMS.get(key, key): x for key, x in kwargs.items()}
    places = [p for p in wanted if not p.by_name]
    if len(places) == 1 and places[0].kind == "tuple of ints" and args and is_int(args[0]):
        args = (args,)                                       # f(2, 3) for f((2, 3))
    if len(args) > len(places):
        return crowded(name, required(signature), len(places), len(args))
    for k, p in enumerate(wanted):
        value = args[k] if k < len(args) else kwargs.get(p.name)
        given = k < len(args) or p.name in kwargs
        if not given and not p.optional:
            return not_given(name, [p.name for p in wanted[k:]
                                    if not p.optional and p.name not in kwargs])
        if value is None and (p.takes_none or not given):
            continue
        if k < len(args) and p.kind.startswith("tuple of ints") and (
                isinstance(value, (tuple, list)) and value and not is_int(value[0])):
            return TypeError(f"{name}(): argument '{p.name}' (position {k + 1}) must be tuple of "
                             f"ints, but found element of type {c_name(value[0])} at pos 0")
        at = not_an_int(p.kind, value) if fits(p.kind, value) else None
        if at is not None:
            return TypeError(
                f"{name}(): argument '{p.name}' failed to unpack the object at pos {at + 1} with "
                f'error "type must be tuple of ints,but got {c_name(value[at])}"')
        if not fits(p.kind, value) and not (
                p.kind == "Tensor" and is_number(value) and name.rstrip("_") in TAKE_NUMBERS):
            place = k + 1 if k < len(args) else None
            return must_be(unmarked(p.kind), name, p.name, place, value)
    strange = [key for key in kwargs if key not in names]
    return TypeError(f"{name}() got an unexpected keyword argument '{strange[0]}'") if (
        strange) else None


def by_position(name: str, function: Any, args: Sequence, kwargs: dict) -> tuple | None:
    """Arguments that fit a signature, given by position where our parameter has another name."""
    code = unwrap(function).__code__
    own = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    if kwargs.keys() <= set(own):
        return None
    for signature in known(name):
        if refused(name, signature, args, kwargs) is None:
            given, named = list(args), dict(kwargs)
            for p in parameters(signature)[len(args):]:
                if p.by_name or p.name not in named:
                    break
                given.append(named.pop(p.name))
            return (given, named) if len(given) > len(args) else None
    return None


def in_this_order(name: str, names: list[str]) -> bool:
    """Whether a function of nn.functional has the parameters, in order, of the operator `name`.

    Some have an order of their own, in which they pass the arguments on to the operator.
    """
    return all(p.name == own for signature in known(name) for p, own in zip(
        parameters(signature), names, strict=False))


def handed_on(name: str, names: list[str], args: Sequence, kwargs: dict) -> tuple[Sequence, dict]:
    """The arguments without those of parameters that PyTorch's signature by that name lacks."""
    most = min((len(parameters(signature)) for signature in known(name)), default=len(names))
    args = args[:most]
    if name.startswith("adaptive_"):                # an output size of None is the input's own
        args = [tuple(1 if n is None else n for n in x) if isinstance(x, (tuple, list)) else x
                for x in args]
    return args, {key: x for key, x in kwargs.items() if key not in names[most:]}


def of_method(signature: str) -> str:
    """The signature of a method, made from the function's: without the tensor, and without out=."""
    if signature.endswith(", Tensor input"):         # of polygamma, whose number comes first
        return signature.removesuffix(", Tensor input")
    rest = signature.partition(", ")[2]
    return re.sub(r"(, )?(\*, )?(Tensor|tuple of Tensors) out = None", "", rest)


def mistyped(name: str, args: Sequence, kwargs: dict, method: bool) -> TypeError | None:
    """PyTorch's error, if it is the types of the arguments that are wrong; else None.

    `method` says whether the program called args[0].name(...).
    """
    signatures = known(name)
    if method:
        signatures = [of_method(s) for s in signatures
                      if re.search(r"^Tensor input|, Tensor input$", s) and "out_dtype" not in s]
        args = args[1:]
    if len(signatures) == 1:
        kwargs = {key: value for key, value in kwargs.items() if key != "out"}
    found = [refused(name, signature, args, kwargs) for signature in signatures]
    if not found or None in found:
        return None
    count = len(args) + len(kwargs)
    likely = [error for error, signature in zip(found, signatures, strict=True)
              if required(signature) <= count <= len(parameters(signature))]
    unpacked = [error for error in found if "failed to unpack" in str(error)]
    if len(found) == 1 and "missing" in str(found[0]):
        return None  # perhaps nothing is missing: our parameter may have a default
    if len(found) == 1 or unpacked or len(likely) == 1:
        return (unpacked or likely or found)[0]
    return invalid_combination(name, args, kwargs, [unmarked(s) for s in signatures])


# --------------------------------------------------------------------------- arguments of a frame

def of_call(error: Exception | None) -> Exception | None:
    """PyTorch's error for the function that the program called and that has met `error`."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and in_operators(frame.f_back.f_code.co_filename):
        frame = frame.f_back
    if frame.f_back is None:
        return error
    code, values = frame.f_code, frame.f_locals
    written, named = call_of(frame.f_back)
    if "_original" in values:                                # see _entries.py
        args, kwargs = values["_args"], values["_kwargs"]
        method = written < len(args) + len(kwargs)
        return mistyped(values["_original"].__name__, args, kwargs, method) or error
    name, function = public_function(frame)
    if name is None:
        return error
    kwargs = {key: values[key] for key in named if key in values}
    given = [values[key] for key in code.co_varnames[:code.co_argcount]]
    places = min(written, 99) - len(named)                   # without the x of x.f()
    if code.co_flags & CO_VARARGS:
        given += values[code.co_varnames[code.co_argcount + code.co_kwonlyargcount]]
        method = len(given) > places
    else:
        method = all(required(way) > written for way in known(name)) or more_given(
            function, given, places, kwargs)
    return mistyped(name, given[:places + method], kwargs, method) or error


def nothing_given() -> TypeError:
    """PyTorch's error for the function that the program called without the numbers it needs."""
    frame: Any = sys._getframe(1)
    name = ""
    while in_operators(frame.f_code.co_filename):
        values = frame.f_locals
        if "_original" in values:                            # see _entries.py
            found = values["_original"].__name__
        else:
            found = values["name"] if "in_one" in values else public_function(frame)[0]
        name = found if known(found or "") else name
        frame = frame.f_back
    ways = [of_method(way) for way in known(name)]
    if len(ways) > 1:
        return invalid_combination(name, (), {}, ways)
    return not_given(name, [p.name for way in ways for p in parameters(way) if not p.optional])


def more_given(function: Any, values: Sequence, places: int, kwargs: dict) -> bool:
    """Whether a parameter beyond the first `places` has a value that is not its default."""
    defaults = getattr(function, "__defaults__", None) or ()
    defaults = (MISSING,) * (len(values) - len(defaults)) + defaults
    return any(value is not default and not any(value is other for other in kwargs.values())
               for value, default in zip(values[places:], defaults[places:], strict=True))


def public_function(frame: FrameType) -> tuple[str | None, Any]:
    """The function of a frame and what programs call it; None for one that reports misfits."""
    from . import public
    if frame.f_globals is vars(public):
        return None, None
    code = frame.f_code
    for table in (public.METHODS, public.FUNCTIONS):
        for name, function in table.items():
            if getattr(function, "__code__", None) is code:
                return name, function
    return code.co_name, frame.f_globals.get(code.co_name)


def required(signature: str) -> int:
    """How many arguments a signature needs at least."""
    return sum(not p.optional for p in parameters(signature))
