"""torch.library: operators of a program's own, reached as torch.ops.<namespace>.<name> too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import retrograd as torch

from . import _schema
from ._ops import OpOverload, packet
from ._schema import infer_schema
from ._tensor import Tensor
from .autograd.function import Function
from .autograd.graph import increment_version
from .ops.calls import CustomCall, show
from .ops.overloads import is_name_alone
from .ops.support import unusual
from .utils._pytree import tree_flatten, tree_unflatten

__all__ = ["CustomOpDef", "Library", "custom_op", "infer_schema", "register_autograd",
           "register_fake", "register_kernel"]

_OPERATORS: dict[str, dict[str, CustomOpDef]] = {}


def custom_op(name: str, fn: Callable | None = None, /, *, mutates_args: str | Iterable[str],
              device_types: Any = None, schema: str | None = None, tags: Any = None) -> Any:
    """Make `fn` an operator: opaque to autograd until `register_autograd` gives its gradient.

    `name` is "namespace::name". Every parameter of `fn` needs an annotation, or `schema` says what
    they are; the arguments that `fn` writes to are named in `mutates_args`, or "unknown". Results
    must be new tensors. With `device_types` without "cpu" it runs once a kernel is registered.

    Raises ValueError for a missing annotation, RuntimeError for arguments that do not fit and for
    a result that lies in an input's memory.

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
        return CustomOpDef(name, function, mutates_args, schema, device_types)

    return define if fn is None else define(fn)


class CustomOpDef:
    """What `custom_op` makes: call it, or register more about it."""

    def __init__(self, name: str, fn: Callable, mutates_args: str | Iterable[str],
                 schema: str | None = None, device_types: Any = None) -> None:
        namespace, operator = name.split("::")
        self._qualname = name
        if schema is None:
            text = infer_schema(fn, mutates_args=mutates_args)
            self._schema = replace(_schema.read(name, text), signature=inspect.signature(fn))
        else:
            self._schema = _schema.read(name, schema)
        self._check_schema(schema, mutates_args)
        self._kernels: dict[str, Callable] = {}
        self._disabled: set[str] = set()
        self._initial = fn
        self.register_kernel(device_types, fn)
        self._fake: Callable | None = None
        self._backward: Callable | None = None
        self._setup: Callable | None = None
        self._function = _function(self)
        self._opoverload = packet(namespace, operator).default
        _OPERATORS.setdefault(namespace, {})[operator] = self

    def _check_schema(self, given: str | None, mutates_args: str | Iterable[str]) -> None:
        written = set(self._schema.written)
        if given is not None and mutates_args != "unknown" and written != set(mutates_args):
            raise ValueError("Attempted to create a custom op with `mutates_args="
                             f"{mutates_args}` and `schema={given}. The schema suggests that the "
                             f"op mutates {written or '{}'} which is different from what was "
                             "provided to us in `mutates_args`. Please make these consistent.")
        if any(self._schema.kinds[name].startswith("Tensor") for name in self._schema.keyword_only):
            raise NotImplementedError("custom_op with kwarg-only Tensor args. Please make your "
                                      f"tensors not kwarg-only. Got: {self._schema}")

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = self._schema.bind(args, kwargs)
        keywords = {name: arguments.pop(name) for name in self._schema.keyword_only}
        flat, structure = tree_flatten(tuple(arguments.values()))
        tensors = [one for one in flat if isinstance(one, Tensor)]
        written = [t for name in self._schema.written for t in tree_flatten(arguments[name])[0]
                   if t is not None]
        recording = torch.is_grad_enabled()
        if recording and any(t.requires_grad for t in written):
            raise NotImplementedError(f"{self._qualname}: retrograd does not differentiate what a "
                                      "custom operator writes to its arguments (mutates_args)")
        if any(recording and t.requires_grad or unusual(t._track) for t in tensors):
            result = self._function.apply(structure, keywords, *flat)
            result = list(result) if self._schema.result == "Tensor[]" else result
        else:
            with torch.no_grad():
                result = self._run(tuple(arguments.values()), keywords)
        if written:
            increment_version(written)
        return result

    def _run(self, args: tuple, kwargs: dict) -> Any:
        """The kernel's result, of new tensors."""
        flat = tree_flatten(args)[0]
        if self._fake is not None and any(isinstance(t, Tensor) and t.is_meta for t in flat):
            return self._fake(*args, **kwargs)
        result = show(CustomCall(self._opoverload, self._kernel(), args, kwargs, True))
        self._check_new(result, flat)
        return result

    def _kernel(self) -> Callable:
        found = self._initial if "cpu" in self._disabled else self._kernels.get("cpu")
        if found is None:
            raise NotImplementedError(f"Could not run '{self._qualname}' with arguments from the "
                                      "'CPU' backend: no kernel is registered for \"cpu\"")
        return found

    def _check_new(self, result: Any, inputs: list) -> None:
        seen = {_place(one) for one in inputs}
        for one in tree_flatten(result)[0]:
            if (place := _place(one)) and place in seen:
                raise RuntimeError(
                    f"{self._qualname}: The output of this custom operator (1) must not also be an "
                    "input to this custom operator and (2) may not alias any inputs to this "
                    "custom operator or other returns. The most common way to trigger this error "
                    "is if we have y = custom_op(x) and y and x are the same Tensor. Please "
                    "instead return a clone of the offending output tensor(s) (e.g. return "
                    "x.clone()) or refactor the custom operator to not return y.")
            seen.add(place)

    def register_autograd(self, backward: Callable, /, *,
                          setup_context: Callable | None = None) -> None:
        """Set the gradient: `backward(ctx, *grads)`, a gradient or None for each argument.

        `setup_context(ctx, inputs, output)` saves what it needs; it gets `keyword_only_inputs`
        too, a dict, where the operator has such parameters. RuntimeError for one that writes.
        """
        if self._schema.written:
            raise RuntimeError("Cannot register autograd formula for non-functional operator "
                               f"{self} with schema {self._schema}. Please create a functional "
                               "operator and register an autograd formula for that.")
        self._backward, self._setup = backward, setup_context

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Any:
        """Set what runs on "cpu"; functions for other devices are kept and never run."""
        devices = [device_types] if isinstance(device_types, str) else device_types

        def register(function: Callable) -> Callable:
            for device in ("cpu",) if devices is None else devices:
                self._kernels[torch.device(device).type] = function
            return function

        return register if fn is None else register(fn)

    @contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """A block in which a registered kernel does not run, but the operator's own function."""
        before = set(self._disabled)
        (self._disabled.discard if enabled else self._disabled.add)(device_type)
        try:
            yield
        finally:
            self._disabled = before

    def register_fake(self, fn: Callable, /) -> Callable:
        """Set what runs on tensors on "meta", which have no numbers."""
        self._fake = fn
        return fn


def _place(value: Any) -> int:
    """Where a tensor's memory begins; 0 for none."""
    if not isinstance(value, Tensor) or value.is_meta:
        return 0
    return value.untyped_storage().data_ptr()


def _function(op: CustomOpDef) -> type[Function]:
    """The Function that runs `op` on its flattened arguments."""
    in_list = op._schema.result == "Tensor[]"
    label = op._qualname.replace("::", ".") + ".default"

    def forward(ctx: Any, structure: Any, keywords: dict, *flat: Any) -> Any:
        args = tree_unflatten(list(flat), structure)
        result = op._run(args, keywords)
        ctx._structure = structure
        if op._setup is not None:
            more = {"keyword_only_inputs": keywords} if keywords else {}
            op._setup(ctx=ctx, inputs=args, output=result, **more)
        return tuple(result) if in_list else result

    def backward(ctx: Any, *grads: Any) -> tuple:
        if op._backward is None:
            raise RuntimeError(f"Trying to backward through {label} but no autograd formula was "
                               "registered. Please use register_autograd to add one.")
        found = op._backward(ctx, list(grads)) if in_list else op._backward(ctx, *grads)
        return None, None, *_flat_gradients(found if isinstance(found, tuple) else (found,),
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


def _named(caller: str, op: str | OpOverload | CustomOpDef) -> CustomOpDef:
    """The operator that is given, or has the given name."""
    if isinstance(op, CustomOpDef):
        return op
    if not isinstance(op, (str, OpOverload)):
        raise ValueError(f"{caller}({op}): got unexpected type for op: {type(op)}")
    namespace, name = (op if isinstance(op, str) else op.name()).split("::")
    if name not in _OPERATORS.get(namespace, {}):
        raise AttributeError(f"'_OpNamespace' '{namespace}' object has no attribute '{name}'")
    return _OPERATORS[namespace][name]


def _same(function: Callable) -> Callable:
    return function


def register_fake(op: Any, func: Callable | None = None, /, *, lib: Any = None,
                  **options: Any) -> Any:
    """Set what the operator runs on tensors on "meta"; a decorator without `func`.

    Raises RuntimeError if there is no such operator, unless it may be one of a C++ library that
    could not be loaded: a package that goes on without its library still registers these.
    """
    try:
        register: Callable = _named("register_fake", op).register_fake
    except AttributeError:
        if not torch.ops.left_out:
            raise RuntimeError(f"operator {op} does not exist") from None
        register = _same
    return register if func is None else register(func)


impl_abstract = register_fake


def register_kernel(op: Any, device_types: Any, func: Callable | None = None, /, *,
                    lib: Any = None) -> Any:
    """Set what the operator runs on devices of these types; a decorator without `func`."""
    return _named("register_kernel", op).register_kernel(device_types, func)


def register_autograd(op: str | OpOverload | CustomOpDef, backward: Callable, /, *,
                      setup_context: Callable | None = None, lib: Any = None) -> None:
    """`register_autograd` of the operator, or of the one that has this name."""
    _named("register_autograd", op).register_autograd(backward, setup_context=setup_context)


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
