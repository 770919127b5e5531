"""What PyTorch calls each declared operator: "mul.Tensor" in torch.ops.aten.mul.Tensor."""

from __future__ import annotations

from .._tensor import Tensor
from .aten_names import NAMES_ALONE

_NAMED = {                     # overload: the operators it names; all others are <name>.default
    "add.Tensor": "add add_scaled", "sub.Tensor": "sub sub_scaled", "mul.Tensor": "mul",
    "div.Tensor": "div", "div.Tensor_mode": "div_rounded",
    "pow.Tensor_Scalar": "pow_scalar square", "pow.Tensor_Tensor": "pow", "pow.Scalar": "rpow",
    "remainder.Tensor": "remainder", "remainder.Scalar": "remainder_scalar",
    "fmod.Tensor": "fmod", "fmod.Scalar": "fmod_scalar",
    "copysign.Tensor": "copysign", "copysign.Scalar": "copysign_number",
    "lerp.Tensor": "lerp", "lerp.Scalar": "lerp_scalar", "round.decimals": "round_decimals",
    "ldexp.Tensor": "ldexp", "frexp.Tensor": "frexp", "xlogy.Tensor": "xlogy",
    "clamp.default": "clamp_numbers", "clamp.Tensor": "clamp_between clamp_low clamp_high",
    "clamp_min.default": "clamp_min_number", "clamp_min.Tensor": "clamp_min_tensor",
    "clamp_max.default": "clamp_max_number", "clamp_max.Tensor": "clamp_max_tensor",
    "where.self": "where", "fill.Scalar": "fill fill_new",
    "fill.Tensor": "fill_tensor fill_new_tensor",
    "masked_fill.Scalar": "masked_fill", "masked_fill.Tensor": "masked_fill_tensor",
    "rsub.Scalar": "rsub rsub_scaled", "rsub.Tensor": "rsub_tensor rsub_tensor_scaled",
    "cat.default": "cat_mixed", "stack.default": "stack_mixed",
    "block_diag.default": "block_diag_of", "norm.ScalarOpt_dim": "norm_dim",
    "rot90.default": "rot90_by",
    "complex.default": "make_complex", "_conj.default": "conj_complex",
    "conj_physical.default": "conj_physical_complex conj_physical_here",
    "_to_copy.default": "cast to_copy", "clone.default": "clone_as clone_contiguous",

    "sum.default": "sum_all", "sum.dim_IntList": "sum_dim",
    "mean.default": "mean_all", "mean.dim": "mean_dim",
    "prod.default": "prod_all", "prod.dim_int": "prod_dim",
    "max.default": "max_all", "max.dim": "max_dim", "min.default": "min_all", "min.dim": "min_dim",
    "median.dim": "median_dim", "nanmedian.dim": "nanmedian_dim",
    "var.correction": "var", "std.correction": "std",
    "var_mean.correction": "var_mean", "std_mean.correction": "std_mean",
    "_unique2.default": "unique2",

    "select.int": "select", "slice.Tensor": "slice_dim take_part cut_start",
    "transpose.int": "transpose", "squeeze.default": "squeeze_all", "squeeze.dim": "squeeze_dim",
    "squeeze.dims": "squeeze_dims", "squeeze_.dim": "unsafe_squeeze",
    "unfold.default": "unfold_dim", "_unsafe_view.default": "unsafe_view unsafe_part",
    "_reshape_alias.default": "reshape_alias", "constant_pad_nd.default": "pad_constant",
    "index.Tensor": "read_at", "index_put.default": "write_at", "gather.default": "pick",
    "scatter.src": "scatter", "scatter.value": "scatter_value", "scatter.reduce": "scatter_combine",
    "scatter_reduce.two": "scatter_reduce", "index_fill.int_Scalar": "index_fill",
    "index_fill.int_Tensor": "index_fill_tensor",

    "cholesky.default": "cholesky_by_its_old_name",
    "_linalg_det.default": "linalg_det", "_linalg_slogdet.default": "linalg_slogdet",
    "_linalg_svd.default": "linalg_svd", "_linalg_eigh.default": "linalg_eigh",
    "_linalg_solve_ex.default": "linalg_solve", "_cdist_forward.default": "cdist_forward",
    "_pdist_forward.default": "pdist_forward", "_fft_c2c.default": "fft_c2c",
    "_fft_c2r.default": "fft_c2r", "_fft_r2c.default": "fft_r2c",

    "_softmax.default": "softmax_dim", "_log_softmax.default": "log_softmax_dim",
    "_safe_softmax.default": "safe_softmax_dim", "gelu.default": "gelu_by",
    "glu.default": "glu_dim", "log_sigmoid_forward.default": "log_sigmoid",
    **{f"{name}.default": f"{name}_1" for name in ("elu", "celu", "leaky_relu", "threshold")},
    "_prelu_kernel.default": "prelu_kernel", "rrelu_with_noise.default": "rrelu_with_noise_1",
    "embedding.default": "embedding_rows embedding_dense_gather",
    "_embedding_bag.default": "embedding_bag_of",
    "_grouped_mm.default": "grouped_mm_of",
    "_to_sparse.default": "to_sparse_all", "_to_sparse.sparse_dim": "to_sparse_some",
    "_to_sparse_csr.default": "to_sparse_csr_of", "_to_sparse_csc.default": "to_sparse_csc_of",
    "native_layer_norm.default": "native_layer_norm_of",
    "native_group_norm.default": "native_group_norm_of",
    "native_batch_norm.default": "native_batch_norm_of",
    "max_pool2d_with_indices.default": "max_pool_2d",
    "max_pool3d_with_indices.default": "max_pool_3d",
    "avg_pool2d.default": "avg_pool_2d", "avg_pool3d.default": "avg_pool_3d",
    "_adaptive_avg_pool2d.default": "adaptive_avg_pool_2d",
    "_adaptive_avg_pool3d.default": "adaptive_avg_pool_3d",
    "adaptive_max_pool2d.default": "adaptive_max_pool_2d",
    "adaptive_max_pool3d.default": "adaptive_max_pool_3d",
    "upsample_nearest2d.default": "resize_nearest2d",
    "upsample_bilinear2d.default": "resize_bilinear2d",
    "upsample_bicubic2d.default": "resize_bicubic2d",
    "reflection_pad1d.default": "reflect_1d", "reflection_pad2d.default": "reflect_2d",
    "replication_pad1d.default": "replicate_1d", "replication_pad2d.default": "replicate_2d",
    "pixel_shuffle.default": "pixel_shuffle_by", "channel_shuffle.default": "channel_shuffle_by",
    "_scaled_dot_product_flash_attention_for_cpu.default": "flash_attention",
    "binary_cross_entropy_with_logits.default": "binary_cross_entropy_with_logits_of",
    "nll_loss_forward.default": "nll_loss_gather", "multi_margin_loss.default":
    "multi_margin_loss_of", "_ctc_loss.default": "ctc_loss_forward",

    "bernoulli.default": "bernoulli_draw", "bernoulli.float": "bernoulli_number",
    "bernoulli.Tensor": "bernoulli_array", "poisson.default": "poisson_draw",
    "normal.Tensor_Tensor": "normal_draw", "normal.Tensor_float": "normal_around",
    "normal.float_Tensor": "normal_spread", "random.default": "random_any",
    "random.from": "random_from_to", "random.to": "random_to",
    **{f"special_{name}.default": name for name in (
        "entr", "erfcx", "i0e", "i1", "i1e", "log_ndtr", "ndtri", "xlog1py", "zeta", "airy_ai",
        "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0",
        "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1", "spherical_bessel_j0")},
}
NAMES = {name: overload for overload, names in _NAMED.items() for name in names.split()}
_BY_OTHER = frozenset(         # .Tensor or .Scalar, as the second argument is one or the other
    ("eq", "ne", "lt", "le", "gt", "ge", "bitwise_and", "bitwise_or", "bitwise_xor"))


def is_name_alone(name: str) -> bool:
    """Whether torch.ops.aten.<name> stands for an operator that is no public function."""
    return name in NAMES_ALONE or any(o.partition(".")[0] == name for o in NAMES.values())


def overload_name(op, args, in_place) -> tuple[str, str]:
    """("mul", "Tensor") for a call of the operator `op`; ("mul_", "Tensor") in place."""
    name = NAMES.get(op.name)
    if op.name in _BY_OTHER:
        by_tensor = isinstance(args[-1], Tensor) and not args[-1]._wrapped
        name = f"{op.name}.{'Tensor' if by_tensor else 'Scalar'}"
    base, _, overload = (name or f"{op.name}.default").partition(".")
    return base + "_" * in_place, overload
