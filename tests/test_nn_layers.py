"""Layers against PyTorch: same seed, same weights, results, gradients, texts and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as torch
from comparing import first_sentence, load
from nn_cases import LAYERS, MISUSES, layer_run, misuse_run
from retrograd import nn
from retrograd.nn import functional as F
from retrograd.nn.attention.flex_attention import (
    BlockMask,
    create_block_mask,
    create_mask,
    flex_attention,
)

RECORDED = load("nn.json")


def assert_close(found, expected, tolerance=2e-5):
    if expected is None:
        assert found is None
        return
    assert found[:2] == expected[:2]
    scale = max(1.0, *(abs(x) for x in expected[2]))
    np.testing.assert_allclose(found[2], expected[2], rtol=tolerance, atol=tolerance * scale)


def assert_same(found, expected):
    assert found["repr"] == expected["repr"]
    assert found["metadata"] == expected["metadata"]
    for key in ("state", "after"):
        if key in expected:
            assert [name for name, _ in found[key]] == [name for name, _ in expected[key]]
            for (_, a), (_, b) in zip(found[key], expected[key], strict=True):
                assert_close(a, b)
    for key in ("outputs", "gradients"):
        for a, b in zip(found.get(key, ()), expected.get(key, ()), strict=True):
            assert_close(a, b)


@pytest.mark.parametrize(("code", "shape"), LAYERS, ids=[code for code, _ in LAYERS])
def test_layers_as_pytorch(code, shape):
    assert_same(layer_run(torch, code, shape), RECORDED["layers"][code])


@pytest.mark.live
@pytest.mark.parametrize(("code", "shape"), LAYERS, ids=[code for code, _ in LAYERS])
def test_layers_beside_pytorch(code, shape):
    real = pytest.importorskip("torch")
    assert_same(layer_run(torch, code, shape), layer_run(real, code, shape))


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_raises_what_pytorch_raises(name):
    found, expected = misuse_run(torch, MISUSES[name]), RECORDED["misuses"][name]
    if expected["error"] is None:
        assert found["error"] is None
    else:
        assert found["error"] is not None
        assert found["error"][0] == expected["error"][0]
        assert first_sentence(found["error"][1]) == first_sentence(expected["error"][1])
    assert found["warnings"] == expected["warnings"]


@pytest.mark.parametrize("name, layer, shape", [
    ("conv2d", lambda: torch.nn.Conv2d(1, 1, 2), (1, 1, 3, 3)),
    ("conv_transpose1d", lambda: torch.nn.ConvTranspose1d(1, 1, 2), (1, 1, 3)),
    ("max_pool2d", lambda: torch.nn.MaxPool2d(2), (1, 1, 4, 4)),
    ("adaptive_avg_pool1d", lambda: torch.nn.AdaptiveAvgPool1d(2), (1, 1, 4)),
    ("linear", lambda: torch.nn.Linear(2, 2), (1, 2)),
    ("relu", lambda: torch.nn.ReLU(), (2,)),
])
def test_layers_call_what_stands_in_functional(name, layer, shape, monkeypatch):
    """Profilers count by putting functions of their own there."""
    seen = []
    original = getattr(torch.nn.functional, name)

    def counting(*args, **kwargs):
        seen.append(name)
        return original(*args, **kwargs)

    net = layer()
    monkeypatch.setattr(torch.nn.functional, name, counting)
    net(torch.ones(shape))
    assert seen == [name]


@pytest.mark.parametrize("layer", [
    nn.Conv1d(4, 6, 3), nn.Conv2d(4, 6, 1), nn.Conv2d(4, 6, 3, groups=2),
    nn.ConvTranspose1d(4, 6, 3, 2, 1, 1), nn.ConvTranspose2d(4, 6, 3)])
def test_a_convolution_of_no_images_has_gradients_of_zero(layer):
    x = torch.zeros(0, 4, *[8] * (layer.weight.dim() - 2), requires_grad=True)
    layer(x).sum().backward()
    assert x.grad.shape == x.shape
    assert not any(p.grad.any() for p in layer.parameters())


def test_bags_of_one_length_need_no_offsets_whatever_offsets_end_with():
    bags = torch.tensor([[1, 2, 3], [0, 0, 4]])
    weight = torch.arange(15.0).view(5, 3)
    expected = weight[bags].sum(1)
    for last in (False, True):
        found = nn.functional.embedding_bag(bags, weight, mode="sum", include_last_offset=last)
        assert torch.equal(found, expected)


def test_bags_out_of_order_are_refused():
    with pytest.raises(RuntimeError, match="^offsets has to be in ascending order$"):
        nn.functional.embedding_bag(torch.tensor([0, 1, 2]), torch.ones(3, 2),
                                    torch.tensor([0, 2, 1]), mode="sum")


@pytest.mark.parametrize("weighted", [False, True])
def test_indices_after_the_last_offset_are_in_no_bag(weighted):
    rows = torch.arange(8.0).view(4, 2).requires_grad_()
    scale = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True) if weighted else None
    bags = nn.functional.embedding_bag(torch.tensor([0, 1, 2, 3]), rows, torch.tensor([0, 2, 3]),
                                       mode="sum", include_last_offset=True,
                                       per_sample_weights=scale)
    bags.sum().backward()
    factor = 2.0 if weighted else 1.0
    assert bags[0].tolist() == [0 + 2 * factor, 1 + 3 * factor]
    assert rows.grad[:, 0].tolist() == [1.0, factor, 3.0 if weighted else 1.0, 0.0]
    if weighted:
        assert scale.grad.tolist() == [1.0, 5.0, 9.0, 0.0]
    mean = nn.functional.embedding_bag(torch.tensor([0, 1, 2, 3]), rows, torch.tensor([0, 2, 3]),
                                       include_last_offset=True)
    assert mean.tolist() == [[1.0, 2.0], [4.0, 5.0]]


def test_the_last_offset_of_double_numbers_ends_no_bag():
    """As in PyTorch, whose slower way reads all indices."""
    rows = torch.arange(8.0, dtype=torch.float64).view(4, 2)
    assert nn.functional.embedding_bag(
        torch.tensor([0, 1, 2, 3]), rows, torch.tensor([0, 2, 3]), mode="sum",
        include_last_offset=True).tolist() == [[2.0, 4.0], [10.0, 12.0]]


def test_bags_without_numbers_need_no_last_offset():
    index = torch.tensor([0, 2, 3], device="meta")
    assert nn.functional.embedding_bag(index, torch.ones(4, 2, device="meta"), index,
                                       include_last_offset=True).shape == (2, 2)


@pytest.mark.parametrize("loss", [nn.SmoothL1Loss(), nn.SoftMarginLoss(), nn.HuberLoss()])
def test_losses_of_whole_targets_keep_the_input_s_dtype(loss):
    x, target = torch.tensor([0.5, -2.0]), torch.tensor([1, -1])
    assert loss(x, target).dtype == torch.float32
    assert torch.equal(loss(x, target), loss(x, target.float()))


@pytest.mark.parametrize("weight", [None, torch.tensor([0.5, 2.0, 1.0])])
def test_labels_of_fewer_digits_do_not_blur_the_gradient_of_logits(weight):
    x = torch.tensor([0.3, -2.0, 1.7], dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([0.21, 0.77, 0.4]).half().requires_grad_()
    loss = F.binary_cross_entropy_with_logits(x, labels, weight, reduction="sum")
    assert loss.dtype == torch.float16
    loss.backward()
    factor = 1 if weight is None else weight.double()
    assert torch.allclose(x.grad, (x.sigmoid() - labels.double()) * factor, rtol=1e-12)
    assert labels.grad.dtype == torch.float16
    rate = torch.func.jvp(lambda x: F.binary_cross_entropy_with_logits(x, labels.detach()),
                          (x.detach(),), (torch.ones_like(x),))[1]
    assert rate.dtype == torch.float16


@pytest.mark.parametrize("dim, node", [(0, "WeightNormInterfaceBackward0"),
                                       (1, "WeightNormInterfaceBackward0"),
                                       (None, "MulBackward0")])
def test_weight_norm_is_one_node(dim, node):
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 4), dim=dim)
    assert layer.weight.grad_fn.name() == node
    length, direction = layer.parametrizations.weight.parameters()
    others = {0: 1, 1: 0, None: (0, 1)}[dim]
    expected = direction * (length / direction.norm(dim=others, keepdim=True))
    assert torch.allclose(layer.weight, expected)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_gradients_of_each_example(reduction):
    from retrograd.nn.utils._per_sample_grad import call_for_per_sample_grads

    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv1d(2, 3, 2), nn.Tanh(), nn.Flatten(), nn.Linear(9, 2))
    x = torch.randn(4, 2, 4)
    result = call_for_per_sample_grads(net, loss_reduction=reduction)(x)
    (result.sum() if reduction == "sum" else result.sum(1).mean()).backward()
    for i in range(4):
        grads = torch.autograd.grad(net(x[i:i + 1]).sum(), list(net.parameters()))
        for p, grad in zip(net.parameters(), grads, strict=True):
            assert p.grad is None
            assert torch.allclose(p.grad_sample[i], grad, atol=1e-6)
    with pytest.raises(RuntimeError, match="^Current Expanded Weights accumulates the gradients"):
        call_for_per_sample_grads(net)


@pytest.mark.parametrize("shape", [(3, 5, 8), (2, 200, 8)])
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_self_attention_that_is_not_recorded(shape, batch_first, dtype):
    """It is computed in one step, to the same numbers."""
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=batch_first, dtype=dtype).eval()
    x = torch.randn(*shape, dtype=dtype)
    recorded, _ = layer(x, x, x, need_weights=False)
    with torch.no_grad():
        alone, weights = layer(x, x, x, need_weights=False)
    assert weights is None and recorded.requires_grad and not alone.requires_grad
    assert torch.equal(alone, recorded.detach())
    assert alone.is_contiguous()          # as in PyTorch, where what is recorded may be turned


@pytest.mark.parametrize("length", [5, 200])
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("averaged", [True, False])
def test_weights_of_self_attention_that_is_not_recorded(length, batch_first, averaged):
    """They are computed in one step, too, where they are few."""
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=batch_first).eval()
    x = torch.randn(*((3, length) if batch_first else (length, 3)), 8)
    recorded = layer(x, x, x, average_attn_weights=averaged)
    with torch.no_grad():
        alone = layer(x, x, x, average_attn_weights=averaged)
    assert alone[1].shape == ((3, length, length) if averaged else (3, 2, length, length))
    for found, step_by_step in zip(alone, recorded, strict=True):
        assert not found.requires_grad
        torch.testing.assert_close(found, step_by_step.detach(), rtol=1e-6, atol=1e-7)


def test_self_attention_with_masks_or_other_keys_goes_step_by_step():
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x = torch.randn(2, 3, 8)
    hidden = torch.tensor([[False, False, True]] * 2)
    with torch.no_grad():
        masked, _ = layer(x, x, x, key_padding_mask=hidden, need_weights=False)
        assert torch.allclose(masked, layer(x, x[:, :2], x[:, :2], need_weights=False)[0])
        with pytest.raises(RuntimeError, match="Need attn_mask"):
            layer(x, x, x, is_causal=True, need_weights=False)
        with pytest.raises(AssertionError, match="was expecting embedding dimension of 8"):
            layer(x[..., :4], x[..., :4], x[..., :4], need_weights=False)


@pytest.mark.parametrize("space", [(7,), (7, 5), (4, 7, 5)])
def test_interpolate_by_area_takes_means(space):
    x = torch.arange(float(2 * np.prod(space))).reshape(1, 2, *space)
    size = [n // 2 for n in space]
    means = getattr(nn.functional, f"adaptive_avg_pool{len(space)}d")(x, size)
    assert torch.equal(nn.functional.interpolate(x, size, mode="area"), means)


SHARED = ["adaptive_avg_pool1d", "avg_pool1d", "bilinear", "channel_shuffle", "conv1d", "conv2d",
          "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "pdist",
          "pixel_shuffle", "pixel_unshuffle", "prelu"]


def shared(backend):
    return [name for name in SHARED
            if getattr(backend.nn.functional, name) is getattr(backend, name)]


def test_functions_of_torch_and_nn_functional_alike():
    assert shared(torch) == SHARED


@pytest.mark.live
def test_functions_of_torch_and_nn_functional_alike_live():
    assert shared(pytest.importorskip("torch")) == SHARED


def test_an_encoder_gives_zeros_where_pytorch_has_packed_the_padding_away():
    """In eval mode, without gradients, where the padding comes last and there is no other mask."""
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    x = torch.arange(24.0).view(2, 3, 4) / 9
    last = torch.tensor([[False, False, True], [False, False, False]])

    def padded_place(padding=last, mask=None, training=False, **options):
        encoder = torch.nn.TransformerEncoder(layer, 1, **options).train(training)
        return encoder(x, mask=mask, src_key_padding_mask=padding)[0, 2].detach()

    with torch.no_grad():
        assert (padded_place() == 0).all()
        assert (padded_place(norm=torch.nn.LayerNorm(4)) == 0).all()        # the norm's bias
        assert (padded_place(enable_nested_tensor=False) != 0).all()
        assert (padded_place(mask=torch.zeros(3, 3).bool()) != 0).all()
        assert (padded_place(training=True) != 0).any()
        assert (padded_place(torch.tensor([[False, True, False]] * 2)) != 0).all()
    assert (padded_place() != 0).all()


def test_the_greatest_norm_of_a_window_is_its_greatest_absolute_value():
    x = torch.tensor([[[1.0, -3.0, 2.0, 0.5]]], requires_grad=True)
    largest = F.lp_pool1d(x, math.inf, 2)
    assert largest.tolist() == [[[3.0, 2.0]]]
    assert F.lp_pool2d(x[None], math.inf, (1, 2)).tolist() == [[[[3.0, 2.0]]]]
    assert torch.nn.LPPool3d(math.inf, (1, 1, 4))(x[None, None]).tolist() == [[[[[3.0]]]]]
    assert F.lp_pool1d(x, -math.inf, 2).tolist() == [[[1.0, 0.5]]]
    largest.sum().backward()
    assert x.grad.tolist() == [[[0.0, -1.0, 1.0, 0.0]]]


def test_bilinear_wants_one_dtype_and_may_have_no_outputs():
    x = torch.ones(2, 4)
    with pytest.raises(RuntimeError, match="^All tensors must have the same dtype, got input1: "
                                           "float, input2: float, weight: double, bias: float$"):
        F.bilinear(x, x, torch.ones(3, 4, 4).double(), torch.ones(3))
    weight = torch.ones(0, 4, 4, requires_grad=True)
    F.bilinear(x, x, weight).sum().backward()
    assert weight.grad.shape == (0, 4, 4)


def test_rows_of_no_numbers_have_a_gradient():
    for sparse in (False, True):
        rows = torch.nn.Embedding(10, 0, sparse=sparse)
        rows(torch.tensor([1, 1])).sum().backward()
        assert rows.weight.grad.shape == (10, 0)


def test_lazy_modules_stay_lazy_in_another_dtype():
    norm = torch.nn.LazyBatchNorm1d().double()
    assert norm(torch.ones(2, 3).double()).dtype is torch.float64
    assert norm.running_mean.shape == (3,) and type(norm) is torch.nn.BatchNorm1d


@pytest.mark.parametrize("arguments, error", [
    ({"kernel_size": 0}, "kernel size should be greater than zero, but got kernel_height: 0 "
                         "kernel_width: 0"),
    ({"kernel_size": (2, -1)}, "kernel size should be greater than zero, but got kernel_height: 2 "
                               "kernel_width: -1"),
    ({"dilation": 0}, "dilation should be greater than zero, but got dilation_height: 0 "
                      "dilation_width: 0"),
    ({"stride": 0}, "stride should be greater than zero, but got stride_height: 0 "
                    "stride_width: 0"),
    ({"padding": -1}, "padding should be non-negative, but got pad_height: -1 pad_width: -1"),
    ({"kernel_size": (2,)}, "It is expected kernel_size equals to 2, but got size 1"),
    ({"stride": (1, 1, 1)}, "It is expected stride equals to 2, but got size 3")])
def test_windows_that_are_none_are_refused(arguments, error):
    arguments = {"kernel_size": 2, **arguments}
    for call in (lambda: F.unfold(torch.ones(1, 1, 3, 3), **arguments),
                 lambda: F.fold(torch.ones(1, 4, 4), 3, **arguments)):
        with pytest.raises(RuntimeError) as refusal:
            call()
        assert str(refusal.value) == error


def test_windows_are_whole_numbers():
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    with pytest.raises(TypeError, match=r"^im2col\(\): argument 'dilation' \(position 3\) must be "
                                        "tuple of ints, but found element of type float at pos 0"):
        F.unfold(x, 2, dilation=(2.0, 1))
    assert F.unfold(x, 2, dilation=(2, 1))[0, :, 0].tolist() == [0, 1, 8, 9]
    with pytest.raises(TypeError, match=r"^col2im\(\): argument 'kernel_size' \(position 3\)"):
        F.fold(torch.ones(1, 4, 4), 3, None)
    for call, words in ((lambda: F.max_pool2d(x, 2, (1, 1, 1)), "stride must either be omitted"),
                        (lambda: F.max_pool2d(x, 2, 1, 0, (1, 1, 1)), "dilation must be either a"),
                        (lambda: F.avg_pool3d(x, (1, 1)), "kernel_size must be a single int, or")):
        with pytest.raises(RuntimeError, match=words):
            call()


def test_elu_of_an_infinite_factor_keeps_what_is_positive():
    x = torch.tensor([1.0, -1.0, 0.0])
    assert F.elu(x, math.inf).tolist() == [1.0, -math.inf, 0.0]


@pytest.mark.parametrize("shape, pad", [((2, 5), (2, 1)), ((1, 2, 4, 5), (1, 2, 0, 3)),
                                        ((2, 3, 4, 2), (1, 0, 2, 2, 3, 0)), ((1, 3, 3), (0, 0)),
                                        ((1, 4, 4), (-1, 2, 0, -1))])
def test_circular_pads_that_are_not_recorded(shape, pad):
    x = torch.arange(1.0, 1 + math.prod(shape)).reshape(shape)
    found = torch.nn.functional.pad(x, pad, mode="circular")
    recorded = torch.nn.functional.pad(x.requires_grad_(), pad, mode="circular")
    assert recorded.grad_fn is not None and not found.requires_grad
    assert torch.equal(found, recorded)
    assert found.is_contiguous() and found.data_ptr() != x.data_ptr()


@pytest.mark.parametrize("dtype, large", [(torch.float16, 6e4), (torch.float32, 1e12)])
def test_gelu_by_tanh_has_second_derivatives_where_the_cube_overflows(dtype, large):
    x = torch.tensor([large, 50, -50, -large], dtype=dtype, requires_grad=True)
    y = torch.nn.functional.gelu(x, approximate="tanh")
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert g.tolist() == [1, 1, 0, 0] and h.tolist() == [0] * 4


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("size", [2, 5000])
def test_native_batch_norm_takes_as_many_numbers_as_channels(size, training):
    """Where PyTorch checks nothing, and reads what lies behind them."""
    x = torch.randn(2, size)
    few, right = torch.ones(size - 1), torch.ones(size)
    for place, name in enumerate(("weight", "bias", "running_mean", "running_var")):
        given = [few if i == place else right for i in range(4)]
        with pytest.raises(RuntimeError, match=f"{name} should contain {size} elements not"):
            torch.native_batch_norm(x, *given, training, 0.1, 1e-5)


def test_causal_attention_of_a_text_that_grows():
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 300, 4)
    for rows, cols in (1, 1), (3, 7), (7, 3), (256, 256), (2, 300):
        seen = torch.ones(rows, cols).tril().bool()
        attend = torch.nn.functional.scaled_dot_product_attention
        torch.testing.assert_close(attend(q[:, :rows], k[:, :cols], v[:, :cols], is_causal=True),
                                   attend(q[:, :rows], k[:, :cols], v[:, :cols], seen))


def test_attention_takes_a_float32_mask_of_any_query():
    """PyTorch takes float32 masks of wider and narrower queries, too, and no other second dtype."""
    attend = torch.nn.functional.scaled_dot_product_attention
    torch.manual_seed(0)
    mask = torch.randn(3, 3)
    for dtype in torch.float64, torch.float16:
        for mask_needs_grad in False, True:
            q = torch.randn(1, 2, 3, 4).to(dtype).requires_grad_()
            added = mask.clone().requires_grad_(mask_needs_grad)
            scores = q.double() @ q.double().mT / 2 + mask.double()
            result = attend(q, q, q, added)
            torch.testing.assert_close(result, (scores.softmax(-1) @ q.double()).to(dtype))
            result.sum().backward()
            assert q.grad.dtype == dtype
            if mask_needs_grad:
                assert added.grad.dtype == torch.float32
        with pytest.raises(RuntimeError, match="Expected attn_mask dtype to be bool or float or"):
            attend(q, q, q, mask.bfloat16())


@pytest.mark.parametrize("values", [1, 3])
def test_attention_with_other_numbers_of_keys_and_values_is_refused(values):
    query, key, value = torch.ones(1, 1, 2, 4), torch.ones(1, 1, 2, 4), torch.ones(1, 1, values, 4)
    with pytest.raises(RuntimeError, match="Expected size for first two dimensions of batch2"):
        torch.nn.functional.scaled_dot_product_attention(query, key, value)


def test_causal_attention_beside_a_mask():
    """The fused kernel takes both, the steps that stand in for it refuse; recorded of PyTorch."""
    attend = torch.nn.functional.scaled_dot_product_attention
    q = torch.linspace(-1, 1, 24).reshape(1, 2, 3, 4)
    mask = torch.tensor([[1, 0, 1], [1, 1, 0], [0, 1, 1]]).bool()
    both = mask & torch.ones(3, 3).tril().bool()
    torch.testing.assert_close(attend(q, q, q, mask, is_causal=True), attend(q, q, q, both))
    torch.testing.assert_close(attend(q, q, q, mask.float() * 2, is_causal=True),
                               attend(q, q, q, torch.where(torch.ones(3, 3).tril() == 1,
                                                           mask * 2.0, -math.inf)))
    for call in (lambda: attend(q[0], q[0], q[0], mask, is_causal=True),
                 lambda: attend(q, q, q, mask, 0.5, is_causal=True)):
        with pytest.raises(RuntimeError, match="Explicit attn_mask should not be set when"):
            call()


@pytest.mark.parametrize("x, w, groups, by_onednn", [
    (torch.ones(1, 2, 5, 5), torch.float64, 1, False), (torch.ones(2, 2, 5, 5), torch.float64, 1,
     True), (torch.ones(1, 2, 5, 5), torch.float16, 2, True), (torch.ones(1, 2, 99, 120),
     torch.float64, 1, True), (torch.ones(1, 2, 5).half(), torch.float32, 1, True),
    (torch.ones(3, 2, 5).double(), torch.float32, 1, False)])
def test_weights_of_another_dtype_are_refused_in_the_words_of_the_library(x, w, groups, by_onednn):
    """PyTorch asks first which library would compute the convolution."""
    weight = torch.ones(2, 2 // groups, *(3,) * (x.ndim - 2), dtype=w)
    with pytest.raises(RuntimeError) as refusal:
        (F.conv1d if x.ndim == 3 else F.conv2d)(x, weight, groups=groups)
    have, found = x.type(), weight.type()
    assert str(refusal.value) == (
        f"Input type ({have}) and weight type ({found}) should be the same or input should be a "
        "MKLDNN tensor and weight is a dense tensor" if by_onednn else
        f"expected scalar type {have[6:-6]} but found {found[6:-6]}")


def test_alignments_that_cannot_be_are_zeros_by_choice():
    scores = torch.zeros(2, 1, 3, requires_grad=True)
    losses = F.ctc_loss(scores.log_softmax(-1), torch.tensor([[1, 1]]), (2,), (2,),
                        reduction="none", zero_infinity=True)
    assert losses.tolist() == [0] and losses.grad_fn.name() == "WhereBackward0"
    losses.sum().backward()
    assert not scores.grad.any()


@pytest.mark.parametrize("wrong", [3, 2**40, -1, -2**40])
@pytest.mark.parametrize("steps", [4, 400])          # many are left to the compiled kernel
def test_targets_of_ctc_loss_are_classes(wrong, steps):
    """PyTorch reads, and in the backward pass writes, beyond the memory."""
    scores = torch.zeros(steps, 40, 3).log_softmax(-1)
    targets = torch.ones(40, 2, dtype=torch.int64)
    targets[7, 1] = wrong
    lengths = torch.full((40,), steps)
    with pytest.raises(IndexError, match=f"Target {wrong} is out of bounds."):
        F.ctc_loss(scores, targets, lengths, torch.full((40,), 2))
    with pytest.raises(IndexError, match=f"Target {wrong} is out of bounds."):
        F.ctc_loss(scores, targets.flatten(), lengths, torch.full((40,), 2))
    assert F.ctc_loss(scores, targets, lengths, torch.ones(40, dtype=torch.int64)).isfinite()


def test_huber_loss_keeps_its_inputs_dtype():
    """The other losses promote; recorded of PyTorch."""
    whole = torch.tensor([1, 2])
    for target in (torch.zeros(2, dtype=torch.float64), torch.zeros(()), whole):
        assert F.huber_loss(torch.ones(2), target.expand(2)).dtype is torch.float32
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output"):
        F.huber_loss(whole, torch.ones(2))


def test_weights_of_losses():
    """The mean of huber_loss divides by the count, that of the others by the sum of weights."""
    x, y, w = torch.tensor([[1., 3.]]), torch.zeros(1, 2), torch.tensor([[True, False]])
    assert [F.huber_loss(x, y, weight=w).item(), F.mse_loss(x, y, weight=w).item(),
            F.l1_loss(x, y, weight=w).item()] == [0.25, 1, 1]
    for loss in (F.huber_loss, F.mse_loss, F.l1_loss):
        with pytest.warns(UserWarning, match="target size"), \
                pytest.raises(ValueError, match="Weights and input must have the same size"):
            loss(x, y.expand(3, 2), weight=w.expand(3, 2))


@pytest.mark.parametrize("ignored", [-100, 1])
def test_weights_of_classes(ignored):
    """A class that is ignored has no share, in the loss, in its gradient, in the mean's divisor."""
    scores = torch.tensor([[1., 2, 4], [0, 3, 5], [7, 1, 2]], requires_grad=True)
    target, w = torch.tensor([2, 1, 0]), torch.tensor([0.5, 4, 2])
    share = torch.where(target == ignored, 0, w[target])
    each = -scores.log_softmax(1)[torch.arange(3), target] * share
    for reduction, expected in (("none", each), ("sum", each.sum()),
                                ("mean", each.sum() / share.sum())):
        loss = F.cross_entropy(scores, target, w, ignore_index=ignored, reduction=reduction)
        torch.testing.assert_close(loss, expected)
        found, wanted = (torch.autograd.grad(v.sum(), scores, retain_graph=True)[0]
                         for v in (loss, expected))
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("weights, expected", [([0., 0], math.nan), ([1., -1], math.inf)])
def test_weights_of_classes_that_add_up_to_0(weights, expected):
    x = torch.tensor([[-5., 0], [0, -2]])
    loss = F.nll_loss(x, torch.tensor([0, 1]), torch.tensor(weights))
    assert loss.item() == pytest.approx(expected, nan_ok=True)


def test_second_derivatives_of_binary_cross_entropy_at_0_and_1():
    """PyTorch's (x^2 - 2 x t + t) / ((x + e)^2 (1 - x + e)^2), e = 1e-12."""
    p = torch.tensor([0., 1., 0., 1., 0.5], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([1., 0., 0., 1., 1.], dtype=torch.float64)
    loss = torch.nn.functional.binary_cross_entropy(p, target, reduction="sum")
    slope, = torch.autograd.grad(loss, p, create_graph=True)
    assert slope.tolist() == pytest.approx([-1e12, 1e12, 0, 0, -2])
    curvature, = torch.autograd.grad(slope.sum(), p)
    assert curvature.tolist() == pytest.approx([1e24, 1e24, 0, 0, 4])


@pytest.mark.parametrize(("name", "dilation", "error"), [
    ("conv1d", 0, "[1, 0]"), ("conv2d", (1, 0), "[1, 0]"), ("conv3d", 0, "[0, 0, 0]"),
    ("conv_transpose1d", 0, "dilation_height: 1, dilation_width: 0"),
    ("conv_transpose3d", (0, 1, 1), "dilation_depth: 0, dilation_height: 1, dilation_width: 1"),
])
def test_a_dilation_of_zero_is_told(name, dilation, error):
    dims = int(name[-2])
    with pytest.raises(RuntimeError) as refusal:
        getattr(F, name)(torch.ones(1, 1, *[3] * dims), torch.ones(1, 1, *[1] * dims),
                         dilation=dilation)
    assert str(refusal.value).startswith(f"dilation should be greater than zero, but got {error}")


@pytest.mark.parametrize(("shape", "kind", "error"), [
    ((), IndexError, "Dimension specified as -3 but tensor has no dimensions"),
    ((4, 4), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"),
    ((1, 1, 1, 4, 4), RuntimeError, "Expected 3D or 4D (batch mode) tensor with optional 0 dim "
                                    "batch size for input, but got:[1, 1, 1, 4, 4]"),
])
def test_what_avg_pool2d_finds_no_channels_in(shape, kind, error):
    with pytest.raises(kind) as refusal:
        F.avg_pool2d(torch.ones(shape), 2)
    assert str(refusal.value).startswith(error)


def causal(b, h, q, kv):
    return q >= kv


def test_a_block_mask_is_printed_as_a_picture():
    mask = create_block_mask(causal, None, None, 40, 40, BLOCK_SIZE=4)
    assert str(create_block_mask(causal, 1, 2, 8, 8, BLOCK_SIZE=4)) == (
        "BlockMask(shape=(1, 2, 8, 8), sparsity=25.00%, \n"
        "(0, 0)\n██  \n████\n\n(0, 1)\n██  \n████\n)")
    assert mask.to_string((4, -1)).splitlines()[1:] == [
        "██░░░░              ",
        "████████░░░░        ",
        "██████████████░░░░  ",
        "████████████████████"]
    assert "\n    kv_indices=torch.Size([1, 1, 10, 10]),\n" in repr(mask)
    assert "sparsity=45.00%,\n    mask_mod=causal\n)" in repr(mask)


def test_the_lists_of_a_block_mask():
    """The blocks of 4 queries and 2 keys; the last keys are none."""
    mask = create_block_mask(causal, None, 3, 8, 5, BLOCK_SIZE=(4, 2))
    assert [each.tolist() for each in (mask.kv_num_blocks[0, 1], mask.full_kv_num_blocks[0, 1],
                                       mask.q_num_blocks[0, 1], mask.full_q_num_blocks[0, 1])] == [
        [2, 1], [0, 2], [1, 1, 1], [1, 1, 0]]
    assert mask.kv_indices[0, 0].tolist() == [[0, 1, 2], [2, 0, 1]]
    assert mask.kv_indices.dtype is torch.int32 and mask.q_indices.is_contiguous()
    again = BlockMask.from_kv_blocks(*mask.as_tuple()[2:6], BLOCK_SIZE=(4, 2), mask_mod=causal,
                                     seq_lengths=(8, 5))
    for one, other in zip(mask.as_tuple()[2:10], again.as_tuple()[2:10], strict=True):
        assert torch.equal(one, other)
    assert torch.equal(mask.to_dense(), again.to_dense()) and again.shape == (1, 3, 8, 5)
    assert mask.to("cpu").shape == mask.shape == mask[0].shape and mask[:, 1].shape[1] == 1
    assert mask._adjust(3, 4).to_dense().tolist() == [[[[1, 1]]] * 3]


def test_masks_that_do_not_fit_flex_attention():
    q = torch.randn(1, 1, 8, 2)
    mask = create_block_mask(causal, None, None, 8, 8)
    for length, reason in ((6, "a larger length .* block_mask._adjust"), (9, "a smaller length")):
        other = q[:, :, :1].expand(-1, -1, length, -1)
        with pytest.raises(ValueError, match=f"q_len={length} and kv_len={length}. .*{reason}"):
            flex_attention(other, other, other, block_mask=mask)
    with pytest.raises(RuntimeError, match="Cannot use mask_mod from a sliced BlockMask"):
        flex_attention(q, q, q, block_mask=mask[0])
    with pytest.raises(AssertionError, match="Expected 4 or 5 positional args, got 2"):
        create_block_mask(lambda q, kv: q >= kv, None, None, 8, 8)
    with pytest.raises(AttributeError, match="'BlockMask' object has no attribute 'blocks'"):
        _ = mask.blocks


def test_the_mask_of_a_score_function_is_where_scores_are_finite():
    def score(s, b, h, q, kv):
        return torch.where(q >= kv, s + q, -math.inf)

    mask = create_mask(score, None, None, 3, 3)
    assert mask.dtype is torch.bool and torch.equal(mask[0, 0], torch.ones(3, 3).tril().bool())


NAN = float("nan")
WHERE_NAN = {     # what the gradient is where the input is nan, as in PyTorch's vector loops
    "elu": (lambda F, x: F.elu(x), NAN), "celu": (lambda F, x: F.celu(x, 0.5), NAN),
    "selu": (lambda F, x: F.selu(x), NAN), "hardswish": (lambda F, x: F.hardswish(x), NAN),
    "elu in place": (lambda F, x: F.elu(x * 1, inplace=True), NAN),
    "celu in place": (lambda F, x: F.celu(x * 1, inplace=True), NAN),
    "hardtanh": (lambda F, x: F.hardtanh(x), 0.0), "relu6": (lambda F, x: F.relu6(x), 0.0),
    "hardshrink": (lambda F, x: F.hardshrink(x), 0.0),
    "softshrink": (lambda F, x: F.softshrink(x), 0.0),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [64, 1 << 16])
@pytest.mark.parametrize("name", WHERE_NAN)
def test_gradients_where_the_input_is_nan(name, n, dtype):
    function, expected = WHERE_NAN[name]
    x = torch.full((n,), NAN, dtype=getattr(torch, dtype)).requires_grad_()
    function(F, x).sum().backward()
    assert torch.equal(x.grad.isnan(), torch.full((n,), expected != expected))
    assert expected != expected or not x.grad.any()


@pytest.mark.live
@pytest.mark.parametrize("name", WHERE_NAN)
def test_gradients_where_the_input_is_nan_are_pytorchs(name):
    theirs = pytest.importorskip("torch")
    x = theirs.full((64,), NAN, requires_grad=True)
    WHERE_NAN[name][0](theirs.nn.functional, x).sum().backward()
    expected = WHERE_NAN[name][1]
    assert all((g == expected) or (g != g and expected != expected) for g in x.grad.tolist())


def test_zeros_of_many_elements_have_the_sign_that_those_of_few_have():
    for n in (1, 1 << 16):
        assert not torch.ones(n).lgamma().signbit().any()
        assert not F.logsigmoid(torch.full((n,), float("inf"))).signbit().any()
        assert not torch.full((n,), -0.0, dtype=torch.bfloat16).sign().signbit().any()
