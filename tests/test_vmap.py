"""vmap: every operator maps over a batch as a loop over its slices would; transforms compose."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import retrograd as torch
from retrograd._tensor import wrap
from retrograd.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from retrograd.kernels.stream import Stream
from retrograd.ops.declare import REGISTRY

SIZE = 3
# Inside vmap what calls these takes another way.
LOOPS = ("bincount_weighted", "fused_gru_cell", "fused_lstm_cell", "histogram", "histogramdd",
         "recurrent_layer", "stepped_layer")
# The shapes of their results depend on values.
DYNAMIC = {"masked_select": "return a differently shaped Tensor",
           **dict.fromkeys(("unique2", "unique_dim", "unique_consecutive"), "dynamic shape")}


def _cases():
    for name, op in REGISTRY.items():
        if op.samples is not None and not name.startswith("fractional"):
            for k, sample in enumerate(op.samples()):
                if isinstance(sample[-1], Stream):
                    continue                     # a batch is drawn at once
                yield pytest.param(op, sample, id=f"{name}-{k}")


def _varied(x, i):
    """The sample's array for slice `i`: other values of the same kind."""
    if x.dtype.kind in "fc":
        return x * (1 + 0.05 * i)
    return x


def _tensors(op, sample, i):
    n = len(op.inputs)
    return [[wrap(_varied(a, i)) for a in x] if isinstance(x, list) else
            None if x is None else wrap(np.array(_varied(np.asarray(x), i))) for x in sample[:n]]


def _flat(res):
    return list(res) if isinstance(res, tuple) else [res]


def _mapped(op, consts, rows, which):
    """op over the stacked rows; inputs not in `which` are shared."""
    stacked, dims = [], []
    for k, first in enumerate(rows[0]):
        column = [row[k] for row in rows]
        if first is None:
            continue
        if isinstance(first, list):
            stacked += [torch.stack(list(same)) for same in zip(*column, strict=True)]
            dims += [0] * len(first)
        elif k in which:
            stacked.append(torch.stack(column))
            dims.append(0)
        else:
            stacked.append(first)
            dims.append(None)

    def call(*given):
        rest = iter(given)
        args = [None if first is None else [next(rest) for _ in first]
                if isinstance(first, list) else next(rest) for first in rows[0]]
        return op.fn(*args, *consts)
    return vmap(call, in_dims=tuple(dims))(*stacked)


@pytest.mark.parametrize("op, sample", list(_cases()))
def test_like_a_loop(op, sample):
    consts = sample[len(op.inputs):]
    rows = [_tensors(op, sample, i) for i in range(SIZE)]
    present = [k for k, x in enumerate(rows[0]) if x is not None]
    for which in {tuple(present), *((k,) for k in present if len(present) > 1)}:
        each = []
        for row in rows:
            args = [x if k in which or isinstance(x, list) else rows[0][k]
                    for k, x in enumerate(row)]
            try:
                each.append(_flat(op.fn(*args, *consts)))
            except NotImplementedError:        # PyTorch's kernels lack this dtype too
                return
        if op.name in DYNAMIC and (op.name != "masked_select" or 1 in which):
            with pytest.raises(RuntimeError, match=DYNAMIC[op.name]):
                _mapped(op, consts, rows, which)
            continue
        with warnings.catch_warnings():
            if op.name not in LOOPS:
                warnings.simplefilter("error")
            else:
                warnings.filterwarnings("ignore", "There is a performance drop")
            got = _flat(_mapped(op, consts, rows, which))
        for g, want in zip(got, zip(*each, strict=True), strict=True):
            np.testing.assert_allclose(g._data, np.stack([w._data for w in want]), rtol=1e-10,
                                       atol=1e-12)


def test_in_dims_and_out_dims():
    x, y = torch.randn(4, 3, 2), torch.randn(5, 2)
    got = vmap(vmap(torch.mul, in_dims=(1, None)), in_dims=(None, 0), out_dims=2)(x, y)
    want = torch.stack([torch.stack([x[:, j] * y[i] for j in range(3)]) for i in range(5)], 2)
    assert torch.equal(got, want)
    nested = vmap(lambda d, s: d["a"] @ d["b"] + s, in_dims=({"a": 0, "b": None}, None))
    a, b = torch.randn(4, 2, 3), torch.randn(3, 2)
    assert torch.allclose(nested({"a": a, "b": b}, 1.0), a @ b + 1)


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 7])
def test_chunks_give_the_whole_result(chunk_size):
    x = torch.randn(5, 3)
    assert torch.allclose(vmap(torch.sin, chunk_size=chunk_size)(x), x.sin())


def test_per_sample_gradients():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    params = {k: v.detach() for k, v in model.named_parameters()}
    x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 2, 1, 0])

    def loss(params, x, y):
        out = torch.func.functional_call(model, params, (x.unsqueeze(0),))
        return torch.nn.functional.cross_entropy(out, y.unsqueeze(0))

    with warnings.catch_warnings():
        warnings.simplefilter("error")                  # no slice-by-slice fallback
        got = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
    for i in range(6):
        model.zero_grad()
        torch.nn.functional.cross_entropy(model(x[i:i + 1]), y[i:i + 1]).backward()
        for name, p in model.named_parameters():
            assert torch.allclose(got[name][i], p.grad, atol=1e-6)


def test_vmap_of_grad_of_vmap():
    x, w = torch.randn(3, 4, dtype=torch.float64), torch.randn(5, 4, dtype=torch.float64)

    def energy(x):
        return vmap(lambda w: torch.tanh(w @ x))(w).sum()

    got = vmap(grad(energy))(x)
    want = ((1 - torch.tanh(x @ w.T) ** 2) @ w)
    assert torch.allclose(got, want)


def test_hessian_is_jacfwd_of_jacrev_and_their_other_compositions():
    a = torch.randn(4, 4, dtype=torch.float64)
    x = torch.randn(4, dtype=torch.float64)

    def f(x):
        return (torch.sin(a @ x) * x).sum()

    want = torch.autograd.functional.hessian(f, x)
    for outer in (jacfwd, jacrev):
        for inner in (jacfwd, jacrev):
            got = outer(inner(f))(x)
            assert torch.allclose(got, want)
            assert not got.requires_grad
    assert torch.allclose(hessian(f)(x), want)


def test_jvp_is_the_transpose_of_vjp():
    x, t, c = (torch.randn(3, dtype=torch.float64) for _ in range(3))

    def f(x):
        return torch.cumsum(torch.exp(x) * x.flip(0), 0)

    _, rate = jvp(f, (x,), (t,))
    _, pull = vjp(f, x)
    assert torch.allclose((rate * c).sum(), (pull(c)[0] * t).sum())


def test_third_derivative_by_nested_grad():
    f = grad(grad(grad(lambda x: x ** 5)))
    assert f(torch.tensor(2.)).item() == 240.0


def test_an_outer_graph_sees_through_a_transform():
    w = torch.tensor(3.0, requires_grad=True)
    g = grad(lambda x: w * x * x)(torch.tensor(2.0))
    g.backward()
    assert (g.item(), w.grad.item()) == (12.0, 4.0)


def test_the_jacobian_of_a_map_between_trees():
    def f(d):
        return {"s": d["x"].sum(), "p": d["x"] * d["y"]}

    d = {"x": torch.ones(2), "y": torch.full((2,), 3.0)}
    for jac in (jacrev, jacfwd):
        got = jac(f)(d)
        assert got["p"]["x"].tolist() == [[3.0, 0.0], [0.0, 3.0]]
        assert got["s"]["y"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("read", [lambda x: x.tolist(), lambda x: x.numpy() + 1,
                                  lambda x: float(x.sum()), lambda x: np.asarray(x).sum(),
                                  lambda x: int(x.argmax())])
def test_values_cannot_be_read_inside(read):
    with pytest.raises((RuntimeError, ValueError, TypeError), match="vmap|converted"):
        vmap(lambda x: torch.tensor(read(x)))(torch.ones(2, 3))


def test_an_index_that_differs_from_slice_to_slice():
    table, rows = torch.randn(5, 2), torch.tensor([[0, 1], [4, 4], [2, 0]])
    assert torch.equal(vmap(lambda i: table[i])(rows), table[rows])
    x = torch.randn(3, 4)
    at = torch.tensor([1, 3, 0])
    assert torch.equal(vmap(lambda x, i: x[i])(x, at), x[torch.arange(3), at])


def test_randomness():
    with pytest.raises(RuntimeError, match="called random operation while in randomness error "
                                           "mode"):
        vmap(lambda x: x + torch.randn(()))(torch.ones(3))
    same = vmap(lambda x: x + torch.randn(()), randomness="same")(torch.zeros(3))
    assert same[0] == same[1] == same[2]
