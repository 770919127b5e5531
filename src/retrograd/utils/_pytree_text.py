"""TreeSpecs as text (JSON), as PyTorch writes them, and back.

A kind of node is written under the name that it was registered with, its context as JSON or as what
its `to_dumpable_context` makes of it.
"""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from typing import Any, NamedTuple

PROTOCOL = 1


class Name(NamedTuple):
    """How a kind of node is written."""

    type: Any
    text: str | None
    to_dumpable: Callable | None
    from_dumpable: Callable | None


NAMES: dict[Any, Name] = {}
TYPES: dict[str, Any] = {}


def register_name(cls: Any, text: str | None, to_dumpable: Callable | None,
                  from_dumpable: Callable | None) -> None:
    """Note a kind's name; ValueError unless both conversions are given, or none."""
    if (to_dumpable is None) != (from_dumpable is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must "
                         "be None or registered.")
    NAMES[cls] = Name(cls, text, to_dumpable, from_dumpable)
    if text is not None:
        TYPES[text] = cls


def forget_name(cls: Any) -> None:
    name = NAMES.pop(cls, None)
    if name is not None and name.text is not None:
        TYPES.pop(name.text, None)


# ------------------------------------------------------------------------------ contexts


def _of_enum(value: Any) -> Any:
    if isinstance(value, Enum):
        cls = type(value)
        return {"__enum__": True, "fqn": f"{cls.__module__}:{cls.__qualname__}",
                "name": value.name}
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _to_enum(value: dict) -> Any:
    if "__enum__" not in value:
        return value
    module, _, path = value["fqn"].partition(":")
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, Enum)):
        raise ValueError(f"{value['fqn']} is no Enum")
    return found[value["name"]]


def _of_namedtuple(cls: type) -> str:
    if cls not in NAMES:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {cls} because we didn't register a "
            "serializated_type_name. Please register using `_register_namedtuple`.")
    text = NAMES[cls].text
    if text is None:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {cls} because we couldn't find a "
            "serializated_type_name. Please register using `_register_namedtuple`.")
    return text


def _to_namedtuple(text: str) -> type:
    if text not in TYPES:
        raise NotImplementedError(
            f"Can't deserialize TreeSpec of namedtuple class {text} because we couldn't find a "
            "serializated name.")
    return TYPES[text]


def _of_defaultdict(context: list) -> dict:
    factory, keys = context
    return {"default_factory_module": factory.__module__,
            "default_factory_name": factory.__qualname__, "dict_context": keys}


def _to_defaultdict(context: dict) -> list:
    module = import_module(context["default_factory_module"])
    return [getattr(module, context["default_factory_name"]), context["dict_context"]]


for _cls in (tuple, list, dict, OrderedDict, deque):
    register_name(_cls, f"{_cls.__module__}.{_cls.__name__}", None, None)
register_name(defaultdict, "collections.defaultdict", _of_defaultdict, _to_defaultdict)
register_name(namedtuple, "collections.namedtuple", _of_namedtuple, _to_namedtuple)


# ------------------------------------------------------------------------------ specs


def dumps(spec: Any, protocol: int | None) -> str:
    """A spec as text."""
    protocol = PROTOCOL if protocol is None else protocol
    _check_protocol(protocol)
    return json.dumps((protocol, _described(spec)), default=_of_enum)


def loads(text: str, spec: Callable, leaf: Any) -> Any:
    """The spec in a text; `spec(type, context, children)` makes one."""
    protocol, described = json.loads(text)
    _check_protocol(protocol)
    return _built(described, spec, leaf)


def _check_protocol(protocol: Any) -> None:
    if protocol != PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: {[PROTOCOL]}")


def _described(spec: Any) -> dict:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    if spec.type not in NAMES:
        raise NotImplementedError(f"Serializing {spec.type} in pytree is not registered.")
    name = NAMES[spec.type]
    if name.text is None:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your "
            "_register_pytree_node call with a `serialized_type_name` kwarg.")
    if name.to_dumpable is not None:
        context = name.to_dumpable(spec.context)
    else:
        try:
            context = json.dumps(spec.context, default=_of_enum)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register "
                "a custom serializer using _register_pytree_node.") from error
    return {"type": name.text, "context": context,
            "children_spec": [_described(child) for child in spec.children_specs]}


def _built(described: dict, spec: Callable, leaf: Any) -> Any:
    kind, context = described["type"], described["context"]
    if kind is None:
        return leaf
    if kind not in TYPES:
        raise NotImplementedError(f"Deserializing {kind} in pytree is not registered.")
    name = NAMES[TYPES[kind]]
    if name.from_dumpable is not None:
        context = name.from_dumpable(context)
    else:
        try:
            context = json.loads(context, object_hook=_to_enum)
        except TypeError as error:
            raise TypeError(
                "Unable to deserialize context. Please make the context json load-able, or "
                "register a custom serializer using _register_pytree_node.") from error
    return spec(name.type, context,
                [_built(child, spec, leaf) for child in described["children_spec"]])
