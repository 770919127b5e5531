"""Module: parameters, buffers and submodules by attribute, and the hooks around forward.

NOTE [order of module hooks]
    A call of a module runs, in this order: the forward pre-hooks, forward(), the forward hooks.
    Global hooks run before the module's own. If there are backward hooks, the inputs pass through
    a BackwardHook node before forward(), and the outputs through another one after the forward
    hooks. In the backward pass the outputs' node runs the backward pre-hooks, and the inputs' node,
    when their gradients are complete, the full backward hooks.
"""
from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict
from typing import Any

import retrograd as torch
from retrograd._utils import typename as _typename
from retrograd.autograd.explain import add_module
from retrograd.nn._borrowed import borrows
from retrograd.nn.modules._convert import Convert
from retrograd.nn.modules._hooks import (  # noqa: F401  programs import _WrappedHook from here
    BOTH_KINDS,
    Hooks,
    _register,
    _WrappedHook,
    attach_legacy,
)
from retrograd.nn.modules._printing import Printing, _addindent  # noqa: F401  as _addindent
from retrograd.nn.modules._state import (  # noqa: F401  programs import these from here
    _EXTRA_STATE_KEY_SUFFIX,
    StateDict,
    _IncompatibleKeys,
)
from retrograd.nn.modules._walk import Walk
from retrograd.nn.parameter import Buffer, Parameter
from retrograd.utils.hooks import BackwardHook

__all__ = [
    "register_module_forward_pre_hook", "register_module_forward_hook",
    "register_module_full_backward_pre_hook", "register_module_backward_hook",
    "register_module_full_backward_hook", "register_module_buffer_registration_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
    "Module",
]

__getattr__ = borrows(__name__)

# shared by all modules; programs reset them by assigning here
_global_backward_pre_hooks = OrderedDict()
_global_backward_hooks = OrderedDict()
_global_forward_pre_hooks = OrderedDict()
_global_forward_hooks = OrderedDict()
_global_forward_hooks_always_called = OrderedDict()
_global_forward_hooks_with_kwargs = OrderedDict()
_global_buffer_registration_hooks = OrderedDict()
_global_module_registration_hooks = OrderedDict()
_global_parameter_registration_hooks = OrderedDict()
_global_is_full_backward_hook = None       # which kind they are; None while there are none


def _has_any_global_hook():
    return bool(_global_backward_pre_hooks or _global_backward_hooks or _global_forward_pre_hooks
                or _global_forward_hooks or _global_forward_hooks_always_called
                or _global_forward_hooks_with_kwargs)


def register_module_buffer_registration_hook(hook):
    """Call `hook(module, name, buffer)` whenever any module registers a buffer.

    >>> import retrograd as torch
    >>> register = torch.nn.modules.module.register_module_buffer_registration_hook
    >>> handle = register(lambda module, name, buffer: print(name))
    >>> _ = torch.nn.BatchNorm1d(2)
    running_mean
    running_var
    num_batches_tracked
    >>> handle.remove()
    """
    return _register(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook):
    """Call `hook(module, name, submodule)` whenever any module registers a submodule.

    >>> import retrograd as torch
    >>> register = torch.nn.modules.module.register_module_module_registration_hook
    >>> handle = register(lambda module, name, submodule: print(name, submodule))
    >>> _ = torch.nn.Sequential(torch.nn.ReLU())
    0 ReLU()
    >>> handle.remove()
    """
    return _register(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook):
    """Call `hook(module, name, parameter)` whenever any module registers a parameter.

    >>> import retrograd as torch
    >>> register = torch.nn.modules.module.register_module_parameter_registration_hook
    >>> handle = register(lambda module, name, parameter: print(name, tuple(parameter.shape)))
    >>> _ = torch.nn.Linear(3, 2)
    weight (2, 3)
    bias (2,)
    >>> handle.remove()
    """
    return _register(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook):
    """Call `hook(module, args)` before every module's forward; it may return new args.

    >>> import retrograd as torch
    >>> register = torch.nn.modules.module.register_module_forward_pre_hook
    >>> handle = register(lambda module, args: print(module))
    >>> _ = torch.nn.Sequential(torch.nn.Tanh())(torch.ones(1))
    Sequential(
      (0): Tanh()
    )
    Tanh()
    >>> handle.remove()
    """
    return _register(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call `hook(module, args, output)` after every module's forward.

    With `with_kwargs` the call is `hook(module, args, kwargs, output)`; with
    `always_call` it is made also when forward raised.

    >>> import retrograd as torch
    >>> register = torch.nn.modules.module.register_module_forward_hook
    >>> handle = register(lambda module, args, output: print(module, tuple(output.shape)))
    >>> _ = torch.nn.Flatten()(torch.ones(2, 3, 4))
    Flatten(start_dim=1, end_dim=-1) (2, 12)
    >>> handle.remove()
    """
    handle = _register(_global_forward_hooks, hook, [_global_forward_hooks_with_kwargs,
                                                     _global_forward_hooks_always_called])
    if with_kwargs:
        _global_forward_hooks_with_kwargs[handle.id] = True
    if always_call:
        _global_forward_hooks_always_called[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook):
    """Call `hook(module, grad_output)` before every module's backward.

    >>> import retrograd as torch
    >>> register = torch.nn.modules.module.register_module_full_backward_pre_hook
    >>> handle = register(lambda module, grad_output: print(module, grad_output))
    >>> torch.nn.ReLU()(torch.ones(1, requires_grad=True)).backward()
    ReLU() (tensor([1.]),)
    >>> handle.remove()
    """
    return _register(_global_backward_pre_hooks, hook)


def register_module_backward_hook(hook):
    """The old kind of backward hook, on the last node only; prefer the full one.

    >>> import retrograd as torch
    >>> hooks = torch.nn.modules.module
    >>> handle = hooks.register_module_full_backward_hook(lambda *args: None)
    >>> hooks.register_module_backward_hook(lambda *args: None)   # not beside the full kind
    Traceback (most recent call last):
        ...
    RuntimeError: Cannot use both regular backward hooks and full backward hooks as a ...
    >>> handle.remove()
    """
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is True:
        raise RuntimeError(BOTH_KINDS.format("as a global Module hook"))
    _global_is_full_backward_hook = False
    return _register(_global_backward_hooks, hook)


def register_module_full_backward_hook(hook):
    """Call `hook(module, grad_input, grad_output)` after every module's backward.

    >>> import retrograd as torch
    >>> register = torch.nn.modules.module.register_module_full_backward_hook
    >>> handle = register(lambda module, grad_input, grad_output: print(module, grad_input))
    >>> torch.nn.Hardtanh(-2, 2)(torch.ones(1, requires_grad=True)).backward()
    Hardtanh(min_val=-2, max_val=2) (tensor([1.]),)
    >>> handle.remove()
    """
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is False:
        raise RuntimeError(BOTH_KINDS.format("as a global Module hook"))
    _global_is_full_backward_hook = True
    return _register(_global_backward_hooks, hook)


def _call_with_hooks(module, args, kwargs):
    """`module.forward(*args, **kwargs)` with every hook in its place."""
    done = set()
    try:
        return _call(module, args, kwargs, done)
    except Exception:
        _always_call(module, args, kwargs, done)
        raise


def _call(module, args, kwargs, done):
    """forward() and the hooks, in the order of NOTE [order of module hooks]."""
    pre_backward = module._get_backward_pre_hooks()
    full, legacy = module._get_backward_hooks()
    args, kwargs = _forward_pre(module, args, kwargs)
    around = None
    if full or pre_backward:
        around = BackwardHook(module, full, pre_backward)
        args = around.setup_input_hook(args)
    result = module.forward(*args, **kwargs)
    result = _forward_post(module, args, kwargs, result, done)
    if around is not None:
        if not isinstance(result, (torch.Tensor, tuple)):
            warnings.warn("For backward hooks to be called, module output should be a Tensor or a "
                          f"tuple of Tensors but received {type(result)}", stacklevel=4)
        result = around.setup_output_hook(result)
    if legacy:
        attach_legacy(module, legacy, args, result)
    return result


def _forward_pre(module, args, kwargs):
    """The arguments for forward, after the forward pre-hooks."""
    for hook_id, hook in (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
        with_kwargs = hook_id in module._forward_pre_hooks_with_kwargs
        new = hook(module, args, kwargs) if with_kwargs else hook(module, args)
        if new is None:
            continue
        if not with_kwargs:
            args = new if isinstance(new, tuple) else (new,)
        elif isinstance(new, tuple) and len(new) == 2:
            args, kwargs = new
        else:
            raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, "
                               f"new_kwargs), but got {new}.")
    return args, kwargs


def _forward_post(module, args, kwargs, result, done):
    """The result after the forward hooks; `done` gets the ids of those that are always called."""
    for hook_id, hook in (*_global_forward_hooks.items(), *module._forward_hooks.items()):
        if (hook_id in module._forward_hooks_always_called
                or hook_id in _global_forward_hooks_always_called):
            done.add(hook_id)
        result = _one_forward_hook(module, hook_id, hook, args, kwargs, result)
    return result


def _one_forward_hook(module, hook_id, hook, args, kwargs, result):
    if (hook_id in module._forward_hooks_with_kwargs
            or hook_id in _global_forward_hooks_with_kwargs):
        new = hook(module, args, kwargs, result)
    else:
        new = hook(module, args, result)
    return result if new is None else new


def _always_call(module, args, kwargs, done):
    """After an exception, the hooks that asked to be called in any case."""
    result = None
    for which, hooks, wanted in (
        ("global module", _global_forward_hooks, _global_forward_hooks_always_called),
        ("module", module._forward_hooks, module._forward_hooks_always_called),
    ):
        for hook_id, hook in hooks.items():
            if hook_id not in wanted or hook_id in done:
                continue
            try:
                result = _one_forward_hook(module, hook_id, hook, args, kwargs, result)
            except Exception as error:    # the error of forward is the one to report
                warnings.warn(f"{which} forward hook with ``always_call=True`` raised an exception "
                              "that was silenced as another error was raised in forward: "
                              f"{error!s}", stacklevel=4)


def _forward_unimplemented(self, *input):
    """The forward of a Module that does not define one."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" '
                              "function")


def not_begun(kind: str) -> AttributeError:
    """The error for a layer or a parameter that comes before the tables which hold them."""
    return AttributeError(f"cannot assign {kind} before Module.__init__() call\n\n"
                          "Cure: call `super().__init__()` first in __init__().")


def no_module(value) -> TypeError:
    """The error for anything that is not a Module, where one is wanted."""
    text = f"{_typename(value)} is not a Module subclass"
    if isinstance(value, type) and issubclass(value, Module):
        text += f"\n\nIt is a class of layers.\nCure: make one, `{value.__name__}(...)`."
    elif callable(value):
        text += "\n\nCure: the layer that calls this function, such as nn.ReLU() for torch.relu."
    return TypeError(text)


class Module(StateDict, Walk, Convert, Hooks, Printing):
    """The base class of every layer and network.

    A subclass calls `super().__init__()` and defines `forward`. Parameters, Buffers and other
    Modules are registered when they are assigned as attributes, so that `parameters()`,
    `state_dict()` and `to()` find them. Calling the module runs `forward` with the
    registered hooks around it.

    >>> import retrograd as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.0))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> Scale()(torch.ones(2))
    tensor([2., 2.], grad_fn=<MulBackward0>)
    """

    dump_patches: bool = False
    training: bool        # libraries read a module's __annotations__
    call_super_init: bool = False
    _compiled_call_impl = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument "
                                f"'{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{name}.__init__() takes 1 positional argument but "
                                f"{len(args) + 1} were given")
        # straight into the instance: __setattr__ below needs these tables to exist
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _non_persistent_buffers_set=set(),
            _backward_pre_hooks=OrderedDict(),
            _backward_hooks=OrderedDict(),
            _is_full_backward_hook=None,
            _forward_hooks=OrderedDict(),
            _forward_hooks_with_kwargs=OrderedDict(),
            _forward_hooks_always_called=OrderedDict(),
            _forward_pre_hooks=OrderedDict(),
            _forward_pre_hooks_with_kwargs=OrderedDict(),
            _state_dict_hooks=OrderedDict(),
            _state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_post_hooks=OrderedDict(),
            _modules={},
        )
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward = _forward_unimplemented

    # ------------------------------------------------------------------ the call
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if (self._forward_hooks or self._forward_pre_hooks or self._backward_hooks
                    or self._backward_pre_hooks or _global_forward_hooks
                    or _global_forward_pre_hooks or _global_backward_hooks
                    or _global_backward_pre_hooks):
                return _call_with_hooks(self, args, kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            add_module(error, self, args)
            raise

    _call_impl = _wrapped_call_impl = __call__

    def compile(self, *args, **kwargs):
        """Accepted for programs that compile their modules; the module stays as it is."""
        torch.compile(lambda: None, *args, **kwargs)

    # ------------------------------------------------------------------ registering
    def register_buffer(self, name, tensor, persistent=True):
        """Keep `tensor` (or None) as attribute `name`: moved and saved, not optimized.

        Args:
            persistent: whether it belongs to the state_dict.

        Raises:
            TypeError: `name` is not a string or `tensor` not a tensor.
            KeyError: `name` is empty, has a dot, or is taken.

        >>> import retrograd as torch
        >>> net = torch.nn.Module()
        >>> net.register_buffer("mean", torch.zeros(2))
        >>> net.mean, list(net.parameters()), list(net.state_dict())
        (tensor([0., 0.]), [], ['mean'])
        """
        self._check_name("buffer", "_buffers", name)
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"cannot assign '{_typename(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        for hook in _global_buffer_registration_hooks.values():
            replaced = hook(self, name, tensor)
            tensor = tensor if replaced is None else replaced
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Keep the Parameter `param` (or None) as attribute `name`.

        Raises:
            TypeError: `name` is not a string or `param` not a Parameter.
            KeyError: `name` is empty, has a dot, or is taken.
            ValueError: `param` is not a leaf.

        >>> import retrograd as torch
        >>> net = torch.nn.Module()
        >>> net.register_parameter("scale", torch.nn.Parameter(torch.ones(2)))
        >>> [name for name, _ in net.named_parameters()]
        ['scale']
        """
        self._check_name("parameter", "_parameters", name)
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_typename(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        if param.grad_fn:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model "
                             f"parameters must be created explicitly. To express '{name}' as a "
                             "function of another Tensor, compute the value in the forward() "
                             "method.")
        for hook in _global_parameter_registration_hooks.values():
            replaced = hook(self, name, param)
            param = param if replaced is None else replaced
        self._parameters[name] = param

    def _check_name(self, kind, table, name):
        """Raise unless a new buffer or parameter of that name may enter its table."""
        if table not in self.__dict__:
            raise not_begun(kind)
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[table]:
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name, module):
        """Keep `module` (or None) as the submodule `name`: for names made at run time.

        Raises TypeError unless it is a Module, KeyError for a name that is empty, has a dot, or is
        taken.

        >>> import retrograd as torch
        >>> net = torch.nn.Module()
        >>> net.add_module("act", torch.nn.ReLU())
        >>> net.act
        ReLU()
        """
        if not isinstance(module, Module) and module is not None:
            raise no_module(module)
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {_typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._put_module(name, module)

    def _put_module(self, name, module):
        for hook in _global_module_registration_hooks.values():
            replaced = hook(self, name, module)
            module = module if replaced is None else replaced
        self._modules[name] = module

    def register_module(self, name, module):
        """Another name of add_module."""
        self.add_module(name, module)

    # ------------------------------------------------------------------ attributes
    def __setstate__(self, state):
        self.__dict__.update(state)
        # modules pickled before a table existed
        for name in ("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
                     "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
                     "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
                     "_load_state_dict_post_hooks", "_backward_pre_hooks"):
            self.__dict__.setdefault(name, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)

    def __getattr__(self, name: str) -> Any:
        # Python comes here after a search that failed: ten times as slow as a plain attribute.
        tables = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in tables and name in tables[table]:
                return tables[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        tables = self.__dict__
        params = tables.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise not_begun("parameters")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{_typename(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)\n\nCure: nn.Parameter(...) "
                                "for another one; to write numbers into this one, `with "
                                f"torch.no_grad(): module.{name}.copy_(...)`.")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in tables:
                raise not_begun("module")
            self._forget(name, "_parameters", "_buffers")
            self._put_module(name, value)
        elif name in tables.get("_modules", ()):
            if value is not None:
                raise TypeError(f"cannot assign '{_typename(value)}' as child module '{name}' "
                                "(torch.nn.Module or None expected)")
            self._put_module(name, value)
        elif isinstance(value, Buffer) or name in tables.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def _set_buffer(self, name, value):
        if value is not None and not isinstance(value, torch.Tensor):
            raise TypeError(f"cannot assign '{_typename(value)}' as buffer '{name}' "
                            "(torch.nn.Buffer, torch.Tensor or None expected)")
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        if (type(self).register_buffer is Module.register_buffer
                or "persistent" in inspect.signature(self.register_buffer).parameters):
            self.register_buffer(name, value, persistent)
        elif persistent:      # an override of register_buffer with the older signature
            self.register_buffer(name, value)
        else:
            raise RuntimeError("Registering a non-persistent buffer on a Module subclass that "
                               "implements register_buffer() without the persistent argument is "
                               "not allowed.")

    def _forget(self, name, *tables):
        """Drop `name` from the instance and from `tables`: it is about to be something else."""
        self.__dict__.pop(name, None)
        for table in tables:
            self.__dict__[table].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self):
        names = [*dir(self.__class__), *self.__dict__, *self._parameters, *self._modules,
                 *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    # ------------------------------------------------------------------ hooks
    def _get_backward_hooks(self):
        """The backward hooks that apply here: (full ones, old-style ones)."""
        full, legacy = [], []
        shared = full if _global_is_full_backward_hook is True else legacy
        shared.extend(_global_backward_hooks.values())
        own = full if self._is_full_backward_hook is True else legacy
        own.extend(self._backward_hooks.values())
        return full, legacy

    def _get_backward_pre_hooks(self):
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    def _replicate_for_data_parallel(self):
        replica = self.__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica._parameters = {}
        replica._buffers = replica._buffers.copy()
        replica._modules = replica._modules.copy()
        replica._is_replica = True
        return replica
