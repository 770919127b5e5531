"""Results lie in memory in PyTorch's order: its TensorIterator's rules, and those of images."""

import operator

import pytest

import retrograd as rg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.live
F = "nn.functional"

SHAPE = (2, 3, 4, 5)
LAYOUTS = {
    "ordinary": lambda lib, x: x,
    "channels last": lambda lib, x: x.contiguous(memory_format=lib.channels_last),
    "transposed": lambda lib, x: x.transpose(0, 1).contiguous().transpose(0, 1),
    "permuted": lambda lib, x: x.permute(3, 1, 0, 2).contiguous().permute(2, 1, 3, 0),
    "sliced": lambda lib, x: lib.stack([x, x], -1)[..., 0],
    "part of channels": lambda lib, x: lib.cat([x, x], 1).contiguous(
        memory_format=lib.channels_last)[:, :3],
    "expanded": lambda lib, x: x[:, :1].expand(SHAPE),
}
SMALL = {
    "channel": lambda lib, x: x[:1, :, :1, :1],
    "row": lambda lib, x: x[0, 0, 0],
    "turned plane": lambda lib, x: x[0, 0].t().contiguous().t(),
}
ELEMENTWISE = [
    "exp", "erf", "digamma", "lgamma", "nan_to_num", "clone", "neg", "sigmoid", "isnan",
    *(f"{F}.{name}" for name in ("gelu", "silu", "relu", "elu", "softplus", "hardswish"))]
UNARY = {
    **{name: lambda lib, x, name=name: operator.attrgetter(name)(lib)(x) for name in ELEMENTWISE},
    "x * 2": lambda lib, x: x * 2, "1 - x": lambda lib, x: 1 - x, "pow": lambda lib, x: x ** 1.0,
    "2 ** x": lambda lib, x: 2 ** x, "fmod": lambda lib, x: x.fmod(2),
    "half": lambda lib, x: x.half(),
    "bool, ordinary": lambda lib, x: x.bool(memory_format=lib.contiguous_format),
    "empty_like": lambda lib, x: lib.empty_like(x), "randn_like": lambda lib, x: lib.randn_like(x),
    "dropout": lambda lib, x: lib.nn.functional.dropout(x, 0.5, True),
    "circular pad": lambda lib, x: lib.nn.functional.pad(x, (1, 1, 1, 1), "circular"),
    "reflected pad": lambda lib, x: lib.nn.functional.pad(x, (1, 1, 1, 1), "reflect"),
    "flip": lambda lib, x: x.flip(0, 2), "rot90": lambda lib, x: x.rot90(1, (2, 3)),
    "roll": lambda lib, x: x.roll(1, 2), "stack": lambda lib, x: lib.stack([x, x], 1),
    "stack last": lambda lib, x: lib.stack([x, x], -1), "cat": lambda lib, x: lib.cat([x, x], 1),
    "sort": lambda lib, x: x.sort(1)[1], "index_fill": lambda lib, x: x.index_fill(
        1, lib.tensor([0]), 2.0),
    "index_put": lambda lib, x: x.index_put((lib.tensor([0]),), lib.tensor(1.0)),
    "masked_fill": lambda lib, x: x.masked_fill(x > 0.5, 0.0),
    "put": lambda lib, x: x.put(lib.tensor([7, 0, 7]), lib.ones(3), accumulate=True),
    "isin": lambda lib, x: lib.isin(x, lib.tensor([1.0])), "isin, few": lambda lib, x: lib.isin(
        x, lib.arange(50.0)),
    "rrelu": lambda lib, x: lib.nn.functional.rrelu(x),
    "rrelu, training": lambda lib, x: lib.nn.functional.rrelu(x, training=True),
    "scatter": lambda lib, x: x.scatter(1, lib.zeros(2, 1, 4, 5, dtype=lib.int64), 1.0),
    "softmax": lambda lib, x: x.softmax(1), "sum": lambda lib, x: x.sum(1),
    "conv2d": lambda lib, x: lib.conv2d(x, lib.ones(2, 3, 3, 3)),
    "conv2d, weight": lambda lib, x: lib.conv2d(
        x, lib.ones(2, 3, 3, 3).contiguous(memory_format=lib.channels_last)),
    "batch_norm": lambda lib, x: lib.nn.functional.batch_norm(
        x, lib.zeros(3), lib.ones(3), training=True),
    "batch_norm of a plane": lambda lib, x: lib.nn.functional.batch_norm(
        lib.ones(1, 3, 2, 1).permute(0, 2, 1, 3), lib.zeros(2), lib.ones(2)),
    "max_pool2d": lambda lib, x: lib.max_pool2d(x, 2),
    "channel_shuffle": lambda lib, x: lib.channel_shuffle(x, 3),
    "attention": lambda lib, x: lib.nn.functional.scaled_dot_product_attention(x, x, x),
    "nll_loss": lambda lib, x: lib.nn.functional.nll_loss(x, x[:, 0].long(), reduction="none"),
    "angle": lambda lib, x: lib.complex(x, x).angle(),
    "where": lambda lib, x: lib.where(x > 0)[1],
    "one_hot": lambda lib, x: lib.nn.functional.one_hot(x.long(), 3),
    "bernoulli of a number": lambda lib, x: x.bernoulli(0.5),
    "count_nonzero": lambda lib, x: x.count_nonzero(1),
}
BINARY = {
    **{name: lambda lib, x, y, name=name: getattr(lib, name)(x, y)
       for name in ("add", "eq", "maximum", "pow", "xlogy", "heaviside", "complex")},
    "lerp": lambda lib, x, y: lib.lerp(x, y, y),
    "where": lambda lib, x, y: lib.where(x > 0.5, x, y),
    "condition": lambda lib, x, y: lib.where(y > 0.5, x, x),
    "addcmul": lambda lib, x, y: lib.addcmul(y, x, x),
    "mse_loss": lambda lib, x, y: lib.nn.functional.mse_loss(
        x, y.expand(SHAPE), reduction="none"),
    "smooth_l1_loss": lambda lib, x, y: lib.nn.functional.smooth_l1_loss(
        x, y.expand(SHAPE), reduction="none"),
}


def strides(lib, function, *layouts):
    lib.manual_seed(0)
    x = lib.rand(SHAPE)
    return function(lib, *[{**LAYOUTS, **SMALL}[name](lib, x) for name in layouts]).stride()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_masked_fill_of_many_numbers(layout):
    """Other kernels fill large tensors; the result lies row by row there, too."""
    def laid(lib):
        x = LAYOUTS[layout](lib, lib.arange(120.0).view(SHAPE))
        x = x.repeat_interleave(50, 0) if layout == "ordinary" else lib.cat([x] * 50, 3)
        return [part.masked_fill(part > 50, 0.0) for part in (x, x.transpose(1, 2))]
    ours, theirs = laid(rg), laid(torch)
    assert [t.stride() for t in ours] == [t.stride() for t in theirs]
    assert [t.tolist() for t in ours] == [t.tolist() for t in theirs]


@pytest.mark.parametrize("name", UNARY)
def test_of_one_tensor(name):
    for layout in LAYOUTS:
        assert strides(rg, UNARY[name], layout) == strides(torch, UNARY[name], layout), layout


@pytest.mark.parametrize("name", BINARY)
def test_of_two_tensors(name):
    pairs = [(a, b) for a in LAYOUTS for b in {**LAYOUTS, **SMALL}]
    for pair in pairs:
        assert strides(rg, BINARY[name], *pair) == strides(torch, BINARY[name], *pair), pair


@pytest.mark.parametrize("width", [8, 32])
def test_of_attention_by_a_kernel(width):
    """The result of turned heads lies turned at any width: y.transpose(1, 2).view() works."""
    def laid(lib):
        x = lib.ones(2, 640, 2, width).transpose(1, 2)
        return [lib.nn.functional.scaled_dot_product_attention(q, q, q).stride()
                for q in (x, x.contiguous(), x[:1])]
    assert laid(rg) == laid(torch)


def test_values_do_not_depend_on_the_order():
    x, y = rg.rand(SHAPE), rg.rand(SHAPE)
    turned = LAYOUTS["permuted"](rg, x)
    for name, function in BINARY.items():
        assert rg.equal(function(rg, turned, y), function(rg, x, y)), name
        assert rg.equal(function(rg, y, turned), function(rg, y, x)), name


def test_a_number_has_no_order():
    x = rg.rand(3, 2)
    assert rg.equal(rg.dist(x.t(), rg.ones(2, 3)), rg.dist(x.t().contiguous(), rg.ones(2, 3)))


def _mlp(lib, p, x):
    h = lib.nn.functional.linear(x, p["w"], p["b"]).tanh() @ p["v"]
    return lib.addmm(p["b"][:2], h, p["u"].T).sin()


MAPPED = {
    "gradients of each example": lambda f, p, x, F: F.vmap(
        F.grad(lambda p, x: f(p, x).sum()), (None, 0))(p, x),
    "jacrev": lambda f, p, x, F: F.vmap(F.jacrev(f, 1), (None, 0))(p, x),
    "jacfwd": lambda f, p, x, F: F.vmap(F.jacfwd(f, 1), (None, 0))(p, x),
    "hessian": lambda f, p, x, F: F.vmap(F.hessian(lambda p, x: f(p, x).sum(), 1), (None, 0))(
        p, x)}


@pytest.mark.parametrize("name", MAPPED)
def test_derivatives_under_vmap(name):
    def strides(lib):
        p = {"w": lib.ones(5, 3), "b": lib.ones(5), "v": lib.ones(5, 4), "u": lib.ones(2, 4)}
        res = MAPPED[name](lambda p, x: _mlp(lib, p, x), p, lib.ones(6, 2, 3), lib.func)
        return {k: g.stride() for k, g in res.items()} if isinstance(res, dict) else res.stride()

    assert strides(rg) == strides(torch)
