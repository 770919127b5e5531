"""Checks of loops: one that returns in its first turn, and networks that each epoch makes anew."""

from __future__ import annotations

import ast
import re

from . import source as S
from .checks_settings import OfPasses
from .programs import called_name

EPOCHS = re.compile(r"(ep|epochs?|iterations?|itr?|steps?)(_\w*|\d)?$", re.IGNORECASE)
OPTIMIZER = re.compile(r"optim|SGD|Adam|RMSprop|Adagrad|Adadelta|LBFGS|NAdam|RAdam")


class ReturnsTooEarly(OfPasses):
    """`for x, y in loader: ...; total += loss.item(); return total`, indented too far."""

    def read(self, source: S.Source) -> None:
        for loop in source.nodes:
            last = loop.body[-1] if isinstance(loop, ast.For) else None
            if not isinstance(last, ast.Return) or last.value is None or any(
                    isinstance(n, ast.Continue) for n in S.inside(loop)):
                continue
            sums = sorted(summed_in(loop) & S.names_in(last.value))
            if sums:
                self.find(source.place(last), "returns-too-early", "this return stands in the loop "
                          f"over `{ast.unparse(loop.iter)}`, and ends it in its first turn",
                          f"`{sums[0]}` was to sum up all turns: nothing after the first one is "
                          "ever seen", "indent it one step less, below the loop")


def summed_in(loop: ast.For) -> set[str]:
    """The variables that a loop adds to, or appends to."""
    sums = {n.target.id for n in S.inside(loop) if isinstance(n, ast.AugAssign)
            and isinstance(n.target, ast.Name)}
    return sums | {n.func.value.id for n in S.inside(loop) if isinstance(n, ast.Call)
                   and isinstance(n.func, ast.Attribute) and n.func.attr == "append"
                   and isinstance(n.func.value, ast.Name)}


class NetworkAnew(OfPasses):
    """`for epoch in range(10): net = Net(); optimizer = Adam(net.parameters())`."""

    def read(self, source: S.Source) -> None:
        for loop in source.nodes:
            if not isinstance(loop, ast.For) or not is_of_epochs(loop):
                continue
            calls = [n for n in S.inside(loop) if isinstance(n, ast.Call)]
            inner = any(isinstance(n, ast.For) and is_of_epochs(n) for n in S.inside(loop))
            for made in loop.body if not inner else ():
                name = made_new(made)
                if name and any(OPTIMIZER.search(S.dotted(c.func)) and f"{name}.parameters()"
                                in ast.unparse(c) for c in calls) and not any(
                                    is_kept(c, name) for c in calls):
                    turns = ast.unparse(loop.target)
                    self.find(source.place(made), "made-anew", f"`{name}` is a new network in each "
                              f"turn of the loop over `{turns}`", "it begins with new random "
                              "weights: what was learned in the turn before is thrown away",
                              "make the network, and its optimizer, once, before the loop")


def is_of_epochs(loop: ast.For) -> bool:
    return isinstance(loop.target, ast.Name) and bool(EPOCHS.match(loop.target.id))


def made_new(statement: ast.stmt) -> str:
    """The `net` of `net = Net()`, or of `net = nn.Sequential(...)`; "" for any other line."""
    call = statement.value if isinstance(statement, ast.Assign) else None
    while isinstance(call, ast.Call) and called_name(call) in ("to", "cuda", "float", "double"):
        call = getattr(call.func, "value", None)         # Net().to(device)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    is_class = isinstance(call, ast.Call) and called_name(call)[:1].isupper() and not (
        OPTIMIZER.search(S.dotted(call.func)))
    return target.id if is_class and isinstance(target, ast.Name) else ""


def is_kept(call: ast.Call, name: str) -> bool:
    """Whether a call gives the network weights, as in meta-learning, or keeps it for later."""
    owner = getattr(call.func, "value", None)
    if isinstance(owner, ast.Name) and owner.id == name:
        return called_name(call) == "load_state_dict"
    return called_name(call) in ("append", "copy_weights", "load", "load_weights") and name in (
        S.names_in(call))


CHECKS = (ReturnsTooEarly, NetworkAnew)
