"""Matrix products. ndarray.dot takes half the time of @ on small matrices.

NOTE [upper halves]
    OpenBLAS's kernels for complex numbers end without clearing the upper halves of the vector
    registers (`vzeroupper`). On some processors code compiled for SSE, such as SciPy's Fourier
    transforms and many of NumPy's loops, then takes 1.8 times as long, until something clears them.
    A sum of NumPy's that uses long vectors does, so one of a few zeros follows each such product.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from . import fast
from .checks import complex_beside
from .half import is_half, narrowed, refuse, widened
from .layout import arranged

FEW = 64                    # rows of the first matrix: NOTE [few rows] in fast/matmul.py
# In stacks of MANY matrices or more, of at most SMALL rows and columns, a transposed second factor
# is copied first: without that OpenBLAS takes three times as long
SMALL, MANY = 8, 16
# Stacks of at least so many elements, matrices of at most so many, go to the compiled twin
TINY = fast.limit("tiny_products"), 16
ZEROS = np.zeros(32, np.float32)            # enough for a loop over long vectors
LINE = 8                    # a column times a row of fewer elements is quicker as one product

_mul_by_size = fast.by_result(np.multiply, fast.large("mul", np.multiply)) \
    if fast.has("mul") else np.multiply


def mm(a, b):
    """(n, k) (k, m) -> (n, m)."""
    if a.size * b.shape[1] >= fast.PRODUCT:
        if a.shape[1] == 1 and a.dtype.char in "fd":
            return _mul_by_size(a, b)               # a column times a row: no sums, one pass
        res = shared(a, b)
        if res is not None:
            return res
    return a.dot(b) if a.dtype.char in "fd" else _of_other_dtypes("addmm_impl_cpu_", np.dot, a, b)


def left_gradient(g, right, strides):
    """G R^H, stored column by column where L, of these strides, is: see ops/matmul.py."""
    if right.dtype.kind == "c":
        right = right.conj()
    return mm(right, g.T).T if strides[0] < strides[1] else mm(g, right.T)


def right_gradient(g, left, strides):
    """L^H G, stored as R, of these strides, is."""
    if left.dtype.kind == "c":
        left = left.conj()
    return mm(g.T, left).T if strides[0] < strides[1] else mm(left.T, g)


def left_gradients(g, right, strides):
    """left_gradient() of a batch of matrices."""
    right = right.swapaxes(-1, -2).conj() if right.dtype.kind == "c" else right.swapaxes(-1, -2)
    if strides[-2] < strides[-1]:
        return bmm(right.swapaxes(-1, -2), g.swapaxes(-1, -2)).swapaxes(-1, -2)
    return bmm(g, right)


def right_gradients(g, left, strides):
    """right_gradient() of a batch of matrices."""
    left = left.swapaxes(-1, -2).conj() if left.dtype.kind == "c" else left.swapaxes(-1, -2)
    if strides[-2] < strides[-1]:
        return bmm(g.swapaxes(-1, -2), left.swapaxes(-1, -2)).swapaxes(-1, -2)
    return bmm(left, g)


def shared(a, b, *bias):
    """The compiled twin's product, where threads can share it, OpenBLAS is slow, or a bias would
    need a pass of its own; else None: see fast/matmul.py."""
    transposed = b.strides[-2] == b.itemsize and (a.ndim > 2 or len(a) <= FEW)
    worth = transposed or bias or fast.threads > 1 or a.size * b.shape[-1] >= fast.TILES >> 1
    return fast.twin("product")(a, b, *bias) if worth and fast.has("product") else None


def mv(a, b):
    """(n, k) (k) -> (n)."""
    return a.dot(b) if a.dtype.char in "fd" else _of_other_dtypes("addmv_impl_cpu", np.dot, a, b)


def dot(a, b):
    """(n) (n) -> ()."""
    return a.dot(b) if a.dtype.char in "fd" else _of_other_dtypes("dot", np.dot, a, b)


def _of_other_dtypes(label, product, a, b):
    """The product; of half precision by way of float32, and of bools none."""
    if a.dtype.kind == "b":
        refuse(label, a.dtype)
    many = b.ndim > 1 and a.size * b.shape[-1] >= fast.PRODUCT
    if many and is_half(a.dtype):
        product = mm if b.ndim == 2 else bmm                                # threads share it
    elif many and a.dtype.kind in "iu" and largest(a) * largest(b) * a.shape[-1] < 2**53:
        wide = (mm if b.ndim == 2 else bmm)(a.astype(np.float64), b.astype(np.float64))
        return wide.astype(np.int64).astype(a.dtype, copy=False)        # exact: no sum was rounded
    if is_half(a.dtype):
        res = _of_pairs(a, b) if many else None
        return narrowed(product(widened(a), widened(b)) if res is None else res, a.dtype)
    res = product(a, b)
    if a.dtype.kind == "c":
        np.add(ZEROS, ZEROS, ZEROS)                                         # NOTE [upper halves]
    return res


def _of_pairs(a, b, *bias):
    """The compiled twin's product of bfloat16 in float32: see NOTE [pairs]; None for others."""
    ready = a.dtype.char == "E" and fast.has("bfloat16_product")
    return fast.twin("bfloat16_product")(a, b, *bias) if ready else None


def largest(a):
    """The largest absolute value of whole numbers."""
    return max(-int(a.min()), int(a.max())) if a.size else 0


def vdot(a, b):
    return dot(a.conj() if a.dtype.kind == "c" else a, b)


def bmm(a, b):
    """(b, n, k) (b, k, m) -> (b, n, m)."""
    res = _tiny(a, b)
    if res is not None:
        return res
    if len(b) >= MANY and b.strides[1] < b.strides[2] and max(b.shape[1:]) <= SMALL:
        b = np.ascontiguousarray(b)
    if a.size * b.shape[2] >= fast.PRODUCT and a.shape[2] > 1:
        if b.strides[0] == 0 and a.dtype.char in "fd":           # the same b for all: one product
            if a.strides[0] == 0:
                return np.repeat(mm(a[0], b[0])[None], len(a), 0)
            # the rows of all matrices follow one another
            if a.strides[0] == a.shape[1] * a.strides[1]:
                return mm(a.reshape(-1, a.shape[2]), b[0]).reshape(*a.shape[:2], b.shape[2])
        a, b = _solid(a), _solid(b)
        res = shared(a, b)
        if res is not None:
            return res
    return batches(a, b) if a.dtype.char in "fd" else _of_other_dtypes("bmm", np.matmul, a, b)


mapped_mm = bmm


def _tiny(a, b):
    """The compiled twin's products of many tiny matrices; None for others."""
    many = a.size >= TINY[0] and a.ndim == 3 and a.size <= TINY[1] * len(a)
    return fast.twin("tiny_products")(a, b) if many and fast.has("tiny_products") else None


def _solid(a):
    """The matrices, copied if they repeat one number (as gradients of sums do): for those NumPy
    would use slow loops."""
    return a.copy() if 0 in a.strides[1:] else a


def batches(a, b):
    """(..., n, k) (..., k, m) -> (..., n, m) of floats, a few at a time."""
    res = _tiny(a, b)
    if res is not None:
        return res
    if a.shape[-1] == 1 and b.shape[-1] >= LINE:                   # nothing to sum
        return _mul_by_size(a, b)
    return np.matmul(a, b)


def scaled_sum(bias, product, beta, alpha):
    """beta * bias + alpha * product, in the memory of `product`; beta 0 ignores the bias."""
    dtype = product.dtype
    if alpha != 1:
        product = (product * _as(dtype, alpha)).astype(dtype, copy=False)
    if beta == 0:
        return product
    if beta != 1:
        bias = bias * _as(dtype, beta)
    product += bias
    return product


def _as(dtype, number):
    """The number in this dtype; for integers it is truncated, as in C."""
    if number.__class__ is complex:
        complex_beside(dtype)
    if dtype.kind == "b":
        return bool(number)
    return int(number) if dtype.kind in "iu" else number


def addmm(bias, a, b, beta, alpha):
    """beta * bias + alpha * (a @ b)."""
    if beta == 1 and alpha == 1 and a.dtype.char in "fd":
        if a.size * b.shape[1] >= fast.PRODUCT:
            res = shared(a, b, bias)
            if res is not None:
                return res
        res = a.dot(b)
        res += bias
        return res
    if is_half(a.dtype):
        plain = beta == 1 and alpha == 1 and bias.shape == b.shape[1:]
        if plain and a.size * b.shape[1] >= fast.PRODUCT:
            res = _of_pairs(a, b, widened(bias))
            if res is not None:
                return narrowed(res, a.dtype)
        return rounded_once(addmm, bias, a, b, beta, alpha)
    return scaled_sum(bias, mm(a, b), beta, alpha)


def addmv(bias, a, b, beta, alpha):
    """beta * bias + alpha * (a @ b) for a vector b."""
    return rounded_once(addmv, bias, a, b, beta, alpha) if is_half(a.dtype) else \
        scaled_sum(bias, mv(a, b), beta, alpha)


def baddbmm(bias, a, b, beta, alpha):
    return rounded_once(baddbmm, bias, a, b, beta, alpha) if is_half(a.dtype) else \
        scaled_sum(bias, bmm(a, b), beta, alpha)


def rounded_once(function, bias, a, b, beta, alpha):
    """A product and its bias in float32, as PyTorch adds them."""
    return narrowed(function(widened(bias), widened(a), widened(b), beta, alpha), a.dtype)


def grouped_mm_of(a, b, ends):
    """A product for each group: of a 3-d operand one matrix, of a 2-d one the part up to ends[i].

    Two 3-d operands give (b, n, m), two 2-d ones, cut along the inner dimension, the same; else
    the parts of the result lie side by side as those of the 2-d operand do.
    """
    if ends is None:
        return bmm(a, b)
    parts = [slice(*pair) for pair in pairwise((0, *ends))]
    if a.ndim == b.ndim:
        return np.stack([mm(a[:, p], b[p]) for p in parts])
    rows = a.ndim == 2
    res = np.zeros((a.shape[-2], b.shape[-1]), a.dtype)
    for k, p in enumerate(parts):
        if rows:
            res[p] = mm(a[p], b[k])
        else:
            res[:, p] = mm(a[k], b[:, p])
    return res


def addbmm(bias, a, b, beta, alpha):
    """beta * bias + alpha * sum_i a[i] @ b[i], as one product of (n, b k) and (b k, m)."""
    if is_half(a.dtype) and len(a):                     # PyTorch rounds after each product
        for x, y in zip(a, b, strict=True):
            bias, beta = addmm(bias, x, y, beta, alpha), 1
        return bias
    n, rows, k = a.shape
    flat = a.transpose(1, 0, 2).reshape(rows, n * k)
    return scaled_sum(bias, mm(flat, b.reshape(n * k, b.shape[2])), beta, alpha)


def addr(bias, a, b, beta, alpha):
    res = scaled_sum(bias, np.multiply.outer(a, b).astype(bias.dtype, copy=False), beta, alpha)
    return arranged(res, bias)
