"""Sums of half precision are rounded once: as near to the truth as float32 is, whatever adds up."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as torch
from retrograd import _dtype
from retrograd.nn import functional as F

pytest.importorskip("ml_dtypes")
ZEROS = torch.zeros(300, dtype=torch.int64)

SUMS = {
    "bias of linear": (lambda x: F.linear(torch.ones(300, 2, dtype=x.dtype), x[:, :2], x[:, 0]),
                       (5, 3)),
    "bias of convolution": (lambda x: F.conv2d(torch.ones(4, 1, 9, 9, dtype=x.dtype), x,
                                               x[:, 0, 0, 0]), (3, 1, 2, 2)),
    "weight of prelu": (lambda x: F.prelu(-torch.ones(30, 20, dtype=x.dtype), x), (1,)),
    "broadcast": (lambda x: torch.ones(300, 8, dtype=x.dtype) * x, (8,)),
    "expand": (lambda x: x.expand(300, 8) * 1, (8,)),
    "repeat": (lambda x: x.repeat(30, 20), (2, 3)),
    "gather": (lambda x: x.gather(0, ZEROS[:, None].expand(300, 4)), (2, 4)),
    "index_select": (lambda x: x.index_select(0, ZEROS), (2, 4)),
    "rows by index": (lambda x: x[ZEROS], (2, 4)),
    "two indices": (lambda x: x[ZEROS, ZEROS], (2, 4)),
    "index_add": (lambda x: torch.zeros(2, 4, dtype=x.dtype).index_add(0, ZEROS, x), (300, 4)),
    "scatter_add": (lambda x: torch.zeros(2, 4, dtype=x.dtype).scatter_add(
        0, ZEROS[:, None].expand(300, 4), x), (300, 4)),
    "upsample nearest": (lambda x: F.interpolate(x, scale_factor=20), (1, 1, 3, 3)),
    "upsample bilinear": (lambda x: F.interpolate(x, scale_factor=20, mode="bilinear"),
                          (1, 1, 3, 3)),
    "replication pad": (lambda x: F.pad(x, (20,) * 4, "replicate"), (1, 1, 3, 3)),
    "logsumexp": (lambda x: x.logsumexp(1), (8, 400)),
    "embedding": (lambda x: F.embedding_bag(ZEROS.view(30, 10), x, mode="sum"), (2, 4)),
}


def run(function, x, dtype, g):
    x = x.detach().to(dtype).requires_grad_()
    torch.manual_seed(0)
    y = function(x)
    g = torch.randn(y.shape, dtype=torch.float64).bfloat16() if g is None else g
    y.backward(g.to(dtype))
    return y.detach().double(), x.grad.double(), g


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", SUMS)
def test_sums_are_rounded_once(name, dtype):
    function, shape = SUMS[name]
    torch.manual_seed(1)
    x = torch.randn(shape, dtype=torch.float64).bfloat16()
    *expected, g = run(function, x, torch.float64, None)
    *found, _ = run(function, x, dtype, g)
    # the gradient of logsumexp is that of its result as it was rounded
    close = (8 if name == "logsumexp" else 1.5) * torch.finfo(dtype).eps
    for a, b in zip(found, expected, strict=True):
        assert (a - b).abs().max() <= close * b.abs().max()


COUNTED = {                     # more than float16's largest number, 65504
    "mean": lambda x: x.mean(), "mean over dimensions": lambda x: x.mean((0, 1)),
    "nanmean": lambda x: x.nanmean(), "pool": lambda x: F.adaptive_avg_pool2d(x[None], 1),
    "mse": lambda x: F.mse_loss(x, x.detach() * 0.5),
    "l1": lambda x: F.l1_loss(x, x.detach() * 0.5),
    "smooth l1": lambda x: F.smooth_l1_loss(x, x.detach() * 0.5),
    "huber": lambda x: F.huber_loss(x, x.detach() * 0.5),
    "soft margin": lambda x: F.soft_margin_loss(x, x.detach() * 0.5),
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_count_is_no_infinity(name):
    torch.manual_seed(0)
    wide = torch.randn(300, 400).half().float().requires_grad_()
    x = wide.detach().half().requires_grad_()
    expected, found = COUNTED[name](wide), COUNTED[name](x)
    (expected.sum() * 1000).backward()
    (found.sum() * 1000).backward()
    assert torch.allclose(found.float(), expected, rtol=2e-3, atol=1e-6)
    assert torch.allclose(x.grad.float(), wide.grad, rtol=1e-2, atol=1e-5)
    assert x.grad.abs().max() > 1e-3


@pytest.mark.live
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_std_is_rounded_once(dtype):
    """The variance is not rounded before the root is taken."""
    def run(torch):
        torch.manual_seed(0)
        x = torch.randn(64, 50).to(getattr(torch, dtype))
        return x.std(1).tolist(), [t.tolist() for t in torch.std_mean(x, 1)]

    assert run(torch) == run(pytest.importorskip("torch"))


@pytest.mark.live
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["mean", "prod", "amax"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_index_reduce_rounds_after_each_step(dtype, reduce, include_self):
    theirs = pytest.importorskip("torch")
    torch.manual_seed(0)
    x, source = torch.rand(3, 4, 5) * 4, torch.rand(3, 30, 5) * 4
    index = torch.randint(4, (30,))

    def reduced(library):
        a, b, i = (library.tensor(t.tolist()) for t in (x, source, index))
        a, b = (t.to(getattr(library, dtype)) for t in (a, b))
        return a.index_reduce(1, i, b, reduce, include_self=include_self).tolist()

    assert reduced(torch) == reduced(theirs)


# The bits of log_softmax((arange(48).reshape(6, 8) * 37 % 23 / 4).to(dtype), -1)[0] in PyTorch.
# Rounded once, at the end, two and three of the eight numbers would be others.
LOG_SOFTMAX_BITS = {
    "float16": [0xC55D, 0xBF75, 0xC41D, 0xB8EA, 0xC1BA, 0xC51D, 0xBE75, 0xC3BA],
    "bfloat16": [0xC0AC, 0xBFEF, 0xC084, 0xBF1E, 0xC038, 0xC0A4, 0xBFCF, 0xC078],
}


@pytest.mark.parametrize("dtype", LOG_SOFTMAX_BITS)
@pytest.mark.parametrize("times", [1, 3000])                # the second may be compiled
def test_log_softmax_of_rows_in_half_precision_rounds_the_sum_too(dtype, times):
    x = (torch.arange(48).reshape(6, 8) * 37 % 23 / 4).to(getattr(torch, dtype))
    found = x.repeat(times, 1).log_softmax(-1).view(torch.int16)[::6] & 0xFFFF
    expected = torch.tensor(LOG_SOFTMAX_BITS[dtype]).to(torch.int16) & 0xFFFF
    assert (found == expected).all()
    same = torch.zeros(1, 70_000, dtype=torch.float16).log_softmax(-1)   # a sum beyond float16
    assert same[0, 0].item() == -11.15625


def test_bfloat16_asks_for_a_numpy_that_keeps_it(monkeypatch):
    monkeypatch.setattr(np, "__version__", "2.0.2")
    with pytest.raises(ImportError, match=r"needs NumPy 2\.1"):
        _dtype._bfloat16()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("size", [6, 200])
def test_attention_keeps_the_logarithm_of_its_sums_in_float32(size, dtype):
    """In half precision that of a score of 50 would spoil each probability by several percent."""
    torch.manual_seed(0)
    low = [(torch.randn(1, 2, size, 8) * 4).to(dtype).requires_grad_() for _ in range(3)]
    wide = [t.detach().double().requires_grad_() for t in low]
    weights = torch.randn(1, 2, size, 8).to(dtype)
    attend = torch.nn.functional.scaled_dot_product_attention
    (found,), (expected,) = (torch.autograd.grad(attend(*given), given[2],
                                                 weights.to(given[0].dtype))
                             for given in (low, wide))
    assert (found.double() - expected).norm() < 2.0**-8 * expected.norm()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("layer", [
    lambda x: F.layer_norm(x, (8,)), lambda x: F.group_norm(x, 2), lambda x: F.instance_norm(x),
    lambda x: F.batch_norm(x, None, None, None, None, True),
    lambda x: F.layer_norm(x, (8,), torch.full((8,), 2.0, dtype=x.dtype)),
    lambda x: F.scaled_dot_product_attention(x[None] / 30, x[None] / 30, x[None])])
def test_gradients_to_be_differentiated_again_are_computed_in_float32(layer, dtype):
    """float16 has no squares of 300: with create_graph=True the gradients of norms were 0.

    Norms read the statistics that were kept in half precision, as PyTorch does: that gives 0.028.
    """
    torch.manual_seed(0)
    x = (torch.randn(6, 4, 8) * 300).to(dtype).requires_grad_()
    wide, weights = x.detach().float().requires_grad_(), torch.linspace(-1, 2, 192)
    y, true = layer(x), layer(wide)
    (g,) = torch.autograd.grad(y, x, weights.to(dtype).view(y.shape), create_graph=True)
    (expected,) = torch.autograd.grad(true, wide, weights.view(y.shape))
    assert g.dtype == dtype and g.requires_grad
    assert (g.detach().float() - expected).norm() < 0.03 * expected.norm()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_gradients_of_wider_weights_stay_wider(dtype):
    x, weight = torch.randn(6, 8).to(dtype), torch.ones(8, requires_grad=True)
    y = F.layer_norm(x, (8,), weight, torch.zeros(8))
    (g,) = torch.autograd.grad(y.float().pow(2).sum(), weight, create_graph=True)
    assert g.dtype == torch.float32


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("options", [{}, {"pos_weight": 2.0}, {"weight": 0.5}], ids=str)
def test_losses_of_many_logits_add_up(dtype, reduction, options):
    """Even those from a compiled kernel."""
    x = torch.linspace(-2, 2, 1 << 16).to(dtype)
    target = (torch.arange(1 << 16) % 2).to(dtype)
    scales = {name: torch.full((1,), value, dtype=dtype) for name, value in options.items()}
    loss = F.binary_cross_entropy_with_logits(x, target, reduction=reduction, **scales)
    wide = F.binary_cross_entropy_with_logits(
        x.float(), target.float(), reduction=reduction,
        **{name: scale.float() for name, scale in scales.items()})
    torch.testing.assert_close(loss, wide.to(dtype), rtol=0.01, atol=0)


@pytest.mark.parametrize("n", [1, 64, 1 << 16])
def test_inverse_powers_of_float16_are_rounded_once(n):
    """The square of 300 is no float16, but 1 / 300^2 is."""
    x = torch.full((n,), 300.0, dtype=torch.float16).requires_grad_()
    assert (x ** -2)[-1].item() == np.float16(300.0 ** -2)
    assert (x ** -0.5)[-1].item() == np.float16(300.0 ** -0.5)
    (x ** -1).sum().backward()
    assert x.grad[-1].item() == -np.float16(300.0 ** -2)


def test_inverse_roots_of_bfloat16_are_rounded_once_where_pytorch_has_vectors():
    x = torch.tensor([1e-7, 239.0]).bfloat16()
    once, twice = x.float() ** -0.5, x.sqrt().reciprocal()
    assert not torch.equal(once.bfloat16(), twice)
    assert torch.equal(x ** -0.5, twice)
    assert torch.equal(x.repeat(64) ** -0.5, once.bfloat16().repeat(64))


@pytest.mark.live
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("n", [4, 640, 40_960])
@pytest.mark.parametrize("exponent", [-0.5, -2, -1, 0.5])
def test_powers_of_half_precision_are_pytorchs(exponent, n, dtype):
    theirs = pytest.importorskip("torch")
    numbers = np.exp(np.random.default_rng(0).uniform(-9, 9, n)).tolist()

    def found(t):
        x = t.tensor(numbers, dtype=getattr(t, dtype)).requires_grad_()
        y = x ** exponent
        y.sum().backward()
        return y.tolist(), x.grad.tolist()
    assert found(torch) == found(theirs)


def test_float64_becomes_float16_by_way_of_float32():
    number = 5.228515628227882                     # just above the middle of two float16's
    for made in (torch.tensor([number], dtype=torch.float16),
                 torch.tensor(np.array([number]), dtype=torch.float16),
                 torch.tensor([number], dtype=torch.float64).half()):
        assert made.item() == 5.2265625
