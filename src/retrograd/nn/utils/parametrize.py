"""Parametrizations: a parameter computed from others by a module, each time it is read."""
from __future__ import annotations

import collections
import copyreg
from contextlib import contextmanager
from copy import deepcopy

import retrograd as torch
from retrograd.nn.modules.container import ModuleDict, ModuleList
from retrograd.nn.parameter import Parameter

__all__ = ["cached", "ParametrizationList", "register_parametrization", "is_parametrized",
           "remove_parametrizations", "type_before_parametrizations",
           "transfer_parametrizations_and_params"]

_cache_enabled = 0
_cache = {}


@contextmanager
def cached():
    """In this block a parametrized tensor is computed once and then remembered.

    >>> import retrograd as torch
    >>> P = torch.nn.utils.parametrize
    >>> layer = torch.nn.Linear(2, 1)
    >>> _ = P.register_parametrization(layer, "weight", torch.nn.ReLU())
    >>> with P.cached():
    ...     layer.weight is layer.weight
    True
    """
    global _cache_enabled, _cache
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache = {}


def _register_parameter_or_buffer(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _inverse_of(parametrization, value):
    """`parametrization.right_inverse(value)`, or `value` where it has none."""
    inverse = getattr(parametrization, "right_inverse", None)
    if inverse is None:
        return value
    try:
        return inverse(value)
    except NotImplementedError:
        return value


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in order, and the tensors they start from.

    `original` is the stored tensor, or `original0`, `original1`, ... where the first
    parametrization's right_inverse gives several.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import parametrize
    >>> net = torch.nn.Linear(2, 2)
    >>> _ = parametrize.register_parametrization(net, "weight", torch.nn.Identity())
    >>> steps = net.parametrizations.weight
    >>> type(steps).__name__, len(steps), steps.original is not None
    ('ParametrizationList', 1, True)
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with torch.no_grad():
            new = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    new = _inverse_of(module, new)
        if not isinstance(new, torch.Tensor) and not isinstance(new, collections.abc.Sequence):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors "
                             f"(list, tuple...). Got {type(new).__name__}")
        self.is_tensor = isinstance(new, torch.Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._keep_single(original, new)
        else:
            self._keep_several(original, new)
        if not unsafe:
            self._check_result(shape, dtype)

    def _keep_single(self, original, new):
        if original.dtype != new.dtype:
            raise ValueError("When `right_inverse` outputs one tensor, it may not change the "
                             f"dtype.\noriginal.dtype: {original.dtype}\n"
                             f"right_inverse(original).dtype: {new.dtype}")
        with torch.no_grad():
            original.data = new.detach() if new is not original else original.data
        _register_parameter_or_buffer(self, "original", original)

    def _keep_several(self, original, new):
        for i, each in enumerate(new):
            if not isinstance(each, torch.Tensor):
                raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors "
                                 f"(list, tuple...). Got element {i} of the sequence with type "
                                 f"{type(each).__name__}.")
            if isinstance(original, Parameter):
                each = Parameter(each, original.requires_grad)
            each.requires_grad_(original.requires_grad)
            _register_parameter_or_buffer(self, f"original{i}", each)

    def _check_result(self, shape, dtype):
        result = self()
        if not isinstance(result, torch.Tensor):
            raise ValueError("A parametrization must return a tensor. Got "
                             f"{type(result).__name__}.")
        if result.dtype != dtype:
            raise ValueError("Registering a parametrization may not change the dtype of the "
                             "tensor, unless `unsafe` flag is enabled.\nunparametrized dtype: "
                             f"{dtype}\nparametrized dtype: {result.dtype}")
        if result.shape != shape:
            raise ValueError("Registering a parametrization may not change the shape of the "
                             "tensor, unless `unsafe` flag is enabled.\nunparametrized shape: "
                             f"{shape}\nparametrized shape: {result.shape}")

    def right_inverse(self, value):
        """Store what the parametrizations turn into `value`."""
        with torch.no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not "
                                       "implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, torch.Tensor):
                    raise ValueError("`right_inverse` should return a tensor. Got "
                                     f"{type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError("The tensor returned by `right_inverse` has dtype "
                                     f"{value.dtype} while `original` has dtype "
                                     f"{self.original.dtype}")
                self.original.data = value.detach()
                return
            if not isinstance(value, collections.abc.Sequence):
                raise ValueError("'right_inverse' must return a sequence of tensors. Got "
                                 f"{type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError("'right_inverse' must return a sequence of tensors of length "
                                 f"{self.ntensors}. Got a sequence of length {len(value)}.")
            for i, each in enumerate(value):
                stored = getattr(self, f"original{i}")
                if not isinstance(each, torch.Tensor):
                    raise ValueError("`right_inverse` must return a sequence of tensors. Got "
                                     f"element {i} of type {type(each).__name__}")
                if stored.dtype != each.dtype:
                    raise ValueError(f"Tensor {i} returned by `right_inverse` has dtype "
                                     f"{each.dtype} while `original{i}` has dtype {stored.dtype}")
                stored.data = each.detach()

    def forward(self):
        if self.is_tensor:
            value = self[0](self.original)
        else:
            value = self[0](*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for i in range(1, len(self)):
            value = self[i](value)
        return value


def _inject_new_class(module):
    """Give `module` a class of its own, so that properties can be put on it alone."""
    base = module.__class__

    def default_deepcopy(self, memo):
        found = memo.get(id(self))
        if found is not None:
            return found
        made = self.__new__(self.__class__)
        memo[id(self)] = made
        made.__dict__ = deepcopy(self.__dict__, memo)
        slots = copyreg._slotnames(self.__class__)
        for slot in slots:
            if hasattr(self, slot):
                setattr(made, slot, deepcopy(getattr(self, slot), memo))
        return made

    def getstate(self):
        raise RuntimeError("Serialization of parametrized modules is only supported through "
                           "state_dict(). See:\nhttps://pytorch.org/tutorials/beginner/"
                           "saving_loading_models.html#saving-loading-a-general-checkpoint-for-"
                           "inference-and-or-resuming-training")

    members = {"__getstate__": getstate, "__module__": ParametrizationList.__module__}
    if not hasattr(base, "__deepcopy__"):
        members["__deepcopy__"] = default_deepcopy
    module.__class__ = type(f"Parametrized{base.__name__}", (base,), members)


def _inject_property(module, name):
    """Make attribute `name` of `module` the result of its parametrizations."""
    if hasattr(module, name):
        raise AssertionError(f"module already has attribute '{name}'")

    def value_of(self):
        if not _cache_enabled:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    def store(self, value):
        self.parametrizations[name].right_inverse(value)

    setattr(module.__class__, name, property(value_of, store))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Compute the parameter or buffer `tensor_name` of `module` by `parametrization`.

    The module `parametrization` maps the stored tensor to the one that is read, each time it is
    read; its `right_inverse`, if it has one, maps an assigned value to what is stored. Several
    parametrizations of one tensor are applied in the order in which they were registered. `unsafe`
    allows a change of shape or dtype. Returns `module`.

    Raises ValueError if there is no such tensor, or if shape or dtype would change.

    >>> import retrograd as torch
    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = torch.nn.Linear(3, 3)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        _check_chained(module, tensor_name, parametrization, unsafe)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a "
                         f"parametrized element with name '{tensor_name}'")
    return module


def _check_chained(module, tensor_name, parametrization, unsafe):
    """A further parametrization must keep shape and dtype, in both directions."""
    if unsafe:
        return
    before = getattr(module, tensor_name)
    after = parametrization(before)
    if not isinstance(after, torch.Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    if after.dtype != before.dtype:
        raise ValueError("Registering a parametrization may not change the dtype of the tensor, "
                         "unless the `unsafe` flag is enabled.\n"
                         f"module.{tensor_name}.dtype: {before.dtype}\n"
                         f"parametrization(module.{tensor_name}).dtype: {after.dtype}")
    if after.shape != before.shape:
        raise ValueError("Registering a parametrization may not change the shape of the tensor, "
                         "unless the `unsafe` flag is enabled.\n"
                         f"module.{tensor_name}.shape: {before.shape}\n"
                         f"parametrization(module.{tensor_name}).shape: {after.shape}")
    if not hasattr(parametrization, "right_inverse"):
        return
    back = _inverse_of(parametrization, after)
    if not isinstance(back, torch.Tensor):
        raise ValueError("parametrization.right_inverse must return a tensor. Got: "
                         f"{type(back).__name__}")
    if back.dtype != before.dtype:
        raise ValueError("The tensor returned by parametrization.right_inverse must have the same "
                         f"dtype as module.{tensor_name}, unless the `unsafe` flag is enabled.\n"
                         f"module.{tensor_name}.dtype: {before.dtype}\n"
                         f"returned dtype: {back.dtype}")
    if back.shape != before.shape:
        raise ValueError("The tensor returned by parametrization.right_inverse must have the same "
                         f"shape as module.{tensor_name}, unless the `unsafe` flag is enabled.\n"
                         f"module.{tensor_name}.shape: {before.shape}\n"
                         f"returned shape: {back.shape}")


def is_parametrized(module, tensor_name=None):
    """Whether `module` has parametrizations, of `tensor_name` if it is given.

    >>> import retrograd as torch
    >>> torch.nn.utils.parametrize.is_parametrized(torch.nn.Linear(2, 1), "weight")
    False
    """
    parametrizations = getattr(module, "parametrizations", None)
    if parametrizations is None or not isinstance(parametrizations, ModuleDict):
        return False
    if tensor_name is None:
        return len(parametrizations) > 0
    return tensor_name in parametrizations


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Make `tensor_name` an ordinary tensor again; returns `module`.

    It has its current value, or with leave_parametrized=False the value that was stored. Raises
    ValueError if it is not parametrized, or for False where several tensors are stored.

    >>> import retrograd as torch
    >>> P = torch.nn.utils.parametrize
    >>> layer = P.register_parametrization(torch.nn.Linear(2, 1), "weight", torch.nn.ReLU())
    >>> layer = P.remove_parametrizations(layer, "weight")
    >>> type(layer.weight).__name__, bool((layer.weight >= 0).all())
    ('Parameter', True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with torch.no_grad():
                value = getattr(module, tensor_name)
            try:
                original.data = value.detach()
            except RuntimeError as error:
                raise RuntimeError(
                    "Calling remove_parametrizations() with leave_parametrized=True for a "
                    "parameter that is an instance of a tensor subclass requires set_() to be "
                    "implemented correctly for the tensor subclass.") from error
    elif leave_parametrized:
        value = getattr(module, tensor_name).detach()
        original = Parameter(value) if parametrizations.original0.requires_grad else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that "
                         "is parametrized in terms of a sequence of tensors.")
    delattr(module.__class__, tensor_name)
    del module.parametrizations[tensor_name]
    _register_parameter_or_buffer(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = module.__class__.__bases__[0]
    return module


def type_before_parametrizations(module):
    """The class of `module` before it was parametrized.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import parametrize
    >>> net = torch.nn.Linear(2, 2)
    >>> _ = parametrize.register_parametrization(net, "weight", torch.nn.Identity())
    >>> parametrize.type_before_parametrizations(net) is torch.nn.Linear
    True
    """
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Copy parametrizations, and the tensors they start from, to another module.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import parametrize
    >>> a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    >>> _ = parametrize.register_parametrization(a, "weight", torch.nn.Identity())
    >>> b = parametrize.transfer_parametrizations_and_params(a, b)
    >>> parametrize.is_parametrized(b, "weight")
    True
    """
    if not is_parametrized(from_module):
        return to_module
    if not isinstance(from_module.parametrizations, ModuleDict):
        raise AssertionError("from_module.parametrizations is not a ModuleDict")
    names = from_module.parametrizations if tensor_name is None else [tensor_name]
    for name in names:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in from_module.parametrizations[name]:
            register_parametrization(to_module, name, parametrization)
        source, target = from_module.parametrizations[name], to_module.parametrizations[name]
        if hasattr(source, "original"):
            target.original = source.original
        else:
            for i in range(source.ntensors):
                setattr(target, f"original{i}", getattr(source, f"original{i}"))
    return to_module
