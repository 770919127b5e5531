"""Reverse-mode differentiation: backward(), grad(), and the modes and hooks around them.

`roots.py` finds where a backward pass begins and ends, `engine.py` runs it; `node.py` has what a
recorded operator leaves behind, `views.py` what writes in place do to the graph.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .._state import features, state
from .._tensor import Tensor, wrap
from .._warnings import warn_once
from . import engine, hooks, leaves  # noqa: F401  the last two add methods to Tensors and nodes
from .grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .roots import as_inputs, in_dtype_of, is_edge, nodes_that_fill, roots_of, target_of

if TYPE_CHECKING:                 # what __getattr__ finds
    from .anomaly_mode import detect_anomaly, set_detect_anomaly
    from .function import Function, NestedIOFunction
    from .grad_mode import enforce_grad_layout_policy
    from .gradcheck import gradcheck, gradgradcheck
    from .variable import Variable

CYCLE = ("Using backward() with create_graph=True will create a reference cycle between the "
         "parameter and its gradient which can cause a memory leak. We recommend using "
         "autograd.grad when creating the graph to avoid this. If you have to use this function, "
         "make sure to reset the .grad fields of your parameters to None after use to break the "
         "cycle and avoid the leak.")


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False,
             grad_variables=None, inputs=None) -> None:
    """Add the gradients of `tensors`, weighed by `grad_tensors`, to `.grad` of the leaves.

    tensors, grad_tensors  a Tensor or a sequence; the weights have their tensors' shapes and may
                           be None for tensors with one element
    retain_graph           keep what the graph saved, so that backward can run again (default:
                           the value of create_graph)
    create_graph           record the backward pass itself, for higher derivatives
    inputs                 fill only the `.grad` of these: a tensor, several, or a dict of them

    Raises RuntimeError where nothing was recorded, where the graph was freed, or where a saved
    tensor was changed in place since.

    >>> import retrograd as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.backward([x * x, 2 * x]); x.grad
    tensor(8.)
    """
    if state.transforms:
        raise RuntimeError("backward() called inside a functorch transform. This is not supported, "
                           "please use functorch.grad or functorch.vjp instead or call backward() "
                           "outside of functorch transforms.")
    if grad_variables is not None:
        grad_tensors = _older_name(grad_tensors, grad_variables)
    tensors = (tensors,) if isinstance(tensors, Tensor) or is_edge(tensors) else tuple(tensors)
    if inputs is not None:
        inputs = as_inputs(inputs, "backward")
    keep = create_graph if retain_graph is None else retain_graph
    roots, grads = roots_of(tensors, grad_tensors, engine.computes_on_tensors(create_graph))
    if create_graph:
        warn_once(CYCLE)
    wanted = None if inputs is None else nodes_that_fill(inputs, roots)
    engine.execute(roots, grads, keep, create_graph, wanted)


def _backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add d(self)/d(leaf) to `.grad` of every leaf that self was computed from.

    `gradient` (shape of self) weighs the elements of self; only a tensor with one element can go
    without. See `retrograd.autograd.backward`.

    >>> import retrograd as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """
    if gradient is inputs is None and not create_graph and _is_plain_number(self):
        one = np.array(1, self._data.dtype)
        if self._data.ndim:
            one = one.reshape(self._data.shape)
        engine.execute([(self._grad_fn, self._output_nr)], [one], bool(retain_graph), False)
    else:
        backward(self, gradient, retain_graph, create_graph, None, inputs)


def _is_plain_number(t) -> bool:
    """Whether t is a recorded number and no mode is on, so that backward() has nothing to check."""
    array = t._data
    return (t._flags == 1 and t._grad_fn is not None and array.size == 1
            and array.dtype.kind == "f"
            and not (features.creation_modes or features.vmap or features.dual))


_backward.__name__, _backward.__qualname__ = "backward", "Tensor.backward"
Tensor.backward = _backward


@overload
def grad(outputs, inputs: dict[str, Tensor], grad_outputs=..., retain_graph=..., create_graph=...,
         only_inputs=..., allow_unused=..., is_grads_batched=...,
         materialize_grads=...) -> dict[str, Tensor]: ...


@overload
def grad(outputs, inputs, grad_outputs=..., retain_graph=..., create_graph=..., only_inputs=...,
         allow_unused=..., is_grads_batched=..., materialize_grads=...) -> tuple[Tensor, ...]: ...


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
         only_inputs=True, allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """The gradients of `outputs`, weighed by `grad_outputs`, with respect to `inputs`.

    For each input x: the sum over the outputs y of grad_output * dy/dx, in x's shape. Returns a
    tuple, or for a dict of inputs a dict with its keys; nothing is added to any `.grad`.

    outputs, grad_outputs  a Tensor or a sequence; the weights have their outputs' shapes and may
                           be None for outputs with one element
    inputs                 a Tensor, a sequence or a dict: leaves or computed tensors of the graph
    retain_graph           keep what the graph saved, so that it can be used again (default: the
                           value of create_graph)
    create_graph           record the backward pass itself, for higher derivatives
    allow_unused           give None for an input that the outputs do not depend on
    materialize_grads      give zeros for it
    is_grads_batched       the weights have one more dimension in front, a batch of gradients

    Raises RuntimeError for an input that the outputs do not depend on, unless one of the two is
    True, and where backward() does: nothing recorded, freed, or changed in place.

    >>> import retrograd as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> g, = torch.autograd.grad(x ** 3, x, create_graph=True); g
    tensor(27., grad_fn=<MulBackward0>)
    >>> torch.autograd.grad(g, x)
    (tensor(18.),)
    """
    if inputs.__class__ is dict:
        found = grad(outputs, as_inputs(inputs, "grad"), grad_outputs, retain_graph, create_graph,
                     only_inputs, allow_unused, is_grads_batched, materialize_grads)
        return dict(zip(inputs, found, strict=True))
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when "
                         "materialize_grads=True, but got: allow_unused=False.")
    allow_unused = bool(materialize_grads) if allow_unused is None else allow_unused
    outputs = (outputs,) if isinstance(outputs, Tensor) or is_edge(outputs) else tuple(outputs)
    inputs = as_inputs(inputs, "grad")
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). "
                      "To accumulate gradient for other parts of the graph, please use "
                      "torch.autograd.backward.", FutureWarning, stacklevel=2)
    if is_grads_batched:
        from ._batched import grad_batched
        return grad_batched(outputs, inputs, grad_outputs, retain_graph, create_graph,
                            allow_unused, materialize_grads)
    keep = create_graph if retain_graph is None else retain_graph
    roots, grads = roots_of(outputs, grad_outputs, engine.computes_on_tensors(create_graph))
    targets = [target_of(t) for t in inputs]
    found = engine.execute(roots, grads, keep, create_graph, None, set(targets))
    results = []
    for k, (t, e) in enumerate(zip(inputs, targets, strict=True)):
        g = found.get(e)
        if g is None:
            g = _of_unused(k, t, allow_unused, materialize_grads, create_graph)
        elif not isinstance(g, Tensor):
            g = wrap(np.asarray(g) if isinstance(g, np.generic) else g)
        if g is not None and isinstance(t, Tensor) and g._data.dtype is not t._data.dtype:
            g = in_dtype_of(t, g)
        results.append(g)
    return tuple(results)


def _of_unused(k: int, t, allowed: bool, zeros: bool, create_graph: bool) -> Tensor | None:
    """The gradient of input number `k`, on which no output depends."""
    if zeros:
        if not isinstance(t, Tensor):
            raise RuntimeError("materialize_grads cannot be used when the given input is a "
                               "GradientEdge")
        return wrap(np.zeros_like(t._data))._set_requires_grad(create_graph)
    if allowed:
        return None
    from .explain import with_explanation
    raise RuntimeError(with_explanation(
        f"The differentiated Tensor at index {k} appears to not have been used in the "
        "graph. Set allow_unused=True if this is the desired behavior.", "unused", t, k))


def _older_name(grad_tensors, grad_variables):
    """backward()'s grad_tensors, given by their deprecated name."""
    warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning,
                  stacklevel=3)
    if grad_tensors is not None:
        raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed "
                           "to `backward()`. Please only use `grad_tensors`.")
    return grad_variables


_LAZY = {
    "Function": "function", "NestedIOFunction": "function", "detect_anomaly": "anomaly_mode",
    "set_detect_anomaly": "anomaly_mode", "gradgradcheck": "gradcheck", "Variable": "variable",
    "is_multithreading_enabled": "grad_mode", "is_view_replay_enabled": "grad_mode",
    "enforce_grad_layout_policy": "grad_mode", "_force_original_view_tracking": "grad_mode",
    "_unsafe_preserve_version_counter": "grad_mode", "SavedTensor": "saved",
    "on_wrong_gradient": "wrong", "WrongGradientWarning": "wrong",
    "DeviceType": "profiler_legacy", "ProfilerConfig": "profiler_legacy",
    "ProfilerEvent": "profiler_legacy", "ProfilerState": "profiler_legacy",
}
_SUBMODULES = ("_functions", "anomaly_mode", "forward_ad", "function", "functional", "grad_mode",
               "graph", "profiler", "profiler_legacy", "profiler_util", "variable")


def __getattr__(name: str) -> Any:
    if name == "gradcheck":                       # the function, not the module of that name
        found = import_module(f"{__name__}.gradcheck").gradcheck
    elif name in _LAZY:
        found = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    elif name in ("ProfilerActivity", "kineto_available"):
        found = getattr(import_module("retrograd.profiler"), name)
    elif name == "_is_checkpoint_valid":
        found = engine.is_checkpoint_valid
    elif name == "torch":                         # scripts reach the package this way too
        return import_module(__name__.rpartition(".")[0])
    elif name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module 'torch.autograd' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__():
    return sorted({*__all__, *_LAZY, *_SUBMODULES})


__all__ = [
    "Function", "NestedIOFunction", "Variable", "backward", "detect_anomaly", "enable_grad",
    "enforce_grad_layout_policy", "grad", "grad_mode", "gradcheck", "gradgradcheck",
    "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled", "variable",
]
