"""Module: parameters, buffers and submodules by attribute, hooks around forward, state by name."""
from __future__ import annotations

import itertools
import warnings
from collections import OrderedDict
from typing import Any

import retrograd as torch
from retrograd import __future__
from retrograd._utils import typename as _typename
from retrograd.nn.modules import _hooks
from retrograd.nn.modules._hooks import (
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_buffer_registration_hooks,
    _global_forward_hooks,
    _global_forward_hooks_always_called,
    _global_forward_hooks_with_kwargs,
    _global_forward_pre_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    _has_any_global_hook,
    _register,
    _WrappedHook,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from retrograd.nn.modules._state import (
    _EXTRA_STATE_KEY_SUFFIX,
    StateDict,
    _IncompatibleKeys,
)
from retrograd.nn.parameter import Buffer, Parameter

__all__ = [
    "register_module_forward_pre_hook", "register_module_forward_hook",
    "register_module_full_backward_pre_hook", "register_module_backward_hook",
    "register_module_full_backward_hook", "register_module_buffer_registration_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
    "Module",
    # not public, but read by programs
    "_EXTRA_STATE_KEY_SUFFIX", "_IncompatibleKeys", "_WrappedHook", "_has_any_global_hook",
    "_global_forward_hooks_always_called", "_global_forward_hooks_with_kwargs",
]

def _addindent(text, spaces):
    """Indent every line of `text` but the first."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(spaces * " " + line for line in rest)])


def _forward_unimplemented(self, *input):
    """The forward of a Module that does not define one."""
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function'
    )


class Module(StateDict):
    """The base of every layer and network.

    Tensors wrapped in Parameter, buffers and other Modules are registered when they are assigned
    as attributes; calling the module runs ``forward`` with the registered hooks around it.

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

    dump_patches = False
    call_super_init = False
    _compiled_call_impl = None

    def __init__(self, *args, **kwargs):
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
    def __call__(self, *args, **kwargs):
        if (self._forward_hooks or self._forward_pre_hooks or self._backward_hooks
                or self._backward_pre_hooks or _global_forward_hooks or _global_forward_pre_hooks
                or _global_backward_hooks or _global_backward_pre_hooks):
            return _hooks.call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    _call_impl = _wrapped_call_impl = __call__

    def compile(self, *args, **kwargs):
        """Accepted for programs that compile their modules; the module stays as it is."""
        torch.compile(self, *args, **kwargs)

    # ------------------------------------------------------------------ registering
    def register_buffer(self, name, tensor, persistent=True):
        """Keep `tensor` (or None) as attribute `name`: moved and saved, not optimized.

        Args:
            persistent: whether it belongs to the state_dict.

        Raises:
            TypeError: `name` is not a string or `tensor` not a tensor.
            KeyError: `name` is empty, has a dot, or is taken.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"buffer name should be a string. Got {_typename(name)}")
        if "." in name:
            raise KeyError('buffer name can\'t contain "."')
        if name == "":
            raise KeyError('buffer name can\'t be empty string ""')
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"cannot assign '{_typename(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        self._put_buffer(name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def _put_buffer(self, name, tensor):
        for hook in _global_buffer_registration_hooks.values():
            replaced = hook(self, name, tensor)
            tensor = tensor if replaced is None else replaced
        self._buffers[name] = tensor

    def register_parameter(self, name, param):
        """Keep the Parameter `param` (or None) as attribute `name`.

        Raises:
            TypeError: `name` is not a string or `param` not a Parameter.
            KeyError: `name` is empty, has a dot, or is taken.
            ValueError: `param` is not a leaf.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"parameter name should be a string. Got {_typename(name)}")
        if "." in name:
            raise KeyError('parameter name can\'t contain "."')
        if name == "":
            raise KeyError('parameter name can\'t be empty string ""')
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_typename(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        if param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model "
                f"parameters must be created explicitly. To express '{name}' "
                "as a function of another Tensor, compute the value in "
                "the forward() method."
            )
        for hook in _global_parameter_registration_hooks.values():
            replaced = hook(self, name, param)
            param = param if replaced is None else replaced
        self._parameters[name] = param

    def add_module(self, name, module):
        """Keep `module` (or None) as the submodule `name`."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_typename(module)} is not a Module subclass")
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

    # ------------------------------------------------------------------ looking up
    def get_submodule(self, target):
        """The submodule at the dotted path `target`; the module itself for ''."""
        module = self
        for part in target.split(".") if target else ():
            if not hasattr(module, part):
                raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Put `module` at the dotted path `target`; with `strict` only where one is."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, Module):
            raise ValueError(
                f"`module` is not an nn.Module, found {type(module)}"
            )
        if "." not in target and strict and not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """The Parameter at the dotted path `target`."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        param = getattr(module, name)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target):
        """The buffer at the dotted path `target`."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return getattr(module, name)

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
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{_typename(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in tables:
                raise AttributeError("cannot assign module before Module.__init__() call")
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
            self._forget(name, "_parameters", "_modules")
            if name not in self.__dict__.get("_buffers", ()):
                self.register_buffer(name, value, value.persistent)
                return
        self._put_buffer(name, value)

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

    # ------------------------------------------------------------------ walking
    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = (self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
                   if recurse else [(prefix, self)])
        for module_prefix, module in modules:
            for name, member in get_members_fn(module):
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield module_prefix + ("." if module_prefix else "") + name, member

    def parameters(self, recurse=True):
        """Every parameter once, the module's own first, then those of its children."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Every (dotted name, parameter); a shared one under its first name only."""
        yield from self._named_members(lambda module: module._parameters.items(),
                                       prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Every buffer once."""
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Every (dotted name, buffer); a shared one under its first name only."""
        yield from self._named_members(lambda module: module._buffers.items(),
                                       prefix, recurse, remove_duplicate)

    def children(self):
        """The immediate submodules, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """The immediate submodules as (name, module), each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate=True):
        """This module and all below it, each once."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(dotted name, module) of this module ('') and all below it."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, below, remove_duplicate)

    def apply(self, fn):
        """Call ``fn(module)`` on every module below and last on this one; returns self."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ------------------------------------------------------------------ converting
    def _apply(self, fn, recurse=True):
        """Replace every tensor by ``fn(tensor)``; Parameters stay the same objects."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for key, param in self._parameters.items():
            if param is not None:
                self._apply_parameter(key, param, fn)
        for key, buf in self._buffers.items():
            if buf is not None:
                self._buffers[key] = fn(buf)
        return self

    def _apply_parameter(self, key, param, fn):
        with torch.no_grad():
            applied = fn(param)
        in_place = not __future__.get_overwrite_module_params_on_conversion()
        if in_place:
            param.data = applied
            kept = param
        else:
            kept = Parameter(applied, param.requires_grad)
            self._parameters[key] = kept
        if param.grad is None:
            return
        with torch.no_grad():
            grad = fn(param.grad)
        if in_place:
            param.grad.data = grad
        else:
            kept.grad = grad.requires_grad_(param.grad.requires_grad)

    def to(self, *args, **kwargs):
        """Convert in place: ``to(device)``, ``to(dtype)``, ``to(device, dtype)``, ``to(tensor)``.

        Only floating and complex tensors change dtype.  Returns self.

        Raises:
            TypeError: the dtype is neither floating nor complex.
        """
        device, dtype, non_blocking, memory_format = _parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError("nn.Module.to only accepts floating point or complex "
                                f"dtypes, but got desired dtype={dtype}")
            if dtype.is_complex:
                warnings.warn(
                    "Complex modules are a new feature under active development whose design "
                    "may change, and some modules might not work as expected when using complex "
                    "tensors as parameters or buffers. Please file an issue at "
                    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
                    "if a complex module does not work as expected.", stacklevel=2)

        def convert(t):
            kind = dtype if t.is_floating_point() or t.is_complex() else None
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, kind, non_blocking, memory_format=memory_format)
            return t.to(device, kind, non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Move to `device` without copying values."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def cpu(self):
        """Move every parameter and buffer to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Move every parameter and buffer to the GPU; there is none, so this raises."""
        return self._apply(lambda t: t.cuda(device))

    def type(self, dst_type):
        """Cast every parameter and buffer to `dst_type`."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Cast the floating parameters and buffers to float32."""
        return self._cast_floating(torch.float)

    def double(self):
        """Cast the floating parameters and buffers to float64."""
        return self._cast_floating(torch.double)

    def half(self):
        """Cast the floating parameters and buffers to float16."""
        return self._cast_floating(torch.half)

    def bfloat16(self):
        """Cast the floating parameters and buffers to bfloat16."""
        return self._cast_floating(torch.bfloat16)

    def _cast_floating(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def share_memory(self):
        """Put every tensor into shared memory."""
        return self._apply(lambda t: t.share_memory_())

    # ------------------------------------------------------------------ hooks
    def _add_hook(self, table, hook, prepend, *flags):
        handle = _register(table, hook, [flag for flag, _ in flags] or None)
        for flag, wanted in flags:
            if wanted:
                flag[handle.id] = True
        if prepend:
            table.move_to_end(handle.id, last=False)
        return handle

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(module, args)`` before forward; a result replaces the arguments.

        With ``with_kwargs``: ``hook(module, args, kwargs)``, a result is ``(args, kwargs)``.
        """
        return self._add_hook(self._forward_pre_hooks, hook, prepend,
                              (self._forward_pre_hooks_with_kwargs, with_kwargs))

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call ``hook(module, args, output)`` after forward; a result replaces the output.

        With ``with_kwargs``: ``hook(module, args, kwargs, output)``; with ``always_call`` also
        when forward raised.
        """
        return self._add_hook(self._forward_hooks, hook, prepend,
                              (self._forward_hooks_with_kwargs, with_kwargs),
                              (self._forward_hooks_always_called, always_call))

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_output)`` before backward; a result replaces it."""
        return self._add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_input, grad_output)``; a result replaces grad_input."""
        if self._is_full_backward_hook is False:
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks "
                               "on a single Module. Please use only one of them.")
        self._is_full_backward_hook = True
        return self._add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook):
        """The old kind of backward hook, on the last node only; prefer the full one."""
        if self._is_full_backward_hook is True:
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks "
                               "on a single Module. Please use only one of them.")
        self._is_full_backward_hook = False
        return self._add_hook(self._backward_hooks, hook, False)

    def _get_backward_hooks(self):
        return _hooks.backward_hooks_of(self)

    def _get_backward_pre_hooks(self):
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    # ------------------------------------------------------------------ modes
    def train(self, mode=True):
        """Set training mode (dropout, batch norm) here and below; returns self."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Set evaluation mode: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set requires_grad of every parameter; returns self."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Drop the gradients of every parameter, or set them to zero."""
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if param.grad.grad_fn is not None:
                    param.grad.detach_()
                else:
                    param.grad.requires_grad_(False)
                param.grad.zero_()

    # ------------------------------------------------------------------ printing
    def _get_name(self):
        return self.__class__.__name__

    def extra_repr(self):
        """What repr shows of this module's own settings; override it."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(module), 2)}"
                    for name, module in self._modules.items()]
        name = self._get_name()
        if len(lines) == 1 and not children:
            return f"{name}({lines[0]})"
        if not lines and not children:
            return f"{name}()"
        return f"{name}(\n  " + "\n  ".join(itertools.chain(lines, children)) + "\n)"

    def _replicate_for_data_parallel(self):
        replica = self.__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica._parameters = {}
        replica._buffers = replica._buffers.copy()
        replica._modules = replica._modules.copy()
        replica._is_replica = True
        return replica


def _parse_to(*args, device=None, dtype=None, non_blocking=False, copy=False,
              memory_format=None):
    """The arguments of Module.to as (device, dtype, non_blocking, memory_format)."""
    rest = list(args)
    if rest and isinstance(rest[0], torch.Tensor):
        other = rest.pop(0)
        device, dtype = other.device, other.dtype
    else:
        if rest and (rest[0] is None or isinstance(rest[0], (str, int, torch.device))):
            device = rest.pop(0)
        if rest and (rest[0] is None or isinstance(rest[0], torch.dtype)):
            dtype = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        non_blocking = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        rest.pop(0)    # copy: a module is always converted in place
    if rest:
        raise TypeError("to() received an invalid combination of arguments - got "
                        f"({', '.join(type(a).__name__ for a in args)})")
    if isinstance(device, (str, int)):
        device = torch.device(device)
    return device, dtype, non_blocking, memory_format
