"""Differences, histograms of points, scattered slices, masked reductions, windows."""

import numpy as np
import pytest

import retrograd as torch
from retrograd.autograd import gradcheck

RNG = np.random.default_rng(11)


def draw(*shape):
    return torch.tensor(RNG.standard_normal(shape), requires_grad=True)


@pytest.mark.parametrize(("n", "dim"), [(0, 0), (1, 0), (1, -1), (2, 1), (9, 0)])
def test_diff(n, dim):
    x = draw(4, 5)
    np.testing.assert_array_equal(
        torch.diff(x, n, dim).detach().numpy(), np.diff(x.detach().numpy(), n, dim))
    made = torch.diff(x, 1, 0, prepend=x[:1], append=x[2:])
    whole = np.diff(x.detach().numpy(), 1, 0, x.detach().numpy()[:1], x.detach().numpy()[2:])
    np.testing.assert_array_equal(made.detach().numpy(), whole)


def test_diff_of_bools_and_errors():
    assert torch.diff(torch.tensor([True, True, False])).tolist() == [False, True]
    mixed = torch.diff(torch.ones(2), prepend=torch.tensor([4]))
    assert mixed.dtype is torch.float32 and mixed.tolist() == [-3, 0]
    with pytest.raises(RuntimeError, match="diff expects input to be at least one-dimensional"):
        torch.diff(torch.tensor(1.0))


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient_is_numpys(edge_order):
    x = draw(5, 6)
    places = torch.tensor([0.0, 0.5, 2.0, 2.5, 4.0, 7.0], dtype=torch.float64)
    for spacing, dim, numpys in ((1, None, (1,)), ([2.0, 0.5], None, (2.0, 0.5))):
        made = torch.gradient(x, spacing=spacing, dim=dim, edge_order=edge_order)
        whole = np.gradient(x.detach().numpy(), *numpys, edge_order=edge_order)
        for a, b in zip(made, whole, strict=True):
            np.testing.assert_allclose(a.detach().numpy(), b, atol=1e-13)
    (made,) = torch.gradient(x, spacing=(places,), dim=1, edge_order=edge_order)
    whole = np.gradient(x.detach().numpy(), places.numpy(), axis=1, edge_order=edge_order)
    np.testing.assert_allclose(made.detach().numpy(), whole, atol=1e-12)
    assert gradcheck(lambda t: torch.gradient(t, spacing=(places,), dim=1), x)


def test_histogram_of_a_hundred_bins_or_of_edges_that_need_no_range():
    x = torch.arange(3.0)
    hist, edges = torch.histogram(x)
    assert hist.nonzero().flatten().tolist() == [0, 50, 99] and len(edges) == 101
    with pytest.raises(TypeError, match=r"got \(Tensor, Tensor, range=tuple\), but expected"):
        torch.histogram(x, x, range=(0, 1))


@pytest.mark.parametrize("density", [False, True])
def test_histogramdd(density):
    points, weight = RNG.standard_normal((50, 2)), RNG.uniform(1, 2, 50)
    hist, edges = torch.histogramdd(
        torch.tensor(points), [3, 4], weight=torch.tensor(weight), density=density)
    whole, numpys = np.histogramdd(points, [3, 4], weights=weight, density=density)
    np.testing.assert_allclose(hist.numpy(), whole, rtol=1e-12)
    for a, b in zip(edges, numpys, strict=True):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-12)


@pytest.mark.live
@pytest.mark.parametrize("call", ["histogram(x, 3).hist", "histogram(x, 3).bin_edges",
                                  "histogram(x, x[0].sort()[0]).hist", "histogramdd(x, 3).hist",
                                  "geqrf(x).tau"])
def test_what_has_no_derivative_is_recorded(call):
    theirs = pytest.importorskip("torch")
    found, expected = (derivative_of(t, call) for t in (torch, theirs))
    assert found == expected


def derivative_of(torch, call):
    x = torch.tensor([[0.5, 1.5], [2.5, 3.0]], requires_grad=True)
    with pytest.raises(RuntimeError, match="is not implemented") as refusal:
        eval(f"torch.{call}", {"x": x, "torch": torch}).sum().backward()
    return refusal.type, str(refusal.value).splitlines()[0]


@pytest.mark.parametrize(("scatter", "view", "args"), [
    ("select_scatter", "select", (1, 2)),
    ("slice_scatter", None, (1, 0, 4, 2)),
    ("diagonal_scatter", "diagonal", (1,)),
    ("as_strided_scatter", "as_strided", ((2, 2), (5, 2))),
])
def test_scatter_is_a_write_through_the_view(scatter, view, args):
    x = draw(4, 5)
    look = (lambda t: t[:, 0:4:2]) if view is None else lambda t: getattr(t, view)(*args)
    src = draw(*look(x).shape)
    made = getattr(torch, scatter)(x, src, *args)
    assert torch.equal(look(made), src)
    assert gradcheck(lambda a, b: getattr(torch, scatter)(a, b, *args), (x, src))
    with pytest.raises(RuntimeError, match="expected src to have a size equal to the slice"):
        getattr(torch, scatter)(x, draw(7), *args)


def test_copies_share_nothing():
    x = draw(3, 4).detach()
    for made in (torch.view_copy(x, (4, 3)), torch.t_copy(x), torch.unbind_copy(x)[0],
                 torch.select_copy(x, 0, 1), torch.fill(x, 2.0)):
        assert not np.shares_memory(made.numpy(), x.numpy())


def test_masked_reductions():
    x, mask = draw(4, 6), torch.tensor(RNG.uniform(size=(4, 6)) > 0.4)
    rows = [r[m] for r, m in zip(x.detach().numpy(), mask.numpy(), strict=True)]
    for name, numpys in (("sum", np.sum), ("prod", np.prod), ("mean", np.mean), ("amax", np.max),
                         ("amin", np.min), ("norm", np.linalg.norm)):
        made = getattr(torch.masked, name)(x, dim=1, mask=mask)
        np.testing.assert_allclose(made.detach().numpy(), [numpys(r) for r in rows], rtol=1e-12)
    made = torch.masked.std(x, 1, unbiased=True, mask=mask)
    np.testing.assert_allclose(made.detach().numpy(), [r.std(ddof=1) for r in rows], rtol=1e-12)
    soft = torch.masked.softmax(x, 1, mask=mask)
    np.testing.assert_allclose(soft.sum(1).detach().numpy(), 1)
    assert (soft[~mask] == 0).all()
    assert gradcheck(lambda t: torch.masked.var(t, 1, mask=mask), x)


@pytest.mark.parametrize("m", [1, 2, 7, 8])
def test_windows_are_numpys(m):
    windows = torch.signal.windows
    for name, numpys in (("hann", np.hanning), ("hamming", np.hamming), ("bartlett", np.bartlett),
                         ("blackman", np.blackman)):
        made = getattr(windows, name)(m, dtype=torch.float64).numpy()
        np.testing.assert_allclose(made, numpys(m), atol=1e-15)
        periodic = getattr(windows, name)(m, sym=False, dtype=torch.float64).numpy()
        np.testing.assert_allclose(periodic, numpys(m + 1)[:m] if m > 1 else [1.0], atol=1e-15)
    made = windows.kaiser(m, beta=5.0, dtype=torch.float64).numpy()
    np.testing.assert_allclose(made, np.kaiser(m, 5.0), rtol=1e-7)
    with pytest.raises(ValueError, match="requires non-negative window length, got M=-1"):
        windows.hann(-1)


def test_windows_of_whole_numbers_are_refused():
    options = ("device=cpu, layout=Strided (default), requires_grad=false (default), "
               "pinned_memory=false, memory_format=(nullopt))")
    for dtype, name in ((torch.int64, "long int"), (torch.uint8, "unsigned char")):
        with pytest.raises(RuntimeError) as error:
            torch.hann_window(4, dtype=dtype)
        assert str(error.value) == ("hann_window expects floating point dtypes, got: "
                                    f"TensorOptions(dtype={name}, {options}")
    with pytest.raises(NotImplementedError, match="arange_cpu\" not implemented for 'ComplexF"):
        torch.kaiser_window(4, dtype=torch.complex64)


def test_the_second_derivative_of_sinc_at_0():
    x = torch.tensor([0.0, -0.4], dtype=torch.float64, requires_grad=True)
    slope, = torch.autograd.grad(torch.sinc(x).sum(), x, create_graph=True)
    bend, = torch.autograd.grad(slope.sum(), x)
    assert not slope[0].signbit()
    np.testing.assert_allclose(bend[0].item(), -np.pi ** 2 / 3, rtol=1e-15)
    again = torch.func.hessian(lambda x: torch.sinc(x).sum())(x.detach())
    np.testing.assert_allclose(again.diag().numpy(), bend.numpy(), rtol=1e-14)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.uint8])
def test_integers_that_a_recorded_tensor_is_copied_to_have_no_gradient(dtype):
    x, recorded = torch.zeros(3, dtype=dtype), torch.ones(3, requires_grad=True) * 1
    x.copy_(recorded)
    x[:1].copy_(recorded[:1])
    assert x.tolist() == [1, 1, 1] and not x.requires_grad and x.grad_fn is None


def test_the_sum_to_no_dimensions_is_a_new_tensor():
    x = torch.tensor(2., requires_grad=True) * 1
    assert type(x.sum_to_size(()).grad_fn).__name__ == "SumBackward0"
    assert x.sum_to_size(()) is not x


@pytest.mark.parametrize(("f", "at", "first", "second"), [
    (torch.nn.functional.elu, 0.0, 1, 0), (torch.nn.functional.selu, 0.0, 1.7580993, 0),
    (lambda x: torch.nn.functional.celu(x, 2.0), 0.0, 1, 0),
    (lambda x: torch.nn.functional.elu(x * 1, 3.0, inplace=True), 0.0, 3, 0),
    (lambda x: torch.nn.functional.huber_loss(x, x.detach() * 0), -1.0, -1, 0),
    (lambda x: torch.nn.functional.huber_loss(x, x.detach() * 0), 0.5, 0.5, 1),
])
def test_second_derivatives_where_two_pieces_meet(f, at, first, second):
    """PyTorch's, by which the piece that is curved ends before the place."""
    x = torch.tensor(at, requires_grad=True)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    assert (g.item(), h.item()) == (pytest.approx(first), second)


def test_what_is_masked_out_passes_no_gradient_through_the_pole_of_a_logarithm():
    x = torch.tensor([0.5, 0.0, 2.0, 1.0], requires_grad=True)
    for f, poles in ((torch.xlogy, [0.0, 0.0, -1.0, 3.0]),
                     (torch.special.xlog1py, [-1.0, -1.0, -2.0, 2.0])):
        y = torch.tensor(poles)
        kept = torch.where(y > 0, f(x, y), 0.0)
        (g,) = torch.autograd.grad(kept.sum(), x)
        assert g.tolist() == [0, 0, 0, pytest.approx(np.log(3))]


@pytest.mark.parametrize("g", [np.inf, np.nan])
def test_zeros_in_a_product_stop_an_infinite_gradient(g):
    """Of two zeros the products of all others are 0, and nothing is multiplied by them."""
    for numbers in ([0.0, 0.0, 3.0], [[0.0, 2.0], [0.0, 1.0]]):
        x = torch.tensor(numbers, requires_grad=True)
        assert not torch.autograd.grad(x.prod(), x, torch.tensor(g))[0].any()


def test_the_gradient_of_xlog1py_is_exact_near_0():
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(torch.special.xlog1py(x, torch.tensor(1e-20)), x)
    assert g.item() == pytest.approx(1e-20)


def test_lerp_names_the_dtypes_that_differ():
    for dtype, name in ((torch.int16, "short int"), (torch.int64, "long int"),
                        (torch.uint16, "short unsigned int")):
        with pytest.raises(RuntimeError) as refusal:
            torch.lerp(torch.ones(1), torch.ones(1, dtype=dtype), 0.5)
        assert str(refusal.value) == f"expected dtype float for `end` but got dtype {name}"


def test_max_and_amax_are_one_reduction_forward_alone():
    """PyTorch's gradient of scatter_reduce knows "amax" only."""
    x, at = torch.tensor([1.0, 5.0, 2.0], requires_grad=True), torch.tensor([0, 0, 1])
    for name, other in (("max", "amax"), ("min", "amin")):
        found = torch.zeros(2).scatter_reduce(0, at, x, name, include_self=False)
        assert torch.equal(found, torch.zeros(2).scatter_reduce(0, at, x, other,
                                                                include_self=False))
        with pytest.raises(RuntimeError) as refusal:
            found.sum().backward()
        assert str(refusal.value) == ("Expected 'reduce' to be one of 'sum', 'prod', 'mean', "
                                      f"'amax', 'amin' but got {name}.")
        pieces = [torch.segment_reduce(x, kind, lengths=torch.tensor([2, 1]))
                  for kind in (name, other)]
        assert torch.equal(*pieces)
        torch.autograd.grad(pieces[1].sum(), x)


@pytest.mark.parametrize("name", ["amax", "amin"])
def test_the_gradient_of_a_nan_is_nan_wherever_it_was_compared(name):
    x = torch.tensor([[1.0, np.nan, 3.0], [2.0, 2.0, 2.0]], requires_grad=True)
    getattr(x, name)(1).sum().backward()
    assert x.grad[0].isnan().all()
    torch.testing.assert_close(x.grad[1], torch.full((3,), 1 / 3))


@pytest.mark.parametrize("name", ["amax", "amin", "max", "min"])
def test_the_tangent_of_a_nan_is_nan(name):
    x = torch.tensor([1.0, np.nan, 3.0])
    _, tangent = torch.func.jvp(lambda x: getattr(x, name)(), (x,), (torch.ones(3),))
    assert tangent.isnan()
