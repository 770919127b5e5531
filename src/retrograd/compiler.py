"""torch.compile and torch.compiler: programs that compile run as they are, uncompiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import numpy as np

from ._from_data import from_numpy
from ._tensor import Tensor
from ._warnings import warn_once
from .autograd.grad_mode import _DecoratorContextManager
from .utils._pytree import tree_map_only

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin",
    "disable", "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting",
    "list_backends", "reset", "set_default_backend", "set_stance", "substitute_in_graph",
    "wrap_numpy",
]

_NOTE = "torch.compile: retrograd runs functions and modules as they are, without compiling them."


_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def compile(model: Callable | None = None, *, fullgraph: bool = False, dynamic: bool | None = None,
            backend: str | Callable | None = None, mode: str | None = None,
            options: dict | None = None, name: str | None = None, disable: bool = False,
            recompile_limit: int | None = None, isolate_recompiles: bool = False,
            shapes_spec: Any = None) -> Any:
    """`model` itself, a module as the child `_orig_mod` of another; or a decorator that does this.

    Says once that nothing is compiled. The options only say how, and so change nothing;
    RuntimeError for both mode and options, and for a mode that there is not.

    >>> import retrograd as torch
    >>> torch.compiler.is_compiling()
    False
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified "
                           "at the same time.")
    if not disable:
        warn_once(_NOTE)
    if model is None:
        return lambda decorated: compile(decorated, backend=backend, mode=mode, disable=disable)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if mode is not None and mode not in _MODES and (backend or _default_backend) == "inductor":
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if disable or isinstance(model, FunctionType):
        return model
    from ._dynamo.eval_frame import OptimizedModule
    from .nn import Module
    plain = isinstance(model, OptimizedModule) or not isinstance(model, Module)
    return model if plain else OptimizedModule(model)


_default_backend: str | Callable = "inductor"


def set_default_backend(backend: str | Callable | None) -> None:
    """What torch.compile() would compile with; None for "inductor" again. It compiles nothing.

    >>> import retrograd as torch
    >>> torch.compiler.set_default_backend("eager")
    >>> torch.compiler.get_default_backend()
    'eager'
    >>> torch.compiler.set_default_backend(None)
    """
    global _default_backend
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"backend must be a string or callable, got {type(backend)}")
    _default_backend = "inductor" if backend is None else backend


def get_default_backend() -> str | Callable:
    """What set_default_backend() was given, or "inductor".

    >>> import retrograd as torch
    >>> torch.compiler.get_default_backend()
    'inductor'
    """
    return _default_backend


def is_compiling() -> bool:
    """False.

    >>> import retrograd as torch
    >>> torch.compiler.is_compiling()
    False
    """
    return False


is_dynamo_compiling = is_exporting = is_compiling


def disable(fn: Callable | None = None, recursive: bool = True, *,
            reason: str | None = None) -> Any:
    """`fn` itself, or a decorator that returns its function.

    >>> import retrograd as torch
    >>> @torch.compiler.disable
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return fn if fn is not None else lambda decorated: decorated


def allow_in_graph(fn: Any) -> Any:
    """`fn` itself.

    >>> import retrograd as torch
    >>> torch.compiler.allow_in_graph(torch.sin) is torch.sin
    True
    """
    return fn


def assume_constant_result(fn: Any) -> Any:
    """`fn` itself.

    >>> import retrograd as torch
    >>> torch.compiler.assume_constant_result(len) is len
    True
    """
    return fn


def substitute_in_graph(original_fn: Callable, *, can_constant_fold_through: bool = False,
                        skip_signature_check: bool = False) -> Callable:
    """A decorator that returns `original_fn`, which a compiler would not have run.

    >>> import retrograd as torch
    >>> @torch.compiler.substitute_in_graph(max)
    ... def traceable(a, b):
    ...     return a if a > b else b
    >>> traceable is max
    True
    """
    return lambda traceable: original_fn


class set_stance(_DecoratorContextManager):
    """For a whole program, a block or a function; programs run uncompiled in every stance.

    >>> import retrograd as torch
    >>> with torch.compiler.set_stance("force_eager"):
    ...     torch.ones(2) + 1
    tensor([2., 2.])
    """

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False,
                 force_backend: str | Callable | None = None) -> None:
        self._arguments = stance, skip_guard_eval_unsafe, force_backend

    def __enter__(self) -> None:
        """Nothing to set."""

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        """Nothing to restore."""

    def clone(self) -> set_stance:
        stance, unsafe, backend = self._arguments
        return set_stance(stance, skip_guard_eval_unsafe=unsafe, force_backend=backend)


def wrap_numpy(fn: Callable) -> Callable:
    """`fn`, which takes and returns NumPy arrays, as a function of tensors.

    >>> import numpy as np, retrograd as torch
    >>> torch.compiler.wrap_numpy(np.cumsum)(torch.ones(3))
    tensor([1., 2., 3.])
    """
    @wraps(fn)
    def on_tensors(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree_map_only(Tensor, lambda tensor: tensor.numpy(), (args, kwargs))
        return tree_map_only(np.ndarray, from_numpy, fn(*args, **kwargs))

    return on_tensors


def reset() -> None:
    """Nothing to forget.

    >>> import retrograd as torch
    >>> torch.compiler.reset()
    """


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """No backends.

    >>> import retrograd as torch
    >>> torch.compiler.list_backends()
    []
    """
    return []


def cudagraph_mark_step_begin() -> None:
    """Nothing to mark.

    >>> import retrograd as torch
    >>> torch.compiler.cudagraph_mark_step_begin()
    """
