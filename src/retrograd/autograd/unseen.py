"""Writes through `.data`: they do not count as writes in PyTorch, but they change saved tensors.

NOTE [unseen writes]
    `x.data` has a version counter of its own, so that a write through it leaves `x._version` alone.
    Its cell is a DataCell, which passes each write on to the cell of `x` as an unseen one: the
    version there moves, so that every node that saved `x` finds it changed, and an Unseen in that
    cell notes which versions were unseen writes. `x._version` does not count those. Nor does the
    check of a saved tensor, once it has failed: if nothing else was written, it warns instead of
    raising an error. `x.data = y` gives `x` a new cell that begins with an unseen write; views made
    before keep the old memory and cell. `detach_()` of a computed tensor counts as an unseen write
    of another kind: a node that saved this very tensor has lost the history it needs, nothing
    happened to others. Programs that use neither `.data` nor detach_() pay nothing for this.
"""

from __future__ import annotations

from bisect import bisect_right
from weakref import ref

from .._callers import caller
from .._tensor import Tensor
from .wrong import report

REMEMBERED = 1000        # unseen writes whose place is kept; later ones are only counted


class DataCell(list):
    """The version cell of a `.data` tensor: [version, last write], and the cell it came from."""

    __slots__ = ("origin",)

    def __init__(self, origin):
        self += (0, None)
        self.origin = origin

    def __setitem__(self, key, value):
        list.__setitem__(self, key, value)
        if key == 0:
            note_unseen(self.origin, self)


Tensor._data_cell = DataCell


class Unseen:
    """The unseen writes of a cell, among the references to views that it holds."""

    __slots__ = ("at", "dropped", "writer", "detached")
    _base = None             # it is not a view

    def __init__(self):
        self.at, self.dropped, self.writer = [], 0, None
        self.detached = {}                # {one of `at`: (the tensor, weakly, who did it)}

    def __call__(self):
        return self          # unlike the weak references beside it, it never dies

    def until(self, version):
        """How many there were when the cell had this number."""
        return self.dropped + bisect_right(self.at, version) if self.at else self.dropped


def unseen_in(cell):
    """The cell's Unseen, or None."""
    for r in cell[2:]:
        if r.__class__ is Unseen:
            return r
    return None


def note_unseen(cell, writer) -> None:
    """Count a write that `_version` does not show; `writer` is the cell that knows who wrote."""
    unseen = unseen_in(cell)
    if unseen is None:
        unseen = Unseen()
        cell.append(unseen)
    cell[0] += 1
    unseen.at.append(cell[0])
    unseen.writer = writer
    if len(unseen.at) > REMEMBERED:
        half = REMEMBERED // 2
        unseen.dropped += half
        del unseen.at[:half]


def note_detached(tensor) -> None:
    """`tensor`, which was computed, is about to lose its history."""
    cell, unseen = tensor._cell, unseen_in(tensor._cell)
    writer = None if unseen is None else unseen.writer
    note_unseen(cell, writer)
    unseen_in(cell).detached[cell[0]] = ref(tensor), (0, ("detach_", *caller()))


def replaced(cell):
    """A new cell for a tensor that was given other memory by `x.data = y`."""
    new = [cell[0], cell[1]]
    old = unseen_in(cell)
    if old is not None:
        new.append(Unseen())
        new[2].at, new[2].dropped = old.at[:], old.dropped
    note_unseen(new, (0, ("data =", *caller())))
    return new


def seen(cell, version):
    """The version as PyTorch counts it."""
    unseen = unseen_in(cell)
    return version if unseen is None else version - unseen.until(version)


def only_unseen(node, name, tensor, expected) -> bool:
    """Whether all that happened to a saved tensor is unseen; then it is reported.

    RuntimeError if the tensor itself was detached.
    """
    cell = tensor._cell
    unseen = unseen_in(cell)
    if unseen is None:
        return False
    for number, (detached, writer) in unseen.detached.items():
        if number > expected and detached() is tensor:
            from .explain import detached_since
            raise detached_since(node, name, tensor, writer)
    if seen(cell, cell[0]) != seen(cell, expected):
        return False
    if all(number in unseen.detached for number in unseen.at if number > expected):
        return True
    from .explain import unseen_write
    report(unseen_write(node, name, tensor, unseen.writer), "warn")
    return True
