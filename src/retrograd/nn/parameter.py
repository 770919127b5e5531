"""Parameter and Buffer: tensors that a Module registers when they are assigned to it."""
from __future__ import annotations

import sys
from collections import OrderedDict
from typing import Any

import retrograd as torch
from retrograd import Tensor

from .._callers import called
from .._torch_function import _disabled_torch_function_impl
from ..ops.factory import NOT_WHOLE

__all__ = ["Parameter", "UninitializedParameter", "is_lazy", "Buffer", "UninitializedBuffer",
           "UninitializedTensorMixin"]

TOOLS = f"{torch.__name__}.debug", f"{torch.__name__}.viz"


class _ParameterMeta(type(Tensor)):
    # A tensor subclass wrapped by Parameter() keeps its own class and carries a mark instead.
    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) or (
            cls is Parameter and isinstance(instance, Tensor)
            and getattr(instance, "_is_param", False)
        )


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A leaf tensor that a Module takes up among its parameters when it is assigned.

    Args:
        data: the values (any shape, floating or complex unless `requires_grad=False`);
            an empty float tensor if left out.
        requires_grad: whether gradients are recorded, also under `no_grad`.

    >>> import retrograd as torch
    >>> m = torch.nn.Module()
    >>> m.scale = torch.nn.Parameter(torch.ones(2))
    >>> [name for name, _ in m.named_parameters()]
    ['scale']
    """

    __torch_function__: Any = staticmethod(_disabled_torch_function_impl)

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = torch.empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            if requires_grad and data._data.dtype.kind in "biu":
                raise RuntimeError(NOT_WHOLE)
            return Tensor._make_subclass(cls, data, requires_grad)
        wrapped = data.detach()._set_requires_grad(requires_grad)
        if type(wrapped) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} "
                "requires that detach() returns an instance of the same type, but return "
                f"type {type(wrapped).__name__} was found instead. To use the type as a "
                "Parameter, please correct the detach() semantics defined by "
                "its __torch_dispatch__() implementation."
            )
        wrapped._is_param = True
        return wrapped

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            copied = type(self)(
                self.data.clone(memory_format=torch.preserve_format), self.requires_grad
            )
            memo[id(self)] = copied
        return memo[id(self)]

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, proto):
        from retrograd import _utils

        hooks = OrderedDict()    # hooks are not pickled
        state = _utils.state_of(self)
        if not state:
            return _utils._rebuild_parameter, (self.data, self.requires_grad, hooks)
        return (_utils._rebuild_parameter_with_state,
                (self.data, self.requires_grad, hooks, state))


class UninitializedTensorMixin:
    """What an uninitialized parameter and buffer share: no shape until `materialize`.

    An operator on one is an error, since it asks for `_data`. What is known of it without numbers,
    as dtype and device, is that of `_like`, a tensor without elements.
    """

    _like: Any

    @classmethod
    def _without_data(cls, requires_grad, device, dtype):
        made: Any = torch.empty(0, device=device, dtype=dtype, requires_grad=requires_grad)
        made._like = made.data
        made.__class__ = cls    # and not _become: functions need not ask for its sake
        return made

    def materialize(self, shape, device=None, dtype=None):
        """Become an ordinary tensor of `shape`, values not set."""
        like = self._like
        made = torch.empty(shape, device=like.device if device is None else device,
                           dtype=like.dtype if dtype is None else dtype)
        del self._like
        self.__class__ = self.cls_to_become
        self.data = made

    @property
    def _data(self):
        if sys._getframe(1).f_globals["__name__"].startswith(TOOLS):
            return self._like._data      # the doctor and pictures look at whatever parameters are
        name = called()
        where = (f"<method '{name}' of 'torch._C.TensorBase' objects>" if hasattr(Tensor, name)
                 else "an operator")
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {where}. "
            "This error happens when you are using a `LazyModule` "
            f"or explicitly manipulating `torch.nn.parameter.{type(self).__name__}` objects. When "
            "using LazyModules Call `forward` with a dummy batch to initialize the parameters "
            "before calling torch functions")

    @property
    def data(self):
        return self._like.data

    @data.setter
    def data(self, value):
        self._like = value

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. "
            "This error usually happens in `load_state_dict` when trying to load "
            "an uninitialized parameter into an initialized one. "
            "Call `forward` to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self):
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. "
            "Call `forward` to initialize the parameters before calling "
            "`module.share_memory()`."
        )

    def __repr__(self):
        return f"<{self.__class__.__name__}>"

    def __reduce_ex__(self, proto):
        return self.__class__, (self.requires_grad,)


def _of_like(name):
    """The attribute or method `name` of a tensor, for one that has no numbers yet."""
    if callable(getattr(Tensor, name)):
        return lambda self, *args, **kwargs: getattr(self._like, name)(*args, **kwargs)
    return property(lambda self: getattr(self._like, name))


for _name in ("dtype", "device", "layout", "is_meta", "ndim", "size", "is_complex",
              "is_floating_point", "to", "cpu", "cuda", "half", "float", "double", "bfloat16"):
    setattr(UninitializedTensorMixin, _name, _of_like(_name))


def is_lazy(param):
    """Whether `param` still waits for its shape.

    >>> import retrograd as torch
    >>> torch.nn.parameter.is_lazy(torch.nn.LazyLinear(3).weight)
    True
    """
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A Parameter without a shape yet; `materialize(shape)` turns it into a Parameter.

    >>> import retrograd as torch
    >>> net = torch.nn.LazyLinear(3)
    >>> type(net.weight).__name__
    'UninitializedParameter'
    >>> _ = net(torch.ones(1, 2)); net.weight.shape
    torch.Size([3, 2])
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return cls._without_data(requires_grad, device, dtype)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class _BufferMeta(type(Tensor)):
    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) or (
            cls is Buffer and isinstance(instance, Tensor)
            and getattr(instance, "_is_buffer", False)
        )


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a Module takes up among its buffers when it is assigned.

    Args:
        data: the values; an empty float tensor if left out.
        persistent: whether it belongs to the state_dict.

    >>> import retrograd as torch
    >>> class Scaled(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = torch.nn.Buffer(torch.tensor(2.))
    >>> dict(Scaled().state_dict())
    {'scale': tensor(2.)}
    """

    __torch_function__: Any = staticmethod(_disabled_torch_function_impl)

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = torch.empty(0)
        t = data.detach()._set_requires_grad(data.requires_grad)
        t.persistent = persistent
        t._is_buffer = True
        return t


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer without a shape yet; `materialize(shape)` turns it into a Tensor.

    >>> import retrograd as torch
    >>> net = torch.nn.LazyBatchNorm1d()
    >>> type(net.running_mean).__name__
    'UninitializedBuffer'
    >>> _ = net(torch.ones(2, 3)); net.running_mean.shape
    torch.Size([3])
    """

    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        made = cls._without_data(requires_grad, device, dtype)
        made.persistent = persistent
        made._is_buffer = True
        return made
