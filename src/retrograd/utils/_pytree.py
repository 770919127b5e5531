"""Trees of containers: take them apart into leaves and a TreeSpec, and put them together again.

Containers are tuples, lists, dicts (OrderedDict, defaultdict), named tuples, deques and what
`register_pytree_node` adds; everything else, None too, is a leaf.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import _pytree_text
from ._pytree_nodes import (  # noqa: F401  programs import them from here
    BUILTIN_TYPES,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    GetAttrKey,
    MappingKey,
    NodeDef,
    SequenceKey,
    _deregister_pytree_node,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    _get_node_type,
    _list_flatten,
    _list_flatten_with_keys,
    _list_unflatten,
    _private_register_pytree_node,
    _register_namedtuple,
    _register_pytree_node,
    _tuple_flatten,
    _tuple_flatten_with_keys,
    _tuple_unflatten,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    key_get,
    keystr,
    register_dataclass,
    register_pytree_node,
)

__all__ = [
    "Context",
    "LeafSpec",
    "PyTree",
    "PyTreeSpec",
    "TreeSpec",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
    "key_get",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dumps",
    "treespec_loads",
    "treespec_pprint",
]

PyTree = Context = Any
IsLeaf = Callable[[Any], bool] | None


# ------------------------------------------------------------------------------ specs


class TreeSpec:
    """The structure of a tree: the type and context of a node, and the specs of its children.

    >>> from retrograd.utils._pytree import tree_structure
    >>> tree_structure([1, {"a": 2}])
    TreeSpec(list, None, [*,
      TreeSpec(dict, ['a'], [*])])
    """

    __slots__ = ("type", "context", "_children", "num_nodes", "num_leaves", "num_children")

    def __init__(self, type: Any, context: Context, children_specs: list[TreeSpec]) -> None:
        self.type = type
        self.context = context
        self._children = children_specs
        self.num_children = len(children_specs)
        if type is None:
            self.num_nodes = self.num_leaves = 1
        else:
            self.num_nodes = 1 + sum(child.num_nodes for child in children_specs)
            self.num_leaves = sum(child.num_leaves for child in children_specs)

    def __repr__(self, indent: int = 0) -> str:
        if self.is_leaf():
            return "*"
        indent += 2
        children = (",\n" + " " * indent).join(c.__repr__(indent) for c in self._children)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{children}])"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (
            self.type is other.type
            and self.context == other.context
            and self._children == other._children
        )

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves, tuple(self._children)))

    def __reduce__(self) -> tuple:
        return TreeSpec, (self.type, self.context, self._children)

    @property
    def _context(self) -> Context:
        return self.context

    @property
    def children_specs(self) -> list[TreeSpec]:
        return self._children

    def is_leaf(self) -> bool:
        return self.type is None

    def children(self) -> list[TreeSpec]:
        return self._children.copy()

    def child(self, index: int) -> TreeSpec:
        return self._children[index]

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """The subtrees of `tree` where this spec has its leaves.

        Raises:
            ValueError: the tree does not begin with this structure.
        """
        if self.is_leaf():
            return [tree]
        subtrees = []
        for child, spec in zip(self._children_of(tree), self._children, strict=True):
            subtrees += spec.flatten_up_to(child)
        return subtrees

    def _children_of(self, node: Any) -> Iterable[Any]:
        kind = _get_node_type(node)
        both_dicts = kind in STANDARD_DICT_TYPES and self.type in STANDARD_DICT_TYPES
        if kind != self.type and not both_dicts:
            what = "Node type" if self.type in BUILTIN_TYPES else "Type"
            raise ValueError(f"{what} mismatch; expected {self.type!r}, but got {kind!r}.")
        children, context = SUPPORTED_NODES[kind].flatten_fn(node)
        children = list(children)
        if len(children) != self.num_children:
            raise ValueError(
                f"Node arity mismatch; expected {self.num_children}, but got {len(children)}."
            )
        if both_dicts:
            return self._values_of(node)
        if kind is not deque and context != self.context:
            if self.type not in BUILTIN_TYPES:
                raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
            raise ValueError(
                f"Node context mismatch for node type {self.type!r}; "
                f"expected {self.context!r}, but got {context!r}."
            )
        return children

    def _values_of(self, mapping: Any) -> list[Any]:
        keys = self.context[1] if self.type is defaultdict else self.context
        missing, extra = set(keys) - set(mapping), set(mapping) - set(keys)
        if missing or extra:
            message = f"; missing key(s): {missing}" if missing else ""
            message += f"; extra key(s): {extra}" if extra else ""
            raise ValueError(f"Node keys mismatch{message}.")
        return [mapping[key] for key in keys]

    def unflatten(self, leaves: Iterable[Any]) -> PyTree:
        """The tree of this structure with the given leaves."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec "
                f"refers to a pytree that holds {self.num_leaves} items ({self})."
            )
        return self._built(iter(leaves))

    def _built(self, leaves: Iterator[Any]) -> PyTree:
        if self.type is None:
            return next(leaves)
        children = [child._built(leaves) for child in self._children]
        return SUPPORTED_NODES[self.type].unflatten_fn(children, self.context)


PyTreeSpec = TreeSpec


class LeafSpec(TreeSpec):
    """The spec of a leaf.

    >>> from retrograd.utils._pytree import LeafSpec, tree_structure
    >>> tree_structure(5) == LeafSpec()
    True
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, [])

    def __reduce__(self) -> tuple:
        return LeafSpec, ()


_LEAF_SPEC = LeafSpec()


def treespec_leaf() -> LeafSpec:
    return _LEAF_SPEC


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping: Any = (), /, **kwargs: TreeSpec) -> TreeSpec:
    specs = dict(mapping, **kwargs)
    return TreeSpec(dict, list(specs), list(specs.values()))


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A spec as text; `treespec_loads` reads it.

    Raises:
        TypeError: not a spec, or a context that JSON cannot write.
        NotImplementedError: a kind of node without a name.

    >>> from retrograd.utils._pytree import tree_structure, treespec_dumps, treespec_loads
    >>> spec = tree_structure([1, (2, 3)])
    >>> treespec_loads(treespec_dumps(spec)) == spec
    True
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"Expected `treespec` to be an instance of PyTreeSpec but got item of type "
            f"{type(treespec)}."
        )
    return _pytree_text.dumps(treespec, protocol)


def treespec_loads(serialized: str) -> TreeSpec:
    """The spec in a text of `treespec_dumps`, of PyTorch's too.

    >>> from retrograd.utils._pytree import tree_structure, treespec_dumps, treespec_loads
    >>> treespec_loads(treespec_dumps(tree_structure([1, 2])))
    TreeSpec(list, None, [*,
      *])
    """
    return _pytree_text.loads(serialized, TreeSpec, _LEAF_SPEC)


class _Star:
    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """The structure as it would print, with `*` for the leaves.

    >>> from retrograd.utils._pytree import tree_structure, treespec_pprint
    >>> treespec_pprint(tree_structure({"a": (1, 2), "b": 3}))
    "{'a': (*, *), 'b': *}"
    """
    return repr(tree_unflatten([_Star()] * treespec.num_leaves, treespec))


# ------------------------------------------------------------------------------ functions


def tree_is_leaf(tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Whether a value is a leaf, also by a predicate that makes leaves of containers.

    >>> from retrograd.utils._pytree import tree_is_leaf
    >>> tree_is_leaf(5), tree_is_leaf([5]), tree_is_leaf([5], is_leaf=lambda x: len(x) == 1)
    (True, False, True)
    """
    if is_leaf is not None and is_leaf(tree):
        return True
    return _get_node_type(tree) not in SUPPORTED_NODES


def tree_flatten(tree: PyTree, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree, and its structure.

    >>> from retrograd.utils._pytree import tree_flatten
    >>> tree_flatten({"a": (1, 2), "b": 3})[0]
    [1, 2, 3]
    """
    leaves: list[Any] = []
    return leaves, _flattened(tree, is_leaf, leaves)


def _flattened(node: PyTree, is_leaf: IsLeaf, leaves: list[Any]) -> TreeSpec:
    """The structure of a tree, whose leaves are added to `leaves`."""
    # Not a closure: one that calls itself is a cycle, and would keep the leaves alive.
    kind = _get_node_type(node)
    if kind not in SUPPORTED_NODES or is_leaf is not None and is_leaf(node):
        leaves.append(node)
        return _LEAF_SPEC
    children, context = SUPPORTED_NODES[kind].flatten_fn(node)
    return TreeSpec(kind, context, [_flattened(child, is_leaf, leaves) for child in children])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """The tree of a structure with the given leaves.

    >>> from retrograd.utils._pytree import tree_flatten, tree_unflatten
    >>> leaves, spec = tree_flatten({"a": (1, 2), "b": 3})
    >>> tree_unflatten([10 * leaf for leaf in leaves], spec)
    {'a': (10, 20), 'b': 30}
    """
    if not isinstance(treespec, TreeSpec):
        if not isinstance(leaves, TreeSpec):
            raise TypeError(
                "Expected `treespec` to be an instance of PyTreeSpec but got item of type "
                f"{type(treespec)}."
            )
        leaves, treespec = treespec, leaves
    return treespec.unflatten(leaves)


def tree_iter(tree: PyTree, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """The leaves, one by one.

    >>> from retrograd.utils._pytree import tree_iter
    >>> sum(tree_iter([1, (2, {"a": 3})]))
    6
    """
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for child in SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree: PyTree, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves.

    >>> from retrograd.utils._pytree import tree_leaves
    >>> tree_leaves([1, (2, None)])
    [1, 2, None]
    """
    return list(tree_iter(tree, is_leaf))


def tree_structure(tree: PyTree, is_leaf: IsLeaf = None) -> TreeSpec:
    """The structure.

    >>> from retrograd.utils._pytree import tree_structure
    >>> tree_structure([1, 2]) == tree_structure([3, 4])
    True
    """
    return tree_flatten(tree, is_leaf)[1]


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """The leaves of all arguments."""
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_iter(tree)]


def tree_map(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """The tree with a function applied to each leaf, and to the subtrees of `rests` there.

    >>> from retrograd.utils._pytree import tree_map
    >>> tree_map(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves, *(spec.flatten_up_to(rest) for rest in rests)]
    return spec.unflatten(map(func, *columns))


def tree_map_(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Call a function on each leaf; return the tree itself.

    >>> from retrograd.utils._pytree import tree_map_
    >>> boxes = {"a": [1], "b": [2]}
    >>> tree_map_(print, boxes) is boxes
    1
    2
    True
    """
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def _matcher(types: Any) -> Callable[[Any], Any]:
    if isinstance(types, (type, tuple)) or hasattr(types, "__args__"):
        return lambda x: isinstance(x, types)
    if callable(types):
        return types
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def map_only(types: Any, /) -> Callable:
    """Decorates a function so that it leaves values of other types as they are."""
    matches = _matcher(types)
    return lambda func: lambda x: func(x) if matches(x) else x


def tree_map_only(
    types: Any, /, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """`tree_map` on the leaves of some types, or that satisfy a predicate.

    >>> from retrograd.utils._pytree import tree_map_only
    >>> tree_map_only(int, lambda n: n + 1, [1, "a", (2.0, 3)])
    [2, 'a', (2.0, 4)]
    """
    return tree_map(map_only(types)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    types: Any, /, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """`tree_map_` on the leaves of some types, or that satisfy a predicate.

    >>> from retrograd.utils._pytree import tree_map_only_
    >>> tree_map_only_(str, print, [1, "a"])
    a
    [1, 'a']
    """
    return tree_map_(map_only(types)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Whether a predicate holds for all leaves.

    >>> from retrograd.utils._pytree import tree_all
    >>> tree_all(lambda n: n > 0, [1, (2, -3)])
    False
    """
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Whether a predicate holds for a leaf.

    >>> from retrograd.utils._pytree import tree_any
    >>> tree_any(lambda n: n < 0, [1, (2, -3)])
    True
    """
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(
    types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    """Whether a predicate holds for all leaves of some types.

    >>> from retrograd.utils._pytree import tree_all_only
    >>> tree_all_only(int, lambda n: n > 0, [1, "a"])
    True
    """
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, types))


def tree_any_only(
    types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    """Whether a predicate holds for a leaf of some types.

    >>> from retrograd.utils._pytree import tree_any_only
    >>> tree_any_only(int, lambda n: n < 0, [1, "a"])
    False
    """
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, types))


def _broadcast_to_and_flatten(
    tree: PyTree, treespec: TreeSpec, is_leaf: IsLeaf = None
) -> list[Any] | None:
    """The leaves of a tree that begins as `treespec` does, each repeated for what it stands for.

    None where the tree does not begin like that.
    """
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    kind = _get_node_type(tree)
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    children = list(children)
    if (kind, context, len(children)) != (treespec.type, treespec.context, treespec.num_children):
        return None
    leaves: list[Any] = []
    for child, spec in zip(children, treespec._children, strict=True):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        leaves += part
    return leaves


# ------------------------------------------------------------------------------ paths


def tree_leaves_with_path(tree: PyTree, is_leaf: IsLeaf = None) -> list[tuple[tuple, Any]]:
    """The leaves, each after the tuple of keys that leads to it.

    >>> from retrograd.utils._pytree import tree_leaves_with_path
    >>> [(str(path[0]), leaf) for path, leaf in tree_leaves_with_path({"a": 1, "b": 2})]
    [("['a']", 1), ("['b']", 2)]
    """
    return list(_with_path((), tree, is_leaf))


def tree_flatten_with_path(
    tree: PyTree, is_leaf: IsLeaf = None
) -> tuple[list[tuple[tuple, Any]], TreeSpec]:
    """The leaves with their paths, and the structure.

    >>> from retrograd.utils._pytree import tree_flatten_with_path
    >>> leaves, spec = tree_flatten_with_path([5])
    >>> leaves
    [((SequenceKey(idx=0),), 5)]
    """
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """`tree_map`, with the path as the function's first argument.

    >>> from retrograd.utils._pytree import keystr, tree_map_with_path
    >>> tree_map_with_path(lambda path, leaf: keystr(path), {"a": [1, 2]})
    {'a': ["['a'][0]", "['a'][1]"]}
    """
    paths = [path for path, _ in tree_leaves_with_path(tree, is_leaf)]
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [paths, leaves, *(spec.flatten_up_to(rest) for rest in rests)]
    return spec.unflatten(map(func, *columns))


def _with_path(path: tuple, tree: PyTree, is_leaf: IsLeaf) -> Iterator[tuple[tuple, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    kind = _get_node_type(tree)
    flatten_with_keys = SUPPORTED_NODES[kind].flatten_with_keys_fn
    if flatten_with_keys is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. "
            "Please pass a flatten_with_keys_fn argument to register_pytree_node."
        )
    for key, child in flatten_with_keys(tree)[0]:
        yield from _with_path((*path, key), child, is_leaf)
