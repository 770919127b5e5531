"""Checks of parameters: without a gradient, or without an optimizer, and why."""

from __future__ import annotations

import ast
import re
import weakref
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from . import breaks, reading
from . import source as S
from .check import Check, Pass
from .checks_functions import line_of_backward
from .checks_training import PASSES, parameters_of
from .cuts import Break, instead_of, why_not
from .names import Names
from .places import Place, place, user_frames
from .programs import called_name, env_of, made_in_forward, set_in_a_loop
from .unused import unused_call, unused_variable
from .words import counted, listed


@dataclass
class Stray:
    """A Parameter of no network that got gradients: how often, and where it was used first."""

    leaf: Tensor
    where: Place | None
    before: int                  # the fingerprint of its numbers
    attribute: str               # of a Module, if it is a plain tensor
    name: str                    # the variable that holds it, if one does
    times: int = 0


@dataclass
class Called:
    """A Module that was called: how often, and where first."""

    module: Module
    where: Place
    times: int = 0


@dataclass
class Plain:
    """A tensor that requires grad, of no network: where it was used first, and how often."""

    leaf: weakref.ref
    where: Place | None
    before: int                  # the fingerprint of its numbers
    times: int = 0
    name: str = ""


READS_GRAD = re.compile(r"(?<!autograd)(?<!torch)\.grad\b")
FIRST = 3                # the most calls of detach() on a line that are looked at
MANY = 20                # the most parameters, or calls of a Function, that are looked at
SET = "`.data =`"
SET_ANEW = "nn.Parameter()"
DRAWN = re.compile(r"\b(rand|randn|normal|empty|zeros|ones)\(")
MADE_ANEW = (
    "a new layer is made at each call, with new random weights: what was learned is thrown away",
    "make layers in __init__(), as attributes, and only call them in forward()")
PARAMETERS_MADE_ANEW = (
    "a new nn.Parameter is made at each call: what was learned is thrown away",
    "make it in __init__(), as an attribute: `self.bias = nn.Parameter(...)`")
DRAWN_IN_FORWARD = (
    "forward() makes a new nn.Parameter at each call, with new random numbers: what was learned is "
    "thrown away", PARAMETERS_MADE_ANEW[1])
REPLACED_IN_FORWARD = (
    "forward() puts a new Parameter in the place of the one that the optimizer was given, at each "
    "call", "compute with the result itself, as by `F.linear(x, weight * mask, bias)`, or let "
    "torch.nn.utils.parametrize do so")
MADE_BY_THE_FIRST_CALL = (
    "forward() puts them into the network at its first call, after the optimizer was made, which "
    "changes only the parameters it was given", "make the layer in __init__(), as nn.LazyLinear(n) "
    "where a size is not known yet, and call the network once before the optimizer is made")
UNKNOWN_PARAMETERS = (
    "no network and no optimizer knows them, as happens to parameters in a plain list or dict",
    "keep parameters in nn.ParameterList or nn.ParameterDict, or as attributes of a Module")
NO_PARAMETER = \
    "a Module knows nn.Parameters only: parameters() does not find other tensors of its attributes"
UNKNOWN_TO_THE_NETWORK = (
    "the network that calls it does not know it, as happens to layers in a plain list or dict: "
    "parameters() does not find them",
    "keep layers in nn.ModuleList or nn.ModuleDict, or as attributes")


class Parameters(Check):
    """Parameters that never got a gradient, and those that no optimizer knows."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.roots: dict[int, tuple[Module, Place | None]] = {}
        self.first: dict[int, int] = {}          # their first parameter when they were called
        self.called: dict[int, Called] = {}
        self.reached: dict[int, Tensor] = {}
        self.optimized: dict[int, Tensor] = {}
        self.cuts: dict[int, Break] = {}
        self.searched: set[str] = set()
        self.stray: dict[int, Stray] = {}
        self.given: dict[int, tuple[Tensor, Place]] = {}     # to optimizers, and where
        self.optimizers: dict[int, Place] = {}   # these were made
        self.lone: dict[int, str] = {}           # those of no network, and their names
        self.chosen: dict[int, Place] = {}       # leaf -> a line of forward() with argmax()
        self.dropped: dict[int, Node] = {}       # leaf -> the Function's node that gave None for
        self.dropping: Counter[Any] = Counter()  # it, or for what was computed from it
        self.plain: dict[int, Plain] = {}        # tensors in no network and no optimizer
        self.waiting: dict[int, Module] = {}     # networks called since the last pass
        self.present: dict[int, Tensor] = {}     # what such networks had when a pass trained them
        self.noted: set[int] = set()             # the networks whose parameters these are
        self.known: set[int] = set()             # parameters of the Modules that were called
        self.running: Pass | None = None         # the pass that runs, or that an error has ended
        self.cutting: dict[tuple, int] = {}      # lines that call detach(), and how often so far
        self.made: dict[str, list] = {}          # lines of forward() that make leaves: how many
        self.late: dict[int, tuple] = {}         # parameter -> the line that put it into a network
                                                 # that an optimizer was given
        self.replacing: Counter[tuple] = Counter()       # such lines, by how often they did so

    def on_call(self, module, outermost, result, where) -> None:
        called = self.called.get(id(module))
        if called is None:
            called = self.called[id(module)] = Called(module, where or place(*caller()))
        called.times += 1
        if outermost:
            if id(module) not in self.roots:
                self.roots[id(module)] = module, where
                self.first[id(module)] = id(next(module.parameters(), None))
            self.waiting[id(module)] = module

    def on_part(self, module: Module, name: str, part: Parameter | Module,
                line: tuple) -> None:
        if any(id(p) in self.doctor.given for p in module.parameters()):
            params = part.parameters() if isinstance(part, Module) else [part]
            self.late.update((id(p), line) for p in params)
            self.replacing[line] += 1

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if self.doctor.is_trained(leaf):
            self.reached[id(leaf)] = leaf

    def after_run(self, node: Node, g: Any, results: Any) -> None:
        if hasattr(node, "_forward_cls"):
            for edge, result in zip(node.edges, results, strict=False):
                if result is None and edge is not None and self.dropping[node._forward_cls] < MANY:
                    self.dropping[node._forward_cls] += 1
                    self.dropped.update((id(leaf), node) for leaf in reading.leaves([edge]))

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        """Note which parameters detach() and the like cut off, the first times that a line runs.

        Plain numbers are mostly taken for printing, so only those that forward() uses count.
        """
        if what not in ("item()", "tolist()") or self.doctor.calling:
            self.note_taken(t, what, caller())

    def on_picked(self, name: str, t: Tensor, dim: int, result: Any) -> None:
        """Note which parameters argmax() cuts off in a forward(), as that of a router does."""
        head = reading.head(t) if name == "argmax" and self.doctor.calling else None
        line = caller() if head is not None else None
        if line is not None and self.cutting.get(line, 0) < FIRST:
            self.cutting[line] = self.cutting.get(line, 0) + 1
            self.chosen.update((id(leaf), place(*line)) for leaf in reading.leaves([head]))

    def on_new_memory(self, t: Tensor, value: Tensor, line: tuple) -> None:
        self.note_taken(value, SET, line)

    def note_taken(self, t: Tensor, what: str, line: tuple) -> None:
        head = reading.head(t)
        if head is None or self.cutting.get(line, 0) >= FIRST:
            return
        self.cutting[line] = self.cutting.get(line, 0) + 1
        where = place(*line)
        if what == "detach()" and "detach" not in where.text and "Parameter(" in where.text:
            what = SET_ANEW                      # which calls detach()
        for leaf in filter(self.doctor.is_trained, reading.leaves([head])):
            self.doctor.taken.setdefault(id(leaf), {}).setdefault(str(where), (where, what))

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.optimizers[id(optimizer)] = where
        self.given.update((id(p), (p, where)) for p in parameters_of(optimizer))

    def on_step(self, optimizer, closure, where) -> None:
        params = parameters_of(optimizer)
        self.optimized.update((id(p), p) for p in params)
        self.reached.update((id(p), p) for p in params if p._grad is not None)   # set by hand
        made = self.optimizers.get(id(optimizer))
        if made is not None and not self.given.keys() >= {id(p) for p in params}:
            self.given.update((id(p), (p, made)) for p in params)        # of a group added since

    def before_pass(self, task: Pass) -> None:
        self.running = task

    def after_pass(self, task: Pass) -> None:
        self.running = None
        self.note_present(task)
        self.note_strays(task)
        self.look_for_cuts(task)

    def note_present(self, task: Pass) -> None:
        """Note the parameters of a trained network: those it gets later need no gradient."""
        leaves = {id(n.variable) for n in task.nodes if isinstance(n, AccumulateGrad)}
        for key, module in self.waiting.items():
            if key in self.noted and leaves <= self.present.keys():
                continue
            self.noted.add(key)
            params = {id(p): p for p in module.parameters()}
            if leaves & params.keys() or not params.keys() & self.reached.keys():
                self.present.update(params)
        self.waiting.clear()

    def note_strays(self, task: Pass) -> None:
        for node in task.nodes:
            for edge in node.edges:
                leaf = edge.variable if isinstance(edge, AccumulateGrad) else None
                attribute = None if leaf is None or self.is_known(leaf) else self.attribute(leaf)
                if leaf is not None and attribute is None and not self.doctor.is_trained(leaf):
                    self.note_made(node)
                    self.note_plain(leaf, node, edge in task.asked or not task.fills)
                if attribute is not None:
                    if id(leaf) not in self.stray:
                        self.stray[id(leaf)] = Stray(
                            leaf, reading.place_of(node), reading.fingerprint(leaf._data),
                            attribute, self.variable(leaf))
                    self.stray[id(leaf)].times += 1

    def variable(self, leaf: Tensor) -> str:
        """The variable that holds a leaf; of many leaves only the first are looked up."""
        name = Names(user_frames()).of(leaf) if len(self.stray) < PASSES else None
        return name if name is not None and name.isidentifier() else ""

    def note_plain(self, leaf: Tensor, node: Node, asked: bool) -> None:
        """Note a tensor that may be meant for training: no input of a network or of grad()."""
        seen = self.plain.get(id(leaf))
        if seen is None or seen.leaf() is not leaf:
            seen = self.plain[id(leaf)] = Plain(weakref.ref(leaf), reading.place_of(node),
                                                reading.fingerprint(leaf._data))
        inside = reading.call_of(node) is not None
        seen.times = -MANY * MANY if asked or inside else seen.times + 1
        if seen.times == PASSES:
            seen.name = Names(user_frames()).of(leaf) or ""

    def note_made(self, node: Node) -> None:
        """Note a leaf that forward() makes at each call: h = torch.randn(4, requires_grad=True)."""
        made = made_in_forward(reading.place_of(node)) if reading.call_of(node) else None
        if made is not None:
            self.made.setdefault(str(made), [made, 0])[1] += 1           # type: ignore[operator]

    def is_known(self, leaf: Tensor) -> bool:
        """Whether a leaf is a parameter of a Module that was called."""
        if id(leaf) not in self.known and isinstance(leaf, Parameter):
            self.known = {id(p) for called in self.called.values()
                          for p in called.module.parameters()}
        return id(leaf) in self.known

    def attribute(self, leaf: Tensor) -> str | None:
        """The attribute of a Module that a leaf is; "" for a Parameter, None for any other."""
        if isinstance(leaf, Parameter):
            return ""
        return next((name for called in self.called.values()
                     for name, value in (vars(called.module) | called.module._buffers).items()
                     if name != "_buffers" and any(
                         t is leaf for t in (value, *several_in(value)))), None)

    def look_for_cuts(self, task: Pass) -> None:
        """Once for each line that calls backward(), while its variables are alive."""
        if str(task.where) in self.searched:
            return
        self.searched.add(str(task.where))
        frame = user_frames()[0]
        env = env_of(frame)
        loss = None if env is None else breaks.argument(env, task.where)
        own = self.of_networks()
        lone = [p for key, (p, _) in self.given.items() if key not in own]
        missing = [p for p in [*own.values(), *lone]
                   if p.requires_grad and id(p) not in self.reached]
        names = Names(user_frames()) if lone else None
        self.lone.update((id(p), names.of(p) or "") for p in lone[:MANY] if names is not None)
        for p in missing[:MANY] if loss is not None and env is not None else []:
            cut = breaks.Search(p).why(loss, env) or breaks.Search(p, drawn=True).why(loss, env)
            nearest = cut is not None and cut.what.startswith("argmin()")    # of a codebook, where
            if cut is not None and cut.kind == "operator" and not nearest:   # others are meant so
                seen = self.doctor.taken.get(id(p), {})
                other = breaks.Search(p, past=("operator",)).why(loss, env)
                cut = other if other is not None and str(other.place) in seen else cut
            if cut is not None:
                self.cuts[id(p)] = cut

    def of_networks(self) -> dict[int, Tensor]:
        """The parameters of all networks that were called."""
        return {id(p): p for module, _ in self.roots.values() for p in module.parameters()}

    def at_end(self) -> None:
        self.outside_of_networks()
        self.strays()
        networks = []
        for module, where in self.roots.values():
            named = [(self.doctor.named(module, n), p) for n, p in module.named_parameters()
                     if p.requires_grad]
            if any(id(p) in self.reached or id(p) in self.optimized for _, p in named):
                networks.append((module, where, named))
        self.without_gradient(networks)
        for _, where, named in networks:
            self.without_optimizer(where, named)
        self.made_in_forward()
        self.plain_tensors()

    def without_gradient(self, networks: list) -> None:
        nodes = self.running.nodes if self.running is not None else ()
        ended = {id(n.variable) for n in nodes if isinstance(n, AccumulateGrad)}    # by an error
        groups: dict[tuple, list[str]] = {}      # what is said of them: names
        for module, where, named in networks:
            owners = {id(p): m for m in module.modules() for p in m.parameters(recurse=False)}
            lent = self.first[id(module)] != id(next(module.parameters()))   # by functional_call()
            for name, p in named:
                cut = self.cuts.get(id(p))
                if cut is not None and cut.kind == "constant":       # a slope's slope, as is right
                    continue
                if lent and cut is None and id(p) not in self.doctor.taken:
                    continue
                if id(p) not in self.reached.keys() | ended | self.doctor.asked.keys() and (
                        id(p) in self.present and not self.is_of_wrong_network(p)):
                    ended.add(id(p))             # a part such as net[:2] may be a network, too
                    said = self.reason(p, where, owners[id(p)], name.rpartition(".")[0])
                    groups.setdefault(said, []).append(name)
        replaced = any(self.without_one(named) for _, _, named in networks)
        for key, name in self.lone.items() if not replaced else ():
            p, where = self.given[key]
            if p.requires_grad and key in self.optimized and key not in ended and (
                    key not in self.reached and key not in self.of_networks()
                    and self.with_others(where)):
                groups.setdefault(self.reason(p, where), []).append(name)
        for (line, why, cure, cause), names in groups.items():
            known = listed(names) if all(names) else "a parameter"
            self.find(line, "no-gradient", f"{known} never got a gradient: "
                      "training does not change " + ("it" if len(names) == 1 else "them"),
                      why, cure, cause)

    def reason(self, p: Tensor, where: Place | None, part: Module | None = None,
               owner: str = "") -> tuple[Place | None, str, str, str]:
        """Why a parameter of `part` got no gradient: (line, why, cure, the line to blame).

        The line is `where` if nothing more precise is known.
        """
        taken = self.doctor.taken.get(id(p), {})
        known = {str(cut.place): cut for cut in self.cuts.values()}
        cut = self.cuts.get(id(p))
        if cut is None or self.is_of_others(cut, taken):
            cut = next((known[at] for at in taken if at in known), None)
        if cut is not None or taken:
            self.doctor.explained.add(id(p))
        blamed = {f.cause for f in self.doctor.report.findings if f.kind == "constant-penalty"}
        if cut is not None and not blamed & taken.keys():
            return (cut.place or where,
                    f"{cut.what}: the way back ends there" if cut.place else cut.what,
                    cut.cure, str(cut.place))
        if id(p) in self.dropped:
            return dropped_by(self.dropped[id(p)])
        if part is not None and id(part) not in self.called and not taken:
            return (where, f"`{owner}` ({type(part).__name__}) was never called",
                    f"use `{owner}` in forward(), or remove it", "")
        for line, what in sorted(taken.values(), key=lambda pair: str(pair[0]) not in blamed):
            cure = "compute with the new tensor itself, by a function such as F.linear(), or with "\
                "torch.func.functional_call()" if what in (SET, SET_ANEW) else \
                f"leave out {what} here"
            return (line, f"what is computed from it goes into no loss but by way of this line, "
                    f"and {what} cuts it off", f"{cure}; or requires_grad_(False) if it is meant "
                    "to stay as it is", str(line))
        if id(p) in self.chosen:
            return (self.chosen[id(p)], f"argmax() has no gradient: {why_not('argmax')}",
                    instead_of("argmax"), str(self.chosen[id(p)]))
        called = self.called.get(id(part))
        lost = None if called is None else unused_call(called.where)
        if lost is not None and called is not None:
            text = ast.unparse(lost)
            return (called.where, f"`{text}` stands by itself: nothing uses what it returns, and "
                    "a layer does not change what it is given",
                    f"keep the result: `x = {text}`", str(called.where))
        unrecorded = next((c for c in known.values() if c.kind == "checkpoint"), None)
        if unrecorded is not None:               # another turn of the same loop over parts
            return (unrecorded.place or where, f"{unrecorded.what}: the way back ends there",
                    unrecorded.cure, str(unrecorded.place))
        if where is not None and (unused := unused_variable(where)):
            self.doctor.explained.add(id(p))
            return (where, f"`{unused}`, which the network gives here, goes into no loss: nothing "
                    "reads it", f"compute the loss from `{unused}`", str(where))
        return (where, "no loss that backward() was called on was computed from it",
                "let the loss depend on it, or remove it; requires_grad_(False) if it is "
                "meant to stay as it is", str(where))

    def is_of_wrong_network(self, p: Tensor) -> bool:
        """Whether the optimizer of a parameter was given no parameter at all that got a gradient.

        If others got gradients and are in no optimizer, the optimizer was given the wrong ones.
        """
        made = self.given[id(p)][1] if id(p) in self.given else None
        cut = id(p) in self.doctor.taken                 # by detach() and the like
        return id(p) in self.optimized and not cut and not any(
            where is made and key in self.reached for key, (_, where) in self.given.items()) and (
            not self.reached.keys() <= self.given.keys())

    def is_of_others(self, cut: Break, taken: dict) -> bool:
        """Whether a cut that was found in the source has run, but cut off other tensors only."""
        line = str(cut.place)
        return cut.kind in ("detach", "data") and line not in taken and any(
            line in lines for lines in self.doctor.taken.values())

    def with_others(self, made: Place) -> bool:
        """Whether other parameters of the optimizer that was made there got gradients."""
        return any(where is made and key in self.reached for key, (_, where) in self.given.items())

    def without_one(self, named: list) -> list[tuple[str, Tensor]]:
        """Parameters of a network that got gradients and are in no optimizer, while others are."""
        known = any(id(p) in self.optimized for _, p in named)
        stepped = self.optimized if self.running is None else {*self.optimized, *self.given}
        return [(n, p) for n, p in named if known and id(p) in self.reached
                and id(p) not in stepped]        # an optimizer may not have come to its first step

    def outside_of_networks(self) -> None:
        """Layers that a Module calls but does not register: in a list, or made in forward()."""
        known = {id(m) for module, _ in self.roots.values() for m in module.modules()}
        lines: dict[tuple, list[Called]] = {}    # by the line that makes new ones, or by the list
        for called in self.called.values():
            left = [p for p in called.module.parameters(recurse=False)
                    if id(p) in self.reached and id(p) not in self.optimized]
            if id(called.module) not in known and left and self.optimized:
                said = self.in_a_container(called.module)
                line = str(called.where) if said is UNKNOWN_TO_THE_NETWORK else ""
                lines.setdefault((line, said), []).append(called)
        for (_, said), several in lines.items():
            kinds = {str(called.module) for called in several}
            anew = len(kinds) < len(several) and all(called.times == 1 for called in several)
            names = " and ".join(sorted(kinds)) if len(kinds) == 1 else " and ".join(
                sorted({f"`{type(called.module).__name__}`" for called in several})[:4])
            self.find(several[0].where, "not-in-optimizer",
                      f"the layer {names} got gradients but no optimizer changes it"
                      if len(several) == 1 else
                      f"{len(several)} layers, {names}, got gradients but no optimizer changes "
                      "them",
                      *(MADE_ANEW if anew else said))

    def in_a_container(self, layer: Module) -> tuple[str, str]:
        """What to say of a layer that is registered nowhere: which plain list it is in."""
        for called in self.called.values():
            for name, value in vars(called.module).items():
                parts = several_in(value) if name != "_modules" else ()
                if any(m is layer for p in parts if isinstance(p, Module) for m in p.modules()):
                    kind = "Dict" if isinstance(value, dict) else "List"
                    return UNKNOWN_TO_THE_NETWORK[0], f"`self.{name} = nn.Module{kind}(...)` " \
                        f"in __init__() of {type(called.module).__name__}"
                elif hasattr(value, "__dict__") and not isinstance(value, (Module, type)) and any(
                        m is layer for m in vars(value).values()):
                    kind = type(value).__name__
                    return (f"it is an attribute of `{name}`, and {kind} is no nn.Module: "
                            "parameters() does not find it", f"`class {kind}(nn.Module):`, with "
                            "super().__init__() in its __init__(), and forward() instead of "
                            "__call__()")
        return UNKNOWN_TO_THE_NETWORK

    def strays(self) -> None:
        """Parameters that belong to nobody: made in forward(), or in a plain list."""
        lines: dict[str, list[Stray]] = {}
        for seen in self.stray.values():
            unchanged = reading.fingerprint(seen.leaf._data) == seen.before      # nor by hand
            if self.optimized and id(seen.leaf) not in self.optimized and unchanged:
                lines.setdefault(str(seen.where), []).append(seen)
        for several in lines.values():
            anew = len(several) > 2 and all(seen.times == 1 for seen in several)
            plain = several[0].attribute
            if plain and max(seen.times for seen in several) < PASSES:
                continue                         # an input that a Module remembers
            name = several[0].name
            if name and anew and not plain:
                self.find(set_in_a_loop(several[0].where, name) or several[0].where,
                          "not-in-optimizer", f"`{name}` is another Parameter in every iteration, "
                          f"{len(several)} by now, and no optimizer changes it", "the optimizer "
                          "keeps the one that it was given, and nothing is computed from that any "
                          "more", f"change the numbers of the same Parameter: `with "
                          f"torch.no_grad(): {name}.copy_(...)`", f"new tensor: {name}")
                continue
            made = computed_parameter(several[0].where)
            if made is not None:
                self.find(several[0].where, "not-in-optimizer", *made)
                continue
            if name and len(several) == 1:
                self.find(several[0].where, "not-in-optimizer", *self.lone_one(name))
                continue
            attributes = [f"self.{name}" for name in {s.attribute: 0 for s in several} if name]
            listed_all = len(attributes) == len(several)     # else some are parts of a list
            what = "tensor" if plain else "Parameter"
            known = listed(attributes) if listed_all else f"a {what}"
            count = known if listed_all or len(several) == 1 else f"{len(several)} {what}s"
            kind = "Parameter" if listed_all else "ParameterList"
            self.find(several[0].where, "not-in-optimizer", f"{count} got gradients but no "
                      f"optimizer changes {'it' if len(several) == 1 else 'them'}",
                      *((NO_PARAMETER, " and ".join(f"`{name} = nn.{kind}(...)`"
                                                    for name in attributes) + " in __init__()")
                        if plain else
                        PARAMETERS_MADE_ANEW if anew else UNKNOWN_PARAMETERS))

    def made_in_forward(self) -> None:
        """Tensors that require grad, made again in each call of forward()."""
        for line, times in self.made.values():
            if self.optimized and times >= PASSES:
                self.find(line, "not-in-optimizer", f"{times} tensors got gradients but no "
                          "optimizer changes them", "a new tensor is made at each call: it is "
                          "thrown away with its gradient, and nothing is learned",
                          "make it in __init__(), as a parameter: `self.x = nn.Parameter(...)`; or "
                          "leave out requires_grad=True if it is only noise", str(line))

    def plain_tensors(self) -> None:
        """Variables whose gradients are never read, and which no optimizer was given."""
        for seen in self.plain.values():
            leaf, source = seen.leaf(), S.read(seen.where.file) if seen.where else None
            if (self.optimized and leaf is not None and seen.name.isidentifier()
                    and self.doctor.explained.isdisjoint(self.optimized)
                    and source is not None and not READS_GRAD.search(ast.unparse(source.tree))
                    and id(leaf) not in self.doctor.given
                    and reading.fingerprint(leaf._data) == seen.before):
                self.find(seen.where, "not-in-optimizer", *self.lone_one(seen.name))

    @staticmethod
    def lone_one(name: str) -> tuple[str, str, str]:
        """What to say of a variable that gets gradients, and is in no network and no optimizer."""
        return (f"`{name}` got gradients but no optimizer changes it",
                f"an optimizer changes only the parameters it was given, and `{name}` belongs to "
                "no Module", f"give it to an optimizer too: `[*net.parameters(), {name}]`")

    def without_optimizer(self, where, named) -> None:
        left = dict(self.without_one(named))
        if not left:
            return
        own = self.of_networks()
        stale = sum(key not in own and key not in self.reached for key in self.optimized)
        lines = {late for p in left.values() if (late := self.late.get(id(p))) is not None}
        late = lines.pop() if len(lines) == 1 else None
        line = place(*late) if late is not None else None
        if line is not None and line.function == "forward":
            self.find(line, "not-in-optimizer", f"{listed(list(left))} got gradients but no "
                      "optimizer changes them", *(
                          MADE_BY_THE_FIRST_CALL if self.replacing[late] == 1 else
                          DRAWN_IN_FORWARD if DRAWN.search(line.text) else REPLACED_IN_FORWARD))
            return
        self.find(line or where, "not-in-optimizer", f"{listed(list(left))} got gradients but no "
                  "optimizer changes them",
                  f"the optimizer has {counted(stale, 'parameter')} that no network uses any more: "
                  "the network was changed after the optimizer was made" if stale else
                  "they were put into the network after the optimizer was made, which changes only "
                  "the parameters it was given" if line else
                  "an optimizer changes only the parameters it was given, and other parameters of "
                  "the same network were given",
                  "make the optimizer after the last change to the network" if stale or line else
                  "give the optimizer all of model.parameters(), and what is unfrozen later by "
                  "add_param_group(); or freeze these with requires_grad_(False)")


def dropped_by(node: Node) -> tuple[Place | None, str, str, str]:
    """What to say of a parameter that a Function gave no gradient: see Parameters.reason()."""
    function = reading.operator_name(node)
    line = line_of_backward(node._forward_cls)           # type: ignore[attr-defined]
    return (reading.place_of(node), f"backward() of the Function {function} gave None for it, or "
            "for what is computed from it" + (f", at {line}" if line else ""),
            f"return a gradient from {function}.backward() for each argument of forward(), in the "
            "same order", "")


def computed_parameter(where: Place | None) -> tuple[str, str, str] | None:
    """What to say of `self.w = nn.Parameter(...).to(device)`, which keeps a computed tensor."""
    source = None if where is None else S.read(where.file)
    line = None if source is None or where is None else S.statement_at(source, where)
    value = getattr(line, "value", None)
    targets = [ast.unparse(t) for t in S.targets(line)] if line is not None else []
    inner = next((n for n in ast.walk(value) if isinstance(n, ast.Call) and n is not value
                  and called_name(n) == "Parameter" and n.args), None) if value else None
    if inner is None or value is None or len(targets) != 1:
        return None
    whole, made, first = ast.unparse(value), ast.unparse(inner), S.bracketed(inner.args[0])
    return (f"`{targets[0]}` is computed from a Parameter, and no optimizer changes that one",
            "only what nn.Parameter() itself returns is a parameter: a method called on it, or an "
            "operation, gives another tensor, which parameters() does not find",
            f"make the Parameter last: `{targets[0]} = "
            f"{ast.unparse(inner.func)}({whole.replace(made, first)})`")


def several_in(value: Any) -> Iterable[Any]:
    """What is in a list or a dict; nothing for other values."""
    return value.values() if isinstance(value, dict) else value if isinstance(
        value, (list, tuple)) else ()


CHECKS = (Parameters,)
