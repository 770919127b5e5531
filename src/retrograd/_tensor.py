"""Tensor: one NumPy array and its place in the graph.

Operators live in `ops/` and are bound to the class at import; this file holds what a Tensor is.
The slots are set by `wrap` and by the generated operators; all that is used rarely has a default
on the class instead, so that making a Tensor stays cheap.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dtype
from ._attributes import (
    CPU,
    META,
    SPARSE_LAYOUTS,
    Size,
    device,
    layout,
    size_of,
    sparse_coo,
    sparse_csr,
    strided,
)
from ._dtype import dtype
from ._state import features, state
from ._torch_function import PLAIN, arm, default, no_dispatch, overrides, passed

if TYPE_CHECKING:                 # type checkers and editors are told what ops/bind.py binds
    from ._declared import Methods as Declared
    from ._special_methods import SpecialMethods

    class Methods(Declared, SpecialMethods):
        """The names that no source file spells out."""
else:
    Methods = object

new = object.__new__

IN_TRANSFORM = (
    "You are attempting to call {} inside of a function being transformed by a functorch "
    "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, "
    "vjp, jacrev, jacfwd, hessian) or call {}() outside of a function being transformed instead.")

# `_flags` is a set of bits. Bit 1 says that the tensor requires grad; each of the others makes it
# special, which operators leave to ops/special_modes.py: NOTE [special tensors].
INFERENCE_TENSOR = 2          # made under inference_mode
DUAL = 4                      # has a tangent (forward mode)
BATCHED = 8                   # stands for a batch (vmap)
TRACED = 16                   # depends on the inputs of a Function that is being examined
ON_META = 32                  # has no numbers: NOTE [meta tensors] in ops/meta.py
SPARSE = 64                   # its array is not an ndarray: NOTE [sparse tensors] in ops/sparse.py
WRAPPER = 128                 # its class computes: NOTE [wrapper tensors] in ops/wrapped.py
OF_MEMORY = INFERENCE_TENSOR | TRACED | ON_META | SPARSE | WRAPPER     # what detach() keeps

OWN = object()                # the `_grad_dtype` of a leaf whose `grad_dtype` was not set

# NOTE [no __setattr__] A class with __setattr__ or __delattr__ written in Python stores every
# attribute ten times slower, and each operator stores eight. Deleters of properties do instead.


class Tensor(Methods):
    """An n-dimensional array that records what is computed from it.

    `torch.tensor(data)` makes one from numbers; `Tensor(2, 3)` (uninitialised) and
    `Tensor([1., 2.])` are PyTorch's older constructors and always give the default dtype.

    >>> import retrograd as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> (x * x).sum().backward(); x.grad
    tensor([2., 4.])
    """

    __slots__ = (
        "_data",          # the ndarray; 0-d stays an ndarray
        "_cell",          # [version, last write, views to wake...], shared by all views
        "_flags",         # 0: an ordinary tensor; 1: requires grad; more: the bits above
        "_grad_fn",       # the node that made it; None for leaves and for views
        "_output_nr",     # which output of that node
        "_base",          # the Tensor this is a view of, or None
        "_grad",          # the Tensor that `.grad` returns, or None
        "_view_node", "_view_version", "_creation_meta",     # views only, see autograd/views.py
        "__weakref__", "__dict__",
    )

    _accumulator = None       # weak reference to a leaf's AccumulateGrad
    _own_grad = False         # a view that was made a leaf by requires_grad_()
    _of_transform = False     # a leaf that a transform (func.grad ...) differentiates for
    _leaf_hooks = None        # hooks of a leaf, see autograd/hooks.py
    _grad_dtype: Any = OWN    # the dtype of a leaf's gradients; None for any
    _retains = False
    _wrapped = False          # made from a Python number
    _backward_hooks = None
    _post_accumulate_grad_hooks = None
    _is_param = False
    _check_grad: Any                 # these two are in autograd/leaves.py
    _set_requires_grad: Any
    _data_cell: Any = None    # the class of version cells of `.data`, see autograd/unseen.py
    __array_priority__ = 1000

    def __new__(cls, *args, **options):
        from ._legacy import constructed
        made = constructed(args, options)
        return made if cls is Tensor else made._become(cls)

    # ---------------------------------------------------------------- what it is
    @property
    def shape(self) -> Size:
        """The sizes of its dimensions: a torch.Size, which is a tuple.

        >>> import retrograd as torch
        >>> torch.ones(2, 3).shape
        torch.Size([2, 3])
        """
        return size_of(Size, self._data.shape)

    @property
    def dtype(self) -> dtype:
        """The dtype of its elements.

        >>> import retrograd as torch
        >>> torch.tensor([1, 2]).dtype, torch.tensor([1., 2.]).dtype
        (torch.int64, torch.float32)
        """
        return _dtype.of(self._data)

    @property
    def device(self) -> device:
        """Where its numbers are: on the CPU, or nowhere for the device "meta".

        >>> import retrograd as torch
        >>> torch.ones(2).device
        device(type='cpu')
        """
        if self._flags & BATCHED:
            return self._batch.value.device
        return META if self._flags & ON_META else CPU

    @property
    def layout(self) -> layout:
        """torch.strided, unless the tensor is sparse.

        >>> import retrograd as torch
        >>> torch.ones(2).layout, torch.ones(2).to_sparse().layout
        (torch.strided, torch.sparse_coo)
        """
        return SPARSE_LAYOUTS[self._data.layout] if self._flags & SPARSE else strided

    @property
    def ndim(self) -> int:
        """The number of dimensions.

        >>> import retrograd as torch
        >>> torch.ones(2, 3).ndim, torch.tensor(5.).ndim
        (2, 0)
        """
        return self._data.ndim

    is_cuda = is_quantized = is_mkldnn = is_xpu = is_nested = is_mps = False
    is_xla = is_vulkan = is_ipu = is_hpu = is_mtia = is_maia = False
    is_sparse = property(lambda self: self.layout is sparse_coo,
                         doc="Whether it lists its elements by coordinates: torch.sparse_coo.")
    is_sparse_csr = property(lambda self: self.layout is sparse_csr,
                             doc="Whether it lists its elements row by row: torch.sparse_csr.")
    is_cpu = property(lambda self: not self._flags & ON_META,
                      doc='Whether it is on the CPU: always, unless it is on the device "meta".')
    is_meta = property(lambda self: self.device is META,
                       doc='Whether it is on the device "meta", where tensors have no numbers.')

    # ---------------------------------------------------------------- its place in the graph
    @property
    def requires_grad(self) -> bool:
        """Whether gradients with respect to it are wanted: operators on it are recorded.

        What is computed from it requires grad too. It can be set on leaves. Raises RuntimeError for
        integers, and for False on a computed tensor.

        >>> import retrograd as torch
        >>> w = torch.ones(2, requires_grad=True)
        >>> w.requires_grad, (w * 2).requires_grad, torch.ones(2).requires_grad
        (True, True, False)
        """
        return self._flags & 1 == 1

    @requires_grad.setter
    def requires_grad(self, value):
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        self._set_requires_grad(value, "floating point and complex")

    @requires_grad.deleter
    def requires_grad(self):
        raise RuntimeError("requires_grad must be a bool")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set `requires_grad` of this leaf, in place; returns the tensor.

        Raises RuntimeError for integer tensors, and for False on a computed tensor.

        >>> import retrograd as torch
        >>> torch.ones(2).requires_grad_()
        tensor([1., 1.], requires_grad=True)
        """
        if state.transforms:
            raise RuntimeError(IN_TRANSFORM.format(
                "Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs)",
                "requires_grad_"))
        if not isinstance(requires_grad, bool):
            from .ops.arguments import must_be
            raise must_be("bool", "requires_grad_", "requires_grad", 1, requires_grad)
        return self._set_requires_grad(requires_grad)

    @property
    def grad_fn(self):
        """The node that made it, or None for a leaf.

        >>> import retrograd as torch
        >>> (torch.ones(1, requires_grad=True) * 2).grad_fn.name()
        'MulBackward0'
        """
        if self._base is None:
            return self._grad_fn
        if self._view_version == self._cell[0] or not (self._flags or self._view_node is not None):
            return self._view_node
        from .autograd.views import view_grad_fn
        return view_grad_fn(self)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operator made it; only leaves get `.grad` by default.

        >>> import retrograd as torch
        >>> x = torch.ones(1, requires_grad=True)
        >>> x.is_leaf, (x * 2).is_leaf
        (True, False)
        """
        return not self._flags & 1 or self.grad_fn is None

    def _has_no_node(self) -> bool:
        """As `is_leaf`, but without bringing the history of an out-of-date view up to date."""
        return (self._grad_fn if self._base is None else self._view_node) is None

    @property
    def output_nr(self) -> int:
        """Which output of `grad_fn` it is; 0 for a leaf.

        >>> import retrograd as torch
        >>> [part.output_nr for part in torch.ones(2, requires_grad=True).unbind()]
        [0, 1]
        """
        if self._base is not None:
            self.grad_fn  # noqa: B018  a view's history is brought up to date by asking
        elif self._grad_fn is None:                      # an output without gradient: an index
            return 0
        return self._output_nr

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated by backward(); None before it and for computed tensors.

        >>> import retrograd as torch
        >>> x = torch.tensor(2., requires_grad=True)
        >>> (x * x).backward()
        >>> x.grad
        tensor(4.)
        """
        if self._grad is None and self._flags & 1 and not self._retains and not self.is_leaf:
            from .autograd.explain import non_leaf_grad
            warnings.warn(non_leaf_grad(self), UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            self._check_grad(value)
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None

    @property
    def grad_dtype(self) -> dtype | None:
        """The dtype of a leaf's `.grad`, to which gradients are converted: its own, unless set.

        With None, gradients stay as they arrive and `.grad` may have any dtype. Raises RuntimeError
        for computed tensors, and for a dtype that differs from that of an existing gradient.

        >>> import retrograd as torch
        >>> w = torch.ones(2, dtype=torch.float16, requires_grad=True)
        >>> w.grad_dtype = torch.float32
        >>> (w * 3).sum().backward()
        >>> w.grad
        tensor([3., 3.])
        """
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        return self.dtype if self._grad_dtype is OWN else self._grad_dtype

    @grad_dtype.setter
    def grad_dtype(self, value):
        from .autograd.hooks import set_grad_dtype
        set_grad_dtype(self, value)

    @property
    def retains_grad(self) -> bool:
        """True for a computed tensor after retain_grad(); always False for a leaf.

        >>> import retrograd as torch
        >>> y = torch.ones(1, requires_grad=True) * 2
        >>> y.retain_grad(); y.retains_grad
        True
        """
        return self._retains and not self.is_leaf

    @property
    def volatile(self) -> bool:
        """Deprecated, and always False."""
        warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
        return False

    def retain_grad(self) -> None:
        """Let backward() fill `.grad` of this computed tensor too; nothing to do for a leaf.

        Raises RuntimeError if it does not require grad.

        >>> import retrograd as torch
        >>> x = torch.ones(1, requires_grad=True)
        >>> y = x * 2
        >>> y.retain_grad()
        >>> (y * 3).backward()
        >>> y.grad
        tensor([3.])
        """
        if state.transforms:
            raise RuntimeError(IN_TRANSFORM.format("Tensor.retain_grad()", "retain_grad"))
        if not self._flags & 1:
            from .autograd.explain import with_explanation
            raise RuntimeError(with_explanation(
                "can't retain_grad on Tensor that has requires_grad=False", "untracked", self))
        if self._has_no_node() or self._retains:
            return
        from .autograd.hooks import retain_grad
        retain_grad(self)

    @property
    def data(self) -> Tensor:
        """The same memory outside the graph, with a version counter of its own.

        >>> import retrograd as torch
        >>> x = torch.ones(1, requires_grad=True)
        >>> x.data.requires_grad
        False
        """
        if self._flags & BATCHED:
            from .func.captured import data_of_batch
            return data_of_batch(self)
        res = wrap(self._data)
        res._cell = self._data_cell(self._cell)      # NOTE [unseen writes]
        res._flags = self._flags & OF_MEMORY
        if features.creation_modes:
            from .func.captured import mark_data
            mark_data(res, self)
        return res

    @data.setter
    def data(self, value):
        if self._flags & BATCHED:
            raise RuntimeError("mutating directly with `.data` under vmap transform is not "
                               "allowed.")
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._flags & 1 and value._data.dtype.kind in "biu":
            raise RuntimeError("data set to a tensor that requires gradients must be floating "
                               "point or complex dtype")
        if (self._flags ^ value._flags) & (ON_META | SPARSE):
            raise RuntimeError("Attempted to call `variable.set_data(tensor)`, but `variable` and "
                               "`tensor` have incompatible tensor type.")
        if value._data is not self._data:            # w.data += 1 ends with w.data = itself
            from .autograd.unseen import replaced
            self._data, self._cell = value._data, replaced(self._cell)

    @data.deleter
    def data(self):
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    @property
    def _version(self) -> int:
        """How many times its memory was changed in place."""
        if self._flags & INFERENCE_TENSOR:
            raise RuntimeError("Inference tensors do not track version counter.")
        cell = self._cell
        if len(cell) == 2:
            return cell[0]
        from .autograd.unseen import seen
        return seen(cell, cell[0])

    def _is_view(self) -> bool:
        return self._base is not None

    def _fix_weakref(self) -> None:
        """Does nothing. In PyTorch a weak reference can return a tensor whose memory is gone."""

    def detach(self) -> Tensor:
        """A tensor of the same memory and version counter, outside the graph.

        It does not require grad. A write to it is a write to this tensor, and backward notices it.

        >>> import retrograd as torch
        >>> x = torch.ones(1, requires_grad=True)
        >>> (x * 2).detach().requires_grad
        False
        """
        if self._flags & BATCHED:
            from .ops.batching import wrap_batch
            return wrap_batch(self._batch.value.detach(), self._batch.level)
        res = wrap(self._data)
        res._cell = self._cell
        res._flags = self._flags & OF_MEMORY
        return res

    def detach_(self) -> Tensor:
        """Cut this tensor from its history; it becomes a leaf that does not require grad.

        >>> import retrograd as torch
        >>> y = torch.ones(1, requires_grad=True) * 2
        >>> y.detach_().is_leaf
        True
        """
        if self._base is not None:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
                "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
                "these gradients. To fix this error, please refer to the Optimizer.zero_grad() "
                "function in torch/optim/optimizer.py as the solution.")
        if self._grad_fn is not None:
            from .autograd.unseen import note_detached
            note_detached(self)
        self._grad_fn, self._output_nr = None, 0
        self._flags &= ~(1 | DUAL)
        self.__dict__.pop("_tangents", None)
        self._retains = False
        return self

    # ---------------------------------------------------------------- as a Python object
    def __dir__(self):
        unset = ("_view_node", "_view_version", "_creation_meta") if self._base is None else ()
        return [name for name in object.__dir__(self) if name not in unset]

    # As a key, a tensor stands for itself, though == compares numbers.
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __repr__(self, *, tensor_contents=None):
        from ._tensor_str import _str
        return _str(self, tensor_contents)

    def __deepcopy__(self, memo):
        from ._utils import deepcopy_tensor
        return deepcopy_tensor(self, memo)

    def __reduce_ex__(self, protocol):
        from ._utils import reduce_tensor
        return reduce_tensor(self, protocol)

    def as_subclass(self, cls):
        """A view of the same data as an instance of `cls`, a subclass of Tensor.

        Operators on it return instances of `cls` too, see `__torch_function__`.

        >>> import retrograd as torch
        >>> class Metres(torch.Tensor):
        ...     pass
        >>> (torch.ones(2).as_subclass(Metres) * 3).sum()
        Metres(6.)
        """
        from .ops.declare import F
        return F.alias(self)._become(cls)

    @staticmethod
    def _make_subclass(cls, data, require_grad=False) -> Any:  # pyright: ignore
        res = passed(Tensor.detach, (data,), {})._become(cls)
        if require_grad is not False:
            if require_grad is not True:
                from .ops.arguments import must_be
                raise must_be("bool", "_make_subclass", "require_grad", 3, require_grad,
                              handed_on=True)
            res._set_requires_grad(True)
        return res

    @staticmethod
    def _make_wrapper_subclass(cls, size, *args, **options) -> Any:  # pyright: ignore
        from .ops.wrapped import make
        return make(cls, size, *args, **options)

    def _become(self, cls):
        """Make this tensor, which nothing else refers to yet, an instance of `cls`; returns it."""
        if hasattr(cls, "__torch_dispatch__"):
            raise no_dispatch(cls)
        if overrides(cls):
            arm()
        try:
            self.__class__ = cls
        except TypeError:           # a class with slots of its own
            return self._shallow_copy(cls)
        return self

    def _shallow_copy(self, cls):
        """Another Tensor, of class `cls`, with the same data and the same place in the graph."""
        res = new(cls)
        for slot in ("_data", "_cell", "_flags", "_grad_fn", "_output_nr", "_base", "_grad"):
            setattr(res, slot, getattr(self, slot))
        if self._base is not None:
            for slot in ("_view_node", "_view_version", "_creation_meta"):
                setattr(res, slot, getattr(self, slot))
        return res

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """What a function called with an instance of the subclass `cls` does and returns.

        func is the function, types are the overriding classes among its arguments. A subclass may
        look at the call, change it, answer it, or return NotImplemented. This one computes it and
        makes the results instances of `cls`.
        """
        return default(cls, func, types, args, kwargs)


PLAIN.add(Tensor)


def _refuse_to_set(name):
    """Let an assignment to this attribute raise PyTorch's error instead of Python's."""
    def refuse(self, value):
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")
    setattr(Tensor, name, getattr(Tensor, name).setter(refuse))


for _name in ("shape", "dtype", "device", "layout", "ndim", "grad_fn", "is_leaf", "output_nr",
              "retains_grad", "_version"):
    _refuse_to_set(_name)
Tensor.__module__ = "torch"


def creation_flags(t) -> int:
    """The initial `_flags` of the new tensor `t`: INFERENCE_TENSOR in inference_mode, else 0.

    Inside a transform of torch.func it also marks the tensor's memory with that transform: NOTE
    [captured tensors] in func/captured.py.
    """
    transform = state.transform
    if transform is not None and t._cell[-1] is not transform:
        t._cell.append(transform)
    return INFERENCE_TENSOR if state.inference else 0


def flags_of_new(t) -> int:
    """The initial `_flags` of the new tensor `t`, whose array need not be an ndarray."""
    array = t._data
    if array.__class__ is np.ndarray:
        return creation_flags(t)
    if hasattr(array, "layout"):
        return creation_flags(t) | SPARSE
    if hasattr(array.__class__, "on_meta"):
        return creation_flags(t) | ON_META
    if hasattr(array, "dress"):
        array.dress(t)
        return creation_flags(t) | WRAPPER
    return creation_flags(t)


def _rebuild_from_type_v2(func, new_type, args, state) -> Tensor:
    """What pickles call, PyTorch's too, for a tensor of a class of its own or with attributes."""
    from ._utils import rebuild_from_type
    return rebuild_from_type(func, new_type, args, state)


def wrap(array) -> Tensor:
    """A new Tensor of an ndarray: a leaf that does not require grad."""
    res = new(Tensor)
    res._data = array
    res._cell = [0, None]
    res._flags = (features.creation_modes or features.other_arrays) and flags_of_new(res)
    res._grad_fn = res._base = res._grad = None
    res._output_nr = 0
    return res
