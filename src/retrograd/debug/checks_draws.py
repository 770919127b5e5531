"""The check of a policy's actions: the one that is scored is the one that was played."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from .._callers import caller
from .._tensor import Tensor
from .check import Check
from .checks_training import PASSES
from .places import Place, place

KEPT = 50                # the most distributions that are looked at


@dataclass
class Draws:
    """What was drawn from a distribution, and what became of it, by the draws' numbers."""

    distribution: weakref.ref
    lines: list[Place] = field(default_factory=list)
    played: set[int] = field(default_factory=set)        # whose numbers left the graph
    scored: dict[int, Place] = field(default_factory=dict)       # with log_prob()'s line


class DrawnAgain(Check):
    """`env.step(dist.sample().item())`, and `dist.log_prob(dist.sample())`: another action."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.kept: list[Draws] = []
        self.last: dict[int, Draws] = {}         # by their distributions
        self.of: dict[int, tuple[weakref.ref, Draws, int]] = {}      # by the draws

    def drawn_from(self, distribution: Any) -> Draws | None:
        seen = self.last.get(id(distribution))
        return seen if seen is not None and seen.distribution() is distribution else None

    def of_draw(self, t: Any) -> tuple[Draws, int] | None:
        """The distribution's record, and the number, of a draw."""
        kept = self.of.get(id(t))
        return kept[1:] if kept is not None and kept[0]() is t else None

    def on_draw(self, distribution: Any, result: Any, where: Place) -> None:
        seen = self.drawn_from(distribution)
        if seen is None and len(self.kept) < KEPT:
            seen = self.last[id(distribution)] = Draws(weakref.ref(distribution))
            self.kept.append(seen)
        if seen is not None and isinstance(result, Tensor):
            self.of[id(result)] = weakref.ref(result), seen, len(seen.lines)
            seen.lines.append(where)

    on_choice = on_draw

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        found = self.of_draw(t) if self.of and what != "detach()" else None
        if found is not None:
            found[0].played.add(found[1])

    def on_density(self, distribution: Any, value: Any, result: Any) -> None:
        seen, found = self.drawn_from(distribution), self.of_draw(value)
        if seen is not None and found is not None and found[0] is seen and result.requires_grad:
            seen.scored[found[1]] = place(*caller())

    def at_end(self) -> None:
        times: dict[str, list] = {}              # by log_prob()'s line
        for seen in self.kept:
            played = [seen.lines[number] for number in seen.played]
            if not played or not seen.scored:
                continue
            where = next(iter(seen.scored.values()))
            apart = not seen.played & seen.scored.keys()
            line = times.setdefault(str(where), [where, played[0], 0])
            line[2] = line[2] + 1 if apart and line[2] >= 0 else -1
        for where, played, n in times.values():
            if n >= PASSES:
                self.find(where, "drawn-again", "log_prob() is given another draw than the action "
                          f"that was played, which was drawn at {played}", "each sample() draws "
                          "anew: the reward belongs to one action, and the gradient makes another "
                          "one more likely", "draw once: `action = dist.sample()`, and "
                          "`dist.log_prob(action)`")


CHECKS = (DrawnAgain,)
