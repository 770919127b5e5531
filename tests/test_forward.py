"""Forward mode where memory is written to: views that were there before have the tangent, too."""

import pytest

import retrograd
from retrograd.autograd import forward_ad
from retrograd.func import jvp, vjp


def a_view_before(torch, d):
    b = torch.zeros(2, 3, dtype=d.dtype)
    v, w = b[0], b[:, 1:]
    b.copy_(d)
    return v, w * 2, b


def through_a_view(torch, d):
    b = torch.zeros(2, 3, dtype=d.dtype)
    v, w = b[0], b[:, 1:]
    v.copy_(d[0])
    return v, w, b, w * 2


def other_layouts(torch, d):
    b = torch.zeros(3, 2, dtype=d.dtype).t()
    v, u = b.t()[1], b[0]
    b.add_(d)
    return v, u * u, b


def expanded_and_turned(torch, d):
    b = torch.zeros(2, 3, dtype=d.dtype)
    v, x = b.expand(2, 2, 3), b.unsqueeze(0).transpose(0, 2)
    b.copy_(d * d)
    return v, x, x * x


def a_recorded_base(torch, d):
    b = torch.zeros(2, 3, dtype=d.dtype, requires_grad=True).clone()
    v = b[0]
    b.mul_(d)
    b.add_(d)
    return v, v * 2, b


def written_again(torch, d):
    b = torch.zeros(2, 3, dtype=d.dtype)
    v, w = b[0], b[1]
    b.copy_(d)
    v.mul_(3)
    w.zero_()
    return v, w, b, b[0]


def element_by_element(torch, d):
    b = torch.zeros(2, 3, dtype=d.dtype)
    v = b[0]
    b[1] = d[0]
    b[0, 1] = d[1, 1] * d[1, 1]
    return v, b


def the_first_of_a_vector(torch, d):
    b = torch.zeros(4, dtype=d.dtype)
    b[:3] = d[0]
    return b * b, b[1:]


def complex_from_real(torch, d):
    b = torch.zeros(3, dtype=torch.complex128)
    v = torch.view_as_real(b)
    r = v[:, 0]
    b.copy_(torch.complex(d[0], d[1]))
    return v, r * r


def real_of_complex(torch, d):
    b = torch.zeros(3, dtype=torch.complex128)
    v = torch.view_as_real(b)
    v.copy_(d.t())
    return v, torch.view_as_real(b * b)


PROGRAMS = [a_view_before, through_a_view, other_layouts, expanded_and_turned, a_recorded_base,
            written_again, element_by_element, the_first_of_a_vector, complex_from_real,
            real_of_complex]
by_name = pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)


def inputs(torch):
    d = torch.arange(6, dtype=torch.float64).reshape(2, 3).sin() + 2
    return d, d.cos()


@by_name
def test_forward_is_the_transpose_of_reverse(program):
    d, t = inputs(retrograd)

    def f(d):
        return program(retrograd, d)

    outs, rates = jvp(f, (d,), (t,))
    values, pull = vjp(f, d)
    weights = tuple(v.exp() for v in values)
    (back,) = pull(weights)
    forth = sum((w * r).sum() for w, r in zip(weights, rates, strict=True))
    assert all(retrograd.equal(a, b) for a, b in zip(outs, values, strict=True))
    assert retrograd.allclose(forth, (back * t).sum())


@by_name
def test_second_derivatives(program):
    d, t = inputs(retrograd)

    def rate(d):
        return jvp(lambda d: program(retrograd, d)[0] * 1, (d,), (t,))[1]

    step = 1e-6
    numerical = (rate(d + step * t) - rate(d - step * t)) / (2 * step)
    assert retrograd.allclose(jvp(rate, (d,), (t,))[1], numerical, atol=1e-6)


@pytest.mark.live
@by_name
def test_tangents_are_pytorchs(program):
    torch = pytest.importorskip("torch")
    found = [tangents(lib, program) for lib in (retrograd, torch)]
    assert found[0] == found[1]


def tangents(torch, program):
    fw = torch.autograd.forward_ad
    d, t = inputs(torch)
    with fw.dual_level():
        outs = program(torch, fw.make_dual(d.clone(), t))
        rates = [fw.unpack_dual(o).tangent for o in outs]
        return [[round(x, 9) for x in torch.view_as_real(r + 0j).flatten().tolist()]
                for r in rates]


def test_a_detached_view_gets_no_tangent():
    d, t = inputs(retrograd)
    with forward_ad.dual_level():
        b = retrograd.zeros_like(d)
        v = b.detach()
        b.copy_(forward_ad.make_dual(d, t))
        assert forward_ad.unpack_dual(v).tangent is None
        assert forward_ad.unpack_dual(b).tangent is not None


def mask(torch):
    return torch.tensor([True, False, True])


def overwritten(torch, x, index, value):
    y = x.clone()
    y[index] = value
    return y


INFINITE = {
    "where": lambda torch, x: torch.where(x > 0, x.sqrt(), 0.0),
    "where, -inf": lambda torch, x: torch.where(x > 0, x.log(), -torch.inf).exp(),
    "masked_fill": lambda torch, x: x.masked_fill(mask(torch), -torch.inf).softmax(0),
    "masked_fill, tensor": lambda torch, x: x.masked_fill(
        mask(torch), torch.tensor(-torch.inf, dtype=x.dtype)).exp(),
    "x[mask] =": lambda torch, x: overwritten(torch, x, mask(torch), -torch.inf).exp(),
    "x[0] =": lambda torch, x: overwritten(torch, x, 0, -torch.inf).exp(),
    "x[index] =": lambda torch, x: overwritten(
        torch, x, torch.tensor([2]), torch.tensor(torch.inf, dtype=x.dtype)).clamp(-5, 5),
    "copy_": lambda torch, x: x.clone().copy_(torch.full((3,), torch.inf)) * 0.5 + x,
    "fill_": lambda torch, x: (1 / x).fill_(2.0) * x,
    "zero_": lambda torch, x: (1 / x).zero_() + x,
    "index_copy": lambda torch, x: x.index_copy(
        0, torch.tensor([0]), torch.full((1,), torch.inf, dtype=x.dtype)),
    "masked_scatter": lambda torch, x: x.masked_scatter(
        mask(torch), torch.full((3,), torch.inf, dtype=x.dtype)),
    "complex": lambda torch, x: torch.complex(x, torch.full_like(x, torch.inf)).real,
    "slope of std": lambda torch, x: torch.func.grad(lambda x: (x * 0).std())(x),
    "slope of norm": lambda torch, x: torch.func.grad(lambda x: (x - x.detach()).norm())(x),
}


def pushed(torch, name):
    x = torch.tensor([0.0, 1.0, -2.0], dtype=torch.float64)
    return torch.func.jvp(lambda x: INFINITE[name](torch, x), (x,), (torch.ones_like(x),))[1]


@pytest.mark.parametrize("name", INFINITE)
def test_infinite_values_and_slopes_beside_constants(name):
    """What is masked or constant has the tangent zero, whatever stands beside it."""
    assert retrograd.isfinite(pushed(retrograd, name)).all()


@pytest.mark.live
@pytest.mark.parametrize("name", INFINITE)
def test_infinite_values_and_slopes_as_in_pytorch(name):
    torch = pytest.importorskip("torch")
    assert pushed(retrograd, name).tolist() == pushed(torch, name).tolist()


def test_asking_a_dual_view_for_its_node_changes_nothing():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(retrograd.ones(2, 2), retrograd.ones(2, 2)).clone()
        view = dual[0]
        dual.mul_(2)
        assert view.grad_fn is None and not view.requires_grad


def test_attention_moves_with_its_mask_and_twice_where_it_is_causal():
    retrograd.manual_seed(0)
    query, key, value = (retrograd.randn(1, 2, 3, 4, dtype=retrograd.float64, requires_grad=True)
                         for _ in range(3))
    mask = retrograd.randn(3, 3, dtype=retrograd.float64, requires_grad=True)
    attention = retrograd.nn.functional.scaled_dot_product_attention
    assert retrograd.autograd.gradcheck(attention, (query, key, value, mask), check_forward_ad=True)
    assert retrograd.autograd.gradgradcheck(
        lambda *parts: attention(*parts, is_causal=True), (query, key, value),
        check_fwd_over_rev=True)


def test_a_level_remembers_a_tensor_once():
    with forward_ad.dual_level():
        x = forward_ad.make_dual(retrograd.ones(3), retrograd.ones(3))
        for _ in range(4):
            x.sin()
        assert [r() for r in forward_ad._levels.open[0]].count(x) == 1


def test_the_tangent_of_a_view_lies_as_the_view_does():
    x = retrograd.arange(6.0)
    with forward_ad.dual_level():
        for t in (x, x[1:], x.reshape(2, 3).t()):
            tangent = retrograd.ones(t.shape)
            dual = forward_ad.make_dual(t, tangent)
            moved = forward_ad.unpack_dual(dual).tangent
            assert (moved._data is tangent._data) == (t is x) and moved.stride() == t.stride()
