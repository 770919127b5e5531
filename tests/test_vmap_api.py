"""torch.func and vmap: what is refused, in PyTorch's words, and gradients taken inside vmap."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import retrograd
from comparing import first_sentence


def saved(torch, function):
    with torch.autograd.graph.saved_tensors_hooks(lambda a: a, lambda a: a):
        return function()


def escaped(torch, x):
    slices = []
    torch.vmap(lambda a: slices.append(a) or a)(x)
    return slices[0]


def rule(torch, returns):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(output)

        @staticmethod
        def vmap(info, in_dims, x):
            return returns(x)

    return Same


X = [1.0, 2.0, 3.0]
REFUSED = {
    "argnum out of range": lambda t, x: t.func.grad(t.sin, argnums=2)(x[0]),
    "argnum of another kind": lambda t, x: t.func.grad(t.sin, argnums=0.5)(x[0]),
    "argnums twice": lambda t, x: t.func.grad(lambda a, b: a * b, argnums=(0, 0))(x[0], x[0]),
    "no argnums": lambda t, x: t.func.jacrev(t.sin, argnums=())(x),
    "argnums of floats": lambda t, x: t.func.jacfwd(t.sin, argnums=(0.5,))(x),
    "no aux": lambda t, x: t.func.grad(t.sin, has_aux=True)(x[0]),
    "aux of numbers": lambda t, x: t.func.grad(lambda a: (a, 1), has_aux=True)(x[0]),
    "vjp: numbers": lambda t, x: t.func.vjp(lambda a: (a, 1), x),
    "vjp: None": lambda t, x: t.func.vjp(lambda a: None, x),
    "vjp: nothing": lambda t, x: t.func.vjp(lambda a: (), x),
    "vjp: aux": lambda t, x: t.func.vjp(lambda a: (a, 1), x, has_aux=True),
    "jvp: numbers": lambda t, x: t.func.jvp(lambda a: 1, (x,), (x,)),
    "jvp: no tuple": lambda t, x: t.func.jvp(t.sin, x, (x,)),
    "jvp: nothing in": lambda t, x: t.func.jvp(t.sin, (), ()),
    "jvp: numbers in": lambda t, x: t.func.jvp(lambda a, b: a, (x, 1), (x, 1)),
    "jvp: aux": lambda t, x: t.func.jvp(lambda a: a, (x,), (x,), has_aux=True),
    "jacrev: chunks": lambda t, x: t.func.jacrev(t.sin, chunk_size=0)(x),
    "jacrev: complex": lambda t, x: t.func.jacrev(t.sin)(x + 0j),
    "jacfwd: complex result": lambda t, x: t.func.jacfwd(lambda a: a + 0j)(x),
    "jacrev: number": lambda t, x: t.func.jacrev(lambda a: 1)(x),
    "grad: a number": lambda t, x: t.func.grad(lambda a: a)(2.0),
    "requires_grad_": lambda t, x: t.func.grad(lambda a: a.requires_grad_().sum())(x),
    "retain_grad": lambda t, x: t.func.grad(lambda a: a.retain_grad() or a.sum())(x),
    "functional inside": lambda t, x: t.func.grad(
        lambda a: t.autograd.functional.jacobian(t.sin, a).sum())(x),
    "functional in vmap": lambda t, x: t.vmap(
        lambda a: t.autograd.functional.jacobian(t.sin, a))(x),
    "hooks": lambda t, x: saved(t, lambda: t.func.grad(lambda a: a.sin().sum())(x)),
    "hooks inside": lambda t, x: t.func.grad(lambda a: saved(t, lambda: a.sin().sum()))(x),
    "vmap: in_dims": lambda t, x: t.vmap(t.sin, in_dims=[0])(x),
    "vmap: no in_dims": lambda t, x: t.vmap(t.sin, in_dims=(None,))(x),
    "vmap: out_dims": lambda t, x: t.vmap(t.sin, out_dims="l")(x),
    "vmap: number": lambda t, x: t.vmap(lambda a: 1)(x),
    "vmap: data": lambda t, x: t.vmap(lambda a: a.data)(x),
    "vmap: data set": lambda t, x: t.vmap(lambda a: setattr(a, "data", x) or a)(x[None]),
    "vmap: out": lambda t, x: t.vmap(lambda a: t.sin(a, out=x))(x[None]),
    "vmap: out of the batch": lambda t, x: t.vmap(
        lambda a: t.mul(a, a, out=t.empty_like(a)))(x[None]),
    "vmap: random out": lambda t, x: t.vmap(
        lambda a: t.randn(3, out=a), randomness="different")(x[None]),
    "vmap: write of a batch": lambda t, x: t.vmap(lambda a: x.clone().mul_(a))(x[None]),
    "vmap: other write of a batch": lambda t, x: t.vmap(lambda a: x.clone().pow_(a))(x[None]),
    "vmap: sum of a batch": lambda t, x: t.vmap(lambda a: x.clone().add_(a))(x[None]),
    "vmap: draw of a batch": lambda t, x: t.vmap(
        lambda a: x.clone().bernoulli_(a / 9), randomness="different")(x[None]),
    "vmap: escaped": lambda t, x: escaped(t, x).sin(),
    "vmap: escaped, element": lambda t, x: escaped(t, x[None])[0],
    "vmap: rule of another structure": lambda t, x: t.vmap(rule(t, lambda x: (x, (0,))).apply)(x),
    "vmap: rule of two": lambda t, x: t.vmap(rule(t, lambda x: ((x, x), (0,))).apply)(x),
    "vmap: rule of one": lambda t, x: t.vmap(rule(t, lambda x: x).apply)(x),
    "saved for forward": lambda t, x: rule(t, None).apply(x.requires_grad_()),
    "vmap: nonzero": lambda t, x: t.vmap(lambda a: a.nonzero())(x[None]),
    "vmap: unique": lambda t, x: t.vmap(lambda a: a.unique())(x[None]),
    "vmap: masked_select": lambda t, x: t.vmap(lambda a: a.masked_select(a > 0))(x[None]),
}


def outcome(torch, program):
    try:
        return program(torch, torch.tensor(X))
    except (RuntimeError, ValueError, IndexError) as error:
        return type(error).__name__, first_sentence(str(error))


@pytest.mark.live
@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED.keys())
def test_refused_in_pytorchs_words(program):
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = outcome(torch, program)
    assert isinstance(expected, tuple) and outcome(retrograd, program) == expected


def recorded(torch):
    x = torch.tensor(X, requires_grad=True)
    w = torch.tensor([0.5, 1.5], requires_grad=True)
    return x, w, (x.sin() * x.sum(), w.exp())


def test_gradients_inside_vmap():
    """The rows of a Jacobian by vmap of autograd.grad."""
    torch = retrograd
    x, _, (y, _) = recorded(torch)
    rows = torch.vmap(lambda g: torch.autograd.grad(y, x, g, retain_graph=True)[0])(torch.eye(3))
    looped = torch.stack([torch.autograd.grad(y, x, g, retain_graph=True)[0] for g in torch.eye(3)])
    np.testing.assert_allclose(rows.numpy(), looped.numpy(), rtol=1e-6)


def test_a_batch_of_gradients_runs_once():
    torch = retrograd
    x, w, outputs = recorded(torch)
    runs = []
    outputs[0].grad_fn.register_prehook(lambda grads: runs.append(grads[0].shape))
    weights = torch.eye(3), torch.ones(3, 2)
    batch = torch.autograd.grad(outputs, (x, w), weights, is_grads_batched=True, create_graph=True)
    assert len(runs) == 1
    for k in range(3):
        row = torch.autograd.grad(outputs, (x, w), [g[k] for g in weights], retain_graph=True)
        for a, b in zip(batch, row, strict=True):
            np.testing.assert_allclose(a[k].detach().numpy(), b.numpy(), rtol=1e-6)
    second = torch.autograd.grad(batch[0].sum(), x)[0]
    assert second.shape == (3,) and float(second.abs().max()) > 0


def test_functions_of_arrays():
    torch = retrograd
    rows = torch.arange(6.0).reshape(2, 3)
    edges, shared = torch.tensor([1.0, 3.0]), torch.tensor([0.0, 4.0])
    for function in (lambda a: a.all(), lambda a: a.any(0), lambda a: a.count_nonzero(),
                     lambda a: torch.isin(a, shared), lambda a: torch.bucketize(a, edges),
                     lambda a: torch.searchsorted(edges, a), lambda a: torch.isclose(a, a + 1e-9),
                     lambda a: torch.nn.functional.one_hot(a.long(), 6)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mapped = torch.vmap(function)(rows)
        assert mapped.tolist() == [function(r).tolist() for r in rows]


def test_numbers_yield_in_promotion():
    torch = retrograd
    numbers, rows = torch.ones(2, dtype=torch.float64), torch.ones(2, 3)
    assert torch.vmap(torch.mul)(numbers, rows).dtype is torch.float32
    assert torch.vmap(torch.mul)(numbers, torch.ones(2)).dtype is torch.float64


def test_no_grad_around_and_inside():
    torch = retrograd
    x = torch.tensor(3.0, requires_grad=True)
    with torch.no_grad():
        assert torch.func.grad(lambda a: a**3)(x).item() == 27.0
    value, pull = torch.func.vjp(lambda a: a**2, x)
    with torch.no_grad():
        assert not pull(torch.tensor(1.0))[0].requires_grad
    assert value.requires_grad


def test_in_place_on_the_shape_of_a_slice():
    torch = retrograd
    x = torch.arange(6.0).reshape(3, 1, 2)
    assert torch.vmap(lambda a: (a * 1).squeeze_(0).unsqueeze_(1))(x).shape == (3, 2, 1)


def test_jacobian_row_by_row():
    torch = retrograd
    x = torch.tensor(X)

    def function(a):
        return a[a > 1.5] * a[0]                       # of a shape that vmap cannot know
    found = torch.func.jacrev(function, chunk_size=1)(x)
    assert found.tolist() == [[2.0, 1.0, 0.0], [3.0, 0.0, 1.0]]


def test_keyword_arguments_of_a_function():
    class Sum(retrograd.autograd.Function):
        @staticmethod
        def forward(x, *, y):
            return x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x, *, y):
            return x + y, 0

    x = retrograd.tensor(X)
    with pytest.raises(NotImplementedError, match="kwarg-only Tensor args"):
        retrograd.vmap(Sum.apply)(x, y=x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        Sum.apply(x, y=x)


def test_slices_print_the_batch():
    shown = []
    x = retrograd.tensor([X, X])
    retrograd.vmap(lambda a: shown.append(repr(a)) or a)(x)
    retrograd.vmap(retrograd.vmap(lambda a: shown.append(repr(a)) or a))(x)
    assert shown[0] == ("BatchedTensor(lvl=1, bdim=0, value=\n"
                        "    tensor([[1., 2., 3.],\n            [1., 2., 3.]])\n)")
    assert shown[1].startswith("BatchedTensor(lvl=2, bdim=0, value=\n    BatchedTensor(lvl=1, ")


def test_joining_with_nothing():
    x, nothing = retrograd.ones(2, 3, 4), retrograd.empty(0)
    assert retrograd.vmap(lambda a: retrograd.cat([nothing, a, nothing], 1))(x).shape == (2, 3, 4)


def test_forward_mode_is_on_in_jvp_and_off_in_a_function():
    from retrograd.autograd import forward_ad
    x, modes = retrograd.ones(()), []
    with forward_ad._set_fwd_grad_enabled(False):
        assert retrograd.func.jvp(retrograd.sin, (x,), (x,))[1] == x.cos()

    class Look(retrograd.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            modes.append(forward_ad._is_fwd_grad_enabled())
            return x.clone()

    Look.apply(x)
    assert modes == [False] and forward_ad._is_fwd_grad_enabled()


@pytest.mark.parametrize("use", [
    lambda i: [1, 2, 3][i], lambda i: retrograd.ones(3)[i:], lambda i: retrograd.zeros(i),
    lambda i: retrograd.ones(4).view(i, -1), lambda i: f"{i:d}", int])
def test_a_slice_is_no_number(use):
    with pytest.raises(RuntimeError, match=r"^vmap: It looks like you're calling .item\(\)"):
        retrograd.vmap(use)(retrograd.arange(3))


def test_a_batch_that_stays_where_it_is_is_not_moved():
    x = retrograd.ones(3, requires_grad=True)
    for out_dims in (0, -1):
        y = retrograd.vmap(lambda a: a * 2, out_dims=out_dims)(x)
        assert y.grad_fn.name() == "MulBackward0"


def test_data_is_there_inside_a_derivative_alone():
    x, func = retrograd.tensor([1., 2.]), retrograd.func
    assert func.vmap(func.grad(lambda a: a.data * a * a))(x).tolist() == [2, 8]
    inner = func.grad(lambda a: func.vmap(lambda b: b.data * b)(a).sum())
    for refused in (lambda a: a.data, inner):
        with pytest.raises(RuntimeError, match="^accessing `data` under vmap transform is not"):
            func.vmap(refused)(x.unsqueeze(1))


def test_a_write_to_data_inside_a_derivative_is_none_of_its_business():
    def f(a):
        y = a * 2
        y.data.mul_(3)
        return y * a
    x, func = retrograd.tensor([1., 2.]), retrograd.func
    assert func.vmap(func.grad(f))(x).tolist() == [8, 16]
    assert func.grad(lambda a: f(a).sum())(x).tolist() == [8, 16]
    with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
        func.grad(lambda a: x.data.mul_(a).sum())(x * 1)
