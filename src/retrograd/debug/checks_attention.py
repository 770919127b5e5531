"""Checks of attention: the dimension of its softmax, and masks that come after it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.node import Node
from . import reading
from .check import Check, Pass, only
from .checks_scores import SCALED_OR_MASKED, SOFTMAX, are_products, is_rearranged, is_softmax
from .checks_sequences import TURNS
from .checks_targets import are_zero_and_one


class AttentionWeights(Check):
    """softmax(scores, dim=1) @ values, which sums over dim 2; softmax(scores) * mask @ values.

    Also a softmax over channels whose product with places should be a mean of these.
    """

    rests = True

    @only("MulBackward0", "MaskedFillBackward0", *SOFTMAX)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if is_softmax(node):
            node._ndim = np.ndim(variables.get("res"))
        elif type(node).__name__ == "MulBackward0":
            pair = variables.get("input"), variables.get("other")
            node._masked = any(map(is_attention, node.edges)) and any(map(are_zero_and_one, pair))
        elif is_attention(node.edges[0]):
            node._masked = not is_masked(node.edges[0].edges[0])     # else for rows of nan

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes:
            if type(node).__name__ in ("BmmBackward0", "MmBackward0"):
                weights, summed = summed_over(node)
                if weights is not None:
                    self.look_at(weights, summed)
                if node.edges[1] is None and is_softmax(weights) and weights._ndim > 2:
                    self.of_mean(weights, summed)

    def of_mean(self, weights: Any, last: int) -> None:
        """At the mean of given numbers, such as of places in an image, by a softmax."""
        dim = weights._saved_dim % weights._ndim
        if dim != last:
            self.find(reading.place_of(weights), "softmax-over-queries", f"softmax() goes over "
                      f"dimension {dim}, and what it weighs is summed over dimension {last}",
                      "the weights of one sum do not add up to 1: what comes out is no mean of "
                      "these numbers", "one dimension for both: `dim=-1`")

    def look_at(self, weights: Any, keys: int) -> None:
        """At what values are multiplied by, and summed over the dimension of the keys."""
        n = weights._ndim if is_attention(weights) else 0
        dim = weights._saved_dim % n if n else keys
        if dim != keys and {dim, keys} == {n - 2, n - 1}:
            last = keys == n - 1
            other = "the last dimension but one"
            self.find(reading.place_of(weights), "softmax-over-queries", "softmax() of the scores "
                      f"goes over {other if last else 'the last dimension'}, and what it weighs is "
                      f"summed over {'the last one' if last else other}", "the weights of one sum "
                      "do not add up to 1: each key spreads itself over the queries",
                      f"give the dimension of the keys: `dim={-1 if last else -2}`")
        elif getattr(weights, "_masked", False):
            self.find(reading.place_of(weights), "masked-too-late", "attention is masked after its "
                      "softmax", "what is left no longer sums to 1, and the masked scores have "
                      "taken part in the sum that divides: they are not hidden",
                      "mask the scores before softmax(): `scores.masked_fill(mask == 0, "
                      "float('-inf'))`")


def summed_over(product: Any) -> tuple[Any, int]:
    """What computed the left factor of a product of matrices, and which of its dimensions is summed
    over there; (None, 0) where that cannot be told."""
    left = next((s.array for s in reading.saved(product) if s.name == "self"), None)
    if left is not None:
        return reading.behind_turns(product.edges[0], left.shape, left.ndim - 1)
    weights: Any = product.edges[0]              # nothing was saved: the values have no history
    while weights is not None and is_rearranged(weights) and len(weights.edges) == 1 and (
            type(weights).__name__ not in TURNS):
        weights = weights.edges[0]
    return weights, getattr(weights, "_ndim", 1) - 1


def is_masked(scores: Any) -> bool:
    """Whether scores were masked, or something was added to them, on the way from their product."""
    while type(scores).__name__ in SCALED_OR_MASKED:
        if type(scores).__name__ in ("MaskedFillBackward0", "AddBackward0"):
            return True
        scores = scores.edges[0]
    return False


def is_attention(node: Any) -> bool:
    """Whether a result is softmax() of products of queries and keys."""
    return node is not None and is_softmax(node) and getattr(node, "_ndim", 0) > 1 and are_products(
        node.edges[0])


CHECKS = (AttentionWeights,)
