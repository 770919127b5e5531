"""Schemas of custom operators, such as `(Tensor(a!) x, float y=2.5) -> Tensor`.

One is written from a function's annotations, or comes from the program; read again, it says how
the operator may be called and which arguments it writes to.
"""

from __future__ import annotations

import ast
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import retrograd as torch

_BASES = {torch.Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str",
          torch.dtype: "ScalarType", torch.device: "Device"}
_RETURNED = ("Tensor", "Tensor[]", "SymInt", "float", "bool", "Scalar")
_SHOWN = {"SymInt": "int", "Scalar": "number"}      # in errors
_WORDS = {*_BASES.values(), "int", "Scalar", "complex", "Layout", "MemoryFormat", "Generator"}
_PARAMETER = re.compile(r"(?P<type>\S+)\s+(?P<name>\w+)\s*(=\s*(?P<default>.+))?")
_ALIAS = re.compile(r"(?<=\w)\(\w*!?\)")        # (a!) in Tensor(a!)
_FITS: dict[str, Any] = {"Tensor": torch.Tensor, "SymInt": int, "int": int, "float": (int, float),
                         "bool": bool, "str": str, "Scalar": (int, float, complex)}


# --------------------------------------------------------------------------- written

def infer_schema(prototype_function: Callable, /, *, mutates_args: str | Iterable[str],
                 op_name: str | None = None, tags: Any = ()) -> str:
    """The schema of a function with annotated parameters.

    ``torch.Tag.inplace`` among the tags says that it returns its first argument, to which it
    writes, ``torch.Tag.out`` that it returns the keyword arguments to which it writes.

    >>> import retrograd as torch
    >>> def scale(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:
    ...     return x * by
    >>> torch.library.infer_schema(scale, mutates_args=())
    '(Tensor x, float by=2.0) -> Tensor'

    Raises ValueError for annotations that no schema has a word for.
    """
    signature = inspect.signature(prototype_function)

    def refuse(what: str) -> NoReturn:
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    if isinstance(mutates_args, str) and mutates_args != "unknown":
        raise ValueError("mutates_args must either be a sequence of the names of the arguments "
                         "that are mutated or the string 'unknown'. ")
    written = mutates_args if isinstance(mutates_args, str) else set(mutates_args)
    hints = _Hints(prototype_function, refuse)
    parts = [_parameter(i, p, hints, written, refuse)
             for i, p in enumerate(signature.parameters.values())]
    kinds = [p.kind for p in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        parts.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    if isinstance(written, set) and (unknown := written - set(signature.parameters)):
        refuse(f"{unknown} in mutates_args were not found in the custom op's signature. "
               "mutates_args should contain the names of all args that the custom op mutates, or "
               "just the string 'unknown' if you don't know.")
    if signature.return_annotation is inspect.Signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    annotation = hints.of(signature.return_annotation)
    tags = tags_of(tags)
    if torch.Tag.inplace in tags:
        _check_in_place(parts, signature, written, annotation, refuse)
        result = "Tensor(a0!)"
    elif torch.Tag.out in tags:
        result = _returned_outs(parts, signature, annotation, refuse)
    else:
        result = _result(annotation, refuse)
    return f"{op_name or ''}({', '.join(parts)}) -> {result}"


def tags_of(tags: Any) -> tuple:
    """None, one tag or several, as a tuple; only one of "inplace" and "out" may be among them."""
    found = (tags,) if isinstance(tags, torch.Tag) else tuple(dict.fromkeys(tags or ()))
    if torch.Tag.inplace in found and torch.Tag.out in found:
        raise AssertionError("torch.Tag.inplace and torch.Tag.out are mutually exclusive")
    return found


def _check_in_place(parts: list[str], signature: inspect.Signature, written: Any, annotation: Any,
                    refuse: Callable[[str], NoReturn]) -> None:
    first = next((p.name for p in signature.parameters.values()
                  if p.kind is p.POSITIONAL_OR_KEYWORD), None)
    if first is None:
        refuse("torch.Tag.inplace requires a positional Tensor argument.")
    if _ALIAS.sub("", parts[0].split()[0]) != "Tensor":
        refuse("torch.Tag.inplace requires the first positional argument to be a Tensor.")
    if written != {first}:
        shown = written if isinstance(written, str) else tuple(written)
        refuse("torch.Tag.inplace requires mutates_args to contain exactly the first positional "
               f"argument, got {shown}.")
    if annotation is not torch.Tensor:
        refuse("torch.Tag.inplace requires the return annotation to be torch.Tensor.")


def _returned_outs(parts: list[str], signature: inspect.Signature, annotation: Any,
                   refuse: Callable[[str], NoReturn]) -> str:
    """What stands after the arrow for a function that returns the arguments it writes to."""
    outs = {}
    words = [part.split()[0] for part in parts if part != "*"]
    for word, p in zip(words, signature.parameters.values(), strict=True):
        if "!" not in word:
            continue
        if p.kind is not p.KEYWORD_ONLY:
            refuse("torch.Tag.out requires mutable arguments to be keyword-only.")
        if _ALIAS.sub("", word) != "Tensor":
            refuse("torch.Tag.out only supports mutable keyword-only Tensor arguments.")
        outs[p.name] = word
    if not outs:
        refuse("torch.Tag.out requires at least one mutable keyword-only Tensor argument.")
    several = tuple[(torch.Tensor,) * len(outs)]    # type: ignore[misc]
    if annotation != (torch.Tensor if len(outs) == 1 else several):
        refuse("torch.Tag.out requires the return annotation to match the mutable keyword-only "
               f"Tensor arguments {tuple(outs)}.")
    return f"({', '.join(outs.values())})" if len(outs) > 1 else outs.popitem()[1]


class _Hints:
    """Annotations of a function as types, also where they are written as strings."""

    def __init__(self, function: Callable, refuse: Callable[[str], NoReturn]) -> None:
        self._globals, self._refuse = getattr(function, "__globals__", {}), refuse

    def of(self, annotation: Any) -> Any:
        if not isinstance(annotation, str):
            return annotation
        try:
            return eval(annotation, self._globals)
        except Exception as error:
            self._refuse(f"Unsupported type annotation {annotation}. It is not a type. ({error}).")


def _parameter(i: int, p: inspect.Parameter, hints: _Hints, written: Any,
               refuse: Callable[[str], NoReturn]) -> str:
    if p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
        refuse("We do not support positional-only args, varargs, or varkwargs.")
    if p.annotation is p.empty:
        refuse(f"Parameter {p.name} must have a type annotation.")
    kind = _word(hints.of(p.annotation))
    if kind is None:
        refuse(f"Parameter {p.name} has unsupported type {p.annotation}. The valid types are: "
               "Tensor, int, float, bool, str, dtype and device, Optional and List of them.")
    is_tensor = kind.startswith("Tensor")
    if p.name in written and isinstance(written, set) and not is_tensor:
        refuse(f"Parameter {p.name} is in mutable_args but only Tensors or collections of Tensors "
               "can be mutated")
    if is_tensor and (written == "unknown" or p.name in written):
        kind = f"Tensor(a{i}!){kind.removeprefix('Tensor')}"
    if p.default is p.empty:
        return f"{kind} {p.name}"
    return f"{kind} {p.name}={_default(p, refuse)}"


def _default(p: inspect.Parameter, refuse: Callable[[str], NoReturn]) -> str:
    value = p.default
    if value is None or isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, (str, torch.device)):
        return f'"{value}"'
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    refuse(f"Parameter {p.name} has an unsupported default value type {type(value)}. Please file "
           "an issue on GitHub so we can prioritize this.")


def _word(annotation: Any) -> str | None:
    """The schema's word for a type; None if it has none."""
    if annotation in _BASES:
        return _BASES[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = [one for one in inner if one is not types.NoneType]
        word = "Scalar" if set(rest) == {int, float, bool} else (
            _word(rest[0]) if len(rest) == 1 else None)
        return word if word is None or len(rest) == len(inner) else f"{word}?"
    if origin in (list, Sequence) and inner:
        word = _word(inner[0])
        return None if word is None or "[]" in word else f"{word}[]"
    return None


def _result(annotation: Any, refuse: Callable[[str], NoReturn]) -> str:
    if annotation is None:
        return "()"
    several = typing.get_origin(annotation) is tuple
    words = [_word(one) for one in (typing.get_args(annotation) if several else (annotation,))]
    if any(word not in _RETURNED for word in words):
        refuse(f"Return has unsupported type {annotation}. The valid types are: "
               f"{', '.join(_RETURNED)}.")
    return f"({', '.join(map(str, words))})" if several else str(words[0])


# --------------------------------------------------------------------------- read

class Alias(NamedTuple):
    """What a schema's `(a!)` says of an argument: whether it is written to."""

    is_write: bool


class Argument(NamedTuple):
    """A parameter of a Schema, or one of its results."""

    name: str
    type: str                       # "Optional[List[int]]"
    default_value: Any = None
    kwarg_only: bool = False
    alias_info: Alias | None = None


@dataclass(frozen=True, repr=False)
class Schema:
    """What a schema says: `str()` of it is the schema itself, with the operator's name."""

    text: str
    result: str                     # what stands after the arrow
    signature: inspect.Signature
    kinds: dict[str, str]           # "Tensor?[]" and the like, by parameter
    written: tuple[str, ...]        # parameters that the operator writes to
    aliased: tuple[str, ...]        # parameters whose memory a result may share, those among them

    def __repr__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        """"namespace::name"."""
        return self.text.partition("(")[0].partition(".")[0]

    @property
    def overload_name(self) -> str:
        """What follows the dot in the name; "default" for nothing."""
        return self.text.partition("(")[0].partition(".")[2] or "default"

    @property
    def is_mutable(self) -> bool:
        """Whether the operator writes to an argument."""
        return bool(self.written)

    @property
    def arguments(self) -> list[Argument]:
        """The parameters, in order."""
        return [Argument(p.name, _shown(self.kinds[p.name]),
                         None if p.default is p.empty else p.default, p.kind is p.KEYWORD_ONLY,
                         Alias(p.name in self.written) if p.name in self.aliased else None)
                for p in self.signature.parameters.values()]

    @property
    def returns(self) -> list[Argument]:
        """What the operator returns, in order."""
        return [Argument("", _shown(word)) for word in _words(self.result)]

    def returned(self, value: Any) -> Any:
        """A kernel's result as the schema says; RuntimeError for what does not fit."""
        words = _words(self.result)
        if len(words) == 1:
            return _result_as(words[0], value)
        if not words:
            if value is not None:
                raise RuntimeError(f"Expected PythonKernelHolder for {self.name} to return None "
                                   "but it returned something else instead.")
            return None
        if not isinstance(value, (list, tuple, str)):
            raise TypeError(f"Object of type '{type(value).__name__}' is not an instance of "
                            "'sequence'")
        made = tuple([_result_as(word, one) for word, one in zip(words, value, strict=False)])
        return made if len(made) > 1 else self.returned(made[0] if made else None)

    def without_defaults(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """Bound arguments without those that are the schema's own: a kernel need not take them."""
        parameters = self.signature.parameters
        kwargs = {k: v for k, v in kwargs.items() if v is not parameters[k].default}
        for p in reversed(list(parameters.values())[:len(args)]):
            if args[-1] is not p.default:
                break
            args = args[:-1]
        return args, kwargs

    @property
    def keyword_only(self) -> list[str]:
        """The parameters after the star."""
        return [p.name for p in self.signature.parameters.values() if p.kind is p.KEYWORD_ONLY]

    def with_none(self, grads: tuple) -> tuple:
        """Gradients of the first arguments, with None for those after them that have defaults."""
        parameters = [p for p in self.signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
        rest = parameters[len(grads):]
        if len(grads) > len(parameters) or any(p.default is p.empty for p in rest):
            raise RuntimeError(f"{self.name}: the backward function returned {len(grads)} "
                               f"gradients for {len(parameters)} arguments")
        return *grads, *[None] * len(rest)

    def bind(self, args: tuple, kwargs: dict) -> dict[str, Any]:
        """Every argument by its name, defaults included; RuntimeError for what does not fit."""
        name = self.name
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            raise RuntimeError(self._misfit(name, args, kwargs)) from None
        for parameter, value in bound.arguments.items():
            kind = self.kinds[parameter]
            if not _fits(kind, value):
                raise RuntimeError(self._mistyped(parameter, value))
            bound.arguments[parameter] = _taken(kind, value)
        bound.apply_defaults()
        return bound.arguments

    def _mistyped(self, parameter: str, value: Any) -> str:
        kind = self.kinds[parameter]
        tried = f"{value} to Tensor" if kind in ("Tensor", "Tensor?") else (
            f"Python instance of type {type(value)} to C++ type '?' (#define "
            "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)")
        return (f"{self.name}() Expected a value of type '{_shown(kind)}' for argument "
                f"'{parameter}' but instead found type '{type(value).__name__}'.\n"
                f"Position: {list(self.kinds).index(parameter)}\nValue: {value!r}\n"
                f"Declaration: {self.text}\nCast error details: Unable to cast {tried}")

    def _misfit(self, name: str, args: tuple, kwargs: dict) -> str:
        parameters = self.signature.parameters
        given, positional = len(args) + len(kwargs), len(parameters) - len(self.keyword_only)
        if given > len(parameters):
            return (f"{name}() expected at most {len(parameters)} argument(s) but received {given} "
                    f"argument(s). Declaration: {self.text}")
        if len(args) > positional:
            return (f"{name}() takes {positional} positional argument(s) but {len(args)} was/were "
                    f"given.  Declaration: {self.text}")
        for p in list(parameters.values())[len(args):]:
            if p.default is p.empty and p.name not in kwargs:
                return (f"{name}() is missing value for argument '{p.name}'. Declaration: "
                        f"{self.text}")
        for keyword in kwargs:
            if keyword not in parameters:
                return (f"Unknown keyword argument '{keyword}' for operator '{name}'. Schema: "
                        f"{self.text}")
        twice = next(keyword for keyword in parameters if keyword in kwargs)
        return (f"Argument '{twice}' specified both as positional and keyword argument. Schema: "
                f"{self.text}")


def read(name: str, text: str) -> Schema:
    """The Schema in `(Tensor x, ...) -> Tensor`; ValueError for what is none."""
    match = re.fullmatch(r"\((.*)\)\s*->\s*(.+)", text.strip(), re.DOTALL)
    if match is None:
        raise ValueError(f"{name}: no schema: {text!r}")
    parameters, kinds, written, aliased, shown = [], {}, [], [], []
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for part in filter(None, map(str.strip, re.split(r",(?![^\[(]*[\])])", match[1]))):
        if part == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            shown.append(part)
            continue
        found = _PARAMETER.fullmatch(part)
        if found is None:
            raise ValueError(f"{name}: no parameter of a schema: {part!r}")
        default = inspect.Parameter.empty if found["default"] is None else _value(found["default"])
        shown.append(part.partition("=")[0] + _printed(default, found["default"]))
        parameters.append(inspect.Parameter(found["name"], kind, default=default))
        word = kinds[found["name"]] = re.sub(r"\[\d+\]", "[]", _ALIAS.sub("", found["type"]))
        if word.replace("?", "").replace("[]", "") not in _WORDS:
            raise RuntimeError(f"{name}: unknown type {word!r} in the schema {text!r}")
        if "!" in found["type"]:
            written.append(found["name"])
        if "(" in found["type"]:
            aliased.append(found["name"])
    result = _ALIAS.sub("", match[2].strip())
    text = f"{name}({', '.join(shown)}) -> {match[2].strip()}"
    return Schema(text, result, inspect.Signature(parameters), kinds, tuple(written),
                  tuple(aliased))


def _words(result: str) -> list[str]:
    """The types in what stands after the arrow."""
    return [part.split()[0] for part in result.strip("()").split(",") if part.strip()]


def _value(text: str) -> Any:
    if isinstance(getattr(torch, text, None), torch.dtype):
        return getattr(torch, text)
    return ast.literal_eval(text)


def _printed(default: Any, text: str | None) -> str:
    """A parameter's default as C++ prints it: 1. and 0.10000000000000001."""
    if text is None:
        return ""
    if type(default) is float:
        return f"={int(default)}." if default.is_integer() else f"={default:.17g}"
    if type(default) is str:
        return f'="{default}"'
    return f"={default}" if isinstance(default, list) else f"={text}"


_RESULTS: dict[str, Callable] = {"int": int, "SymInt": int, "float": float, "bool": bool,
                                 "str": str}
_CONVERTED = {"int": (int,), "SymInt": (int,), "float": (int, float),
              "bool": (int, float, type(None)), "str": (str,)}      # from what the above convert


def _fits(kind: str, value: Any) -> bool:
    if kind.endswith("?"):
        return value is None or _fits(kind[:-1], value)
    if kind.endswith("[]"):
        return isinstance(value, (list, tuple)) and all(_fits(kind[:-2], one) for one in value)
    if isinstance(value, torch.Tensor) and kind != "Tensor":
        return value.numel() == 1
    return isinstance(value, _FITS.get(kind, object))


def _taken(kind: str, value: Any) -> Any:
    """`value` as this kind of parameter takes it: tensors become numbers, numbers floats."""
    kind = kind.removesuffix("?")
    if kind not in ("SymInt", "int", "float", "bool", "Scalar"):
        return value
    number = value.item() if isinstance(value, torch.Tensor) else value
    return float(number) if kind == "float" and number is not None else number


def _result_as(word: str, value: Any) -> Any:
    """A kernel's result, or one of several, as a schema's word says."""
    if word.endswith("?[]"):
        return [_result_as(word[:-3], one) for one in value]
    word = word.removesuffix("?")
    if word == "Tensor":
        if not isinstance(value, torch.Tensor | None):
            raise RuntimeError(f"Unable to cast {value} to Tensor")
        return value
    if word == "Scalar" and not isinstance(value, int | float | complex):
        raise RuntimeError(f"Cannot cast {value} to number")
    if word.endswith("[]"):
        if isinstance(value, list | tuple) and (word != "Tensor[]" or _fits(word, value)):
            with suppress(RuntimeError):
                return [_result_as(word[:-2], one) for one in value]
    elif word not in _RESULTS:
        return value
    elif isinstance(value, torch.Tensor) and value.numel() == 1 and word != "str":
        return _RESULTS[word](value.item())
    elif isinstance(value, _CONVERTED[word]):
        return _RESULTS[word](value)
    raise RuntimeError(f"Unable to cast Python instance of type {type(value)} to C++ type '?' "
                       "(#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for "
                       "details)")


def _shown(kind: str) -> str:
    if kind.endswith("?"):
        return f"Optional[{_shown(kind[:-1])}]"
    if kind.endswith("[]"):
        return f"List[{_shown(kind[:-2])}]"
    return _SHOWN.get(kind, kind)
