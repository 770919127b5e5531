"""Transform, the base class; inverses, chains of transforms, more event dimensions, new shapes."""

from __future__ import annotations

import weakref
from typing import Any

import retrograd as torch

from . import constraints
from .utils import Undeclared, _sum_rightmost, lazy_property

__all__ = ["ComposeTransform", "IndependentTransform", "ReshapeTransform", "Transform",
           "identity_transform"]


class Transform:
    """A differentiable function of values, `y = t(x)`, with its inverse and Jacobian.

    domain, codomain    constraints that x and y satisfy
    bijective           `t.inv(t(x)) == x` and `t(t.inv(y)) == y`
    sign                of the derivative, where it is the same everywhere
    cache_size          1: `t.inv(y)` of the y that t just returned gives its x, exactly

    A subclass writes `_call`, `_inverse` and `log_abs_det_jacobian`. Those of this package
    list their `__init__`'s arguments in `_args`.

    >>> import retrograd as torch
    >>> from retrograd.distributions import transforms
    >>> double = transforms.AffineTransform(0., 2.)
    >>> x = torch.tensor(3.)
    >>> double(x), double.inv(double(x)), double.log_abs_det_jacobian(x, double(x))
    (tensor(6.), tensor(3.), tensor(0.6931))
    """

    bijective: Any = False
    domain: Any
    codomain: Any
    sign: Any = Undeclared("1 or -1: whether the transform increases or decreases.")
    _args: tuple[str, ...]

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Any = None       # weakly, so that what the cache holds is not kept in a cycle
        if cache_size:
            self._cached_x_y = None, None
        super().__init__()

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> Any:
        """How many of the last dimensions are one value, before and after."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse, y to x."""
        inv = self._inv and self._inv()
        if inv is None:
            inv = _InverseTransform(self)
            self._inv = weakref.ref(inv)
        return inv

    def with_cache(self, cache_size=1):
        """The same transform with a cache."""
        if self._cache_size == cache_size:
            return self
        owner = next((c for c in type(self).__mro__ if "_args" in vars(c)), None)
        if owner is not None:
            return owner(*(getattr(self, arg) for arg in owner._args), cache_size=cache_size)
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return not self == other

    def __call__(self, x):
        if not self._cache_size:
            return self._call(x)
        last_x, y = self._cached_x_y
        if x is not last_x:
            y = self._call(x)
            self._cached_x_y = x, y
        return y

    def _inv_call(self, y):
        if not self._cache_size:
            return self._inverse(y)
        x, last_y = self._cached_x_y
        if y is not last_y:
            x = self._inverse(y)
            self._cached_x_y = x, y
        return x

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """`log |det dy/dx|`, for x and `y = t(x)`; without the event's dimensions."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__}()"

    def forward_shape(self, shape):
        """The shape of y for an x of this shape."""
        return shape

    def inverse_shape(self, shape):
        """The shape of x for a y of this shape."""
        return shape


class Plain(Transform):
    """A transform without parameters, equal to any other of its kind."""

    def __eq__(self, other):
        kind = next(c for c in type(self).__mro__ if Plain in c.__bases__)
        return isinstance(other, kind)


class _InverseTransform(Transform):
    """What `.inv` returns; `_inv` is the transform it inverts, held strongly."""

    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self):
        return self.__dict__.copy()

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._inv.domain

    @property
    def bijective(self):
        return self._inv.bijective

    @property
    def sign(self):
        return self._inv.sign

    @property
    def inv(self):
        return self._inv

    def with_cache(self, cache_size=1):
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """The parts one after the other, the first one first.

    `log |det dy/dx|` is the sum of those of the parts, each summed over the dimensions that make
    one event of the whole. `inv` runs the inverses in the opposite order. No parts: the identity.

    >>> import retrograd as torch
    >>> from retrograd.distributions import AffineTransform, ComposeTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(0., 2.), ExpTransform()])(torch.tensor(0.5))
    tensor(2.7183)
    """

    _args = ("parts",)

    def __init__(self, parts, cache_size=0):
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._end([(p.domain, p.codomain) for p in self.parts])

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._end([(p.codomain, p.domain) for p in reversed(self.parts)])

    @staticmethod
    def _end(pairs):
        """The constraint at the near end of (near, far) pairs, nearest first, for whole events.

        Walked from the far end, the event grows to what each part needs.
        """
        if not pairs:
            return constraints.real
        event_dim = pairs[-1][1].event_dim
        for near, far in reversed(pairs):
            event_dim = max(event_dim + near.event_dim - far.event_dim, near.event_dim)
        near = pairs[0][0]
        extra = event_dim - near.event_dim
        return constraints.independent(near, extra) if extra else near

    @lazy_property
    def bijective(self):
        return all(p.bijective for p in self.parts)

    @lazy_property
    def sign(self):
        sign = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self):
        inv = self._inv and self._inv()
        if inv is None:
            inv = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inv, inv._inv = weakref.ref(inv), weakref.ref(self)
        return inv

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return torch.zeros_like(x)
        event_dim = self.domain.event_dim
        total = 0
        for i, part in enumerate(self.parts):
            after = part(x) if i < len(self.parts) - 1 else y
            log_det = part.log_abs_det_jacobian(x, after)
            total = total + _sum_rightmost(log_det, event_dim - part.domain.event_dim)
            event_dim += part.codomain.event_dim - part.domain.event_dim
            x = after
        return total

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        return f"{type(self).__name__}(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """base_transform, with `reinterpreted_batch_ndims` more dimensions counted as one event.

    Values stay as they are; the logarithm of the Jacobian is summed over these dimensions.
    ValueError for an x with fewer dimensions.

    >>> import retrograd as torch
    >>> from retrograd.distributions import ExpTransform, IndependentTransform
    >>> x = torch.zeros(2, 3)
    >>> IndependentTransform(ExpTransform(), 1).log_abs_det_jacobian(x, x.exp()).shape
    torch.Size([2])
    """

    _args = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self):
        return self.base_transform.bijective

    @property
    def sign(self):
        return self.base_transform.sign

    def _call(self, x):
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y):
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        log_det = self.base_transform.log_abs_det_jacobian(x, y)
        return _sum_rightmost(log_det, self.reinterpreted_batch_ndims)

    def __repr__(self):
        return (f"{type(self).__name__}({self.base_transform!r}, "
                f"{self.reinterpreted_batch_ndims})")

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """The last dimensions, of shape in_shape, reshaped to out_shape.

    ValueError if they have different numbers of elements.

    (*, in_shape) -> (*, out_shape); the logarithm of the Jacobian is 0. RuntimeError for an x of
    another size.

    >>> import retrograd as torch
    >>> torch.distributions.ReshapeTransform((4,), (2, 2))(torch.arange(4))
    tensor([[0, 1],
            [2, 3]])
    """

    bijective = True
    _args = ("in_shape", "out_shape")

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape = torch.Size(in_shape)
        self.out_shape = torch.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self):
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x):
        return x.reshape(x.shape[:x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[:y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])

    def forward_shape(self, shape):
        return self._exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return self._exchanged(shape, self.out_shape, self.in_shape)

    @staticmethod
    def _exchanged(shape, old, new):
        if len(shape) < len(old):
            raise ValueError("Too few dimensions on input")
        cut = len(shape) - len(old)
        if shape[cut:] != old:
            raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
        return shape[:cut] + new
