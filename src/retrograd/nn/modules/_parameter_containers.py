"""ParameterList and ParameterDict; container.py gives them their public place."""
from __future__ import annotations

import operator
from collections import OrderedDict
from collections import abc as container_abcs

import retrograd as torch
from retrograd._utils import typename
from retrograd.nn.modules.module import Module
from retrograd.nn.parameter import Parameter

__all__ = ["ParameterList", "ParameterDict"]


def _position(index, size):
    """`index`, which may be negative, as a number below `size`."""
    index = operator.index(index)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


def _pairs(given, name):
    """The (key, value) pairs of a mapping or of an iterable of pairs."""
    if not isinstance(given, container_abcs.Iterable):
        shown = "ParametersDict" if name == "ParameterDict" else name     # as PyTorch spells it
        raise TypeError(f"{shown}.update should be called with an iterable of key/value pairs, but "
                        "got " + type(given).__name__)
    if hasattr(given, "items"):
        yield from given.items()
        return
    for i, pair in enumerate(given):
        if not isinstance(pair, container_abcs.Iterable):
            raise TypeError(f"{name} update sequence element #{i} should be Iterable; is"
                            + type(pair).__name__)
        if len(pair) != 2:
            raise ValueError(f"{name} update sequence element #{i} has length {len(pair)}; 2 is "
                             "required")
        key, value = pair
        yield key, value


def _describe(value, listed):
    """How a ParameterList (`listed`) or ParameterDict shows one of its values."""
    if not isinstance(value, torch.Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(str(n) for n in value.size())
    return f"{kind} containing: [{value.dtype if listed else typename(value)} of size {size}]"


class ParameterList(Module):
    """A list whose Tensors become Parameters; other values are kept as they are.

    >>> import retrograd as torch
    >>> len(list(torch.nn.ParameterList([torch.ones(2)]).parameters()))
    1
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _key_at(self, index):
        return str(_position(index, len(self)))

    def __getitem__(self, index):
        if isinstance(index, slice):
            out = self.__class__()
            for i in range(len(self))[index]:
                out.append(self[i])
            return out
        return getattr(self, self._key_at(index))

    def __setitem__(self, index, value):
        key = self._key_at(index)
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, key, value)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, values):
        return self.extend(values)

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, value):
        """Put `value` at the end; returns self.

        >>> import retrograd as torch
        >>> params = torch.nn.ParameterList([torch.ones(1)])
        >>> len(params.append(torch.zeros(2)))
        2
        """
        index = len(self)
        self._size += 1
        self[index] = value
        return self

    def extend(self, values):
        """Put every one of `values` at the end; returns self.

        >>> import retrograd as torch
        >>> params = torch.nn.ParameterList([torch.ones(1)])
        >>> len(params.extend([torch.zeros(2), torch.zeros(3)]))
        3
        """
        if not isinstance(values, container_abcs.Iterable) or isinstance(values, torch.Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got "
                            + type(values).__name__)
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(f"  ({i}): {_describe(value, True)}" for i, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict whose Tensors become Parameters; other values are kept as they are.

    >>> import retrograd as torch
    >>> torch.nn.ParameterDict({"w": torch.ones(2)})["w"].requires_grad
    True
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key):
        if not isinstance(key, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a "
                            f"string (type is '{type(key).__name__}'). Open an issue on github if "
                            "you need non-string keys.")
        return key

    def __getitem__(self, key):
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        attr = self._key_to_attr(key)
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, attr, value)

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """A ParameterDict of the same values."""
        return ParameterDict(OrderedDict((k, self[k]) for k in self._keys))

    def setdefault(self, key, default=None):
        """The value under `key`, set to `default` first if there is none.

        >>> import retrograd as torch
        >>> table = torch.nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> table.setdefault("a", torch.zeros(5)).shape
        torch.Size([1])
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """Remove everything."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Remove and return the value under `key`.

        >>> import retrograd as torch
        >>> table = torch.nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> table.pop("a").shape, list(table)
        (torch.Size([1]), ['b'])
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Remove and return the last (key, value)."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        value = self[key]
        del self[key]
        return key, value

    def get(self, key, default=None):
        """The value under `key`, or `default`.

        >>> import retrograd as torch
        >>> table = torch.nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> table.get("c") is None, table.get("a") is table["a"]
        (True, True)
        """
        return self[key] if key in self else default

    def fromkeys(self, keys, default=None):
        """A ParameterDict with `default` under each of `keys`.

        >>> import retrograd as torch
        >>> table = torch.nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> list(table.fromkeys(["x", "y"], torch.ones(1)))
        ['x', 'y']
        """
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        """The keys."""
        return self._keys.keys()

    def items(self):
        """The (key, value) pairs.

        >>> import retrograd as torch
        >>> table = torch.nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> [(name, p.numel()) for name, p in table.items()]
        [('a', 1), ('b', 2)]
        """
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Take over a mapping, or an iterable of (key, value) pairs.

        >>> import retrograd as torch
        >>> table = torch.nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> table.update({"b": torch.ones(3)})
        >>> table["b"].shape
        torch.Size([3])
        """
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = parameters.items()
        elif isinstance(parameters, container_abcs.Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = _pairs(parameters, "ParameterDict")
        for key, value in pairs:
            self[key] = value

    def extra_repr(self):
        lines = []
        for key, value in self.items():
            lines.append(f"  ({key}): {_describe(value, False)}")
        return "\n".join(lines)

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        copied = self.copy()
        copied.update(other)
        return copied

    def __ror__(self, other):
        copied = other.copy()
        copied.update(self)
        return copied

    def __ior__(self, other):
        self.update(other)
        return self
