"""Dictionaries and references that compare objects by identity and do not keep them alive.

Tensors compare elementwise, so that weakref.WeakKeyDictionary cannot hold them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from copy import deepcopy
from typing import Any
from weakref import ref

from .._tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(ref):
    """A weak reference that is equal to another one of the same object, dead or alive."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        super().__init__(key, callback)      # pyright: ignore
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeakIdRef):
            return False
        mine, theirs = self(), other()
        return self is other if mine is None or theirs is None else mine is theirs


class WeakIdKeyDictionary(MutableMapping):
    """A dict whose keys count by identity; an entry goes when its key dies.

    >>> import retrograd as torch
    >>> t = torch.ones(2)
    >>> table = torch.utils.weak.WeakIdKeyDictionary({t: "ones"})
    >>> table[t], len(table)
    ('ones', 1)
    >>> del t
    >>> len(table)
    0
    """

    def __init__(self, dict: Mapping | None = None, ref_type: type = WeakIdRef) -> None:
        self.ref_type = ref_type
        self.data: Any = {}
        this = ref(self)

        def forget(key: Any) -> None:
            owner = this()
            if owner is not None:
                owner.data.pop(key, None)

        self._forget = forget
        self.update(dict or {})

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:                   # no weak references to such a thing
            return False

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator:
        for key in list(self.data):
            alive = key()
            if alive is not None:
                yield alive

    def __copy__(self) -> WeakIdKeyDictionary:
        return type(self)(self)

    copy = __copy__

    def __deepcopy__(self, memo: dict) -> WeakIdKeyDictionary:
        """The same keys with copies of the values."""
        return type(self)([(key, deepcopy(value, memo)) for key, value in self.items()])

    def __or__(self, other: Any) -> WeakIdKeyDictionary:
        if not isinstance(other, Mapping):
            return NotImplemented
        res = self.copy()
        res.update(other)
        return res

    def __ror__(self, other: Any) -> WeakIdKeyDictionary:
        return type(self)(other) | self if isinstance(other, Mapping) else NotImplemented

    def __ior__(self, other: Any) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        mine, theirs = ({id(key): value for key, value in d.items()} for d in (self, other))
        return mine == theirs

    def keyrefs(self) -> list:
        """The weak references to the keys."""
        return list(self.data)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a Tensor: call it for the Tensor, or None.

    >>> import retrograd as torch
    >>> t = torch.ones(2)
    >>> ref = torch.utils.weak.TensorWeakRef(t)
    >>> ref() is t
    True
    >>> del t
    >>> print(ref())
    None
    """

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()
