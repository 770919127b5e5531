"""Batching rules: how an operator maps over one more dimension in front, for vmap.

A rule is `rule(op, size, values, flags, consts)`: `values` are the operator's tensors, `flags` say
which of them have the batch in dimension 0, `size` is its length. The result has the batch in
dimension 0. Operators without a rule are mapped slice by slice (batching.one_by_one).
"""

from __future__ import annotations

import numpy as np

from .._dtype import result_type_of
from .._tensor import wrap
from ..kernels.shape import reach
from .declare import F as T
from .dims import wrap_dim

DYNAMIC = ("vmap: We do not support batching operators that can output dynamic shape. Attempted to "
           "vmap over aten::{}. Please file an issue at https://github.com/pytorch/pytorch/issues "
           "if you need this feature.")


class NoRule(Exception):
    """This call has no rule; map it slice by slice."""


def reshape(t, shape):
    return T.reshape(t, tuple(shape))


def lifted(value, has, size):
    """`value` with a batch dimension, repeated without copying where it had none."""
    return value if has or value is None else T.expand(value, (size, *value._data.shape))


def all_lifted(values, flags, size):
    return [lifted(v, f, size) for v, f in zip(values, flags, strict=True)]


def logical_ndim(value, has):
    return value._data.ndim - has


# --------------------------------------------------------------------------- elementwise

def aligned(values, flags):
    """Batched values with dimensions of size 1 after the batch, so that the rest broadcasts."""
    ndim = max(logical_ndim(v, f) for v, f in zip(values, flags, strict=True) if v is not None)
    out = []
    for v, f in zip(values, flags, strict=True):
        missing = ndim - logical_ndim(v, f) if f and v is not None else 0
        if missing:
            shape = v._data.shape
            v = reshape(v, (shape[0], *(1,) * missing, *shape[1:]))
        out.append(v)
    return out


def _written(op, size, values, flags, consts):
    """copy, fill_tensor: the target gets the batch in front, the source fits the rest."""
    target, source = lifted(values[0], flags[0], size), values[1]
    if flags[1]:
        missing = target._data.ndim - source._data.ndim
        source = reshape(source, (size, *(1,) * missing, *source._data.shape[1:]))
    return T.copy(target, source)


def _masked_fill_tensor(op, size, values, flags, consts):
    x, mask, value = aligned(values, flags)
    return T.where(mask, value, x)


def pointwise(op, size, values, flags, consts, fn=None):
    if len(values) == 1:
        return (fn or op.fn)(*values, *consts)
    if op.broadcasts:
        return (fn or op.fn)(*aligned(_weakly(op, values, flags), flags), *consts)
    # The formulas of this operator do not sum over the batch. So what all slices share is expanded
    # first, since the gradient of expand() does.
    return (fn or op.fn)(*aligned(all_lifted(values, flags, size), [True] * len(values)), *consts)


def _weakly(op, values, flags):
    """A tensor with one number for each slice counts in type promotion as a 0-d tensor does.

    Such values are cast to the dtype that the operator gives for one slice.
    """
    there = [(v, f) for v, f, i in zip(values, flags, op.inputs, strict=True)
             if v is not None and i not in op.masks]
    if len({v._data.dtype for v, _ in there}) < 2 or not any(
            f and v._data.ndim == 1 for v, f in there):
        return values
    dtype = result_type_of((v.dtype, 2 if v._wrapped else logical_ndim(v, f) == 0)
                           for v, f in there)
    return [v.to(dtype) if f and v._data.ndim == 1 and i not in op.masks else v
            for v, f, i in zip(values, flags, op.inputs, strict=True)]


# --------------------------------------------------------------------------- dimensions move up one

def moved(dim):
    return tuple(d + 1 for d in dim) if isinstance(dim, (tuple, list)) else dim + 1


def dims(*names):
    """The plain values `names` are dimensions; all tensors get the batch in front."""
    def rule(op, size, values, flags, consts):
        plain = [(v, f) for v, f in zip(values, flags, strict=True)
                 if v is not None and not isinstance(v, list)]
        if any(logical_ndim(v, f) == 0 for v, f in plain):
            return _of_scalars(rule, op, size, values, flags, consts)
        at = dict(zip(op.consts, range(len(consts)), strict=False))
        for name in names:
            consts[at[name]] = moved(consts[at[name]])
        if op.takes_list:
            return op.fn(all_lifted(values[0], flags[0], size), *consts)
        return op.fn(*all_lifted(values, flags, size), *consts)
    return rule


def _of_scalars(rule, op, size, values, flags, consts):
    """PyTorch treats a tensor without dimensions like a vector of one element."""
    like = op.inputs.index("index") if op.name == "gather" else 0
    scalar = logical_ndim(values[like], flags[like]) == 0
    values = all_lifted(values, flags, size)
    values = [reshape(v, (size, 1)) if v is not None and v._data.ndim == 1 else v for v in values]
    res = rule(op, size, values, [v is not None for v in values], consts)
    if not scalar:
        return res
    return tuple(reshape(r, (size,)) for r in res) if isinstance(res, tuple) else \
        reshape(res, (size,))


def shared_index(*names):
    """As dims(), for operators whose input `index` is a vector that all slices share."""
    def rule(op, size, values, flags, consts):
        i, at = op.inputs.index("index"), list(op.consts)
        for name in names:
            consts[at.index(name)] = moved(consts[at.index(name)])
        return op.fn(*(v if k == i else lifted(v, f, size)
                       for k, (v, f) in enumerate(zip(values, flags, strict=True))), *consts)
    return rule


def _along(index, like, dim):
    """An index vector for each slice as an index of gather(), elsewhere as long as `like`."""
    k = index._data.shape[1]
    shape = [1] * like._data.ndim
    shape[0], shape[dim] = index._data.shape[0], k
    wide = list(like._data.shape)
    wide[dim] = k
    return T.expand(reshape(index, shape), tuple(wide))


_BY_PLACE = {"index_add": "scatter_add", "index_copy": "scatter", "index_reduce": "scatter_reduce",
             "index_fill": "scatter_value", "index_select": "gather"}


def slices_by_index(op, size, values, flags, consts):
    """index_select and the like: a shared index is one of the batch, others become gather's."""
    x, index = values[:2]
    if logical_ndim(x, flags[0]) == 0:
        wide = [reshape(lifted(v, f, size), (size, 1)) if k != 1 else v
                for k, (v, f) in enumerate(zip(values, flags, strict=True))]
        flags = [k != 1 or f for k, f in enumerate(flags)]
        return reshape(slices_by_index(op, size, wide, flags, consts), (size,))
    values = [v if k == 0 else _as_vector(v, f, size)
              for k, (v, f) in enumerate(zip(values, flags, strict=True))]
    if not flags[1]:
        return shared_index("dim")(op, size, values, flags, consts)
    x, index, *source = all_lifted(values, flags, size)
    at = list(op.consts).index("dim")
    dim = consts[at] = consts[at] + 1
    if op.name == "index_add":
        source = [source[0] if consts[1] == 1 else source[0] * consts[1]]
        consts = [dim]
    places = _along(index, source[0] if source else x, dim)
    return getattr(T, _BY_PLACE[op.name])(x, places, *source, *consts)


def _as_vector(value, batched, size):
    """A number of each slice as a vector of one element."""
    if logical_ndim(value, batched):
        return value
    return reshape(value, (size, 1) if batched else (1,))


def _take(op, size, values, flags, consts):
    """Places of the flattened tensor, for each slice."""
    x, index = all_lifted(values, flags, size)
    flat = reshape(x, (size, x._data.size // max(size, 1)))
    places = reshape(index, (size, index._data.size // max(size, 1)))
    places = T.where(places < 0, places + flat._data.shape[1], places)
    return reshape(T.gather(flat, places, 1), index._data.shape)


def _median(name):
    """The median of all elements as one along a dimension."""
    def rule(op, size, values, flags, consts):
        count = values[0]._data.size // max(size, 1)
        if not count:                     # no elements: nan, or the operator's error
            return lifted(op.fn(reshape(values[0], (0,))), False, size)
        return getattr(T, name)(reshape(values[0], (size, count)), 1, False)[0]
    return rule


def _trace(op, size, values, flags, consts):
    return T.sum_dim(values[0].diagonal(0, 1, 2), 1, False)


def _put_on_diagonal(op, size, values, flags, consts):
    eye = wrap(np.eye(*consts[0], dtype=values[0]._data.dtype))
    return reshape(values[0], (size, 1, 1)) * eye


def over_all(name):
    """A reduction of all elements is one of all dimensions but the batch."""
    def rule(op, size, values, flags, consts):
        x = values[0]
        flat = reshape(x, (size, -1 if x._data.size else 0))
        return getattr(T, name)(flat, 1, False, *consts)
    return rule


def _arg_extreme(op, size, values, flags, consts):
    dim, keepdim = consts
    x = values[0]
    if dim is None:
        return op.fn(reshape(x, (size, x._data.size // size)), 1, False)
    if x._data.ndim == 1:
        return reshape(op.fn(reshape(x, (size, 1)), 1, False), (size,))
    return op.fn(x, wrap_dim(dim, x._data.ndim - 1) + 1, keepdim)


def _roll(op, size, values, flags, consts):
    shifts, dims = consts
    x = lifted(values[0], flags[0], size)
    if dims and x._data.ndim > 1:
        return op.fn(x, shifts, moved(dims))
    return reshape(op.fn(reshape(x, (size, x._data.size // size)), shifts, (1,)), x._data.shape)


def leading(op, size, values, flags, consts):
    """The operator works on the last dimensions and takes any number in front."""
    mixed = not all(f or v is None for v, f in zip(values[1:], flags[1:], strict=True))
    if mixed and any(flags[1:]):
        raise NoRule
    return op.fn(*values, *consts)


def folded(op, size, values, flags, consts):
    """The operator has a batch dimension of its own: (B, N, ...) -> (B N, ...) and back."""
    values = all_lifted(values, flags, size)
    flat = [None if v is None else reshape(v, (size * v._data.shape[1], *v._data.shape[2:]))
            for v in values]
    n = values[0]._data.shape[1]
    res = op.fn(*flat, *consts)
    back = [reshape(r, (size, n, *r._data.shape[1:]))
            for r in (res if isinstance(res, tuple) else (res,))]
    return tuple(back) if isinstance(res, tuple) else back[0]


# --------------------------------------------------------------------------- shapes

def _view(op, size, values, flags, consts):
    return reshape(values[0], (size, *consts[0]))


def _expand(op, size, values, flags, consts):
    x, (shape,) = values[0], consts
    have = x._data.shape[1:]
    wide = reshape(x, (size, *(1,) * (len(shape) - len(have)), *have))
    return T.expand(wide, (size, *shape))


def _squeeze_all(op, size, values, flags, consts):
    shape = values[0]._data.shape
    return T.squeeze_dims(values[0], tuple(d for d in range(1, len(shape)) if shape[d] == 1))


def _permute(op, size, values, flags, consts):
    return T.permute(values[0], (0, *moved(consts[0])))


def _t(op, size, values, flags, consts):
    return T.transpose(values[0], 1, 2) if values[0]._data.ndim == 3 else T.alias(values[0])


def _unsqueeze(op, size, values, flags, consts):
    return op.fn(values[0], moved(consts[0]))


def _put_back(op, size, values, flags, consts):
    shape, key = consts
    return T.put_back(values[0], (size, *shape), (slice(None), *key))


def _take_part(op, size, values, flags, consts):
    return T.take_part(values[0], (slice(None), *consts[0]))


def _diagonal(op, size, values, flags, consts):
    from .parts import diagonal
    offset, dim1, dim2, _ = consts
    return diagonal(values[0], offset, dim1 + 1, dim2 + 1)


def _unfold(op, size, values, flags, consts):
    from .parts import unfold
    dim, length, step, _ = consts
    if values[0]._data.ndim == 1:
        return unfold(reshape(values[0], (size, 1)), 1, length, step).select(1, 0)
    return unfold(values[0], dim + 1, length, step)


def _diagonal_back(op, size, values, flags, consts):
    shape, offset, dim1, dim2 = consts
    return op.fn(values[0], (size, *shape), offset, dim1 + 1, dim2 + 1)


def _as_strided(op, size, values, flags, consts):
    """Each slice's as_strided(), which may not reach into memory past the slice."""
    from .batching import in_layers, layers
    value, numbers = layers(values[0])
    shape, stride, offset, _ = consts
    array, lead = value._data, len(numbers) + 1
    steps = [s // array.itemsize for s in array.strides]
    own = value.storage_offset()
    start = own if offset is None else offset
    asked, there = reach(shape, stride, start), reach(array.shape[lead:], steps[lead:], own)
    if asked > there:
        raise RuntimeError(
            f"result = tensor.as_strided({list(shape)}, {list(stride)}, {start}) can access memory "
            f"outside of `tensor`. `result` can access some memory in range [{start}, {asked}], "
            f"but `tensor` can only access some memory in range [{own}, {there}]. This is not "
            "supported inside of vmap, please try to rewrite the `as_strided` call as a sequence "
            "of PyTorch view operations")
    wide = value.as_strided((*array.shape[:lead], *shape), (*steps[:lead], *stride), start)
    return in_layers(wide, numbers)


def _repeat(op, size, values, flags, consts):
    x, (repeats,) = values[0], consts
    have = x._data.shape[1:]
    wide = reshape(x, (size, *(1,) * (len(repeats) - len(have)), *have))
    return T.repeat(wide, (1, *repeats))


def _segments(op, size, values, flags, consts):
    offsets, reduce, axis, initial = consts
    offsets = np.broadcast_to(offsets, (size, *offsets.shape))
    return op.fn(*all_lifted(values, flags, size), offsets, reduce, axis + 1, initial)


def _pick(op, size, values, flags, consts):
    x, index = all_lifted(values, flags, size)      # the index may lack a dimension that x has
    return T.clone(x) if x._data.ndim == 1 else op.fn(x, index, consts[0] + 1, consts[1])


def _place(op, size, values, flags, consts):
    shape, dim, keepdim = consts
    return op.fn(*all_lifted(values, flags, size), (size, *shape), dim + 1, keepdim)


def _read_at(op, size, values, flags, consts):
    indices = consts[-1] if op.name != "write_at" else consts[0]
    where = [k for k, t in enumerate(indices.tensors) if t is not None]
    apart = where[-1] - where[0] != len(where) - 1
    # where index arrays lie apart, NumPy moves their dimensions to the front, before the batch
    front = max(indices.tensors[k]._data.ndim for k in where) if apart else 0
    behind = type(indices)([None, *indices.tensors])
    if op.name == "scatter_at":
        return op.fn(values[0].movedim(0, front), (size, *consts[0]), behind)
    if op.name == "write_at":
        target, source = all_lifted(values, flags, size)
        picked = T.read_at(target, behind)._data.ndim
        shape = source._data.shape
        source = reshape(source, (size, *(1,) * (picked - len(shape)), *shape[1:]))
        return op.fn(target, source.movedim(0, front), behind, consts[1])
    return op.fn(values[0], behind).movedim(front, 0)


# --------------------------------------------------------------------------- products

def _matmul(a, b):
    from .matmul import matmul
    return matmul(a, b)


def _mm(op, size, values, flags, consts):
    return T.mapped_mm(*values) if all(flags) else _matmul(*values)


def _bmm(op, size, values, flags, consts):
    return _matmul(*values)


def _mv(op, size, values, flags, consts):
    a, v = values
    if not flags[1]:
        return _matmul(a, v)
    if not flags[0]:
        return T.mm(v, T.t(a))                                  # (B, k) (k, n) -> (B, n)
    return T.squeeze_dim(_matmul(a, T.unsqueeze(v, 2)), 2)      # (B, n, k) (B, k, 1) -> (B, n)


def _dot(op, size, values, flags, consts):
    a, b = values
    a = T.conj(a) if op.name == "vdot" else a
    return T.sum_dim(a * b, 1, False)


def _addmm(product, ndim):
    def rule(op, size, values, flags, consts):
        bias, a, b = values
        beta, alpha = consts
        res = product(op, size, [a, b], flags[1:], [])
        res = res if alpha == 1 else res * alpha
        if beta == 0:
            return res
        if flags[0]:
            shape = bias._data.shape
            bias = reshape(bias, (size, *(1,) * (ndim + 1 - len(shape)), *shape[1:]))
        return res + (bias if beta == 1 else bias * beta)
    return rule


# --------------------------------------------------------------------------- neural networks

def _convolution(op, size, values, flags, consts):
    """(B, N, C, ...): a batched input joins N; a batched weight makes B groups."""
    x, w, b = values
    stride, padding, dilation, transposed, output_padding, groups = consts
    if not flags[1] and not flags[2]:
        if x._data.ndim < 4:
            raise NoRule
        n = x._data.shape[1]
        res = op.fn(reshape(x, (size * n, *x._data.shape[2:])), w, b, *consts)
        return reshape(res, (size, n, *res._data.shape[1:]))
    x, w, b = all_lifted(values, flags, size)
    n, c = x._data.shape[1:3]
    x = reshape(T.transpose(x, 0, 1), (n, size * c, *x._data.shape[3:]))
    w = reshape(w, (size * w._data.shape[1], *w._data.shape[2:]))
    b = None if b is None else reshape(b, (size * b._data.shape[1],))
    res = op.fn(x, w, b, stride, padding, dilation, transposed, output_padding, groups * size)
    res = reshape(res, (n, size, res._data.shape[1] // size, *res._data.shape[2:]))
    return T.transpose(res, 0, 1)


def _loss(op, size, values, flags, consts):
    """Losses with a reduction: the elementwise loss, then the mean or sum of each slice."""
    at = list(op.consts).index("reduction")
    reduction, consts[at] = consts[at], 0
    each = op.fn(*aligned(all_lifted(values, flags, size), [True] * len(values)), *consts)
    if reduction == 0 or each._data.ndim == 1:
        return each
    over = tuple(range(1, each._data.ndim))
    return T.mean_dim(each, over, False) if reduction == 1 else T.sum_dim(each, over, False)


def _attention(op, size, values, flags, consts):
    query, key, value, mask = values
    q, k, v = all_lifted([query, key, value], flags[:3], size)
    n = q._data.shape[1]
    if mask is not None and (flags[3] or mask._data.ndim == 4 and mask._data.shape[0] > 1):
        mask = lifted(mask, flags[3], size)
        own = mask._data.shape[1:]
        mask = reshape(mask, (size, *(1,) * (4 - len(own)), *own))          # (B, N or 1, H, L, S)
        mask = T.expand(mask, (size, n, *mask._data.shape[2:]))
        mask = reshape(mask, (size * n, *mask._data.shape[2:]))
    fold = [reshape(t, (size * n, *t._data.shape[2:])) for t in (q, k, v)]
    res = op.fn(*fold, mask, *consts)
    return tuple(reshape(r, (size, n, *r._data.shape[1:])) for r in res)


def _grouped(t, size):
    """(B, N, C, ...) -> (N, B C, ...): each slice becomes a group of channels."""
    n, c = t._data.shape[1:3]
    return reshape(T.transpose(t, 0, 1), (n, size * c, *t._data.shape[3:]))


def _ungrouped(t, size):
    """(N, B C, ...) -> (B, N, C, ...)."""
    n, c = t._data.shape[:2]
    return T.transpose(reshape(t, (n, size, c // size, *t._data.shape[2:])), 0, 1)


def _convolution_part(op, size, values, flags, consts):
    """The maps of convolution's gradients: (B, N, C, ...) with a weight shared or one for each."""
    shape, *window, groups = consts
    n, c = shape[:2]
    if not flags[1]:
        x = values[0]
        flat = reshape(x, (size * x._data.shape[1], *x._data.shape[2:]))
        res = op.fn(flat, values[1], (size * n, *shape[1:]), *window, groups)
        return reshape(res, (size, n, *res._data.shape[1:]))
    x, w = all_lifted(values, flags, size)
    w = reshape(w, (size * w._data.shape[1], *w._data.shape[2:]))
    res = op.fn(_grouped(x, size), w, (n, size * c, *shape[2:]), *window, groups * size)
    return _ungrouped(res, size)


def _convolution_weight(op, size, values, flags, consts):
    shape, *window, groups = consts
    grad, x = (_grouped(t, size) for t in all_lifted(values, flags, size))
    res = op.fn(grad, x, (size * shape[0], *shape[1:]), *window, groups * size)
    return reshape(res, (size, *shape))


RULES = {
    **dict.fromkeys((
        "sigmoid_backward", "tanh_backward", "threshold_backward", "abs", "sgn", "neg", "signbit",
        "isnan", "isfinite", "isinf", "isposinf", "isneginf", "isreal", "logical_not", "frexp",
        "bitwise_not", "conj_complex", "conj_physical_complex", "conj_physical_here",
        "view_as_real", "view_as_complex", "real_part", "imag_part", "angle", "cast",
        "clone", "clone_contiguous", "fill", "fill_new", "zero",
        "alias", "leaky_relu_backward", "hardtanh_backward", "hardshrink_backward",
        "softshrink_backward", "gelu_backward", "softplus_backward", "log_sigmoid_backward",
        "elu_backward", "hardswish_backward",
        "masked_fill", "rrelu_with_noise_0", "rrelu_with_noise_1", "tril", "triu", "bessel_j0",
        "bessel_j1", "bessel_y0", "bessel_y1", "linalg_ldl_factor_ex", "geqrf",
        "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0",
        "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
        "spherical_bessel_j0", "airy_ai", "linalg_inv_ex", "linalg_det", "linalg_slogdet",
        "linalg_cholesky_ex", "cholesky_by_its_old_name", "cholesky_inverse", "linalg_qr",
        "linalg_svd", "linalg_eigh",
        "linalg_eig", "linalg_lu", "linalg_lu_factor_ex", "linalg_matrix_exp", "linalg_pinv",
        "fake_quantize_per_tensor_affine_cachemask",
        "fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
    ), pointwise),
    "trace": _trace,
    "put_on_diagonal": _put_on_diagonal, "take": _take,
    "segment_reduce": _segments, "segment_reduce_backward": _segments,
    "median": _median("median_dim"), "nanmedian": _median("nanmedian_dim"),
    **dict.fromkeys(("unfold_copy", "overlap_add"), pointwise),
    "scale_middle": dims("dim"), "fake_quantize_per_channel_affine_cachemask": dims("axis"),
    **dict.fromkeys(("correlate", "spread"), _convolution_part),
    "correlate_weight": _convolution_weight,
    "copy": _written, "fill_tensor": _written, "fill_new_tensor": _written,
    "masked_fill_tensor": _masked_fill_tensor,
    **dict.fromkeys((
        "standardize_backward", "standardize_channels_backward",
        "sum_dim", "mean_dim", "nansum", "prod_dim", "var", "std", "var_mean", "std_mean",
        "linalg_vector_norm", "norm_dim", "logsumexp", "amax", "amin", "max_dim", "min_dim",
        "squeeze_dim", "squeeze_dims", "unsafe_squeeze", "select", "slice_dim", "cat", "gather",
        "scatter", "scatter_value", "scatter_add", "scatter_combine", "scatter_reduce", "sort",
        "sort_stable", "topk", "kthvalue", "median_dim", "nanmedian_dim", "mode", "cumsum",
        "cumprod", "logcumsumexp", "cummax", "cummin", "softmax_dim", "log_softmax_dim",
        "safe_softmax_dim", "softmax_backward", "log_softmax_backward", "glu_dim", "glu_backward",
        "fft_c2c", "fft_r2c", "fft_c2r", "linalg_cross", "cat_mixed",
    ), dims("dim")),
    **dict.fromkeys(_BY_PLACE, slices_by_index),
    **dict.fromkeys((
        "max_pool_2d", "max_pool_3d", "avg_pool_2d", "avg_pool_3d", "adaptive_max_pool_2d",
        "adaptive_max_pool_3d", "adaptive_avg_pool_2d", "adaptive_avg_pool_3d", "max_unpool_2d",
        "max_unpool_3d", "max_pool_backward", "max_pool_gather", "avg_pool_backward",
        "adaptive_avg_pool_backward", "im2col_batched", "upsample", "resize_nearest1d",
        "resize_nearest_exact1d",
        "resize_nearest2d", "resize_nearest_exact2d", "resize_nearest3d", "resize_nearest_exact3d",
        "resize_linear1d", "resize_bilinear2d", "resize_trilinear3d", "resize_bicubic2d",
        "grid_sampler_2d_of", "grid_sampler_3d_of", "grid_sampler_2d_backward_input",
        "grid_sampler_2d_backward_grid", "grid_sampler_3d_backward_input",
        "grid_sampler_3d_backward_grid",
    ), folded),
    **dict.fromkeys(("pixel_shuffle_by", "pixel_unshuffle_by", "pad_constant"), leading),
    **dict.fromkeys(("mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss",
                     "binary_cross_entropy", "binary_cross_entropy_with_logits_of"), _loss),
    "argmax": _arg_extreme, "argmin": _arg_extreme, "stack": dims("dim"),
    "stack_mixed": dims("dim"), "flip": dims("dims"),
    "roll": _roll, "rot90_by": dims("dims"), "weight_norm_of": dims("dims"),
    "transpose": dims("dim0", "dim1"), "transposed": dims("dim0", "dim1"),
    "diag_embed": dims("dim1", "dim2"), "diagonal_copy": dims("dim1", "dim2"),
    "sum_all": lambda op, size, values, flags, consts: T.sum_dim(
        values[0], tuple(range(1, values[0]._data.ndim)), False, *consts),
    "mean_all": lambda op, size, values, flags, consts: T.mean_dim(
        values[0], tuple(range(1, values[0]._data.ndim)), False),
    "prod_all": over_all("prod_dim"), "max_all": over_all("amax"), "min_all": over_all("amin"),
    "view": _view, "unsafe_view": _view, "unsafe_part": _view, "reshape_alias": _view,
    "expand": _expand, "squeeze_all": _squeeze_all,
    "permute": _permute, "t": _t, "unsqueeze": _unsqueeze, "put_back": _put_back,
    "take_part": _take_part, "diagonal": _diagonal, "unfold_dim": _unfold,
    "diagonal_back": _diagonal_back, "repeat": _repeat, "pick": _pick, "place": _place,
    "as_strided": _as_strided,
    "read_at": _read_at, "scatter_at": _read_at, "write_at": _read_at, "clear_at": _read_at,
    "mm": _mm, "bmm": _bmm, "mapped_mm": _bmm, "mv": _mv, "dot": _dot, "vdot": _dot,
    "addmm": _addmm(_mm, 2), "baddbmm": _addmm(_bmm, 3), "addmv": _addmm(_mv, 1),
    "convolution": _convolution,

    "flash_attention": _attention,
}
