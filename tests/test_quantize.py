"""Fake quantization: rounding to a grid, with the gradient of the identity inside its range."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd

RNG = np.random.default_rng(0)
NUMBERS = np.concatenate([RNG.standard_normal((3, 40)) * 4,
                          np.tile([np.nan, np.inf, -np.inf, 0.0], (3, 1))], 1)
GRIDS = [(0.1, 3, -8, 7), (1 / 3, 0, 0, 255), (0.05, -5, -8, 7), (1e-3, 7, -8, 7)]
DTYPES = ("float32", "float64", "float16", "bfloat16")
ZERO_POINTS = [([0, 3, -2], "int32"), ([0.5, 30.25, -2], "float32"), ([0.5, 30.25, -2], "float16")]


def per_tensor(torch, dtype, grid, in_tensors=False):
    """The rounded numbers, the gradient's and the second derivative's."""
    x = torch.tensor(NUMBERS).to(getattr(torch, dtype)).requires_grad_()
    scale, zero_point, *ends = grid
    if in_tensors:
        scale, zero_point = torch.tensor(scale), torch.tensor(zero_point, dtype=torch.int32)
    return derivatives(torch, x, torch.fake_quantize_per_tensor_affine(x, scale, zero_point, *ends))


def per_channel(torch, dtype, zero_point, axis):
    numbers = np.where(NUMBERS == np.inf, 0, NUMBERS)    # PyTorch takes inf for the least number
    x = torch.tensor(numbers if axis == 0 else numbers.T.copy())
    x = x.to(getattr(torch, dtype)).requires_grad_()
    zero_point = torch.tensor(zero_point[0], dtype=getattr(torch, zero_point[1]))
    y = torch.fake_quantize_per_channel_affine(
        x, torch.tensor([0.1, 0.25, 1 / 3]), zero_point, axis, -8, 7)
    return derivatives(torch, x, y)


def derivatives(torch, x, y):
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return [t.detach().double().tolist() for t in (y, g, h)], str(y.dtype), y.grad_fn.name()


@pytest.mark.live
@pytest.mark.parametrize("dtype", DTYPES)
def test_bit_for_bit_as_pytorch(dtype):
    torch = pytest.importorskip("torch")
    for case in [(per_tensor, dtype, grid, tensors) for grid in GRIDS for tensors in (False, True)
                 ] + [(per_channel, dtype, zero, axis) for zero in ZERO_POINTS for axis in (0, 1)]:
        function, *given = case
        ours, theirs = function(retrograd, *given), function(torch, *given)
        assert ours[1:] == theirs[1:]
        np.testing.assert_array_equal(ours[0], theirs[0])


def test_parameters_may_be_numbers_in_tensors():
    x, half, one = retrograd.tensor(NUMBERS), retrograd.tensor(0.5), retrograd.tensor(1)
    first, *others = (retrograd.fake_quantize_per_tensor_affine(x, *given, 0, 7)
                      for given in ((0.5, 1), (half, 1), (0.5, one), (half, one)))
    assert all(retrograd.equal(first, other) for other in others)


@pytest.mark.parametrize("grid", GRIDS)
def test_the_nearest_number_of_the_grid(grid):
    scale, zero_point, low, high = grid
    finite = NUMBERS[:, :40].astype("f")
    y = retrograd.fake_quantize_per_tensor_affine(retrograd.tensor(finite), *grid).numpy()
    points = (np.arange(low, high + 1) - zero_point) * scale
    gap = np.abs(finite[..., None] - points).min(-1)
    np.testing.assert_allclose(np.abs(finite - y), gap, atol=1e-5)


def test_channels_are_rounded_each_by_its_own_grid():
    scale, zero = retrograd.tensor([0.1, 0.25, 0.5]), retrograd.tensor([0, 3, -2]).int()
    x = retrograd.tensor(NUMBERS, requires_grad=True)
    rows = [retrograd.fake_quantize_per_tensor_affine(row, s.item(), z.item(), -8, 7)
            for row, s, z in zip(x, scale, zero, strict=True)]
    for axis, given in ((0, x), (1, x.T)):
        y = retrograd.fake_quantize_per_channel_affine(given, scale, zero, axis, -8, 7)
        retrograd.testing.assert_close(y if axis == 0 else y.T, retrograd.stack(rows))
        (ours,) = retrograd.autograd.grad(y.sum(), x)
        (theirs,) = retrograd.autograd.grad(retrograd.stack(rows).sum(), x, retain_graph=True)
        assert retrograd.equal(ours, theirs)


WRONG = (
    "tensor(x, 0.5, 1, 7, 0)", "tensor(x, 0.5, 100, 0, 7)", "tensor(x.long(), 0.5, 1, 0, 7)",
    "tensor(x)", "tensor(x, s[0].requires_grad_(), z[0], 0, 7)",
    "channel(x, s, z.long(), 0, 0, 7)", "channel(x, s.double(), z, 0, 0, 7)",
    "channel(x, s, z, 2, 0, 7)", "channel(x, s, z, -2, 0, 7)", "channel(x, s, z, 1, 0, 7)",
    "channel(x, s, z[:1], 0, 0, 7)", "channel(x, s[None], z, 0, 0, 7)",
    "channel(x, s, z[None], 0, 0, 7)", "channel(x, s, z, 0, 9, 7)",
    "channel(x, s, z + 100, 0, 0, 7)", "channel(x.int(), s, z, 0, 0, 7)")


def said(torch, code):
    scope = {"tensor": torch.fake_quantize_per_tensor_affine, "x": torch.ones(2, 3),
             "channel": torch.fake_quantize_per_channel_affine, "s": torch.tensor([0.1, 0.2]),
             "z": torch.tensor([0, 3], dtype=torch.int32)}
    try:
        eval(code, scope)
    except Exception as error:
        return type(error).__name__, str(error)
    raise AssertionError(code)


@pytest.mark.live
@pytest.mark.parametrize("code", WRONG)
def test_errors_are_pytorchs(code):
    torch = pytest.importorskip("torch")
    assert said(retrograd, code) == said(torch, code)


@pytest.mark.parametrize("code", WRONG)
def test_wrong_arguments_are_refused(code):
    assert said(retrograd, code)[0] in ("RuntimeError", "TypeError", "IndexError",
                                        "NotImplementedError")


@pytest.mark.parametrize("dim", [0, 2])
def test_channels_under_vmap_are_those_of_each_slice(dim):
    x = retrograd.randn(3, 3, 3)
    scale, zero = retrograd.tensor([0.3, 0.1, 1.0]), retrograd.zeros(3, dtype=retrograd.int32)

    def rounded(a):
        return retrograd.fake_quantize_per_channel_affine(a, scale, zero, 1, -8, 7)

    found = retrograd.vmap(rounded, in_dims=dim)(x)
    assert retrograd.equal(found, retrograd.stack([rounded(a) for a in x.unbind(dim)]))
