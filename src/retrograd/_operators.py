"""Operators that programs make with torch.library: what a call does.

NOTE [operators of programs]
    An Operator is one overload: a schema, and what was registered for it by the names of PyTorch's
    dispatch keys. A call binds the arguments to the schema and takes the first there is of

    * a kernel for "Autograd", which records what it likes and may call the operator again inside
      `BelowAutograd`;
    * a kernel for "CompositeImplicitAutograd": a function of other operators, recorded as they are;
    * a formula for the gradient (or it is a custom_op, which may have none): a Function around the
      kernel, which is the one for "CPU" or for "CompositeExplicitAutograd";
    * that kernel alone. What its operators record is kept, and backward warns, as in PyTorch.

    Registrations are kept by the operator's name, not in the Operator: they may come before it.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ._attributes import device as as_device
from ._dtype import float64
from ._ops import packet
from ._schema import Schema
from ._tensor import BATCHED, ON_META, Tensor
from .amp.autocast_mode import autocast, is_autocast_enabled
from .autograd.function import Function
from .autograd.grad_mode import is_grad_enabled, no_grad
from .ops.batching import slice_at, warn_of_loop
from .ops.calls import CustomCall, show
from .ops.declare import F as T
from .ops.overloads import is_name_alone
from .ops.support import unusual
from .utils._pytree import tree_flatten, tree_map, tree_unflatten

NAMESPACES: dict[str, dict[str, dict[str, Operator]]] = {}      # namespace, name, overload
KERNELS: dict[str, dict[str, Callable]] = {}                    # "ns::name.overload", key
USED = ("Autograd", "AutogradCPU", "CompositeImplicitAutograd", "CPU",
        "CompositeExplicitAutograd", "Meta")
_ELSEWHERE = re.compile(          # keys of devices that are not here: their kernels never run
    r"(Autograd|Sparse|Quantized|NestedTensor)?"
    r"(CUDA|HIP|XPU|MPS|HPU|XLA|IPU|VE|Lazy|MTIA|MAIA|PrivateUse[123])|QuantizedCPU|MkldnnCPU|"
    r"NestedTensorCPU|AutogradOther|AutogradMeta")


def full_name(name: str) -> str:
    """"ns::name.default" for "ns::name"."""
    return name if "." in name else f"{name}.default"


def split_name(name: str) -> tuple[str, str]:
    """("namespace", "name") of "namespace::name"; ValueError for anything else."""
    namespace, _, short = name.partition("::")
    if not namespace or not short or "::" in short:
        raise ValueError(f'Expected `qualname` to be of the form "namespace::name", but got {name}.'
                         " The qualname passed to the torch.library APIs must consist of a "
                         "namespace and a name, e.g. aten::sin")
    return namespace, short


def device_types_of(device_types: Any) -> Sequence[str]:
    """The devices that a kernel is registered for, given as None, one or several; "cpu" of None."""
    if device_types is None or device_types == "default":
        return ("cpu",)
    return (device_types,) if isinstance(device_types, str) else tuple(device_types)


def key_of(device: str) -> str:
    """The dispatch key of a device: "CPU" of "cpu", or of its own name."""
    if device in USED or _ELSEWHERE.fullmatch(device):
        return device
    kind = as_device(device).type
    return {"meta": "Meta"}.get(kind, kind.upper())


def check_key(key: str) -> None:
    """NotImplementedError for a dispatch key that has no counterpart here."""
    if key not in USED and not _ELSEWHERE.fullmatch(key):
        raise NotImplementedError(f"torch.library: retrograd runs no kernels of the dispatch key "
                                  f"{key!r}, but those of {', '.join(USED)}")


class _Local(threading.local):
    below_autograd = False


_local = _Local()


class BelowAutograd(no_grad):
    """Inside, operators run their kernels and nothing is recorded."""

    def __enter__(self) -> None:
        super().__enter__()
        self._outer, _local.below_autograd = _local.below_autograd, True

    def __exit__(self, *exc: Any) -> None:
        _local.below_autograd = self._outer
        super().__exit__(*exc)


class Operator:
    """One overload of an operator of a program; see NOTE [operators of programs]."""

    def __init__(self, schema: Schema, definition: Any = None) -> None:
        self.schema = schema
        self.definition = definition            # the CustomOpDef, if there is one: it is opaque
        self.name = schema.name
        namespace, short = self.name.split("::")
        overloads = NAMESPACES.setdefault(namespace, {}).setdefault(short, {})
        overloads[schema.overload_name] = self
        family = packet(namespace, short)
        family._forms = lambda: list(overloads)
        family._function = lambda *args, **kwargs: resolve(overloads, args, kwargs)
        self.overload = getattr(family, schema.overload_name)
        self.overload._operator = self
        self.kernels = KERNELS.setdefault(f"{self.name}.{schema.overload_name}", {})
        self.fake: Callable | None = None
        self.backward: Callable | None = None
        self.setup: Callable | None = None
        self.vmap: Callable | None = None
        self.in_modes: dict[type, Callable] = {}        # by classes with __torch_dispatch__
        self.casts: dict[str, Any] = {}         # dtypes of inputs under autocast, by device
        self.function = _function(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = self.schema.bind(args, kwargs)
        written = [arguments[name] for name in self.schema.written]
        keywords = {name: arguments.pop(name) for name in self.schema.keyword_only}
        positional = tuple(arguments.values())
        if "cpu" in self.casts and is_autocast_enabled("cpu"):
            with autocast("cpu", enabled=False):
                return self(*cast_floats(positional, self.casts["cpu"]), **keywords)
        tensors = [t for t in tree_flatten((positional, keywords))[0] if isinstance(t, Tensor)]
        if self.vmap is not None and any(t._flags & BATCHED for t in tensors):
            return self._recorded(positional, keywords)
        for key in ("AutogradCPU", "Autograd", "CompositeImplicitAutograd"):
            above = key == "CompositeImplicitAutograd" or not _local.below_autograd
            if key in self.kernels and above:
                positional, keywords = self.schema.without_defaults(positional, keywords)
                return self.schema.returned(self.kernels[key](*positional, **keywords))
        recording = is_grad_enabled() and any(t.requires_grad for t in tensors)
        if recording and self.definition is not None and self.definition._is_out:
            short = self.name.partition("::")[2]
            raise RuntimeError(f"{short}(): functions with out=... arguments don't support "
                               "automatic differentiation, but one of the arguments requires grad.")
        if recording and self.definition is not None and _any_requires_grad(written):
            raise NotImplementedError(f"{self.name}: retrograd does not differentiate what a "
                                      "custom operator writes to its arguments (mutates_args)")
        if self.definition is not None or self.backward is not None:
            if recording or any(unusual(t._flags & ~ON_META) for t in tensors):
                return self._recorded(positional, keywords)
            with no_grad():
                return self.run(positional, keywords)
        result = self.run(*self.schema.without_defaults(positional, keywords))
        return self._warning(result, tensors) if recording else result

    def forget(self) -> None:
        """Take the operator out of its namespace."""
        namespace, short = self.name.split("::")
        overloads = NAMESPACES[namespace][short]
        if overloads.get(self.schema.overload_name) is self:
            del overloads[self.schema.overload_name]
            self.overload._operator = None
        if not overloads:
            del NAMESPACES[namespace][short]

    def _recorded(self, positional: tuple, keywords: dict) -> Any:
        flat, structure = tree_flatten(positional)
        result = self.function.apply(structure, keywords, *flat)
        return list(result) if self.schema.result == "Tensor[]" else result

    def run(self, positional: tuple, keywords: dict) -> Any:
        """The kernel's result."""
        if any(isinstance(t, Tensor) and t.is_meta for t in tree_flatten(positional)[0]):
            return self._on_meta()(*positional, **keywords)
        return show(CustomCall(self.overload, self._on_cpu, positional, keywords, True))

    def _on_cpu(self, *args: Any, **kwargs: Any) -> Any:
        found = self.kernels.get("CPU") or self.kernels.get("CompositeExplicitAutograd")
        if found is None:
            raise NotImplementedError(f"Could not run '{self.name}' with arguments from the "
                                      "'CPU' backend: no kernel is registered for \"cpu\"")
        return self.schema.returned(found(*args, **kwargs))

    def _on_meta(self) -> Callable:
        found = (self.fake or self.kernels.get("Meta")
                 or self.kernels.get("CompositeExplicitAutograd"))
        if found is None:
            raise NotImplementedError(
                f"{self.name}: attempted to run this operator with Meta tensors, but there was no "
                "fake impl or Meta kernel registered: torch.library.register_fake registers one")
        return found

    def _warning(self, result: Any, inputs: list[Tensor]) -> Any:
        """The result of a kernel without a formula, whose backward pass says that it has none."""
        def warn(_: Any = None) -> None:
            warnings.warn(
                f"{self.name}: an autograd kernel was not registered to the Autograd key(s) but we "
                "are trying to backprop through it. This may lead to silently incorrect behavior. "
                "If your operator is differentiable, please register its gradient with "
                "torch.library.register_autograd.", UserWarning, stacklevel=2)

        leaves, structure = tree_flatten(result)
        for k, leaf in enumerate(leaves):
            if not isinstance(leaf, Tensor) or any(leaf is t for t in inputs):
                continue
            if leaf.requires_grad:
                leaf.register_hook(warn)
            elif leaf.is_floating_point() or leaf.is_complex():
                leaves[k] = _Unrecorded.apply(warn, leaf, *inputs)
        return tree_unflatten(leaves, structure)


def cast_floats(tree: Any, dtype: Any) -> Any:
    """The arguments with float tensors, but for float64, in another dtype."""
    def cast(value: Any) -> Any:
        floats = isinstance(value, Tensor) and value.is_cpu and value.is_floating_point()
        return value.to(dtype) if floats and value.dtype is not float64 else value
    return tree_map(cast, tree)


def _any_requires_grad(tree: Any) -> bool:
    return any(isinstance(t, Tensor) and t.requires_grad for t in tree_flatten(tree)[0])


class _Unrecorded(Function):
    """A result that autograd did not see being computed: backward warns and gives no gradient."""

    @staticmethod
    def forward(ctx: Any, warn: Callable, result: Tensor, *inputs: Tensor) -> Tensor:
        ctx.warn, ctx.count = warn, 2 + len(inputs)
        return result.detach()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple:
        ctx.warn()
        return (None,) * ctx.count


def _function(op: Operator) -> type[Function]:
    """The Function that runs `op` on its flattened arguments."""
    in_list = op.schema.result == "Tensor[]"
    label = str(op.overload)

    def forward(structure: Any, keywords: dict, *flat: Any) -> Any:
        result = op.run(tree_unflatten(list(flat), structure), keywords)
        return tuple(result) if in_list else result

    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        structure, keywords, *flat = inputs
        ctx._structure = structure
        if op.setup is not None:
            more = {"keyword_only_inputs": keywords} if keywords else {}
            op.setup(ctx=ctx, inputs=tree_unflatten(flat, structure),
                     output=list(output) if in_list else output, **more)

    def backward(ctx: Any, *grads: Any) -> tuple:
        if op.backward is None:
            raise RuntimeError(f"Trying to backward through {label} but no autograd formula was "
                               "registered. Please use register_autograd to add one.")
        found = op.backward(ctx, list(grads)) if in_list else op.backward(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        return None, None, *_flat_gradients(op.schema.with_none(found), ctx._structure)

    def vmap(info: Any, in_dims: tuple, structure: Any, keywords: dict, *flat: Any) -> Any:
        if op.vmap is None:
            return _one_by_one(op, info, in_dims[2:], structure, keywords, flat)
        dims = tree_unflatten(list(in_dims[2:]), structure)
        return op.vmap(info, dims, *tree_unflatten(list(flat), structure), **keywords)

    name = f"GeneratedBackwardFor_{str(op.overload).replace('.', '_')}"
    methods = forward, setup_context, backward, vmap
    return type(name, (Function,), {f.__name__: staticmethod(f) for f in methods})


def _flat_gradients(grads: tuple, structure: Any) -> list:
    """A gradient for each flattened argument; None means all of a list's."""
    flat: list = []
    for grad, argument in zip(grads, structure.children_specs, strict=True):
        leaves = tree_flatten(grad)[0] if isinstance(grad, (list, tuple)) else [grad]
        flat += leaves if len(leaves) == argument.num_leaves else leaves * argument.num_leaves
    return flat


def _one_by_one(op: Operator, info: Any, dims: tuple, structure: Any, keywords: dict,
                flat: tuple) -> tuple:
    """vmap of an operator without a rule: each slice by itself."""
    warn_of_loop(op.name)
    rows = [t if dim is None else t.movedim(dim, 0) for t, dim in zip(flat, dims, strict=True)]
    results = []
    for i in range(info.batch_size):
        args = [slice_at(t, dim is not None, i) for t, dim in zip(rows, dims, strict=True)]
        results.append(op(*tree_unflatten(args, structure), **keywords))
    leaves, spec = tree_flatten(results[0])
    columns = zip(*(tree_flatten(result)[0] for result in results), strict=True)
    return tree_unflatten([T.stack(list(column), 0) for column in columns], spec), \
        tree_unflatten([0] * len(leaves), spec)


def resolve(overloads: dict[str, Operator], args: tuple, kwargs: dict) -> Any:
    """Call the first of an operator's overloads that the arguments fit."""
    if len(overloads) == 1:
        return next(iter(overloads.values()))(*args, **kwargs)
    said = []
    for operator in overloads.values():
        try:
            operator.schema.bind(args, kwargs)
        except RuntimeError as error:
            said.append(str(error))
        else:
            return operator(*args, **kwargs)
    raise RuntimeError("Overloaded torch operator invoked from Python failed to match any "
                       "schema:\n" + "\n\n".join(said))


class OpNamespace:
    """torch.ops.<name>: the operators of a namespace; for "aten", the package's own."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name in NAMESPACES.get(self._name, {}):
            return packet(self._name, name)
        function = _public_function(name) if self._name == "aten" else None
        if function is None and not (self._name == "aten" and is_name_alone(name)):
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        found = packet(self._name, name)
        found._function = function
        return found


def _public_function(name: str) -> Any:
    """The public function of PyTorch's operator: linalg.det for "linalg_det"."""
    import retrograd as torch
    homes = torch, torch.nn.functional, Tensor
    found = next((getattr(home, name) for home in homes if hasattr(home, name)), None)
    room, _, rest = name.partition("_")
    if found is None and room in ("fft", "linalg", "special"):
        found = getattr(getattr(torch, room), rest, None)
    return found
