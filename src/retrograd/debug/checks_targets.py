"""Checks of what a loss compares: scores with targets, each in its place."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from . import reading
from .checks_losses import VIEWS, are_probabilities
from .doctor import Check
from .places import Place, place


def tensors_given(args: tuple, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The input and the target that a loss was called with; None for what is no tensor."""
    found = dict(zip(("input", "target"), args, strict=False)) | kwargs
    scores, target = (t if isinstance(t, Tensor) else None
                      for t in (found.get("input"), found.get("target")))
    return scores, target


class SwappedTarget(Check):
    """cross_entropy(target, output): the labels where the scores belong."""

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        scores, target = tensors_given(args, kwargs)
        if (name == "cross_entropy" and scores is not None and target is not None
                and target.requires_grad and not scores.requires_grad
                and not are_probabilities(target._data)):
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
        scores, target = tensors_given(args, kwargs)
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


TARGET_CHECKS = (SwappedTarget, ClassesLast)
