"""Decorators and switches of data pipes that are not data: determinism, checks at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .datapipe import functional_datapipe as functional_datapipe

__all__ = ["argument_validation", "functional_datapipe", "guaranteed_datapipes_determinism",
           "non_deterministic", "runtime_validation", "runtime_validation_disabled"]


class _Switch:
    """A class-wide setting, for the length of a with statement."""

    prev: bool

    def __init__(self, on: bool) -> None:
        self.prev = type(self).on
        type(self).on = on

    on: ClassVar[bool] = False

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        type(self).on = self.prev


class guaranteed_datapipes_determinism(_Switch):
    """Refuse pipes that are marked as not deterministic.

    >>> from retrograd.utils.data import (
    ...     IterDataPipe, guaranteed_datapipes_determinism, non_deterministic)
    >>> @non_deterministic
    ... class Shuffled(IterDataPipe):
    ...     pass
    >>> with guaranteed_datapipes_determinism():
    ...     Shuffled()
    Traceback (most recent call last):
    TypeError: ...
    """

    def __init__(self) -> None:
        super().__init__(True)


class runtime_validation_disabled(_Switch):
    """Accepted: nothing is checked at run time.

    >>> from retrograd.utils.data import runtime_validation_disabled
    >>> with runtime_validation_disabled():
    ...     pass
    """

    def __init__(self) -> None:
        super().__init__(True)


class non_deterministic:
    """Marks a pipe's class; TypeError when one is made under guaranteed_datapipes_determinism.

    The argument is the class, or a function of the pipe's arguments that says whether it is.

    >>> from retrograd.utils.data import (
    ...     IterDataPipe, guaranteed_datapipes_determinism, non_deterministic)
    >>> @non_deterministic
    ... class Arrivals(IterDataPipe):
    ...     pass
    >>> with guaranteed_datapipes_determinism():
    ...     Arrivals()
    Traceback (most recent call last):
        ...
    TypeError: Arrivals is non-deterministic with the inputs, but you set ...
    """

    def __new__(cls, arg: Any) -> Any:
        if isinstance(arg, type):
            return _refusing(arg, lambda *args, **kwargs: True)
        if callable(arg):
            return lambda marked: _refusing(marked, arg)
        raise TypeError(f"{arg} is not a callable")


def _refusing(marked: type, is_random: Callable) -> Callable:
    def make(*args: Any, **kwargs: Any) -> Any:
        if guaranteed_datapipes_determinism.on and is_random(*args, **kwargs):
            raise TypeError(
                f"{marked.__name__} is non-deterministic with the inputs, but you set "
                "'guaranteed_datapipes_determinism'. You can turn off determinism for this "
                "DataPipe if that is acceptable for your application")
        return marked(*args, **kwargs)

    return make


def argument_validation(f: Callable) -> Callable:
    """Accepted: the types of arguments are not checked.

    >>> from retrograd.utils.data import argument_validation
    >>> argument_validation(len) is len
    True
    """
    return f


def runtime_validation(f: Callable) -> Callable:
    """Accepted: the types of samples are not checked.

    >>> from retrograd.utils.data import runtime_validation
    >>> runtime_validation(len) is len
    True
    """
    return f
