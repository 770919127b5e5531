"""torch.jit: scripts and traces are the functions and modules themselves, run by Python."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from typing import Final as Final

from .._warnings import warn, warn_once
from ..futures import Future
from ..nn.modules.module import Module

__all__ = ["Attribute", "Error", "Future", "ScriptFunction", "ScriptModule", "annotate",
           "enable_onednn_fusion", "export", "fork", "freeze", "ignore", "interface", "isinstance",
           "load", "onednn_fusion_enabled", "optimize_for_inference", "save", "script",
           "script_if_tracing", "set_fusion_strategy", "trace", "trace_module", "unused", "wait"]

_NOTE = ("torch.jit: retrograd runs functions and modules as they are, without scripting "
         "them: they have no save(), graph or code.")
_isinstance = isinstance


class ScriptModule(Module):
    """A Module; nothing is scripted, so no other Module is one.

    >>> import retrograd as torch
    >>> isinstance(torch.nn.Linear(3, 1), torch.jit.ScriptModule)
    False
    """


class RecursiveScriptModule(ScriptModule):
    """As ScriptModule."""


class ScriptFunction:
    """The class of scripted functions: no function is one.

    >>> import retrograd as torch
    >>> isinstance(torch.jit.script_if_tracing(abs), torch.jit.ScriptFunction)
    False
    """


class Attribute(NamedTuple):
    """A value and its type, for a compiler that is not here.

    >>> import retrograd as torch
    >>> torch.jit.Attribute(3, int).value
    3
    """

    value: Any
    type: Any


class Error(RuntimeError):
    """What a script would raise.

    >>> import retrograd as torch
    >>> issubclass(torch.jit.Error, RuntimeError)
    True
    """


class TracerWarning(Warning):
    """What a trace would warn with.

    >>> import retrograd as torch
    >>> import warnings
    >>> warnings.simplefilter("ignore", torch.jit.TracerWarning)
    """

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Does nothing: there are no such warnings."""


def script(obj: Any, optimize: None = None, _frames_up: int = 0, _rcb: Any = None,
           example_inputs: Any = None) -> Any:
    """`obj` itself; says once that nothing is scripted.

    >>> import retrograd as torch
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.jit.script(torch.sin) is torch.sin
    True
    """
    warn_once(_NOTE)
    return obj


def trace(func: Any, example_inputs: Any = None, optimize: None = None, check_trace: bool = True,
          check_inputs: Any = None, check_tolerance: float = 1e-5, strict: bool = True,
          _force_outplace: bool = False, _module_class: Any = None, _compilation_unit: Any = None,
          example_kwarg_inputs: Any = None, _store_inputs: bool = True) -> Any:
    """`func` itself; says once that nothing is traced.

    >>> import retrograd as torch
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.jit.trace(torch.sin, torch.ones(2)) is torch.sin
    True
    """
    warn_once(_NOTE)
    return func


def trace_module(mod: Any, inputs: Any, optimize: None = None, check_trace: bool = True,
                 check_inputs: Any = None, check_tolerance: float = 1e-5, strict: bool = True,
                 _force_outplace: bool = False, _module_class: Any = None,
                 _compilation_unit: Any = None, example_inputs_is_kwarg: bool = False,
                 _store_inputs: bool = True) -> Any:
    """`mod` itself; says once that nothing is traced.

    >>> import retrograd as torch
    >>> import warnings
    >>> net = torch.nn.Linear(3, 1)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.jit.trace_module(net, {"forward": torch.ones(3)}) is net
    True
    """
    warn_once(_NOTE)
    return mod


def script_if_tracing(fn: Callable) -> Callable:
    """`fn` itself.

    >>> import retrograd as torch
    >>> @torch.jit.script_if_tracing
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return fn


def _overload(func: Callable) -> Callable:
    return func


_script_if_tracing = script_if_tracing
_overload_method = _overload


def script_method(fn: Callable) -> Callable:
    """`fn` itself.

    >>> import retrograd as torch
    >>> @torch.jit.script_method
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return fn


def export(fn: Callable) -> Callable:
    """`fn` itself.

    >>> import retrograd as torch
    >>> @torch.jit.export
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return fn


def unused(fn: Callable) -> Callable:
    """`fn` itself.

    >>> import retrograd as torch
    >>> @torch.jit.unused
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator that returns its function, or the function itself.

    >>> import retrograd as torch
    >>> @torch.jit.ignore
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return drop if callable(drop) else lambda fn: fn


def interface(obj: type) -> type:
    """`obj` itself.

    >>> import retrograd as torch
    >>> @torch.jit.interface
    ... class Scorer:
    ...     def score(self, x: torch.Tensor) -> torch.Tensor: ...
    >>> Scorer.__name__
    'Scorer'
    """
    return obj


def freeze(mod: Any, preserved_attrs: list[str] | None = None,
           optimize_numerics: bool = True) -> Any:
    """`mod` itself.

    >>> import retrograd as torch
    >>> net = torch.nn.Linear(3, 1)
    >>> torch.jit.freeze(net) is net
    True
    """
    return mod


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> Any:
    """`mod` itself.

    >>> import retrograd as torch
    >>> net = torch.nn.Linear(3, 1)
    >>> torch.jit.optimize_for_inference(net) is net
    True
    """
    return mod


def fork(func: Callable, *args: Any, **kwargs: Any) -> Future:
    """A Future of `func(*args, **kwargs)`, which has been called: as in PyTorch without a script.

    >>> import retrograd as torch
    >>> torch.jit.wait(torch.jit.fork(torch.neg, torch.ones(2)))
    tensor([-1., -1.])
    """
    future: Future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future) -> Any:
    """The value of a Future that `fork` returned.

    >>> import retrograd as torch
    >>> torch.jit.wait(torch.jit.fork(torch.add, torch.ones(2), 1))
    tensor([2., 2.])
    """
    return future.wait()


def annotate(the_type: Any, the_value: Any) -> Any:
    """`the_value`.

    >>> import retrograd as torch
    >>> torch.jit.annotate(int, 3)
    3
    """
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Python's isinstance, of the plain class where the type has parameters.

    >>> import retrograd as torch
    >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, 2], dict[str, int])
    (True, False)
    """
    return _isinstance(obj, getattr(target_type, "__origin__", target_type))


def is_scripting() -> bool:
    """False.

    >>> import retrograd as torch
    >>> torch.jit.is_scripting()
    False
    """
    return False


def is_tracing() -> bool:
    """False.

    >>> import retrograd as torch
    >>> torch.jit.is_tracing()
    False
    """
    return False


@contextlib.contextmanager
def fuser(name: str) -> Iterator[None]:
    """A with block that changes nothing; Exception for what is none of PyTorch's names."""
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3", "none"):
        raise Exception(f"unrecognized fuser option (name: {name})")
    yield


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A with block that changes nothing."""
    yield


_settings: dict[str, Any] = {"strategy": [("STATIC", 2), ("DYNAMIC", 10)], "onednn": False}


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Kept, nothing is fused; returns the strategy before. Deprecated, which a warning says.

    >>> import retrograd as torch
    >>> import warnings
    >>> warnings.simplefilter("ignore", DeprecationWarning)
    >>> before = torch.jit.set_fusion_strategy([("DYNAMIC", 3)])
    >>> torch.jit.set_fusion_strategy(before)
    [('DYNAMIC', 3)]
    """
    warn("`torch.jit.set_fusion_strategy` is deprecated. Please use `torch.compile` instead.",
         DeprecationWarning)
    before, _settings["strategy"] = _settings["strategy"], strategy
    return before


def enable_onednn_fusion(enabled: bool) -> None:
    """Kept; nothing is fused.

    >>> import retrograd as torch
    >>> torch.jit.enable_onednn_fusion(False)
    """
    _settings["onednn"] = enabled


def onednn_fusion_enabled() -> bool:
    """What enable_onednn_fusion set.

    >>> import retrograd as torch
    >>> torch.jit.onednn_fusion_enabled()
    False
    """
    return _settings["onednn"]


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Raises NotImplementedError: there are no scripts; torch.save writes modules."""
    raise NotImplementedError("torch.jit.save: retrograd has no scripted modules; use torch.save")


def load(f: Any, map_location: Any = None, _extra_files: Any = None) -> Any:
    """Raises NotImplementedError: the files hold TorchScript, which retrograd does not run."""
    raise NotImplementedError("torch.jit.load: retrograd does not run TorchScript archives")


def _get_trace_graph(f: Any, *args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("torch.jit._get_trace_graph: retrograd traces no TorchScript; "
                              "torch.fx.symbolic_trace makes a graph")
