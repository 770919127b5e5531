"""jacfwd: a batch of tangents, whose values are computed once."""

import pytest

import retrograd
from retrograd.func import hessian, jacfwd, jacrev, vmap
from retrograd.utils._pytree import tree_flatten

A = [[-1.0, 0.5, 2.0], [0.3, -0.7, 1.1], [0.9, 0.2, -0.4]]


def point(torch):
    return torch.linspace(0.1, 1, 3, dtype=torch.float64)


def points(torch):
    return torch.linspace(0.1, 1, 6, dtype=torch.float64).reshape(2, 3)


def smooth(torch, x):
    return (torch.tensor(A, dtype=x.dtype) @ x).sin() * x.sum()


def filled(torch, x):
    out = x.new_zeros(3)
    for i in range(3):
        out[i] = x[i] * x.sum()
    return out


def filled_by_views(torch, x):
    out = x.new_zeros(2, 3)
    first = out[0]
    first.copy_(x)
    out[1].copy_(x * x)
    return out.mul_(2), first


def scattered(torch, x):
    places = torch.tensor([0, 2, 2])
    out = x.new_zeros(5).scatter_add(0, places, x * x)
    return out.index_put_((places,), x, accumulate=True)


def joined(torch, x):
    return {"a": torch.cat([x, x * x, torch.ones(1, dtype=x.dtype)]), "b": [x.sort().values]}


def normalised(torch, x):
    return torch.nn.functional.layer_norm(x.softmax(0), (3,)), x.cumprod(0)


def activated(torch, x):
    nn = torch.nn.functional
    return torch.cat([f(x) for f in (torch.tanh, torch.sigmoid, nn.gelu, nn.silu, nn.elu,
                                     nn.softplus, nn.logsigmoid, nn.leaky_relu, nn.hardswish)])


def overwritten(torch, x):
    a, b = x.clone(), x * 1.5
    a.sin_()
    b.mul_(a)
    part = b[1:]
    part.sin_()
    part.div_(a[1:]).pow_(2)
    return torch.cat([a, b])


FUNCTIONS = [smooth, filled, filled_by_views, scattered, joined, normalised, activated, overwritten]
by_name = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


def assert_same(one, other):
    (a, spec), (b, other_spec) = tree_flatten(one), tree_flatten(other)
    assert spec == other_spec
    assert all(retrograd.allclose(x, y) for x, y in zip(a, b, strict=True))


@by_name
def test_forward_equals_reverse(function):
    def f(x):
        return function(retrograd, x)

    assert_same(jacfwd(f)(point(retrograd)), jacrev(f)(point(retrograd)))
    assert_same(vmap(jacfwd(f))(points(retrograd)), vmap(jacrev(f))(points(retrograd)))


@by_name
def test_second_derivatives(function):
    def f(x):
        return function(retrograd, x)

    x = point(retrograd)
    expected = jacrev(jacrev(f))(x)
    assert_same(jacfwd(jacrev(f))(x), expected)
    assert_same(jacfwd(jacfwd(f))(x), expected)
    assert_same(jacrev(jacfwd(f))(x), expected)
    assert_same(jacrev(jacfwd(f))(x), expected)
    assert_same(vmap(hessian(f))(points(retrograd)), vmap(jacrev(jacrev(f)))(points(retrograd)))


def test_values_can_be_read():
    def f(x):
        return x * x if x.sum() > 0 and x[0].item() < 1 else x

    assert jacfwd(f)(point(retrograd)).diagonal().tolist() == (2 * point(retrograd)).tolist()


def test_the_values_are_computed_once():
    shapes = []

    def f(x):
        y = x.exp()
        shapes.append(tuple(retrograd.func.debug_unwrap(y).shape))
        return y * 2

    jacfwd(f)(point(retrograd))
    vmap(jacfwd(f))(points(retrograd))
    assert shapes == [(3,), (2, 3)]


class Square(retrograd.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g

    @staticmethod
    def jvp(ctx, t):
        return 2 * ctx.saved_tensors[0] * t


def test_custom_functions():
    x = points(retrograd)

    def square(x):
        return x * x

    for transform in (jacfwd, hessian, lambda f: jacfwd(jacfwd(f))):
        assert_same(transform(Square.apply)(x[0]), transform(square)(x[0]))
        assert_same(vmap(transform(Square.apply))(x), vmap(transform(square))(x))


def test_random_numbers():
    x = point(retrograd)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        jacfwd(lambda x: x * retrograd.rand(3))(x)
    retrograd.manual_seed(3)
    same = jacfwd(lambda x: x * retrograd.rand(3), randomness="same")(x).diagonal()
    retrograd.manual_seed(3)
    assert same.tolist() == retrograd.rand(3).double().tolist()
    assert jacfwd(retrograd.bernoulli, randomness="same")(x).tolist() == [[0.0] * 3] * 3
    varied = jacfwd(lambda x: x.sum() * retrograd.rand(()), randomness="different")(x)
    assert len(set(varied.tolist())) == 3


PROGRAMS = {
    "columns of rows": lambda t, f: t.func.jacfwd(t.func.jacrev(f))(point(t)),
    "gradient of columns": lambda t, f: t.func.grad(
        lambda x: t.func.jacfwd(f)(x).pow(2).sum())(point(t)),
    "columns of gradients": lambda t, f: t.func.jacfwd(t.func.grad(
        lambda x: f(x).pow(2).sum()))(point(t)),
    "columns of a batch": lambda t, f: t.func.jacfwd(t.vmap(f))(points(t)),
    "columns of a batch of columns": lambda t, f: t.func.jacfwd(t.vmap(t.func.jacfwd(f)))(
        points(t)),
    "columns of a tangent": lambda t, f: t.func.jacfwd(
        lambda x: t.func.jvp(f, (x,), (x,))[1])(point(t)),
    "tangent of columns": lambda t, f: t.func.jvp(t.func.jacfwd(f), (point(t),), (point(t),)),
    "fourth order": lambda t, f: t.func.hessian(lambda x: t.func.hessian(
        lambda x: f(x).sum())(x).sum())(point(t)),
    "a captured slice": lambda t, f: t.vmap(lambda a: t.func.hessian(
        lambda x: (a * f(x) * x).sum())(a))(points(t)),
    "aux": lambda t, f: t.vmap(t.func.jacfwd(lambda x: (f(x), x * 2), has_aux=True))(points(t)),
    "two arguments": lambda t, f: t.func.jacfwd(
        lambda a, b: (a * b, f(a) + b.sum()), argnums=(0, 1))(point(t), point(t) * 2),
    "a dict": lambda t, f: t.func.jacfwd(lambda d: {"o": d["a"] * f(d["b"])})(
        {"a": point(t), "b": point(t) * 3}),
    "a constant": lambda t, f: t.func.jacfwd(lambda x: t.ones(2))(point(t)),
    "half a constant": lambda t, f: t.func.jacfwd(lambda x: x.detach() * f(x))(point(t)),
    "linearize": lambda t, f: t.vmap(t.func.linearize(f, point(t))[1])(
        t.eye(3, dtype=t.float64)),
}


@pytest.mark.live
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_as_pytorch(program):
    torch = pytest.importorskip("torch")
    found, expected = ([t.double().tolist() for t in tree_leaves(lib, program)]
                       for lib in (retrograd, torch))
    for a, b in zip(found, expected, strict=True):
        assert retrograd.allclose(retrograd.tensor(a), retrograd.tensor(b))


def tree_leaves(torch, program):
    flat = torch.utils._pytree.tree_flatten(program(torch, lambda x: smooth(torch, x)))[0]
    return [t for t in flat if isinstance(t, torch.Tensor)]
