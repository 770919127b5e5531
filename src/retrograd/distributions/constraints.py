"""Sets of values: what a distribution's parameters and samples must belong to.

`constraint.check(value)` is true where value, or its last `event_dim` dimensions, belongs.

>>> import retrograd as torch
>>> torch.distributions.constraints.positive.check(torch.tensor([-1., 2.]))
tensor([False,  True])
>>> torch.distributions.constraints.interval(0, 2)
Interval(lower_bound=0, upper_bound=2)
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import retrograd as torch

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent",
    "dependent_property", "greater_than", "greater_than_eq", "half_open_interval", "independent",
    "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky",
    "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive",
    "positive_definite", "positive_integer", "positive_semidefinite", "real", "real_vector",
    "simplex", "square", "stack", "symmetric", "unit_interval",
]


class Constraint:
    """A set of values.

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> class Even(constraints.Constraint):
    ...     def check(self, value):
    ...         return value % 2 == 0
    >>> Even().check(torch.tensor([1, 2]))
    tensor([False,  True])
    """

    is_discrete: Any = False
    event_dim: Any = 0      # how many of the last dimensions make one value

    def check(self, value):
        """Where `value` belongs to the set; a bool tensor without the event's dimensions."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__[1:]}()"


class _Dependent(Constraint):
    """Depends on other parameters, so nothing can be checked."""

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self._is_discrete = is_discrete
        self._event_dim = event_dim
        super().__init__()

    @property
    def is_discrete(self):
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self):
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        """A copy with the given facts filled in."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim)

    def check(self, x):
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint) -> bool:
    """Whether `constraint` cannot be checked by itself.

    >>> from retrograd.distributions import constraints
    >>> constraints.is_dependent(constraints.dependent), constraints.is_dependent(constraints.real)
    (True, False)
    """
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property that is a dependent constraint when it is read from the class.

    >>> from retrograd.distributions import constraints
    >>> class Below:
    ...     @constraints.dependent_property(event_dim=0)
    ...     def support(self):
    ...         return constraints.less_than(self.bound)
    >>> constraints.is_dependent(Below.support)
    True
    >>> below = Below()
    >>> below.bound = 3
    >>> below.support
    LessThan(upper_bound=3)
    """

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        super().__init__(fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn):     # pyright: ignore[reportIncompatibleMethodOverride]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """base_constraint for all the values along further dimensions.

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.independent(constraints.positive, 1).check(torch.tensor([[1., 2.], [1., -2.]]))
    tensor([ True, False])
    """

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        if not isinstance(base_constraint, Constraint):
            raise AssertionError("base_constraint must be a Constraint, got "
                                 f"{type(base_constraint).__name__}")
        if not isinstance(reinterpreted_batch_ndims, int):
            raise AssertionError("reinterpreted_batch_ndims must be an int, got "
                                 f"{type(reinterpreted_batch_ndims).__name__}")
        if reinterpreted_batch_ndims < 0:
            raise AssertionError("reinterpreted_batch_ndims must be >= 0, got "
                                 f"{reinterpreted_batch_ndims}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__()

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        if self.reinterpreted_batch_ndims == 1:
            return result.all(-1)
        kept = result.shape[:result.dim() - self.reinterpreted_batch_ndims]
        return result.reshape((*kept, -1)).all(-1)

    def __repr__(self):
        return (f"{type(self).__name__[1:]}({self.base_constraint!r}, "
                f"{self.reinterpreted_batch_ndims})")


class MixtureSameFamilyConstraint(Constraint):
    """A value that belongs to the support of every component of a mixture.

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.MixtureSameFamilyConstraint(constraints.positive).check(torch.tensor([1., -2.]))
    tensor([ True, False])
    """

    def __init__(self, base_constraint):
        if not isinstance(base_constraint, Constraint):
            raise AssertionError("base_constraint must be a Constraint, got "
                                 f"{type(base_constraint).__name__}")
        self.base_constraint = base_constraint
        super().__init__()

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim

    def check(self, value):
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return result.reshape((*result.shape[:value.dim() - self.event_dim], -1)).all(-1)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_constraint!r})"


# ------------------------------------------------------------------------------- single numbers
class _Boolean(Constraint):
    """0 or 1."""

    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _Real(Constraint):
    """Any number, infinities included."""

    def check(self, value):
        return value == value       # not so for nan


class _Bounded(Constraint):
    """Shows its bounds."""

    def __repr__(self):
        bounds = ", ".join(f"{name}={bound}" for name, bound in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _Below(_Bounded):
    def __init__(self, upper_bound):
        self.upper_bound = upper_bound
        super().__init__()


class _Above(_Bounded):
    def __init__(self, lower_bound):
        self.lower_bound = lower_bound
        super().__init__()


class _Between(_Bounded):
    def __init__(self, lower_bound, upper_bound):
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        super().__init__()


def _whole(inside, value):
    """Those inside that are integers; `value` may be a number."""
    if isinstance(value, torch.Tensor) and not value.is_floating_point():
        return inside
    return inside & (value % 1 == 0)


class _IntegerInterval(_Between):
    """lower_bound, ..., upper_bound.

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.integer_interval(0, 2).check(torch.tensor([0., 1.5, 2., 3.]))
    tensor([ True, False,  True, False])
    """

    is_discrete = True

    def check(self, value):
        return _whole((self.lower_bound <= value) & (value <= self.upper_bound), value)


class _IntegerLessThan(_Below):
    """..., upper_bound."""

    is_discrete = True

    def check(self, value):
        return _whole(value <= self.upper_bound, value)


class _IntegerGreaterThan(_Above):
    """lower_bound, ..."""

    is_discrete = True

    def check(self, value):
        return _whole(value >= self.lower_bound, value)


class _GreaterThan(_Above):
    """(lower_bound, inf].

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.greater_than(1).check(torch.tensor([1., 2.]))
    tensor([False,  True])
    """

    def check(self, value):
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    """[lower_bound, inf].

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.greater_than_eq(1).check(torch.tensor([0., 1.]))
    tensor([False,  True])
    """

    def check(self, value):
        return self.lower_bound <= value


class _LessThan(_Below):
    """[-inf, upper_bound).

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.less_than(1).check(torch.tensor([0., 1.]))
    tensor([ True, False])
    """

    def check(self, value):
        return value < self.upper_bound


class _Interval(_Between):
    """[lower_bound, upper_bound].

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.interval(0, 1).check(torch.tensor([0., 1., 2.]))
    tensor([ True,  True, False])
    """

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """[lower_bound, upper_bound).

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.half_open_interval(0, 1).check(torch.tensor([0., 1.]))
    tensor([ True, False])
    """

    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


# ---------------------------------------------------------------------------------------- vectors
class _OneHot(Constraint):
    """One 1 among zeros."""

    is_discrete = True
    event_dim = 1

    def check(self, value):
        return boolean.check(value).all(-1) & value.sum(-1).eq(1)


class _Simplex(Constraint):
    """No number is negative; they add up to 1."""

    event_dim = 1

    def check(self, value):
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """No number is negative; they add up to upper_bound at most.

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.multinomial(3).check(torch.tensor([[1, 2], [2, 2]]))
    tensor([ True, False])
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, x):
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


# --------------------------------------------------------------------------------------- matrices
class _LowerTriangular(Constraint):
    """Zero above the diagonal."""

    event_dim = 2

    def check(self, value):
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    """Zero above the diagonal, positive on it."""

    def check(self, value):
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    """The Cholesky factor of a correlation matrix: every row has length 1."""

    def check(self, value):
        tolerance = 10 * value.shape[-1] * torch.finfo(value.dtype).eps
        length = torch.linalg.norm(value.detach(), dim=-1)
        return super().check(value) & ((length - 1).abs() <= tolerance).all(-1)


class _Square(Constraint):
    """As many rows as columns."""

    event_dim = 2

    def check(self, value):
        *batch, rows, columns = value.shape
        return torch.full(batch, rows == columns, dtype=torch.bool, device=value.device)


class _Symmetric(_Square):
    """Equal to its transpose."""

    def check(self, value):
        square = super().check(value)
        if not square.all():
            return square
        return torch.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric without negative eigenvalues."""

    def check(self, value):
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return torch.linalg.eigvalsh(value).ge(0).all(-1)


class _PositiveDefinite(_Symmetric):
    """Symmetric with positive eigenvalues: there is a Cholesky factor."""

    def check(self, value):
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return torch.linalg.cholesky_ex(value).info.eq(0)


# ----------------------------------------------------------------------------------------- joined
class _Joined(Constraint):
    """Constraints of pieces along dimension `dim`."""

    def __init__(self, cseq, dim):
        if not all(isinstance(c, Constraint) for c in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = list(cseq)
        self.dim = dim
        super().__init__()

    @property
    def is_discrete(self):
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self):
        return max(c.event_dim for c in self.cseq)

    def _check_dim(self, value):
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} "
                                 "dimensions")


class _Cat(_Joined):
    """cseq[i] for the next lengths[i] indices along `dim`, as torch.cat joins.

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> constraints.cat([constraints.positive, constraints.real]).check(torch.tensor([-1., -1.]))
    tensor([False,  True])
    """

    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq "
                                 f"({len(self.cseq)})")

    def check(self, value):
        self._check_dim(value)
        starts = accumulate([0, *self.lengths[:-1]])
        return torch.cat([c.check(value.narrow(self.dim, start, length)) for c, start, length
                          in zip(self.cseq, starts, self.lengths, strict=True)], self.dim)


class _Stack(_Joined):
    """cseq[i] for index i along `dim`, as torch.stack joins.

    >>> import retrograd as torch
    >>> from retrograd.distributions import constraints
    >>> pairs = constraints.stack([constraints.positive, constraints.real])
    >>> pairs.check(torch.tensor([[-1., 1.], [-1., 1.]]))
    tensor([[False,  True],
            [ True,  True]])
    """

    def __init__(self, cseq, dim=0):
        super().__init__(cseq, dim)

    @property
    def event_dim(self):
        within = super().event_dim
        return within + 1 if self.dim + within < 0 else within

    def check(self, value):
        self._check_dim(value)
        pieces = value.unbind(self.dim)
        return torch.stack([c.check(p) for p, c in zip(pieces, self.cseq, strict=False)], self.dim)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
