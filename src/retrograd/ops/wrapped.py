"""Classes of tensors that compute every operator themselves, by `__torch_dispatch__`.

NOTE [wrapper tensors]
    Tensor._make_wrapper_subclass makes an instance of a subclass that has a shape and a dtype but
    no numbers of its own: its array is a Wrapped, which refuses to be read, and it has the bit
    WRAPPER in its `_flags`. So operators come to `call` here, which asks the classes of the
    arguments, `cls.__torch_dispatch__(overload, types, args, kwargs)`, outside autograd. What
    they return is the result; to record it, the operator's own code is run with its kernel
    exchanged for one that returns the result's array.

    Nodes keep arrays and hand arrays on. A Wrapped therefore knows the attributes of the tensor
    that it belongs to, so that a tensor made from it is an instance of the class again (`dress`).
    A node that saved a wrapper tensor or gets a wrapped gradient runs its formulas on Tensors,
    whose operators come here again, as with sparse tensors. Nothing of this is loaded before the
    first wrapper tensor is made.
"""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy as np

from .. import _ops
from .._callers import is_own
from .._entries import intercept
from .._meta import blank
from .._state import features, state
from .._tensor import DUAL, INFERENCE_TENSOR, WRAPPER, Tensor, new, wrap
from .._torch_function import arm as arm_torch_function
from .._torch_function import overrides
from ..autograd.grad_mode import no_grad
from ..autograd.on_tensors import run_on_tensors
from . import support
from .aten_args import Shown
from .declare import REGISTRY
from .overloads import overload_name
from .public import unwrapped
from .special_modes import with_kernel, without_flags

LIKE = ("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like",
        "new_empty", "new_zeros", "new_ones", "new_full")
NUMBERS = {"__bool__": bool, "__int__": int, "__float__": float, "__complex__": complex}
OWN = frozenset(Tensor.__slots__) | {"_tangents", "_batch"}     # attributes of every Tensor


def _refuse(self: Wrapped, *args: Any, **options: Any) -> NoReturn:
    raise NotImplementedError(
        f"{self.cls.__name__}: a function reads the numbers of a wrapper tensor, which has "
        "none. __torch_dispatch__ is shown operators, not functions that read numbers, such as "
        "numpy(), printing and tests of what is true")


class Wrapped:
    """In place of the array of a wrapper tensor: its form, and what the tensor is made of.

    It is not an ndarray, so that NumPy cannot read the numbers that it does not have.
    """

    __slots__ = ("form", "cls", "_owner", "_dict", "_in_slots")
    needs_tensors, base = True, None
    shape = property(lambda self: self.form.shape)
    dtype = property(lambda self: self.form.dtype)
    ndim = property(lambda self: self.form.ndim)
    size = property(lambda self: self.form.size)
    itemsize = property(lambda self: self.form.itemsize)
    strides = property(lambda self: self.form.strides)
    flags = property(lambda self: self.form.flags)

    def __init__(self, form: np.ndarray, tensor: Tensor) -> None:
        self.form, self.cls, self._owner = form, type(tensor), weakref.ref(tensor)
        self._dict, self._in_slots = tensor.__dict__, {}

    def attributes(self) -> dict:
        """What its tensor is made of; the tensor may have died, if this was asked before."""
        tensor = self._owner()
        if tensor is not None:
            self._in_slots = {slot: getattr(tensor, slot) for cls in self.cls.__mro__
                              for slot in _slots(cls) if hasattr(tensor, slot)}
        own = {name: value for name, value in self._dict.items()
               if name == "_data" or name not in vars(Tensor) and name not in OWN}
        return own | self._in_slots

    def dress(self, tensor: Tensor) -> None:
        """Make a new Tensor around this array an instance of the class, if that is possible."""
        try:
            tensor.__class__ = self.cls
        except TypeError:               # a class with slots of its own: as_instance() will do it
            return
        tensor.__dict__.update(self.attributes())

    def stand_in(self) -> np.ndarray:
        """Zeros in its place, of which only shape and dtype matter; not for a mask."""
        return _refuse(self) if self.dtype.kind == "b" else self.form

    def copy(self, order: Any = None) -> Wrapped:
        return self

    def uncounted(self) -> Wrapped:
        return self

    def astype(self, dtype: Any, *args: Any, **options: Any) -> np.ndarray:
        """Lets operators promote their arguments before they run; the kernel reads no numbers."""
        return blank(self.shape, np.dtype(dtype))

    def __add__(self, other: Any) -> Any:       # the engine adds gradients up
        with no_grad():
            return support.F.add(_tensor(self), _tensor(other))._data

    __radd__ = __iadd__ = __add__

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc is not np.add or method != "__call__":
            _refuse(self)
        return self + (inputs[0] if inputs[1] is self else inputs[1])

    def __getitem__(self, key: Any) -> Wrapped:
        return self if key == () else _refuse(self)         # the engine's, of what is no ndarray

    def __getattr__(self, name: str) -> Any:                # whatever else an ndarray has
        if name.startswith("_") or name in ("layout", "values"):
            raise AttributeError(name)
        _refuse(self)

    __hash__ = object.__hash__
    __array__ = __array_function__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __bool__ = __len__ = __iter__ = __setitem__ = __index__ = __float__ = __int__ = _refuse
    __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __neg__ = _refuse


def _slots(cls: type) -> tuple:
    slots = vars(cls).get("__slots__", ()) if cls not in Tensor.__mro__ else ()
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _tensor(array: Any) -> Tensor:
    return as_instance(wrap(np.asarray(array) if isinstance(array, np.generic) else array))


def as_instance(t: Tensor) -> Tensor:
    """A Tensor around a Wrapped as an instance of its class."""
    if type(t) is not Tensor or not t._flags & WRAPPER:
        return t
    made = t._shallow_copy(t._data.cls)
    for name, value in t._data.attributes().items():
        setattr(made, name, value)
    return made


# --------------------------------------------------------------------------- making one

def make(cls: type, size: Any, strides: Any = None, storage_offset: int = 0,
         memory_format: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
         pin_memory: bool = False, requires_grad: bool = False, **policies: Any) -> Any:
    """Tensor._make_wrapper_subclass: see NOTE [wrapper tensors]."""
    import retrograd as torch
    for name, value in policies.items():
        if value:
            raise NotImplementedError(f"Tensor._make_wrapper_subclass: {name}")
    if not hasattr(cls, "__torch_dispatch__"):
        raise RuntimeError(f"{cls.__name__} must define __torch_dispatch__")
    if layout not in (None, torch.strided):
        raise NotImplementedError(f"Tensor._make_wrapper_subclass: layout={layout}")
    if torch.device(device or "cpu").type != "cpu":
        raise NotImplementedError(f"Tensor._make_wrapper_subclass: device={device}")
    arm()
    if overrides(cls) and not _has_default(cls):
        arm_torch_function()
    kind = (torch.get_default_dtype() if dtype is None else dtype).np
    steps = None if strides is None else tuple(s * kind.itemsize for s in strides)
    _share_data(cls)
    t = new(cls)
    t._data, t._cell, t._flags = Wrapped(blank(tuple(size), kind, steps), t), [0, None], WRAPPER
    t._grad_fn = t._base = t._grad = None
    t._output_nr = 0
    if requires_grad:
        if kind.kind in "biu":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require "
                               "gradients")
        t._set_requires_grad(True)
    return t


def _share_data(cls: type) -> None:
    """Let a class have an attribute `_data` of its own, as many wrappers in libraries do.

    It is the name of the slot with the array, too. Who asks decides which of the two is meant.
    """
    slot: Any = vars(Tensor)["_data"]

    def get(self: Tensor) -> Any:
        own = self.__dict__.get("_data")
        if own is None or is_own(sys._getframe(1).f_code.co_filename):
            return slot.__get__(self)
        return own

    def put(self: Tensor, value: Any) -> None:
        if isinstance(value, Tensor):
            self.__dict__["_data"] = value
        else:
            slot.__set__(self, value)

    if cls._data is slot:
        cls._data = property(get, put)  # pyright: ignore


def _has_default(cls: Any) -> bool:
    """Whether the class's `__torch_function__` is Tensor's, which has nothing to add here."""
    own = getattr(cls.__torch_function__, "__func__", None)
    return own is Tensor.__torch_function__.__func__


_armed = False
_lock = threading.Lock()


def arm() -> None:
    """Get ready for wrapper tensors; the first one is being made."""
    global _armed
    with _lock:
        if not _armed:
            _arm()
            _armed = True


def _arm() -> None:
    from .. import autograd
    from .public import FUNCTIONS, METHODS
    features.count("other_arrays", 1)        # let wrap() look at arrays: see flags_of_new()
    for name in (*LIKE, "equal", "allclose", "nonzero", "any", "all"):
        _put_around(FUNCTIONS.get(name) or METHODS[name], partial(_by_name, name))
    _put_around(vars(Tensor)["detach"], partial(_by_name, "detach"))
    _put_around(vars(Tensor)["data"].fget, partial(_by_name, "detach"))
    _put_around(METHODS["item"], partial(_by_name, "_local_scalar_dense"))
    for name, kind in NUMBERS.items():
        _put_around(METHODS[name], partial(_by_item, kind))
    for name in ("numpy", "tolist"):
        _put_around(METHODS[name], partial(_of_no_subclass, name))
    _put_around(vars(Tensor)["grad"].fget, _dressed_grad)
    _put_around(autograd.grad, _instances)


def _put_around(function: Any, around: Any) -> None:
    """intercept() below __torch_function__ and autocast, which may have been there before."""
    intercept(inspect.unwrap(unwrapped(function)), around)


def _by_item(kind: type, function: Any, args: tuple, kwargs: dict) -> Any:
    """bool(t), float(t) and the like: the class is asked for the one number."""
    if args[0]._flags & WRAPPER and args[0]._data.size == 1:
        return kind(args[0].item())
    return function(*args)


def _of_no_subclass(name: str, function: Any, args: tuple, kwargs: dict) -> Any:
    if args[0]._flags & WRAPPER:
        which = f", got {type(args[0]).__name__}" if name == "tolist" else "."
        raise RuntimeError(f".{name}() is not supported for tensor subclasses{which}")
    return function(*args, **kwargs)


def _instances(function: Any, args: tuple, kwargs: dict) -> Any:
    found = function(*args, **kwargs)
    if isinstance(found, dict):              # grad() gives a dict for a dict of inputs
        return found
    return tuple([g if g is None else as_instance(g) for g in found])


def _dressed_grad(function: Any, args: tuple, kwargs: dict) -> Tensor | None:
    grad = function(*args)
    if grad is not None and type(grad) is Tensor and grad._flags & WRAPPER:
        grad = args[0]._grad = as_instance(grad)
    return grad


def _by_name(name: str, function: Any, args: tuple, kwargs: dict) -> Any:
    """A function that is no declared operator: a class is asked for PyTorch's of this name."""
    if not any(isinstance(a, Tensor) and a._flags & WRAPPER for a in args):
        return function(*args, **kwargs)
    by_dim = name in ("any", "all") and len(args) + len(kwargs) > 1
    overload = getattr(_ops.packet("aten", name), "dim" if by_dim else "default")
    result = ask(overload, function, args, kwargs)
    return result.requires_grad_() if kwargs.get("requires_grad") else result


# --------------------------------------------------------------------------- calling an operator

def ask(overload: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """What the classes of the arguments make of an operator, which `function` computes."""
    args = _shown(args)
    found = _dispatching((*args, *kwargs.values()))
    types = tuple(map(type, found))
    before = _ops._under_way.functions
    _ops._under_way.functions = {**before, overload: function}
    operator = overload._operator
    try:
        with no_grad():
            for t in found:
                rule = None if operator is None else operator.in_modes.get(type(t))
                result = (t.__torch_dispatch__(overload, types, args, kwargs) if rule is None
                          else rule(type(t), overload, types, args, kwargs))
                if result is not NotImplemented:
                    _look_at([found, result])
                    return result
    finally:
        _ops._under_way.functions = before
    raise TypeError(f"Multiple dispatch failed for 'torch._ops.{overload}'; all __torch_dispatch__ "
                    f"handlers returned NotImplemented:\n\n  - tensor subclasses {list(types)}")


def _ask_for(op: Any, function: Any, overload: Any, tensors: Any, consts: Any) -> Any:
    """ask(), with the arguments of a declared operator in PyTorch's form."""
    shown = Shown(op, (*tensors, *consts), {})

    def run(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = shown.taken(args, kwargs)
        return function(*args, **kwargs)
    return ask(overload, run, shown.args, shown.kwargs)


def _look_at(values: Any) -> None:
    """Note what is in the slots of wrapper tensors while they are alive: nodes may outlive them."""
    for value in values:
        if isinstance(value, (list, tuple)):
            _look_at(value)
        elif isinstance(value, Tensor) and value._flags & WRAPPER:
            value._data.attributes()


def _shown(args: Any) -> Any:
    """Arguments as a class sees them: its instances, and numbers where numbers were given."""
    shown = []
    for a in args:
        if isinstance(a, Tensor):
            shown.append(a._data.item() if a._wrapped else as_instance(a))
        else:
            shown.append([*map(as_instance, a)] if a.__class__ is list else a)
    return tuple(shown)


def _dispatching(args: Any) -> list:
    """One argument of each class with __torch_dispatch__, subclasses before their bases."""
    found: list = []
    for a in args:
        for t in a if isinstance(a, (list, tuple)) else (a,):
            if isinstance(t, Tensor) and t._flags & WRAPPER and type(t) not in map(type, found):
                at = [i for i, other in enumerate(found) if isinstance(t, type(other))]
                found.insert(at[0] if at else len(found), t)
    return found


def call(op: Any, fn: Any, tensors: Any, consts: Any, flat: list) -> Any:
    """The operator `fn` where some of its tensors, which are `flat`, are wrapper tensors."""
    name, overload = overload_name(op, (*tensors, *consts), False)
    result = _ask_for(op, op.fn, getattr(_ops.packet("aten", name), overload), tensors, consts)
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    for t in outputs:
        if not isinstance(t, Tensor):
            raise RuntimeError(f"Unable to cast {t!r} to Tensor: it is what __torch_dispatch__ "
                               f"returned for {name}.{overload}")
    if state.grad and op.grad_fn is not None and any(t._flags & 1 for t in flat):
        outputs = _recorded(fn, tensors, consts, flat, outputs)
    return outputs[0] if not isinstance(result, (tuple, list)) else type(result)(outputs)


def read(view: Tensor, indices: Any) -> Any:
    """view[indices], where wrapper tensors are among the indices.

    Their class says which plain ones they stand for, by reading `view` at them.
    """
    op = REGISTRY["read_at"]
    shown, found = Shown(op, (view, indices), {}), []

    def run(*args: Any, **kwargs: Any) -> Any:
        args, _ = shown.taken(args, kwargs)
        found.append(args[1])
        return op.fn(*args)
    result = ask(_ops.packet("aten", "index").Tensor, run, shown.args, {})
    if not (state.grad and view._flags & 1):
        return result
    if len(found) != 1 or type(result) is not Tensor:
        raise NotImplementedError("x[index]: retrograd records no read at wrapper tensors whose "
                                  "class does something else than one read")
    return op.fn(view, found[0])


def _recorded(fn: Any, tensors: Any, consts: Any, flat: list, outputs: list) -> list:
    """The results with the history that the operator's own code gives them."""
    arrays = tuple(t._data for t in outputs)
    with without_flags(flat, WRAPPER | INFERENCE_TENSOR | DUAL):
        run = _with_results(inspect.unwrap(fn), arrays if len(arrays) > 1 else arrays[0])
        plain = run(*tensors, *consts)
    for k, t in enumerate(plain if isinstance(plain, tuple) else (plain,)):
        if t._grad_fn is None:
            continue
        run_on_tensors(t._grad_fn)
        if features.recording:
            support.finish(t._grad_fn)
        mine = outputs[k]
        if mine._flags & 1 or any(mine is one for one in flat):     # it has a history already
            mine = outputs[k] = as_instance(wrap(mine._data))
        mine._grad_fn, mine._output_nr, mine._flags = t._grad_fn, t._output_nr, mine._flags | 1
    return outputs


def _with_results(fn: Any, arrays: Any) -> Callable:
    """The function of an operator whose kernel has just returned `arrays`."""
    def kept(*args: Any, **kwargs: Any) -> Any:
        return arrays
    def as_is(result: Any, *args: Any) -> Any:
        return result

    return with_kernel(fn, kept, arranged=as_is, by_columns=as_is, **support.OTHER_ARRAYS)


def call_in_place(op: Any, fn: Any, tensors: Any, consts: Any, flat: list) -> Tensor:
    """The operator `fn` in place, which the class does."""
    self = tensors[0]
    if state.grad and any(t._flags & 1 for t in flat):
        raise NotImplementedError(f"{op.name}_: retrograd does not record writes to wrapper "
                                  "tensors")
    if op.name in ("copy", "write_at"):       # x[i] = 5 writes a tensor, no number
        tensors = [wrap(t._data) if isinstance(t, Tensor) and t._wrapped else t for t in tensors]
    name, overload = overload_name(op, (*tensors, *consts), True)
    own = op.built[op.name + "_"] if op.name + "_" in op.built else fn
    _ask_for(op, own, getattr(_ops.packet("aten", name), overload), tensors, consts)
    self._cell[0] += 1
    return self


def call_views(function: Any, input: Tensor, args: Any) -> Any:
    """split() and other functions that return several views: the class is asked for each."""
    return tuple([input[key] for key in args[0]])
