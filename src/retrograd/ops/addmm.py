"""Products that are added to something: addmm, addmv, baddbmm ... and linear.

The gradients of the factors are those of `matmul.py`.
"""

from __future__ import annotations

from functools import cache

from .. import kernels as K
from .._state import features, state
from .._tensor import Tensor, wrap
from ..autograd.node import history, next_seq
from ..autograd.views import view_of
from ..kernels.reduce import F32, F64
from . import samples as S
from .declare import REGISTRY, op
from .declare import F as T
from .deprecated import factors_first
from .factory import factor
from .formulas import scaled
from .in_place import check_cast, same_shape
from .matmul import (
    check_batches,
    check_mv,
    inner_error,
    product,
    product_tangent,
    times,
    volume,
)
from .out import fill_checked
from .public import method, public
from .shape import expand_error, too_few_sizes
from .support import need_tensors, number_of, result_dtype, unusual

op("addmm(self, mat1, mat2 | beta, alpha)", "AddmmBackward0", public=False, inplace=True,
    samples=lambda: [(*s, b, a) for s in S.added_products() for b, a in ((1, 1), (0.5, 2))],
    self = lambda F, g, self_shape, beta: F.sum_to(times(g, beta), self_shape),
    mat1 = lambda F, g, mat2, mat1_strides, alpha:
               times(F.left_gradient(g, mat2, mat1_strides), alpha),
    mat2 = lambda F, g, mat1, mat2_strides, alpha:
               times(F.right_gradient(g, mat1, mat2_strides), alpha),
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
    of_product = scaled(product_tangent(product, a, b, a_t, b_t), alpha)
    if bias_t is None:
        return of_product
    # without a tangent of its own the product still gives the result its shape
    return bias_t * beta + (F.zeros_like(product(a, b)) if of_product is None else of_product)


# --------------------------------------------------------------------------- checks

def check_expands(bias, shape):
    """PyTorch's error for a bias that does not expand to the product's shape."""
    have = bias._data.shape
    if len(have) > len(shape):
        raise too_few_sizes(bias, shape)
    for k in range(1, len(have) + 1):
        if have[-k] not in (1, shape[-k]):
            old = (1,) * (len(shape) - len(have)) + have
            raise expand_error(shape, shape, old, have)


def check_same_shape(input, shape):
    """PyTorch's error for a tensor to which a product of this shape cannot be added in place."""
    if input._data.shape != shape:
        raise RuntimeError(f"Bad in-place call: input tensor size {list(input._data.shape)} and "
                           f"output tensor size {list(shape)} should match")


def check_addmm(bias, a, b, check_shape=check_expands):
    """The errors of addmm(bias, a, b)."""
    for name, x in (("mat1", a), ("mat2", b)):
        if x._data.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {x._data.ndim}-D tensor")
    if a._data.shape[1] != b._data.shape[0]:
        raise inner_error(a._data, b._data)
    shape = (a._data.shape[0], b._data.shape[1])
    if check_shape is check_expands:
        check_shape(bias, shape)
    check_same_dtype(bias, a, b)
    if check_shape is not check_expands:              # in place the dtypes come first
        check_shape(bias, shape)


def check_same_dtype(bias, a, b):
    """PyTorch's error for a sum of a bias and a product in several dtypes."""
    for x, name in ((bias, "self"), (a, "mat1")):
        if x._data.dtype != b._data.dtype:
            from .hints import of_dtypes
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got "
                               f"{x.dtype.tensor_name} and {b.dtype.tensor_name}"
                               f"{of_dtypes(x._data, b._data)}")


def _check_baddbmm(input, a, b, check_shape=check_expands):
    if check_shape is check_expands:                  # PyTorch expands the input first
        check_expands(input, (a.size(0), a.size(1), b.size(2)))
    check_batches(a, b)
    if not input._data.dtype == a._data.dtype == b._data.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {input.dtype.option_name}, "
                           f"batch1: {a.dtype.option_name}, batch2: {b.dtype.option_name}")
    check_shape(input, (*a._data.shape[:2], b._data.shape[2]))


def _check_addbmm(input, a, b):
    check_expands(input, (a.size(1), b.size(2)))
    for name, x in (("batch1", a), ("batch2", b)):
        if x._data.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    (n, rows, k), (m, k2, columns) = a._data.shape, b._data.shape
    if n != m:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {n} and {m}")
    if k != k2:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({rows}x{k} and {k2}x{columns})")
    check_same_dtype(input, a, b)


def _check_addr(input, a, b):
    _check_vectors(a, b)
    check_expands(input, (a._data.size, b._data.size))


def _check_addr_(input, a, b):
    _check_vectors(a, b)
    if input._data.ndim != 2:
        raise RuntimeError(f"2D tensor expected, got {input._data.ndim}D tensor for input")
    shapes = [list(x._data.shape) for x in (input, a, b)]
    if shapes[0] != shapes[1] + shapes[2]:
        raise RuntimeError("size mismatch, input: {}, v1: {}, v2: {}".format(*shapes))


def _check_vectors(a, b):
    for name, x in (("vec1", a), ("vec2", b)):
        if x._data.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {x._data.ndim}-D")


def _factor(name, value, tensors):
    """beta or alpha of addr(), converted for the dtype of its result."""
    kinds = {t._data.dtype.kind for t in tensors}
    if isinstance(value, bool) and kinds != {"b"}:
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if isinstance(value, float) and not kinds & {"f", "c", "V"}:
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating "
                           "point number.")
    return bool(value) if kinds == {"b"} else value


def _held(input, beta, alpha):
    """beta and alpha as arithmetic with the input holds them."""
    if beta == alpha == 1 or any(isinstance(x, (bool, Tensor)) for x in (beta, alpha)):
        return beta, alpha
    return factor(beta, input, "beta"), factor(alpha, input, "alpha")


def _promote_addr(input, a, b, beta, alpha):
    tensors = (input, a, b)
    beta, alpha = number_of(beta, "beta"), number_of(alpha, "alpha")
    beta, alpha = _factor("beta", beta, tensors), _factor("alpha", alpha, tensors)
    common = result_dtype(tensors)
    return (*[t.to(common) for t in tensors], beta, alpha)


# --------------------------------------------------------------------------- public functions

@public
@factors_first
def addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (mat1 @ mat2): (n, m) or what expands to it, (n, k), (k, m) -> (n, m).

    With beta = 0, input is not read. Raises RuntimeError for sizes or dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.addmm(torch.ones(2), torch.eye(2), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[2., 3.],
            [4., 5.]])
    """
    check_addmm(input, mat1, mat2)
    res = T.addmm(input, mat1, mat2, *_held(input, beta, alpha))
    return res if out is None else fill_checked("addmm", out, res, input, mat1, mat2)


@method
@factors_first
def addmm_(self, mat1, mat2, *, beta=1, alpha=1):
    """`addmm` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `addmm` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.ones(2, 2).addmm_(torch.eye(2), torch.tensor([[1., 2.], [3., 4.]]), beta=10)
    tensor([[11., 12.],
            [13., 14.]])
    """
    check_addmm(self, mat1, mat2, check_same_shape)
    return T.addmm_(self, mat1, mat2, *_held(self, beta, alpha))


@public
@factors_first
def addmv(input, mat, vec, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (mat @ vec): (n) or what expands to it, (n, k), (k) -> (n).

    Raises RuntimeError for sizes or dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.addmv(torch.ones(2), torch.eye(2), torch.tensor([3., 4.]), alpha=10)
    tensor([31., 41.])
    """
    check_mv(input._data.shape, mat, vec, input)
    res = T.addmv(input, mat, vec, *_held(input, beta, alpha))
    return res if out is None else fill_checked("addmv", out, res, input, mat, vec)


@method
@factors_first
def addmv_(self, mat, vec, *, beta=1, alpha=1):
    """`addmv` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `addmv` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.ones(2).addmv_(torch.tensor([[1., 2.], [3., 4.]]), torch.ones(2), alpha=10)
    tensor([31., 71.])
    """
    check_mv(self._data.shape, mat, vec, self)
    return T.addmv_(self, mat, vec, *_held(self, beta, alpha))


@public
@factors_first
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (batch1 @ batch2), matrix by matrix.

    (b, n, m) or what expands to it, (b, n, k), (b, k, m) -> (b, n, m). With beta = 0, input is not
    read. Raises RuntimeError for sizes or dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.baddbmm(torch.ones(1, 1, 2), torch.ones(1, 1, 3), torch.ones(1, 3, 2))
    tensor([[[4., 4.]]])
    """
    _check_baddbmm(input, batch1, batch2)
    res = T.baddbmm(input, batch1, batch2, *_held(input, beta, alpha))
    return res if out is None else fill_checked("baddbmm", out, res, input, batch1, batch2)


@method
@factors_first
def baddbmm_(self, batch1, batch2, *, beta=1, alpha=1):
    """`baddbmm` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `baddbmm` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.ones(1, 1, 2).baddbmm_(torch.ones(1, 1, 3), torch.ones(1, 3, 2))
    tensor([[[4., 4.]]])
    """
    _check_baddbmm(self, batch1, batch2, check_same_shape)
    return T.baddbmm_(self, batch1, batch2, *_held(self, beta, alpha))


@public
@factors_first
def addbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * the sum over i of batch1[i] @ batch2[i].

    (n, m) or what expands to it, (b, n, k), (b, k, m) -> (n, m). Raises RuntimeError for sizes or
    dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.addbmm(torch.ones(1, 2), torch.ones(4, 1, 3), torch.ones(4, 3, 2))
    tensor([[13., 13.]])
    """
    _check_addbmm(input, batch1, batch2)
    res = T.addbmm(input, batch1, batch2, *_held(input, beta, alpha))
    return res if out is None else fill_checked("addbmm", out, res, input, batch1, batch2)


@method
@factors_first
def addbmm_(self, batch1, batch2, *, beta=1, alpha=1):
    """`addbmm` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `addbmm` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.ones(1, 2).addbmm_(torch.ones(5, 1, 3), torch.ones(5, 3, 2))
    tensor([[16., 16.]])
    """
    _check_addbmm(self, batch1, batch2)
    return T.addbmm_(self, batch1, batch2, *_held(self, beta, alpha))


@public
@factors_first
def addr(input, vec1, vec2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (vec1 outer vec2): (n, m) or what expands to it, (n), (m) -> (n, m).

    Dtypes promote. Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.addr(torch.zeros(1), torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    _check_addr(input, vec1, vec2)
    res = T.addr(*_promote_addr(input, vec1, vec2, beta, alpha))
    return res if out is None else fill_checked("addr", out, res, input, vec1, vec2)


@method
@factors_first
def addr_(self, vec1, vec2, *, beta=1, alpha=1):
    """`addr` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `addr` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).addr_(torch.tensor([1., 2.]), torch.tensor([1., 10., 100.]))
    tensor([[  1.,  10., 100.],
            [  2.,  20., 200.]])
    """
    _check_addr_(self, vec1, vec2)
    common, vec1, vec2, beta, alpha = _promote_addr(self, vec1, vec2, beta, alpha)
    check_cast(common._data.dtype, self._data.dtype)
    return T.addr_(self, vec1, vec2, beta, alpha)


def linear(input, weight, bias=None, *, out=None):
    """input @ weight^T + bias: (*, in), (out, in), (out) -> (*, out).

    Raises RuntimeError for sizes or dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.linear(torch.ones(1, 2), torch.ones(3, 2), torch.zeros(3))
    tensor([[2., 2., 2.]])
    """
    if out is not None:
        return fill_checked("linear", out, linear(input, weight, bias), input, weight, bias)
    try:
        a, w, c = input._data, weight._data, None if bias is None else bias._data
    except AttributeError:
        need_tensors("linear", input, weight=weight, **({} if bias is None else {"bias": bias}))
        raise
    if bias is not None:
        flags = input._flags | weight._flags | bias._flags
        # Nearly every call comes through one of these two short ways; neither checks anything more.
        if (flags <= 1 or not unusual(flags)) and not features.recording and fit_layer(a, w, c):
            if a.ndim == 2:
                return linear_of_matrix(input, weight, bias, flags)
            if not (flags and state.grad):       # not recorded: nobody sees the steps
                made = K.addmm(c, a.reshape(-1, a.shape[-1]), w.T, 1, 1)
                return wrap(made.reshape(*a.shape[:-1], len(w)))
        if a.ndim == 2 == w.ndim:
            return added_product(bias, input, T.t(weight))
    if not a.ndim or not w.ndim:
        raise RuntimeError("both arguments to linear need to be at least 1D, but they are "
                           f"{a.ndim}D and {w.ndim}D")
    if w.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {w.ndim}D")
    # The general way: the operators, and so the nodes, that PyTorch takes for these dimensions.
    transposed = T.t(weight)
    if bias is None:
        return product(input, transposed)
    if a.ndim == 2 or a.flags.c_contiguous and c.size == max(c.shape, default=0):
        rows = T.reshape(input, (volume(a.shape[:-1]), a.shape[-1]))
        return T.view(added_product(bias, rows, transposed), (*a.shape[:-1], *w.shape[:-1]))
    res = product(input, transposed)
    total = T.add(res, bias)
    same_shape(total._data, res._data)           # PyTorch adds in place: the bias cannot expand it
    return total


def fit_layer(a, w, c):
    """Whether these are the arrays of an ordinary linear layer: (*, in), (out, in), (out), of one
    dtype, float32 or float64, and not empty."""
    dtype, shape, units = a.dtype, a.shape, c.shape
    return ((dtype is F32 or dtype is F64) and dtype is w.dtype is c.dtype and len(units) == 1
            and shape and w.shape == (*units, shape[-1]) and 0 not in shape)


def linear_of_matrix(input, weight, bias, flags):
    """linear() of plain tensors: what addmm(bias, input, t(weight)) computes and records, by hand.

    It spares two calls of operators, and the Tensor that t() would return: that is made only if the
    node of addmm saves it, for the input's gradient.
    """
    a, w, c = input._data, weight._data, bias._data
    transposed = w.T
    res = wrap(K.addmm(c, a, transposed, 1, 1))
    if not flags or features.paused and not state.grad:
        return res
    addmm_node, t_node = node_classes()
    node, of_weight = addmm_node(), None
    if weight._flags:
        of_weight = t_node()
        of_weight.edges = (weight._grad_fn or history(weight),)
        if weight._output_nr:
            of_weight._numbers = (weight._output_nr,)
        of_weight._seq = next_seq()
    node.edges = (bias._grad_fn or history(bias), input._grad_fn or history(input), of_weight)
    if bias._output_nr or input._output_nr:
        node._numbers = (bias._output_nr, input._output_nr, 0)
    node._seq = next_seq()
    node._saved = (input if weight._flags else None, input._cell[0],
                   view_of(weight, transposed, of_weight) if input._flags else None,
                   weight._cell[0])
    node._saved_beta = node._saved_alpha = 1
    node._self_shape = c.shape
    node._mat1_strides, node._mat2_strides = a.strides, transposed.strides
    res._flags, res._grad_fn = 1, node
    return res


@cache
def node_classes():
    """AddmmBackward0 and TBackward0, which are made when first asked for."""
    return REGISTRY["addmm"].node, REGISTRY["t"].node


def added_product(bias, rows, transposed):
    """addmm(bias, rows, transposed), whose arguments are checked only where they look wrong."""
    a, b, c = rows._data, transposed._data, bias._data
    if (b.ndim != 2 or a.shape[1] != b.shape[0] or c.shape != b.shape[1:] or a.dtype is not b.dtype
            or c.dtype is not b.dtype):
        check_addmm(bias, rows, transposed)
    return T.addmm(bias, rows, transposed, 1, 1)
