"""vmap of functions that have no operator of their own, or several shapes of arguments: each call
equals a loop over the slices, in values and in gradients, also inside another vmap."""

import numpy as np
import pytest

import retrograd as torch
from retrograd.func import vmap
from retrograd.nn.functional import (
    ctc_loss,
    embedding,
    embedding_bag,
    max_unpool2d,
    multi_margin_loss,
    multilabel_margin_loss,
    nll_loss,
    scaled_dot_product_attention,
)

RNG = np.random.default_rng(5)


def normal(*shape):
    return torch.tensor(RNG.standard_normal(shape))


def numbers(below, *shape):
    """Integers in which every slice holds the largest one."""
    made = RNG.integers(0, below, shape)
    made.reshape(shape[0], -1)[:, 0] = below - 1
    return torch.tensor(made)


def assert_like_a_loop(f, inputs, dims):
    size = next(x.shape[0] for x, d in zip(inputs, dims, strict=True) if d == 0)
    floating = [x for x in inputs if x.dtype is torch.float64]
    for x in floating:
        x.requires_grad_()
    slices = [[x[i] if d == 0 else x for x, d in zip(inputs, dims, strict=True)]
              for i in range(size)]
    want = torch.stack([f(*row) for row in slices])
    got = vmap(f, dims)(*inputs)
    assert got.dtype is want.dtype
    assert torch.equal(got, want) or torch.allclose(got, want, equal_nan=True)
    if want.requires_grad:
        weights = normal(*want.shape)
        grads = [torch.autograd.grad(out, floating, weights, allow_unused=True)
                 for out in (got, want)]
        for a, b in zip(*grads, strict=True):
            assert (a is b is None) or torch.allclose(a, b)
    twice = [torch.stack([x, x.flip(0)]) if d == 0 else x
             for x, d in zip(inputs, dims, strict=True)]
    outer = tuple(None if d is None else 0 for d in dims)
    nested = vmap(vmap(f, dims), outer)(*twice)
    assert torch.allclose(nested, torch.stack([want, want.flip(0)]), equal_nan=True)


COUNTING = {
    "histc": (lambda x: torch.histc(x, 4), normal(3, 10)),
    "histc, a range": (lambda x: torch.histc(x, bins=5, min=-1, max=1), normal(3, 2, 5)),
    "histc, equal": (lambda x: torch.histc(x, 5), torch.ones(3, 2)),
    "histc, nothing": (lambda x: torch.histc(x, 5), torch.zeros(3, 0)),
    "bincount": (torch.bincount, numbers(5, 3, 7)),
    "bincount, minlength": (lambda x: torch.bincount(x, minlength=9), numbers(5, 3, 7)),
    "bincount, weights": (lambda x, w: torch.bincount(x, weights=w.detach()), numbers(5, 3, 7),
                          normal(3, 7)),
    "median of nothing": (torch.median, torch.zeros(3, 0)),
    "argmax of a number": (lambda x: x.argmax(0), normal(3)),
    "isin": (torch.isin, numbers(9, 3, 2, 4), numbers(9, 3, 2)),
    "isin, inverted": (lambda x, y: torch.isin(x, y, invert=True), numbers(9, 3, 4),
                       numbers(9, 3, 2)),
}


@pytest.mark.parametrize("name", COUNTING)
def test_counts_map_as_a_loop_does(name):
    f, *inputs = COUNTING[name]
    assert_like_a_loop(f, inputs, (0,) * len(inputs))
    if len(inputs) > 1:
        assert_like_a_loop(f, [inputs[0][0], inputs[1]], (None, 0))
        assert_like_a_loop(f, [inputs[0], inputs[1][0]], (0, None))


def test_counts_of_different_lengths_are_refused():
    with pytest.raises(RuntimeError, match=r"equal size, but got \[4\] at entry 0 and \[8\] at en"):
        vmap(torch.bincount)(torch.tensor([[3, 0], [7, 0]]))
    with pytest.raises(RuntimeError, match="only supports 1-d non-negative"):
        vmap(torch.bincount)(torch.tensor([3, 0]))


@pytest.mark.parametrize("values", [(3, 2, 4), (3, 4), (3,)], ids=str)
def test_searching(values):
    values, rows = normal(*values).detach(), normal(3, 10).sort().values

    def right(rows, values):
        return torch.searchsorted(rows, values.contiguous(), right=True, out_int32=True)

    assert_like_a_loop(right, [rows, values], (0, 0))
    assert_like_a_loop(right, [rows, values[0]], (0, None))
    assert_like_a_loop(right, [rows[0], values], (None, 0))
    assert_like_a_loop(torch.bucketize, [values, rows], (0, 0))
    assert_like_a_loop(torch.bucketize, [values, rows[0]], (0, None))
    many = torch.stack([values, values + 0.1])                  # the rows are shared by the outer
    got = vmap(vmap(torch.bucketize), (0, None))(many, rows)
    assert torch.equal(got, torch.stack([vmap(torch.bucketize)(v, rows) for v in many]))


def test_searching_rows_and_through_a_sorter():
    x, values = normal(3, 2, 10), normal(3, 2, 4)
    assert_like_a_loop(torch.searchsorted, [x.sort().values, values], (0, 0))
    assert_like_a_loop(torch.searchsorted, [x[0].sort().values, values], (None, 0))
    assert_like_a_loop(lambda x, order, v: torch.searchsorted(x, v, sorter=order),
                       [x, x.argsort(), values], (0, 0, 0))
    assert_like_a_loop(lambda x: torch.searchsorted(x, 0.3), [x[0].sort().values], (0,))


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
def test_segment_reduce_maps_as_a_loop_does(reduce):
    x, lengths = normal(3, 6, 2), torch.tensor([[1, 5], [3, 3], [0, 6]])
    assert_like_a_loop(lambda x: torch.segment_reduce(x, reduce, lengths=lengths[0]), [x], (0,))
    assert_like_a_loop(lambda x, n: torch.segment_reduce(x, reduce, lengths=n),
                       [x, lengths], (0, 0))
    assert_like_a_loop(lambda x, n: torch.segment_reduce(x, reduce, lengths=n),
                       [x[0].detach(), lengths], (None, 0))
    ends = torch.tensor([[[0, 3, 6], [0, 2, 6]], [[0, 6, 6], [0, 1, 6]], [[0, 0, 6], [0, 5, 6]]])
    assert_like_a_loop(lambda x, at: torch.segment_reduce(x, reduce, offsets=at, axis=1,
                                                          initial=1.0),
                       [x.detach().transpose(1, 2), ends], (0, 0))


@pytest.mark.parametrize("shared", ["nothing", "weight", "offsets"])
@pytest.mark.parametrize("options", [{"mode": m, "padding_idx": p, "include_last_offset": last}
                                     for m in ("sum", "mean", "max") for p in (None, 1)
                                     for last in (False, True)], ids=str)
def test_embedding_bag_maps_as_a_loop_does(options, shared):
    indices, weight = numbers(6, 3, 8), normal(3, 6, 4)
    indices[:, 2] = 1
    offsets = torch.tensor([[0, 3, 3, 8], [0, 1, 5, 8], [0, 0, 8, 8]])
    offsets = offsets[:, :3 + options["include_last_offset"]]
    dims = (0, None if shared == "weight" else 0, None if shared == "offsets" else 0)
    assert_like_a_loop(lambda i, w, o: embedding_bag(i, w, o, **options),
                       [x if d == 0 else x[0] for x, d in
                        zip((indices, weight, offsets), dims, strict=True)], dims)


def test_rows_scaled_by_frequency_or_weight():
    indices, weight, scale = numbers(6, 3, 8), normal(3, 6, 4), normal(3, 8)
    at = torch.tensor([0, 3, 3])
    for w, dim in ((weight, 0), (weight[0].detach(), None)):
        assert_like_a_loop(lambda i, w: embedding(i, w, scale_grad_by_freq=True, padding_idx=1),
                           [indices, w], (0, dim))
        assert_like_a_loop(lambda i, w: embedding_bag(i, w, at, scale_grad_by_freq=True,
                                                      padding_idx=1), [indices, w], (0, dim))
        assert_like_a_loop(lambda i, w, s: embedding_bag(i, w, at, mode="sum", padding_idx=1,
                                                         per_sample_weights=s),
                           [indices, w, scale], (0, dim, 0))


def test_index_tensors_that_lie_apart():
    a, b = torch.tensor([0, 1]), torch.tensor([[1], [0]])
    x = normal(3, 2, 4, 3)
    assert_like_a_loop(lambda x: x[a, :, a], [x], (0,))
    assert_like_a_loop(lambda x: x[b, 1:, a], [x], (0,))

    def write(x, value):
        x = x.clone()
        x[a, :, a] = value
        return x

    for value in (normal(3, 2, 4), normal(3, 4), normal(3)):
        assert_like_a_loop(write, [x, value], (0, 0))
    assert_like_a_loop(write, [x, normal(2, 4)], (0, None))


@pytest.mark.parametrize("mask", [(5, 5), (2, 2, 5, 5), (1, 1, 5, 5), (2, 5, 5)], ids=str)
def test_attention_with_a_mask_for_each_slice(mask):
    q = normal(3, 2, 2, 5, 4)
    for each in (normal(3, *mask).detach(), normal(3, *mask) > -1):
        assert_like_a_loop(lambda q, m: scaled_dot_product_attention(q, q, q, m), [q, each], (0, 0))
        assert_like_a_loop(lambda q, m: scaled_dot_product_attention(q, q, q, m),
                           [q[0].detach(), each], (None, 0))
        assert_like_a_loop(lambda q, m: scaled_dot_product_attention(q, q, q, m), [q, each[0]],
                           (0, None))


LABELS = numbers(4, 3, 2, 4)
LABELS[..., 1] = -1
LOSSES = {
    "margins": (lambda x, t: multi_margin_loss(x, t, p=2), normal(3, 5, 4), numbers(4, 3, 5)),
    "margins of one row": (multi_margin_loss, normal(3, 4), numbers(4, 3)),
    "margins of one class": (multi_margin_loss, normal(3), torch.zeros(3, dtype=torch.int64)),
    "margins, weighted": (lambda x, t: multi_margin_loss(x, t, weight=torch.arange(4.0).double(),
                                                         reduction="none"),
                          normal(3, 5, 4), numbers(4, 3, 5)),
    "labels": (multilabel_margin_loss, normal(3, 2, 4), LABELS),
    "labels of one row": (lambda x, t: multilabel_margin_loss(x, t, reduction="sum"),
                          normal(3, 4), LABELS[:, 0]),
    "ctc": (lambda x, t: ctc_loss(x.log_softmax(2), t + 1, (5, 4), (2, 1)),
            normal(3, 5, 2, 4), numbers(3, 3, 2, 2)),
    "ctc, targets in a row": (lambda x, t: ctc_loss(x.log_softmax(2), t + 1, (5, 4), (2, 1),
                                                    reduction="none", zero_infinity=True),
                              normal(3, 5, 2, 4), numbers(3, 3, 3)),
    "unpooling": (lambda x, i: max_unpool2d(x, i, 2), normal(3, 1, 2, 2),
                  torch.tensor([0, 2, 9, 11]).reshape(1, 2, 2).expand(3, 1, 2, 2).clone()),
    "one place of a row": (lambda x, i: x.gather(0, i), normal(3, 4), numbers(4, 3)),
    "places of a number": (lambda x, i: x.gather(0, i), normal(3), torch.zeros(3, 4).long()),
    "along a dimension": (lambda x, i: torch.take_along_dim(x, i, 1), normal(3, 2, 4),
                          numbers(4, 3, 2, 1)),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_places(name):
    f, x, index = LOSSES[name]
    assert_like_a_loop(f, [x, index], (0, 0))
    assert_like_a_loop(f, [x, index[1]], (0, None))
    assert_like_a_loop(f, [x[1].detach(), index], (None, 0))
    rows = [torch.func.jacrev(lambda x: f(x, index[0]), chunk_size=n)(x[0].detach())
            for n in (None, 1)]                       # gradients alone have a batch
    assert torch.allclose(*rows)


def test_dimensions_counted_from_the_end():
    x = normal(3, 4, 2).detach()
    for f in (torch.argmax, torch.argmin):
        assert_like_a_loop(lambda x, f=f: f(x, -1), [x], (0,))
        assert_like_a_loop(lambda x, f=f: f(x, -2, keepdim=True), [x], (0,))
    for f in (torch.all, torch.any):
        assert_like_a_loop(lambda x, f=f: f(x, 0, keepdim=True), [x[:, 0, 0] > 0], (0,))


def test_class_weights_have_no_tangent():
    def rate(x, weight, at):
        return torch.func.jvp(lambda x, w: nll_loss(x, at, w, reduction="none"), (x, weight),
                              (x.cos(), weight.cos()))[1]
    inputs = normal(3, 2, 4), normal(3, 4), numbers(4, 3, 2)
    want = torch.stack([rate(*row) for row in zip(*inputs, strict=True)])
    assert torch.allclose(vmap(rate)(*inputs), want)


MATRICES = {
    "lu": lambda a, b: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b),
    "lu parts": lambda a, b: torch.lu_unpack(*torch.linalg.lu_factor(a))[1] @ b,
    "lu with info": lambda a, b: torch.linalg.lu_factor_ex(a)[0] @ b,
    "least squares": lambda a, b: torch.linalg.lstsq(a, b).solution,
    "residuals": lambda a, b: torch.linalg.lstsq(a[:, :2], b, driver="gelsd").residuals,
    "rank": lambda a, b: torch.linalg.matrix_rank(a[:, :1] @ b[:1]),
    "rank, symmetric": lambda a, b: torch.linalg.matrix_rank(a + a.mT, hermitian=True, atol=0.5),
    "pinv": lambda a, b: torch.linalg.pinv(a, rtol=torch.tensor([[0.1], [0.2]]).double()),
    "ldl": lambda a, b: torch.linalg.ldl_factor((a + a.mT).detach())[0] @ b,
    "copies": lambda a, b: torch.diagonal_scatter(a.detach(), b[0]) + a.select_scatter(b[1], 0, 1),
}


@pytest.mark.parametrize("name", MATRICES)
def test_linear_algebra_maps_as_a_loop_does(name):
    a, b = normal(3, 3, 3).detach(), normal(3, 3, 3).detach()
    assert_like_a_loop(MATRICES[name], [a, b], (0, 0))
    assert_like_a_loop(MATRICES[name], [a[0].detach(), b.detach()], (None, 0))


def test_functions_that_run_slice_by_slice_say_so():
    edges, x = torch.tensor([-1.0, 0.0, 1.0]).double(), normal(3, 5)
    functions = [lambda x: torch.histogram(x, edges).hist.detach(),      # it has no derivative
                 lambda x: torch.repeat_interleave(x, (x > 9).long() + 1),
                 lambda x: torch.quantile(x, x[:2].sigmoid()),
                 lambda x: torch.nanquantile(x, x[0].sigmoid(), 0, keepdim=True),
                 lambda x: torch.linspace(x[0], x[1], 4),
                 lambda x: torch.nonzero_static(x, size=3, fill_value=9)]
    for f in functions:
        with pytest.warns(UserWarning, match="There is a performance drop") as caught:
            assert_like_a_loop(f, [x.detach()], (0,))
        assert {w.filename for w in caught} == {__file__}


def test_renormed_rows():
    weight, indices = normal(3, 4, 2).detach() * 5, numbers(4, 3, 2)
    once, twice = weight.clone(), weight.clone()
    got = vmap(lambda i, w: embedding(i, w, max_norm=1.0))(indices, once)
    want = torch.stack([embedding(i, w, max_norm=1.0)
                        for i, w in zip(indices, twice, strict=True)])
    assert torch.equal(got, want) and torch.equal(once, twice) and not torch.equal(once, weight)
    with pytest.raises(RuntimeError, match="aten::embedding_renorm_"):
        vmap(lambda i: embedding(i, weight[0], max_norm=1.0))(indices)


# One place of each slice is an index without dimensions, and so may be what is written there.
ONE_PLACE = {
    "index_select": lambda x, i, y: x.index_select(-1, i),
    "index_select of rows": lambda x, i, y: torch.stack([x, x * 2, x]).index_select(0, i),
    "index_fill": lambda x, i, y: x.index_fill(0, i, 7.0) * y,
    "index_copy": lambda x, i, y: x.index_copy(0, i, y),
    "index_add": lambda x, i, y: x.index_add(0, i, y[None]),
}


@pytest.mark.parametrize("name", ONE_PLACE)
def test_one_place_of_each_slice(name):
    f, x, i, y = ONE_PLACE[name], normal(3, 4), torch.tensor([2, 0, 1]), normal(3)
    assert_like_a_loop(f, (x, i, y), (0, 0, 0))
    assert_like_a_loop(f, (x, i[0], y), (0, None, 0))
    assert_like_a_loop(f, (x[0], i, y[0]), (None, 0, None))
