"""Compiled twins of kernels, for large arrays: Numba, the extra `fast`.

A twin has the name and the arguments of the NumPy kernel it stands in for, and returns None where
it has nothing to offer (a dtype, a layout): the NumPy kernel then does the work. Which of the two
is called depends only on the size of the first array, or of the result for arithmetic of arrays
that broadcast; so a program on small arrays never loads a kernel and pays one comparison per call.
Twins that draw random numbers give the same bits, and are called for fewer numbers once kernels are
in use. Without Numba, or with RETROGRAD_FAST=0 in the environment, no twin is ever looked for;
RETROGRAD_LARGE says what is large (1: all that is not empty, for tests).

`compiling.py` turns functions into kernels; `machine.py` lets Numba make their machine code once on
each computer, and `disk.py` keeps it (NOTE [machine code]), so that Numba is rarely imported (NOTE
[lazy] in `lazy.py`). `entry.py` is the way from Python into a kernel (NOTE [entry]), and `pool.py`
lets threads share it (NOTE [pool]). `scalar.py` has functions of one number that vectorise,
`elementwise.py` makes kernels of them, `lines.py` makes kernels of arrays that broadcast. The other
modules hold the twins, a family each.
"""

from __future__ import annotations

import math
import os
import sys
from functools import cache, lru_cache
from importlib import import_module, util

import numpy as np

# From this many elements on a compiled kernel is worth its call
LARGE = max(1, int(os.environ.get("RETROGRAD_LARGE", 1 << 15)))
# From this many elements on a single pass, such as NumPy's, is worth a second thread
SHARED = LARGE << 2
# The same as LARGE for half precision, which NumPy converts number by number
HALF = max(1, LARGE >> 5)
# From this many multiplications on OpenBLAS wakes its threads, which would spin beside ours
PRODUCT = max(1, int(os.environ.get("RETROGRAD_LARGE", (1 << 18) + 1)))
# From this many multiplications on our own tiles take less time than OpenBLAS where it need not
# transpose a factor: up to a million it has kernels that copy nothing
TILES = PRODUCT - 1 << 2
# Steps of an optimizer after which the kernels would have paid for being loaded (60 ms)
OFTEN = LARGE >> 3
# Elements of the second of two arrays from which on a small first one may give a large result
BESIDE = 1 << 6
# Elements of an expanded array from which on what it repeats is computed once
REPEATED = LARGE
# Elements of what lies in rows, for each of which NumPy takes 8 ns; of a result that broadcasts
# twice as many for each of these lengths that its rows have
SPREAD = max(1, LARGE >> 4)
LINES = 1, 8, 32
# Elements, or rows, of arrays whose rows lie apart from which on their sum is worth a call: NumPy's
# loop begins anew for each row
APART, ROWS = max(1, LARGE >> 1), max(1, LARGE >> 7)
threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

# module: the kernels it has twins of. A name with a dot is the gradient of an operator's input.
FAMILIES = {
    "activation": ("relu", "threshold_backward", "leaky_relu", "leaky_relu_backward", "silu",
                   "silu_backward", "gelu_by", "gelu_backward", "elu", "elu_backward", "softplus",
                   "softplus_backward", "log_sigmoid", "log_sigmoid_backward", "mish", "celu",
                   "hardsigmoid", "hardsigmoid.self", "hardswish", "hardswish_backward",
                   "hardtanh_backward", "threshold", "hardshrink", "softshrink",
                   "hardshrink_backward", "softshrink_backward", "glu_dim", "glu_backward",
                   "prelu_kernel", "prelu_backward"),
    "attention": ("flash_attention", "flash_attention_backward"),
    "attention_one": ("attention_of_one",),
    "bessel": ("i0", "i0e", "i1", "i1e", "modified_bessel_i0", "modified_bessel_i1",
               "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0",
               "scaled_modified_bessel_k1", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1",
               "spherical_bessel_j0"),
    "batchnorm": ("native_batch_norm_of", "native_batch_norm_backward"),
    "blend": ("add_scaled", "sub_scaled", "addcmul", "addcdiv", "lerp", "lerp_scalar", "rsqrt",
              "reciprocal", "hypot", "sgn", "sign", "frac", "nan_to_num", "round",
              "round_decimals"),
    "cells": ("fused_lstm_cell", "lstm_cell_slopes", "fused_gru_cell", "gru_cell_slopes"),
    "cholesky": ("linalg_cholesky_ex",),
    "comparison": ("maximum", "minimum", "maximum.self", "maximum.other", "minimum.self",
                   "minimum.other", "clamp_numbers", "clamp_min_number", "clamp_max_number",
                   "clamp_numbers.self", "clamp_min_number.self", "clamp_max_number.self",
                   "hardtanh", "where"),
    "conv": ("convolution", "correlate", "spread"),
    "conv_weight": ("correlate_weight", "bias_gradient"),
    "copies": ("clone_contiguous", "duplicate", "filled", "overwrite", "joined", "make_complex",
               "flip", "tril", "triu", "reflect_1d", "reflect_2d", "replicate_1d", "replicate_2d"),
    "ctc": ("ctc_alphas", "ctc_slopes"),
    "distance": ("fill_distances", "cdist_backward", "fill_pair_distances", "pdist_backward"),
    "draw": ("normal_blocks", "normal32", "uniform32", "uniform64", "below", "shuffled",
             "remainders"),
    "embedding": ("bag_sums", "bag_maxima", "bag_spread"),
    "fft": ("fft_c2c", "fft_r2c", "fft_c2r"),
    "half": ("cast",),
    "gamma": ("igamma", "igammac", "zeta", "polygamma"),
    "gridsample": ("grid_values", "grid_spread", "grid_along"),
    "gridsample_blocks": ("grid_sampler_2d_of", "grid_sampler_3d_of", "grid_sampler_backward"),
    "implicit": ("standard_gamma_grad", "dirichlet_grad"),
    "indexing": ("add_rows", "add_at", "add_products", "gather", "put_along", "add_along",
                 "combine_along"),
    "linalg": ("linalg_inv_ex", "linalg_solve", "linalg_det",
               "linalg_slogdet"),
    "loss": ("mse_loss", "smooth_l1_loss", "huber_loss", "mse_slope",
             "binary_cross_entropy_with_logits_of", "nll_loss_forward", "nll_loss2d_forward",
             "nll_slopes", "cross_entropy_of_classes", "cross_entropy_slopes"),
    "masks": ("fill_masked",),
    "matmul": ("product",),
    "norm": ("native_layer_norm_of", "native_layer_norm_backward", "native_group_norm_of",
             "native_group_norm_backward"),
    "optimizer": ("adam_update", "sgd_update", "adadelta_update", "adagrad_update",
                  "rmsprop_update", "nadam_update", "radam_update", "adamax_update",
                  "asgd_update", "rprop_update"),
    "pairs": ("bfloat16_product",),
    "pointwise": ("add", "sub", "rsub", "mul", "div", "abs", "square", "pow_scalar", "exp", "tanh",
                  "sigmoid", "erf", "sigmoid_backward", "tanh_backward", "exp.self", "mul.self",
                  "mul.other", "div.self", "div.other", "sub.other", "rsub.self", "neg.self",
                  "sqrt.self", "pow_scalar.self", "erf.self", "erfc.self", "reciprocal.self"),
    "recurrent": ("lstm_steps", "lstm_steps_backward", "gru_steps", "gru_steps_backward",
                  "rnn_steps", "rnn_steps_backward"),
    "polynomials": tuple(
        f"{kind}_polynomial_{letter}" for kind, letters in (
            ("chebyshev", "tuvw"), ("shifted_chebyshev", "tuvw"), ("hermite", ("h", "he")),
            ("laguerre", "l"), ("legendre", "p")) for letter in letters),
    "probability": ("ndtri", "log_ndtr", "entr"),
    "reject": ("normals", "gammas", "poissons", "binomials"),
    "reduce": ("sum_all", "mean_all", "sum_dim", "mean_dim", "sum_to", "prod_all",
               "prod_dim", "amax", "amin", "linalg_vector_norm"),
    "order": ("sort",),
    "scan": ("cumsum", "cumprod", "cummax", "cummin", "max_dim", "min_dim", "topk"),
    "search": ("places_among",),
    "signs": ("angle", "copysign", "copysign_number", "heaviside", "nextafter"),
    "softmax": ("softmax_dim", "softmax_backward", "log_softmax_dim", "log_softmax_backward",
                "logsumexp"),
    "special": ("sin", "cos", "sinc", "sin.self", "cos.self", "logaddexp", "logaddexp2", "lgamma",
                "digamma", "erfinv", "erfc", "remainder", "fmod", "remainder_scalar",
                "fmod_scalar", "div_rounded", "floor_divide"),
    "ufuncs": ("neg", "sqrt", "exp2", "expm1", "log", "log2", "log10", "tan", "asin", "acos",
               "atan", "atan2", "sinh", "cosh", "asinh", "acosh", "atanh", "fmax", "fmin",
               "floor", "ceil", "trunc", "signbit", "eq", "ne", "lt", "le", "gt", "ge", "isnan",
               "isfinite", "isinf", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not",
               "gcd"),
    "tiny": ("tiny_products",),
    "triangular": ("linalg_solve_triangular",),
    "variance": ("var",),
    "windows": ("max_pool_2d", "max_pool_3d", "adaptive_max_pool_2d", "adaptive_max_pool_3d",
                "max_pool_backward", "apply_map", "apply_maps"),
}
TWINS = {name: family for family, names in FAMILIES.items() for name in names}
# What NumPy does in more than a few passes: here a compiled kernel is worth its call earlier.
EARLIER = {name: shift for shift, names in (
    # from 8,192 elements on, if LARGE is 32,768
    (2, {"bias_gradient", "joined", "relu", "linalg_vector_norm", "reflect_1d", "reflect_2d",
         "replicate_1d", "replicate_2d"}),
    # 4,096
    (3, {"gather", "prelu_kernel", "tril", "triu", "amax", "amin", "where", "fill_masked",
         *FAMILIES["signs"]}),
    # 2,048: a pass that takes 20 ns for each number
    (4, {"gcd"}),
    # 2,048: from here on a kernel takes half the time of three passes
    (4, {name for family in (
            "attention", "blend", "cells", "cholesky", "linalg", "loss", "norm", "order",
            "recurrent", "scan", "softmax", "special", "tiny", "windows")
         for name in FAMILIES[family]} - {"rsqrt", "reciprocal", "frac", "nan_to_num"}),
    (4, {"add_at", "add_along", "put_along", "combine_along", "add_products", "cast", "threshold",
         "hardshrink", "softshrink"}),
    # 1,024
    (5, {"digamma", "silu_backward", "hypot", "logsumexp", "flash_attention"}),
    # 512: dozens of passes, or one that NumPy takes long for
    (6, {*FAMILIES["embedding"], *FAMILIES["search"], "sort", "topk", "cumsum", "cumprod",
         "max_dim", "min_dim", "erfinv", "glu_dim", "glu_backward", "threshold_backward",
         "leaky_relu_backward", "hardtanh_backward", "hardshrink_backward", "softshrink_backward",
         "sigmoid_backward",
         "tanh_backward", "prod_all", "prod_dim", "softplus_backward", "elu_backward", "remainder",
         "remainder_scalar", "fmod", "fmod_scalar", "log_sigmoid_backward", "hardsigmoid.self",
         "hardswish_backward", "grid_spread", "add_rows", "max_pool_2d", "max_pool_3d",
         "adaptive_max_pool_2d", "adaptive_max_pool_3d", "linalg_solve_triangular",
         *FAMILIES["bessel"], *FAMILIES["probability"], "logaddexp2",
         *(name for name in FAMILIES["comparison"] if name.endswith((".self", ".other")))}),
    # 512, but see CONVOLUTIONS
    (6, {*FAMILIES["conv"], "correlate_weight"}),
    # 256: half the time of three passes or more, of which the call is the most
    (7, {"sigmoid", "log_sigmoid", "silu", "mish", "softplus", "elu", "celu", "leaky_relu",
         "hardsigmoid", "hardswish", "sign", "sgn", "lerp", "lerp_scalar", "addcmul", "addcdiv",
         "add_scaled", "sub_scaled"}),
    # 8: hundreds of passes, which take as long for one number
    (12, FAMILIES["gridsample_blocks"]),
    # 64: dozens, or a call for each number
    (9, {*FAMILIES["reject"], *FAMILIES["ctc"], *FAMILIES["implicit"], *FAMILIES["gamma"],
         *FAMILIES["polynomials"], "erf", "erfc", "lgamma"}),
    # 64 also: a half to a fifth of the time of ten passes or more
    (9, {*FAMILIES["batchnorm"], *FAMILIES["distance"], "attention_of_one", "gelu_by",
         "softmax_dim", "softmax_backward", "log_softmax_dim", "log_softmax_backward",
         "gelu_backward", "var", "nll_loss_forward", "nll_loss2d_forward", "nll_slopes",
         "cross_entropy_of_classes", "cross_entropy_slopes", "native_layer_norm_of",
         "native_layer_norm_backward", "native_group_norm_of", "native_group_norm_backward",
         "cummax", "cummin"}),
) for name in names}
# NumPy makes one pass, as a kernel does: only sharing it among threads gains
ONE_PASS = {*FAMILIES["ufuncs"], "abs", "square", "pow_scalar", "duplicate", "filled",
            "round", "reciprocal"} - {"gcd"}
# ... of which these take a nanosecond or more for a number
COSTLY = {"expm1", "log", "log10", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "asinh",
          "acosh", "atanh", "sqrt"}
# Those whose sums or many steps round half precision once, at the end
ROUNDED_ONCE = {"softmax_dim", "softmax_backward", "log_softmax_backward", *FAMILIES["norm"],
                "native_batch_norm_backward", "amax", "amin", "linalg_vector_norm", "cumsum",
                "cumprod", "var", "prod_all", "prod_dim", "remainder", "fmod"}

# Gradients of functions of single numbers that take NumPy several passes
SLOPES = {name for name in (*FAMILIES["activation"], *FAMILIES["comparison"], "sigmoid_backward",
                            "tanh_backward", "pow_scalar.self")
          if "." in name or name.endswith("_backward")}

# Few elements may meet many weights: how many kernel elements, and how many products
CONVOLUTIONS = {
    "convolution": lambda x, w, b, stride, padding, dilation, transposed, *rest: (
        w.shape[2:], x.size // x.shape[1] * w.size // (1 if transposed else math.prod(stride))),
    "correlate": lambda x, w, shape, *rest: (
        w.shape[2:], math.prod(shape) // shape[1] * w.size),
    "spread": lambda g, w, *rest: (w.shape[2:], g.size // g.shape[1] * w.size),
    "correlate_weight": lambda g, x, shape, *rest: (
        shape[2:], g.size // g.shape[1] * math.prod(shape)),
}

# Arithmetic of two arrays that may broadcast
BY_LINES = {"add", "sub", "mul", "div", "maximum", "minimum", "hypot"}
# Not chosen by the size of the first array alone
BY_RESULT = {*BY_LINES, *CONVOLUTIONS}

@cache
def limit(name: str) -> int:
    """Elements from which on the twin `name` is asked."""
    if name in ONE_PASS:
        return SHARED >> 1 if name in COSTLY else SHARED
    return max(1, LARGE >> EARLIER.get(name, 0))


# Those that can write their result into the first array, and from which size on
IN_PLACE = {name: limit(name) for name in (
    *FAMILIES["ufuncs"], *FAMILIES["blend"], "copysign", "copysign_number", "nextafter", "sin",
    "cos", "leaky_relu", "elu", "silu", "celu", "mish", "hardsigmoid", "hardswish", "add", "sub",
    "mul", "div", "abs", "square", "pow_scalar", "exp", "tanh", "sigmoid", "erf")}
# where NumPy would make a new array, and copy it
IN_PLACE.update((name, max(1, LARGE >> 4)) for name in (
    "relu", "hardtanh", "clamp_numbers", "clamp_min_number", "clamp_max_number"))


def forbidden() -> bool:
    """Whether the environment leaves everything to NumPy."""
    return os.environ.get("RETROGRAD_FAST") == "0"


@cache
def enabled() -> bool:
    """Whether large arrays may go to compiled kernels in this process.

    Only where threads are POSIX's, by which kernels are shared: see NOTE [pool].
    """
    off = forbidden() or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    return not off and os.name == "posix" and util.find_spec("numba") is not None


def has(name: str) -> bool:
    """Whether there is a compiled twin of this name that may be used."""
    return name in TWINS and enabled()


POOL = f"{__name__}.pool"


def in_use() -> bool:
    """Whether this process has loaded kernels: what rounds as NumPy does may use more of them."""
    return POOL in sys.modules


@cache
def twin(name: str):
    """The compiled kernel `name`; if it must be compiled and Numba fails, one that declines."""
    try:
        found = getattr(import_module(f"{__name__}.{TWINS[name]}"), name.replace(".", "_"))
        return import_module(f"{__name__}.half").half_too(found) if name in ROUNDED_ONCE else found
    except ImportError as error:           # as Numba's own, if NumPy is too new for it
        _complain(str(error))
        return lambda *args, **options: None


@cache
def _complain(error: str) -> None:
    print(f"retrograd: Numba cannot be used ({error}): NumPy does the work.", file=sys.stderr)


def written_by_lines(name: str, target, other) -> bool:
    """Whether a kernel has written `name` of both over `target`, rows with gaps between them, at
    each of which NumPy would start anew."""
    return (target.size >= SPREAD and target.dtype.char in "fd"
            and target.strides[-1] == target.itemsize
            and twin(name)(target, other, out=target) is not None)


def large(name: str, plain):
    """The kernel for large arrays: the twin where it can, `plain` elsewhere."""
    if name in CONVOLUTIONS:
        return by_products(name, plain)

    def kernel(x, *rest, **options):                 # out=... for a ufunc
        res = twin(name)(x, *rest)
        return plain(x, *rest, **options) if res is None else res
    return kernel


def declined(name: str, plain):
    """The kernel for large arrays that the twin declines."""
    def kernel(g, *rest):
        res = beside_dense(name, g, *rest)
        return plain(g, *rest) if res is None else res
    return kernel if name in SLOPES else plain


def declined_formula(name: str, formula):
    """The same for an operator's formula, whose first argument is the namespace of kernels."""
    def on_arrays(K, g, *rest):
        res = beside_dense(name, g, *rest)
        return formula(K, g, *rest) if res is None else res
    return on_arrays if name in SLOPES else formula


def beside_dense(name, g, *rest):
    """The twin's result for a gradient that lies transposed or expanded beside contiguous values:
    to copy it takes less time than NumPy's passes. None for other arrays."""
    x = rest[0]
    uneven = g.ndim > 1 and not g.flags.c_contiguous and any(g.strides)
    if uneven and isinstance(x, np.ndarray) and x.flags.c_contiguous and x.shape == g.shape:
        return twin(name)(np.ascontiguousarray(g), *rest)
    return None


def by_products(name: str, plain):
    """A convolution: the twin where the first array is large, or not small and kernels of several
    elements make many products. Those of one element may as well be left to the BLAS."""
    some, many, count = limit(name), LARGE >> 3, CONVOLUTIONS[name]

    def worth(x, *rest):
        taps, products = count(x, *rest)
        return products >= PRODUCT >> 2 and math.prod(taps) > 1

    def kernel(x, *rest):
        res = None
        if x.size >= many or x.size >= some and worth(x, *rest):
            res = twin(name)(x, *rest)
        return plain(x, *rest) if res is None else res
    return kernel


def by_result(plain, on_large):
    """Of two small arrays that broadcast: `on_large` where their result is large."""
    def kernel(x, y, **options):
        return (on_large if make_much(x.shape, y.shape) else plain)(x, y, **options)
    return kernel


@lru_cache(1 << 12)
def make_much(x, y):
    """Whether arrays of these shapes broadcast to one with rows enough for a compiled kernel."""
    if len(y) == 1 and x and x[-1] > 1:                           # as large as x, which is small
        return False
    try:
        shape = np.broadcast_shapes(x, y)
    except ValueError:                                            # NumPy's kernel will say so
        return False
    return math.prod(shape) >= SPREAD << sum(n <= shape[-1] for n in LINES if shape)


def either(name: str, plain):
    """by_size() where there is a twin, else `plain`."""
    return by_size(name, plain) if has(name) else plain


def by_size(name: str, plain):
    """`plain` for small arrays, its twin for large ones."""
    least, otherwise = limit(name), declined(name, plain)

    def kernel(x, *rest):
        if x.size < least:
            return plain(x, *rest)
        res = twin(name)(x, *rest)
        return otherwise(x, *rest) if res is None else res
    if name in CONVOLUTIONS:
        kernel = by_products(name, plain)
    kernel.plain, kernel.__name__, kernel.__doc__ = plain, plain.__name__, plain.__doc__
    return kernel
