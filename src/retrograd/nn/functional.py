"""The functions behind the layers, without parameters of their own; a file a family."""
from __future__ import annotations

from retrograd import (  # torch's own functions, in PyTorch too
    adaptive_avg_pool1d,
    avg_pool1d,
    bilinear,
    channel_shuffle,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    native_channel_shuffle,
    pdist,
    pixel_shuffle,
    pixel_unshuffle,
    prelu,
)
from retrograd.nn import _reduction as _Reduction
from retrograd.nn._borrowed import borrows as _borrows
from retrograd.nn._functional.activation import (
    _get_softmax_dim,
    celu,
    elu,
    gelu,
    glu,
    gumbel_softmax,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    relu,
    relu6,
    rrelu,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
)
from retrograd.nn._functional.attention import (
    _canonical_mask,
    _in_projection,
    _in_projection_packed,
    _mha_shape_check,
    _none_or_dtype,
    multi_head_attention_forward,
)
from retrograd.nn._functional.conv import (
    conv_tbc,
    fold,
    unfold,
)
from retrograd.nn._functional.distance import (
    cosine_similarity,
    normalize,
    pairwise_distance,
)
from retrograd.nn._functional.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from retrograd.nn._functional.embedding import embedding, embedding_bag, one_hot
from retrograd.nn._functional.grouped import grouped_mm
from retrograd.nn._functional.linear_loss import linear_cross_entropy
from retrograd.nn._functional.loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    ctc_loss,
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
)
from retrograd.nn._functional.margin_loss import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from retrograd.nn._functional.norm import (
    _verify_batch_size,
    _verify_spatial_size,
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)
from retrograd.nn._functional.pad import pad
from retrograd.nn._functional.pool import (
    _unpool_output_size,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool2d,
    avg_pool3d,
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from retrograd.nn._functional.vision import (
    GRID_SAMPLE_INTERPOLATION_MODES,
    GRID_SAMPLE_PADDING_MODES,
    affine_grid,
    grid_sample,
    interpolate,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)
from retrograd.ops.addmm import linear
from retrograd.ops.attention import scaled_dot_product_attention
from retrograd.ops.public import reporting as _reporting

__all__ = [
    "GRID_SAMPLE_INTERPOLATION_MODES", "GRID_SAMPLE_PADDING_MODES", "_Reduction",
    "_canonical_mask", "_get_softmax_dim", "_in_projection", "_in_projection_packed",
    "_mha_shape_check", "_none_or_dtype", "_unpool_output_size", "_verify_batch_size",
    "_verify_spatial_size", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices",
    "affine_grid", "alpha_dropout", "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm",
    "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "celu_",
    "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "cosine_embedding_loss", "cosine_similarity",
    "cross_entropy", "ctc_loss", "dropout", "dropout1d", "dropout2d", "dropout3d", "elu", "elu_",
    "embedding", "embedding_bag", "feature_alpha_dropout", "fold", "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices", "gaussian_nll_loss", "gelu", "glu", "grid_sample",
    "group_norm", "grouped_mm", "gumbel_softmax",
    "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "hardtanh_", "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div",
    "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear", "linear_cross_entropy",
    "local_response_norm",
    "log_softmax", "logsigmoid", "lp_pool1d", "lp_pool2d", "lp_pool3d", "margin_ranking_loss",
    "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices",
    "max_pool3d", "max_pool3d_with_indices", "max_unpool1d", "max_unpool2d", "max_unpool3d",
    "mish", "mse_loss", "multi_head_attention_forward", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "native_channel_shuffle", "nll_loss",
    "normalize", "one_hot", "pad", "pairwise_distance", "pdist", "pixel_shuffle",
    "pixel_unshuffle", "poisson_nll_loss", "prelu", "relu", "relu6", "relu_", "rms_norm", "rrelu",
    "rrelu_", "scaled_dot_product_attention", "selu", "selu_", "sigmoid", "silu",
    "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink",
    "softsign", "tanh", "tanhshrink", "threshold", "threshold_", "triplet_margin_loss",
    "triplet_margin_with_distance_loss", "unfold", "upsample", "upsample_bilinear",
    "upsample_nearest",
]


_borrowed = _borrows(__name__)


def __getattr__(name):
    if name == "grad":      # the module of convolutions' gradients
        from retrograd.nn import grad

        return grad
    return _borrowed(name)


def relu_(input):
    """relu in place.

    >>> import retrograd as torch
    >>> torch.nn.functional.relu_(torch.tensor([-1., 2.]))
    tensor([0., 2.])
    """
    return relu(input, inplace=True)


def threshold_(input, threshold, value):
    """threshold in place.

    >>> import retrograd as torch
    >>> torch.nn.functional.threshold_(torch.tensor([0.1, 2.]), 0.5, 0.)
    tensor([0., 2.])
    """
    from retrograd.nn._functional._operators import ops

    return ops.threshold_(input, threshold, value)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """hardtanh in place.

    >>> import retrograd as torch
    >>> torch.nn.functional.hardtanh_(torch.tensor([-3., 0.5]))
    tensor([-1.0000,  0.5000])
    """
    return hardtanh(input, min_val, max_val, inplace=True)


def elu_(input, alpha=1.0):
    """elu in place.

    >>> import retrograd as torch
    >>> torch.nn.functional.elu_(torch.tensor([-1., 2.]))
    tensor([-0.6321,  2.0000])
    """
    return elu(input, alpha, inplace=True)


def selu_(input):
    """selu in place.

    >>> import retrograd as torch
    >>> torch.nn.functional.selu_(torch.tensor([-1., 2.]))
    tensor([-1.1113,  2.1014])
    """
    return selu(input, inplace=True)


def celu_(input, alpha=1.0):
    """celu in place.

    >>> import retrograd as torch
    >>> torch.nn.functional.celu_(torch.tensor([-1., 2.]))
    tensor([-0.6321,  2.0000])
    """
    return celu(input, alpha, inplace=True)


def leaky_relu_(input, negative_slope=0.01):
    """leaky_relu in place.

    >>> import retrograd as torch
    >>> torch.nn.functional.leaky_relu_(torch.tensor([-1., 2.]))
    tensor([-0.0100,  2.0000])
    """
    return leaky_relu(input, negative_slope, inplace=True)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """rrelu in place.

    >>> import retrograd as torch
    >>> torch.rrelu_(torch.tensor([-1., 2.]))
    tensor([-0.2292,  2.0000])
    """
    return rrelu(input, lower, upper, training, inplace=True)


# What stands here calls an operator of the core first, or is one: wrong arguments are its to name.
# The others stumble in Python, in PyTorch as here.
_CORE = {
    **{name: name for name in (
        "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool2d", "adaptive_max_pool3d",
        "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices", "avg_pool2d",
        "avg_pool3d", "conv_tbc", "cosine_embedding_loss", "cosine_similarity",
        "dropout", "hardshrink", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss",
        "max_pool2d",
        "max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d", "mse_loss",
        "max_pool3d_with_indices", "max_unpool2d", "max_unpool3d", "multi_margin_loss",
        "multilabel_margin_loss", "one_hot", "pad", "pairwise_distance", "poisson_nll_loss",
        "relu6", "rrelu", "rrelu_",
        "scaled_dot_product_attention", "smooth_l1_loss", "soft_margin_loss", "softplus",
        "softshrink",
        "triplet_margin_loss")},
    "cross_entropy": "cross_entropy_loss", "fold": "col2im", "logsigmoid": "log_sigmoid",
    "nll_loss": "nll_loss_nd", "triplet_margin_with_distance_loss": "pairwise_distance",
    "unfold": "im2col",
}
for _name, _shown in _CORE.items():
    globals()[_name] = _reporting(globals()[_name], _name, __name__, _shown)
for _f in list(globals().values()):              # pickles, PyTorch's too, look for them here
    _home = getattr(_f, "__module__", "")
    if (_home in ("torch", "retrograd") or _home.startswith("retrograd.nn._functional")
            or _f is linear):
        _f.__module__ = __name__
