"""torch.library: operators of a program's own, reached as torch.ops.<namespace>.<name> too."""

from __future__ import annotations

import inspect
import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import retrograd as torch

from . import _schema
from ._dtype import dtype
from ._operators import KERNELS, NAMESPACES, USED, Operator, full_name
from ._ops import OpOverload
from ._schema import infer_schema
from ._tensor import ON_META, WRAPPER, Tensor
from .amp.autocast_mode import is_autocast_available
from .autograd.graph import increment_version
from .utils._pytree import tree_flatten

__all__ = ["CustomOpDef", "Library", "custom_op", "define", "fallthrough_kernel", "impl",
           "impl_abstract", "infer_schema", "opcheck", "register_autocast", "register_autograd",
           "register_fake", "register_kernel", "register_torch_dispatch", "register_vmap",
           "triton_op"]


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
                 schema: str | None = None, device_types: Any = None) -> None:
        _names(name)
        self._qualname = name
        if schema is None:
            text = infer_schema(fn, mutates_args=mutates_args)
            read = replace(_schema.read(name, text), signature=inspect.signature(fn))
        else:
            read = _schema.read(name, schema)
        _check_schema(read, schema, mutates_args)
        KERNELS.pop(full_name(name), None)          # of an operator that had the name before
        self._operator = Operator(read, definition=self)
        self._opoverload = self._operator.overload
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
        if self._operator.schema.written:
            raise _not_functional(self, self._operator)
        self._operator.backward, self._operator.setup = backward, setup_context

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Any:
        """Set what runs on "cpu"; functions for other devices are kept and never run."""
        schema = self._operator.schema
        takes = {kind.rstrip("?[]") for kind in schema.kinds.values()}
        if device_types is not None and "Tensor" not in takes and "device" not in schema.kinds:
            raise ValueError("Functions without tensor inputs are required to have a "
                             "`device: torch.device` argument")

        def register(function: Callable) -> Callable:
            for device in _devices(device_types):
                self._operator.kernels[_key(device)] = self._kernel(device, function)
            return function

        return register if fn is None else register(fn)

    def _kernel(self, device: str, function: Callable) -> Callable:
        """`function`, with a look at what it returns and a note of what it wrote to."""
        written = self._operator.schema.written
        position = list(self._operator.schema.signature.parameters).index

        def kernel(*args: Any, **kwargs: Any) -> Any:
            run = self._initial if device in self._disabled else function
            targets = [t for name in written for t in tree_flatten(args[position(name)])[0]
                       if t is not None]
            result = run(*args, **kwargs)
            _check_new(self._qualname, result, args)
            if targets:
                increment_version(targets)
            return result
        return kernel

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


def _check_schema(read: _schema.Schema, given: str | None,
                  mutates_args: str | Iterable[str]) -> None:
    written = set(read.written)
    if given is not None and mutates_args != "unknown" and written != set(mutates_args):
        raise ValueError("Attempted to create a custom op with `mutates_args="
                         f"{mutates_args}` and `schema={given}. The schema suggests that the "
                         f"op mutates {written or '{}'} which is different from what was "
                         "provided to us in `mutates_args`. Please make these consistent.")
    _no_tensors_by_keyword("custom_op", read)


def _no_tensors_by_keyword(caller: str, read: _schema.Schema) -> None:
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


def _not_functional(shown: Any, op: Operator) -> RuntimeError:
    return RuntimeError(f"Cannot register autograd formula for non-functional operator {shown} "
                        f"with schema {op.schema}. Please create a functional operator and "
                        "register an autograd formula for that.")


# --------------------------------------------------------------------------- names and keys

def _names(name: str) -> tuple[str, str]:
    """("namespace", "name") of "namespace::name"; ValueError for anything else."""
    namespace, _, short = name.partition("::")
    if not namespace or not short or "::" in short:
        raise ValueError(f'Expected `qualname` to be of the form "namespace::name", but got {name}.'
                         " The qualname passed to the torch.library APIs must consist of a "
                         "namespace and a name, e.g. aten::sin")
    return namespace, short


def _devices(device_types: Any) -> Sequence[str]:
    if device_types is None or device_types == "default":
        return ("cpu",)
    return (device_types,) if isinstance(device_types, str) else tuple(device_types)


def _key(device: str) -> str:
    """The dispatch key of a device: "CPU" of "cpu", or of its own name."""
    if device in USED or _ELSEWHERE.fullmatch(device):
        return device
    kind = torch.device(device).type
    return {"meta": "Meta"}.get(kind, kind.upper())


_ELSEWHERE = re.compile(          # keys of devices that are not here: their kernels never run
    r"(Autograd|Sparse|Quantized|NestedTensor)?"
    r"(CUDA|HIP|XPU|MPS|HPU|XLA|IPU|VE|Lazy|MTIA|MAIA|PrivateUse[123])|QuantizedCPU|MkldnnCPU|"
    r"NestedTensorCPU|AutogradOther|AutogradMeta")


def _check_key(key: str) -> None:
    """NotImplementedError for a dispatch key under which something else would have to happen."""
    if key not in USED and not _ELSEWHERE.fullmatch(key):
        raise NotImplementedError(f"torch.library: retrograd runs no kernels of the dispatch key "
                                  f"{key!r}, but those of {', '.join(USED)}")


def _named(caller: str, op: str | OpOverload | CustomOpDef) -> Operator:
    """The operator that is given, or has the given name."""
    if isinstance(op, CustomOpDef):
        return op._operator
    if not isinstance(op, (str, OpOverload)):
        raise ValueError(f"{caller}({op}): got unexpected type for op: {type(op)}")
    name = op if isinstance(op, str) else op.name()
    namespace, short = _names(name)
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
        _check_key(key)
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
    namespace, name = _names(qualname)
    if not re.fullmatch(r"\(.*\) -> .*", schema, re.DOTALL):
        raise ValueError("define(qualname, schema, ...): expected schema to look like e.g. "
                         f'"(Tensor x) -> Tensor" but got "{schema}"')
    _library(namespace, lib).define(name + schema, alias_analysis, tags=tags)


def impl(qualname: str | Library, types: Any, func: Any = None, *,
         lib: Library | None = None) -> Any:
    """Register a kernel for devices; a decorator without `func`. "default" is for every device.

    The older form, ``impl(library, name, key)``, decorates one for a dispatch key.

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
    namespace, name = _names(qualname)
    keys = (["CompositeExplicitAutograd"] if types is None or types == "default"
            else [_key(device) for device in _devices(types)])

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
        raise _not_functional(operator.overload, operator)
    _no_tensors_by_keyword("register_autograd", operator.schema)
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
    _no_tensors_by_keyword("register_vmap", operator.schema)

    def register(function: Callable) -> None:
        operator.vmap = function

    return register if func is None else register(func)


def register_torch_dispatch(op: str | OpOverload | CustomOpDef, torch_dispatch_class: type,
                            func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """Set what the operator does in modes of a class: `func(mode, op, types, args, kwargs)`."""
    operator = _named("register_torch_dispatch", op)

    def register(function: Callable) -> Callable:
        operator.in_modes[torch_dispatch_class] = function
        return function

    return register if func is None else register(func)


def triton_op(name: str, fn: Callable | None = None, /, *, mutates_args: Any,
              schema: str | None = None) -> NoReturn:
    """Raises NotImplementedError: Triton's kernels run on GPUs."""
    raise NotImplementedError(f"torch.library.triton_op({name!r}): retrograd runs on the CPU, "
                              "where Triton has no kernels; see torch.library.custom_op")


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
