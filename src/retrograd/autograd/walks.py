"""Walks over a recorded graph, along its edges: from roots to the leaves.

NOTE [ages]
    A node's sequence number is taken once its edges are known, so a node is younger than all nodes
    that it leads to. Hence nothing older than a goal leads to it, and the youngest of the nodes
    that have received a gradient has received all of its gradients. Only a program that renumbers
    nodes itself breaks this; `renumber` restores it.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import pairwise
from operator import attrgetter

from .._state import features
from .node import LEAF_SEQ, next_seq


def reachable(roots) -> Iterator:
    """The nodes that the edges `roots` lead to."""
    found = list(dict.fromkeys([n for n, _ in roots]))
    met = {None, *found}
    yield from found
    for node in found:                                    # `found` grows meanwhile
        for n in node.edges:
            if n not in met:
                met.add(n)
                found.append(n)
                yield n


def count_arrivals(roots) -> dict:
    """For each reachable node the number of gradients that a pass from `roots` sends to it.

    PyTorch's engine calls them dependencies, and counts them in every pass.
    """
    arrivals = dict.fromkeys([n for n, _ in roots], 0)
    found = list(arrivals)
    for node in found:
        for n in node.edges:
            if n in arrivals:
                arrivals[n] += 1
            elif n is not None:
                arrivals[n] = 1
                found.append(n)
    return arrivals


def nodes_towards(goals, roots) -> set:
    """The nodes on the paths from `roots` to `goals`; none older than all goals is visited."""
    if features.renumbered:
        renumber(roots)
    since = min(map(age, goals))
    nodes = [n for n in dict.fromkeys([n for n, _ in roots]) if n.edges]
    met = {None, *nodes}
    for node in nodes:                                    # `nodes` grows meanwhile
        for n in node.edges:
            if n not in met:
                met.add(n)
                if n.edges and n._seq >= since:
                    nodes.append(n)
    nodes.sort(key=attrgetter("_seq"))
    found, reached = set(), set(goals)
    for node in nodes:
        if not reached.isdisjoint(node.edges):
            found.add(node)
            reached.add(node)
    return found


def age(node) -> int:
    """A goal's sequence number, which is lower than those of all nodes that lead to it."""
    number = getattr(node, "_seq", 0)                     # a node of no graph has none
    return number - LEAF_SEQ if number >= LEAF_SEQ else number


def renumber(roots) -> None:
    """Number the nodes anew, so that NOTE [ages] holds.

    They are put in the order of a pass that waits for all gradients of a node and, among those that
    are ready, prefers high numbers.
    """
    arrivals = count_arrivals(roots)
    ready = [(-n._sequence_nr(), n) for n, left in arrivals.items() if left == 0]
    heapify(ready)
    order = []
    while ready:
        _, node = heappop(ready)
        order.append(node)
        for n in node.edges:
            if n is not None:
                arrivals[n] -= 1
                if arrivals[n] == 0 and n.edges:
                    heappush(ready, (-n._sequence_nr(), n))
    order = [n for n in reversed(order) if n.edges]
    if any([younger._seq < n._seq for n, younger in pairwise(order)]):
        for node in order:
            node._seq = next_seq()
