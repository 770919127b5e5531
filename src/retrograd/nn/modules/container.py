"""Containers: Sequential, and lists and dicts of modules and of parameters."""
from __future__ import annotations

import warnings
from collections import OrderedDict
from collections import abc as container_abcs
from itertools import chain, islice

from retrograd.nn.modules._parameter_containers import (
    ParameterDict,
    ParameterList,
    _pairs,
    _position,
)
from retrograd.nn.modules.module import Module, _addindent

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


class Container(Module):
    """The old name of a module with named children."""

    def __init__(self, **kwargs):
        super().__init__()
        warnings.warn("`nn.Container` is deprecated. All of its functionality is now implemented "
                      "in `nn.Module`. Subclass that instead.", FutureWarning, stacklevel=2)
        for name, module in kwargs.items():
            self.add_module(name, module)


class _Row(Module):
    """Modules in a row: what Sequential and ModuleList share."""

    def _key_at(self, index):
        """The name of the module at `index`, which may be negative."""
        return next(islice(self._modules, _position(index, len(self)), None))

    def __setitem__(self, index, module):
        setattr(self, self._key_at(index), module)

    def __delitem__(self, index):
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key_at(index)]
        for key in keys:
            delattr(self, key)
        self._modules = OrderedDict(
            (str(i), module) for i, module in enumerate(self._modules.values()))

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, module):
        """Put `module` at the end; returns self."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Remove and return the module at `key`."""
        module = self[key]  # pyright: ignore  (both have it)
        del self[key]
        return module


def _checked(other):
    if not isinstance(other, Sequential):
        raise ValueError("add operator supports only objects of Sequential class, but "
                         f"{type(other)} is given.")
    return other


class Sequential(_Row):
    """Modules one after another, each called with the output of the one before.

    It is made of modules in order, or of an OrderedDict of names to modules. It can be indexed and
    sliced, and its modules found by number or name. Raises TypeError for anything that is not a
    Module.

    >>> import retrograd as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    >>> net(torch.ones(2, 3)).shape, net[1]
    (torch.Size([2, 1]), ReLU())
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key_at(index)]

    def __add__(self, other):
        return Sequential(*self, *_checked(other))

    def __iadd__(self, other):
        return self.extend(list(_checked(other)))

    def __mul__(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*(list(self) * times))

    __rmul__ = __mul__

    def __imul__(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return self.extend(list(self) * (times - 1))

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def insert(self, index, module):
        """Put `module` before position `index`; returns self. KeyError where names are in the way.

        Modules are moved by their numbers, so one that was added under a name cannot be.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.ReLU())
        >>> net.insert(0, torch.nn.Tanh())[0]
        Tanh()
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        if index < 0:
            index += size
        moved = {str(i): self._modules[str(i - 1)] for i in range(size, index, -1)}
        self._modules.update(reversed(moved.items()))
        self._modules[str(index)] = module
        return self

    def extend(self, sequential):
        """Put the modules of `sequential` at the end; returns self.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.ReLU())
        >>> len(net.extend([torch.nn.Tanh(), torch.nn.Sigmoid()]))
        3
        """
        for module in sequential:
            self.append(module)
        return self


class ModuleList(_Row):
    """A list of modules, registered as children '0', '1', ..., so that their parameters are found.

    It works like a list, and has no forward. Raises TypeError for anything that is not a Module.

    >>> import retrograd as torch
    >>> layers = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(2)])
    >>> len(list(layers.parameters()))
    4
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(list(self._modules.values())[index])
        return self._modules[self._key_at(index)]

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        combined = ModuleList()
        for i, module in enumerate(chain(self, other)):
            combined.add_module(str(i), module)
        return combined

    def __repr__(self):
        if not len(self):
            return self._get_name() + "()"
        runs = []    # [first, last, text]: equal neighbours are shown once
        for i, text in enumerate(repr(module) for module in self):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = []
        for first, last, text in runs:
            where = f"({first})" if first == last else f"({first}-{last})"
            times = "" if first == last else f"{last - first + 1} x "
            lines.append(_addindent(f"{where}: {times}{text}", 2))
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"

    def insert(self, index, module):
        """Put `module` before position `index`.

        >>> import retrograd as torch
        >>> net = torch.nn.ModuleList([torch.nn.ReLU()])
        >>> net.insert(0, torch.nn.Tanh())
        >>> net[0]
        Tanh()
        """
        for i in range(len(self), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module

    def extend(self, modules):
        """Put every one of `modules` at the end; returns self.

        >>> import retrograd as torch
        >>> net = torch.nn.ModuleList([torch.nn.ReLU()])
        >>> len(net.extend([torch.nn.Tanh(), torch.nn.Sigmoid()]))
        3
        """
        if not isinstance(modules, container_abcs.Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got "
                            + type(modules).__name__)
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self


class ModuleDict(Module):
    """A dict of modules, registered as children under their keys, in insertion order.

    It works like a dict, and has no forward. Raises TypeError for keys that are not strings and
    values that are not Modules.

    >>> import retrograd as torch
    >>> layers = torch.nn.ModuleDict({"a": torch.nn.ReLU()})
    >>> layers["a"]
    ReLU()
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Remove every module.

        >>> import retrograd as torch
        >>> net = torch.nn.ModuleDict({"act": torch.nn.ReLU(), "out": torch.nn.Tanh()})
        >>> net.clear()
        >>> len(net)
        0
        """
        self._modules.clear()

    def pop(self, key):
        """Remove and return the module under `key`.

        >>> import retrograd as torch
        >>> net = torch.nn.ModuleDict({"act": torch.nn.ReLU(), "out": torch.nn.Tanh()})
        >>> net.pop("act"), list(net)
        (ReLU(), ['out'])
        """
        module = self[key]
        del self[key]
        return module

    def keys(self):
        """The keys.

        >>> import retrograd as torch
        >>> net = torch.nn.ModuleDict({"act": torch.nn.ReLU(), "out": torch.nn.Tanh()})
        >>> list(net.keys())
        ['act', 'out']
        """
        return self._modules.keys()

    def items(self):
        """The (key, module) pairs.

        >>> import retrograd as torch
        >>> net = torch.nn.ModuleDict({"act": torch.nn.ReLU(), "out": torch.nn.Tanh()})
        >>> [name for name, module in net.items()]
        ['act', 'out']
        """
        return self._modules.items()

    def values(self):
        """The modules.

        >>> import retrograd as torch
        >>> net = torch.nn.ModuleDict({"act": torch.nn.ReLU(), "out": torch.nn.Tanh()})
        >>> list(net.values())
        [ReLU(), Tanh()]
        """
        return self._modules.values()

    def update(self, modules):
        """Take over a mapping, or an iterable of (key, module) pairs.

        >>> import retrograd as torch
        >>> net = torch.nn.ModuleDict({"act": torch.nn.ReLU(), "out": torch.nn.Tanh()})
        >>> net.update({"out": torch.nn.Sigmoid()})
        >>> net["out"]
        Sigmoid()
        """
        for key, module in _pairs(modules, "ModuleDict"):
            self[key] = module
