"""What a tensor's attributes answer: Size, device, layout and memory format.

`dtype` has a file of its own, `_dtype.py`.
"""

from __future__ import annotations

import re
from typing import Any, SupportsIndex, overload

import numpy as np

from ._callers import called
from ._dtype import InC
from ._state import features, state

size_of = tuple.__new__


class Size(tuple[int, ...], metaclass=InC):
    """A shape: a tuple of ints that prints as torch.Size([2, 3]).

    >>> import retrograd as torch
    >>> size = torch.ones(2, 3).shape
    >>> size[-1], size.numel(), size == (2, 3)
    (3, 6, True)
    """

    def __new__(cls, sizes=()):
        made = size_of(cls, sizes)
        for n in made:
            if n.__class__ is not int:
                return size_of(cls, [_size(k, n) for k, n in enumerate(made)])
        return made

    def __reduce__(self):
        from ._utils import _rebuild_size
        return _rebuild_size, (tuple(self),)

    def numel(self) -> int:
        """The product of the sizes."""
        n = 1
        for size in self:
            n *= size
        return n

    def __repr__(self):
        return f"torch.Size([{', '.join(map(repr, self))}])"

    __str__ = __repr__

    def __add__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to "
                            "torch.Size")
        return size_of(Size, tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        return size_of(Size, tuple.__add__(other, self))

    def __mul__(self, n: SupportsIndex) -> Size:
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    @overload
    def __getitem__(self, i: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, i: slice) -> Size: ...
    def __getitem__(self, i: Any) -> Any:
        found = tuple.__getitem__(self, i)
        return size_of(Size, found) if isinstance(i, slice) else found


def _size(k, n):
    """Element k of a shape: an integer, or a tensor with one."""
    array = getattr(n, "_data", None)
    if array is not None and array.size == 1 and array.dtype.kind in "biu":
        return int(n)
    if array is not None or not hasattr(n, "__index__"):
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {k} is "
                        f"'{'numpy.' * isinstance(n, np.generic)}{type(n).__name__}')")
    return n


class device(metaclass=InC):
    """Where a tensor is: "cpu", or "meta" for a tensor that has a shape and no data.

    Other names of PyTorch's, such as "cuda:0", can be written too, but no tensor can be there.
    `with torch.device(d):` makes new tensors there by default.

    >>> import retrograd as torch
    >>> with torch.device("meta"):
    ...     torch.ones(2, 3)
    tensor(..., device='meta', size=(2, 3))
    """

    def __init__(self, type, index: int | None = None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if not isinstance(type, str):
            raise no_device(type)
        if index is not None and not isinstance(index, int):
            raise TypeError("device(): argument 'index' (position 2) must be int, not "
                            f"{index.__class__.__name__}")
        name, _, number = type.partition(":")
        if not type:
            raise RuntimeError("Device string must not be empty")
        if not re.fullmatch(r"[a-zA-Z_]+(:(0|[1-9]\d*))?", type):
            raise RuntimeError(f"Invalid device string: '{type}'")
        if name not in DEVICE_TYPES:
            raise RuntimeError(f"Expected one of {', '.join(DEVICE_TYPES)} device type at start of "
                               f"device string: {name}")
        if number:
            index = int(number)
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type, self.index = name, index

    def __repr__(self):
        if self.index is None:
            return f"device(type='{self.type}')"
        return f"device(type='{self.type}', index={self.index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __reduce__(self):
        from ._utils import _rebuild_device
        return _rebuild_device, (str(self),)

    def __enter__(self):
        state.outer_devices.append(state.device)
        use_device(require_here(self))
        return self

    def __exit__(self, *exc):
        state.device = state.outer_devices.pop()


NO_ACCELERATOR = "Cannot access accelerator device when none is available."


def no_device(value) -> Exception:
    """PyTorch's error for what is not a name of a device; a number would be an accelerator's."""
    if isinstance(value, int):
        return RuntimeError(NO_ACCELERATOR)
    name = called()
    if name == "__init__":
        return TypeError("device() received an invalid combination of arguments - got "
                         f"({value.__class__.__name__}), but expected one of:\n"
                         " * (torch.device device)\n      didn't match because some of the "
                         f"arguments have invalid types: (!{value.__class__.__name__}!)\n"
                         " * (str type, int index = -1)\n")
    from .ops.factory import wrong_option
    return wrong_option("torch.device", "device", value)


DEVICE_TYPES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve",
                "fpga", "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia",
                "privateuseone")
CPU, META = device("cpu"), device("meta")


class layout(metaclass=InC):
    """How elements are arranged: torch.strided, or one of the sparse layouts.

    >>> import retrograd as torch
    >>> torch.eye(2).to_sparse().layout
    torch.sparse_coo
    """

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        from ._utils import _public
        return _public, (self.name,)


class memory_format(layout):
    """The order of dimensions in memory that a copy should have.

    >>> import retrograd as torch
    >>> torch.ones(1, 2, 3, 4).contiguous(memory_format=torch.channels_last).stride()
    (24, 1, 8, 2)
    """


for _c in (Size, device, layout, memory_format):
    _c.lie_in("torch")
strided = layout("strided")
sparse_coo, sparse_csr = layout("sparse_coo"), layout("sparse_csr")
sparse_csc, sparse_bsr, sparse_bsc = (layout("sparse_csc"), layout("sparse_bsr"),
                                      layout("sparse_bsc"))
SPARSE_LAYOUTS = {t.name: t for t in (sparse_coo, sparse_csr, sparse_csc)}      # of sparse arrays
_mkldnn, jagged = layout("_mkldnn"), layout("jagged")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def require_here(d, empty: bool = False) -> device:
    """The device `d`, CPU for None; raises PyTorch's error for one that a CPU-only build lacks.

    empty  whether memory is wanted there, not numbers that exist: PyTorch's words differ
    """
    if d is None or d is CPU:
        return CPU
    d = device(d)
    if d.type in ("cpu", "meta"):
        return CPU if d.type == "cpu" else META
    advice = ("\n\nretrograd computes on the CPU.\nCure: `device = \"cuda\" if "
              "torch.cuda.is_available() else \"cpu\"`, and `.to(device)`.")
    if d.type in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {d.type.upper()} enabled{advice}")
    if empty:
        backend = _BACKENDS.get(d.type, d.type.upper())
        raise NotImplementedError("Could not run 'aten::empty.memory_format' with arguments from "
                                  f"the '{backend}' backend.{advice}")
    raise RuntimeError(f"PyTorch is not linked with support for {d.type} devices{advice}")


_BACKENDS = {"vulkan": "Vulkan", "lazy": "Lazy"}


def require_cpu(d) -> None:
    """Raise for a device other than the CPU."""
    if require_here(d) is not CPU:
        raise NotImplementedError(f"this is not possible on the device '{d}'")


def use_device(d: device | None) -> None:
    """Let this thread's new tensors go to a device of require_here()."""
    state.device = d
    if d is META:
        features.meta = True
