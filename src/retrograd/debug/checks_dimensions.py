"""Checks of view() and reshape() where dimensions should change places."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.modules._attention import MultiheadAttention
from ..nn.modules.conv import Conv1d, Conv2d
from ..nn.modules.module import Module
from ..nn.modules.rnn import RNNBase
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_scores import VIEWS, are_products, is_rearranged
from .places import Place, place
from .programs import called_name

WANT_CHANNELS_SECOND = ("LogSoftmaxBackward0", "ConvolutionBackward0", "NativeBatchNormBackward0")
MOVES_NOTHING = ("view() and reshape() move no numbers: they only count them otherwise, in the "
                 "order in which they lie")
PARTS = ("SplitBackward0", "SplitWithSizesBackward0", "UnbindBackward0", "CloneBackward0")


def tokens_of(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Whether (N, C, H, W) became (N, H*W, C), or the other way around."""
    if len(old) < len(new):
        old, new = new, old
    return len(old) == 4 and len(new) == 3 and old[1] == new[2] > 1 and new[1] not in (1, old[1]) \
        and new == (old[0], old[2] * old[3], old[1])


def counts_pixels(node: Node, old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Whether (N, H, W, C) can have become (N, H*W, C), or the reverse, as where H is C."""
    merged = (old[0], old[1] * old[2], old[3]) if len(old) == 4 else ()
    split = (new[0], new[1] * new[2], new[3]) if len(new) == 4 else ()
    return merged == new and is_rearranged(node.edges[0]) or split == old    # type: ignore[arg-type]


class MixedDimensions(Check):
    """view() where two dimensions should have been exchanged, as (N, T, C) to (N, C, T)."""

    rests = True

    @only(*VIEWS)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        result, before = variables.get("res"), getattr(node, "_saved_self_sym_sizes", None)
        if not isinstance(result, np.ndarray) or before is None:
            return
        old, new = tuple(before), result.shape
        if (len(old) == len(new) > 2 and sorted(old) == sorted(new)
                and [n for n in old if n > 1] != [n for n in new if n > 1]) or (
                len(old) > len(new) == 2 and old[1] == new[1] != old[-1]) or tokens_of(
                old, new) and not counts_pixels(node, old, new) or heads_of(old, new):
            node._mixed = old, new

    def before_pass(self, task: Pass) -> None:
        mixed = [n for n in task.nodes if hasattr(n, "_mixed")]
        leaves = [n.variable for n in task.nodes if isinstance(n, AccumulateGrad)] if mixed else []
        if not any(map(self.doctor.is_trained, leaves)):
            return
        wanting = {e for n in task.nodes if type(n).__name__ in WANT_CHANNELS_SECOND
                   for e in n.edges}
        for node in mixed:
            old, new = node._mixed
            swapped = (old[1], old[0], *old[2:]) == new      # anything else may be chance
            steps = getattr(node, "_steps", False) and (old[0], old[2], old[1]) == new
            certain = swapped or steps or node in wanting or tokens_of(old, new) or (
                heads_of(old, new) and (is_projected(node.edges[0]) if len(old) == 3
                                        else is_attended(node.edges[0])))
            if certain and reading.place_of(node) is not None:
                self.tell(node, old, new)

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        """Look for a batch of images (N, H, W, 3) that view() has turned into (N, 3, H, W)."""
        given = self.doctor.arguments[0] if self.doctor.arguments else None
        if isinstance(module, (RNNBase, MultiheadAttention)):
            node = reading.head(given) if isinstance(given, Tensor) else None
            if hasattr(node, "_mixed") and given.ndim == 3:
                node._steps = True               # type: ignore[union-attr]
            self.of_steps(given)
        base = getattr(given, "_base", None) if isinstance(module, (Conv1d, Conv2d)) else None
        new = given._data.shape if isinstance(given, Tensor) else ()
        if base is not None and len(new) == 3 and isinstance(module, Conv1d):
            self.of_channels(base._data, given._data, where or place(*caller()))
        if base is None or base._data.ndim < 3 or len(new) != 4 or min(new[2:]) < 4:
            return
        whole, part = base._data, given._data
        channels = new[1]
        if channels in (3, 4) and whole.shape[-3:] == (*new[2:], channels) and (
                whole.flags.c_contiguous and part.flags.c_contiguous):
            old = (new[0], *whole.shape[-3:])
            self.find(where or place(*caller()), "mixed-dimensions", "this convolution gets "
                      f"images {old} that were given the shape {new}", MOVES_NOTHING, "let the "
                      "dimensions change places: `.permute(0, 3, 1, 2)`")

    def of_channels(self, whole: np.ndarray, part: np.ndarray, where: Place) -> None:
        """Look for data (N, T, C) that view() has turned into (N, C, T), for a convolution."""
        n, channels, steps = part.shape
        if channels != steps and min(channels, steps) > 1 and whole.ndim == 3 and (
                whole.shape[1:] == (steps, channels)
                and whole.flags.c_contiguous and part.flags.c_contiguous):
            self.find(where, "mixed-dimensions", f"this convolution gets data {n, steps, channels} "
                      f"that were given the shape {part.shape}", MOVES_NOTHING, "let the "
                      "dimensions change places: `.transpose(1, 2)`")

    def of_steps(self, given: Any) -> None:
        """Look for data (B, T, C) that view() has turned into (T, B, C), for a layer of steps."""
        base = getattr(given, "_base", None)
        if base is None or given.ndim != 3 or base.ndim != 3 or given.requires_grad:
            return
        old, new = base._data.shape, given._data.shape
        if (old[1], old[0], old[2]) == new and 1 not in new[:2] and new[0] != new[1] and (
                base._data.flags.c_contiguous and given._data.flags.c_contiguous):
            self.find(reshaped_before(place(*caller())), "mixed-dimensions", "a layer gets data "
                      f"{old} that were given the shape {new}", MOVES_NOTHING + ": each "
                      "sequence is then made of parts of several", "let the dimensions change "
                      "places: `.transpose(0, 1)`, or make the layer with batch_first=True")

    def tell(self, node: Node, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        if heads_of(old, new):
            b, t, last = (old if len(old) == 3 else new)
            several = new if len(new) == 4 else old
            heads = several[1] if len(several) == 4 else new[0] // b
            self.find(reading.place_of(node), "mixed-dimensions",
                      f"{reading.operator_name(node).removeprefix('unsafe_')}()"
                      f" gives {old} the shape {new}: a head gets parts of several steps",
                      MOVES_NOTHING, "split the last dimension, and let heads and steps change "
                      f"places then: `.view({b}, {t}, {heads}, {last // heads}).transpose(1, 2)`"
                      if len(new) == 4 or len(old) == 3 else "let heads and steps change places "
                      f"first: `.transpose(1, 2).reshape{new}`")
            return
        if tokens_of(old, new):
            self.find(reading.place_of(node), "mixed-dimensions", f"{reading.operator_name(node)}()"
                      f" gives {old} the shape {new}: each row is then made of parts of several",
                      MOVES_NOTHING, "`.flatten(2).transpose(1, 2)` makes rows of pixels, (N, H*W, "
                      "C), of (N, C, H, W)" if len(old) == 4 else
                      f"let the channels come second first: `.transpose(1, 2).reshape{new}`")
            return
        order = [0, *range(2, len(old)), 1] if len(new) == 2 else \
            [old.index(n) for n in new] if len(set(old)) == len(old) else ["..."]
        name = reading.operator_name(node).removeprefix("unsafe_")
        self.find(reading.place_of(node), "mixed-dimensions",
                  f"{name}() gives {old} the shape {new}: each row is then made of parts of "
                  "several", MOVES_NOTHING,
                  "let the dimensions change places" + (" first" if len(new) == 2 else "")
                  + f": `.permute({', '.join(map(str, order))})`")


def reshaped_before(where: Place) -> Place:
    """The last line with view() or reshape() before one, in the same function; else that one."""
    source = S.read(where.file)
    here = None if source is None else S.statement_at(source, where)
    scope = next((n for n in S.around(here) if isinstance(n, S.Scope)), None) if here else None
    calls = [n for n in S.inside(scope) if isinstance(n, ast.Call) and n.lineno <= where.line
             and called_name(n) in ("view", "reshape")] if scope is not None else []
    last = max(calls, key=lambda n: n.lineno, default=None)
    return where if last is None or source is None else source.place(S.statement(last))


def heads_of(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Whether (B, T, D) became (B, heads, T, d) or (B*heads, T, d), or the first went back."""
    if len(old) == 4 and len(new) == 3:
        return old[0] == new[0] and new[1] == old[2] != old[1] > 1 < old[2] and (
            new[2] == old[1] * old[3] > old[3])
    if len(old) != 3 or old[1] < 2:
        return False
    if len(new) == 4:
        return (new[0], new[2]) == old[:2] and new[1] != old[1] and new[3] > 1 < new[1] and (
            new[1] * new[3] == old[2])
    return (len(new) == 3 and new[1] == old[1] and new[0] > old[0] and new[0] % old[0] == 0
            and new[2] > 1 and new[0] != old[1])


def is_projected(node: Any) -> bool:
    """Whether a result is that of a linear layer, or a part of it: queries, keys or values."""
    while node is not None and (is_rearranged(node) or type(node).__name__ in PARTS):
        node = node.edges[0]
    return node is not None and reading.operator_name(node) in ("addmm", "mm")


def is_attended(node: Any) -> bool:
    """Whether a result is that of an attention: one for each head."""
    while type(node).__name__ in ("CloneBackward0", *VIEWS):
        node = node.edges[0]
    return are_products(node) or type(node).__name__.startswith("ScaledDotProduct")


CHECKS = (MixedDimensions,)
