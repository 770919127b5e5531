"""Checks of graphs: retained without need, growing, recorded and never used."""

from __future__ import annotations

import ast
import re
import weakref
from collections import deque
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .._state import state
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.modules.module import Module
from . import breaks, reading
from . import source as S
from .check import Check, Pass, only
from .checks_modes import acts_by_mode
from .cuts import cut_off
from .findings import Finding
from .freed import all_carried_by_loop
from .names import Names
from .places import Place, place, user_frames
from .programs import UNKNOWN, Env, attribute, called_name, env_of
from .words import counted, size

PASSES = 5         # so many passes without a second derivative are no demonstration


class RetainedForNothing(Check):
    """retain_graph=True, or create_graph=True, for a graph that nobody goes through again."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, tuple[Place, set[int]]] = {}       # of retain_graph=True,
        self.created: dict[str, tuple[Place, set[int]]] = {}     # and create_graph=True
        self.cuts: dict[int, Place] = {}         # where what a pass has created was put into .data
        self.used: set[int] = set()

    def before_use(self, nodes: list[Node]) -> None:
        self.used.update(filter(None, map(kept_by, nodes)))

    def on_new_memory(self, t: Tensor, value: Tensor, line: tuple) -> None:
        for number in filter(None, map(kept_by, reading.nodes([value.grad_fn]))) if (
                value.grad_fn is not None) else ():
            self.cuts.setdefault(number, place(*line))

    def after_pass(self, task: Pass) -> None:
        if task.create:
            recorded = [t.grad_fn for t in task.results if isinstance(t, Tensor)]
            lines, nodes = self.created, [n for n in recorded if n is not None]
        else:
            lines, nodes = self.lines, task.nodes if task.keep else []
        if nodes:
            lines.setdefault(str(task.where), (task.where, set()))[1].add(task.number)
        for node in nodes:
            if not isinstance(node, AccumulateGrad):
                node._kept_by_pass = task.number

    def at_end(self) -> None:
        for where, passes in self.lines.values():
            if not passes & self.used:
                self.find(where, "retained", "retain_graph=True kept the graph, and nobody went "
                          "through it again", "what the graph has saved stays in memory for "
                          "nothing, and an error that would point to a real mistake is silenced",
                          "leave out retain_graph=True", str(where))
        lost = any(f.kind == "constant-penalty" for f in self.doctor.report.findings)
        for where, passes in self.created.values() if not lost else ():
            if len(passes) >= PASSES and not passes & self.used:
                cut = next((self.cuts[n] for n in sorted(passes) if n in self.cuts), None)
                self.find(*(where, "retained", *CREATED) if cut is None else
                          (cut, "no-second-derivative", *SECOND_CUT_OFF))


def kept_by(node: Node) -> int | None:
    """The number of the pass that has kept a node, or made it."""
    return getattr(node, "_kept_by_pass", None)


CREATED = (
    "create_graph=True recorded how these gradients were computed, and nobody went back through "
    "that", "a second derivative was either not wanted, and this takes time and memory for "
    "nothing, or was cut off on its way to a loss", "leave out create_graph=True, or compute the "
    "loss from these gradients without detach(), .data, item() or no_grad()")
SECOND_CUT_OFF = (
    "`.data =` takes the numbers alone: how they were computed from gradients, which "
    "create_graph=True has recorded, is lost here", "the loss that follows is differentiated as if "
    "these numbers were constants: no second derivative is computed, as MAML needs it, and the "
    "parameters stay changed", "leave the parameters as they are, and "
    "compute with new tensors: `torch.func.functional_call(net, {name: p - lr * g, ...}, (x,))`")


TICKS = 5          # how often the number of living nodes has to rise, without falling,
UNROLLED = 20      # or where each step goes on from what the one before made, as MAML's inner loop


class Growing(Check):
    """Graphs that are kept from one iteration to the next, and the name that holds them."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.alive: weakref.WeakSet[Node] = weakref.WeakSet()
        self.counts: dict[str, list[int]] = {}
        self.newest: dict[str, int] = {}             # the root's number, an iteration ago
        self.totals: dict[str, int] = {}             # of all nodes, when more were alive
        self.found: dict[str, tuple[weakref.WeakSet[Node], Finding]] = {}

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        self.alive.add(node)

    def before_pass(self, task: Pass) -> None:
        """Nodes that a pass of another line goes through were kept for a reason."""
        for line, (kept, _) in list(self.found.items()):
            if line != str(task.where) and not kept.isdisjoint(task.nodes):
                del self.found[line]
                self.counts[line] = []

    def after_pass(self, task: Pass) -> None:
        if task.create and not task.fills:           # a gradient that is part of the next loss
            return
        line, root = str(task.where), task.roots[0]
        counts = self.counts.setdefault(line, [])
        last = self.newest.get(line, -1)
        now = sum(node._seq <= last for node in self.alive)      # left of earlier iterations
        if counts and now < counts[-1]:
            counts.clear()
        total = len(self.alive)                      # no more of losses computed before the loop
        if not counts or now > counts[-1] and total > self.totals[line]:
            counts.append(now)                       # an epoch's loss grows once in many iterations
            self.totals[line] = total
        if len(counts) > (UNROLLED if goes_on(task) else TICKS) and line not in self.found:
            self.report(task, self.newest.get(line, root._seq), counts)
        self.newest[line] = root._seq

    def report(self, task: Pass, limit: int, counts: list[int]) -> None:
        frames = user_frames()
        names = Names(frames)
        old = {n for n in self.alive if n._seq <= limit}
        name = self.holder(names, old, task, frames[0])
        env = env_of(frames[0])
        where, cure = held_by(env, name, breaks.argument(env, task.where)) \
            if name and env is not None else (None, "")
        if goes_on(task):
            cure = ("begin each step with leaves: `.detach().requires_grad_()` of what the step "
                    f"before has made{f', as of `{name}`' if name else ''}")
        per_turn = counts[-1] - counts[-2]
        bytes_held = reading.bytes_held(self.alive)
        held = f": `{name}` holds them" if name else ""
        memory = f" and {size(bytes_held)}" if bytes_held else ""
        self.found[str(task.where)] = weakref.WeakSet(old), Finding.at(
            where or task.where, "growing",
            f"graphs stay alive, {counted(per_turn, 'node')} more each time{held}; "
            f"{counted(len(self.alive), 'node')}{memory} after {task.number} backward passes",
            "a tensor keeps alive everything it was computed from, so memory grows and every "
            "backward() may get slower",
            cure or "keep numbers (loss.item()) or detached tensors (loss.detach()) from one "
            "iteration to the next")

    def at_end(self) -> None:
        for _, finding in self.found.values():
            self.doctor.report.add(finding)

    def holder(self, names: Names, old: set[Node], task: Pass, frame) -> str | None:
        """The variable that keeps nodes of earlier iterations alive."""
        env = env_of(frame)
        by_age = sorted(old, key=lambda n: n._seq)
        direct = [name for node in by_age if (name := names.of(node)) is not None]
        held = [name for name in direct if not name.isidentifier()]
        carried = [] if env is None else [name for name, _, _ in all_carried_by_loop(
            env, task.where) if reaches(env.values.get(name), old)]
        if held and "[" not in held[0]:              # meter.last holds less than meter.sum
            named: dict[str, list[Node]] = {}
            for node in sorted(self.alive, key=lambda n: n._seq):
                name = names.of(node)
                if name and node not in task.roots and not name.isidentifier() and "[" not in name:
                    named.setdefault(name, []).append(node)
            return max(named, key=lambda name: len(old & {*reading.nodes(named[name])}),
                       default=held[0])
        if held:
            return held[0].partition("[")[0]
        if carried:
            return carried[0]
        named = sorted(((n, names.of(n)) for n in self.alive
                        if names.of(n) and n not in task.roots), key=lambda pair: -pair[0]._seq)
        reaching = [name for n, name in named if any(m in old for m in reading.nodes([n])[1:])]
        return next(iter([*reaching, *direct]), None)


def reaches(value: Any, old: set[Node]) -> bool:
    """Whether a variable's tensors keep one of these nodes; if its value is unknown, assume so."""
    heads = [n for t in reading.tensors_in(value) if (n := reading.head(t)) is not None]
    return not isinstance(value, (Tensor, tuple, list)) or not old.isdisjoint(reading.nodes(heads))


def goes_on(task: Pass) -> bool:
    """Whether a pass computes the gradients of results, as those of weights made a step before."""
    return any(getattr(node, "edges", ()) for node in task.asked)


def held_by(env: Env, name: str, loss: ast.expr | None) -> tuple[Place | None, str]:
    """The line that puts tensors into `name`, and what to write there.

    `loss` is what backward() is called on.
    """
    held, name = name, name if name.endswith(".grad") else name.partition("[")[0]
    part = name.rpartition(".")[2]                   # trainer.losses is self.losses elsewhere
    for call in S.appends(env.source.tree, name):
        return env.source.place(S.statement(call)), _cure_of_append(env, name, call)
    for node in env.source.nodes:
        targets = list(S.targets(node)) if isinstance(node, (ast.Assign, ast.AugAssign)) else []
        if any(isinstance(t, ast.Subscript) and ast.unparse(t.value).endswith(part)
               for t in targets):
            return env.source.place(node), _cure_of_entry(env, name, held, node)
    if name.endswith(".grad"):
        return None, (f"set `{name} = None` after use, or compute gradients with "
                      "torch.autograd.grad(), which fills no .grad")
    found = [n for n in S.assignments(env.scope, name) if S.loop_of(n) is not None] or [
        n for n in env.source.nodes
        if any(ast.unparse(t) in (name, f"self.{part}") for t in S.targets(n))
        and (S.loop_of(n) is not None or "." in name)]
    if not found:
        return None, ""
    return env.source.place(found[-1]), _cure_of_assignment(env, name, found[-1], loss)


def _cure_of_append(env: Env, name: str, call: ast.Call) -> str:
    """What to write for losses.append(loss) and the like."""
    value, put = call.args[0], f"{ast.unparse(call.func)}({{}})"
    last = last_of(env, name, like=value)
    if isinstance(last, FunctionType):
        return "give the function numbers, `.item()` of a loss, instead of tensors with a history"
    if single(env, name) and not isinstance(last, tuple):
        return f"keep the number: `{put.format(ending(value, 'item', last))}`"
    return f"keep the numbers without their history: `{put.format(ending(value, 'detach', last))}`"


def _cure_of_entry(env: Env, name: str, held: str, node: Any) -> str:
    """What to write for losses[i] = loss or losses[i] += loss; `held` is the entry in question."""
    if isinstance(node, ast.AugAssign):
        return f"add the number: `{ast.unparse(node.target)} += {number(node.value)}`"
    target = ast.unparse(node.targets[0])
    if single(env, held) and name not in ast.unparse(node.value):
        return f"keep the number: `{target} = {number(node.value)}`"
    return f"keep the numbers without their history: `{target} = {ending(node.value, 'detach')}`"


def _cure_of_assignment(env: Env, name: str, statement: Any, loss: ast.expr | None) -> str:
    """What to write for total += loss, total = total + loss, h = cell(x, h)."""
    value = getattr(statement, "value", None)
    added, sum_so_far = None, f"{name} += "
    if isinstance(statement, ast.AugAssign):
        added = value
    elif isinstance(value, ast.BinOp) and ast.unparse(value.left) == name:
        added, sum_so_far = value.right, f"{name} = {name} + "
    if added is None and isinstance(loss, ast.Name) and value is not None and (
            {loss.id, name} <= S.names_in(statement) and loss.id != name and single(env, name)):
        text = re.sub(rf"\b{loss.id}\b(?!\.)", f"{loss.id}.item()", ast.unparse(statement))
        return f"compute with the number: `{text}`"
    if added is None:
        return f"cut it off at the start of each iteration: `{cut_off(name, env)}`"
    if loss is not None and ast.unparse(loss) == name:
        return (f"call backward() on the new part alone, and add up numbers: `part = "
                f"{ast.unparse(added)}; part.backward(); {sum_so_far}part.item()`")
    several = last_of(env, name)
    if isinstance(several, Tensor) and several._data.size > 1:
        return f"add the numbers: `{sum_so_far}{ending(added, 'detach')}`"
    return f"add the number: `{sum_so_far}{number(added)}`"


def last_of(env: Env, name: str, like: ast.expr | None = None) -> Any:
    """The last element of a list, also of a list that is an entry of another one.

    `like` is the expression that was appended: a dict that it may have made is returned whole.
    """
    last = breaks.Search().value(ast.parse(name, mode="eval").body, env)
    if last is UNKNOWN and "." in name:              # trainer.losses is self.losses elsewhere
        last = attribute(env.values.get("self", UNKNOWN), name.rpartition(".")[2])
    while isinstance(last, (list, dict, deque)) and last and not (
            isinstance(like, ast.Dict) and isinstance(last, dict) and len(like.keys) == len(last)):
        last = next(reversed(last.values())) if isinstance(last, dict) else last[-1]
    return last


def single(env: Env, name: str) -> bool:
    """Whether a list (or its entry) holds tensors of one element, as far as is known."""
    last = last_of(env, name)
    return not isinstance(last, Tensor) or last._data.size == 1


def number(node: ast.AST) -> str:
    """`loss.item()` for loss, `(a + b).item()` for a sum."""
    return ending(node, "item")


def ending(node: ast.AST, method: str, value: Any = None) -> str:
    """An expression with a method called on it, or on every element of a tuple, list or dict.

    Where the `value` is known, only the elements that have a history are changed.
    """
    if isinstance(node, ast.Dict):
        entries = [f"{ast.unparse(k)}: {part}" if k is not None else f"**{part}" for k, part in zip(
            node.keys, endings(node.values, method, value), strict=True)]
        return f"{{{', '.join(entries)}}}"
    if isinstance(node, (ast.Tuple, ast.List)):
        inside = ", ".join(endings(node.elts, method, value))
        return f"({inside})" if isinstance(node, ast.Tuple) else f"[{inside}]"
    text = S.bracketed(node)
    if isinstance(value, tuple) and method == "detach":
        return f"tuple(t.detach() if torch.is_tensor(t) else t for t in {text})"
    plain = isinstance(node, ast.Constant) or isinstance(node, ast.Call) and called_name(
        node) in PLAIN
    return text if plain else f"{text}.{method}()"


PLAIN = ("item", "detach", "tolist", "float", "int", "len")      # give what has no history


def endings(nodes: list, method: str, value: Any) -> Iterator[str]:
    """The same for each of several expressions; `value` is what they made, if that is known."""
    known = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, tuple, list)) or len(value) != len(nodes):
        yield from (ending(node, method) for node in nodes)
        return
    for node, part in zip(nodes, known, strict=True):
        if isinstance(part, (dict, tuple, list)) or isinstance(part, Tensor) and part.requires_grad:
            large = isinstance(part, Tensor) and part._data.size > 1
            yield ending(node, "detach" if large else method, part)
        else:
            yield ast.unparse(node)


LARGE = 1_000_000  # bytes that are worth a finding though they are kept only once


class RecordedEvaluation(Check):
    """A network is evaluated while recording, and nobody goes back through what was recorded."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple, dict] = {}
        self.trained: set[int] = set()

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is None or state.transforms:    # jacrev() and its kin record by themselves
            return
        heads = [t.grad_fn for t in reading.tensors_in(result) if t.grad_fn is not None]
        if not heads:
            return
        key = id(module), str(where)
        line = self.lines.setdefault(key, {"where": where, "module": module, "calls": 0,
                                           "training": False, "used": False, "detached": False,
                                           "bytes": 0})
        line["calls"] += 1
        line["trial"] = line["calls"] == 1 and not self.is_trained(module)   # of its shapes
        line["training"] |= module.training
        self.doctor.outermost[0] = key
        if line["calls"] == 1:
            line["bytes"] = reading.bytes_held(reading.nodes(heads))

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        """G(noise).detach() and target_net(x).max(1)[0].detach() are cut off on purpose."""
        node = reading.head(t) if what.startswith("detach") else None
        while node is not None and self.line_of(node) is None:
            node = reading.only_source(node)
        line = self.line_of(node)
        if line is not None:
            line["detached"] = True

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if self.doctor.calling:
            node._call = self.doctor.outermost

    def is_trained(self, module: Module) -> bool:
        """Whether a backward pass has reached a network so far."""
        return any(id(p) in self.trained for p in module.parameters())

    def line_of(self, node: Node | None) -> dict | None:
        """The line whose call of a network has recorded a node."""
        return self.lines.get(getattr(node, "_call", (None,))[0])

    def before_use(self, nodes: list[Node]) -> None:
        for node in nodes:
            line = self.line_of(node)
            if line is not None:
                line["used"] = True
            if isinstance(node, AccumulateGrad):
                self.trained.add(id(node.variable))

    def at_end(self) -> None:
        if any(f.kind == "lost-loss" for f in self.doctor.report.findings):
            return                               # which is why no backward() followed
        for line in self.lines.values():
            module = line["module"]
            aside = line["training"] or not self.is_trained(module)
            if line["used"] or line["trial"] or line["detached"] and aside:
                continue
            if line["training"] and not self.is_trained(module):
                continue
            acts = line["training"] and acts_by_mode(module)
            if line["calls"] == 1 and not acts and line["bytes"] < LARGE:
                continue
            mode = "in eval() mode" if not line["training"] else "outside of training"
            self.find(line["where"], "evaluation-recorded",
                      f"the network was called {mode} {counted(line['calls'], 'time')} while "
                      "recording, and no backward() followed",
                      f"every call records a graph ({size(line['bytes'])} here) and throws it away",
                      "put the evaluation into `with torch.no_grad():`" + (
                          ", and call eval() before it: Dropout and BatchNorm are still in "
                          "training mode" if acts else ""),
                      str(line["where"]))


CHECKS = (RetainedForNothing, Growing, RecordedEvaluation)
