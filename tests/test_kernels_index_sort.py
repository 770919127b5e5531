"""Indexing, sorting and scanning kernels give what PyTorch recorded, errors included."""

import itertools
import json
import re
import tracemalloc
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import kernel_cases
import retrograd as torch
from retrograd.kernels import counting, gather_scatter, indexing, masks, order, scan, slices

DATA = Path(__file__).parent / "data"


def namespace():
    """The kernels, and the few array makers the cases use, as one object."""
    names = {}
    for module in (order, counting, scan, gather_scatter, slices, masks, indexing):
        names |= vars(module)
    names |= {name: public_order(names[name]) for name in TENSORS_FIRST}
    return types.SimpleNamespace(**names | {"zeros": np.zeros, "int64": np.int64})


TENSORS_FIRST = (
    "gather", "scatter", "scatter_add", "scatter_reduce", "index_select", "index_add",
    "index_copy", "index_fill", "index_reduce",
)


def public_order(kernel):
    """The kernel, which takes dim after its arrays, with the order of PyTorch's function."""

    def call(self, dim, *args, **kwargs):
        first = kernel.__code__.co_varnames.index("dim") - 1
        return kernel(self, *args[:first], dim, *args[first:], **kwargs)

    return call


class Indexed:
    """x[...] as the operators do it: view steps, then index arrays."""

    def __init__(self, array):
        self.array = array

    def __getitem__(self, key):
        steps, indices = indexing.plan(key, self.array.shape)
        view = self.array
        for name, *where in steps:
            view = STEPS[name](view, *where)
        return view if indices is None else indexing.index(view, indices)


STEPS = {
    "select": lambda a, dim, i: a[(slice(None),) * dim + (i, ...)],
    "slice": lambda a, dim, *bounds: a[(slice(None),) * dim + (slice(*bounds),)],
    "unsqueeze": lambda a, dim: np.expand_dims(a, dim),
    "alias": lambda a: a,
}


def cases():
    for family in ("index", "getitem", "sort", "scan"):
        recorded = json.loads((DATA / f"kernels_{family}.json").read_text())
        for expression, expected in recorded.items():
            yield pytest.param(family, expression, expected, id=f"{family}-{expression}")


def names_for(family):
    arrays = kernel_cases.inputs()
    names = dict(arrays) | {"K": namespace(), "nan": kernel_cases.nan}
    if family == "getitem":
        names |= {k: Indexed(arrays[k]) for k in "xtesn"}
        names |= {"i": arrays["i"], "b": arrays["b"]}
    return names


def run(expression, names):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(expression, names)


@pytest.mark.parametrize(("family", "expression", "expected"), list(cases()))
def test_recorded(family, expression, expected):
    names = names_for(family)
    if isinstance(expected, dict) and "error" in expected:
        kind, message = expected["error"]
        with pytest.raises(Exception) as caught:
            run(expression, names)
        assert (type(caught.value).__name__, str(caught.value)) == (kind, message)
    else:
        check(run(expression, names), expected)


def check(got, expected):
    if isinstance(expected, list):
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            check(g, e)
        return
    data = np.array(expected["data"], float)
    if expected["dtype"].startswith("complex"):
        data = data.reshape(-1, 2) @ [1, 1j]
    assert isinstance(got, np.ndarray)
    assert (got.dtype.name, list(got.shape)) == (expected["dtype"], expected["shape"])
    wide = expected["dtype"] in ("float64", "complex128")
    tolerance = 1e-13 if wide else 3e-7
    np.testing.assert_allclose(
        got.reshape(-1).astype(data.dtype), data, rtol=tolerance, atol=tolerance
    )


def test_a_mask_changed_since_an_indexed_write_is_named():
    x = torch.zeros(3, requires_grad=True).clone()
    mask = torch.tensor([True, False, True])
    x[mask] = torch.ones(2)
    mask.logical_not_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation: .*Bool"):
        x.sum().backward()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", [(1, 600), (30, 40), (600, 16)])
def test_float32_sorted_by_integers_keeps_equal_elements_in_order(shape, descending):
    rng = np.random.default_rng(0)
    a = rng.integers(-3, 4, shape).astype(np.float32) * np.float32(0.5)
    a[rng.random(shape) < 0.2] = -0.0
    a[0, :4] = np.inf, -np.inf, 1e-45, -1e38
    places = np.argsort(-a if descending else a, -1, kind="stable")
    np.testing.assert_array_equal(order._order_by_integers(a, descending), places)
    for t in (a, np.where(a > 0.9, np.float32(np.nan), a)):      # nan last, or first
        _, wide = order.sort(t.astype(np.float64), -1, descending)
        np.testing.assert_array_equal(order.sort(t, -1, descending)[1], wide)


def test_counts_of_bins_leave_out_what_lies_outside():
    x = np.array([[0.0, 0.3, 0.999, 1, 1.5, -0.1, np.nan, np.inf, -1e30]], np.float32)
    x = np.concatenate([x, np.roll(x, 3) / 2])
    expected = np.stack([np.histogram(row[np.isfinite(row)], 5, (0, 1))[0] for row in x])
    np.testing.assert_array_equal(counting.histc_rows(x, 5, 0, 1), expected)


@pytest.mark.parametrize("ends", [(-1, 2), (0.1, 0.7), (3, 3)])
def test_equal_bins_are_found_by_a_quotient(ends):
    rng = np.random.default_rng(0)
    edges = np.linspace(*ends, 38).astype(np.float32)
    x = np.concatenate([edges, np.nextafter(edges, 9), np.nextafter(edges, -9),
                        rng.uniform(-2, 4, 500).astype(np.float32)])
    weight = rng.integers(1, 9, x.size).astype(np.float32)
    counts, ours = counting.histogram(x, 37, ends if ends[0] < ends[1] else None, weight)
    np.testing.assert_array_equal(counts, counting.histogram(x, ours, None, weight)[0])


@pytest.mark.parametrize("value, words", [
    (2**63 - 1, "maximum value of input overflowed, it should be < 9223372036854775807 but got "),
    (2**62, r"Storage size calculation overflowed with sizes=\[4611686018427387905\]")])
@pytest.mark.parametrize("weights", [None, torch.ones(2)])
def test_values_too_large_to_be_counted(value, words, weights):
    """np.bincount writes beyond its memory for the first of them."""
    with pytest.raises(RuntimeError, match=words):
        torch.bincount(torch.tensor([1, value]), weights)


def test_runs_without_what_is_not_asked_for():
    x = np.array([3, 3, 1, 1, 1, 2, 3])
    values, inverse, counts = order.unique_consecutive(x)
    for wanted in ((False, False), (True, False), (False, True)):
        found = order.unique_consecutive(x, None, *wanted)
        np.testing.assert_array_equal(found[0], values)
        np.testing.assert_array_equal(found[1], inverse if wanted[0] else [])
        np.testing.assert_array_equal(found[2], counts if wanted[1] else [])


def test_added_booleans_are_true_where_any_is():
    out, index = np.array([[True, False, False]] * 2), np.array([[0, 1, 1], [2, 2, 2]])
    src = np.array([[False, True, False], [False, False, True]])
    expected = out.copy()
    np.logical_or.at(expected, (np.arange(2)[:, None], index), src)
    np.testing.assert_array_equal(gather_scatter.scatter_add(out, index, src, 1), expected)


ROW = torch.tensor([[0, 3, 1, 1]])
UPDATES = {
    "scatter": lambda write, y: write(0, ROW, y),
    "scatter: a number": lambda write, y: write(0, ROW, 7),
    "scatter: factors": lambda write, y: write(0, ROW, y, reduce="multiply"),
    "scatter_add": lambda write, y: write(0, ROW, y),
    "scatter_add: rows": lambda write, y: write(0, ROW[:, :1].expand(1, 4), y),
    "scatter_reduce": lambda write, y: write(0, ROW, y, "amax", include_self=False),
    "index_add": lambda write, y: write(0, ROW[0, 1:2], y, alpha=2),
    "index_copy": lambda write, y: write(0, ROW[0, 1:2], y),
    "index_reduce": lambda write, y: write(0, ROW[0, 1:2], y, "prod"),
    "index_fill": lambda write, y: write(0, ROW[0, 1:2], 7),
    "index_put": lambda write, y: write((ROW[0, 1:2],), y),
    "index_put: add": lambda write, y: write((ROW[0, 1:2],), y, accumulate=True),
    "put": lambda write, y: write(ROW, y),
    "put: add": lambda write, y: write(ROW, y, accumulate=True),
}


@pytest.mark.filterwarnings("ignore:index_reduce", "ignore:The reduce argument of torch.scatter")
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64"])
@pytest.mark.parametrize("name", UPDATES)
def test_a_write_to_few_places_copies_nothing(name, dtype):
    """It writes, in any layout, what the operator that makes a copy gives."""
    dtype, method, call = getattr(torch, dtype), name.partition(":")[0], UPDATES[name]
    y = torch.tensor([[2, 5, 3, 4]]).to(dtype)
    start = torch.arange(1, 49).reshape(12, 4).to(dtype)
    expected = call(getattr(start, method), y)
    assert not torch.equal(expected, start)
    for x in (start.clone(), start.T.clone().T, torch.stack([start, start], 2)[..., 0],
              start.repeat(1, 2)[:, :4]):
        call(getattr(x, method + "_"), y)
        assert torch.equal(x, expected)
    large = torch.zeros(1 << 18, 4, dtype=dtype)
    call(getattr(large, method + "_"), y)               # what is kept for later calls is made
    tracemalloc.start()
    try:
        call(getattr(large, method + "_"), y)
        assert tracemalloc.get_traced_memory()[1] < large.nbytes // 4
    finally:
        tracemalloc.stop()


UNFITTING = [        # shapes of self, index and source, and what PyTorch says
    ((2,), (1,), (), "source tensor shape must match self tensor shape, excluding the specified "
                     "dimension. Got self.shape = [2] source.shape = []"),
    ((), (1,), (1,), "source tensor shape must match self tensor shape, excluding the specified "
                     "dimension. Got self.shape = [] source.shape = [1]"),
    ((2,), (), (1, 1), "source tensor shape must match self tensor shape, excluding the specified "
                       "dimension. Got self.shape = [2] source.shape = [1, 1]"),
    ((2,), (1,), (2,), "(): Number of indices (1) should be equal to source.size(dim): (2), "
                       "for dim: 0"),
    ((2, 3), (2,), (2, 1), "source tensor shape must match self tensor shape, excluding the "
                           "specified dimension. Got self.shape = [2, 3] source.shape = [2, 1]"),
]


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("name", ["index_add", "index_reduce"])
@pytest.mark.parametrize("shape, index, source, words", UNFITTING)
def test_slices_that_do_not_fit_are_refused(name, shape, index, source, words):
    x, more = torch.ones(shape), ("prod",) * (name == "index_reduce")
    index = torch.zeros(index, dtype=torch.int64)
    if words.startswith("("):
        words = f"{name}_{words}"
    for write in (getattr(x, name), getattr(x, name + "_")):
        with pytest.raises(RuntimeError, match=f"^{re.escape(words)}"):
            write(0, index, torch.full(source, 3.0), *more)
    assert x.eq(1).all()


INDICES = {
    "rows and columns": lambda row, mask: (row, slice(None, 2)),
    "a number, then columns": lambda row, mask: (torch.tensor(-1), slice(1, None, 2)),
    "behind dots": lambda row, mask: (..., row, None),
    "between": lambda row, mask: (0, row, slice(None), None),
    "apart": lambda row, mask: (row, slice(None), row),
    "a mask of two": lambda row, mask: (mask, None, slice(-1, None)),
    "new ones": lambda row, mask: (None, slice(None), ..., None, 1),
    "all": lambda row, mask: (slice(None), ...),
}


def general(item):
    """The item as one that only the general way through indexing knows."""
    if isinstance(item, torch.Tensor):
        return np.array(item.tolist()) if item.ndim else np.array(item.item())
    return item


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("name", INDICES)
def test_common_indices_are_read_as_any_other(name, recorded):
    x = torch.arange(75.0).reshape(3, 5, 5)[:, 1:4, ::2].requires_grad_(recorded)
    index = INDICES[name](torch.tensor([0, 2, 1]), torch.arange(9).reshape(3, 3) % 4 == 0)
    for base in (x, x.permute(2, 1, 0), x.clone()):
        found, expected = base[index], base[tuple(map(general, index))]
        assert torch.equal(found, expected)
        assert found.stride() == expected.stride()
        assert found._is_view() is expected._is_view()
        assert type(found.grad_fn) is type(expected.grad_fn)
        if recorded:
            grads = [torch.autograd.grad((y * y).sum(), x)[0] for y in (found, expected)]
            assert torch.equal(*grads)


@pytest.mark.parametrize("index", [
    (0, 0, 0), (3,), (slice(None), 4), (torch.tensor([0]), slice(None), 0), (None, 3),
    (torch.tensor(3), 0), (..., ..., ..., 0), (torch.tensor([5]), slice(None, 2))], ids=str)
def test_an_index_that_does_not_fit(index):
    for x in (torch.zeros(3, 4), torch.zeros(3, 4, requires_grad=True)):
        with pytest.raises(IndexError) as common:
            x[index]
        with pytest.raises(IndexError) as other:
            x[tuple(map(general, index))]
        assert str(common.value) == str(other.value)


def test_a_few_rows_of_what_is_turned_or_cut_are_read_alone():
    whole = torch.arange(1 << 18).reshape(-1, 4)
    rows = torch.tensor([7, 0, -1])
    cut, turned = whole[:, 1:3], whole.T
    assert torch.equal(cut[rows], whole[rows][:, 1:3])
    assert torch.equal(turned[:, rows], whole[rows].T)
    assert turned[:, rows].is_contiguous()
    tracemalloc.start()
    try:
        cut[rows], turned[:, rows], cut[:, 0][rows]
        assert tracemalloc.get_traced_memory()[1] < 20_000
    finally:
        tracemalloc.stop()


def test_a_refused_write_changes_nothing():
    x = torch.zeros(3, 2)
    for change in (lambda: x.index_add_(0, torch.tensor([0, 3]), torch.ones(2, 2)),
                   lambda: x.index_copy_(0, torch.tensor([0, 3]), torch.ones(2, 2)),
                   lambda: x.scatter_(0, torch.tensor([[0, 3]]), torch.ones(1, 2)),
                   lambda: x.scatter_reduce_(0, torch.tensor([[0, 3]]), torch.ones(1, 2), "amax"),
                   lambda: x.put_(torch.tensor([0, 9]), torch.ones(2))):
        with pytest.raises((IndexError, RuntimeError)):
            change()
        assert not x.any()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_the_largest_alone_is_the_first_of_two(dtype):
    rows = np.array([[1, 3, 3, 2], [-5, -5, -7, -5], [0, 4, 4, 4]]).astype(dtype)
    if dtype != "int64":
        hard = np.array([[1, np.nan, np.inf, np.nan], [-0.0, 0, -0.0, 0]], dtype)
        rows = np.concatenate([rows, hard])
    for array in (rows, rows.T.copy(), rows[0]):
        for dim in range(array.ndim):
            one, two = order.topk(array, 1, dim), order.topk(array, 2, dim)
            for mine, both in zip(one, two, strict=True):
                np.testing.assert_array_equal(mine, both.take([0], dim))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("shape", [(80,), (3, 10), (2, 70), (1, 200)])
def test_topk_takes_the_first_of_equal_elements(shape, largest):
    array = np.random.default_rng(0).integers(0, 4, shape).astype(np.float32)
    keys = -array if largest else array
    _, places = order.topk(array, 6, -1, largest)
    np.testing.assert_array_equal(places, keys.argsort(-1, kind="stable")[..., :6])


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i8", "u1", "?"])
def test_descending_order_of_extremes(dtype):
    kind = np.dtype(dtype)
    values = {"f": [0.0, -0.0, np.inf, -np.inf, 1, np.nan, np.nan], "b": [True, False, True]}.get(
        kind.kind) or [np.iinfo(kind).min, np.iinfo(kind).max, 0, 1, np.iinfo(kind).min]
    array = np.array(values, dtype)
    for part in (array, array[:-2]):                     # with nan, and without
        found = order.sort(part, 0, descending=True)[1].tolist()
        keys = [(part[k] == part[k], -float(part[k]), k) for k in range(len(part))]
        keys = [(whole, value if whole else 0, k) for whole, value, k in keys]
        assert found == [k for *_, k in sorted(keys)]


@pytest.mark.parametrize("again", [False, True])
def test_pairs_are_those_of_itertools(again):
    choose = itertools.combinations_with_replacement if again else itertools.combinations
    for n in (0, 1, 2, 6):
        pairs = torch.combinations(torch.arange(n), 2, again)
        assert pairs.tolist() == [list(pair) for pair in choose(range(n), 2)]
        assert pairs.shape == (len(pairs), 2)


def test_one_number_behind_a_mask_is_converted_wherever_the_mask_stands():
    x = torch.zeros(2, 3)
    mask = torch.tensor([True, False, True])
    x[:, mask] = torch.tensor(2)
    x[..., ~mask] = torch.tensor([3], dtype=torch.int64)
    assert x.tolist() == [[2, 3, 2], [2, 3, 2]]
    with pytest.raises(RuntimeError, match="^Index put requires the source and destination dtypes"):
        x[0, torch.tensor([0, 1])] = torch.tensor(2)


def test_a_number_has_no_dimension_that_a_tensor_could_index():
    with pytest.raises(IndexError, match="^too many indices for tensor of dimension 0"):
        torch.tensor(5)[torch.tensor(0)]
    with pytest.raises(IndexError, match="^too many indices for tensor of dimension 0"):
        torch.tensor(5)[torch.tensor(2)] = 1
    with pytest.raises(IndexError, match="^invalid index of a 0-dim tensor"):
        torch.tensor(5)[0]


@pytest.mark.parametrize("dim", [0, -1, None])
def test_repeat_interleave_is_the_same_where_nothing_is_recorded(dim):
    """By NumPy's repeat, or by views: rows, columns and what is turned, cut or empty."""
    whole = torch.arange(12.).reshape(3, 4)
    for x in (whole, whole.t(), whole[:, ::2], whole[:0], whole.int()):
        for n in (0, 1, 3):
            plain = x.repeat_interleave(n, dim)
            assert plain.is_contiguous() and plain.dtype is x.dtype and plain._base is None
            if x.is_floating_point():
                recorded = x.clone().requires_grad_().repeat_interleave(n, dim)
                assert recorded.requires_grad and torch.equal(recorded, plain)
                assert recorded.stride() == plain.stride()


def test_a_number_is_repeated_where_no_dimension_is_named():
    x = torch.tensor(2.)
    assert x.repeat_interleave(3).tolist() == [2, 2, 2]
    for dim in (0, -1):
        with pytest.raises(IndexError) as caught:
            x.repeat_interleave(3, dim)
        assert str(caught.value).startswith("Dimension out of range (expected to be in range of "
                                            "[-1, 0], but got 1)")


def test_scatter_takes_a_source_without_dimensions():
    x, one = torch.ones(1, requires_grad=True), torch.tensor(2., requires_grad=True)
    places = torch.zeros(1, dtype=torch.int64)
    out = x.scatter_add(0, places, one)
    assert out.tolist() == [3]
    assert torch.autograd.grad(out.sum(), [x, one]) == (torch.ones(1), torch.ones(()))
    assert x.detach().scatter_reduce(0, places, one.detach(), "prod").tolist() == [2]
    assert torch.tensor(1.).scatter_add(0, torch.tensor(0), torch.arange(2., 4.)).item() == 3


def test_a_source_of_which_no_index_takes_anything_gets_zeros():
    x = torch.ones(3, requires_grad=True)
    out = torch.zeros(0, 3).scatter_add(0, torch.zeros(0, 3, dtype=torch.int64), x)
    assert torch.autograd.grad(out.sum(), x)[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("how", ("linear", "lower", "higher", "midpoint", "nearest"))
@pytest.mark.parametrize("function", (torch.quantile, torch.nanquantile))
def test_quantiles_are_the_same_without_a_graph(function, how):
    x = torch.rand(9, 5)
    x[2, 1] = x[:, 3] = float("nan")
    q = torch.tensor([0.0, 0.3, 0.75, 1.0])
    for dim in (None, 0, 1):
        plain = function(x, q, dim, True, interpolation=how)
        recorded = function(x.clone().requires_grad_(), q, dim, True, interpolation=how)
        assert torch.equal(plain.nan_to_num(7), recorded.nan_to_num(7))
        assert torch.equal(function(x, q[1], dim, interpolation=how).nan_to_num(7),
                           plain[1].squeeze((0, 1) if dim is None else dim).nan_to_num(7))


def test_quantiles_without_a_graph_ask_for_no_places(monkeypatch):
    monkeypatch.setattr(order, "_order", None)
    assert torch.quantile(torch.tensor([3.0, 1.0, 2.0, 5.0]), 0.5).item() == 2.5


def test_histc_of_a_range_that_overflows_counts_nothing_as_in_pytorch():
    assert torch.histc(torch.ones(3), 4, -3e38, 3e38).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("index", [torch.tensor([1, 0], dtype=torch.uint8), [slice(0, 1), 0]],
                         ids=["byte mask", "list"])
def test_warnings_of_an_index_point_to_the_line_that_indexes(index):
    x = torch.eye(2)

    class Kept(torch.Tensor):
        pass

    for tensor in (x, x.clone().requires_grad_(), x.as_subclass(Kept)):
        with pytest.warns(UserWarning, match="indexing") as found:
            tensor[index]
        assert [warning.filename for warning in found] == [__file__]


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("repeated", [False, True])
def test_slices_and_joins_of_what_lies_apart_are_those_of_copies(dim, repeated):
    """Of arrays that NumPy would copy, or join, a number at a time."""
    wide = torch.arange(24 * 60 * 20.).reshape(24, 60, 20)
    for x in (wide[..., ::2], wide.permute(2, 0, 1), wide[:, :, :10], wide[:, ::2]):
        x = x[:, :1].expand(-1, 30, -1) if repeated else x
        copy, index = torch.from_numpy(x.numpy().copy()), torch.tensor([0, 9, 3, 3])
        for y, z in ((x.index_select(dim, index), copy.index_select(dim, index)),
                     (torch.cat([x, x], dim), torch.cat([copy, copy], dim)),
                     (torch.stack([x, x], dim), torch.stack([copy, copy], dim))):
            assert torch.equal(y, z)
            assert y.is_contiguous()
