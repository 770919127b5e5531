"""Flatten and Unflatten."""
from __future__ import annotations

from retrograd.nn._borrowed import borrows
from retrograd.nn.modules.module import Module

__all__ = ["Flatten", "Unflatten"]

__getattr__ = borrows(__name__)


class Flatten(Module):
    """Join the dimensions start_dim to end_dim: (N, a, b, ...) -> (N, a b ...) by default.

    A view where possible. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.nn.Flatten()(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Divide dimension `dim` into the sizes `unflattened_size`: (N, a b) -> (N, a, b).

    One size may be -1: it is computed from the others. Raises RuntimeError where their product is
    not the size of the dimension.

    >>> import retrograd as torch
    >>> torch.nn.Unflatten(1, (3, 4))(torch.ones(2, 12)).shape
    torch.Size([2, 3, 4])
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim, unflattened_size):
        super().__init__()
        self._require_ints(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_ints(self, sizes):
        if not isinstance(sizes, (tuple, list)):
            raise TypeError("unflattened_size must be a tuple of ints, but found type "
                            f"{type(sizes).__name__}")
        for i, entry in enumerate(sizes):
            if not isinstance(entry, int):
                raise TypeError("unflattened_size must be tuple of ints, but found element of "
                                f"type {type(entry).__name__} at pos {i}")

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
