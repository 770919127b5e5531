"""vmap over indices, draws and whole networks: as a loop over the slices, and as PyTorch does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import retrograd

ROWS, COLUMNS = [[0, 2], [1, 1], [3, 0]], [[1, 0], [1, 2], [0, 2]]


def ramp(torch, *shape):
    return torch.arange(float(np.prod(shape))).reshape(*shape).sin()


# --------------------------------------------------------------------------- indices

READS = {
    "vector": ((4, 2), "x[i]"), "behind a slice": ((2, 4), "x[:, i]"),
    "last": ((2, 4), "x[..., i]"),
    "two": ((4, 3), "x[i, j]"), "apart": ((4, 2, 3), "x[i, :, j]"), "number": ((2, 4), "x[1, i]"),
    "new": ((4,), "x[None, i]"), "scalar": ((4, 2), "x[i[0]]"), "one shared": ((4, 3), "x[i, k]"),
    "behind two": ((2, 3, 4), "x[:, 1:, i]"), "mask too": ((4, 3), "x[i][:, m]"),
    "both behind": ((2, 4, 3), "x[:, i, j]"), "steps": ((4, 5), "x[i, ::2]"),
}
WRITES = {
    "vector": ((4,), (2,), "x[i] = v"), "number": ((4,), (2,), "x[i] = 0.5"),
    "behind a slice": ((2, 4), (2, 2), "x[:, i] = v"), "broadcast": ((2, 4), (2,), "x[:, i] = v"),
    "two": ((4, 3), (2,), "x[i, j] = v"), "apart": ((4, 2, 3), (2, 2), "x[i, :, j] = v"),
    "scalar": ((4,), (), "x[i[0]] = v"), "leading ones": ((4,), (1, 2), "x[i] = v"),
    "added": ((4,), (), "x[i[0]] += v"), "method": ((4,), (2,), "x.index_put_((i,), v)"),
    "accumulated": ((4,), (2,), "x.index_put_((i,), v, accumulate=True)"),
    "shared index": ((4,), (2,), "x[k] = v"),
}


def running(statement, torch):
    names = {"k": torch.tensor([0, 2]), "m": torch.tensor([True, False, True])}

    def function(x, i, j, v):
        x = x * 1
        scope = {**names, "x": x, "i": i, "j": j, "v": v}
        if "=" in statement.replace("accumulate=", ""):
            exec(statement, scope)
            return scope["x"]
        if "(" in statement:
            eval(statement, scope)
            return x
        return eval(statement, scope)
    return function


def loop_and_map(shape, value, statement, in_dims=(0, 0, 0, 0)):
    torch = retrograd
    args = (ramp(torch, 3, *shape), torch.tensor(ROWS), torch.tensor(COLUMNS),
            ramp(torch, 3, *value) + 2)
    function = running(statement, torch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mapped = torch.vmap(function, in_dims)(*(
            a if d == 0 else a[0] for a, d in zip(args, in_dims, strict=True)))
    looped = torch.stack([function(*(a[n if d == 0 else 0] for a, d in zip(
        args, in_dims, strict=True))) for n in range(3)])
    np.testing.assert_allclose(mapped.numpy(), looped.numpy(), rtol=1e-6)


@pytest.mark.parametrize("x_too", [True, False])
@pytest.mark.parametrize(("shape", "statement"), READS.values(), ids=READS.keys())
def test_reading_by_index(shape, statement, x_too):
    loop_and_map(shape, (), statement, (0 if x_too else None, 0, 0, None))


@pytest.mark.parametrize(("shape", "value", "statement"), WRITES.values(), ids=WRITES.keys())
def test_writing_by_index(shape, value, statement):
    loop_and_map(shape, value, statement)
    loop_and_map(shape, value, statement, (0, None, 0, 0))
    loop_and_map(shape, value, statement, (0, 0, 0, None))


def test_index_put_out_of_place():
    torch = retrograd
    x, i, v = ramp(torch, 4), torch.tensor(ROWS), ramp(torch, 3, 2)
    mapped = torch.vmap(lambda i, v: x.index_put((i,), v, accumulate=True))(i, v)
    looped = torch.stack([x.index_put((i[n],), v[n], accumulate=True) for n in range(3)])
    np.testing.assert_allclose(mapped.numpy(), looped.numpy(), rtol=1e-6)


def test_gradients_through_batched_indices():
    torch = retrograd
    x, i = ramp(torch, 3, 4), torch.tensor(ROWS)

    def f(x, i):
        y = x * 1
        y[i] = x[i] ** 2
        return (y * y).sum()
    mapped = torch.vmap(torch.func.grad(f))(x, i)
    looped = torch.stack([torch.func.grad(f)(x[n], i[n]) for n in range(3)])
    np.testing.assert_allclose(mapped.numpy(), looped.numpy(), rtol=1e-5)


def test_what_cannot_be_mapped():
    torch = retrograd
    with pytest.raises(RuntimeError, match="batch over indexing with a boolean mask"):
        torch.vmap(lambda x: x[x > 0])(ramp(torch, 3, 4))
    with pytest.raises(RuntimeError, match="`self` not being vmapped over"):
        torch.vmap(lambda i: torch.zeros(4).index_put_((i,), torch.ones(2)))(torch.tensor(ROWS))
    with pytest.raises(RuntimeError, match="not batched.\nIf you are using a module and"):
        net = torch.nn.BatchNorm1d(2)
        torch.vmap(net)(ramp(torch, 3, 4, 2))


# --------------------------------------------------------------------------- draws

DRAWS = {
    "randn_like": lambda t, a: t.randn_like(a), "rand_like": lambda t, a: t.rand_like(a),
    "randint_like": lambda t, a: t.randint_like(a, 10),
    "randn": lambda t, a: t.randn(2) + 0 * a.sum(), "rand": lambda t, a: t.rand(2, 1) + 0 * a.sum(),
    "randint": lambda t, a: t.randint(0, 9, (2,)) + 0 * a.sum(),
    "randperm": lambda t, a: t.randperm(3) + 0 * a.sum(),
    "normal of tensors": lambda t, a: t.normal(a, t.ones(4)),
    "normal of a size": lambda t, a: t.normal(0.0, 1.0, (2,)) + 0 * a.sum(),
    "normal around": lambda t, a: t.normal(a, 1.0), "normal spread": lambda t, a: t.normal(0.0, a),
    "bernoulli": lambda t, a: t.bernoulli(a), "bernoulli p": lambda t, a: t.bernoulli(a, 0.5),
    "multinomial": lambda t, a: t.multinomial(a, 2), "poisson": lambda t, a: t.poisson(a * 5),
    "dropout": lambda t, a: t.nn.functional.dropout(a),
    "dropout2d": lambda t, a: t.nn.functional.dropout2d(a.view(1, 4, 1, 1)),
    "alpha_dropout": lambda t, a: t.nn.functional.alpha_dropout(a, training=True),
    "gumbel_softmax": lambda t, a: t.nn.functional.gumbel_softmax(a),
    "normal_": lambda t, a: a.clone().normal_(), "uniform_": lambda t, a: a.clone().uniform_(),
    "bernoulli_": lambda t, a: a.clone().bernoulli_(0.5),
    "bernoulli_ of p": lambda t, a: a.clone().bernoulli_(a),
    "exponential_": lambda t, a: a.clone().exponential_(),
    "geometric_": lambda t, a: a.clone().geometric_(0.5),
    "random_": lambda t, a: a.clone().random_(0, 5),
    "new_empty": lambda t, a: a.new_empty(2).normal_(), "empty_like": lambda t, a: t.empty_like(
        a).normal_(), "on shared": lambda t, a: t.zeros(2).normal_() + 0 * a.sum(),
    "nested": lambda t, a: t.vmap(lambda e: t.rand(2) + e * 0, randomness="different")(a),
}


def drawn(torch, draw, randomness):
    torch.manual_seed(7)
    x = torch.arange(1.0, 13.0).reshape(3, 4) / 13
    try:
        return torch.vmap(lambda a: draw(torch, a), randomness=randomness)(x).tolist()
    except RuntimeError as error:
        return str(error).split("\n")[0][:100]


@pytest.mark.live
@pytest.mark.parametrize("randomness", ["error", "same", "different"])
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS.keys())
def test_draws_are_pytorchs(draw, randomness):
    torch = pytest.importorskip("torch")
    found, expected = (drawn(t, draw, randomness) for t in (retrograd, torch))
    if isinstance(expected, str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_same_and_different_draws():
    torch = retrograd
    x = torch.zeros(3, 4)
    same = torch.vmap(lambda a: torch.nn.functional.dropout(a + 1), randomness="same")(x)
    assert (same == same[:1]).all()
    different = torch.vmap(lambda a: a + torch.rand(4), randomness="different")(x)
    assert len({tuple(row) for row in different.tolist()}) == 3


# --------------------------------------------------------------------------- networks

def net(torch, name):
    nn = torch.nn
    torch.manual_seed(0)
    if name == "conv":
        made = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.GroupNorm(3, 3), nn.ReLU(),
                             nn.MaxPool2d(2), nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(),
                             nn.Linear(16, 5))
        return made, ramp(torch, 3, 1, 1, 8, 8)
    if name == "embedding":
        made = nn.Sequential(nn.Embedding(7, 3, padding_idx=0), nn.LayerNorm(3), nn.Flatten(1),
                             nn.Linear(12, 2))
        return made, torch.tensor([[[1, 2, 0, 3]], [[4, 4, 6, 0]], [[5, 1, 1, 2]]])
    if name == "attention":
        made = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
        return made, ramp(torch, 3, 1, 5, 4)
    return getattr(nn, name)(3, 4, batch_first=True), ramp(torch, 3, 1, 6, 3)


def per_sample_gradients(torch, name, mapped=True):
    """The gradients of every parameter for every sample, and a product with the Hessian."""
    module, x = net(torch, name)
    params = {k: p.detach() for k, p in module.named_parameters()}

    def loss(params, x):
        out = torch.func.functional_call(module, params, (x,))
        return (out[0] if isinstance(out, tuple) else out).pow(2).sum()

    gradient = torch.func.grad(loss)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if torch is retrograd else "ignore")
        if not mapped:
            rows = [gradient(params, row) for row in x]
            return [torch.stack([r[k] for r in rows]) for k in params]
        found = torch.vmap(gradient, in_dims=(None, 0))(params, x)
    return [found[k] for k in params]


NETS = ["conv", "embedding", "attention", "LSTM", "GRU", "RNN"]


@pytest.mark.parametrize("name", NETS)
def test_per_sample_gradients(name):
    """Without a loop over the samples: the warning of one would be an error."""
    mapped = per_sample_gradients(retrograd, name)
    looped = per_sample_gradients(retrograd, name, mapped=False)
    assert any(float(g.abs().max()) > 0 for g in mapped)
    for a, b in zip(mapped, looped, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.live
@pytest.mark.parametrize("name", ["conv", "embedding", "attention", "LSTM"])
def test_per_sample_gradients_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    for a, b in zip(per_sample_gradients(retrograd, name),
                    per_sample_gradients(torch, name, mapped=name != "LSTM"), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-3, atol=1e-4)


def test_an_ensemble():
    torch = retrograd
    torch.manual_seed(0)
    models = [torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(
        4, track_running_stats=False), torch.nn.Linear(4, 2)) for _ in range(3)]
    params, buffers = torch.func.stack_module_state(models)
    x = ramp(torch, 5, 3)
    call = torch.func.functional_call
    mapped = torch.vmap(lambda p, b: call(models[0], (p, b), (x,)))(params, buffers)
    looped = torch.stack([m(x) for m in models])
    np.testing.assert_allclose(mapped.detach().numpy(), looped.detach().numpy(), atol=1e-5)


def test_strides_within_a_slice():
    torch = retrograd
    x = ramp(torch, 3, 4)
    mapped = torch.vmap(lambda a: a.as_strided((2, 2), (1, 1), 1))(x)
    assert mapped.tolist() == torch.stack([r.clone().as_strided((2, 2), (1, 1), 1)
                                           for r in x]).tolist()
    with pytest.raises(RuntimeError, match=r"range \[0, 5\], but `tensor` can only .* \[0, 4\]"):
        torch.vmap(lambda a: a.as_strided((5,), (1,), 0))(x)
