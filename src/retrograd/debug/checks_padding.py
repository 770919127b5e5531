"""Checks of padded texts: a last state that has read the padding, a loss that counts it alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from ..nn.modules.rnn import RNNBase
from . import reading
from .check import Check, Pass, only
from .checks_directions import behind_views
from .checks_scores import is_rearranged
from .checks_sequences import AFTER_IT, LENGTHS, ROWS
from .places import Place

ON_THE_WAY = ("NativeDropoutBackward0", "DropoutBackward0", *AFTER_IT)


@dataclass
class Filled:
    """How the rows of tokens end whose last step one line takes."""

    where: Place
    lengths: dict[int, list[int]] = field(default_factory=dict)  # last token -> lengths of its runs
    within: set[int] = field(default_factory=set)                # tokens that stand before the end

    def add(self, rows: np.ndarray) -> None:     # (N, T)
        at_end = np.cumprod(rows[:, ::-1] == rows[:, -1:], axis=1)[:, ::-1].astype(bool)
        for token, length in zip(rows[:, -1].tolist(), at_end.sum(1).tolist(), strict=True):
            if length > 1:
                self.lengths.setdefault(token, []).append(length)
        self.within |= set(rows[~at_end].tolist())

    @property
    def padding(self) -> int | None:
        """The one token that fills up many rows and stands nowhere else."""
        found = [token for token, lengths in self.lengths.items() if token not in self.within
                 and len(lengths) >= ROWS and len(set(lengths)) >= LENGTHS]
        return found[0] if len(found) == 1 else None


class LastOfPaddedText(Check):
    """`out[:, -1]`, or `h[-1]`, of an LSTM that was given rows of tokens filled up at the end."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.texts: dict[str, Filled] = {}       # by the lines that take the last step

    @only("EmbeddingBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        tokens = reading.array_of(variables["indices"])
        if type(tokens) is np.ndarray and tokens.ndim == 2 and tokens.size:
            node._tokens = tokens

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if not isinstance(module, RNNBase) or not isinstance(result[0], Tensor):
            return                               # such as a PackedSequence
        out, state = result
        tokens = embedded(out.grad_fn)
        if tokens is not None and out.ndim == 3:
            rows = tokens if module.batch_first else tokens.T
            for t in (out, state[0] if isinstance(state, tuple) else state):
                t.grad_fn._texts = rows, tuple(t.shape), t is out and module.batch_first

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes:
            noted = getattr(node.edges[0], "_texts", None) if type(
                node).__name__ == "SelectBackward0" else None
            if noted is not None:
                self.look_at(node, *noted)

    def look_at(self, node: Any, rows: np.ndarray, shape: tuple, batch_first: bool) -> None:
        """If a node takes the last step of each text, note how the texts end."""
        sizes, dim = tuple(node._saved_self_sym_sizes), node._saved_dim
        is_last = node._saved_index == sizes[dim] - 1
        where = reading.place_of(node)
        if is_last and dim == int(batch_first) and sizes == shape and where is not None:
            self.texts.setdefault(str(where), Filled(where)).add(rows)

    def at_end(self) -> None:
        for text in self.texts.values():
            if text.padding is not None:
                self.find(text.where, "last-of-padding", "this takes the last step of rows of "
                          f"tokens, of which {len(text.lengths[text.padding])} are filled up at "
                          f"the end with token {text.padding}", "the layer has read that "
                          "padding after the text: the shorter a text, the more of it is forgotten "
                          "by then",
                          "give the layer `pack_padded_sequence(x, lengths, batch_first=..., "
                          "enforce_sorted=False)` and take its state `h[-1]`; or take "
                          "`out[torch.arange(len(out)), lengths - 1]` with the batch first")


def embedded(node: Any) -> np.ndarray | None:
    """The tokens (N, T) whose vectors a layer is given, past other layers, a dropout or a sum."""
    while node is not None and not hasattr(node, "_tokens"):
        name = type(node).__name__
        passed = is_rearranged(node) or name in ON_THE_WAY or "Rnn" in name
        node = node.edges[0] if passed and node.edges else None
    return None if node is None else node._tokens


TOKENS = 4               # the least number of targets that are kept, and of those left out


class OnlyPadding(Check):
    """`(loss * (target == 0)).sum()`: the mask of a loss keeps the padding and drops the words."""

    rests = True

    @only("NllLossBackward0", "NllLoss2DBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        target = reading.array_of(variables.get("target"))
        if type(target) is np.ndarray and target.size >= 2 * TOKENS:
            node._targets = target

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            weights = getattr(node, "_weights", None)
            if weights is None or type(node).__name__ != "MulBackward0":
                continue
            loss = behind_views(reading.only_source(node))
            target = getattr(loss, "_targets", None)
            if target is None or target.size != weights._data.size:
                continue
            counted = weights._data.reshape(-1) != 0
            kept, left_out = target.reshape(-1)[counted], target.reshape(-1)[~counted]
            if kept.size >= TOKENS <= left_out.size and (kept == kept[0]).all() and (
                    kept[0] not in left_out and len(np.unique(left_out)) > 2):
                self.find(reading.place_of(node), "inverted-mask", f"the mask of this loss keeps "
                          f"{kept.size} targets that are all {kept[0]}, as padding is, and leaves "
                          f"out the {left_out.size} others", "the network is trained to answer "
                          "with padding, and learns nothing of the words",
                          f"the other way round: `target != {kept[0]}`")


CHECKS = (LastOfPaddedText, OnlyPadding)
