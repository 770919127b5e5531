"""Checks of targets that leak into the input: the last step of a window, the token to predict."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np

from ..autograd import engine
from ..autograd.node import Node
from ..autograd.walks import nodes_towards
from ..nn.modules.module import Module
from . import reading
from .check import Check, Pass, only
from .checks_sequences import SCALING, may_be_noticed
from .places import Place

EXAMPLES = 4             # the least size of a batch
STEPS = 3                # the least length of a window or a text
BATCHES = 20             # the most batches of a line that are looked at
TOKENS = 100             # the most embeddings of single steps that are remembered
ERRORS = ("MseLossBackward0", "L1LossBackward0", "AbsBackward0", "PowBackward0",
          "SmoothL1LossBackward0", "HuberLossBackward0")
COPIES = ("each position is to predict the token that it was given",
          "the network learns to copy it: the loss falls to almost 0, and nothing is learned of "
          "what comes next",
          "give it the token before: that of the start first, and `target[:, t - 1]` in step t")


class TargetInWindow(Check):
    """Windows of a series whose target is a step that the window holds, as by `data[i + n - 1]`."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.inputs: deque[np.ndarray] = deque(maxlen=2)         # of the last networks
        self.seen: Counter[str] = Counter()
        self.windows: set[str] = set()           # lines whose inputs were seen to overlap
        self.held: dict[str, tuple] = {}         # lines: sizes of windows, and what steps of them
                                                 # the target always was

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        x = reading.array_of(next(iter(self.doctor.arguments), None))
        if type(x) is np.ndarray and x.dtype.kind == "f" and x.ndim in (2, 3) and min(
                x.shape[:2]) >= STEPS:
            self.inputs.append(x)

    @only(*ERRORS)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        target = reading.array_of(variables.get("target"))
        if type(target) is not np.ndarray or target.ndim not in (1, 2) or not self.inputs:
            return
        where = reading.place_of(node)
        self.seen[str(where)] += 1
        if where is not None and self.seen[str(where)] <= BATCHES:
            several = [x for x in self.inputs if len(x) == len(target) >= EXAMPLES]
            self.compare(where, [x.reshape(*x.shape[:2], -1) for x in several],
                         target.reshape(len(target), -1))

    def before_pass(self, task: Pass) -> None:
        self.inputs.clear()

    def compare(self, where: Place, inputs: list[np.ndarray], target: np.ndarray) -> None:
        """Note which steps of the windows equal their targets, in this batch and all before it."""
        first, steps = target[:, 0], set()
        for x in inputs if len(np.unique(first)) >= STEPS else ():       # (N, T, F)
            same = (x == first[:, None, None]).all(0)
            if target.shape[1] > 1:
                same[:-1] = False                # of several steps, the first after the window
            here = {(x.shape[1], step, part) for step, part in np.argwhere(same).tolist()}
            steps |= here
            if here and overlap(x[..., next(iter(here))[2]]):
                self.windows.add(str(where))
        _, known = self.held.get(str(where), (where, steps))
        self.held[str(where)] = where, steps & known

    def at_end(self) -> None:
        for where, steps in [self.held[line] for line in self.windows]:
            if steps:
                size, step, _ = max(steps)
                self.find(where, "target-in-input", f"the target of each window of {size} steps is "
                          f"step {step + 1} of that window", "the network is given what it is to "
                          "predict: the loss falls to almost 0, and says nothing of what comes "
                          "next", "the next step is the target: of `data[i:i + n]` that is "
                          "`data[i + n]`")


def overlap(windows: np.ndarray) -> bool:
    """Whether one window (N, T) begins a step after another one: they are parts of a series."""
    ends = {w[1:].tobytes() for w in windows if w.any()}
    return any(w[:-1].tobytes() in ends for w in windows if len(set(w.tolist())) > 2)


class CopiedToken(Check):
    """A decoder that is given the token of a step, one step at a time, and is to predict it."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.steps: deque[tuple[Node, np.ndarray]] = deque(maxlen=TOKENS)
        self.fresh = False                       # a step's token was embedded since the last loss
        self.copied: Counter[str] = Counter()    # losses in a row, of this pass, by their lines
        self.told: set[str] = set()

    @only("EmbeddingBackward0", "NllLossBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if type(node).__name__ == "EmbeddingBackward0":
            tokens = reading.array_of(variables["indices"])
            if type(tokens) is np.ndarray and tokens.size >= EXAMPLES and tokens.squeeze(
                    ).ndim == 1:
                self.steps.append((node, tokens.reshape(-1)))
                self.fresh = True
            return
        target = reading.array_of(variables["target"])
        if not self.steps or type(target) is not np.ndarray or target.ndim != 1:
            return
        last, fresh, self.fresh = self.steps[-1][1], self.fresh, False
        if target.size == last.size:
            line = str(reading.place_of(node))
            same = fresh and len(np.unique(last)) > 2 and bool((target == last).all())
            self.copied[line] = self.copied[line] + 1 if same else -TOKENS
            if self.copied[line] == STEPS:
                self.tell(self.steps[-1][0])
        elif target.size % last.size == 0 and STEPS <= target.size // last.size <= len(self.steps):
            self.compare(node, target, reading.array_of(variables["input"]))

    def compare(self, node: Node, target: np.ndarray, scores: np.ndarray) -> None:
        """Whether the targets of all steps together are the tokens of the last steps."""
        batch = self.steps[-1][1].size
        several = list(self.steps)[-(target.size // batch):]
        if any(tokens.size != batch for _, tokens in several):
            return
        tokens = np.stack([tokens for _, tokens in several])             # (T, B)
        if len(np.unique(tokens)) > 2:
            for order, step in ((tokens.T, 1), (tokens, batch)):
                if (order.reshape(-1) == target).all():
                    node._given = [n for n, _ in several], scores, step

    def before_pass(self, task: Pass) -> None:
        self.steps.clear()
        self.copied.clear()
        loss: Any = task.roots[0]
        while type(loss).__name__ in SCALING:
            loss = loss.edges[0]
        given = getattr(loss, "_given", None)
        if given is not None and str(task.where) not in self.told:
            self.told.add(str(task.where))
            embedded, scores, _ = given
            here, following = self.slopes(loss.edges[0], embedded[:2], scores)
            if here > 0 == following:
                self.tell(embedded[0])
            del loss._given

    def slopes(self, start: Node, embedded: list[Node], scores: np.ndarray) -> list[float]:
        """How much the scores of the first step depend on its own token, and on the second one."""
        g = np.zeros_like(scores)
        g[0, 0] = 1                              # the first step of the first text in any order
        found = []
        self.doctor.aside = True
        try:
            for node in embedded:
                wanted = nodes_towards({node}, [(start, 0)])
                if any(map(may_be_noticed, wanted)):
                    return [0.0, 0.0]
                got = engine.run([(start, 0)], [g], True, False, wanted, {(node, 0)}).get(
                    (node, 0)) if wanted else None
                found.append(0.0 if got is None else float(np.abs(reading.array_of(got)).max()))
        finally:
            self.doctor.aside = False
        return found

    def tell(self, embedded: Node) -> None:
        self.find(reading.place_of(embedded), "not-shifted", *COPIES)


CHECKS = (TargetInWindow, CopiedToken)
