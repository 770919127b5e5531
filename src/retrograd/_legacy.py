"""The older constructors: torch.Tensor(2, 3), torch.LongTensor([1, 2]), tensor.new(...)."""

from __future__ import annotations

import numpy as np

from . import _dtype
from ._attributes import Size
from ._from_data import array_of
from ._tensor import Tensor, wrap
from ._warnings import warn_once
from .ops.arguments import invalid_combination
from .ops.factory import check_legacy_device, check_storage, sizes, undefined
from .ops.public import FUNCTIONS, method, public


def legacy_tensor(args, dtype=None, size=None) -> Tensor:
    """Sizes give uninitialised memory, one sequence its numbers, one tensor an alias."""
    d = _dtype.default.dtype if dtype is None else dtype
    if size is not None:
        args = (Size(size),)
    if not args:
        return wrap(np.empty(0, d.np))
    first = args[0]
    if len(args) > 1 and isinstance(first, (tuple, list)):
        raise invalid_combination("new", args, {}, SIGNATURES)
    if len(args) == 1 and isinstance(first, Tensor):
        return _alias(first, first.dtype if dtype is None else d)
    if isinstance(first, Size) or (
        hasattr(first, "__index__") and not isinstance(first, np.ndarray)
    ):
        return wrap(undefined(np.empty(sizes("new", args), d.np)))
    if isinstance(first, (float, complex)):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    if hasattr(first, "untyped"):
        check_storage(first, d, " for argument 1 'storage'")
        return wrap(np.empty(0, d.np)).set_(first)
    return wrap(array_of(first, d))


def constructed(args, options, dtype=None, here="cpu") -> Tensor:
    """legacy_tensor() as programs call it: the only option is a device, of the type `here`."""
    named = [key for key in options if key != "device"]
    if len(args) > 0 < len(named) or not set(named) <= {"size", "data", "other", "storage"}:
        raise invalid_combination("new", args, options, SIGNATURES)
    check_legacy_device(options.get("device"), here)
    if named and named != ["size"]:
        args = (options[named[0]],)
    return legacy_tensor(args, dtype, options.get("size"))


def _alias(tensor, d):
    if tensor.dtype is not d:
        options = ("TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false "
                   "(default), pinned_memory=false (default), memory_format=(nullopt))")
        raise TypeError(f"expected {options.format(d.option_name)} "
                        f"(got {options.format(tensor.dtype.option_name)})")
    from .ops.declare import F

    return F.alias(tensor)


@public(method=False)
def set_default_tensor_type(t):
    """set_default_dtype by a tensor type or its name, with PyTorch's warning; there is no GPU.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.set_default_tensor_type(torch.DoubleTensor)
    >>> torch.ones(1).dtype
    torch.float64
    >>> torch.set_default_tensor_type(torch.FloatTensor)
    """
    from importlib import import_module

    if isinstance(t, str):
        module, _, name = t.rpartition(".")
        root, _, rest = module.partition(".")
        t = getattr(import_module(f"retrograd.{rest}" if rest else "retrograd"), name) \
            if root == "torch" else import_module(t)
    name = getattr(t, "__name__", "")
    if getattr(t, "__module__", "") == "torch.cuda":
        raise TypeError(f"type torch.cuda.{name} not available. Torch not compiled with CUDA "
                        "enabled.")
    if not isinstance(t, TensorType):
        raise TypeError("invalid type object: only floating-point types are supported as the "
                        "default type")
    warn_once("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
              "torch.set_default_dtype() and torch.set_default_device() as alternatives.")
    _dtype.set_default_dtype(t.dtype)


@public
def get_device(input):
    """The number of the tensor's GPU: -1, for the CPU.

    >>> import retrograd as torch
    >>> torch.ones(1).get_device()
    -1
    """
    return -1


@method
def new(self, *args, **options):
    """torch.Tensor(*args) in the dtype of this tensor.

    >>> import retrograd as torch
    >>> torch.ones(2, dtype=torch.float64).new([1, 2])
    tensor([1., 2.], dtype=torch.float64)
    """
    return constructed(args, options, self.dtype, self.device.type).to(self.device)


SIGNATURES = ("*, torch.device device = None", "torch.Storage storage", "Tensor other",
              "tuple of ints size, *, torch.device device = None",
              "object data, *, torch.device device = None")


class TensorType(type):
    """The class of torch.FloatTensor and so on: isinstance() asks for the dtype."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __new__(mcs, name, bases, namespace):
        if bases:
            raise TypeError(f"type 'torch.{bases[0].__name__}' is not an acceptable base type")
        return super().__new__(mcs, name, bases, namespace)

    def __call__(cls, *args, **options):
        return constructed(args, options, cls.dtype)

    def __repr__(cls):
        return f"<class '{cls.__module__}.{cls.__name__}'>"


for _d in _dtype.ALL:
    if not _d.is_complex and not _d.name.startswith("uint") or _d is _dtype.uint8:
        _name = f"{_d.tensor_name}Tensor"
        FUNCTIONS[_name] = TensorType(_name, (), {
            "dtype": _d, "__module__": "torch",
            "__doc__": f"A tensor of {_d} from sizes or data; isinstance() asks for the dtype.\n\n"
                       f">>> import retrograd as torch\n>>> torch.{_name}.dtype\n{_d}\n"})
