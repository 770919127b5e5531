"""torch.func's smaller functions, and the names of functorch."""

import subprocess
import sys

import numpy as np
import pytest

import retrograd
from retrograd import functorch, nn
from retrograd.func import functionalize, rearrange
from retrograd.func.einops import DimensionBindError
from retrograd.functorch.experimental import chunk_vmap

PATTERNS = ["a b c -> c (b a)", "a ... -> ... a", "... -> ...", "a b c -> a b () c 1",
            "b 1 c ... -> b c ...", "a b c -> (a b c)", "... c -> c (...)", "a (b) c -> (c b) a"]
SIZES = [("(a b) c d -> a c (d b)", {"a": 2}), ("a b (c d) -> c a b d", {"c": 2, "d": 2}),
         ("(a b) ... -> a b ...", {"b": 1})]
MALFORMED = ["a b c", "a b -> b a", "a b c d -> a", "a b b -> a b", "a b (c 3) -> a", "a -> b -> c",
             "a b c -> a (b (c))", "a b c) -> a", "(a b c -> a", "... a ... -> a", "a-b c d -> a",
             "a b (...) -> a b ...", "a b c -> a b ... c", "a b _ -> a b _", "a b 4c -> a",
             "a. b -> a", "a b (c 0) -> a", " -> ", "a b c d ... -> a b c d ..."]
MISFITS = [("(a d) b c -> a d b c", {}), ("(a d) b c -> a d b c", {"a": 3}),
           ("(a d) b c -> a d b c", {"q": 3}), ("a b c -> c b a", {"a": 5}),
           ("a b c -> c b a", {"a": 2.0})]


def grid(torch):
    return torch.arange(24).reshape(2, 3, 4)


def test_rearrange():
    x = grid(retrograd)
    assert retrograd.equal(rearrange(x, "a b c -> c (b a)"), x.permute(2, 1, 0).reshape(4, 6))
    assert rearrange(x, "a ... -> a ...").data_ptr() == x.data_ptr()      # a view where it can be
    assert retrograd.equal(rearrange([x, x + 1], "n a b c -> a n b c")[:, 1], x + 1)
    mapped = retrograd.vmap(lambda t: rearrange(t, "b c -> (c b)"))(x)
    assert retrograd.equal(mapped, x.mT.reshape(2, -1))


def test_rearrange_drops_nothing():
    with pytest.raises(DimensionBindError, match="Dimension sizes"):
        rearrange(grid(retrograd), "a b 1 -> a b")


@pytest.mark.live
@pytest.mark.parametrize("pattern, sizes", [*((p, {}) for p in PATTERNS), *SIZES])
def test_rearrange_is_pytorchs(pattern, sizes):
    torch = pytest.importorskip("torch")
    shape = (3, 1, 2, 4) if "1 c" in pattern else (2, 3, 4)
    ours = rearrange(retrograd.arange(24).reshape(shape), pattern, **sizes)
    theirs = torch.func.rearrange(torch.arange(24).reshape(shape), pattern, **sizes)
    assert ours.tolist() == theirs.tolist()


@pytest.mark.live
@pytest.mark.parametrize("pattern, sizes", [*((p, {}) for p in MALFORMED), *MISFITS])
def test_rearrange_is_refused_in_pytorchs_words(pattern, sizes):
    torch = pytest.importorskip("torch")
    with pytest.raises(Exception) as theirs:  # noqa: B017, PT011
        torch.func.rearrange(grid(torch), pattern, **sizes)
    with pytest.raises(Exception) as ours:  # noqa: B017, PT011
        rearrange(grid(retrograd), pattern, **sizes)
    assert type(ours.value).__name__ == type(theirs.value).__name__
    up_to_names = 40                     # sets print in any order, and PyTorch's own names follow
    assert str(ours.value)[:up_to_names] == str(theirs.value)[:up_to_names]


def test_functionalize_runs_the_function():
    x = retrograd.ones(2, requires_grad=True)
    out = functionalize(lambda t: t.clone().mul_(3), remove="mutations_and_views")(x)
    assert out.tolist() == [3, 3]
    assert type(out.grad_fn).__name__ == "MulBackward0"
    with pytest.raises(RuntimeError, match="received invalid argument for remove=views"):
        functionalize(retrograd.sin, remove="views")


def test_functorch_says_where_its_names_went():
    with pytest.warns(FutureWarning, match=r"`functorch.grad` is deprecated .* `torch.func.grad`"):
        gradient = functorch.grad(retrograd.sin)
    assert gradient(retrograd.zeros(())) == 1
    with pytest.raises(NotImplementedError, match="make_fx"):
        functorch.make_fx(retrograd.sin)


@pytest.mark.filterwarnings("ignore:We've integrated functorch")
def test_functional_modules():
    model, x = nn.Linear(3, 2), retrograd.rand(4, 3)
    f, params = functorch.make_functional(model)
    assert retrograd.equal(f(params, x), model(x))
    assert all(p.requires_grad and p is not q
               for p, q in zip(params, model.parameters(), strict=True))
    _, constant = functorch.make_functional(model, disable_autograd_tracking=True)
    assert not any(p.requires_grad for p in constant)

    norm = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    with pytest.raises(RuntimeError, match="`model` has buffers"):
        functorch.make_functional(norm)
    f, params, buffers = functorch.make_functional_with_buffers(norm)
    assert len(buffers) == 3
    assert retrograd.allclose(f(params, buffers, x), norm(x))

    several = [nn.Linear(3, 2) for _ in range(3)]
    f, params, buffers = functorch.combine_state_for_ensemble(several)
    out = retrograd.vmap(f, (0, 0, None))(params, buffers, x)
    assert np.allclose(out.detach(), [m(x).detach() for m in several])
    with pytest.raises(RuntimeError, match="combine_state_for_ensemble: Expected all models to be"):
        functorch.combine_state_for_ensemble([model, norm])


def test_functorch_beside_torch():
    program = ("import retrograd; retrograd.install(); import functorch, functorch.einops, torch; "
               "from functorch.experimental import functionalize; "
               "assert functorch.einops.rearrange is torch.func.rearrange; "
               "assert functorch is retrograd.functorch")
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_pulling_back_outside_of_no_grad():
    x = retrograd.tensor(3.0, requires_grad=True)
    with retrograd.no_grad():
        value, pull = retrograd.func.vjp(lambda x: x**2, x)
    (slope,) = pull(retrograd.tensor(1.0))
    assert not value.requires_grad
    assert retrograd.autograd.grad(slope, x) == (retrograd.tensor(2.0),)


def test_keyword_arguments_are_shared_by_the_slices():
    for chunk_size in (None, 1):
        added = retrograd.vmap(lambda a, *, k: a + k, chunk_size=chunk_size)
        assert added(retrograd.ones(2, 3), k=retrograd.ones(2, 1)).shape == (2, 2, 3)


@pytest.mark.parametrize("chunks", [1, 2, 3, 7])
def test_chunk_vmap_is_vmap(chunks):
    shapes = []

    def double(x):
        shapes.append(x.shape)
        return x * 2
    found = chunk_vmap(double, in_dims=1, chunks=chunks)(retrograd.arange(10.).reshape(2, 5))
    assert found.tolist() == [[0, 10], [2, 12], [4, 14], [6, 16], [8, 18]]
    assert len(shapes) == min(chunks, 5)


@pytest.mark.parametrize("tangents, words", [
    ((), "have the same argspec as the primals"),
    ((retrograd.ones(3),), r"tangent:0 with shape torch.Size\(\[3\]\) in flattened pytree"),
    ((retrograd.ones(2).double(),), "tangent:0 with dtype torch.float64 in flattened pytree")])
def test_tangents_of_a_linear_approximation_must_fit(tangents, words):
    _, linear = retrograd.func.linearize(retrograd.sin, retrograd.zeros(2))
    with pytest.raises(RuntimeError, match=words):
        linear(*tangents)


def test_names_in_several_dicts_are_refused():
    one = {"weight": retrograd.ones(1, 1)}
    with pytest.raises(ValueError, match=r"\['weight'\] appeared in multiple dictionaries"):
        retrograd.func.functional_call(nn.Linear(1, 1), (one, one), retrograd.ones(1))


@pytest.mark.parametrize("inner", ["grad_and_value", "vjp", "aux"])
def test_forward_mode_through_the_value_that_a_transform_returns(inner):
    func = retrograd.func
    x, t = (retrograd.tensor(values).double() for values in ([0.3, -0.7], [1.0, 2.0]))

    def f(x):
        return (x * x.sin()).sum()

    def value(x):
        if inner == "vjp":
            return func.vjp(f, x)[0]
        if inner == "aux":
            return func.grad(lambda x: (f(x), f(x)), has_aux=True)(x)[1]
        return func.grad_and_value(f)(x)[1]
    want = func.jvp(f, (x,), (t,))[1]
    assert retrograd.allclose(func.jvp(value, (x,), (t,))[1], want)
    rows = retrograd.vmap(func.jacfwd(value))(retrograd.stack([x, t]))
    assert retrograd.allclose(rows[0] @ t, want)


def curved(x):
    y = x.log_softmax(-1)
    y = (retrograd.outer(x.reshape(-1), y.reshape(-1)).tanh() @ x.reshape(-1)).reshape(x.shape)
    return ((y * y).sum() * y).sum()


def test_the_tangent_of_a_tangent_lies_in_another_order_than_its_tensor():
    func, x = retrograd.func, retrograd.tensor([[0.3, -0.7], [1.1, 0.2]]).double()
    got = func.jvp(func.hessian(curved), (x,), (x.cos(),))[1]
    rows = func.jacrev(func.hessian(curved))(x)
    assert retrograd.allclose(got, (rows * x.cos()).sum((-1, -2)))
    again = func.vjp(lambda x: func.jvp(func.hessian(curved), (x,), (x.cos(),)), x)[0][1]
    assert retrograd.allclose(again, got)


def test_tangents_of_slices_of_a_chunk():
    x, y = retrograd.randn(1, 3).double(), retrograd.randn(3, 3).double()

    def rate(x, y):
        return retrograd.func.jvp(lambda y: y.sin(), (y,), (y.cos(),))[1] + x * 0
    got = retrograd.vmap(retrograd.vmap(rate, (None, -1), chunk_size=2), (0, None))(x, y)
    assert retrograd.allclose(got[0], y.t().cos() ** 2)


def test_writes_to_a_tensor_with_an_expanded_tangent():
    func, vmap = retrograd.func, retrograd.vmap
    x, y = retrograd.randn(3, 2).double(), retrograd.randn(2).double()

    def written(x, y):
        return x.clone().sub_(y).square_().flip(-1)

    def total(f):
        return lambda y: vmap(f, (0, None))(x, y).sum()
    want = func.hessian(total(lambda x, y: (x - y) ** 2))(y)
    assert retrograd.allclose(func.hessian(total(written))(y), want)
    twice = func.grad(lambda x, y: func.hessian(lambda y: vmap(written, (0, None))(x, y).sum())(y)
                      .mul(y.cos()).sum(), (0, 1))(x, y)
    assert retrograd.allclose(twice[1], -(want * y.sin()).sum(0))
    assert twice[0].eq(0).all()


@pytest.mark.parametrize("f", [
    lambda x: (x * x).max(-1)[0], lambda x: (x * x).min(0)[0],
    lambda x: (x * x).max(-1, keepdim=True)[0].sum(), lambda x: (x[0] * x[1]).max(0)[0]])
def test_second_derivatives_of_the_extreme_of_a_vector(f):
    func, x = retrograd.func, retrograd.tensor([0.3, 0.5, -0.2]).double()
    want = func.jacrev(func.jacrev(f))(x)
    assert want.abs().sum()
    for outer, inner in ((func.jacfwd, func.jacrev), (func.jacfwd, func.jacfwd),
                         (func.jacrev, func.jacfwd)):
        assert retrograd.equal(outer(inner(f))(x), want)
    rows = retrograd.stack([x, x.flip(0), -x])
    assert retrograd.equal(retrograd.vmap(func.hessian(f))(rows),
                           retrograd.stack([func.hessian(f)(row) for row in rows]))


@pytest.mark.parametrize("name", ["eigvals", "svdvals", "eigvalsh"])
def test_memory_without_numbers_is_not_taken_for_phases(name, monkeypatch):
    """The array of a tensor that stands for a batch has a shape only: nothing there is read."""
    from retrograd.ops import batching
    make, func = batching._shape, retrograd.func

    def dirty(shape, dtype):
        made = make(shape, dtype)
        np.asarray(made)[...] = 1j if dtype.kind == "c" else 1
        return made

    weight = retrograd.tensor([[0.1, 1.0, 0.4], [-1.0, 1.8, 2.2], [0.9, 0.9, -0.2]]).double()

    def f(x):
        matrix = (weight * x).to(retrograd.complex128) + 3j * retrograd.eye(3)
        matrix = matrix + matrix.mH if name == "eigvalsh" else matrix
        return getattr(retrograd.linalg, name)(matrix).abs().sin().sum()
    x = retrograd.tensor([0.3, -0.7, 1.1]).double()
    want = retrograd.autograd.functional.hessian(f, x)
    monkeypatch.setattr(batching, "_shape", dirty)
    assert retrograd.allclose(func.jacrev(func.jacrev(f))(x), want)


def test_a_library_asks_whether_grad_is_under_way():
    from retrograd._C._functorch import is_gradtrackingtensor
    captured, seen = retrograd.ones(3, requires_grad=True), []

    def f(x):
        seen.extend(map(is_gradtrackingtensor, (x, x * 2, captured * x, captured)))
        return (x * captured).sum()
    x = retrograd.ones(3)
    f(x)
    retrograd.func.grad(f)(x)
    retrograd.func.jacrev(f)(x)
    retrograd.func.vjp(f, x)
    f(captured)
    assert seen == [False] * 4 + [True, True, True, False] * 3 + [False] * 4


TF = retrograd.func
CUBE = {
    "grad": lambda x: TF.grad(lambda a: (a**3).sum())(x),
    "grad of grad": lambda x: TF.grad(
        lambda a: TF.grad(lambda b: (b**3).sum())(a).sum())(x),
    "vjp": lambda x: TF.vjp(lambda a: a**3, x)[1](retrograd.ones(2))[0],
    "jacrev": lambda x: TF.jacrev(lambda a: a**3)(x),
    "jacfwd of grad": lambda x: TF.jacfwd(TF.grad(lambda a: (a**3).sum()))(x),
    "jvp of grad": lambda x: TF.jvp(TF.grad(lambda a: (a**3).sum()), (x,), (x,))[1],
    "hessian": lambda x: TF.hessian(lambda a: (a**3).sum())(x),
    "vmap": lambda x: TF.vmap(TF.grad(lambda a: a**3))(x),
    "beside a constant": lambda x: TF.grad(lambda a, b: (a * b * a).sum())(x + 1, x),
    "captured": lambda x: TF.grad(lambda a: (a * x * a).sum())(x + 1),
}


@pytest.mark.parametrize("name", CUBE)
def test_transforms_differentiate_in_inference_mode(name):
    """Its tensors too, inside of it and outside; what a transform returns is an ordinary tensor."""
    plain = retrograd.tensor([1., 2.])
    expected = CUBE[name](plain).tolist()
    with retrograd.inference_mode():
        marked = plain.clone()
        for x in (plain, marked):
            found = CUBE[name](x)
            assert found.tolist() == expected and not found.requires_grad
        assert retrograd.is_inference_mode_enabled() and not retrograd.is_grad_enabled()
    assert marked.is_inference() and CUBE[name](marked).tolist() == expected


def test_inference_mode_ends_at_a_transform_and_goes_on_after_it():
    seen = []

    def f(x):
        seen.append((retrograd.is_inference_mode_enabled(), (x * 2).is_inference()))
        raise KeyError

    with retrograd.inference_mode():
        with pytest.raises(KeyError):
            TF.grad(f)(retrograd.ones(()))
        assert retrograd.is_inference_mode_enabled() and retrograd.ones(()).is_inference()
    assert seen == [(False, False)]
    assert retrograd.is_grad_enabled() and not retrograd.ones(()).is_inference()


@pytest.mark.parametrize(("argnums", "error"), [
    ((0, 2), "Got argnum=2, but only 2 positional inputs"),
    ((0, -2), "argnums elements must be unique, got (0, 0)")])
def test_argnums_that_do_not_fit(argnums, error):
    for transform in (retrograd.func.grad, retrograd.func.jacrev, retrograd.func.jacfwd):
        with pytest.raises(RuntimeError) as raised:
            transform(lambda x, y: (x * y).sum(), argnums)(retrograd.ones(2), retrograd.ones(2))
        assert str(raised.value) == error
