"""jacobian, hessian and the products vjp, jvp, vhp, hvp."""

import gc
import math
import re
import weakref

import pytest

import retrograd as torch
from retrograd.autograd import _at_once, functional
from retrograd.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

VARIANTS = [
    pytest.param({}, id="rows"),
    pytest.param({"vectorize": True}, id="batched"),
    pytest.param({"vectorize": True, "strategy": "forward-mode"}, id="forward"),
]
HESSIAN_VARIANTS = [
    pytest.param({}, id="rows"),
    pytest.param({"vectorize": True}, id="batched"),
    pytest.param({"vectorize": True, "outer_jacobian_strategy": "forward-mode"}, id="forward"),
]


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


def close(a, b):
    if isinstance(b, tuple):
        assert isinstance(a, (tuple, list)) and len(a) == len(b)
        return all(close(x, y) for x, y in zip(a, b, strict=True))
    return torch.allclose(a, b)


@pytest.mark.parametrize("options", VARIANTS)
def test_jacobian_of_one_input_and_output(options):
    x = double([0.1, 0.2], [0.3, 0.4])
    got = jacobian(lambda t: t.exp().sum(dim=1), x, **options)
    want = torch.zeros(2, 2, 2, dtype=torch.float64)
    want[0, 0], want[1, 1] = x[0].exp(), x[1].exp()
    assert got.shape == (2, 2, 2)
    assert close(got, want)
    assert not got.requires_grad


@pytest.mark.parametrize("options", VARIANTS)
def test_jacobian_of_tuples(options):
    x, y = double(1.0, 2.0), double(3.0, 4.0)
    got = jacobian(lambda a, b: (a * b, a.sum()), (x, y), **options)
    zeros = torch.zeros(2, dtype=torch.float64)
    assert close(got, ((torch.diag(y), torch.diag(x)), (torch.ones_like(x), zeros)))


@pytest.mark.parametrize("options", VARIANTS)
def test_jacobian_of_a_tuple_of_one(options):
    x = double(1.0, 2.0)
    assert close(jacobian(lambda a: a * 2, (x,), **options), (2 * torch.eye(2).double(),))
    assert close(jacobian(lambda a: (a * 2,), x, **options), (2 * torch.eye(2).double(),))


@pytest.mark.parametrize("options", VARIANTS)
def test_jacobian_of_a_constant_is_zeros(options):
    x = double(1.0, 2.0)
    got = jacobian(lambda a: a.detach() * 3, x, **options)
    assert close(got, torch.zeros(2, 2, dtype=torch.float64))


@pytest.mark.parametrize("options", VARIANTS)
def test_jacobian_of_a_scalar_input(options):
    x = torch.tensor(2.0, dtype=torch.float64)
    assert jacobian(lambda a: a**3, x, **options).item() == pytest.approx(12.0)


def test_jacobian_can_be_differentiated():
    x = double(1.0, 2.0).requires_grad_()
    got = jacobian(lambda a: a**3, x, create_graph=True)
    assert got.requires_grad
    got.sum().backward()
    assert close(x.grad, 6 * x.detach())


def test_jacobian_without_create_graph_leaves_no_trace():
    x = double(1.0, 2.0).requires_grad_()
    got = jacobian(lambda a: a**3, x)
    assert not got.requires_grad
    assert x.grad is None


def test_jacobian_works_under_no_grad():
    with torch.no_grad():
        got = jacobian(lambda a: a**2, double(1.0, 2.0))
    assert close(got, torch.diag(double(2.0, 4.0)))


def test_captured_input_is_not_differentiated():
    x = double(1.0, 2.0).requires_grad_()
    assert close(jacobian(lambda a: a * x, x), torch.diag(x.detach()))


@pytest.mark.parametrize("options", HESSIAN_VARIANTS)
def test_hessian_by_every_way(options):
    x = double(1.0, 2.0)
    got = hessian(lambda a: (a**3).sum() + a.prod(), x, **options)
    assert close(got, double([6.0, 1.0], [1.0, 12.0]))


def test_hessian_of_two_inputs():
    x, y = double(1.0, 2.0), double(3.0, 4.0)
    got = hessian(lambda a, b: (a * a * b).sum(), (x, y))
    zeros = torch.zeros(2, 2, dtype=torch.float64)
    want = ((torch.diag(2 * y), torch.diag(2 * x)), (torch.diag(2 * x), zeros))
    assert close(got, want)


def test_products_agree_with_the_jacobian():
    x, v = double(0.5, -1.0, 2.0), double(1.0, 2.0, 3.0)
    w = double([1.0, 2.0, 0.5], [0.0, -1.0, 3.0])

    def f(t):
        return (w @ t).tanh()

    jac = jacobian(f, x)
    u = double(2.0, -1.0)
    out, pulled = vjp(f, x, u)
    assert close(out, f(x)) and close(pulled, u @ jac)
    out, pushed = jvp(f, x, v)
    assert close(out, f(x)) and close(pushed, jac @ v)


def test_products_agree_with_the_hessian():
    x, v = double(0.5, -1.0, 2.0), double(1.0, 2.0, 3.0)

    def f(t):
        return (t**3).sum() + t.prod()

    full = hessian(f, x)
    for product in (vhp, hvp):
        out, got = product(f, x, v)
        assert close(out, f(x)) and close(got, full @ v)


def test_products_of_tuples():
    x, y = double(1.0, 2.0), double(3.0, 4.0)
    out, grads = vjp(lambda a, b: (a * b, a + b), (x, y), (x, y))
    assert close(out, (x * y, x + y))
    assert close(grads, (x * y + y, x * x + y))
    _, tangents = jvp(lambda a, b: (a * b, a + b), (x, y), (x, y))
    assert close(tangents, (2 * x * y, x + y))


def test_v_may_be_left_out_for_one_element():
    x = torch.tensor(2.0, dtype=torch.float64)
    assert vjp(lambda a: a**2, x)[1].item() == 4.0
    assert jvp(lambda a: a**2, x)[1].item() == 4.0
    assert hvp(lambda a: a**3, x)[1].item() == 12.0


def test_products_can_be_differentiated():
    x = double(1.0, 2.0).requires_grad_()
    v = torch.ones(2, dtype=torch.float64)
    for product in (vjp, jvp):
        _, got = product(lambda a: a**3, x, v, create_graph=True)
        (grad,) = torch.autograd.grad(got.sum(), x)
        assert close(grad, 6 * x.detach())
    for product in (vhp, hvp):
        _, got = product(lambda a: (a**3).sum(), x, v, create_graph=True)
        (grad,) = torch.autograd.grad(got.sum(), x)
        assert close(grad, 6 * v)


X = (torch.ones(2), torch.ones(2))
ERRORS = {
    "strict jacobian of an unused input": (
        lambda: jacobian(lambda x, y: x * 2, X, strict=True),
        RuntimeError,
        "Output 0 of the user-provided function is independent of input 1. "
        "This is not allowed in strict mode.",
    ),
    "strict jacobian of a constant": (
        lambda: jacobian(lambda x: x.detach(), X[0], strict=True),
        RuntimeError,
        "Output 0 of the user-provided function does not require gradients. The outputs must be "
        "computed in a differentiable manner from the input when running in strict mode.",
    ),
    "strict differentiable jacobian of a linear map": (
        lambda: jacobian(lambda x: x * 2, X[0], strict=True, create_graph=True),
        RuntimeError,
        "The jacobian of the user-provided function is independent of input 0. This is not "
        "allowed in strict mode when create_graph=True.",
    ),
    "strict and vectorized": (
        lambda: jacobian(lambda x: x * 2, X[0], strict=True, vectorize=True),
        RuntimeError,
        "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
        "supported together. Please either set `strict=False` or `vectorize=False`.",
    ),
    "unknown strategy": (
        lambda: jacobian(lambda x: x, X[0], strategy="sideways"),
        AssertionError,
        'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your',
    ),
    "forward mode one by one": (
        lambda: jacobian(lambda x: x, X[0], strategy="forward-mode"),
        NotImplementedError,
        "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly "
        "implemented for `vectorize=True`.",
    ),
    "forward mode differentiable": (
        lambda: jacobian(lambda x: x, X[0], create_graph=True, strategy="forward-mode"),
        NotImplementedError,
        "torch.autograd.functional.jacobian: `create_graph=True` and `strategy=",
    ),
    "inputs of another type": (
        lambda: jacobian(lambda x: x, 3.0),
        TypeError,
        "The inputs given to jacobian must be either a Tensor or a tuple of Tensors but the "
        "given inputs has type <class 'float'>.",
    ),
    "one input of another type": (
        lambda: vjp(lambda x, y: x, (X[0], 3)),
        TypeError,
        "The inputs given to vjp must be either a Tensor or a tuple of Tensors but the "
        "value at index 1 has type <class 'int'>.",
    ),
    "output of another type": (
        lambda: jvp(lambda x: 3, X[0], X[0]),
        TypeError,
        "The outputs of the user-provided function given to jvp must be either a Tensor or a "
        "tuple of Tensors but the given outputs of the user-provided function has type ",
    ),
    "hessian of a vector": (
        lambda: hessian(lambda x: x * 2, X[0]),
        RuntimeError,
        "The Tensor returned by the function given to hessian should contain a single element",
    ),
    "hvp of a tuple": (
        lambda: hvp(lambda x: (x.sum(), x.sum()), X[0], X[0]),
        RuntimeError,
        "The function given to hvp should return a single Tensor",
    ),
    "strict hessian of a linear map": (
        lambda: hessian(lambda x: x.sum() * 2, X[0], strict=True),
        RuntimeError,
        "While computing the hessian, found that the jacobian of the user-provided function with "
        "respect to input 0 is independent of the input.",
    ),
    "vjp without v": (
        lambda: vjp(lambda x: x * 2, X[0]),
        RuntimeError,
        "The vector v can only be None if the user-provided function returns a single Tensor "
        "with a single element.",
    ),
    "jvp without v": (
        lambda: jvp(lambda x: x * 2, X[0]),
        RuntimeError,
        "The vector v can only be None if the input to the user-provided function is a single "
        "Tensor with a single element.",
    ),
    "v of another length": (
        lambda: jvp(lambda x, y: x * y, X, X[0]),
        RuntimeError,
        "v is a tuple of invalid length: should be 2 but got 1.",
    ),
    "two v for one tensor": (
        lambda: vjp(lambda x: x * 2, X[0], X),
        RuntimeError,
        "The given v should contain a single Tensor.",
    ),
    "v of another size": (
        lambda: vjp(lambda x: x * 2, X[0], torch.ones(3)),
        RuntimeError,
        "v has invalid size: should be torch.Size([2]) but got torch.Size([3]).",
    ),
    "entry of v of another size": (
        lambda: jvp(lambda x, y: x * y, X, (X[0], torch.ones(3))),
        RuntimeError,
        "Entry 1 in v has invalid size: should be torch.Size([2]) but got torch.Size([3]).",
    ),
    "strict vjp of an unused input": (
        lambda: vjp(lambda x, y: x * 2, X, X[0], strict=True),
        RuntimeError,
        "The output of the user-provided function is independent of input 1. This is not "
        "allowed in strict mode.",
    ),
    "strict jvp of an unused input": (
        lambda: jvp(lambda x, y: x * 2, X, X, strict=True),
        RuntimeError,
        "The output of the user-provided function is independent of input 1. This is not "
        "allowed in strict mode.",
    ),
    "strict vhp of a linear map": (
        lambda: vhp(lambda x: x.sum() * 2, X[0], X[0], strict=True),
        RuntimeError,
        "While computing the hessian, found that the jacobian of the user-provided function with "
        "respect to input 0 is independent of the input.",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_misuse_raises_pytorchs_words(case):
    run, kind, message = ERRORS[case]
    with pytest.raises(kind, match=re.escape(message)) as error:
        run()
    assert error.type is kind


# Forward mode over backward: saved results carry tangents too

FUNCTIONS = {
    "exp": lambda t: t.exp().sum(),
    "tanh": lambda t: t.tanh().sum(),
    "sqrt": lambda t: t.sqrt().sum(),
    "prod": lambda t: t.prod(),
    "softmax": lambda t: (t.softmax(0) * t).sum(),
    "norm": lambda t: t.norm(),
    "exp_": lambda t: (t * 2).exp_().sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forward_over_reverse_equals_reverse_over_reverse(name):
    f, x = FUNCTIONS[name], double(0.5, 0.2, 1.5)
    want = hessian(f, x)
    got = hessian(f, x, vectorize=True, outer_jacobian_strategy="forward-mode")
    assert close(got, want)
    assert close(torch.func.hessian(f)(x), want)


def test_tangents_kept_for_backward_die_with_their_level():
    forward_ad = torch.autograd.forward_ad

    class Mark:
        pass

    def run():
        mark = Mark()
        with forward_ad.dual_level():
            x = forward_ad.make_dual(double(0.5).requires_grad_(), double(1.0))
            y = (x * 2).exp()
            y.grad_fn.metadata["mark"] = mark
            (g,) = torch.autograd.grad(y, x, create_graph=True)
            assert forward_ad.unpack_dual(g).tangent.item() == pytest.approx(4 * math.e)
        return weakref.ref(mark)

    gc.disable()
    try:
        assert run()() is None
    finally:
        gc.enable()


def test_transforms_differentiate_under_no_grad():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        _, pull = torch.func.vjp(lambda a: a**3 * w, w)
        assert pull(torch.ones(2))[0].tolist() == [3.0, 24.0]

        def product(v):
            return torch.func.jvp(torch.func.grad(lambda a: (a**3).sum()), (w,), (v,))[1]

        assert torch.func.vmap(product)(torch.eye(2)).tolist() == [[6.0, 0.0], [0.0, 12.0]]


def seen(monkeypatch, func, x):
    """The Jacobian, and how many backward passes it took."""
    passes, execute = [], _at_once.rg.autograd.engine.execute
    with monkeypatch.context() as patch:
        patch.setattr(_at_once.rg.autograd.engine, "execute",
                      lambda *args: passes.append(1) or execute(*args))
        return jacobian(func, x), len(passes)


WEIGHT = torch.linspace(-1, 1, 36, dtype=torch.float64).reshape(6, 6).sin()
ROWS = {
    "products": lambda z: torch.tanh(WEIGHT @ z) + z**2,
    "sorted": lambda z: z.sort()[0].cumsum(0),
    "layers": lambda z: torch.nn.functional.layer_norm(z.view(2, 3), (3,)).softmax(1),
    "windows": lambda z: torch.nn.functional.unfold(z.view(1, 1, 2, 3), (2, 2)),
    "factors": lambda z: torch.linalg.inv(WEIGHT + 3 * torch.diag(z + 4)),
    "in place": lambda z: z.clone().mul_(2).add_(z.exp()),
    "half unused": lambda z: z[:3].repeat(2) * 2.0,
    "independent": lambda z: z.detach() + torch.ones(6, requires_grad=True),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_plain_graphs_come_from_one_pass(name, monkeypatch):
    x = torch.linspace(-1, 2, 6, dtype=torch.float64)
    together, passes = seen(monkeypatch, ROWS[name], x)
    assert passes == 1
    monkeypatch.setattr(functional, "rows_at_once", lambda *args: None)
    alone, passes = seen(monkeypatch, ROWS[name], x)
    assert passes == alone[..., 0].numel()
    torch.testing.assert_close(together, alone, rtol=1e-12, atol=1e-12)
    assert together.is_contiguous()


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        assert g.shape == (6,)
        return 2 * g


def hooked(z):
    z.register_hook(lambda g: g + 0 * len(g.shape))
    return 2 * z


def hooked_on_the_way(z):
    y = 2 * z
    y.retain_grad()
    return y + 0


def under_hooks_of_saved_tensors(z):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        return z.square()


@pytest.mark.parametrize("func", [Doubled.apply, hooked, hooked_on_the_way,
                                  under_hooks_of_saved_tensors])
def test_rows_that_somebody_sees_come_one_by_one(func, monkeypatch):
    assert seen(monkeypatch, func, torch.arange(6.0))[1] == 6


def test_rows_of_large_tensors_come_in_several_batches(monkeypatch):
    func, x = ROWS["products"], torch.linspace(-1, 2, 6, dtype=torch.float64)
    whole = jacobian(func, x)
    monkeypatch.setattr(_at_once, "ROOM", 24)
    some, passes = seen(monkeypatch, func, x)
    assert passes == 2
    torch.testing.assert_close(some, whole)
    monkeypatch.setattr(_at_once, "ROOM", 23)
    assert seen(monkeypatch, func, x)[1] == 6


def test_rows_are_seen_one_by_one_where_anomalies_are_looked_for(monkeypatch):
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
        assert seen(monkeypatch, ROWS["products"], torch.ones(6, dtype=torch.float64))[1] == 6


def test_errors_are_those_of_a_single_row():
    def changed(z):
        y = z.exp()
        w = y * y
        y.add_(1)
        return w
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        jacobian(changed, torch.ones(6))


def test_forward_mode_of_tuples_gives_lists_as_pytorch_does():
    options = {"vectorize": True}
    pair = X[0].detach(), X[0].detach()
    rows = jacobian(lambda x, y: (x * y, y), pair, strategy="forward-mode", **options)
    curves = hessian(lambda x, y: (x * y * y).sum(), pair,
                     outer_jacobian_strategy="forward-mode", **options)
    assert [type(rows), type(rows[0]), type(curves), type(curves[0])] == [list] * 4
    assert type(jacobian(lambda x: (x, x), pair[0], strategy="forward-mode", **options)) is tuple
