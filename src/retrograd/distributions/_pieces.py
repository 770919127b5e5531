"""A transform for each piece of a tensor along one dimension."""

from __future__ import annotations

from itertools import accumulate

import retrograd as torch

from . import constraints
from ._transform import Transform
from .utils import _sum_rightmost, lazy_property

__all__ = ["CatTransform", "StackTransform"]


class _Pieces(Transform):
    def __init__(self, tseq, dim, cache_size):
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    def _check(self, tensor, name, need, meaning):
        """AssertionError unless `tensor` has size `need` along dim."""
        if not -tensor.dim() <= self.dim < tensor.dim():
            shown = "tensor" if name is None else name
            raise AssertionError(f"dim {self.dim} out of range for {shown} with {tensor.dim()} "
                                 "dimensions")
        size = tensor.size(self.dim)
        if size != need:
            raise AssertionError(f"{name or 'x'}.size({self.dim}) = {size} must equal {meaning}")

    @property
    def bijective(self):
        return all(t.bijective for t in self.transforms)


class CatTransform(_Pieces):
    """`tseq[i]` for the next `lengths[i]` indices along `dim`, as torch.cat joins.

    Without lengths each transform takes one index. The Jacobian is that of the pieces, side by
    side. AssertionError unless the lengths add up to the size along `dim`.

    >>> import retrograd as torch
    >>> from retrograd.distributions.transforms import CatTransform, ExpTransform
    >>> exp_and_sigmoid = [ExpTransform(), torch.distributions.SigmoidTransform()]
    >>> CatTransform(exp_and_sigmoid, lengths=[1, 2])(torch.zeros(3))
    tensor([1.0000, 0.5000, 0.5000])
    """

    _args = ("transforms", "dim", "lengths")

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms "
                                 f"({len(self.transforms)})")

    @lazy_property
    def event_dim(self):
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self):
        return sum(self.lengths)

    def _pieces(self, tensor, name=None):
        self._check(tensor, name, self.length, f"length {self.length}")
        starts = accumulate([0, *self.lengths[:-1]])
        return [tensor.narrow(self.dim, start, length)
                for start, length in zip(starts, self.lengths, strict=True)]

    def _call(self, x):
        return torch.cat([t(piece) for t, piece
                          in zip(self.transforms, self._pieces(x), strict=True)], dim=self.dim)

    def _inverse(self, y):
        return torch.cat([t.inv(piece) for t, piece
                          in zip(self.transforms, self._pieces(y), strict=True)], dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        parts = zip(self.transforms, self._pieces(x, "x"), self._pieces(y, "y"), strict=True)
        log_dets = [_sum_rightmost(t.log_abs_det_jacobian(a, b), self.event_dim - t.event_dim)
                    for t, a, b in parts]
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim       # counted from the right, without the event's dimensions
        return torch.cat(log_dets, dim=dim) if dim < 0 else sum(log_dets)

    @constraints.dependent_property
    def domain(self):
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Pieces):
    """`tseq[i]` for index i along `dim`, as torch.stack joins.

    AssertionError unless there are as many transforms as indices.

    >>> import retrograd as torch
    >>> from retrograd.distributions import AffineTransform, ExpTransform, StackTransform
    >>> StackTransform([ExpTransform(), AffineTransform(0., 3.)])(torch.tensor([0., 2.]))
    tensor([1., 6.])
    """

    _args = ("transforms", "dim")

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(tseq, dim, cache_size)

    def _pieces(self, tensor, name=None):
        n = len(self.transforms)
        self._check(tensor, name, n, f"len(transforms) {n}")
        return tensor.unbind(self.dim)

    def _call(self, x):
        return torch.stack([t(piece) for t, piece
                            in zip(self.transforms, self._pieces(x), strict=True)], dim=self.dim)

    def _inverse(self, y):
        return torch.stack([t.inv(piece) for t, piece
                            in zip(self.transforms, self._pieces(y), strict=True)], dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        parts = zip(self.transforms, self._pieces(x, "x"), self._pieces(y, "y"), strict=True)
        return torch.stack([t.log_abs_det_jacobian(a, b) for t, a, b in parts], dim=self.dim)

    @constraints.dependent_property
    def domain(self):
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
