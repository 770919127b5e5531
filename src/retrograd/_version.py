"""`__version__`: the PyTorch API that is mirrored, then retrograd's own version."""

from __future__ import annotations

import re

DISTRIBUTION = "0.1.0"
MIRRORED = "2.13.0"


class TorchVersion(str):
    """A version string that compares by its numbers, also with tuples: v >= (2, 1)."""

    @staticmethod
    def _key(value):
        if isinstance(value, tuple):
            value = ".".join(map(str, value))
        release = re.match(r"\d+(\.\d+)*", str(value))
        if release is None:
            raise ValueError(f"not a version: {value!r}")
        numbers = [int(n) for n in release.group().split(".")]
        pre = str(value)[release.end():].startswith(("a", "b", "rc", ".dev"))
        while numbers and numbers[-1] == 0:
            numbers.pop()
        return tuple(numbers), not pre

    def _compare(self, other, test, plain):
        try:
            return test(self._key(self), self._key(other))
        except ValueError:
            return plain(str(self), other) if isinstance(other, str) else NotImplemented

    def __lt__(self, other):
        return self._compare(other, lambda a, b: a < b, str.__lt__)

    def __le__(self, other):
        return self._compare(other, lambda a, b: a <= b, str.__le__)

    def __gt__(self, other):
        return self._compare(other, lambda a, b: a > b, str.__gt__)

    def __ge__(self, other):
        return self._compare(other, lambda a, b: a >= b, str.__ge__)

    def __eq__(self, other):
        if isinstance(other, str) and str.__eq__(self, other):
            return True
        return self._compare(other, lambda a, b: a == b, str.__eq__)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return str.__hash__(self)


__version__ = TorchVersion(f"{MIRRORED}+retrograd.{DISTRIBUTION}")
