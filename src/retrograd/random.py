"""torch.random: generators, seeds and their states. Seeds give PyTorch's own CPU streams."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from . import _dtype
from ._attributes import CPU, device, require_cpu
from ._tensor import Tensor, wrap

if TYPE_CHECKING:
    from .kernels.stream import Stream

__all__ = [
    "set_rng_state",
    "get_rng_state",
    "manual_seed",
    "seed",
    "initial_seed",
    "fork_rng",
    "thread_safe_generator",
]


class Generator(metaclass=_dtype.InC):
    """A random stream of its own, to be given as `generator=`; starts from a fixed seed.

    The values are those of PyTorch's CPU generator (a 32-bit Mersenne twister) for the same seed.

    >>> import retrograd as torch
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=g)
    tensor([0.4963, 0.7682])
    """

    def __init__(self, device: device | str | None = "cpu"):
        require_cpu(device)

    @cached_property
    def _stream(self) -> Stream:
        # made when first drawn from: numpy.random takes longer to import than retrograd
        from .kernels.stream import Stream

        return Stream()

    @property
    def device(self) -> device:
        """Always the CPU."""
        return CPU

    def manual_seed(self, seed: int) -> Generator:
        """Start again from `seed`, an int in [-2^63, 2^64); returns the generator.

        Raises RuntimeError for anything that is not an int, ValueError for one out of range.

        >>> import retrograd as torch
        >>> g = torch.Generator().manual_seed(0)
        >>> torch.rand(2, generator=g)
        tensor([0.4963, 0.7682])
        """
        if not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = seed.__index__()
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._stream.manual_seed(seed)
        return self

    def seed(self) -> int:
        """Start again from a seed of the operating system's choosing, and return it.

        >>> import retrograd as torch
        >>> g = torch.Generator()
        >>> g.seed() == g.initial_seed()
        True
        """
        return self._stream.seed()

    def initial_seed(self) -> int:
        """The seed that it last started from, in [0, 2^64).

        >>> import retrograd as torch
        >>> torch.Generator().manual_seed(3).initial_seed()
        3
        """
        return self._stream.initial_seed()

    def get_state(self) -> Tensor:
        """The state as a uint8 tensor of 5056 bytes, laid out as PyTorch's.

        >>> import retrograd as torch
        >>> g = torch.Generator()
        >>> g.get_state().shape, g.get_state().dtype
        (torch.Size([5056]), torch.uint8)
        """
        return wrap(self._stream.get_state())

    def set_state(self, new_state: Tensor) -> Generator:
        """Continue from a state that get_state() gave, here or in PyTorch; returns the generator.

        Raises TypeError for what is no uint8 tensor, RuntimeError for what is no state.

        >>> import retrograd as torch
        >>> g = torch.Generator()
        >>> state = g.get_state()
        >>> first = torch.rand(3, generator=g)
        >>> torch.equal(first, torch.rand(3, generator=g.set_state(state)))
        True
        """
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state._data.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        self._stream.set_state(new_state._data)
        return self

    def clone_state(self) -> Generator:
        """A new generator in the same state.

        >>> import retrograd as torch
        >>> g = torch.Generator()
        >>> other = g.clone_state()
        >>> torch.equal(torch.rand(3, generator=g), torch.rand(3, generator=other))
        True
        """
        copy = Generator()
        copy._stream.set_state(self._stream.get_state())
        return copy

    def get_offset(self) -> int:
        """Raises RuntimeError: only generators of GPUs count offsets."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        """Raises RuntimeError: only generators of GPUs count offsets."""
        raise RuntimeError("CPU Generator does not use offset")

    def __deepcopy__(self, memo) -> Generator:
        return self.clone_state()

    def __reduce__(self):
        return _restored, (self.get_state().numpy(),)

    def __setstate__(self, state: tuple) -> None:         # as PyTorch's files have it
        self.set_state(state[2])

    def __repr__(self):
        return f"<torch._C.Generator object at {id(self):#x}>"


Generator.lie_in("torch._C")


class _DefaultGenerator(Generator):
    """The generator used where none is given: a process starts with a seed of its own."""

    @cached_property
    def _stream(self) -> Stream:
        stream = super()._stream
        stream.seed()
        return stream


def _restored(state) -> Generator:
    generator = Generator()
    generator._stream.set_state(state)
    return generator


default_generator: Generator = _DefaultGenerator()


def stream_of(generator: Generator | None, function: str) -> Stream:
    """The stream that `function` is to draw from; None means the default generator's."""
    if generator is None:
        return default_generator._stream
    if not isinstance(generator, Generator):
        from .ops.arguments import must_be
        from .ops.factory import OVERLOADED, wrong_option
        if function in OVERLOADED:
            raise wrong_option("torch.Generator", "generator", generator)
        raise must_be("torch.Generator", function, "generator", None, generator)
    return generator._stream


def manual_seed(seed: int) -> Generator:
    """Seed the default generator, and return it: the same seed gives PyTorch's numbers.

    Raises ValueError for anything that is not an integer in [-2^63, 2^64).

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator with a random number of the operating system's; returns it.

    >>> import retrograd as torch
    >>> torch.seed() == torch.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator started from.

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(5)
    >>> torch.initial_seed()
    5
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator: a uint8 tensor of PyTorch's 5056 bytes.

    >>> import retrograd as torch
    >>> state = torch.get_rng_state()
    >>> first = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(2), first)
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator, as get_rng_state() gave it.

    >>> import retrograd as torch
    >>> torch.set_rng_state(torch.get_rng_state())
    """
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices=None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """A with block (or decorator) after which the default generator is back in its old state.

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    ...     a = torch.rand(2)
    >>> torch.rand(2).tolist() == a.tolist()
    True
    """
    if not enabled:
        yield
        return
    if devices:
        warnings.warn(f"{_caller}: {_devices_kw} are ignored, there is only the CPU", stacklevel=3)
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def thread_safe_generator() -> Generator | None:
    """The generator of a loader's worker that is a thread: None, for workers are processes.

    `generator=None` means the generator of the process, which each worker has to itself.
    """
    return None
