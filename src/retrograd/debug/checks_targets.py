"""Checks of what a loss compares: scores with targets in the right places, and padding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.modules.module import Module
from ..nn.modules.sparse import Embedding
from ..nn.parameter import Parameter
from . import reading
from .checks_losses import VIEWS, are_probabilities
from .doctor import Check, Pass
from .places import Place, place

ROWS = 5                 # that end in the same token, and in no other
LENGTHS = 3              # of such ends


def given(args: tuple, kwargs: dict[str, Any]) -> list[Any]:
    """The input and the target that a loss was called with."""
    both = (*args[:2], *(kwargs[k] for k in ("input", "target")[len(args):] if k in kwargs))
    return [t if isinstance(t, Tensor) else None for t in both]


class SwappedTarget(Check):
    """cross_entropy(target, output): the labels where the scores belong."""

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        both = given(args, kwargs)
        if name == "cross_entropy" and None not in both and len(both) == 2:
            scores, target = both
            if target.requires_grad and not scores.requires_grad and not are_probabilities(
                    target._data):
                self.tell(place(*caller()), "cross_entropy")

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind.startswith("BinaryCrossEntropy") and node.edges[0] is None:
            labels = reading.array_of(variables.get("input"))
            if type(labels) is np.ndarray and bool(((labels == 0) | (labels == 1)).all()):
                self.tell(reading.place_of(node), reading.operator_name(node))

    def tell(self, where: Place | None, name: str) -> None:
        self.find(where, "swapped-target",
                  f"{name}() was given the labels first and the network's output second",
                  "it takes the first for the scores, which have no gradient here, and the second "
                  "for the probabilities that they should have: the loss falls for a wrong reason",
                  "the output comes first: `loss(output, target)`")


class ClassesLast(Check):
    """cross_entropy() of scores (N, T, C), where T == C hides that they should be (N, C, T)."""

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        scores, target = (*given(args, kwargs), None, None)[:2]
        if name != "cross_entropy" or scores is None or target is None:
            return
        shape, classes = scores._data.shape, target._data.shape
        if len(shape) > 2 and shape[1] == shape[-1] > 1 and classes == (shape[0], *shape[2:]) and (
                is_linear(scores._grad_fn)):
            swap = ".transpose(1, 2)" if len(shape) == 3 else ".movedim(-1, 1)"
            self.find(place(*caller()), "classes-last",
                      f"the scores of a cross entropy have the shape {tuple(shape)}, as a linear "
                      "layer gave them: with the classes last", "it takes dimension 1 for the "
                      f"classes; that there are {shape[1]} of both hides it, and each position is "
                      "compared with the target of another", f"`{swap}` on the scores; or "
                      "`scores.flatten(0, -2)` and `target.flatten()`")


def is_linear(node: Node | None) -> bool:
    """Whether a result is what a linear layer gave, over the last dimension."""
    if type(node).__name__ == "AddBackward0" and isinstance(node.edges[1], AccumulateGrad):
        node = node.edges[0]                     # the bias, where it could not be added at once
    return (type(node).__name__ in VIEWS and len(node._saved_self_sym_sizes) == 2    # type: ignore
            and type(node.edges[0]).__name__ in ("AddmmBackward0", "MmBackward0"))


@dataclass
class Ends:
    """How the rows of tokens end, that one embedding was given."""

    padding: int
    where: Place | None
    last: set[int] = field(default_factory=set)      # tokens of which there are two or more
    lengths: set[int] = field(default_factory=set)
    rows: int = 0
    real: int = 0                                    # tokens that are the padding_idx
    clear: bool = True                               # the last token occurs nowhere else

    def add(self, tokens: np.ndarray) -> None:       # (N, T)
        same = np.cumprod(tokens[:, ::-1] == tokens[:, -1:], axis=1)     # from the end
        lengths = same.sum(1)
        padded = lengths > 1
        self.last |= set(tokens[padded, -1].tolist())
        self.lengths |= set(lengths[padded].tolist())
        self.rows += int(padded.sum())
        self.real += int((tokens == self.padding).sum())
        if len(self.last) != 1 or self.padding in (*self.last, *tokens[:, -1]):
            self.clear = False
        else:
            within = (tokens[:, ::-1] == next(iter(self.last))) & ~same.astype(bool)
            self.clear = self.clear and not within.any()


class WrongPadding(Check):
    """An Embedding whose padding_idx is a real token, while rows are padded with another one."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, tuple] = {}             # weight -> the line that made its Module
        self.known: dict[int, Ends] = {}

    def on_part(self, module: Module, part: Parameter | Module, line: tuple) -> None:
        if isinstance(part, Embedding):
            self.made[id(part.weight)] = line

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if type(node).__name__ != "EmbeddingBackward0":
            return
        padding, key = variables["padding_idx"], id(variables["weight"])
        tokens = reading.array_of(variables["indices"])
        if padding < 0 or type(tokens) is not np.ndarray or tokens.ndim != 2 or tokens.size == 0:
            return
        if key not in self.known:
            line = self.made.get(key)
            self.known[key] = Ends(padding, place(*line) if line else reading.place_of(node))
        if self.known[key].clear:
            self.known[key].add(tokens)

    def at_end(self) -> None:
        for ends in self.known.values():
            if ends.clear and ends.rows >= ROWS and len(ends.lengths) >= LENGTHS:
                token = ends.last.pop()
                self.find(ends.where, "wrong-padding", f"padding_idx is {ends.padding}, but "
                          f"{ends.rows} rows are filled up with token {token}",
                          f"the vector of {token} is trained like that of a word"
                          + (f", and that of {ends.padding}, which occurs {ends.real} times, stays "
                             "as it is" if ends.real else ""),
                          f"`padding_idx={token}`, or fill the rows up with {ends.padding}")


class CountedPadding(Check):
    """A cross entropy that counts the padding of a batch of texts among its targets."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.padded: dict[tuple[int, int], tuple[np.ndarray, int]] = {}  # (words, tokens) -> these

    def before_pass(self, task: Pass) -> None:
        self.padded.clear()

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind == "EmbeddingBackward0" and variables["padding_idx"] >= 0:
            tokens, words = reading.array_of(variables["indices"]), len(variables["weight"]._data)
            if type(tokens) is np.ndarray and tokens.ndim > 1:
                self.padded[words, tokens.size] = tokens, variables["padding_idx"]
        elif kind in ("NllLossBackward0", "NllLoss2DBackward0") and self.padded:
            self.compare(node, variables)

    def compare(self, node: Node, variables: dict[str, Any]) -> None:
        scores, target, weight = (reading.array_of(variables[k])
                                  for k in ("input", "target", "weight"))
        tokens, padding = self.padded.get((scores.shape[1], target.size), (None, -1))
        if tokens is None or variables["reduction"] == 0 or variables["ignore_index"] == padding \
                or weight is not None and not weight[padding]:
            return
        wanted = target.reshape(-1) == padding
        both = int((wanted & (tokens.reshape(-1) == padding)).sum())
        if both:
            self.find(reading.place_of(node), "counted-padding", f"{both} of {target.size} targets "
                      f"of this loss are padding, token {padding}, where the input is padding too",
                      "the network is trained to predict padding after padding: an easy task, "
                      "which makes the mean loss look better than it is and leaves less for the "
                      "words", f"`ignore_index={padding}`; or targets of -100 there, if "
                      f"{padding} also ends a text")


TARGET_CHECKS = (SwappedTarget, ClassesLast, WrongPadding, CountedPadding)
