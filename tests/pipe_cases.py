"""Expressions of data pipes, for both libraries."""

from __future__ import annotations

import warnings
from functools import partial  # noqa: F401  (for the expressions)

EXPRESSIONS = (
    "list(W(range(5)))", "len(W(range(5)))", "list(W(range(5)).map(double))",
    "list(W([(1, 2), (3, 4)]).map(double, input_col=1))",
    "list(W([(1, 2), (3, 4)]).map(add, input_col=(0, 1)))",
    "list(W([(1, 2), (3, 4)]).map(add, input_col=[0, 1], output_col=-1))",
    "list(W([[1, 2], [3, 4]]).map(double, input_col=0, output_col=1))",
    "list(W([{'a': 1, 'b': 2}]).map(double, input_col='a', output_col='c'))",
    "W([1]).map(double, output_col=1)", "W([1]).map(double, input_col=0, output_col=[1, 2])",
    "list(W(range(6)).filter(odd))", "list(W([(1, 2), (2, 3)]).filter(odd, input_col=0))",
    "list(W(range(5)).batch(2))", "len(W(range(5)).batch(2))",
    "list(W(range(5)).batch(2, drop_last=True))", "len(W(range(5)).batch(2, drop_last=True))",
    "W([1]).batch(0)", "str(list(W(range(3)).batch(2))[0])",
    "list(W([[1, [2]], [3]]).unbatch())", "list(W([[1, [2]], [3]]).unbatch(-1))",
    "list(W([[1], [2]]).unbatch(2))", "list(W([1]).unbatch(-2))",
    "list(W(range(7)).groupby(mod3))", "list(W(range(7)).groupby(mod3, group_size=2))",
    "list(W(range(7)).groupby(mod3, buffer_size=4, group_size=3, guaranteed_group_size=1))",
    "list(W(range(7)).groupby(mod3, buffer_size=4, group_size=4, drop_remaining=True))",
    "W([1]).groupby(mod3, group_size=0)",
    "list(W(range(10)).shuffle())", "list(W(range(10)).shuffle(buffer_size=3))",
    "list(W(range(10)).shuffle().set_seed(3))", "list(W(range(5)).shuffle().set_shuffle(False))",
    "list(W([[1, 2], [3]]).shuffle(unbatch_level=1).set_seed(1))", "W([1]).shuffle(buffer_size=0)",
    "[list(p) for p in [W(range(4)).shuffle()] * 2]",
    "list(W(range(3)).concat(W(range(2))))", "len(W(range(3)).concat(W(range(2))))",
    "it.Concater()", "it.Concater(1)", "it.Zipper(W([1]), 2)", "list(W('ab').zip(W(range(3))))",
    "len(W('ab').zip(W(range(3))))", "list(W(range(3)).mux(W('ab')))",
    "len(W(range(3)).mux(W('ab')))",
    "[list(p) for p in W(range(4)).fork(2)]", "len(W(range(4)).fork(2)[0])",
    "list(zip(*W(range(4)).fork(3)))", "W([1]).fork(0)", "W([1]).fork(2, copy='x')",
    "[list(p) for p in W(range(4)).fork(2, buffer_size=2)]",
    "[list(p) for p in W(range(6)).demux(3, mod3)]", "W([1]).demux(0, mod3)",
    "[list(p) for p in W(range(6)).demux(2, mod3)]", "len(W(range(6)).demux(3, mod3)[0])",
    "[list(p) for p in W(range(6)).demux(2, none3, drop_none=True)]",
    "list(it.Sampler(W(range(3))))", "[b.tolist() for b in W(range(4)).batch(2).collate()]",
    "list(sharded(W(range(7)).sharding_filter(), 3, 1))",
    "len(sharded(W(range(7)).sharding_filter(), 3, 1))",
    "sharded(W(range(7)).sharding_filter(), 3, 3)",
    "sharded(W(range(7)).sharding_filter().map(double).sharding_filter(), 2, 0)",
    "W([1]).nothing()", "repr(W([1]).map(double))", "len(W(iter([1])))",
    "len(W(range(6)).filter(odd))", "[next(i) for i in two(W(range(3)))]",
    "M([1, 2, 3])[1]", "M({'a': 1})['a']", "list(M(range(3)).map(double))",
    "list(M(range(5)).batch(2))", "M(range(5)).batch(2)[2]", "M(range(5)).batch(2)[3]",
    "len(M(range(5)).batch(2, drop_last=True))", "list(M(range(2)).concat(M(range(3))))",
    "M([1]).concat(M([2]))[2]", "list(M('ab').zip(M(range(3))))", "list(M(range(6)).shuffle())",
    "list(M(range(6)).shuffle().set_seed(5))", "list(M([1, 2]).shuffle(indices=[1]))",
    "list(data.DataLoader(W(range(5)).batch(2), batch_size=None))",
    "[b.tolist() for b in data.DataLoader(W(range(6)).shuffle(), batch_size=4)]",
    "[b.tolist() for b in data.DataLoader(W(range(6)).shuffle(), batch_size=4, shuffle=False)]",
    "[b.tolist() for b in data.DataLoader(M(range(6)), batch_size=4, shuffle=True)]",
    "[[b.tolist() for b in L] for L in [data.DataLoader(W(range(6)).shuffle(), 3)] * 2]",
    "[b.tolist() for b in data.DataLoader(W(range(9)).shuffle().sharding_filter(), 2, "
    "num_workers=2)]",
    "[[b.tolist() for b in L] for L in [data.DataLoader(W(range(8)).shuffle().sharding_filter(), "
    "2, num_workers=2, persistent_workers=True)] * 2]",
    "str(data.DataChunk([1, 'a']).as_str('  '))", "seed_of(W([1]).shuffle())",
    "W([1]).map(add)", "W([1]).filter(add, input_col=0)", "W([1]).map(add, input_col=[0, 1, 2])",
    "W([1]).map(by_name)", "list(W([3]).map(by_default))",
    "list(W([(1, 2)]).map(max, input_col=[0, 1]))", "W([1]).map(partial(by_name, a=1))",
    "[list(p) for p in W(range(5)).fork(2, buffer_size=5)]",
    "[list(p) for p in W(range(6)).fork(2, buffer_size=5)]",
    "list(zip(*W(range(6)).fork(2, buffer_size=1)))",
    "[list(p) for p in W(range(6)).demux(2, parity, buffer_size=3)]",
    "[list(p) for p in W(range(6)).demux(2, parity, buffer_size=2)]",
    "warned(lambda: W([1]).fork(2, buffer_size=-1))",
    "warned(lambda: W([1]).demux(2, parity, buffer_size=-1))",
    "(p := W(range(3)).fork(2), i := [iter(p[0]), iter(p[1])], warned(lambda: iter(p[0])))[2]",
    "(p := W(range(3)).fork(2), i := [iter(p[0]), iter(p[1])], iter(p[0]), next(i[1]))",
    "(p := W(range(3)).fork(2), list(p[0]), warned(lambda: list(p[0])))[2]",
    "(p := W(range(3)).fork(2), list(zip(*p)), warned(lambda: list(p[0])))[2]",
    "tree(W(range(3)).map(double).batch(2))", "tree(W(range(3)).zip(W('ab'), W('cd').batch(2)))",
    "tree(M(range(3)).map(double).shuffle())", "tree(3)",
    "len(settings.get_all_graph_pipes(graph(W(range(3)).map(double).batch(2))))",
)


def double(x):
    return x * 2


def add(a, b):
    return a + b


def odd(x):
    return x % 2 == 1


def mod3(x):
    return x % 3


def parity(x):
    return x % 2


def by_name(*, a):
    return a


def by_default(a, b=2, *, c=3):
    return a + b + c


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in caught]


def none3(x):
    return None if x % 3 == 2 else x % 3


def two(pipe):
    """Two iterators of one pipe: the first one goes no further."""
    return [iter(pipe), iter(pipe)]


def pipe_run(torch, data, it, map_, settings, code):
    def seed_of(pipe):
        settings.apply_random_seed(pipe, torch.Generator().manual_seed(1))
        return pipe._seed

    def tree(pipe):
        def named(graph):
            return {repr(pipe): named(below) for pipe, below in graph.values()}
        return named(data.graph.traverse_dps(pipe))

    names = {**globals(), "tree": tree, "graph": data.graph.traverse_dps, "settings": settings,
             "W": it.IterableWrapper, "M": map_.SequenceWrapper, "it": it,
             "data": data, "sharded": settings.apply_sharding, "seed_of": seed_of}
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(code, names))
        except Exception as error:
            return [type(error).__name__, str(error).split("\n")[0]]


def run(torch, code):
    from importlib import import_module
    name = f"{torch.__name__}.utils.data"
    parts = [import_module(name + part) for part in
             ("", ".datapipes.iter", ".datapipes.map", ".graph_settings", ".graph")][:4]
    return pipe_run(torch, *parts, code)
