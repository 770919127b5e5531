"""Matrix products.

The gradient of a factor that lies transposed in memory, as the weight of `linear` does, is computed
transposed as well: (A^T G) as (G^T A)^T. A leaf there then gets its gradient in its own layout,
without a copy.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .. import kernels as K
from .._dtype import of as of_array
from .._state import state
from .._tensor import SPARSE, WRAPPER, Tensor, wrap
from ..kernels import fast
from ..kernels.checks import check_broadcast
from ..kernels.matmul import batches
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .formulas import both, conj_number
from .out import check_out, fill, fill_checked, refuse_recorded
from .public import alias, method, public
from .support import answer_or_error, need_tensors, unobserved


@composite
def left_gradient(g, right, strides):
    """The gradient of L, if that of the product L R, (n,k)(k,m), is G: it is G R^H.

    It is stored column by column where L, of these `strides`, is.
    """
    if strides[0] < strides[1]:
        return T.t(T.mm(T.conj(right), T.t(g)))      # (k,m)(m,n) -> (k,n)
    return T.mm(g, mH(right))                        # (n,m)(m,k) -> (n,k)


@composite
def right_gradient(g, left, strides):
    """The gradient of R, if that of the product L R, (n,k)(k,m), is G: it is L^H G, stored as R."""
    if strides[0] < strides[1]:
        return T.t(T.mm(T.t(g), T.conj(left)))       # (m,n)(n,k) -> (m,k)
    return T.mm(mH(left), g)                         # (k,n)(n,m) -> (k,m)


@composite
def left_gradients(g, right, strides):
    """left_gradient() of a batch of matrices: (b,n,m)(b,m,k) -> (b,n,k)."""
    if strides[-2] < strides[-1]:
        return mT(T.bmm(T.conj(right), mT(g)))
    return T.bmm(g, mH(right))


@composite
def right_gradients(g, left, strides):
    """right_gradient() of a batch of matrices: (b,k,n)(b,n,m) -> (b,k,m)."""
    if strides[-2] < strides[-1]:
        return mT(T.bmm(mT(g), T.conj(left)))
    return T.bmm(mH(left), g)


def times(g, number):
    """g times the conjugate of a number, as beta and alpha of addmm() ask for."""
    return g if number == 1 else g * conj_number(number)


def product_tangent(product, a, b, a_t, b_t):
    """The product rule: product(a_t, b) + product(a, b_t), where either tangent may be None."""
    return both(None if a_t is None else product(a_t, b), None if b_t is None else product(a, b_t))


op("mm(self, mat2)", "MmBackward0", public=False, samples=S.matrix_pairs,
    self = lambda F, g, mat2, self_strides: F.left_gradient(g, mat2, self_strides),
    mat2 = lambda F, g, self, mat2_strides: F.right_gradient(g, self, mat2_strides),
    jvp  = lambda F, self, mat2, self_t, mat2_t: product_tangent(F.mm, self, mat2, self_t, mat2_t))

op("bmm(self, mat2)", "BmmBackward0", public=False, samples=S.batches,
    self = lambda F, g, mat2: F.bmm(g, F.mH(mat2)),   # (b,n,m)(b,m,k) -> (b,n,k)
    mat2 = lambda F, g, self: F.bmm(F.mH(self), g),   # (b,k,n)(b,n,m) -> (b,k,m)
    jvp  = lambda F, self, mat2, self_t, mat2_t: product_tangent(F.bmm, self, mat2, self_t, mat2_t))

# what vmap makes of mm, whose gradients are stored as the factors are
op("mapped_mm(self, mat2)", "BmmBackward0", public=False, samples=S.batches,
    self = lambda F, g, mat2, self_strides: F.left_gradients(g, mat2, self_strides),
    mat2 = lambda F, g, self, mat2_strides: F.right_gradients(g, self, mat2_strides),
    jvp  = lambda F, self, mat2, self_t, mat2_t:
               product_tangent(F.mapped_mm, self, mat2, self_t, mat2_t))

op("grouped_mm_of(self, mat2 | offs)", "GroupedMmBackward0", public=False,
    samples=lambda: [(*pair, offs) for pair, offs in zip(S.groups(), (None, *[(1, 4, 6)] * 3),
                                                         strict=True)],
    self = lambda F, g, mat2, offs: F.grouped_mm_of(g, F.mH(mat2), offs),
    mat2 = lambda F, g, self, offs: F.grouped_mm_of(F.mH(self), g, offs),
    jvp  = lambda F, self, mat2, self_t, mat2_t, offs:
               product_tangent(lambda a, b: F.grouped_mm_of(a, b, offs), self, mat2, self_t,
                               mat2_t))

op("mv(self, vec)", "MvBackward0", public=False, samples=S.matrix_and_vector,
    self = lambda F, g, vec: F.unsqueeze(g, 1) * F.conj(vec),   # (n,1)(m) -> (n,m)
    vec  = lambda F, g, self: F.mv(F.mH(self), g),              # (m,n)(n) -> (m)
    jvp  = lambda F, self, vec, self_t, vec_t: product_tangent(F.mv, self, vec, self_t, vec_t))

op("dot(self, tensor)", "DotBackward0", public=False, samples=S.vectors,
    self   = lambda F, g, tensor: g * F.conj(tensor),
    tensor = lambda F, g, self: g * F.conj(self),
    jvp    = lambda F, self, tensor, self_t, tensor_t:
                 product_tangent(F.dot, self, tensor, self_t, tensor_t))

op("vdot(self, other)", "VdotBackward0", public=False, samples=S.vectors,
    self  = lambda F, g, other: F.conj(g) * other,
    other = lambda F, g, self: g * self,
    jvp   = lambda F, self, other, self_t, other_t:
                product_tangent(F.vdot, self, other, self_t, other_t))


# --------------------------------------------------------------------------- for formulas

@composite
def mT(x):
    """The last two dimensions swapped."""
    last = x._data.ndim - 1
    return T.t(x) if last == 1 else T.transpose(x, last - 1, last)


@composite
def mH(x):
    """The conjugate of the last two dimensions swapped."""
    return T.conj(mT(x))


# --------------------------------------------------------------------------- checks

def product_error(a, b):
    """The error for matrices (or a matrix and a vector) that do not multiply."""
    if a.ndim != 2:
        return RuntimeError("self must be a matrix")
    if b.ndim != 2:
        return RuntimeError("mat2 must be a matrix")
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        found = _sparse_error(a, b)
        if found:
            from .hints import of_dtypes
            return RuntimeError(found + of_dtypes(a, b) * (a.shape[1] == b.shape[0]))
    if a.shape[1] != b.shape[0]:
        return inner_error(a, b)
    from .hints import of_dtypes
    return RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {_name(a)} != "
                        f"{_name(b)}{of_dtypes(a, b)}")


def _sparse_error(a, b):
    """What PyTorch says where a factor is sparse and neither layout nor sizes explain the error.

    A matrix times a sparse one is computed as the product of the transposed ones, and described so.
    """
    from ..kernels.sparse import Coo
    coo = isinstance(a, Coo), isinstance(b, Coo)
    rows = [not one and not isinstance(x, np.ndarray) for one, x in zip(coo, (a, b), strict=True)]
    k, found = a.shape[1], b.shape[0]
    if any(coo) and not all(coo) and not any(rows):
        k, found = (k, found) if coo[0] else (found, k)
        if k != found:
            return f"addmm: Argument #3 (dense): Expected dim 0 size {k}, got {found}"
    first, second = (of_array(x).tensor_name for x in (a, b))
    if k != found or any(coo) and any(rows):
        return ""
    if all(coo):
        return f"mat1 dtype {first} does not match mat2 dtype {second}"
    if coo[1] or all(rows):
        first, second = second, first
    return f"expected scalar type {first} but found {second}"


def inner_error(a, b):
    """The error for matrices (n, k) and (rows, m) with k != rows."""
    from .hints import of_product
    (n, k), (rows, m) = a.shape, b.shape
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {rows}x{m})"
                        f"{of_product(a.shape, b.shape)}")


def _name(array):
    """The name that C++ has for the array's dtype, as in "m1 and m2 to have the same dtype"."""
    from .. import _dtype
    name = _dtype.of(array).c_name
    return "long int" if name == "long long" else name


def check_batches(a, b):
    """Raise unless the tensors are batches of matrices, (b, n, k) and (b, k, m)."""
    try:
        (n, _, k), (m, rows, _) = a._data.shape, b._data.shape
    except ValueError:
        name = "batch1" if a._data.ndim != 3 else "batch2"
        raise RuntimeError(f"{name} must be a 3D tensor") from None
    if n != m or k != rows:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{n}, {k}] but got: [{m}, {rows}].")


def check_one_dtype(a, b):
    """Raise unless the two factors have the same dtype."""
    if a._data.dtype != b._data.dtype:
        from .hints import of_dtypes
        raise RuntimeError(f"expected scalar type {a.dtype.tensor_name} but found "
                           f"{b.dtype.tensor_name}{of_dtypes(a._data, b._data)}")


def check_mv(bias_shape, mat, vec, added=None):
    """Raise unless mat @ vec can be computed, and `added`, if it is given, be added to it."""
    a, v = mat._data, vec._data
    added = vec if added is None else added
    if a.ndim != 2 or v.ndim != 1 or len(bias_shape) > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {max(len(bias_shape), 1)}, "
                           f"{a.ndim}, {v.ndim}")
    if a.shape[1] != v.shape[0] or bias_shape not in ((), (1,), (a.shape[0],)):
        check_sparse_mv(mat, vec)
        shown = bias_shape[0] if bias_shape else 1
        raise RuntimeError(f"size mismatch, got input ({shown}), mat ({a.shape[0]}x{a.shape[1]}), "
                           f"vec ({v.shape[0]})")
    if a.dtype != v.dtype or a.dtype != added._data.dtype:
        check_sparse_mv(mat, vec)
        from .hints import of_dtypes
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got "
                           f"{added.dtype.tensor_name}, {mat.dtype.tensor_name}, and "
                           f"{vec.dtype.tensor_name}{of_dtypes(a, v)}")


def check_sparse_mv(mat, vec):
    """Raise if a sparse matrix, in coordinates, and a vector cannot be multiplied."""
    if not mat._flags & SPARSE or mat._data.layout != "sparse_coo":
        return
    if mat._data.shape[1] != vec._data.shape[0]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    check_one_dtype(mat, vec)


def check_dot(input, other):
    """Raise unless the tensors are vectors of one length and dtype."""
    a, b = input._data, other._data
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        from .hints import of_dtypes
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{input.dtype.tensor_name} and {other.dtype.tensor_name}"
                           f"{of_dtypes(a, b)}")
    if a.shape != b.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.size}] and src "
                           f"[{b.size}] to have the same number of elements, but got {a.size} and "
                           f"{b.size} elements respectively")


# --------------------------------------------------------------------------- public functions

@public
def mm(input, mat2, *, out=None):
    """The product of two matrices of one dtype: (n, k) (k, m) -> (n, m). No broadcasting.

    Raises RuntimeError for sizes, dtypes or numbers of dimensions that do not fit.

    >>> import retrograd as torch
    >>> torch.mm(torch.ones(1, 2), torch.ones(2, 2))
    tensor([[2., 2.]])
    """
    if not (isinstance(input, Tensor) and isinstance(mat2, Tensor)):
        return answer_or_error(mm, input=input, mat2=mat2)
    a, b = input._data, mat2._data
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0] or a.dtype != b.dtype:
        raise product_error(a, b)
    res = T.mm(input, mat2)
    return res if out is None else fill_checked("mm", out, res)


@public(name="_int_mm", method=False)
def int_mm(input, mat2, *, out=None):
    """The product of two matrices of 8-bit integers, in int32."""
    for name, t, dtypes in (("self", input, (np.int8, np.uint8)), ("mat2", mat2, (np.int8,))):
        if t._data.ndim != 2:
            raise RuntimeError(f"Expected {name} to be of dimension 2 but got {t._data.ndim}")
        if t._data.dtype not in dtypes:
            expected = " or ".join(str(np.dtype(d)) for d in dtypes)
            raise RuntimeError(f"int_mm_out_cpu: Expected {name} dtype to be {expected} but got "
                               f"{t.dtype.option_name}")
    if input._data.shape[1] != mat2._data.shape[0]:
        raise inner_error(input._data, mat2._data)
    res = wrap(K.mm(input._data.astype(np.int32), mat2._data.astype(np.int32)))
    return res if out is None else fill_checked("_int_mm", out, res)


@public
def bmm(input, mat2, *, out=None):
    """Products of the matrices of two batches of one dtype: (b, n, k) (b, k, m) -> (b, n, m).

    Raises RuntimeError for sizes, dtypes or numbers of dimensions that do not fit.

    >>> import retrograd as torch
    >>> torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()
    tensor([3., 3.])
    """
    if not (isinstance(input, Tensor) and isinstance(mat2, Tensor)):
        return answer_or_error(bmm, input=input, mat2=mat2)
    check_batches(input, mat2)
    check_one_dtype(input, mat2)
    res = T.bmm(input, mat2)
    return res if out is None else fill_checked("bmm", out, res)


@public
def mv(input, vec, *, out=None):
    """Matrix times vector, y[i] = sum over j of input[i, j] vec[j]: (n, k) (k) -> (n).

    Raises RuntimeError for sizes, dtypes or numbers of dimensions that do not fit.

    >>> import retrograd as torch
    >>> torch.mv(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
    """
    if not (isinstance(input, Tensor) and isinstance(vec, Tensor)):
        return answer_or_error(mv, input=input, vec=vec)
    check_mv(input._data.shape[:1], input, vec)
    res = T.mv(input, vec)
    return res if out is None else fill_checked("mv", out, res)


@public
def dot(input, tensor, *, out=None):
    """The sum of the products of two vectors' elements, without a conjugate: (n) (n) -> ().

    Raises RuntimeError for sizes, dtypes or numbers of dimensions that do not fit.

    >>> import retrograd as torch
    >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    if not (isinstance(input, Tensor) and isinstance(tensor, Tensor)):
        return answer_or_error(dot, input=input, tensor=tensor)
    check_dot(input, tensor)
    res = T.dot(input, tensor)
    return res if out is None else fill_checked("dot", out, res)


@public
def vdot(input, other, *, out=None):
    """The sum of conj(input[i]) * other[i] over two vectors: (n) (n) -> ().

    Raises RuntimeError for sizes, dtypes or numbers of dimensions that do not fit.

    >>> import retrograd as torch
    >>> torch.vdot(torch.tensor([1j, 2j]), torch.tensor([1j, 1j]))
    tensor(3.+0.j)
    """
    need_tensors("vdot", input, other=other)
    check_dot(input, other)
    res = T.vdot(input, other)
    return res if out is None else fill_checked("vdot", out, res)


@public
def outer(input, vec2, *, out=None):
    """The products of each element of one vector with each of another: y[i, j] = input[i] vec2[j].

    (n) (m) -> (n, m); dtypes promote. Raises RuntimeError for tensors that are no vectors.

    >>> import retrograd as torch
    >>> torch.outer(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    need_tensors("outer", input, vec2=vec2)
    for name, x in (("self", input), ("vec2", vec2)):
        if x._data.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x._data.ndim}-D")
    res = T.mul(T.view(T.contiguous(input), (input._data.size, 1)), vec2)
    return res if out is None else fill_checked("outer", out, res, input, vec2)


alias("ger", "outer")


@public
def inner(input, other, *, out=None):
    """Dot products over the last dimensions: (*a, k) (*b, k) -> (*a, *b).

    A tensor without dimensions multiplies the other one. Raises RuntimeError for last sizes or
    dtypes that differ.

    >>> import retrograd as torch
    >>> torch.inner(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    a, b = input._data, other._data
    if not a.ndim or not b.ndim:
        res = T.mul(input, other)
    elif a.dtype != b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    elif a.shape[-1] != b.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got "
                           f"shapes {list(a.shape)} and {list(b.shape)}")
    elif a.ndim == b.ndim == 1 and not (input._flags | other._flags):
        res = T.dot(input, other)
    elif a.ndim == b.ndim == 1:                           # with the nodes of PyTorch's tensordot
        res = T.view(T.dot(T.permute(input, (0,)), T.permute(other, (0,))), ())
    else:
        k = a.shape[-1]
        left = T.reshape(input, (a.size // k if k else volume(a.shape[:-1]), k))
        right = T.reshape(other, (b.size // k if k else volume(b.shape[:-1]), k))
        res = T.view(T.mm(left, T.t(right)), a.shape[:-1] + b.shape[:-1])
    return res if out is None else fill_checked("inner", out, res)


def volume(shape):
    n = 1
    for size in shape:
        n *= size
    return n


@public
def matmul(input, other, *, out=None):
    """The matrix product `input @ other`.

    (k), (k) -> a number; (n, k), (k) -> (n); (k), (k, m) -> (m); (n, k), (k, m) -> (n, m).
    Further dimensions in front are batches, which broadcast. Raises RuntimeError for sizes or
    dtypes that do not fit.

    >>> import retrograd as torch
    >>> (torch.ones(5, 2, 3) @ torch.ones(3, 4)).shape
    torch.Size([5, 2, 4])
    """
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
        return answer_or_error(matmul, input=input, other=other)
    res = product(input, other)
    return res if out is None else _product_into(out, res, input._data.ndim, other._data.ndim)


def _product_into(out, res, left, right):
    """`res` written into `out`; what is said of its dtype depends on the operands' dimensions."""
    check_out("matmul", out)
    refuse_recorded("matmul", out, res)
    return fill("matmul" if right > 1 or left > 2 else "mv" if left > 1 else "dot", out, res)


@method(name="__matmul__")
def dunder_matmul(self, other):
    try:
        a, b = self._data, other._data
    except AttributeError:
        return NotImplemented
    if a.ndim == 2 == b.ndim and a.shape[1] == b.shape[0] and a.dtype is b.dtype:
        return T.mm(self, other)
    return product(self, other)


@method(name="__rmatmul__")
def reflected_matmul(self, other):
    return product(other, self) if isinstance(other, Tensor) else NotImplemented


def product(left, right):
    """left @ right, by the operator for their numbers of dimensions: see matmul()."""
    a, b = left._data, right._data
    n, m = a.ndim, b.ndim
    if n == 2 == m:
        misfit = a.shape[1] != b.shape[0] or a.dtype != b.dtype
        # the class of a wrapper decides itself
        if misfit and not (left._flags | right._flags) & WRAPPER:
            raise product_error(a, b)
        return T.mm(left, right)
    if not n or not m:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are "
                           f"{n}D and {m}D")
    if n == m and plainly_batched(left, right):
        return wrap(batches(a, b))
    if n == 1 and m == 1:
        check_dot(left, right)
        return T.dot(left, right)
    if n == 2 and m == 1:
        return mv(left, right)
    if n == 1 and m == 2:
        fits = a.shape[0] == b.shape[0] and a.dtype is b.dtype
        return T.unsafe_squeeze((T.mm if fits else mm)(T.unsqueeze(left, 0), right), 0)
    if n == 2 and m == 3 and plainly_shared(left, right):
        few = len(a) * b.size < fast.PRODUCT
        return wrap(batches(a, b) if few else K.bmm(np.broadcast_to(a, (len(b), *a.shape)), b))
    if m == 2 and plainly_folded(left, right):
        return wrap(K.mm(a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[1]))
    if folds(left, right):
        return folded_product(left, right)
    return batched_product(left, right)


def plainly_batched(left, right):
    """Whether these are small batches of the same shape, and nobody sees that bmm does it."""
    a, b = left._data, right._data
    return (a.ndim > 2 and a.shape[:-2] == b.shape[:-2] and a.shape[-1] == b.shape[-2]
            and a.dtype is b.dtype and a.dtype.char in "fd"
            and a.size * b.shape[-1] < fast.PRODUCT and unobserved(left._flags | right._flags))


def plainly_shared(left, right):
    """Whether each of a batch is multiplied by one matrix, and nobody sees in how many steps."""
    a, b = left._data, right._data
    return (a.shape[1] == b.shape[1] and a.dtype is b.dtype and a.dtype.char in "fd"
            and unobserved(left._flags | right._flags))


def plainly_folded(left, right):
    """Whether batches that lie in one piece share a matrix, and nobody sees that mm does it."""
    a, b = left._data, right._data
    return (a.flags.c_contiguous and a.shape[-1] == b.shape[0] and a.dtype is b.dtype
            and a.dtype.char in "fd" and a.size > 0 and unobserved(left._flags | right._flags))


def folds(left, right):
    """Whether the larger side's batches can be rows of one matrix, the other side shared."""
    large, small = (right, left) if left._data.ndim < right._data.ndim else (left, right)
    if large._data.ndim < 3 or small._data.ndim > 2:
        return False
    if small._flags & 1 and state.grad:
        return True
    if left._data.ndim == 2:
        return False
    return unbroken(large._data, -1 if large is left else -2)


def unbroken(array, last):
    """Whether all dimensions but the `last` can be merged without a copy."""
    shape, strides = list(array.shape), list(array.strides)
    del shape[last], strides[last]
    return not array.size or all(strides[i] == strides[i + 1] * shape[i + 1]
                                 for i in range(array.ndim - 2))


def folded_product(left, right):
    """(..., n, k) times a shared (k, m) or (k), as one product of matrices."""
    swapped = right._data.ndim > left._data.ndim
    if swapped:
        last = right._data.ndim - 1
        shared = T.t(left) if left._data.ndim == 2 else left
        left, right = T.transpose(right, last - 1, last), shared
    shape = left._data.shape
    rows = T.reshape(left, (volume(shape[:-1]), shape[-1]))
    if right._data.ndim == 1:
        return T.unsafe_view(mv(rows, right), shape[:-1])
    res = T.unsafe_view(mm(rows, right), (*shape[:-1], right._data.shape[1]))
    if not swapped:
        return res
    last = res._data.ndim - 1
    return T.clone_contiguous(T.transpose(res, last - 1, last))


def batched_product(left, right):
    """Batches that broadcast, as one batched product."""
    plan = _batches(left._data.shape, right._data.shape)
    first = T.reshape(T.expand(left, plan.expanded[0]), plan.batches[0])
    second = T.reshape(T.expand(right, plan.expanded[1]), plan.batches[1])
    if plan.vector:
        second = T.unsqueeze(second, 2)
    check_batches(first, second)
    check_one_dtype(first, second)
    res = T.bmm(first, second)
    return T.unsafe_view(T.squeeze_dim(res, 2) if plan.vector else res, plan.shape)


class Batches(NamedTuple):
    """Shapes of the operands of a batched product: with the common batches, and with one dimension
    for all of these; whether the second is a vector; the product's shape."""

    expanded: tuple
    batches: tuple
    vector: bool
    shape: tuple


@lru_cache(maxsize=256)
def _batches(a, b):
    """The Batches of operands of these shapes; RuntimeError if their batches do not broadcast."""
    vector, rows = len(b) == 1, a[-2:] if len(a) > 1 else (1, *a)
    batch = a[:-2] if a[:-2] == b[:-2] else _broadcast_batches(a[:-2], b[:-2])
    columns = b[-2:]
    shape = batch + rows[:1] * (len(a) > 1) + columns[1:]
    count = volume(batch)
    return Batches((batch + rows, batch + columns), ((count, *rows), (count, *columns)), vector,
                   shape)


def _broadcast_batches(a, b):
    check_broadcast(a, b)
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    lead = len(longer) - len(shorter)
    return (*longer[:lead], *(y if x == 1 else x for x, y in zip(longer[lead:], shorter,
                                                                strict=True)))
