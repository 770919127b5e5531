"""torch.library: operators of a program's own, reached as torch.ops.<namespace>.<name> too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import retrograd as torch

from ._ops import packet
from ._tensor import Tensor
from .autograd.function import Function
from .ops.calls import CustomCall, show
from .ops.overloads import is_name_alone
from .utils._pytree import tree_flatten, tree_unflatten

__all__ = ["CustomOpDef", "Library", "custom_op", "register_autograd", "register_fake"]

_OPERATORS: dict[str, dict[str, CustomOpDef]] = {}


def custom_op(name: str, fn: Callable | None = None, /, *, mutates_args: str | Iterable[str],
              device_types: Any = None, schema: str | None = None, tags: Any = None) -> Any:
    """Make `fn` an operator: opaque to autograd until `register_autograd` gives its gradient.

    `name` is "namespace::name"; every parameter needs an annotation; the arguments that `fn`
    writes to are named in `mutates_args`. Results must be new tensors.

    Raises ValueError for a missing annotation, RuntimeError for a result that is an input.

    >>> import retrograd as torch
    >>> @torch.library.custom_op("docs::twice", mutates_args=())
    ... def twice(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(2 * x.numpy())
    >>> twice.register_autograd(lambda ctx, g: 2 * g)
    >>> x = torch.ones(2, requires_grad=True)
    >>> twice(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def define(function: Callable) -> CustomOpDef:
        return CustomOpDef(name, function, mutates_args)

    return define if fn is None else define(fn)


class CustomOpDef:
    """What `custom_op` makes: call it, or register more about it."""

    def __init__(self, name: str, fn: Callable, mutates_args: str | Iterable[str]) -> None:
        namespace, operator = name.split("::")
        self._qualname, self._fn = name, fn
        self._signature = inspect.signature(fn)
        for parameter in self._signature.parameters.values():
            if parameter.annotation is inspect.Parameter.empty:
                raise ValueError(f"infer_schema(func): Parameter {parameter.name} must have a "
                                 f"type annotation. Got func with signature {self._signature})")
        self._mutates = bool(mutates_args)
        self._backward: Callable | None = None
        self._setup: Callable | None = None
        self._function = _function(self)
        self._opoverload = packet(namespace, operator).default
        _OPERATORS.setdefault(namespace, {})[operator] = self

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        flat, structure = tree_flatten(tuple(bound.arguments.values()))
        if self._mutates:
            return self._run_mutating(tree_unflatten(flat, structure), flat)
        return self._function.apply(structure, *flat)

    def _run_mutating(self, args: tuple, flat: list) -> Any:
        if torch.is_grad_enabled() and any(
            isinstance(one, Tensor) and one.requires_grad for one in flat
        ):
            raise NotImplementedError(f"{self._qualname}: retrograd does not differentiate custom "
                                      "operators that have mutates_args")
        with torch.no_grad():
            return self._fn(*args)

    def register_autograd(self, backward: Callable, /, *,
                          setup_context: Callable | None = None) -> None:
        """Set the gradient: `backward(ctx, *grads)`, a gradient or None for each argument.

        `setup_context(ctx, inputs, output)` saves what it needs.
        """
        self._backward, self._setup = backward, setup_context

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Any:
        """Set what runs on "cpu"; functions for other devices are kept by nobody."""
        devices = [device_types] if isinstance(device_types, str) else device_types

        def register(function: Callable) -> Callable:
            if devices is None or "cpu" in devices:
                self._fn = function
            return function

        return register if fn is None else register(fn)

    def register_fake(self, fn: Callable, /) -> Callable:
        """`fn` itself: shapes come from running the operator."""
        return fn


def _function(op: CustomOpDef) -> type[Function]:
    """The Function that runs `op` on its flattened arguments."""
    label = op._qualname.replace("::", ".") + ".default"

    def forward(ctx: Any, structure: Any, *flat: Any) -> Any:
        args = tree_unflatten(list(flat), structure)
        result = show(CustomCall(op._opoverload, op._fn, args, {}, True))
        _check_new(op._qualname, result, flat)
        ctx._structure = structure
        if op._setup is not None:
            op._setup(ctx, args, result)
        return result

    def backward(ctx: Any, *grads: Any) -> tuple:
        if op._backward is None:
            raise RuntimeError(f"Trying to backward through {label} but no autograd formula was "
                               "registered. Please use register_autograd to add one.")
        found = op._backward(ctx, *grads)
        return None, *_flat_gradients(found if isinstance(found, tuple) else (found,),
                                      ctx._structure)

    name = f"GeneratedBackwardFor_{op._qualname.replace('::', '_')}_default"
    return type(name, (Function,), {"forward": staticmethod(forward),
                                    "backward": staticmethod(backward)})


def _flat_gradients(grads: tuple, structure: Any) -> list:
    """A gradient for each flattened argument; None stands for all of a list's."""
    flat: list = []
    for grad, argument in zip(grads, structure.children_specs, strict=True):
        leaves = tree_flatten(grad)[0] if isinstance(grad, (list, tuple)) else [grad]
        flat += leaves if len(leaves) == argument.num_leaves else leaves * argument.num_leaves
    return flat


def _check_new(name: str, result: Any, inputs: tuple) -> None:
    given = {id(one) for one in inputs if isinstance(one, Tensor)}
    if any(id(one) in given for one in tree_flatten(result)[0]):
        raise RuntimeError(f"{name}: The output of this custom operator (1) must not also be an "
                           "input to this custom operator and (2) may not alias any inputs to "
                           "this custom operator or other returns.")


def register_fake(op: Any, func: Callable | None = None, /, *, lib: Any = None,
                  **options: Any) -> Any:
    """`func` itself, or a decorator that returns its function: nothing runs on fake tensors."""
    return func if func is not None else lambda function: function


impl_abstract = register_fake


def register_autograd(op: str | CustomOpDef, backward: Callable, /, *,
                      setup_context: Callable | None = None, lib: Any = None) -> None:
    """`register_autograd` of the operator, or of the one that has this name."""
    if isinstance(op, str):
        namespace, name = op.split("::")
        op = _OPERATORS[namespace][name]
    op.register_autograd(backward, setup_context=setup_context)


class Library:
    """Raises NotImplementedError: PyTorch's dispatcher, which it extends, is not here."""

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> NoReturn:
        raise NotImplementedError(f"torch.library.Library({ns!r}, {kind!r}): retrograd has no "
                                  "dispatcher; make operators with torch.library.custom_op")


class OpNamespace:
    """torch.ops.<name>: the custom operators of a namespace; for "aten", the package's own."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        function: Any = _OPERATORS.get(self._name, {}).get(name)
        if function is None and self._name == "aten":
            function = _public_function(name)
            if function is None and is_name_alone(name):
                return packet("aten", name)
        if function is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        found = packet(self._name, name)
        found._function = function
        return found


def _public_function(name: str) -> Any:
    """The function that PyTorch's operator of this name is behind: "linalg_det" linalg.det."""
    homes = torch, torch.nn.functional, Tensor
    found = next((getattr(home, name) for home in homes if hasattr(home, name)), None)
    room, _, rest = name.partition("_")
    if found is None and room in ("fft", "linalg", "special"):
        found = getattr(getattr(torch, room), rest, None)
    return found
