"""Matrix products.

The gradient of a factor that lies transposed in memory, as the weight of `linear` does, is computed
transposed as well: (A^T G) as (G^T A)^T. A leaf behind it then gets its gradient in its own layout,
without a copy.
"""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .._state import state
from .._tensor import Tensor, wrap
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .deprecated import factors_by_name, factors_first
from .formulas import both, conj_number, scaled
from .out import fill_checked, option_name
from .public import alias, method, public
from .support import check_cast, need_tensors, number_of, result_dtype


def transposed(strides):
    """Whether a matrix with these strides is stored column by column."""
    return strides[0] < strides[1]


def left_gradient(F, g, right, strides):
    """d(L R) / dL = G R^H."""
    if transposed(strides):
        return F.t(F.mm(F.conj(right), F.t(g)))      # (k,m)(m,n) -> (k,n)
    return F.mm(g, F.mH(right))                      # (n,m)(m,k) -> (n,k)


def right_gradient(F, g, left, strides):
    """d(L R) / dR = L^H G."""
    if transposed(strides):
        return F.t(F.mm(F.t(g), F.conj(left)))       # (m,n)(n,k) -> (m,k)
    return F.mm(F.mH(left), g)                       # (k,n)(n,m) -> (k,m)


def times(g, number):
    return g if number == 1 else g * conj_number(number)


def product_tangent(product, a, b, a_t, b_t):
    """The product rule."""
    return both(None if a_t is None else product(a_t, b), None if b_t is None else product(a, b_t))


op("mm(self, mat2)", "MmBackward0", public=False, samples=S.matrix_pairs,
    self = lambda F, g, mat2, self_strides: left_gradient(F, g, mat2, self_strides),
    mat2 = lambda F, g, self, mat2_strides: right_gradient(F, g, self, mat2_strides),
    jvp  = lambda F, self, mat2, self_t, mat2_t: product_tangent(F.mm, self, mat2, self_t, mat2_t))

op("bmm(self, mat2)", "BmmBackward0", public=False, samples=S.batches,
    self = lambda F, g, mat2: F.bmm(g, F.mH(mat2)),   # (b,n,m)(b,m,k) -> (b,n,k)
    mat2 = lambda F, g, self: F.bmm(F.mH(self), g),   # (b,k,n)(b,n,m) -> (b,k,m)
    jvp  = lambda F, self, mat2, self_t, mat2_t: product_tangent(F.bmm, self, mat2, self_t, mat2_t))

op("mv(self, vec)", "MvBackward0", public=False, samples=S.matrix_and_vector,
    self = lambda F, g, vec: F.unsqueeze(g, 1) * F.conj(vec),
    vec  = lambda F, g, self: F.mv(F.mH(self), g),
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

op("addmm(self, mat1, mat2 | beta, alpha)", "AddmmBackward0", public=False, inplace=True,
    samples=lambda: [(*s, b, a) for s in S.added_products() for b, a in ((1, 1), (0.5, 2))],
    self = lambda F, g, self_shape, beta: F.sum_to(times(g, beta), self_shape),
    mat1 = lambda F, g, mat2, mat1_strides, alpha:
               times(left_gradient(F, g, mat2, mat1_strides), alpha),
    mat2 = lambda F, g, mat1, mat2_strides, alpha:
               times(right_gradient(F, g, mat1, mat2_strides), alpha),
    jvp  = lambda F, self, mat1, mat2, self_t, mat1_t, mat2_t, beta, alpha: added_tangent(
               F, F.mm, self, mat1, mat2, self_t, mat1_t, mat2_t, beta, alpha))

op("addmv(self, mat, vec | beta, alpha)", "AddmvBackward0", public=False, inplace=True,
    samples=lambda: [(v, m, w, b, a) for m, w in S.matrix_and_vector() for v in (m[:, 0],)
                     for b, a in ((1, 1), (0.5, 2))],
    self = lambda F, g, self_shape, beta: F.sum_to(times(g, beta), self_shape),
    mat  = lambda F, g, vec, alpha: times(F.unsqueeze(g, 1) * F.conj(vec), alpha),
    vec  = lambda F, g, mat, alpha: times(F.mv(F.mH(mat), g), alpha),
    jvp  = lambda F, self, mat, vec, self_t, mat_t, vec_t, beta, alpha: added_tangent(
               F, F.mv, self, mat, vec, self_t, mat_t, vec_t, beta, alpha))

op("baddbmm(self, batch1, batch2 | beta, alpha)", "BaddbmmBackward0", public=False, inplace=True,
    samples=lambda: [(a @ b, a, b, *n) for a, b in S.batches() for n in ((1, 1), (0.5, 2))],
    self   = lambda F, g, self_shape, beta: F.sum_to(times(g, beta), self_shape),
    batch1 = lambda F, g, batch2, alpha: times(F.bmm(g, F.mH(batch2)), alpha),
    batch2 = lambda F, g, batch1, alpha: times(F.bmm(F.mH(batch1), g), alpha),
    jvp    = lambda F, self, batch1, batch2, self_t, batch1_t, batch2_t, beta, alpha: added_tangent(
                 F, F.bmm, self, batch1, batch2, self_t, batch1_t, batch2_t, beta, alpha))

op("addbmm(self, batch1, batch2 | beta, alpha)", "AddbmmBackward0", public=False, inplace=True,
    samples=lambda: [((a @ b).sum(0), a, b, *n) for a, b in S.batches()
                     for n in ((1, 1), (0.5, 2))],
    self   = lambda F, g, self_shape, beta: F.sum_to(times(g, beta), self_shape),
    batch1 = lambda F, g, batch2, alpha: times(F.bmm(spread(F, g, batch2), F.mH(batch2)), alpha),
    batch2 = lambda F, g, batch1, alpha: times(F.bmm(F.mH(batch1), spread(F, g, batch1)), alpha),
    jvp    = lambda F, self, batch1, batch2, self_t, batch1_t, batch2_t, beta, alpha: added_tangent(
                 F, lambda a, b: F.sum_dim(F.bmm(a, b), 0, False),
                 self, batch1, batch2, self_t, batch1_t, batch2_t, beta, alpha))

op("addr(self, vec1, vec2 | beta, alpha)", "AddrBackward0", public=False, inplace=True,
    samples=lambda: [(m, m[:, 0], m[0], *n) for m, in S.singles()[:1] for n in ((1, 1), (0.5, 2))],
    self = lambda F, g, self_shape, beta: F.sum_to(times(g, beta), self_shape),
    vec1 = lambda F, g, vec2, alpha: times(F.mv(g, F.conj(vec2)), alpha),
    vec2 = lambda F, g, vec1, alpha: times(F.mv(F.t(g), F.conj(vec1)), alpha),
    jvp  = lambda F, self, vec1, vec2, self_t, vec1_t, vec2_t, beta, alpha: added_tangent(
               F, lambda a, b: F.unsqueeze(a, 1) * b,
               self, vec1, vec2, self_t, vec1_t, vec2_t, beta, alpha))


def spread(F, g, batch):
    """A gradient shared by every matrix of a batch: (n, m) -> (b, n, m)."""
    return F.expand(F.unsqueeze(g, 0), (batch.shape[0], *g.shape))


def added_tangent(F, product, bias, a, b, bias_t, a_t, b_t, beta, alpha):
    """The tangent of beta * bias + alpha * product(a, b)."""
    grown = scaled(product_tangent(product, a, b, a_t, b_t), alpha)
    if bias_t is None:
        return grown
    res = bias_t * beta
    return res + product(a, b) * 0 if grown is None else res + grown


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
    if a.shape[1] != b.shape[0]:
        return inner_error(a, b)
    return RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {_name(a)} != "
                        f"{_name(b)}")


def inner_error(a, b):
    (n, k), (rows, m) = a.shape, b.shape
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {rows}x{m})")


def _name(array):
    from .. import _dtype
    name = _dtype.of(array).c_name
    return "long int" if name == "long long" else name


def check_batches(a, b):
    try:
        (n, _, k), (m, rows, _) = a._data.shape, b._data.shape
    except ValueError:
        name = "batch1" if a._data.ndim != 3 else "batch2"
        raise RuntimeError(f"{name} must be a 3D tensor") from None
    if n != m or k != rows:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{n}, {k}] but got: [{m}, {rows}].")


def check_one_dtype(a, b):
    if a._data.dtype != b._data.dtype:
        raise RuntimeError(f"expected scalar type {a.dtype.tensor_name} but found "
                           f"{b.dtype.tensor_name}")


def check_expands(bias, shape):
    """PyTorch's error for a bias that does not expand to the product's shape."""
    have = bias._data.shape
    if len(have) > len(shape):
        raise RuntimeError(f"expand(torch.{bias.dtype.tensor_name}Tensor{{{list(have)}}}, size="
                           f"{list(shape)}): the number of sizes provided ({len(shape)}) must be "
                           f"greater or equal to the number of dimensions in the tensor "
                           f"({len(have)})")
    for k in range(1, len(have) + 1):
        if have[-k] not in (1, shape[-k]):
            raise RuntimeError(
                f"The expanded size of the tensor ({shape[-k]}) must match the existing size "
                f"({have[-k]}) at non-singleton dimension {len(shape) - k}.  Target sizes: "
                f"{list(shape)}.  Tensor sizes: {list(have)}")


def check_addmm(bias, a, b):
    for name, x in (("mat1", a), ("mat2", b)):
        if x._data.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {x._data.ndim}-D tensor")
    if a._data.shape[1] != b._data.shape[0]:
        raise inner_error(a._data, b._data)
    check_expands(bias, (a._data.shape[0], b._data.shape[1]))
    check_same_dtype(bias, a, b)


def check_same_dtype(bias, a, b):
    """PyTorch's error for a sum of a bias and a product in several dtypes."""
    for x, name in ((bias, "self"), (a, "mat1")):
        if x._data.dtype != b._data.dtype:
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got "
                               f"{x.dtype.tensor_name} and {b.dtype.tensor_name}")


def check_mv(bias_shape, mat, vec):
    a, v = mat._data, vec._data
    if a.ndim != 2 or v.ndim != 1 or len(bias_shape) > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {max(len(bias_shape), 1)}, "
                           f"{a.ndim}, {v.ndim}")
    if a.shape[1] != v.shape[0] or bias_shape not in ((), (1,), (a.shape[0],)):
        shown = bias_shape[0] if bias_shape else 1
        raise RuntimeError(f"size mismatch, got input ({shown}), mat ({a.shape[0]}x{a.shape[1]}), "
                           f"vec ({v.shape[0]})")
    if a.dtype != v.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got "
                           f"{vec.dtype.tensor_name}, {mat.dtype.tensor_name}, and "
                           f"{vec.dtype.tensor_name}")


def check_dot(input, other):
    a, b = input._data, other._data
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{input.dtype.tensor_name} and {other.dtype.tensor_name}")
    if a.shape != b.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.size}] and src "
                           f"[{b.size}] to have the same number of elements, but got {a.size} and "
                           f"{b.size} elements respectively")


# --------------------------------------------------------------------------- public functions

@public
def mm(input, mat2, *, out=None):
    """The product of two matrices of one dtype: (n, k) (k, m) -> (n, m). No broadcasting.

    >>> import retrograd as torch
    >>> torch.mm(torch.ones(1, 2), torch.ones(2, 2))
    tensor([[2., 2.]])
    """
    if need_tensors("mm", input, mat2=mat2):
        return mm(input, mat2)
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
                               f"{option_name(t.dtype)}")
    if input._data.shape[1] != mat2._data.shape[0]:
        raise inner_error(input._data, mat2._data)
    res = wrap(K.mm(input._data.astype(np.int32), mat2._data.astype(np.int32)))
    return res if out is None else fill_checked("_int_mm", out, res)


@public
def bmm(input, mat2, *, out=None):
    """Products of the matrices of two batches: (b, n, k) (b, k, m) -> (b, n, m)."""
    if need_tensors("bmm", input, mat2=mat2):
        return bmm(input, mat2)
    check_batches(input, mat2)
    check_one_dtype(input, mat2)
    res = T.bmm(input, mat2)
    return res if out is None else fill_checked("bmm", out, res)


@public
def mv(input, vec, *, out=None):
    """Matrix times vector: (n, k) (k) -> (n).

    >>> import retrograd as torch
    >>> torch.mv(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
    """
    if need_tensors("mv", input, vec=vec):
        return mv(input, vec)
    check_mv(input._data.shape[:1], input, vec)
    res = T.mv(input, vec)
    return res if out is None else fill_checked("mv", out, res)


@public
def dot(input, tensor, *, out=None):
    """The sum of the products of two vectors' elements (no conjugate is taken).

    >>> import retrograd as torch
    >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    if need_tensors("dot", input, tensor=tensor):
        return dot(input, tensor)
    check_dot(input, tensor)
    res = T.dot(input, tensor)
    return res if out is None else fill_checked("dot", out, res)


@public
def vdot(input, other, *, out=None):
    """The dot product of conj(input) and other.

    >>> import retrograd as torch
    >>> torch.vdot(torch.tensor([1j, 2j]), torch.tensor([1j, 1j]))
    tensor(3.+0.j)
    """
    if need_tensors("vdot", input, other=other):
        return vdot(input, other)
    check_dot(input, other)
    res = (T.vdot if input._data.dtype.kind == "c" else T.dot)(input, other)
    return res if out is None else fill_checked("vdot", out, res)


@public
def outer(input, vec2, *, out=None):
    """The products of each element of one vector with each of another: (n) (m) -> (n, m).

    >>> import retrograd as torch
    >>> torch.outer(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    if need_tensors("outer", input, vec2=vec2):
        return outer(input, vec2)
    for name, x in (("self", input), ("vec2", vec2)):
        if x._data.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x._data.ndim}-D")
    res = T.mul(T.view(T.contiguous(input), (input._data.size, 1)), vec2)
    return res if out is None else fill_checked("outer", out, res, input, vec2)


alias("ger", "outer")


@public
def inner(input, other, *, out=None):
    """Dot products over the last dimensions: (*a, k) (*b, k) -> (*a, *b); numbers multiply.

    >>> import retrograd as torch
    >>> torch.inner(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    a, b = input._data, other._data
    if not a.ndim or not b.ndim:
        res = T.mul(input, other)
    elif a.shape[-1] != b.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got "
                           f"shapes {list(a.shape)} and {list(b.shape)}")
    elif a.ndim == b.ndim == 1:
        res = T.dot(input, other)
    else:
        k = a.shape[-1]
        left = T.reshape(input, (a.size // k if k else _count(a.shape[:-1]), k))
        right = T.reshape(other, (b.size // k if k else _count(b.shape[:-1]), k))
        res = T.view(T.mm(left, T.t(right)), a.shape[:-1] + b.shape[:-1])
    return res if out is None else fill_checked("inner", out, res)


def _count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def _with_bias(name, check, doc, prepare=None):
    """A function beta * input + alpha * (a product), and its method in place.

    `prepare`, if there is one, changes the operator's arguments.
    """
    def function(input, a=None, b=None, *more, beta=1, alpha=1, out=None, **named):
        if more:
            input, a, b, beta, alpha = factors_first(name, (input, a, b, *more))
        elif b is None:
            a, b = factors_by_name(name, a, named)
        check(input, a, b)
        given = (input, a, b, beta, alpha)
        res = getattr(T, name)(*(given if prepare is None else prepare(*given)))
        return res if out is None else fill_checked(name, out, res, input, a, b)

    def in_place(self, a=None, b=None, *more, beta=1, alpha=1, **named):
        if more:
            self, a, b, beta, alpha = factors_first(name + "_", (self, a, b, *more))
        elif b is None:
            a, b = factors_by_name(name, a, named)
        check(self, a, b)
        if prepare is not None:
            common, a, b, beta, alpha = prepare(self, a, b, beta, alpha)
            check_cast(common._data.dtype, self._data.dtype)
        return getattr(T, name + "_")(self, a, b, beta, alpha)

    function.__name__ = function.__qualname__ = name
    in_place.__name__ = in_place.__qualname__ = name + "_"
    function.__doc__, in_place.__doc__ = doc, f"{name} in place."
    method(in_place)
    return public(function)


def _check_baddbmm(input, a, b):
    check_batches(a, b)
    if not input._data.dtype == a._data.dtype == b._data.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {option_name(input.dtype)}, "
                           f"batch1: {option_name(a.dtype)}, batch2: {option_name(b.dtype)}")
    check_expands(input, (*a._data.shape[:2], b._data.shape[2]))


def _check_addbmm(input, a, b):
    check_batches(a, b)
    check_same_dtype(input, a, b)
    check_expands(input, (a._data.shape[1], b._data.shape[2]))


def _check_addr(input, a, b):
    for name, x in (("vec1", a), ("vec2", b)):
        if x._data.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {x._data.ndim}-D")
    check_expands(input, (a._data.size, b._data.size))


def _factor(name, value, tensors):
    """beta or alpha of addr() as its result's dtype takes it."""
    kinds = {t._data.dtype.kind for t in tensors}
    if isinstance(value, bool) and kinds != {"b"}:
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if isinstance(value, float) and not kinds & {"f", "c", "V"}:
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating "
                           "point number.")
    return bool(value) if kinds == {"b"} else value


def _promote_addr(input, a, b, beta, alpha):
    tensors = (input, a, b)
    beta, alpha = number_of(beta, "beta"), number_of(alpha, "alpha")
    beta, alpha = _factor("beta", beta, tensors), _factor("alpha", alpha, tensors)
    common = result_dtype(tensors)
    return (*[t.to(common) for t in tensors], beta, alpha)


def _check_addmv(input, a, b):
    check_mv(input._data.shape, a, b)


addmm = _with_bias("addmm", check_addmm, """beta * input + alpha * (mat1 @ mat2).

    (n, m) or what expands to it, (n, k), (k, m) -> (n, m). With beta = 0, input is not read.
    """)
addmv = _with_bias("addmv", _check_addmv, "beta * input + alpha * (mat @ vec): (n), (n, k), (k).")
baddbmm = _with_bias("baddbmm", _check_baddbmm,
                     "beta * input + alpha * (batch1 @ batch2): (b, n, m), (b, n, k), (b, k, m).")
addbmm = _with_bias("addbmm", _check_addbmm,
                    "beta * input + alpha * sum_i batch1[i] @ batch2[i]: (n, m), (b, n, k), "
                    "(b, k, m).")
addr = _with_bias("addr", _check_addr,
                  "beta * input + alpha * the outer product of two vectors: (n, m), (n), (m); "
                  "dtypes promote.", _promote_addr)


@public
def matmul(input, other, *, out=None):
    """The matrix product, by the rules of Python's @.

    Vector by vector is a number, matrix by matrix a matrix, and further dimensions in front are
    batches, which broadcast. Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> (torch.ones(5, 2, 3) @ torch.ones(3, 4)).shape
    torch.Size([5, 2, 4])
    """
    if need_tensors("matmul", input, other=other):
        return matmul(input, other)
    res = product(input, other)
    return res if out is None else fill_checked("matmul", out, res)


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
    a, b = left._data, right._data
    n, m = a.ndim, b.ndim
    if n == 2 == m:
        if a.shape[1] != b.shape[0] or a.dtype != b.dtype:
            raise product_error(a, b)
        return T.mm(left, right)
    if not n or not m:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are "
                           f"{n}D and {m}D")
    if n == 1 and m == 1:
        check_dot(left, right)
        return T.dot(left, right)
    if n == 2 and m == 1:
        return mv(left, right)
    if n == 1 and m == 2:
        return T.squeeze_dim(mm(T.unsqueeze(left, 0), right), 0)
    if folds(left, right):
        return folded_product(left, right)
    return batched_product(left, right)


def folds(left, right):
    """Whether the larger side's batches can be rows of one matrix, the other side shared."""
    if left._data.ndim < right._data.ndim:
        left, right = right, left
    if left._data.ndim < 3 or right._data.ndim > 2:
        return False
    if right._track & 1 and state.grad:
        return True
    if left._data.ndim == 2:
        return False
    return _rows_unbroken(left._data)


def _rows_unbroken(array):
    """Whether all dimensions but the last can be merged without a copy."""
    shape, strides = array.shape, array.strides
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
    rows = T.reshape(left, (_count(shape[:-1]), shape[-1]))
    if right._data.ndim == 1:
        return T.unsafe_view(mv(rows, right), shape[:-1])
    res = T.unsafe_view(mm(rows, right), (*shape[:-1], right._data.shape[1]))
    if not swapped:
        return res
    last = res._data.ndim - 1
    return T.clone_contiguous(T.transpose(res, last - 1, last))


def batched_product(left, right):
    """Batches that broadcast, as one batched product."""
    a, b = left._data.shape, right._data.shape
    n, k = (a[-2] if len(a) > 1 else 1), a[-1]
    rows, m = (b[-2:] if len(b) > 1 else (b[0], 1))
    batch = a[:-2] if a[:-2] == b[:-2] else _broadcast_batches(a[:-2], b[:-2])
    count = _count(batch)
    first = T.reshape(T.expand(left, (*batch, n, k)), (count, n, k))
    if len(b) == 1:
        second = T.unsqueeze(T.reshape(T.expand(right, (*batch, rows)), (count, rows)), 2)
    else:
        second = T.reshape(T.expand(right, (*batch, rows, m)), (count, rows, m))
    check_batches(first, second)
    check_one_dtype(first, second)
    res = T.bmm(first, second)
    if len(b) == 1:
        res = T.squeeze_dim(res, 2)
    return T.unsafe_view(res, batch + (n,) * (len(a) > 1) + (m,) * (len(b) > 1))


def _broadcast_batches(a, b):
    for k in range(1, min(len(a), len(b)) + 1):
        if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
            raise RuntimeError(f"The size of tensor a ({a[-k]}) must match the size of tensor b "
                               f"({b[-k]}) at non-singleton dimension {max(len(a), len(b)) - k}")
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    lead = len(longer) - len(shorter)
    return (*longer[:lead], *(y if x == 1 else x for x, y in zip(longer[lead:], shorter,
                                                                strict=True)))


def linear(input, weight, bias=None):
    """input @ weight^T + bias: (*, in), (out, in), (out) -> (*, out).

    Raises RuntimeError for sizes or dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.linear(torch.ones(1, 2), torch.ones(3, 2), torch.zeros(3))
    tensor([[2., 2., 2.]])
    """
    try:
        a, w = input._data, weight._data
    except AttributeError:
        need_tensors("linear", input, weight=weight)
        raise
    if a.ndim == 2 == w.ndim and bias is not None:
        return added_product(bias, input, T.t(weight))
    if not a.ndim or not w.ndim:
        raise RuntimeError("both arguments to linear need to be at least 1D, but they are "
                           f"{a.ndim}D and {w.ndim}D")
    if w.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {w.ndim}D")
    turned = T.t(weight)
    if bias is None:
        return product(input, turned)
    if w.ndim == 2 and _rows_unbroken(a):
        rows = T.reshape(input, (_count(a.shape[:-1]), a.shape[-1]))
        return T.view(added_product(bias, rows, turned), (*a.shape[:-1], w.shape[0]))
    if w.ndim == 1:
        check_addmm(bias, input, turned)
    return T.add(product(input, turned), bias)


def added_product(bias, rows, turned):
    a, b, c = rows._data, turned._data, bias._data
    if (a.shape[1] != b.shape[0] or c.shape != b.shape[1:] or a.dtype is not b.dtype
            or c.dtype is not b.dtype):
        check_addmm(bias, rows, turned)
    return T.addmm(bias, rows, turned, 1, 1)
