"""Operators on sparse tensors.

NOTE [sparse tensors]
    A sparse tensor has the bit SPARSE in its `_flags`, so operators come to `call` here, and its
    array is a Coo. An operator in FORMS is run by its own code with its kernel exchanged for the
    one that FORMS names; every other one raises PyTorch's error that it has no form for sparse
    tensors. So promotion, recording and the formulas of gradients are those of dense tensors.

    Kernels know nothing of Coos: a node that saved a sparse tensor, or gets a sparse gradient, runs
    its formulas on Tensors, whose operators come here again (`run_on_tensors`). The engine adds
    Coos up by `+`. Nothing of this is loaded before the first sparse tensor is made (`arm`).
"""

from __future__ import annotations

import inspect
from functools import cache, partial

import numpy as np

from .. import kernels as K
from .._attributes import strided
from .._callers import note_write
from .._entries import intercept
from .._state import features, state
from .._tensor import DUAL, INFERENCE_TENSOR, SPARSE, Tensor, wrap
from .._warnings import warn_once
from ..autograd.on_tensors import run_on_tensors
from ..autograd.views import check_inplace
from ..kernels import sparse as kernels
from ..kernels import sparse_products as products
from ..kernels import sparse_rows as rows
from ..kernels.sparse import Coo
from ..kernels.sparse_array import Sparse, could_not_run
from ..kernels.sparse_rows import Rows
from . import declare, in_place, support
from .arguments import invalid_combination
from .declare import REGISTRY, composite
from .declare import F as T
from .dims import axes, sizes
from .factory import check_legacy_device
from .formulas import missing
from .layouts import KINDS
from .matmul import times
from .overloads import overload_name
from .public import FUNCTIONS, METHODS, unwrapped
from .special_modes import with_kernel, without_flags

# --------------------------------------------------------------------------- operators of their own

# Without samples: the laws of all operators compare dense arrays; tests/test_sparse.py has these.
op = partial(declare.op, public=False, samples=list)

op("sparse_coo(values | indices, shape, coalesced)", "SparseCooTensorWithDimsAndTensorsBackward0",
   kernel=lambda values, indices, *rest: Coo(indices, values, *rest),
   values = lambda F, g, indices: F.values_at(g, indices))

op("values_at(self | indices)", "IndexBackward0", kernel=kernels.values_at,
   self = lambda F, g, self_shape, indices: F.coo(g, indices, self_shape))

op("sparse_to_dense(self | masked)", "ToDenseBackward0",
   kernel=lambda a, masked: kernels.to_dense(a),
   self = lambda F, g, self, masked: F.masked_as(g, kernels.coalesce(self._data)) if masked
              else F.listed(g, len(self._data.indices)))

op("sparse_coalesce(self)", "CoalesceBackward0", kernel=kernels.coalesce,
   self = lambda F, g: g)

op("sparse_values(self)", "ValuesBackward0", kernel=lambda a: a.values,
   self = lambda F, g, self: F.in_places_of(self, g))

op("to_sparse_all(self)", "ToSparseBackward1", kernel=kernels.from_dense, of_complex=False,
   self = lambda F, g: F.as_dense(g))

op("to_sparse_some(self | sparse_dim)", "ToSparseBackward0", of_complex=False,
   kernel=kernels.from_dense,
   self = lambda F, g: F.as_dense(g))

op("sparse_compressed(values | starts, others, shape, layout)", "SparseCompressedTensorBackward0",
   kernel=lambda values, starts, others, *rest: Rows(starts, others, values, *rest),
   values = lambda F, g, starts, others, shape, layout:
                F.values_at(g, Rows(starts, others, others, shape, layout).indices))

for _layout, _name in (("sparse_csr", "ToSparseCsrBackward0"),
                       ("sparse_csc", "ToSparseCscBackward0")):
    op(f"to_{_layout}_of(self | dense)", _name, of_complex=False,
       kernel=lambda x, dense, layout=_layout: rows.of_dense(x, layout) if dense
              else rows.in_rows(rows.in_coordinates(x), layout),
       self = lambda F, g, dense: F.as_dense(g) if dense else F.as_coordinates(g))

op("to_coordinates(self)", "ToSparseBackward1", kernel=rows.in_coordinates,
   self = lambda F, g, self: F.as_rows(g, self._data.layout))

op("sparse_mask_of(self | mask, dense)", "SparseMaskBackward0",
   kernel=lambda x, mask, dense: kernels.mask(x, mask),
   self = lambda F, g, mask, dense: F.as_dense(F.masked_as(g, mask)) if dense
              else F.masked_as(g, mask))

op("sparse_sum(self | dim)", "SparseSumBackward0", kernel=products.sum_dim,
   self = lambda F, g, self, dim: F.sparse_sum_back(g, self, dim))

op("sparse_sum_back(grad, self | dim)", "NotImplemented", kernel=products.sum_back,
   grad = missing("_sparse_sum_backward"),
   self = missing("_sparse_sum_backward"))

op("sparse_addmm(self, mat1, mat2 | beta, alpha)", "SparseAddmmBackward0",
   kernel=products.addmm,
   self = lambda F, g, beta: times(g, beta),
   mat1 = lambda F, g, mat1, mat2, alpha:
              times(F.mm_at(g, F.mH(mat2), kernels.coalesce(mat1._data)), alpha),
   mat2 = lambda F, g, mat1, alpha: times(F.mm(F.mH(mat1), g), alpha))

op("sparse_mm_at(self, mat2 | like)", "SparseMaskBackward0", kernel=products.mm_at)

op("sparse_mm_reduce(self, mat2 | reduce)", "SparseMmReduceImplBackward0",
   kernel=products.mm_reduce,
   self = lambda F, g, self, mat2, result, reduce:
              F.sparse_mm_reduce_back(g, self, mat2, result, reduce, True),
   mat2 = lambda F, g, self, mat2, result, reduce:
              F.sparse_mm_reduce_back(g, self, mat2, result, reduce, False))

op("sparse_mm_reduce_back(grad, self, mat2, result | reduce, of_self)", "NotImplemented",
   kernel=products.mm_reduce_back,
   **{name: missing("_sparse_mm_reduce_impl_backward")
      for name in ("grad", "self", "mat2", "result")})

op("sparse_hspmm(mat1, mat2)", "NotImplemented", kernel=products.hspmm,
   mat1 = missing("hspmm"),
   mat2 = missing("hspmm"))

op("sparse_sspaddmm(self, mat1, mat2 | beta, alpha)", "NotImplemented", kernel=products.sspaddmm,
   self = missing("sspaddmm"),
   mat1 = missing("sspaddmm"),
   mat2 = missing("sspaddmm"))

op("sparse_sparse_matmul(self, other)", "SparseSparseMatmulBackward0",
   kernel=products.mm,
   self  = lambda F, g, self, other: F.masked_as(F.sparse_sparse_matmul(g, F.mH(other)),
                                                 kernels.coalesce(self._data)),
   other = lambda F, g, self, other: F.masked_as(F.sparse_sparse_matmul(F.mH(self), g),
                                                 kernels.coalesce(other._data)))

op("sparse_softmax(self | dim)", "SparseSoftmaxBackward0", kernel=products.softmax,
   self = lambda F, g, result, dim: F.sparse_softmax_back(g, result, dim, False))

op("sparse_log_softmax(self | dim)", "SparseLogSoftmaxBackward0",
   kernel=products.log_softmax,
   self = lambda F, g, result, dim: F.sparse_softmax_back(g, result, dim, True))

op("sparse_softmax_back(grad, result | dim, log)", "NotImplemented",
   kernel=products.softmax_back,
   grad   = missing("_sparse_softmax_backward_data"),
   result = missing("_sparse_softmax_backward_data"))

OWN = {       # the operators above, as PyTorch calls them
    "sparse_coo": "_sparse_coo_tensor_with_dims_and_tensors", "values_at": "index.Tensor",
    "sparse_to_dense": "_to_dense", "sparse_coalesce": "_coalesce", "sparse_values": "values",
    "to_sparse_all": "_to_sparse", "to_sparse_some": "_to_sparse.sparse_dim",
    "sparse_mask_of": "sparse_mask", "sparse_sum": "_sparse_sum.dim",
    "sparse_sum_back": "_sparse_sum_backward", "sparse_addmm": "_sparse_addmm",
    "sparse_mm_at": "sparse_mask", "sparse_mm_reduce": "_sparse_mm_reduce_impl",
    "sparse_mm_reduce_back": "_sparse_mm_reduce_impl_backward",
    "sparse_sparse_matmul": "_sparse_sparse_matmul",
    "sparse_hspmm": "hspmm", "sparse_sspaddmm": "sspaddmm",
    "sparse_softmax": "_sparse_softmax", "sparse_log_softmax": "_sparse_log_softmax",
    "sparse_softmax_back": "_sparse_softmax_backward_data",
    "sparse_compressed": "_sparse_compressed_tensor_unsafe", "to_coordinates": "_to_sparse",
    "to_sparse_csr_of": "_to_sparse_csr", "to_sparse_csc_of": "_to_sparse_csc",
}

LINEAR = ("neg", "cast", "to_copy", "conj_complex", "conj_physical_complex", "conj_physical_here",
          "real", "imag", "clone", "clone_contiguous", "alias")
KEEP_ZEROS = ("abs", "sign", "sgn", "sqrt", "square", "sin", "tan", "asin", "atan", "sinh", "tanh",
              "asinh", "atanh", "expm1", "log1p", "floor", "ceil", "trunc", "round", "frac", "relu",
              "deg2rad", "rad2deg", "erf", "erfinv", "isnan", "isinf", "isposinf", "isneginf",
              "signbit", "nan_to_num")


def on_powers(a, exponent):
    """a ** exponent by the kernel of dense arrays; zeros must stay zeros."""
    if exponent == 0:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the "
                           "result tensor dense")
    return kernels.on_values(K.pow_scalar)(a, exponent)


FORMS = {     # operator -> its kernel where some of the arrays are Coos
    **{name: kernels.on_listed(getattr(K, name)) for name in LINEAR if hasattr(K, name)},
    **{name: kernels.on_values(getattr(K, name)) for name in KEEP_ZEROS if hasattr(K, name)},
    **{name: REGISTRY[name].kernel for name in OWN},
    "add": kernels.add, "add_scaled": kernels.add, "sub": kernels.subtract,
    "sub_scaled": kernels.subtract, "mul": kernels.multiply, "div": kernels.divide,
    "floor_divide": kernels.floor_divide, "sum_all": products.sum_all, "sum_dim": products.sum_dim,
    "mm": products.mm, "mv": products.mv, "bmm": products.bmm, "addmm": products.addmm,
    "t": kernels.t, "transpose": kernels.transpose, "permute": kernels.permute,
    "unsqueeze": kernels.unsqueeze, "select": kernels.select, "cat": kernels.cat,
    "stack": kernels.stack, "cat_mixed": lambda arrays, dim, common: kernels.cat(arrays, dim),
    "stack_mixed": lambda arrays, dim, common: kernels.stack(arrays, dim),
    "index_select": kernels.index_select,
    "threshold_backward": kernels.relu_back, "expand": kernels.no_expand,
    "div_rounded": kernels.divide_rounded, "pow_scalar": on_powers,
}

BY_COORDINATES = ("add", "add_scaled", "sub", "sub_scaled", "mul", "div", "div_rounded",
                  "floor_divide", "sum_all", "mm", "mv", "addmm", "select", "sparse_addmm",
                  "sparse_to_dense", "values_at", "sparse_mask_of", "sparse_sparse_matmul")
FORMS_OF_ROWS = {     # the same, where some of the arrays are Rows
    **{name: rows.by_coordinates(FORMS[name]) for name in BY_COORDINATES},
    **{name: FORMS[name] for name in (*LINEAR, *KEEP_ZEROS, "pow_scalar") if name in FORMS},
    "t": rows.t, "transpose": lambda a, dim0, dim1: a if dim0 == dim1 else rows.t(a),
    "sum_dim": rows.sum_dim,
    **{name: REGISTRY[name].kernel for name in (
        "sparse_values", "to_coordinates", "sparse_mm_reduce", "sparse_mm_reduce_back",
        "to_sparse_csr_of", "to_sparse_csc_of")},
}

AS_STRIDED = ("slice_dim", "take_part", "squeeze_all", "squeeze_dim", "squeeze_dims", "diagonal",
              "unfold_dim")             # where PyTorch's error names aten::as_strided


# --------------------------------------------------------------------------- running them

def call(op, fn, tensors, consts, flat):
    """The operator `fn` where some of its tensors, which are `flat`, are sparse."""
    by_rows = any([t._data.__class__ is Rows for t in flat])
    kernel = (FORMS_OF_ROWS if by_rows else FORMS).get(op.name)
    if kernel is None:
        raise no_form(op, (*tensors, *consts), by_rows=by_rows)
    with without_flags(flat, SPARSE | INFERENCE_TENSOR | DUAL):
        res = _with_form(inspect.unwrap(fn), kernel)(*tensors, *consts)
    return _finished(res)


def run(name, tensors, consts=()):
    """An operator of this file, whose result may be sparse though its tensors are dense."""
    return call(REGISTRY[name], REGISTRY[name].fn, tensors, consts,
                [t for t in tensors if t is not None])


def no_form(op, args, in_place=False, by_rows=False):
    """PyTorch's error for an operator that has no form for sparse tensors."""
    name = OWN.get(op.name) or ".".join(overload_name(op, args, in_place))
    if op.name in AS_STRIDED:
        name = "as_strided"
    return could_not_run(name.removesuffix(".default"),
                         Rows.backend if by_rows else Coo.backend)


@cache
def _with_form(fn, kernel):
    """The function of an operator with another kernel, whose results may be Coos."""
    def plain(*arrays, out=None):            # generated code asks NumPy for arrays by out=...
        return kernel(*arrays)
    return with_kernel(fn, plain, **support.OTHER_ARRAYS)


def _finished(res):
    """The result of an operator that has run: its bit SPARSE, and its node told."""
    if isinstance(res._data, Sparse):
        res._flags |= SPARSE
    if res._grad_fn is not None:
        run_on_tensors(res._grad_fn)
        if features.recording:
            support.finish(res._grad_fn)
    return res


def arm() -> None:
    """Get ready for sparse tensors; the first one is being made."""
    if not features.sparse:
        features.sparse = True
        features.count("other_arrays", 1)      # let wrap() look at arrays: see flags_of_new()
        for name, answer in BY_HAND.items():
            function = METHODS.get(name) or FUNCTIONS.get(name) or vars(Tensor)[name]
            intercept(unwrapped(function), partial(_by_hand, answer))


def _by_hand(answer, function, args, kwargs):
    """An answer of BY_HAND if one of the first two arguments is sparse."""
    if any([isinstance(a, Tensor) and a._flags & SPARSE for a in args[:2]]):
        return answer(*args, **kwargs)
    return function(*args, **kwargs)


def _raise(error, message):
    def answer(*args, **kwargs):
        raise error(message)
    return answer


def _cannot(name):
    def answer(*args, **kwargs):
        raise could_not_run(name)
    return answer


def zeros(like, *size, dtype=None, requires_grad=False, layout=None, **options):
    """A sparse tensor without elements: zeros_like(), new_zeros(), new_empty()."""
    if layout is strided:
        shape = sizes(size) if size else like._data.shape
        kind = (like.dtype if dtype is None else dtype).np
        return wrap(np.zeros(shape, kind))._set_requires_grad(requires_grad)
    a, kind = like._data, like.dtype if dtype is None else dtype
    if a.__class__ is Rows:
        found = rows.empty(sizes(size) if size else a.shape, kind.np, a.layout)
        return wrap(found)._set_requires_grad(requires_grad)
    if options.get("memory_format") is not None:
        raise RuntimeError("memory format option is only supported by strided tensors")
    shape, sparse = (sizes(size), None) if size else (a.shape, len(a.indices))
    return wrap(kernels.empty(shape, kind.np, sparse))._set_requires_grad(requires_grad)


def rows_like(name, refused):
    """ones_like() and similar functions: a matrix with the rows and columns of another.

    PyTorch fills new values by the operator `refused`, which tensors in coordinates lack.
    """
    def answer(input, *args, requires_grad=False, layout=None, memory_format=None, **options):
        a = input._data
        if a.__class__ is not Rows:
            raise could_not_run(refused)
        if layout not in (None, input.layout):
            raise RuntimeError("empty_like with different sparse layout is not supported (self is "
                               f"{KINDS[a.layout]} but you requested "
                               f"{KINDS.get(layout.name, 'Strided')})")
        if memory_format is not None:
            raise RuntimeError("unsupported memory format Preserve")
        values = FUNCTIONS[name](wrap(a.values), *args, **options)
        return wrap(a.copy().with_values(values._data))._set_requires_grad(requires_grad)
    return answer


NEW = ("*, torch.device device = None",
       "Tensor indices, Tensor values, *, torch.device device = None",
       "Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None",
       "tuple of ints size, *, torch.device device = None")


def new(like, *args, device=None, name="SparseTensor.new"):
    """like.new(): without elements; like.new(2, 3): of that size; like.new(indices, values)."""
    check_legacy_device(device)
    if len(args) == 1 and type(args[0]) in (tuple, list):
        raise TypeError(f"{name}(sequence) only accepts sizes.  Please use "
                        "torch.sparse_coo_tensor() or construct a strided tensor and convert it "
                        "to sparse via to_sparse.")
    tensors = sum(isinstance(a, Tensor) for a in args)
    if tensors == 2 and (len(args) == 2 or len(args) == 3 and isinstance(args[2], (tuple, list))):
        from ..sparse import sparse_coo_tensor
        return sparse_coo_tensor(*args)
    if tensors or not all(isinstance(a, (int, tuple)) for a in args):
        raise invalid_combination("new", args, {}, NEW)
    return zeros(like, *args or (0,))


def copy_(self, src, non_blocking=False):
    return T.copy_(self, src)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """torch.norm() of all elements."""
    if dim is not None and len(axes(dim, input._data.ndim)) < input._data.ndim:
        raise RuntimeError("norm_sparse currently only supports full reductions, so 'dim' must "
                           "either be empty or contain all dimensions of the input")
    if keepdim:
        raise RuntimeError("norm_sparse currently does not support keepdim=True")
    if dtype is not None and p == "fro":
        raise ValueError("dtype argument is not supported in frobenius norm")
    if dtype is not None:
        raise RuntimeError("norm_sparse currently does not support 'dtype' argument")
    if out is not None:
        raise could_not_run("norm.out")
    values = input.coalesce().values()
    return T.linalg_vector_norm(values, 2.0 if p == "fro" else float(p),
                                tuple(range(values._data.ndim)), False)


BY_HAND = {       # functions that are no operators: what they do with a sparse tensor
    "zeros_like": lambda input, **options: zeros(input, **options),
    "empty_like": lambda input, **options: zeros(input, **options),
    "ones_like": rows_like("ones_like", "fill_.Scalar"),
    "full_like": rows_like("full_like", "fill_.Scalar"),
    "randn_like": rows_like("randn_like", "normal_"),
    "new_zeros": zeros, "new_empty": zeros, "new": new, "bernoulli": _cannot("bernoulli.p"),
    **dict.fromkeys(("new_ones", "new_full", "fill_"), _cannot("fill_.Scalar")),
    "rand_like": _cannot("uniform_"),
    "randint_like": _cannot("random_"),
    **dict.fromkeys(("reshape", "flatten"),
                    _raise(RuntimeError, "reshape is not implemented for sparse tensors")),
    "stride": lambda input, dim=None: laid_out(input, "strides", (0,) * input._data.ndim if
                                               dim is None else 0),
    "is_contiguous": lambda input, **format: laid_out(input, "is_contiguous", False),
    "contiguous": lambda input, **format: laid_out(input, "is_contiguous", None),
    "__setitem__": _raise(TypeError, "Cannot assign to a sparse tensor"),
    "norm": norm, "copy_": copy_, "any": lambda input: coalesced_any(input), "all": _cannot("all"),
    "isclose": _cannot("eq.Tensor"), "allclose": _cannot("eq.Tensor"), "equal": _cannot("equal"),
    **dict.fromkeys(("storage", "untyped_storage", "is_shared", "share_memory_"),
                    lambda input: refuse_storage(input)),
    **dict.fromkeys(("data_ptr", "tolist"), _raise(
        RuntimeError, "Cannot access data pointer of Tensor that doesn't have storage")),
    "storage_offset": lambda input: 0, "tensor": lambda data, **options: data.detach().clone(),
    "resize_as_": lambda self, like: resize(self, self._data, like._data.shape,
                                            *dims_of(like)),
    "resize_": _cannot("resize_"), "set_": _cannot("set_.source_Tensor"),
}


def laid_out(t, what, answer):
    """What a tensor in coordinates says of its memory; compressed matrices refuse to."""
    if t._data.__class__ is Rows:
        raise RuntimeError(f"Sparse {t._data.layout[-3:].upper()} tensors do not have {what}")
    if answer is None:
        raise RuntimeError("unsupported memory format option Contiguous")
    return answer


def refuse_storage(t):
    kind = "SparseCsr" if t._data.__class__ is Rows else "Sparse"
    raise NotImplementedError(f"Cannot access storage of {kind}TensorImpl")


def dims_of(t):
    """(how many of its dimensions are sparse, how many dense)."""
    sparse = len(t._data.indices)
    return sparse, t._data.ndim - sparse


def coalesced_any(input):
    """Whether an element is not zero."""
    return wrap(np.asarray(kernels.coalesce(input._data).values.any()))


# --------------------------------------------------------------------------- in place

ADDED = {"add": 1, "add_scaled": 1, "sub": -1, "sub_scaled": -1}


def call_in_place(op, fn, tensors, consts, flat):
    """The operator `fn` in place: what it gives out of place is put in place of `self`."""
    self, *others = tensors
    recorded = state.grad and any(t._flags & 1 for t in flat)
    if recorded:
        check_inplace(self)
    for look in features.before_write:
        look(self)
    if op.name in ("zero", "copy"):
        return _replaced(self, op.name, others)
    if op.name in ADDED and not self._flags & SPARSE and not recorded \
            and others[0]._data.__class__ is Coo \
            and np.bool_ not in (self._data.dtype, others[0]._data.dtype):
        alpha = ADDED[op.name] * (consts[0] if consts else 1)
        if others[0]._data.shape == self._data.shape:
            in_place.check_cast(others[0]._data.dtype, self._data.dtype)
            kernels.add_to(self._data, others[0]._data, alpha)
            note_write(self, op.name.partition("_")[0] + "_")
            return self
    if op.name not in FORMS:
        raise no_form(op, (*tensors, *consts), True)
    value = op.fn(*tensors, *consts)
    if value._flags & ~self._flags & SPARSE:
        value = as_dense(value)
    in_place.check_cast(value._data.dtype, self._data.dtype)
    if (value._flags ^ self._flags) & SPARSE or value._data.shape != self._data.shape:
        raise RuntimeError(f"{op.name}_(): the result is of another layout or shape than the "
                           "tensor it should be written to")
    if self._base is not None and recorded:
        raise NotImplementedError(f"{op.name}_(): a sparse tensor is written to a recorded view")
    _put(self, value._data.astype(self._data.dtype, copy=False), op.name)
    if value._flags & 1:
        self._grad_fn, self._output_nr = value._grad_fn, 0
        self._flags |= 1
    note_write(self, op.name.partition("_")[0] + "_")
    return self


def _check_growth(a, size, sparse_dim, dense_dim):
    lead = len(a.indices)
    for kind, old, wanted in (("sparse", lead, sparse_dim),
                              ("dense", a.values.ndim - 1, dense_dim)):
        if old != wanted:
            raise RuntimeError(f"changing the number of {kind} dimensions (from {old} to {wanted}) "
                               f"on a non-empty sparse tensor is not supported.")
    for kind, part in ("sparse", slice(lead)), ("dense", slice(lead, None)):
        old, wanted = list(a.shape[part]), list(size[part])
        if any(n < m for n, m in zip(wanted, old, strict=True)):
            raise RuntimeError(f"shrinking the size of {kind} dimensions (from {old} to {wanted}) "
                               f"on a non-empty sparse tensor is not supported.")


def resize(self, a, size, sparse_dim, dense_dim, clear=False):
    """sparse_resize_() and sparse_resize_and_clear_() of a tensor with the Coo `a`."""
    size = tuple(size)
    if sparse_dim + dense_dim != len(size):
        raise RuntimeError(f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
                           f"{len(size)}, sparse_dim = {sparse_dim}, dense_dim = {dense_dim}")
    if clear or not len(a.values):
        self._data = kernels.empty(size, a.dtype, sparse_dim)
    else:
        _check_growth(a, size, sparse_dim, dense_dim)
        values = np.zeros((len(a.values), *size[sparse_dim:]), a.dtype)
        # new places follow, as when dense memory grows
        values.reshape(-1)[:a.values.size] = a.values.reshape(-1)
        self._data = Coo(a.indices, values, size, a.coalesced)
    note_write(self, "sparse_resize_")
    return self


def call_views(function, input, args):
    """Several views at once: of sparse tensors there are only those of unbind()."""
    keys, node_class, dim = args
    if node_class.__name__ != "UnbindBackward0":
        raise could_not_run("as_strided")
    return tuple([T.select(input, dim, k) for k in range(input._data.shape[dim])])


def _put(self, array, name):
    """Write what the operator `name` gave: into the memory of a dense tensor, or of a matrix by
    rows. One in coordinates gets other values in most cases, as in PyTorch: detach() and values()
    keep theirs."""
    if not self._flags & SPARSE:
        self._data[...] = array
    elif name in ("neg", "div") or array.__class__ is Rows and name == "mul":
        self._data.become(array)
    else:
        self._data = array


def _replaced(self, name, others):
    """zero_() and copy_() of a sparse tensor."""
    source = others[0] if others else None
    if source is not None and (source._flags ^ self._flags) & SPARSE:
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found "
                           f"self type = {self.type()} and src type = {source.type()}")
    if source is not None and source._flags & 1 and state.grad:
        raise NotImplementedError("copy_(): a sparse tensor that requires grad is the source")
    a = self._data
    if a.__class__ is Rows:
        raise could_not_run(f"{name}_", Rows.backend)
    self._data = kernels.empty(a.shape, a.dtype, kernels.sparse_dim(a)) if source is None else \
        source._data.astype(a.dtype)
    note_write(self, name + "_")
    return self


# --------------------------------------------------------------------------- for formulas

@composite
def coo(values, indices, shape, coalesced=False):
    """A sparse tensor of values and an array of indices; recorded."""
    return run("sparse_coo", (values,), (indices, tuple(shape), coalesced))


@composite
def listed(t, sparse_dim):
    """The sparse tensor of a dense one; recorded."""
    return run("to_sparse_some", (t,), (sparse_dim,))


@composite
def in_places_of(like, values):
    """A sparse tensor with other values than `like`; recorded."""
    a = like._data
    if a.__class__ is Rows:
        return run("sparse_compressed", (values,), (a.starts, a.others, a.shape, a.layout))
    return coo(values, a.indices, a.shape, a.coalesced)


@composite
def as_dense(t):
    """The dense tensor of a sparse one, a dense one itself; recorded."""
    return run("sparse_to_dense", (t,), (True,)) if t._flags & SPARSE else t


@composite
def as_coordinates(t):
    """A matrix in coordinates; recorded."""
    if not t._flags & SPARSE:
        return listed(t, t._data.ndim)
    return run("to_coordinates", (t,)) if t._data.__class__ is Rows else t


def warn_of_beta(layout):
    """PyTorch's warning where the first compressed matrix is made."""
    warn_once(f"Sparse {layout[-3:].upper()} tensor support is in beta state. If you miss a "
              "functionality in the sparse tensor support, please submit a feature request to "
              "https://github.com/pytorch/pytorch/issues.", "compressed matrices")


@composite
def as_rows(t, layout):
    """A matrix row by row or column by column; recorded."""
    if t._data.__class__ is Rows and t._data.layout == layout:
        return t
    warn_of_beta(layout)
    return run(f"to_{layout}_of", (t,), (not t._flags & SPARSE,))


@composite
def masked_as(t, mask):
    """What `t` has in the places of the Coo `mask`: a sparse tensor; recorded."""
    return run("sparse_mask_of", (t,), (mask, not t._flags & SPARSE))


@composite
def mm_at(left, right, like):
    """left @ right in the places of the Coo `like` alone; recorded."""
    if state.grad and (left._flags | right._flags) & 1 or (left._flags | right._flags) & SPARSE:
        return masked_as(T.mm(left, right), like)
    return run("sparse_mm_at", (left, right), (like,))
