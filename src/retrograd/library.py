"""torch.library: operators of a program's own, reached as torch.ops.<namespace>.<name> too."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import retrograd as torch

from . import _schema
from ._definitions import CustomOpDef, custom_op, not_functional, refuse_keyword_tensors
from ._dtype import dtype
from ._operators import (
    KERNELS,
    NAMESPACES,
    Operator,
    check_key,
    device_types_of,
    full_name,
    key_of,
    split_name,
)
from ._ops import OpOverload
from ._schema import infer_schema
from .amp.autocast_mode import is_autocast_available

__all__ = ["Library", "custom_op", "define", "fallthrough_kernel", "impl", "impl_abstract",
           "infer_schema", "register_autocast", "register_fake", "register_torch_dispatch",
           "register_vmap", "triton_op"]


def _named(caller: str, op: str | OpOverload | CustomOpDef) -> Operator:
    """The operator that is given, or has the given name."""
    if isinstance(op, CustomOpDef):
        return op._operator
    if not isinstance(op, (str, OpOverload)):
        raise ValueError(f"{caller}({op}): got unexpected type for op: {type(op)}")
    name = op if isinstance(op, str) else op.name()
    namespace, short = split_name(name)
    short, _, overload = short.partition(".")
    found = NAMESPACES.get(namespace, {}).get(short, {}).get(overload or "default")
    if found is None:
        raise AttributeError(f"'_OpNamespace' '{namespace}' object has no attribute '{short}'")
    return found


# --------------------------------------------------------------------------- Library

_DEFINING: weakref.WeakValueDictionary[str, Library] = weakref.WeakValueDictionary()


class Library:
    """Operators of a namespace: `kind` "DEF" opens it, "FRAGMENT" adds to it, "IMPL" only kernels.

    What is registered through it lasts as long as the Library does. Which dispatch keys mean
    something here is said in NOTE [operators of programs].

    >>> import retrograd as torch
    >>> lib = torch.library.Library("docs", "FRAGMENT")
    >>> lib.define("cubed(Tensor x) -> Tensor")
    'cubed'
    >>> lib.impl("cubed", lambda x: x ** 3, "CompositeImplicitAutograd")
    >>> torch.ops.docs.cubed(torch.tensor(2.0, requires_grad=True))
    tensor(8., grad_fn=<PowBackward0>)

    Raises:
        ValueError: another kind, or a reserved namespace.
        RuntimeError: a second "DEF" of a namespace.
        NotImplementedError: the package's own namespaces, and dispatch keys that nothing stands
            for here.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns == "prim":
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with "
                             "another name.")
        if ns in ("aten", "prims"):
            raise NotImplementedError(f"torch.library.Library({ns!r}, {kind!r}): retrograd's own "
                                      "operators have no dispatcher; a TorchDispatchMode sees "
                                      "their calls and may answer them")
        if kind == "DEF":
            if ns in _DEFINING:
                raise RuntimeError(f"Only a single TORCH_LIBRARY can be used to register the "
                                   f"namespace {ns}; please put all of your definitions in a "
                                   "single TORCH_LIBRARY block.")
            _DEFINING[ns] = self
        NAMESPACES.setdefault(ns, {})
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._undo: list[Callable] = []
        self._end = weakref.finalize(self, _undo_all, self._undo)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Make an operator without a kernel; returns its name."""
        if self.kind == "IMPL":
            raise RuntimeError("Cannot define an operator in a Library of kind IMPL")
        given, bracket, rest = schema.strip().partition("(")
        namespace, _, name = given.rpartition("::")
        if namespace not in ("", self.ns):
            raise RuntimeError(f"Explicitly provided namespace ({namespace}) in schema string does "
                               "not match namespace of enclosing TORCH_LIBRARY block "
                               f"({self.ns}).")
        read = _schema.read(f"{self.ns}::{name}", bracket + rest)
        packets = NAMESPACES.get(self.ns, {})
        if read.overload_name in packets.get(name.partition(".")[0], {}):
            raise RuntimeError(f"Tried to register an operator ({read}) with the same name and "
                               "overload name multiple times. Each overload's schema should only "
                               "be registered with a single call to def().")
        operator = Operator(read)
        operator.overload.tags = list(tags) if isinstance(tags, (tuple, list)) else [tags]
        self._undo.append(operator.forget)
        return given.partition(".")[0]

    def impl(self, op_name: str | OpOverload, fn: Callable, dispatch_key: str = "", *,
             with_keyset: bool = False, allow_override: bool = True) -> None:
        """Register a kernel, which may come before the operator's definition."""
        if with_keyset:
            raise NotImplementedError("torch.library.Library.impl: with_keyset")
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        check_key(key)
        if not callable(fn):
            raise TypeError("Input function is required to be a callable but found type "
                            f"{type(fn)}")
        name = op_name if isinstance(op_name, str) else op_name.name()
        namespace, _, name = name.rpartition("::")
        if namespace not in ("", self.ns):
            raise RuntimeError(f"{namespace}::{name}: this Library is of the namespace {self.ns}")
        if fn is fallthrough_kernel:
            return
        kernels = KERNELS.setdefault(full_name(f"{self.ns}::{name}"), {})
        if key in kernels and not allow_override:
            raise RuntimeError("This is not allowed since there's already a kernel registered from "
                               f"python overriding {name}'s behavior for {key} dispatch key and "
                               f"{self.ns} namespace.")
        kernels[key] = fn
        self._undo.append(lambda: kernels.pop(key, None) if kernels.get(key) is fn else None)

    def _destroy(self) -> None:
        self._end()
        if _DEFINING.get(self.ns) is self:
            del _DEFINING[self.ns]


def _undo_all(undo: list[Callable]) -> None:
    while undo:
        undo.pop()()


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    lib = Library(*args, **kwargs)
    try:
        yield lib
    finally:
        lib._destroy()


_kept: list[Library] = []           # what is registered without a Library stays


def _library(namespace: str, lib: Library | None) -> Library:
    if lib is None:
        lib = Library(namespace, "FRAGMENT")
        _kept.append(lib)
    return lib


def fallthrough_kernel() -> NoReturn:
    """Registered for a dispatch key, it stands for no kernel."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def define(qualname: str | Library, schema: str, alias_analysis: str = "", *,
           lib: Library | None = None, tags: Any = ()) -> Any:
    """Make the operator `qualname` of this schema; kernels and gradients are registered later.

    >>> import retrograd as torch
    >>> torch.library.define("docs::halved", "(Tensor x) -> Tensor")
    >>> @torch.library.impl("docs::halved", "cpu")
    ... def halved(x):
    ...     return x / 2
    >>> torch.ops.docs.halved(torch.ones(2))
    tensor([0.5000, 0.5000])

    The older form with a Library in front decorates the kernel.
    """
    if isinstance(qualname, Library):
        owner, name = qualname, qualname.define(schema, alias_analysis, tags=tags)
        return lambda fn: (owner.impl(name, fn), fn)[1]
    namespace, name = split_name(qualname)
    if not re.fullmatch(r"\(.*\) -> .*", schema, re.DOTALL):
        raise ValueError("define(qualname, schema, ...): expected schema to look like e.g. "
                         f'"(Tensor x) -> Tensor" but got "{schema}"')
    _library(namespace, lib).define(name + schema, alias_analysis, tags=tags)


def impl(qualname: str | Library, types: Any, func: Any = None, *,
         lib: Library | None = None) -> Any:
    """Register a kernel for devices; a decorator without `func`. "default" is for every device.

    The older form, `impl(library, name, key)`, decorates one for a dispatch key.

    >>> import retrograd as torch
    >>> torch.library.define("docs::doubled", "(Tensor x) -> Tensor")
    >>> @torch.library.impl("docs::doubled", "cpu")
    ... def doubled(x):
    ...     return x * 2
    >>> torch.ops.docs.doubled(torch.ones(2))
    tensor([2., 2.])
    """
    if isinstance(qualname, Library):
        owner, name, key = qualname, types, func or ""
        return lambda fn: (owner.impl(name, fn, key), fn)[1]
    namespace, name = split_name(qualname)
    keys = (["CompositeExplicitAutograd"] if types is None or types == "default"
            else [key_of(device) for device in device_types_of(types)])

    def register(function: Callable) -> Callable:
        owner = _library(namespace, lib)
        for key in keys:
            owner.impl(name, function, key)
        return function

    return register if func is None else register(func) and None


# --------------------------------------------------------------------------- registering more

def register_fake(op: Any, func: Callable | None = None, /, *, lib: Any = None,
                  **options: Any) -> Any:
    """Set what the operator runs on tensors on "meta"; a decorator without `func`.

    Raises RuntimeError if there is no such operator, unless it may be one of a C++ library that
    could not be loaded: a package that goes on without its library still registers these.

    >>> import retrograd as torch
    >>> @torch.library.custom_op("docs::pairs", mutates_args=())
    ... def pairs(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.stack([x, x])
    >>> @torch.library.register_fake("docs::pairs")
    ... def of_shape(x):
    ...     return x.new_empty(2, *x.shape)
    >>> pairs(torch.empty(3, device="meta")).shape
    torch.Size([2, 3])
    """
    try:
        operator = _named("register_fake", op)
    except AttributeError:
        if not torch.ops.left_out:
            raise RuntimeError(f"operator {op} does not exist") from None
        operator = None

    def register(function: Callable) -> Callable:
        if operator is not None:
            operator.fake = function
        return function

    return register if func is None else register(func)


impl_abstract = register_fake


def register_kernel(op: Any, device_types: Any, func: Callable | None = None, /, *,
                    lib: Any = None) -> Any:
    """Set what the operator runs on devices of these types; a decorator without `func`.

    >>> import retrograd as torch
    >>> @torch.library.custom_op("docs::third_power", mutates_args=())
    ... def third_power(x: torch.Tensor) -> torch.Tensor:
    ...     return x * x * x
    >>> _ = torch.library.register_kernel("docs::third_power", "cpu", lambda x: x**3)
    >>> third_power(torch.tensor([2.]))
    tensor([8.])
    """
    operator = _named("register_kernel", op)
    if operator.definition is not None:
        return operator.definition.register_kernel(device_types, func)
    return impl(operator.overload.name(), device_types, func, lib=lib)


def register_autograd(op: str | OpOverload | CustomOpDef, backward: Callable, /, *,
                      setup_context: Callable | None = None, lib: Any = None) -> None:
    """Set the gradient of the operator; see `CustomOpDef.register_autograd`.

    >>> import retrograd as torch
    >>> @torch.library.custom_op("docs::cube_of", mutates_args=())
    ... def cube_of(x: torch.Tensor) -> torch.Tensor:
    ...     return x * x * x
    >>> torch.library.register_autograd(
    ...     "docs::cube_of", lambda ctx, g: 3 * ctx.saved_tensors[0]**2 * g,
    ...     setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))
    >>> x = torch.tensor(2., requires_grad=True)
    >>> cube_of(x).backward(); x.grad
    tensor(12.)
    """
    operator = _named("register_autograd", op)
    if operator.schema.written:
        raise not_functional(operator.overload, operator)
    refuse_keyword_tensors("register_autograd", operator.schema)
    operator.backward, operator.setup = backward, setup_context


def register_autocast(op: str | OpOverload | CustomOpDef, device_type: str, cast_inputs: dtype, /,
                      *, lib: Any = None) -> None:
    """Set the dtype in which the operator gets float tensors in a block of autocast.

    Those of float64 stay as they are. Inside the operator autocast is off. Raises ValueError for a
    device without autocast.

    >>> import retrograd as torch
    >>> @torch.library.custom_op("docs::same_sine", mutates_args=())
    ... def same_sine(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.sin(x)
    >>> torch.library.register_autocast("docs::same_sine", "cpu", torch.float16)
    >>> with torch.autocast("cpu"):
    ...     same_sine(torch.ones(2)).dtype
    torch.float16
    """
    operator = _named("register_autocast", op)
    if not is_autocast_available(device_type):
        raise ValueError(f"Device type '{device_type}' does not support autocast.")
    if operator.definition is not None:
        operator.definition.register_autocast(device_type, cast_inputs)
    else:
        operator.casts[device_type] = cast_inputs


def register_vmap(op: str | OpOverload | CustomOpDef, func: Callable | None = None, /, *,
                  lib: Any = None) -> Any:
    """Set what the operator runs under vmap; see `CustomOpDef.register_vmap`.

    >>> import retrograd as torch
    >>> @torch.library.custom_op("docs::cubes", mutates_args=())
    ... def cubes(x: torch.Tensor) -> torch.Tensor:
    ...     return x * x * x
    >>> torch.library.register_vmap("docs::cubes", lambda info, dims, x: (x**3, dims[0]))
    >>> torch.vmap(cubes)(torch.tensor([1., 2.]))
    tensor([1., 8.])
    """
    operator = _named("register_vmap", op)
    refuse_keyword_tensors("register_vmap", operator.schema)

    def register(function: Callable) -> None:
        operator.vmap = function

    return register if func is None else register(func)


def register_torch_dispatch(op: str | OpOverload | CustomOpDef, torch_dispatch_class: type,
                            func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """Set what the operator does in modes of a class: `func(mode, op, types, args, kwargs)`.

    >>> import retrograd as torch
    >>> class Zero(torch.utils._python_dispatch.TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         return func(*args, **kwargs or {})
    >>> @torch.library.custom_op("docs::threefold", mutates_args=())
    ... def threefold(x: torch.Tensor) -> torch.Tensor:
    ...     return 3 * x
    >>> @torch.library.register_torch_dispatch("docs::threefold", Zero)
    ... def answer(mode, op, types, args, kwargs):
    ...     return torch.zeros_like(args[0])
    >>> with Zero():
    ...     threefold(torch.ones(2))
    tensor([0., 0.])
    """
    operator = _named("register_torch_dispatch", op)

    def register(function: Callable) -> Callable:
        operator.in_modes[torch_dispatch_class] = function
        return function

    return register if func is None else register(func)


def triton_op(name: str, fn: Callable | None = None, /, *, mutates_args: Any,
              schema: str | None = None) -> Any:
    """As custom_op: a function that calls Triton's kernels can be declared, and fails there.

    >>> import retrograd as torch
    >>> @torch.library.triton_op("docs::twofold", mutates_args=())
    ... def twofold(x: torch.Tensor) -> torch.Tensor:
    ...     return x * 2
    >>> twofold(torch.ones(2))
    tensor([2., 2.])
    """
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


# --------------------------------------------------------------------------- checking

_CHECKS = ("test_schema", "test_autograd_registration", "test_faketensor")


def opcheck(op: OpOverload | CustomOpDef, args: tuple, kwargs: dict | None = None, *,
            test_utils: str | Sequence[str] = _CHECKS, raise_exception: bool = True,
            atol: float | None = None, rtol: float | None = None) -> dict[str, Any]:
    """Check an operator's registrations by calling it: {check: "SUCCESS" or the exception}.

    "test_schema": it writes to no argument but those its schema says, and returns none of them.
    "test_autograd_registration": its gradient is registered in a way that autograd sees.
    "test_faketensor": on "meta" it gives results of the right shapes and dtypes.
    Nothing is compiled here: "test_aot_dispatch_*" raises NotImplementedError.

    >>> import retrograd as torch
    >>> @torch.library.custom_op("docs::cubing", mutates_args=())
    ... def cubing(x: torch.Tensor) -> torch.Tensor:
    ...     return x * x * x
    >>> torch.library.opcheck(cubing, (torch.ones(2),), test_utils="test_schema")
    {'test_schema': 'SUCCESS'}
    """
    from ._opcheck import CHECKS

    operator = _named("opcheck", op)
    results: dict[str, Any] = {}
    for name in [test_utils] if isinstance(test_utils, str) else test_utils:
        if name not in CHECKS:
            raise NotImplementedError(f"torch.library.opcheck: test_utils={name!r}; there are "
                                      f"{', '.join(CHECKS)}")
        try:
            CHECKS[name](operator, args, kwargs or {})
            results[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise
            results[name] = error
    return results
