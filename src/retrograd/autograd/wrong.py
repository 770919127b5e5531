"""What happens where PyTorch computes a wrong gradient without an error.

Three mistakes go unnoticed there: a write through `.data` between forward and backward
(unseen.py), and second derivatives through a custom Function that saved an intermediate result, or
that is marked `once_differentiable` (intermediates.py, once.py). Here the first warns, the others
raise; `on_wrong_gradient` changes that.
"""

from __future__ import annotations

import sys
import warnings

from .._callers import is_own
from .._state import state
from .grad_mode import _DecoratorContextManager

MODES = ("raise", "warn", "ignore")


class WrongGradientWarning(UserWarning):
    """A gradient is not that of the function that was computed."""


class on_wrong_gradient(_DecoratorContextManager):
    """Choose what happens, in this thread, where PyTorch would silently compute a wrong gradient.

    mode  "raise", "warn" (and compute what PyTorch computes), or "ignore": PyTorch's behaviour to
          the letter. None, as at the start, is "warn" for writes through `.data` and "raise" for
          second derivatives.

    Takes effect at once, or for the length of a block. Raises ValueError for other modes.

    >>> import retrograd as torch
    >>> w = torch.tensor(2., requires_grad=True)
    >>> y = w * w
    >>> w.data.mul_(10)
    tensor(20.)
    >>> with torch.autograd.on_wrong_gradient("ignore"):
    ...     y.backward()              # as in PyTorch: 40 at w = 2, where 4 is right
    >>> w.grad
    tensor(40.)
    """

    def __init__(self, mode: str | None) -> None:
        if mode is not None and mode not in MODES:
            raise ValueError(f"on_wrong_gradient: mode must be one of {MODES} or None, not "
                             f"{mode!r}")
        self.mode, self.before = mode, state.on_wrong
        state.on_wrong = mode

    def __call__(self, function):
        state.on_wrong = self.before
        return super().__call__(function)

    def __enter__(self) -> None:
        state.on_wrong = self.mode

    def __exit__(self, *exc) -> None:
        state.on_wrong = self.before

    def clone(self):
        return self.__class__(self.mode)


def report(text: str, default: str) -> None:
    """Raise, warn or keep silent about a wrong gradient, as `on_wrong_gradient` says."""
    mode = state.on_wrong or default
    text += ("\n\nPyTorch computes a wrong gradient here without a word. So does this package "
             'after torch.autograd.on_wrong_gradient("ignore").')
    if mode == "raise":
        raise RuntimeError(text)
    if mode == "warn":
        depth, frame = 2, sys._getframe(1)
        while is_own(frame.f_code.co_filename) and frame.f_back is not None:
            depth, frame = depth + 1, frame.f_back
        warnings.warn(text, WrongGradientWarning, stacklevel=depth)
