"""Distribution, the base of all: shapes, the checks of parameters and samples, expand, repr."""

from __future__ import annotations

import warnings
from typing import Any

import retrograd as torch

from . import constraints
from .utils import Undeclared, all_true, lazy_property

__all__ = ["Distribution"]

NO_SHAPE = torch.Size()


class Distribution:
    """A batch of probability distributions.

    A sample has shape `sample_shape + batch_shape + event_shape`: independent draws, different
    parameters, and the dimensions of one value. log_prob sums over the event's dimensions.
    Parameters are numbers or tensors; they broadcast to batch_shape, and samples have their dtype.
    `sample` records nothing; `rsample` is differentiable in the parameters, if there is one.

    A subclass says in `arg_constraints` and `support` what its parameters and values must
    satisfy; unless `validate_args` is False they are checked, and a ValueError says what is
    wrong. The distributions of this package also list in `_parts` what `expand` expands
    (tensors and distributions) or hands on (anything else), and in `_shared` the tensors it hands
    on.

    >>> import retrograd as torch
    >>> normal = torch.distributions.Normal(torch.zeros(2), 1.0)
    >>> normal.batch_shape, normal.sample((3,)).shape
    (torch.Size([2]), torch.Size([3, 2]))
    >>> normal.log_prob(torch.tensor(0.))
    tensor([-0.9189, -0.9189])
    """

    arg_constraints: Any = Undeclared("What each parameter must satisfy, by name.")
    support: Any = Undeclared("The constraint that every value satisfies.")
    has_rsample: Any = False        # samples are a differentiable function of the parameters
    has_enumerate_support: Any = False
    _validate_args = __debug__
    _parts: tuple[str, ...]
    _shared: tuple[str, ...] = ()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check their arguments unless `validate_args` is given."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=NO_SHAPE, event_shape=NO_SHAPE, validate_args=None):
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self):
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(f"{self.__class__} does not define `arg_constraints`. Please set "
                          "`arg_constraints = {}` or initialize the distribution with "
                          "`validate_args=False` to turn off validation.", stacklevel=3)
            return
        for name, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue        # follows from a parameter that is checked
            value = getattr(self, name)
            if not all_true(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}")

    def expand(self, batch_shape, _instance=None):
        """The same distribution for a larger batch, whose parameters are expanded views.

        A subclass with its own `__init__` must bring its own expand: NotImplementedError.
        """
        owner = next((c for c in type(self).__mro__ if "_parts" in vars(c)), None)
        if owner is None:
            raise NotImplementedError
        new = self._get_checked_instance(owner, _instance)
        batch_shape = torch.Size(batch_shape)
        names = {name for c in type(self).__mro__ for name in vars(c).get("_parts", ())}
        for name in names & self.__dict__.keys():
            new.__dict__[name] = self._expanded(name, batch_shape)
        return self._finished(new, batch_shape)

    def _expanded(self, name, batch_shape):
        part, batch_dims = self.__dict__[name], len(self._batch_shape)
        if name in self._shared:
            return part
        if isinstance(part, torch.Tensor):
            return part.expand(batch_shape + part.shape[batch_dims:])
        if isinstance(part, Distribution):
            return part.expand(batch_shape + part.batch_shape[batch_dims:])
        return part

    def _finished(self, new, batch_shape):
        """`new`, given everything but its parameters."""
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom "
                "__init__ method must also define a custom .expand() method.")
        return self.__new__(type(self)) if _instance is None else _instance

    @property
    def batch_shape(self) -> torch.Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> torch.Size:
        """The shape of one value."""
        return self._event_shape

    @property
    def mean(self) -> torch.Tensor:
        """The expected value."""
        raise NotImplementedError

    @property
    def mode(self) -> torch.Tensor:
        """The most probable value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> torch.Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> torch.Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape=()):
        """Draw values of shape `sample_shape + batch_shape + event_shape`."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Draw values that are a differentiable function of the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int):
        """`sample((n,))`; deprecated."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.",
                      FutureWarning, stacklevel=2)
        return self.sample(torch.Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density, or of the probability, at `value`."""
        raise NotImplementedError

    def cdf(self, value):
        """The probability of values up to `value`."""
        raise NotImplementedError

    def icdf(self, value):
        """The value up to which the probability is `value`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True):
        """All values, along a new first dimension; of shape 1 along the batch unless `expand`."""
        raise NotImplementedError

    def entropy(self):
        """The expected value of -log_prob, of shape batch_shape."""
        raise NotImplementedError

    def perplexity(self):
        """`exp(entropy)`."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=()):
        return torch.Size(torch.Size(sample_shape) + self._batch_shape + self._event_shape)

    def _validate_sample(self, value):
        """ValueError unless `value` fits the distribution's shapes and support."""
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, expected = value.size(), self._batch_shape + self._event_shape
        if self._event_shape and shape[value.dim() - len(self._event_shape):] != self._event_shape:
            raise ValueError("The right-most size of value must match event_shape: "
                             f"{shape} vs {self._event_shape}.")
        for i, j in zip(tuple(shape)[::-1], tuple(expected)[::-1], strict=False):
            if i != j and 1 not in (i, j):
                raise ValueError("Value is not broadcastable with batch_shape+event_shape: "
                                 f"{shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{self.__class__} does not define `support` to enable sample "
                          "validation. Please initialize the distribution with "
                          "`validate_args=False` to turn off validation.", stacklevel=2)
            return
        if not all_true(support.check(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be "
                f"within the support ({support!r}) of the distribution {self!r}, "
                f"but found invalid values:\n{value}")

    def __repr__(self):
        given = {name: self.__dict__[name] for name in self.arg_constraints
                 if name in self.__dict__}
        shown = (f"{name}: {value if value.numel() == 1 else value.size()}"
                 for name, value in given.items())
        return f"{self.__class__.__name__}({', '.join(shown)})"
