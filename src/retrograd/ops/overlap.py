"""Whether arrays share memory, and PyTorch's errors for writes to memory that is being read."""

from __future__ import annotations

from .._memory import address

PARTIAL = ("unsupported operation: some elements of the input tensor and the written-to tensor "
           "refer to a single memory location. Please clone() the tensor before performing the "
           "operation.")


def same_memory(a, b):
    """Whether two arrays are parts of one block of memory; they may still be apart."""
    return (a if a.base is None else a.base) is (b if b.base is None else b.base)


def same_place(a, b):
    """Whether two arrays show the same memory in the same way."""
    return (a.shape == b.shape and same_memory(a, b) and a.dtype == b.dtype
            and a.strides == b.strides and address(a) == address(b))


def check_partial_overlap(target, other):
    """Raise if writing `target` would change part of `other` while it is read.

    As in PyTorch, this is checked only if both are dense; other layouts are not examined.
    """
    same = (target.nbytes == other.nbytes and target.strides == other.strides
            and address(target) == address(other))
    if not same and share_elements(target, other):
        raise RuntimeError(PARTIAL)


def is_dense(array) -> bool:
    """Whether its elements, in some order of dimensions, fill one block of memory."""
    block = array.itemsize
    for stride, n in sorted(zip(array.strides, array.shape, strict=True)):
        if n != 1:
            if stride != block:
                return False
            block *= n
    return True


def share_elements(a, b) -> bool:
    """Whether some byte belongs to both arrays, if both are dense."""
    # a dense array fills as many bytes as it has, from its address on: most are apart by that alone
    if not -b.nbytes < address(b) - address(a) < a.nbytes:
        return False
    return bool(a.nbytes and b.nbytes) and is_dense(a) and is_dense(b)
