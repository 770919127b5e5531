"""torch.library.custom_op: a Python function as an operator, and the rules that it must follow.

A CustomOpDef wraps the Operator of `_operators.py`, which is what a call runs;
`library.py` registers the same things for operators that were made from a schema alone.
"""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import retrograd as torch

from . import _schema
from ._dtype import dtype
from ._operators import KERNELS, Operator, device_types_of, full_name, key_of, split_name
from ._schema import infer_schema
from ._tensor import ON_META, WRAPPER, Tensor
from .amp.autocast_mode import is_autocast_available
from .autograd.graph import increment_version
from .utils._pytree import tree_flatten


def custom_op(name: str, fn: Callable | None = None, /, *, mutates_args: str | Iterable[str],
              device_types: Any = None, schema: str | None = None, tags: Any = None) -> Any:
    """Make `fn` an operator: opaque to autograd until `register_autograd` gives its gradient.

    `name` is "namespace::name". Every parameter of `fn` needs an annotation, or `schema` says what
    they are; the arguments that `fn` writes to are named in `mutates_args`, or "unknown". Results
    must be new tensors, but with `tags=torch.Tag.inplace` the first argument, with `torch.Tag.out`
    the keyword arguments that it writes to. With `device_types` without "cpu" it runs once a kernel
    is registered.

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
        return CustomOpDef(name, function, mutates_args, schema, device_types, tags)

    return define if fn is None else define(fn)


class CustomOpDef:
    """What `custom_op` makes: call it, or register more about it.

    >>> import retrograd as torch
    >>> @torch.library.custom_op("docs::cube", mutates_args=())
    ... def cube(x: torch.Tensor) -> torch.Tensor:
    ...     return x * x * x
    >>> cube(torch.tensor([2.]))
    tensor([8.])
    >>> torch.ops.docs.cube is not None
    True
    """

    def __init__(self, name: str, fn: Callable, mutates_args: str | Iterable[str],
                 schema: str | None = None, device_types: Any = None, tags: Any = None) -> None:
        split_name(name)
        self._qualname = name
        self._tags = _schema.tags_of(tags)
        self._is_inplace = torch.Tag.inplace in self._tags
        self._is_out = torch.Tag.out in self._tags
        if schema is None:
            text = infer_schema(fn, mutates_args=mutates_args, tags=self._tags)
            read = replace(_schema.read(name, text), signature=inspect.signature(fn))
        else:
            read = _schema.read(name, schema)
        _check_schema(read, schema, mutates_args, self._is_out)
        KERNELS.pop(full_name(name), None)          # of an operator that had the name before
        self._operator = Operator(read, definition=self)
        self._opoverload = self._operator.overload
        self._opoverload.tags = [*dict.fromkeys((torch.Tag.pt2_compliant_tag, *self._tags))]
        if read.written and (read.result == "()" or self._returns_written):
            self._operator.fake = self._written
        self._disabled: set[str] = set()
        self._initial = fn
        self.register_kernel(device_types, fn)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._operator(*args, **kwargs)

    @property
    def _schema(self) -> str:
        return str(self._operator.schema)

    def register_autograd(self, backward: Callable, /, *,
                          setup_context: Callable | None = None) -> None:
        """Set the gradient: `backward(ctx, *grads)`, a gradient or None for each argument.

        `setup_context(ctx, inputs, output)` saves what it needs; it gets `keyword_only_inputs`
        too, a dict, where the operator has such parameters. RuntimeError for one that writes.
        """
        if self._is_out:
            raise RuntimeError("Cannot register autograd formula for operator tagged with "
                               f"torch.Tag.out: {self}. Out variants do not support autograd.")
        if self._operator.schema.written:
            raise not_functional(self, self._operator)
        self._operator.backward, self._operator.setup = backward, setup_context

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Any:
        """Set what runs on "cpu"; functions for other devices are kept and never run."""
        schema = self._operator.schema
        takes = {kind.rstrip("?[]") for kind in schema.kinds.values()}
        if device_types is not None and "Tensor" not in takes and "device" not in schema.kinds:
            raise ValueError("Functions without tensor inputs are required to have a "
                             "`device: torch.device` argument")

        def register(function: Callable) -> Callable:
            for device in device_types_of(device_types):
                self._operator.kernels[key_of(device)] = self._kernel(device, function)
            return function

        return register if fn is None else register(fn)

    def _kernel(self, device: str, function: Callable) -> Callable:
        """`function`, with its results checked and its writes counted."""
        def kernel(*args: Any, **kwargs: Any) -> Any:
            run = self._initial if device in self._disabled else function
            targets = [t for one in self._arguments_written(args, kwargs)
                       for t in tree_flatten(one)[0] if t is not None]
            result = run(*args, **kwargs)
            if self._returns_written:
                self._check_returned(result, args, kwargs)
            else:
                _check_new(self._qualname, result, args)
            if targets:
                increment_version(targets)
            return result
        return kernel

    @property
    def _returns_written(self) -> bool:
        return self._is_inplace or self._is_out

    def _arguments_written(self, args: tuple, kwargs: dict) -> list:
        schema = self._operator.schema
        given = {**dict(zip(schema.signature.parameters, args, strict=False)), **kwargs}
        return [given[name] for name in schema.written]

    def _written(self, *args: Any, **kwargs: Any) -> Any:
        """What such an operator returns: the argument that it writes to, or a tuple of several."""
        if self._operator.schema.result == "()":
            return None
        found = self._arguments_written(args, kwargs)
        return found[0] if len(found) == 1 else tuple(found)

    def _check_returned(self, result: Any, args: tuple, kwargs: dict) -> None:
        flat, expected = tree_flatten(result)[0], tree_flatten(self._written(*args, **kwargs))[0]
        if len(flat) == len(expected) and all(map(operator.is_, flat, expected)):
            return
        what = ("torch.Tag.inplace must return its first argument." if self._is_inplace
                else "torch.Tag.out must return its mutable keyword-only arguments.")
        raise RuntimeError(f"{self._qualname}: An operator tagged with {what}")

    @contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """A block in which the operator's own function runs instead of a registered kernel."""
        before = set(self._disabled)
        (self._disabled.discard if enabled else self._disabled.add)(device_type)
        try:
            yield
        finally:
            self._disabled = before

    def register_fake(self, fn: Callable, /) -> Callable:
        """Set what runs on tensors on "meta", which have no numbers."""
        if self._returns_written:
            tag = "inplace" if self._is_inplace else "out"
            warnings.warn(f"The fake registration for {self} is unnecessary. Custom ops tagged "
                          f"with torch.Tag.{tag} already get an autogenerated fake kernel. The "
                          "provided fake impl will be used instead.", stacklevel=2)
        self._operator.fake = fn
        return fn

    def register_autocast(self, device_type: str, cast_inputs: dtype) -> None:
        """Set what floats are converted to under autocast; see `torch.library.register_autocast`.

        The first registration for a device counts.
        """
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise ValueError(f"Device type '{device_type}' does not support autocast.")
        self._operator.casts.setdefault(device_type, cast_inputs)

    def register_vmap(self, func: Callable | None = None) -> Any:
        """Set what runs under vmap: `func(info, in_dims, *args)` returns (output, out_dims).

        Without one each slice is computed by itself.
        """
        def register(function: Callable) -> None:
            self._operator.vmap = function
        return register if func is None else register(func)


def _check_schema(read: _schema.Schema, given: str | None, mutates_args: str | Iterable[str],
                  returns_outs: bool) -> None:
    written = set(read.written)
    if given is not None and mutates_args != "unknown" and written != set(mutates_args):
        raise ValueError("Attempted to create a custom op with `mutates_args="
                         f"{mutates_args}` and `schema={given}. The schema suggests that the "
                         f"op mutates {written or '{}'} which is different from what was "
                         "provided to us in `mutates_args`. Please make these consistent.")
    if not returns_outs:
        refuse_keyword_tensors("custom_op", read)


def refuse_keyword_tensors(caller: str, read: _schema.Schema) -> None:
    if any(read.kinds[name].startswith("Tensor") for name in read.keyword_only):
        raise NotImplementedError(f"{caller} with kwarg-only Tensor args. Please make your "
                                  f"tensors not kwarg-only. Got: {read}")


def _check_new(name: str, result: Any, args: tuple) -> None:
    """RuntimeError for a result in the memory of an argument or of another result."""
    seen = {_place(one) for one in tree_flatten(args)[0]}
    for one in tree_flatten(result)[0]:
        if (place := _place(one)) and place in seen:
            raise RuntimeError(
                f"{name}: The output of this custom operator (1) must not also be an "
                "input to this custom operator and (2) may not alias any inputs to this "
                "custom operator or other returns. The most common way to trigger this error "
                "is if we have y = custom_op(x) and y and x are the same Tensor. Please "
                "instead return a clone of the offending output tensor(s) (e.g. return "
                "x.clone()) or refactor the custom operator to not return y.")
        seen.add(place)


def _place(value: Any) -> int:
    """Where a tensor's memory begins; 0 for none."""
    if not isinstance(value, Tensor) or value._flags & (ON_META | WRAPPER):
        return 0
    return value.untyped_storage().data_ptr()


def not_functional(shown: Any, op: Operator) -> RuntimeError:
    return RuntimeError(f"Cannot register autograd formula for non-functional operator {shown} "
                        f"with schema {op.schema}. Please create a functional operator and "
                        "register an autograd formula for that.")
