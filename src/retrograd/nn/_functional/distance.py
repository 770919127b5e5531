"""Distances and similarities between vectors, and normalizing them."""
from __future__ import annotations

import retrograd as torch
from retrograd import kernels
from retrograd._tensor import wrap
from retrograd.kernels import fast
from retrograd.nn._functional._operators import ops
from retrograd.ops.dims import wrap_dim
from retrograd.ops.public import numpy_names
from retrograd.ops.support import as_array, unobserved


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of x1 - x2 + eps along the last dimension: (*, D), (*, D) -> (*).

    Shapes broadcast. With `keepdim` the result is (*, 1). `eps` keeps the gradient finite where the
    two are equal. Raises RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.functional.pairwise_distance(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]))
    tensor([5.0000])
    """
    last = max(x1.dim(), x2.dim()) - 1
    return ops.norm_dim(x1 - x2 + eps, p, last, keepdim)


@numpy_names
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`: (*, n, *), (*, n, *) -> (*, *).

    Shapes broadcast. Raises RuntimeError where they do not, IndexError for a dim out of range.

    >>> import retrograd as torch
    >>> torch.nn.functional.cosine_similarity(torch.tensor([1., 0.]), torch.tensor([1., 1.]), dim=0)
    tensor(0.7071)
    """
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    common = torch.promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError("expected common dtype to be floating point, yet common dtype is "
                           f"{common.tensor_name}")
    if x1.dtype is not x2.dtype:
        x1, x2 = x1.to(common), x2.to(common)
    if x1.shape != x2.shape:
        x1, x2 = torch.broadcast_tensors(x1, x2)
    if _at_once(x1._data, x1._flags | x2._flags, dim):
        d = wrap_dim(dim, x1._data.ndim)
        return wrap(as_array(kernels.cosine_similarity(x1._data, x2._data, d, eps)))
    norm1 = torch.linalg.vector_norm(x1, 2, dim, keepdim=True).clone()
    norm2 = torch.linalg.vector_norm(x2, 2, dim, keepdim=True).clone()
    with torch.no_grad():
        norm1.clamp_min_(eps)
        norm2.clamp_min_(eps)
    return ((x1 / norm1) * (x2 / norm2)).sum(dim)


def _at_once(array, flags, dim):
    """Whether one kernel may compute what several operators do: nobody records or observes them,
    and their compiled twins would not be asked."""
    return (array.size < fast.LARGE and dim.__class__ is int and unobserved(flags)
            and array.dtype.char in "fd")


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """x / max(|x|_p, eps) along `dim`, of the shape of x. IndexError for a dim out of range.

    >>> import retrograd as torch
    >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    if out is None and p == 2 and eps.__class__ is float and isinstance(input, torch.Tensor) and (
            _at_once(input._data, input._flags, dim)):
        dim = wrap_dim(dim, input._data.ndim)
        return wrap(as_array(kernels.normalize(input._data, dim, eps)))
    norm = input.norm(p, dim, keepdim=True)
    if out is None:
        return input / norm.clamp_min(eps).expand_as(input)
    return torch.div(input, norm.clamp_min_(eps).expand_as(input), out=out)
