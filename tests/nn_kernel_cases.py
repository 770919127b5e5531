"""Calls to nn.functional that tests/record/nn_kernels.py records under PyTorch.

A case is an expression of F (nn.functional), torch and named inputs. The recorder keeps the value
and the gradients of sum(value * weights) with respect to each input that is floating.
"""

import numpy as np


def inputs():
    """Named arrays that the cases use."""
    rng = np.random.default_rng(3)
    n = rng.standard_normal
    return {
        "x1": n((2, 4, 9)),
        "x2": n((2, 4, 7, 6)),
        "x3": n((1, 2, 4, 5, 6)),
        "w1": n((6, 2, 3)),
        "w2": n((6, 4, 3, 2)),
        "w3": n((3, 2, 2, 3, 2)),
        "t2": n((4, 3, 3, 2)),
        "v4": n(4),
        "v6": n(6),
        "scores": n((5, 4)),
        "volume": n((2, 3, 2, 2)),
        "table": n((7, 3)),
        "q": n((1, 2, 3, 4)),
        "k": n((1, 2, 5, 4)),
        "v": n((1, 2, 5, 4)),
        "grid2": n((2, 3, 4, 2)) * 0.7,
        "grid3": n((1, 2, 3, 2, 3)) * 0.7,
        "steps": n((6, 2, 4)),
        "unit": rng.random((5, 4)),
        "classes": np.array([0, 3, 1, -100, 2], np.int64),
        "places": rng.integers(0, 3, (2, 2, 2)),
        "bag": np.array([1, 4, 2, 4, 6, 0], np.int64),
        "starts": np.array([0, 2, 2, 5], np.int64),
        "labels": np.array([[1, 2, 2], [3, 1, 1]], np.int64),
        "several": np.array([[3, 0, -1, 1], [1, 2, -1, 0], [0, 1, 2, 3], [-1, 0, 0, 0],
                             [2, -1, 1, 1]], np.int64),
        "samples": np.full((2, 4, 2), 0.3),
    }


CASES = [
    "F.conv1d(x1, w1, v6, stride=2, padding=1, groups=2)",
    "F.conv1d(x1, w1, padding='same', dilation=3, groups=2)",
    "F.conv2d(x2, w2, v6, stride=(2, 1), padding=(1, 2), dilation=(2, 1))",
    "F.conv2d(x2[0], w2, v6)",
    "F.conv3d(x3, w3, stride=(1, 2, 1), padding=1)",
    "F.conv_transpose1d(x1, w1[:4], stride=3, padding=1, output_padding=2)",
    "F.conv_transpose2d(x2, t2, stride=(2, 3), padding=1, dilation=2)",
    "F.max_pool1d(x1, 3, 2, padding=1)",
    "F.max_pool2d(x2, (3, 2), (2, 1), padding=(1, 0), dilation=(2, 3), ceil_mode=True)",
    "F.max_pool3d(x3, 2, ceil_mode=True)",
    "F.max_unpool2d(*F.max_pool2d(x2, 2, return_indices=True), 2)",
    "F.avg_pool1d(x1, 3, 2, padding=1, ceil_mode=True)",
    "F.avg_pool2d(x2, (3, 2), 2, padding=1, count_include_pad=False, ceil_mode=True)",
    "F.avg_pool2d(x2, 3, divisor_override=5)",
    "F.avg_pool3d(x3, 2, padding=1)",
    "F.adaptive_avg_pool2d(x2, (3, 4))",
    "F.adaptive_avg_pool3d(x3, (2, 4, 8))",
    "F.adaptive_max_pool2d(x2, (3, 4))",
    "F.lp_pool2d(x2, 3, 2)",
    "F.fractional_max_pool2d(x2, 2, (3, 4), _random_samples=samples.detach())",
    "F.unfold(x2, (3, 2), dilation=2, padding=1, stride=(1, 2))",
    "F.fold(x1.reshape(1, 12, 6), (3, 5), (2, 3))",
    "F.layer_norm(x2, (7, 6), torch.ones(7, 6, dtype=torch.float64) * 2)",
    "F.group_norm(x2, 2, v4, v4 * 2)",
    "F.batch_norm(x2, None, None, v4, v4 + 1, training=True)",
    "F.batch_norm(x2, v4.detach(), v4.detach() ** 2 + 1, v4, None)",
    "F.instance_norm(x2)",
    "F.rms_norm(x2, (6,), v6)",
    "F.local_response_norm(x2, 3)",
    "F.softmax(x2, 1)",
    "F.log_softmax(scores, 1)",
    "F.gelu(x2)",
    "F.gelu(x2, approximate='tanh')",
    "F.silu(x2)",
    "F.mish(x2)",
    "F.softplus(x2, 2, 1)",
    "F.elu(x2, 1.5)",
    "F.celu(x2, 1.5)",
    "F.selu(x2)",
    "F.leaky_relu(x2, 0.2)",
    "F.prelu(x2, v4)",
    "F.hardswish(x2 * 3)",
    "F.hardsigmoid(x2 * 3)",
    "F.hardtanh(x2)",
    "F.hardshrink(x2)",
    "F.softshrink(x2)",
    "F.logsigmoid(x2)",
    "F.threshold(x2, 0.1, 20)",
    "F.glu(x2, 1)",
    "F.mse_loss(scores, unit)",
    "F.smooth_l1_loss(scores, unit, beta=0.7)",
    "F.huber_loss(scores, unit, reduction='sum', delta=0.5)",
    "F.binary_cross_entropy(unit, unit.flip(0))",
    "F.binary_cross_entropy_with_logits(scores, unit, pos_weight=v4.abs().detach())",
    "F.soft_margin_loss(scores, torch.sign(unit.detach() - 0.5))",
    "F.nll_loss(scores, classes, v4.abs().detach())",
    "F.nll_loss(volume, places, reduction='none')",
    "F.cross_entropy(scores, classes)",
    "F.cross_entropy(scores, classes, label_smoothing=0.1)",
    "F.cross_entropy(volume, places, reduction='sum')",
    "F.cross_entropy(scores, unit)",
    "F.multi_margin_loss(scores, classes.clamp(min=0), p=2)",
    "F.multilabel_margin_loss(scores, several)",
    "F.kl_div(scores.log_softmax(1), unit, reduction='batchmean')",
    "F.ctc_loss(steps.log_softmax(2), labels, (6, 5), (3, 2))",
    "F.embedding(labels, table, padding_idx=2)",
    "F.embedding(labels, table, scale_grad_by_freq=True)",
    "F.embedding_bag(bag, table, starts, mode='sum', per_sample_weights=v6)",
    "F.embedding_bag(bag, table, starts, mode='mean', padding_idx=4)",
    "F.embedding_bag(bag, table, starts, mode='max')",
    "F.scaled_dot_product_attention(q, k, v)",
    "F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3)",
    "F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(3, 5, dtype=torch.bool).triu())",
    "F.interpolate(x2, size=(9, 4))",
    "F.interpolate(x2, scale_factor=(1.7, 0.6), mode='nearest-exact')",
    "F.interpolate(x1, scale_factor=1.3, mode='linear')",
    "F.interpolate(x2, size=(9, 4), mode='bilinear', align_corners=True)",
    "F.interpolate(x2, scale_factor=(1.7, 0.6), mode='bicubic')",
    "F.interpolate(x2, size=(3, 4), mode='bilinear', antialias=True)",
    "F.interpolate(x2, size=(3, 4), mode='bicubic', antialias=True)",
    "F.interpolate(x3, scale_factor=2, mode='trilinear')",
    "F.interpolate(x2, size=(3, 4), mode='area')",
    "F.grid_sample(x2, grid2, align_corners=False)",
    "F.grid_sample(x2, grid2, 'bicubic', 'border', align_corners=True)",
    "F.grid_sample(x2, grid2, 'bilinear', 'reflection', align_corners=False)",
    "F.grid_sample(x2, grid2, 'nearest', align_corners=False)",
    "F.grid_sample(x3, grid3, align_corners=True)",
    "F.pad(x2, (1, -2, 0, 3), value=2.5)",
    "F.pad(x2, (2, 3, 1, 4), mode='reflect')",
    "F.pad(x3, (2, 3, 1, 4, 0, 1), mode='replicate')",
    "F.pad(x2, (2, 3, 1, 4), mode='circular')",
    "F.pixel_shuffle(x2, 2)",
    "torch.cdist(scores, unit, p=3.0)",
    "torch.cdist(scores, unit)",
    "F.pdist(scores, p=1.0)",
    "F.bilinear(scores, unit, torch.ones(2, 4, 4, dtype=torch.float64))",
]


def evaluate(case, torch):
    """(value, {name: gradient}) of a case as arrays, under PyTorch or retrograd."""
    named = {}
    for name, array in inputs().items():
        named[name] = torch.tensor(array)
        if array.dtype == np.float64 and name in names_of(case):
            named[name].requires_grad_()
    value = eval(case, {"torch": torch, "F": torch.nn.functional, **named})
    weights = np.cos(np.arange(value.numel(), dtype=float)).reshape(tuple(value.shape))
    (value * torch.tensor(weights)).sum().backward()
    grads = {k: t.grad.numpy() for k, t in named.items() if t.requires_grad and t.grad is not None}
    return value.detach().numpy(), grads


def names_of(case):
    return compile(case, "<case>", "eval").co_names
