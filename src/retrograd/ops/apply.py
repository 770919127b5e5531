"""A Python function applied to each element, in place: apply_, map_, map2_. Slow by nature."""

from __future__ import annotations

from .._from_data import array_of
from .._tensor import Tensor
from . import support
from .arguments import must_be
from .public import method
from .shape import expand


def _write(name, self, others, callable):
    """Put callable(element, others' elements) in place of each element."""
    if (self._flags | max((t._flags for t in others), default=0)) & 1:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use "
                           f"var.detach().{name}() instead.")
    if self._flags > 1:
        support.refuse_write(self)
    columns = [expand(t, self._data.shape)._data.reshape(-1).tolist() for t in others]
    values = [callable(*row) for row in zip(self._data.reshape(-1).tolist(), *columns,
                                            strict=True)]
    for value in values:
        if isinstance(value, str):
            raise TypeError("must be real number, not str")
    if self.dtype.rank < 2:
        values = [int(v) for v in values]
    self._data[...] = array_of(values, self.dtype).reshape(self._data.shape)
    return self


@method
def apply_(self, callable):
    """Replace each element x by callable(x). Raises RuntimeError if the tensor requires grad.

    >>> import retrograd as torch
    >>> torch.tensor([1., 2.]).apply_(lambda value: value * 10)
    tensor([10., 20.])
    """
    return _write("apply_", self, (), callable)


@method
def map_(self, tensor, callable):
    """Replace each element x by callable(x, y), y the element of `tensor` there (it broadcasts).

    >>> import retrograd as torch
    >>> torch.tensor([1., 2.]).map_(torch.tensor([3., 4.]), lambda a, b: a + b)
    tensor([4., 6.])
    """
    _check_others("map_", self, tensor)
    return _write("map_", self, (tensor,), callable)


@method
def map2_(self, x, y, callable):
    """Replace each element by callable(element, that of x, that of y).

    >>> import retrograd as torch
    >>> a, b = torch.tensor([3., 4.]), torch.tensor([5., 6.])
    >>> torch.tensor([1., 2.]).map2_(a, b, lambda z, x, y: z + x * y)
    tensor([16., 26.])
    """
    _check_others("map2_", self, x, y)
    return _write("map2_", self, (x, y), callable)


def _check_others(name, self, *others):
    for k, t in enumerate(others, 1):
        if not isinstance(t, Tensor):
            raise must_be("Tensor", name, "other", k, t)
        if t.dtype is not self.dtype:
            raise TypeError(f"{name}: expected torch.{self.dtype.tensor_name}Tensor for 'other' "
                            f"(got torch.{t.dtype.tensor_name}Tensor)")
