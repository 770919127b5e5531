"""Getting, setting and swapping a module's tensors by dotted name."""
from __future__ import annotations

import retrograd as torch
from retrograd.nn.modules.module import Module

_MISSING = object()


def set_tensor(module, name, tensor):
    """Put `tensor` in place of the parameter, buffer or attribute `name`."""
    swap_tensor(module, name, tensor, allow_missing=True)


def swap_tensor(module, name, tensor, allow_missing=False):
    """Put `tensor` in place of `name` and return what was there (a mark if nothing was)."""
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if tensor is not _MISSING and tensor is not None and not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    for table in (module._parameters, module._buffers):
        if name in table:
            found = table[name]
            if tensor is _MISSING:
                del table[name]
            else:
                table[name] = tensor
            return found
    found = getattr(module, name, _MISSING)
    if found is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if found is not _MISSING and not isinstance(found, torch.Tensor):
        raise TypeError(f"attribute `{name}`: {found} is not an instance of torch.Tensor")
    if tensor is _MISSING:
        if found is not _MISSING:
            delattr(module, name)
    elif isinstance(tensor, torch.nn.Parameter):
        module._parameters[name] = tensor
    else:
        setattr(module, name, tensor)
    return found


class NamedMemberAccessor:
    """A module's submodules and tensors by dotted name, the path to each looked up once."""

    def __init__(self, module):
        self.module = module
        self.memo = {}

    def get_submodule(self, name):
        """The submodule at `name`."""
        if name not in self.memo:
            self.memo[name] = self.module.get_submodule(name)
        return self.memo[name]

    def _place(self, name):
        path, _, attribute = name.rpartition(".")
        return self.get_submodule(path), attribute

    def get_tensor(self, name):
        """The tensor at `name`."""
        module, attribute = self._place(name)
        if not hasattr(module, attribute):
            raise AttributeError(f"{module._get_name()} has no attribute `{attribute}`")
        tensor = getattr(module, attribute)
        if not isinstance(tensor, torch.Tensor) and tensor is not None:
            raise TypeError(f"{tensor} is not an instance of torch.Tensor")
        return tensor

    def set_tensor(self, name, value):
        """Put `value` at `name`."""
        set_tensor(*self._place(name), value)

    def swap_tensor(self, name, value, allow_missing=False):
        """Put `value` at `name` and return what was there."""
        return swap_tensor(*self._place(name), value, allow_missing)

    def set_tensors_dict(self, named_tensors):
        """Put every tensor at its name."""
        for name, tensor in named_tensors.items():
            self.set_tensor(name, tensor)

    def swap_tensors_dict(self, named_tensors, allow_missing=False):
        """Put every tensor at its name; (what was there by name, the names that were new)."""
        originals, missing = {}, []
        try:
            for name, tensor in named_tensors.items():
                found = self.swap_tensor(name, tensor, allow_missing=True)
                if found is _MISSING:
                    missing.append(name)
                originals[name] = found
        except Exception:
            for name, tensor in originals.items():
                self.swap_tensor(name, tensor, allow_missing=True)
            raise
        if missing and not allow_missing:
            for name, tensor in originals.items():
                self.swap_tensor(name, tensor, allow_missing=True)
            raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        return originals, missing

    def check_keys(self, keys):
        """(names the module has and `keys` lacks, names it lacks)."""
        own = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        given = set(keys)
        return sorted(own - given), sorted(given - own)

    def named_parameters(self, remove_duplicate=True):
        """The module's named parameters."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate=True):
        """The module's named buffers."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate=True):
        """The module's named parameters and buffers."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate=True):
        """The module's named submodules."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
