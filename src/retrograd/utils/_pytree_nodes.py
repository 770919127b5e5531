"""The kinds of node in a tree of containers: how each is taken apart and put together."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

from .. import return_types
from ._pytree_text import forget_name, register_name

Context = Any


# ------------------------------------------------------------------------------ keys of a path


@dataclass(frozen=True, slots=True)
class SequenceKey:
    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


@dataclass(frozen=True, slots=True)
class MappingKey:
    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


@dataclass(frozen=True, slots=True)
class GetAttrKey:
    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


def keystr(kp: Iterable[Any]) -> str:
    """A path as it is written: `['a'][1].x`.

    >>> from retrograd.utils._pytree import keystr, tree_leaves_with_path
    >>> [(path, leaf)] = tree_leaves_with_path({"a": [5]})
    >>> keystr(path)
    "['a'][0]"
    """
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """What lies at a path.

    >>> from retrograd.utils._pytree import key_get, tree_leaves_with_path
    >>> tree = {"a": [5]}
    >>> key_get(tree, tree_leaves_with_path(tree)[0][0])
    5
    """
    for key in kp:
        obj = key.get(obj)
    return obj


# ------------------------------------------------------------------------------ kinds of node


class NodeDef(NamedTuple):
    """How a container is taken apart, into children and a context, and put together."""

    type: Any
    flatten_fn: Callable[[Any], tuple[Iterable[Any], Context]]
    unflatten_fn: Callable[[Iterable[Any], Context], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list, Context]] | None


def _flatten_dict(d: dict) -> tuple[list, Context]:
    return list(d.values()), list(d)


def _flatten_defaultdict(d: defaultdict) -> tuple[list, Context]:
    return list(d.values()), [d.default_factory, list(d)]


def _unflatten_defaultdict(values: Iterable[Any], context: Context) -> defaultdict:
    factory, keys = context
    return defaultdict(factory, zip(keys, values, strict=True))


def _sequence_keys(sequence: Any, context: Context) -> list:
    return [SequenceKey(i) for i in range(len(sequence))]


def _mapping_keys(mapping: Any, context: Context) -> list:
    return [MappingKey(key) for key in mapping]


def _field_keys(value: Any, context: Context) -> list:
    return [GetAttrKey(name) for name in context._fields]


def _builtin(kind: Any, flatten: Callable, unflatten: Callable, keys: Callable) -> NodeDef:
    def flatten_with_keys(value: Any) -> tuple[list, Context]:
        children, context = flatten(value)
        return list(zip(keys(value, context), children, strict=True)), context

    return NodeDef(kind, flatten, unflatten, flatten_with_keys)


SUPPORTED_NODES: dict[Any, NodeDef] = {
    node.type: node
    for node in (
        _builtin(tuple, lambda t: (list(t), None), lambda v, c: tuple(v), _sequence_keys),
        _builtin(list, lambda t: (t, None), lambda v, c: list(v), _sequence_keys),
        _builtin(dict, _flatten_dict, lambda v, c: dict(zip(c, v, strict=True)), _mapping_keys),
        _builtin(
            OrderedDict,
            _flatten_dict,
            lambda v, c: OrderedDict(zip(c, v, strict=True)),
            _mapping_keys,
        ),
        _builtin(defaultdict, _flatten_defaultdict, _unflatten_defaultdict, _mapping_keys),
        _builtin(namedtuple, lambda t: (list(t), type(t)), lambda v, c: c(*v), _field_keys),
        _builtin(deque, lambda d: (list(d), d.maxlen), lambda v, c: deque(v, c), _sequence_keys),
    )
}
BUILTIN_TYPES = frozenset(SUPPORTED_NODES)

# Under these names libraries register subclasses of dict, list and tuple
_, _dict_flatten, _dict_unflatten, _dict_flatten_with_keys = SUPPORTED_NODES[dict]
_, _list_flatten, _list_unflatten, _list_flatten_with_keys = SUPPORTED_NODES[list]
_, _tuple_flatten, _tuple_unflatten, _tuple_flatten_with_keys = SUPPORTED_NODES[tuple]
STANDARD_DICT_TYPES = frozenset({dict, OrderedDict, defaultdict})


def register_pytree_node(
    cls: type,
    flatten_fn: Callable,
    unflatten_fn: Callable,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable | None = None,
    from_dumpable_context: Callable | None = None,
    flatten_with_keys_fn: Callable | None = None,
) -> None:
    """Make a class a container.

    Args:
        cls: the class.
        flatten_fn: instance to `(children, context)`.
        unflatten_fn: `(children, context)` to an instance.
        serialized_type_name: what `treespec_dumps` writes for the class.
        to_dumpable_context, from_dumpable_context: context to what JSON can write, and back.
        flatten_with_keys_fn: instance to `([(key, child), ...], context)`.

    Raises:
        ValueError: the class is registered already, or only one of the conversions is given.

    >>> from retrograd.utils._pytree import register_pytree_node, tree_map
    >>> class Pair:
    ...     def __init__(self, x, y):
    ...         self.x, self.y = x, y
    >>> register_pytree_node(Pair, lambda p: ([p.x, p.y], None), lambda xy, _: Pair(*xy))
    >>> tree_map(lambda n: n + 1, Pair(1, 2)).y
    3
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(
        cls,
        flatten_fn,
        unflatten_fn,
        serialized_type_name=serialized_type_name,
        to_dumpable_context=to_dumpable_context,
        from_dumpable_context=from_dumpable_context,
        flatten_with_keys_fn=flatten_with_keys_fn,
    )


def _private_register_pytree_node(
    cls: type,
    flatten_fn: Callable,
    unflatten_fn: Callable,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable | None = None,
    from_dumpable_context: Callable | None = None,
    flatten_with_keys_fn: Callable | None = None,
) -> None:
    """The same; an earlier registration is overwritten, with a warning."""
    if cls in SUPPORTED_NODES:
        warnings.warn(
            f"{cls} is already registered as pytree node. Overwriting the previous registration.",
            stacklevel=3,
        )
    register_name(cls, serialized_type_name, to_dumpable_context, from_dumpable_context)
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


for _kind in vars(return_types).values():  # the results of max, sort, ... are tuples
    if isinstance(_kind, type):
        register_pytree_node(_kind, lambda t: (list(t), None), lambda v, c, kind=_kind: kind(v))


def _register_pytree_node(
    cls: type,
    flatten_fn: Callable,
    unflatten_fn: Callable,
    to_str_fn: Any = None,
    maybe_from_str_fn: Any = None,
    **options: Any,
) -> None:
    warnings.warn(
        "`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
        "`torch.utils._pytree.register_pytree_node` instead.",
        FutureWarning,
        stacklevel=2,
    )
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Give a class of named tuples the name that `treespec_dumps` writes."""
    register_name(cls, serialized_type_name, None, None)


def register_dataclass(
    cls: type,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Make a dataclass, or a class with these fields, a container; fields of None are no children.

    Raises:
        ValueError: no dataclass, or not all its fields are named.

    >>> from retrograd.utils._pytree import register_dataclass, tree_map
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: float
    ...     y: float
    >>> register_dataclass(Point)
    >>> tree_map(lambda n: n + 1, Point(1, 2))
    Point(x=2, y=3)
    """
    names = _field_names(cls, field_names, drop_field_names or [])

    def flatten(obj: Any) -> tuple[list, Context]:
        there = [name for name in names if getattr(obj, name) is not None]
        return [getattr(obj, name) for name in there], [
            there,
            [name for name in names if name not in there],
        ]

    def flatten_with_keys(obj: Any) -> tuple[list, Context]:
        children, context = flatten(obj)
        return [(GetAttrKey(n), c) for n, c in zip(context[0], children, strict=True)], context

    register_pytree_node(
        cls,
        flatten,
        lambda v, c: cls(**dict(zip(c[0], v, strict=True)), **dict.fromkeys(c[1])),
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=flatten_with_keys,
    )


def _field_names(cls: type, given: list[str] | None, dropped: list[str]) -> list[str]:
    if not is_dataclass(cls):
        if given is None:
            raise ValueError(
                "field_names must be specified with a list of all fields used to initialize "
                f"{cls}, as it is not a dataclass."
            )
        return list(given)
    known = [f.name for f in fields(cls) if f.init and f.name not in dropped]
    names = known if given is None else list(given)
    if set(known) != set(names):
        raise ValueError(
            "field_names does not include all dataclass fields.\n"
            f"Missing fields in `field_names`: {set(known) - set(names)}. Unexpected fields "
            f"in `field_names`: {set(names) - set(known)}. If you do not want to include "
            "fields in the pytree, please add them to `drop_field_names`."
        )
    return names


def _deregister_pytree_node(cls: type) -> None:
    del SUPPORTED_NODES[cls]
    forget_name(cls)


def is_namedtuple_class(cls: type) -> bool:
    """Whether a class is one of named tuples.

    >>> from retrograd.utils._pytree import is_namedtuple_class
    >>> from collections import namedtuple
    >>> is_namedtuple_class(namedtuple("Point", "x y")), is_namedtuple_class(tuple)
    (True, False)
    """
    fields = getattr(cls, "_fields", None)
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and all(type(field) is str for field in fields)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple(obj: Any) -> bool:
    """Whether an object, or a class, is one of named tuples.

    >>> from retrograd.utils._pytree import is_namedtuple
    >>> from collections import namedtuple
    >>> Point = namedtuple("Point", "x y")
    >>> is_namedtuple(Point), is_namedtuple(Point(1, 2))
    (True, True)
    """
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether an object is a named tuple.

    >>> from retrograd.utils._pytree import is_namedtuple_instance
    >>> from collections import namedtuple
    >>> Point = namedtuple("Point", "x y")
    >>> is_namedtuple_instance(Point), is_namedtuple_instance(Point(1, 2))
    (False, True)
    """
    return is_namedtuple_class(type(obj))


def is_structseq_class(cls: type) -> bool:
    """Whether a class is one of the named tuples of torch.return_types.

    >>> import retrograd as torch
    >>> from retrograd.utils._pytree import is_structseq_class
    >>> is_structseq_class(torch.return_types.max)
    True
    """
    counts = ("n_fields", "n_sequence_fields", "n_unnamed_fields")
    return (isinstance(cls, type) and issubclass(cls, tuple)
            and all(isinstance(getattr(cls, count, None), int) for count in counts))


def is_structseq(obj: Any) -> bool:
    """Whether an object, or a class, is one of the named tuples of torch.return_types.

    >>> import retrograd as torch
    >>> from retrograd.utils._pytree import is_structseq
    >>> is_structseq(torch.ones(1, 2).max(dim=1)), is_structseq((1, 2))
    (True, False)
    """
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_instance(obj: Any) -> bool:
    """Whether an object is one of the named tuples of torch.return_types.

    >>> import retrograd as torch
    >>> from retrograd.utils._pytree import is_structseq_instance
    >>> is_structseq_instance(torch.ones(1, 2).max(dim=1))
    True
    """
    return is_structseq_class(type(obj))


def _get_node_type(tree: Any) -> Any:
    kind = type(tree)
    if kind in SUPPORTED_NODES or not issubclass(kind, tuple):
        return kind
    return namedtuple if is_namedtuple_class(kind) else kind
