"""Which steps the doctor looks at closely: all of the first ones, later some."""

from __future__ import annotations

from ..autograd.node import LEAF_SEQ, Node
from .places import Place

FIRST = 100              # after so many steps without a new line a program repeats itself
TURN = 16                # from then on, of so many steps
LOOKED_AT = 2            # so many are looked at: some mistakes show from one step to the next
SHAPES = 200             # the most input shapes that are remembered, as of a last, smaller batch


class Rhythm:
    """Whether the checks that judge one step at a time rest now.

    This changes at the end of an optimizer's step, or when the program reaches a new line, such as
    the evaluation after the first epoch or another stage of the training. It does not change at a
    step in the middle of a graph's life, such as the step of the first of two optimizers: a check
    must see all of a graph or nothing of it.
    """

    def __init__(self):
        self.resting = False
        self.lines: set[str] = set()         # that have called a network, backward() or step()
        self.shapes: set[tuple] = set()      # of what networks were given there
        self.steps = 0                       # since the last new line
        self.step = ""                       # the line of the last step
        self.reached_over: set[str] = set()  # lines of steps in the middle of a graph's life
        self.newest = 0                      # the highest number among the last pass's nodes
        self.before = 0                      # the newest before the last step

    def comes_to(self, where: Place) -> None:
        """The program is about to call a network, backward() or step() here."""
        line = str(where)
        if line not in self.lines:
            self.lines.add(line)
            self.steps, self.resting = 0, False

    def is_given(self, where: Place, shapes: tuple) -> None:
        """A network is about to be called here; inputs of a new shape are looked at."""
        if (str(where), shapes) not in self.shapes and len(self.shapes) < SHAPES:
            self.shapes.add((str(where), shapes))
            self.resting = False

    def goes_through(self, nodes: list[Node]) -> None:
        """A backward pass begins, which may go through these nodes."""
        numbers = [node._seq for node in nodes if node._seq < LEAF_SEQ]
        if numbers and min(numbers) <= self.before:
            self.reached_over.add(self.step)
        self.newest = max(numbers, default=self.newest)

    def steps_at(self, where: Place) -> None:
        """step() begins."""
        self.comes_to(where)
        self.step = str(where)

    def step_ends(self) -> None:
        self.before = self.newest
        if self.step not in self.reached_over:
            self.steps += 1
            self.resting = self.steps > FIRST and self.steps % TURN >= LOOKED_AT
