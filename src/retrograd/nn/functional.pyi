"""For type checkers and editors, written by tools/stubs.py from what is there."""

# ruff: noqa
from builtins import bool as _bool, float as _float, int as _int
from typing import Any

from retrograd import Tensor

def adaptive_avg_pool1d(input: Any, output_size: Any) -> Tensor:
    r"""Means of parts that make the result (N, C, output_size)."""
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    r"""Means over windows that make the output `output_size`; None keeps a dimension."""
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Tensor:
    r"""Means over windows that make the output `output_size`; None keeps a dimension."""
def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    r"""Maxima over windows that make the output `output_size` long."""
def adaptive_max_pool1d_with_indices(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    r"""adaptive_max_pool1d and where each maximum was, an index into L."""
def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    r"""Maxima over windows that make the output `output_size`; None keeps a dimension."""
def adaptive_max_pool2d_with_indices(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    r"""adaptive_max_pool2d and where each maximum was, an index into the flattened H * W."""
def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    r"""Maxima over windows that make the output `output_size`; None keeps a dimension."""
def adaptive_max_pool3d_with_indices(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    r"""adaptive_max_pool3d and where each maximum was, an index into the flattened D * H * W."""
def affine_grid(theta: Any, size: Any, align_corners: Any = None) -> Tensor:
    r"""The grid that makes grid_sample apply the affine maps theta (N, 2, 3) or (N, 3, 4)."""
def alpha_dropout(input: Any, p: Any = 0.5, training: Any = False, inplace: Any = False) -> Tensor:
    r"""Dropout that keeps mean and variance of SELU activations (Klambauer et al. 2017)."""
def avg_pool1d(input: Any, kernel_size: Any, stride: Any = ..., padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True) -> Tensor:
    r"""The mean of each window of (N, C, L) or (C, L)."""
def avg_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None, *, out: Any = None) -> Tensor:
    r"""The mean of each window of (N, C, H, W)."""
def avg_pool3d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None, *, out: Any = None) -> Tensor:
    r"""The mean of each window of (N, C, D, H, W)."""
def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: Any = False, momentum: Any = 0.1, eps: Any = 1e-05) -> Tensor:
    r"""(x - mean) / sqrt(var + eps) * weight + bias, per channel (dimension 1)."""
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    r"""sum over i, j of input1[..., i] * weight[k, i, j] * input2[..., j], plus bias[k]."""
def binary_cross_entropy(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""-(y log x + (1 - y) log(1 - x)) for probabilities x; logs are kept above -100."""
def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', pos_weight: Any = None) -> Tensor:
    r"""binary_cross_entropy(sigmoid(x), y), computed without overflow."""
def celu(input: Any, alpha: Any = 1.0, inplace: Any = False) -> Tensor:
    r"""max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
def celu_(input: Any, alpha: Any = 1.0) -> Tensor:
    r"""celu in place."""
def channel_shuffle(input: Any, groups: Any) -> Tensor:
    r"""Deal the channels of (N, C, *) out of `groups` groups in turn."""
def conv1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    r"""Cross-correlation of (N, C, L) with weight (O, C / groups, *kernel)."""
def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    r"""Cross-correlation of (N, C, H, W) with weight (O, C / groups, *kernel)."""
def conv3d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    r"""Cross-correlation of (N, C, D, H, W) with weight (O, C / groups, *kernel)."""
def conv_tbc(input: Any, weight: Any, bias: Any, pad: Any = 0) -> Tensor:
    r"""conv1d of (T, N, C) with weight (K, C, O): -> (T', N, O)."""
def conv_transpose1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    r"""conv1d transposed: (N, C, L) with weight (C, O / groups, *kernel)."""
def conv_transpose2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    r"""conv2d transposed: (N, C, H, W) with weight (C, O / groups, *kernel)."""
def conv_transpose3d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    r"""conv3d transposed: (N, C, D, H, W) with weight (C, O / groups, *kernel)."""
def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: Any = 0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""1 - cos(x1, x2) where y = 1, max(0, cos(x1, x2) - margin) where y = -1."""
def cosine_similarity(x1: Any, x2: Any, dim: Any = 1, eps: Any = 1e-08) -> Tensor:
    r"""x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`: (*, n, *), (*, n, *) -> (*, *)."""
def cross_entropy(input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: Any = -100, reduce: Any = None, reduction: Any = 'mean', label_smoothing: Any = 0.0) -> Tensor:
    r"""-log softmax(x)[y], that is nll_loss(log_softmax(x), y)."""
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any = 0, reduction: Any = 'mean', zero_infinity: Any = False) -> Tensor:
    r"""Connectionist temporal classification (Graves et al. 2006)."""
def dropout(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    r"""Zero each element with probability `p` and scale the others by 1 / (1 - p)."""
def dropout1d(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    r"""Zero whole channels of (N, C, L) or (C, L)."""
def dropout2d(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    r"""Zero whole channels of (N, C, H, W)."""
def dropout3d(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    r"""Zero whole channels of (N, C, D, H, W) or (C, D, H, W)."""
def elu(input: Any, alpha: Any = 1.0, inplace: Any = False) -> Tensor:
    r"""x where x > 0, else alpha * (exp(x) - 1)."""
def elu_(input: Any, alpha: Any = 1.0) -> Tensor:
    r"""elu in place."""
def embedding(input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0, scale_grad_by_freq: Any = False, sparse: Any = False) -> Tensor:
    r"""The rows of `weight` (V, D) named by the integers `input` (*): result (*, D)."""
def embedding_bag(input: Any, weight: Any, offsets: Any = None, max_norm: Any = None, norm_type: Any = 2, scale_grad_by_freq: Any = False, mode: Any = 'mean', sparse: Any = False, per_sample_weights: Any = None, include_last_offset: Any = False, padding_idx: Any = None) -> Tensor:
    r"""The sum, mean or max of the rows of each bag."""
def feature_alpha_dropout(input: Any, p: Any = 0.5, training: Any = False, inplace: Any = False) -> Tensor:
    r"""alpha_dropout of whole channels."""
def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    r"""The sum of columns back into an image: (N, C * kh * kw, L) -> (N, C, H, W)."""
def fractional_max_pool2d(input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: Any = False, _random_samples: Any = None) -> Any:
    r"""Maxima over windows of kernel_size with random steps of 1 or 2 (Graham 2014)."""
def fractional_max_pool2d_with_indices(input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: Any = False, _random_samples: Any = None) -> Any:
    r"""fractional_max_pool2d and where each maximum was."""
def fractional_max_pool3d(input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: Any = False, _random_samples: Any = None) -> Any:
    r"""Maxima over windows of kernel_size with random steps (Graham 2014)."""
def fractional_max_pool3d_with_indices(input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: Any = False, _random_samples: Any = None) -> Any:
    r"""fractional_max_pool3d and where each maximum was."""
def gaussian_nll_loss(input: Any, target: Any, var: Any, full: Any = False, eps: Any = 1e-06, reduction: Any = 'mean') -> Tensor:
    r"""0.5 (log var + (x - y)^2 / var), var kept above eps; `full` adds 0.5 log(2 pi)."""
def gelu(input: Any, *, approximate: Any = 'none', out: Any = None) -> Tensor:
    r"""x * Phi(x), with Phi the normal distribution function (Hendrycks and Gimpel 2016)."""
def glu(input: Any, dim: Any = -1) -> Tensor:
    r"""a * sigmoid(b), with a and b the halves of the input along `dim`."""
def grid_sample(input: Any, grid: Any, mode: Any = 'bilinear', padding_mode: Any = 'zeros', align_corners: Any = None) -> Tensor:
    r"""Values of (N, C, H, W) at the points of grid (N, h, w, 2), x then y in [-1, 1]."""
def group_norm(input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-05) -> Tensor:
    r"""Normalize each sample over `num_groups` groups of channels (Wu and He 2018)."""
def grouped_mm(mat_a: Any, mat_b: Any, *, offs: Any = None, bias: Any = None, out_dtype: Any = None) -> Tensor:
    r"""mat_a[i] @ mat_b[i] for each group i."""
def gumbel_softmax(logits: Any, tau: Any = 1, hard: Any = False, eps: Any = 1e-10, dim: Any = -1) -> Tensor:
    r"""A sample of the Gumbel-softmax distribution (Jang et al. 2016); `hard` makes it one-hot."""
def hardshrink(input: Any, lambd: Any = 0.5, *, out: Any = None) -> Tensor:
    r"""x where abs(x) > lambd, else 0."""
def hardsigmoid(input: Any, inplace: Any = False) -> Tensor:
    r"""relu6(x + 3) / 6."""
def hardswish(input: Any, inplace: Any = False) -> Tensor:
    r"""x * relu6(x + 3) / 6."""
def hardtanh(input: Any, min_val: Any = -1.0, max_val: Any = 1.0, inplace: Any = False) -> Tensor:
    r"""x limited to [min_val, max_val]."""
def hardtanh_(input: Any, min_val: Any = -1.0, max_val: Any = 1.0) -> Tensor:
    r"""hardtanh in place."""
def hinge_embedding_loss(input: Any, target: Any, margin: Any = 1.0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""x where y = 1, max(0, margin - x) where y = -1."""
def huber_loss(input: Any, target: Any, reduction: Any = 'mean', delta: Any = 1.0, weight: Any = None) -> Tensor:
    r"""0.5 d^2 where d = abs(x - y) < delta, else delta (d - 0.5 delta); reduced."""
def instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None, use_input_stats: Any = True, momentum: Any = 0.1, eps: Any = 1e-05) -> Tensor:
    r"""batch_norm of each sample by itself (Ulyanov et al. 2016)."""
def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: Any = 'nearest', align_corners: Any = None, recompute_scale_factor: Any = None, antialias: Any = False) -> Tensor:
    r"""Resize the spatial dimensions of (N, C, d...) to `size` or by `scale_factor`."""
def kl_div(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', log_target: Any = False) -> Tensor:
    r"""target * (log(target) - x) for log-probabilities x, reduced; 'batchmean' divides by N."""
def l1_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', weight: Any = None) -> Tensor:
    r"""abs(x - y), reduced."""
def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-05) -> Tensor:
    r"""(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions (Ba et al. 2016)."""
def leaky_relu(input: Any, negative_slope: Any = 0.01, inplace: Any = False) -> Tensor:
    r"""x where x > 0, else negative_slope * x."""
def leaky_relu_(input: Any, negative_slope: Any = 0.01) -> Tensor:
    r"""leaky_relu in place."""
def linear(input: Any, weight: Any, bias: Any = None, *, out: Any = None) -> Tensor:
    r"""input @ weight^T + bias: (*, in), (out, in), (out) -> (*, out)."""
def linear_cross_entropy(input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None, weight: Any = None, reduction: Any = 'mean', ignore_index: Any = None, label_smoothing: Any = 0.0, options: Any = None) -> Tensor:
    r"""cross_entropy(linear(input, linear_weight, linear_bias), target)."""
def local_response_norm(input: Any, size: Any, alpha: Any = 0.0001, beta: Any = 0.75, k: Any = 1.0) -> Tensor:
    r"""x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta."""
def log_softmax(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    r"""log(softmax(x)) = x - log(sum(exp(x))) along `dim`, so that nothing overflows."""
def logsigmoid(input: Any, *, out: Any = None) -> Tensor:
    r"""log(1 / (1 + exp(-x)))."""
def lp_pool1d(input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False) -> Tensor:
    r"""(sum of x^p over each window)^(1/p), p = norm_type; inf: max of |x|, -inf: min."""
def lp_pool2d(input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False) -> Tensor:
    r"""(sum of x^p over each window)^(1/p), p = norm_type; inf: max of |x|, -inf: min."""
def lp_pool3d(input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False) -> Tensor:
    r"""(sum of x^p over each window)^(1/p), p = norm_type; inf: max of |x|, -inf: min."""
def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: Any = 0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""max(0, -y (x1 - x2) + margin)."""
def max_pool1d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Any:
    r"""The maximum of each window of (N, C, L); with `return_indices` also its place."""
def max_pool1d_with_indices(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Any:
    r"""max_pool1d and where each maximum was, an index into L."""
def max_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Any:
    r"""The maximum of each window of (N, C, H, W); with `return_indices` also its place."""
def max_pool2d_with_indices(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Any:
    r"""max_pool2d and where each maximum was, an index into the flattened H * W."""
def max_pool3d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Any:
    r"""The maximum of each window of (N, C, D, H, W); with `return_indices` also its place."""
def max_pool3d_with_indices(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Any:
    r"""max_pool3d and where each maximum was, an index into the flattened D * H * W."""
def max_unpool1d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    r"""Put the maxima of max_pool1d back at their indices, zeros elsewhere."""
def max_unpool2d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    r"""Put the maxima of max_pool2d back at their indices, zeros elsewhere."""
def max_unpool3d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    r"""Put the maxima of max_pool3d back at their indices, zeros elsewhere."""
def mish(input: Any, inplace: Any = False) -> Tensor:
    r"""x * tanh(softplus(x))."""
def mse_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', weight: Any = None) -> Tensor:
    r"""(x - y)^2, reduced: (*), (*) -> (), or (*) with reduction='none'."""
def multi_head_attention_forward(query: Any, key: Any, value: Any, embed_dim_to_check: Any, num_heads: Any, in_proj_weight: Any, in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: Any, dropout_p: Any, out_proj_weight: Any, out_proj_bias: Any, training: Any = True, key_padding_mask: Any = None, need_weights: Any = True, attn_mask: Any = None, use_separate_proj_weight: Any = False, q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None, average_attn_weights: Any = True, is_causal: Any = False) -> Any:
    r"""Attention of `num_heads` heads: project, attend, project back (Vaswani et al. 2017)."""
def multi_margin_loss(input: Any, target: Any, p: Any = 1, margin: Any = 1.0, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""sum over classes i != y of weight[y] max(0, margin - x[y] + x[i])^p / C."""
def multilabel_margin_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""sum over targets y and other classes i of max(0, 1 - (x[y] - x[i])) / C."""
def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""The mean over classes of -(y log sigmoid(x) + (1 - y) log sigmoid(-x))."""
def native_channel_shuffle(input: Any, groups: Any) -> Tensor:
    r"""channel_shuffle."""
def nll_loss(input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: Any = -100, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""-weight[y] * x[y] for log-probabilities x (N, C, d...) and classes y (N, d...)."""
def normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12, out: Any = None) -> Tensor:
    r"""x / max(|x|_p, eps) along `dim`, of the shape of x. IndexError for a dim out of range."""
def one_hot(input: Any, num_classes: Any = -1) -> Tensor:
    r"""Vectors of zeros with a 1 at the class: integers (*) -> (*, num_classes) of int64."""
def pad(input: Any, pad: Any, mode: Any = 'constant', value: Any = None) -> Tensor:
    r"""Add `pad` = (left, right, top, bottom, ...) elements, last dimension first."""
def pairwise_distance(x1: Any, x2: Any, p: Any = 2.0, eps: Any = 1e-06, keepdim: Any = False) -> Tensor:
    r"""The p-norm of x1 - x2 + eps along the last dimension."""
def pdist(input: Any, p: Any = 2.0) -> Tensor:
    r"""|input[i] - input[j]|_p for i < j: (N, M) -> (N (N - 1) / 2)."""
def pixel_shuffle(input: Any, upscale_factor: Any) -> Tensor:
    r"""(*, C r^2, H, W) -> (*, C, H r, W r) with r the factor (Shi et al. 2016)."""
def pixel_unshuffle(input: Any, downscale_factor: Any) -> Tensor:
    r"""The reverse of pixel_shuffle: (*, C, H r, W r) -> (*, C r^2, H, W)."""
def poisson_nll_loss(input: Any, target: Any, log_input: Any = True, full: Any = False, size_average: Any = None, eps: Any = 1e-08, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""exp(x) - y x, or x - y log(x + eps); `full` adds Stirling's approximation of log(y!)."""
def prelu(input: Any, weight: Any) -> Tensor:
    r"""input above 0, weight * input below; one weight, or one for each channel."""
def relu(input: Any, inplace: Any = False) -> Tensor:
    r"""max(0, x), of the shape of x; the gradient at 0 is 0. `inplace` writes into x."""
def relu6(input: Any, inplace: Any = False) -> Tensor:
    r"""min(max(0, x), 6)."""
def relu_(input: Any) -> Tensor:
    r"""relu in place."""
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    r"""x / sqrt(mean(x^2) + eps) * weight over the last dimensions (Zhang and Sennrich 2019)."""
def rrelu(input: Any, lower: Any = 0.125, upper: Any = 0.3333333333333333, training: Any = False, inplace: Any = False) -> Tensor:
    r"""leaky_relu whose slope is drawn uniformly from [lower, upper] in training."""
def rrelu_(input: Any, lower: Any = 0.125, upper: Any = 0.3333333333333333, training: Any = False) -> Tensor:
    r"""rrelu in place."""
def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: Any = 0.0, is_causal: Any = False, *, scale: Any = None, enable_gqa: Any = False) -> Tensor:
    r"""softmax(query key^T * scale + mask) value: (..., L, E), (..., S, E), (..., S, Ev)."""
def selu(input: Any, inplace: Any = False) -> Tensor:
    r"""scale * elu(x, alpha) with the constants of self-normalizing networks."""
def selu_(input: Any) -> Tensor:
    r"""selu in place."""
def sigmoid(input: Any) -> Tensor:
    r"""1 / (1 + exp(-x))."""
def silu(input: Any, inplace: Any = False) -> Tensor:
    r"""x * sigmoid(x), of the shape of x (Hendrycks and Gimpel 2016); also called swish."""
def smooth_l1_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', beta: Any = 1.0) -> Tensor:
    r"""0.5 d^2 / beta where d = abs(x - y) < beta, else d - 0.5 beta; reduced."""
def soft_margin_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""log(1 + exp(-y x))."""
def softmax(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    r"""exp(x_i) / sum_j exp(x_j) along `dim`: positive numbers whose sum is 1."""
def softmin(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    r"""softmax(-x)."""
def softplus(input: Any, beta: Any = 1, threshold: Any = 20, *, out: Any = None) -> Tensor:
    r"""log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
def softshrink(input: Any, lambd: Any = 0.5, *, out: Any = None) -> Tensor:
    r"""x - lambd above lambd, x + lambd below -lambd, 0 between."""
def softsign(input: Any) -> Tensor:
    r"""x / (1 + abs(x))."""
def tanh(input: Any) -> Tensor:
    r"""The hyperbolic tangent."""
def tanhshrink(input: Any) -> Tensor:
    r"""x - tanh(x)."""
def threshold(input: Any, threshold: Any, value: Any, inplace: Any = False) -> Tensor:
    r"""x where x > threshold, else value."""
def threshold_(input: Any, threshold: Any, value: Any) -> Tensor:
    r"""threshold in place."""
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: Any = 1.0, p: Any = 2, eps: Any = 1e-06, swap: Any = False, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    r"""max(0, d(a, p) - d(a, n) + margin) with d the p-norm distance (Balntas et al. 2016)."""
def triplet_margin_with_distance_loss(anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None, margin: Any = 1.0, swap: Any = False, reduction: Any = 'mean') -> Tensor:
    r"""triplet_margin_loss with any distance function."""
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    r"""Sliding windows as columns: (N, C, H, W) -> (N, C * kh * kw, L)."""
def upsample(input: Any, size: Any = None, scale_factor: Any = None, mode: Any = 'nearest', align_corners: Any = None) -> Tensor:
    r"""The old name of interpolate."""
def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Tensor:
    r"""The old name of interpolate with mode 'bilinear' and aligned corners."""
def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Tensor:
    r"""The old name of interpolate with mode 'nearest'."""
