"""Checks of what is played: the action that is scored, and episodes that end."""

from __future__ import annotations

import ast
import re
import weakref
from dataclasses import dataclass, field
from typing import Any

from .._callers import caller
from .._tensor import Tensor
from . import source as S
from .check import Check
from .checks_settings import OfPasses
from .checks_training import PASSES
from .places import Place, place
from .programs import called_name

REWARD = re.compile(r"rew|^rs?$|_rs?$")
DONE = re.compile(r"^(batch_|b_)?(is_|not_)?(dones?|terminals?|terminated|finished|terminal_\w+|"
                  r"done_\w+)(_\w+)?$")
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


class EndsNotSeen(OfPasses):
    """`rewards + gamma * target_net(nexts).max(1)[0]`, where `dones` is read and then not used."""

    def read(self, source: S.Source) -> None:
        for scope in (source.tree, *source.functions.values()):
            nodes = list(S.inside(scope))
            known = {name for n in nodes for name in unpacked_ends(n)}
            if not known or any(is_used_end(n, known) for n in nodes):
                continue
            for node in nodes:
                if isinstance(node, ast.BinOp) and is_goal_of_values(node):
                    done = min(known)
                    value = ast.unparse(node.right)
                    self.find(source.place(S.statement(node)), "ends-not-seen",
                              f"`{done}` is read from the batch, and used nowhere: the value of "
                              "the next state is added where an episode has ended, too",
                              "after its last step nothing more can be gained; values that go on "
                              "from there grow, and have nothing to hold on to",
                              f"`{ast.unparse(node.left)} + (1 - {done}) * {value}`, with `{done}` "
                              "as float")
                    break


def unpacked_ends(node: ast.AST) -> list[str]:
    """The names like `dones` that a line takes out of a batch: `s, a, r, s2, dones = zip(*batch)`.
    """
    if not isinstance(node, ast.Assign) or not any(isinstance(t, ast.Tuple) for t in node.targets):
        return []
    return [t.id for t in S.targets(node) if isinstance(t, ast.Name) and DONE.match(t.id)
            and isinstance(node.value, (ast.Call, ast.Name, ast.GeneratorExp)) and not (
                isinstance(node.value, ast.Call) and S.dotted(node.value.func).endswith(".step"))]


def is_used_end(node: ast.AST, known: set[str]) -> bool:
    """Whether a node reads one of these names for more than to convert it: `d = tensor(d)`."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or (
            node.id not in known):
        return False
    line = S.statement(node)
    return not (isinstance(line, ast.Assign) and [ast.unparse(t) for t in line.targets] == [
        node.id])


def is_goal_of_values(node: ast.BinOp) -> bool:
    """Whether an expression is `rewards + gamma * net(nexts).max(1)[0]`."""
    value = node.right
    return (isinstance(node.op, ast.Add) and isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Mult)
            and any(map(REWARD.search, S.names_in(node.left)))
            and any(isinstance(n, ast.Call) and called_name(n) in ("max", "amax", "gather")
                    for n in ast.walk(value)))


CHECKS = (DrawnAgain, EndsNotSeen)
