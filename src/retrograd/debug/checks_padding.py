"""A check of padded texts: a recurrent layer whose last state has read the padding as well."""

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


CHECKS = (LastOfPaddedText,)
