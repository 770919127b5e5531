"""utils._pytree and utils.hooks: containers taken apart and put together, handles that remove."""

from __future__ import annotations

import enum
import pickle
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass

import pytest

import retrograd as torch
from retrograd.utils import _pytree as pytree
from retrograd.utils.hooks import RemovableHandle

Point = namedtuple("Point", "x y")
TREES = [
    1,
    None,
    [],
    (1, [2, {"b": 3, "a": 4}], ()),
    Point(1, [2]),
    OrderedDict(x=1, y=(2,)),
    defaultdict(list, {"x": [1]}),
    deque([1, 2], maxlen=3),
]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_trees_are_put_together_again(tree):
    leaves, spec = pytree.tree_flatten(tree)
    again = pytree.tree_unflatten(leaves, spec)
    assert again == tree and type(again) is type(tree)
    assert spec.num_leaves == len(leaves) == len(pytree.tree_leaves(tree))
    assert spec == pytree.tree_structure(again) and hash(spec) is not None
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert getattr(again, "maxlen", 3) == 3


def test_specs_print_as_pytorchs():
    assert repr(pytree.tree_structure([1, (2, {"b": 3}), Point(4, 5)])) == (
        "TreeSpec(list, None, [*,\n"
        "  TreeSpec(tuple, None, [*,\n"
        "    TreeSpec(dict, ['b'], [*])]),\n"
        "  TreeSpec(namedtuple, <class 'test_pytree.Point'>, [*,\n"
        "    *])])"
    )


def test_functions_map_over_leaves():
    assert pytree.tree_map(lambda a, b: a + b, [1, {"k": 2}], [10, {"k": 20}]) == [11, {"k": 22}]
    assert pytree.tree_map_only(int, lambda x: -x, [1, "a", True]) == [-1, "a", -1]
    assert pytree.tree_map_only(lambda x: x == 2, str, (1, 2)) == (1, "2")
    seen = []
    assert pytree.tree_map_(seen.append, {"a": 1}) == {"a": 1} and seen == [1]
    assert pytree.tree_all(bool, [1, (2,)]) and not pytree.tree_any(bool, [0, ()])
    assert pytree.tree_leaves([[1], 2], is_leaf=lambda t: t == [1]) == [[1], 2]
    best = torch.max(torch.eye(2), 0)
    assert type(pytree.tree_map(lambda t: t + 1, best)) is type(best)


@pytest.mark.parametrize(
    "tree, other, message",
    [
        ([1, 2], [1], "Node arity mismatch; expected 2, but got 1."),
        ({"a": 1}, {"b": 1}, "Node keys mismatch; missing key(s): {'a'}; extra key(s): {'b'}."),
        ([1], (1,), "Node type mismatch; expected <class 'list'>, but got <class 'tuple'>."),
        ([[1]], [1], "Node type mismatch; expected <class 'list'>, but got <class 'int'>."),
    ],
)
def test_trees_that_do_not_match(tree, other, message):
    with pytest.raises(ValueError) as error:
        pytree.tree_map(lambda a, b: a, tree, other)
    assert str(error.value) == message


def test_paths():
    tree = {"a": [1, Point(2, 3)]}
    paths = [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(tree)]
    assert paths == ["['a'][0]", "['a'][1].x", "['a'][1].y"]
    for path, leaf in pytree.tree_flatten_with_path(tree)[0]:
        assert pytree.key_get(tree, path) == leaf
    named = pytree.tree_map_with_path(lambda path, leaf: pytree.keystr(path), tree)
    assert named["a"][1].y == "['a'][1].y"


def test_own_containers():
    class Box:
        def __init__(self, value):
            self.value = value

    pytree.register_pytree_node(Box, lambda b: ([b.value], None), lambda v, c: Box(*v))
    try:
        assert pytree.tree_map(lambda x: x + 1, [Box(1)])[0].value == 2
        with pytest.raises(ValueError, match="already registered as pytree node"):
            pytree.register_pytree_node(Box, None, None)
        with pytest.raises(ValueError, match="Did not find a flatten_with_keys_fn for type"):
            pytree.tree_leaves_with_path(Box(1))
    finally:
        pytree._deregister_pytree_node(Box)


def test_prefixes_are_spread():
    spec = pytree.tree_structure([1, (2, 3)])
    assert pytree._broadcast_to_and_flatten([0, 5], spec) == [0, 5, 5]
    assert pytree._broadcast_to_and_flatten(7, spec) == [7, 7, 7]
    assert pytree._broadcast_to_and_flatten((0, 5), spec) is None


def test_handles_remove_their_hook_once():
    hooks, more = OrderedDict(), OrderedDict()
    handle = RemovableHandle(hooks, extra_dict=more)
    hooks[handle.id] = more[handle.id] = print
    with handle:
        assert len(hooks) == 1
    assert not hooks and not more
    handle.remove()
    again = pickle.loads(pickle.dumps(handle))
    assert again.id == handle.id


class Colour(enum.Enum):
    RED = 1


@dataclass
class Pair:
    left: object
    right: object = None
    note: str = "n"


WRITTEN = [tree for tree in TREES if not isinstance(tree, Point)]


@pytest.mark.parametrize("tree", [*WRITTEN, {Colour.RED: 1}], ids=repr)
def test_specs_are_written_and_read(tree):
    spec = pytree.tree_structure(tree)
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec


@pytest.mark.live
@pytest.mark.parametrize("tree", WRITTEN, ids=repr)
def test_specs_are_written_as_pytorch_writes_them(tree):
    real = pytest.importorskip("torch.utils._pytree")
    text = pytree.treespec_dumps(pytree.tree_structure(tree))
    assert text == real.treespec_dumps(real.tree_structure(tree))
    assert real.treespec_loads(text) == real.tree_structure(tree)


def test_named_tuples_are_written_once_they_have_a_name():
    Named = namedtuple("Named", "a b")
    spec = pytree.tree_structure(Named(1, (2,)))
    with pytest.raises(NotImplementedError, match="Please register using `_register_namedtuple`"):
        pytree.treespec_dumps(spec)
    pytree._register_namedtuple(Named, serialized_type_name="tests.Named")
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec


def test_dataclasses_become_nodes():
    pytree.register_dataclass(Pair, drop_field_names=["note"], serialized_type_name="tests.Pair")
    try:
        leaves, spec = pytree.tree_flatten([Pair(1, (2, 3)), Pair(4)])
        assert leaves == [1, 2, 3, 4]
        assert pytree.tree_unflatten(leaves, spec) == [Pair(1, (2, 3)), Pair(4)]
        assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
        assert pytree.treespec_pprint(spec) == "[Pair(left=*, right=(*, *), note='n'), " \
                                               "Pair(left=*, right=None, note='n')]"
        paths = [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(Pair(1, [2]))]
        assert paths == [".left", ".right[0]"]
        with pytest.warns(UserWarning, match="Overwriting the previous registration"), \
                pytest.warns(FutureWarning, match="_register_pytree_node` is deprecated"):
            pytree._register_pytree_node(Pair, lambda p: ([p.left], None), lambda v, c: Pair(*v))
    finally:
        pytree._deregister_pytree_node(Pair)
    with pytest.raises(ValueError, match="field_names does not include all dataclass fields"):
        pytree.register_dataclass(Pair, field_names=["left"])


def test_what_cannot_be_written_or_read():
    class Opaque:
        pass

    with pytest.raises(TypeError, match="Expected `treespec` to be an instance of PyTreeSpec"):
        pytree.treespec_dumps("x")
    with pytest.raises(TypeError, match="Unable to serialize context"):
        pytree.treespec_dumps(pytree.tree_structure({Opaque(): 1}))
    with pytest.raises(NotImplementedError, match="Deserializing x.y in pytree is not registered"):
        pytree.treespec_loads('[1, {"type": "x.y", "context": "null", "children_spec": []}]')
    with pytest.raises(ValueError, match="Unknown protocol -1. Available protocols"):
        pytree.treespec_dumps(pytree.tree_structure(1), -1)
    with pytest.raises(ValueError, match="Both to_dumpable_context and from_dumpable_context"):
        pytree.register_pytree_node(Opaque, list, list, to_dumpable_context=str)
    with pytest.raises(ValueError, match="os:system is no Enum"):
        pytree.treespec_loads('[1, {"type": "builtins.dict", "context": "[{\\"__enum__\\": true, '
                              '\\"fqn\\": \\"os:system\\", \\"name\\": \\"x\\"}]", '
                              '"children_spec": [{"type": null, "context": null, '
                              '"children_spec": []}]}]')
