"""Process-wide settings: threads, determinism, matmul precision, default device."""

from __future__ import annotations

import warnings

from ._attributes import CPU, device, require_here, use_device
from ._blas import thread_functions
from ._state import features, state
from .kernels import fast

_interop_threads = fast.threads
_precision = "highest"
_warn_only = False


def _positive(function: str, n: object) -> int:
    if not isinstance(n, int) or isinstance(n, bool):
        raise RuntimeError(f"{function} expects an int, but got {type(n).__name__}")
    if not -1 << 31 <= n < 1 << 31:
        word = "long" if -1 << 63 <= n < 1 << 63 else "long long"
        raise ValueError(f"Overflow when unpacking {word}")
    if n <= 0:
        raise RuntimeError(f"{function} expects a positive integer")
    return n


def set_num_threads(n: int) -> None:
    """Let kernels of large arrays use `n` threads, and matrix products if OpenBLAS came with NumPy.

    Raises RuntimeError unless `n` is a positive int, ValueError if it needs more than 32 bits.

    >>> import retrograd as torch
    >>> before = torch.get_num_threads()
    >>> torch.set_num_threads(1)
    >>> torch.get_num_threads()
    1
    >>> torch.set_num_threads(before)
    """
    fast.threads = _positive("set_num_threads", n)
    _, put = thread_functions()
    if put is not None:
        put(n)


def get_num_threads() -> int:
    """How many threads kernels of large arrays and matrix products use.

    >>> import retrograd as torch
    >>> torch.get_num_threads() >= 1
    True
    """
    return fast.threads


def set_num_interop_threads(n: int) -> None:
    """Only remembered, since operators run one after another; n below 1 is refused.

    >>> import retrograd as torch
    >>> torch.set_num_interop_threads(torch.get_num_interop_threads())
    """
    global _interop_threads
    _interop_threads = _positive("set_num_interop_threads", n)


def get_num_interop_threads() -> int:
    """What set_num_interop_threads set.

    >>> import retrograd as torch
    >>> torch.get_num_interop_threads() > 0
    True
    """
    return _interop_threads


def set_flush_denormal(mode: bool) -> bool:
    """False: denormal numbers are always kept.

    >>> import retrograd as torch
    >>> torch.set_flush_denormal(False)
    False
    """
    return False


def set_float32_matmul_precision(precision: str) -> None:
    """Only remembered, "highest", "high" or "medium": products of float32 are computed in float32.

    Any other value is a warning and changes nothing.

    >>> import retrograd as torch
    >>> torch.set_float32_matmul_precision("high")
    >>> torch.get_float32_matmul_precision()
    'high'
    >>> torch.set_float32_matmul_precision("highest")
    """
    global _precision
    if precision not in ("highest", "high", "medium"):
        warnings.warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
                      "setFloat32MatmulPrecision call has no effect.", UserWarning, stacklevel=2)
        return
    _precision = precision


def get_float32_matmul_precision() -> str:
    """What set_float32_matmul_precision set.

    >>> import retrograd as torch
    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return _precision


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Let new memory, as of empty() and resize_(), hold nan or the largest integer.

    It does not while torch.utils.deterministic.fill_uninitialized_memory is False. In any case
    every operator gives the same bits from run to run. Raises TypeError unless both arguments are
    bool.

    >>> import retrograd as torch
    >>> torch.use_deterministic_algorithms(True, warn_only=True)
    >>> torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    global _warn_only
    if not isinstance(mode, bool):
        raise TypeError("_set_deterministic_algorithms(): argument 'mode' (position 1) must be "
                        f"bool, not {type(mode).__name__}")
    if not isinstance(warn_only, bool):
        raise TypeError("_set_deterministic_algorithms(): argument 'warn_only' must be bool, not "
                        f"{type(warn_only).__name__}")
    features.deterministic, _warn_only = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """What use_deterministic_algorithms set.

    >>> import retrograd as torch
    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return features.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """What use_deterministic_algorithms set for warn_only.

    >>> import retrograd as torch
    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _warn_only


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """use_deterministic_algorithms by a number or name: 0 "default", 1 "warn", 2 "error".

    Raises RuntimeError for any other.

    >>> import retrograd as torch
    >>> torch.set_deterministic_debug_mode("warn")
    >>> torch.get_deterministic_debug_mode()
    1
    >>> torch.set_deterministic_debug_mode(0)
    """
    if isinstance(debug_mode, str):
        modes = {"default": 0, "warn": 1, "error": 2}
        if debug_mode not in modes:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, "
                               f"`error`, but got {debug_mode}")
        debug_mode = modes[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError("invalid value of debug_mode, expected 0, 1, or 2, but got "
                           f"{debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2: what set_deterministic_debug_mode set.

    >>> import retrograd as torch
    >>> torch.get_deterministic_debug_mode()
    0
    """
    return 0 if not features.deterministic else 1 if _warn_only else 2


def set_default_device(device: object) -> None:
    """Make this thread's new tensors on "cpu" or "meta" by default; None means the CPU.

    Raises PyTorch's error for any other device. A surrounding `with torch.device(...)` comes first.

    >>> import retrograd as torch
    >>> torch.set_default_device("meta")
    >>> torch.ones(2).device
    device(type='meta')
    >>> torch.set_default_device(None)
    """
    chosen = None if device is None else require_here(device)
    if state.outer_devices:
        state.outer_devices[0] = chosen
    else:
        use_device(chosen)


def get_default_device() -> device:
    """Where new tensors go: the CPU, unless set_default_device() or a block says otherwise.

    >>> import retrograd as torch
    >>> with torch.device("meta"):
    ...     torch.get_default_device()
    device(type='meta')
    """
    return state.device or CPU
