"""Checks of copies that were never made: a second name for the same network or the same memory."""

from __future__ import annotations

import ast
import re
import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from ..nn.modules.sparse import Embedding
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from . import breaks, reading
from . import source as S
from .check import Check, Pass, only
from .checks_settings import OfPasses
from .checks_training import parameters_of
from .cuts import unrecorded
from .names import Names
from .places import Place, place, user_frames
from .programs import Env, assigned, called_name, env_of

SECOND_NAME = "this gives the network a second name: Python copies nothing, so both are trained"


class SameState(Check):
    """load_state_dict() of a state_dict() that is the network's own, or was when it was taken."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.steps = 0
        self.taken: deque[tuple[dict, int, Place]] = deque(maxlen=20)    # with the steps until then
        self.loads: dict[str, int] = {}          # how often it was loaded, by the line of the state

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.steps += 1

    def on_state(self, state: dict, where: Place) -> None:
        self.taken.append((state, self.steps, where))

    def on_load(self, module: Module, state: Any, strict: bool, where: Place) -> None:
        for known, steps, made in self.taken:
            own = {id(p._cell) for p in module.parameters()}
            if not is_made_of(state, known) or not self.steps or not any(
                    isinstance(t, Tensor) and id(t._cell) in own for t in state.values()):
                continue
            times = len({n for _, n, line in self.taken if line == made})
            self.loads[str(made)] = self.loads.get(str(made), 0) + 1
            if steps == self.steps and times <= self.loads[str(made)]:
                self.same_network(where, made)
            else:
                self.find(made, "same-state", f"what is kept here is loaded again at {where}: it "
                          "holds the same numbers as the network", "state_dict() gives the "
                          "parameters themselves, no copy of them: " + (
                              "they were trained since" if steps != self.steps else
                              "what was kept goes along with each step, and only in this run the "
                              "last one was the best"),
                          f"keep a copy: `copy.deepcopy({made.expression})`")

    def same_network(self, where: Place, made: Place) -> None:
        """For `target.load_state_dict(net.state_dict())` of one network with two names."""
        copy, _, _ = where.expression.partition(".load_state_dict(")
        original, _, _ = made.expression.rpartition("(")[0].rpartition(".state_dict")
        if copy == original:
            return
        env = env_of(user_frames()[0])
        line = None if env is None else assigned(env, copy)
        tell_once(self, line or where, copy, original, SECOND_NAME if line is not None else
                  "load_state_dict() gives it its own numbers: it was never a copy")


def is_made_of(state: Any, known: dict) -> bool:
    """Whether a state is this one, or another dict of its tensors: `{k: v for k, v in ...}`."""
    return state is known or bool(state) and all(known.get(k) is v for k, v in state.items())


class LoadedNothing(Check):
    """load_state_dict(state, strict=False) where no key of the state is one of the network."""

    def on_load(self, module: Module, state: Any, strict: bool, where: Place) -> None:
        own, given = list(module.state_dict()), list(state)
        if strict or not own or not given or not set(own).isdisjoint(given):
            return
        told = f"the network asks for `{own[0]}` and others, and is given `{given[0]}` and others"
        cure = ("compare `list(state)` with `list(net.state_dict())`; a checkpoint may hold the "
                "state as one of its entries")
        if prefix := in_front_of_all(given, own):
            told = f"the keys of what is loaded begin with `{prefix}`, those of the network do not"
            cure = f"take it off: `{{k.removeprefix({prefix!r}): v for k, v in state.items()}}`"
        elif prefix := in_front_of_all(own, given):
            told = f"the keys of the network begin with `{prefix}`, those of what is loaded do not"
            cure = f"put it in front: `{{{prefix!r} + k: v for k, v in state.items()}}`"
        self.find(where, "loaded-nothing", "load_state_dict() has loaded nothing: no key of what "
                  "it was given is one of the network", "strict=False leaves out what does not "
                  f"fit; {told}", cure, str(where))


class PutIntoState(OfPasses):
    """`net.state_dict()[key] = average`: an entry of a dict that is made anew by each call."""

    def read(self, source: S.Source) -> None:
        own = {name for name, _ in source.functions}     # a state_dict() of the program's
        for node in source.nodes if "state_dict" not in own else ():
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            held = target.value if isinstance(target, ast.Subscript) else None
            if isinstance(held, ast.Name):
                held = only_filled(held, node)
            if isinstance(held, ast.Call) and called_name(held) == "state_dict" and isinstance(
                    held.func, ast.Attribute) and not held.args:
                net, value = ast.unparse(held.func.value), ast.unparse(target.slice)     # type: ignore[union-attr]
                self.find(source.place(node), "loaded-nothing", "this sets an entry of a dict that "
                          f"nothing reads: `{net}` keeps the numbers that it has",
                          "each call of state_dict() makes a new dict; its tensors are those of "
                          "the network, but to give a key another tensor changes the dict alone",
                          f"fill the dict and load it, `{net}.load_state_dict(state)`; or write "
                          f"into the tensor, `{net}.state_dict()[{value}].copy_(...)`")


def only_filled(name: ast.Name, line: ast.AST) -> ast.expr | None:
    """What made a dict of a function that sets its entries, and uses it for nothing else."""
    scope = next((n for n in S.around(line) if isinstance(n, S.Scope)), None)
    made = S.assignments(scope, name.id) if isinstance(scope, S.Function) else []
    uses = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name.id and
            isinstance(n.ctx, ast.Load)] if scope is not None and len(made) == 1 else []
    for use in uses:
        outer: Any = use.parent                  # type: ignore[attr-defined]
        asked = isinstance(outer, ast.Attribute) and outer.attr in ("keys", "items")
        if not (asked or isinstance(outer, ast.Subscript) or isinstance(outer, ast.For)
                and outer.iter is use):
            return None
    return getattr(made[0], "value", None) if uses else None


def in_front_of_all(longer: list[str], shorter: list[str]) -> str:
    """What stands in front of all keys of the one, which the other has without it; or ""."""
    prefix = next((k.removesuffix(s) for k in longer[:1] for s in shorter if k.endswith("." + s)),
                  "")
    return prefix if prefix and all(k.startswith(prefix) for k in longer) else ""


COPIES = re.compile(r"(^|_)(target|targ|tgt|teacher|ema|momentum|old|prev|previous|best|backup|"
                    r"copy|copied|clone|cloned|frozen|snapshot|shadow|ref|reference)(_|\d|$)",
                    re.IGNORECASE)
USES = {"parameters", "named_parameters", "state_dict", "load_state_dict", "eval"}
UPDATES = re.compile(r"update|copy|sync|soft|hard|polyak|average|ema", re.IGNORECASE)
FIRST, EVERY = 3, 10     # names are looked up in the first steps, then in every tenth


class SameNetwork(Check):
    """`target = net` where a copy was meant: trained together with `net`, but used as if frozen."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.steps = 0

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.steps += 1
        if self.steps % EVERY != FIRST:
            return
        env = env_of(user_frames()[0])
        trained = {id(p) for p in parameters_of(optimizer)}
        for node, copy, original in second_names(env) if env is not None else ():
            network, first = (breaks.Search().value(x, env) for x in (copy, original))
            if not isinstance(network, Module) and (
                    holder := holder_of(node, copy, env)) is not None:
                network = first = getattr(holder, copy.attr, None)
            if (isinstance(network, Module) and network is first
                    and any(id(p) in trained for p in network.parameters())):
                tell_once(self, env.source.place(node),                  # type: ignore[union-attr]
                          ast.unparse(copy), ast.unparse(original), SECOND_NAME)


def holder_of(node: ast.stmt, target: ast.expr, env: Env) -> Any:
    """The object whose __init__() has run `self.shadow = net`, where a variable holds one."""
    made_by = next((outer for outer in S.around(node) if isinstance(outer, ast.ClassDef)), None)
    if made_by is None or not isinstance(target, ast.Attribute) or S.dotted(
            target.value) != "self":
        return None
    return next((v for v in env.values.values() if type(v).__name__ == made_by.name), None)


def second_names(env: Env) -> Iterator[tuple[ast.stmt, ast.expr, ast.expr]]:
    """The lines `target = net` of a file, by names that speak of a copy and are used as one."""
    found = getattr(env.source, "second_names", None)
    if found is None:
        nodes = list(env.source.nodes)
        used = {text for n in nodes for text in used_as_copies(n, env)}
        found = [(n, target, n.value) for n in nodes if isinstance(n, ast.Assign)
                 and isinstance(n.value, (ast.Name, ast.Attribute)) for target in S.targets(n)
                 if ast.unparse(target) in used
                 and COPIES.search(ast.unparse(target).rpartition(".")[2])]
        env.source.second_names = found
    yield from found


def used_as_copies(node: ast.AST, env: Env) -> Iterator[str]:
    """The names that an expression uses like copies: for their parameters or detached results."""
    if isinstance(node, ast.Attribute) and node.attr in USES:
        yield ast.unparse(node.value)
    elif isinstance(node, ast.Call):
        if UPDATES.search(called_name(node)):
            yield from map(ast.unparse, node.args)
        if ".detach(" in ast.unparse(S.statement(node)) or unrecorded(node, env):
            yield ast.unparse(node.func)


def tell_once(check: Check, where: Place, copy: str, original: str, why: str) -> None:
    """The finding that two names mean one network."""
    known = check.doctor.report.findings
    if not any(f.kind == "same-network" and (f.line, f.text) == (where.line, where.text)
               for f in known):
        check.find(where, "same-network", f"`{copy}` is the same network as `{original}`", why,
                   f"make a copy: `{copy} = copy.deepcopy({original})`")


class SharedMemory(Check):
    """`p.data = q.data`: the parameters of two networks in the same memory, one of them trained."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.networks: dict[int, tuple[Module, Place]] = {}
        self.lines: dict[int, tuple] = {}        # parameter -> the line that put it where it is
        self.loaded: dict[int, Place] = {}       # network -> the line of load_state_dict()
        self.trained: set[int] = set()

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is not None:
            self.networks.setdefault(id(module), (module, where))

    def on_new_memory(self, t: Tensor, value: Tensor, line: tuple) -> None:
        if isinstance(t, Parameter):
            self.lines[id(t)] = line

    def on_part(self, module: Module, name: str, part: Parameter | Module,
                line: tuple) -> None:
        if isinstance(part, Parameter):
            self.lines[id(part)] = line

    def on_load(self, module: Module, state: Any, strict: bool, where: Place) -> None:
        self.loaded[id(module)] = where

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.trained |= {id(p) for p in parameters_of(optimizer) if p._grad is not None}

    def at_end(self) -> None:
        owners: dict[tuple, tuple[Module, str, Tensor]] = {}
        shared: dict[tuple[int, int], tuple] = {}        # by the networks: names, and a parameter
        for module, _ in self.networks.values():
            for name, p in module.named_parameters():
                if type(p._data) is not np.ndarray or not p._data.size:
                    continue
                key = p._data.ctypes.data, p._data.size
                other, first, q = owners.setdefault(key, (module, name, p))
                trained = [id(t) in self.trained for t in (p, q)]
                pair = (module, name, p), (other, first, q)
                if p is not q and all(trained):
                    self.tied_by_data(module, name, p, other, first)
                if other is not module and any(trained) and (
                        self.is_copy(module) != self.is_copy(other) if p is q else
                        not all(trained)):
                    swap = self.is_copy(other) if p is q else trained[0]
                    shared.setdefault((id(module), id(other)), pair[::-1] if swap else pair)
        for standing, trained in shared.values():
            self.tell(*standing, *trained)

    def tied_by_data(self, module: Module, name: str, p: Tensor, other: Module, first: str) -> None:
        line = self.lines.get(id(p))
        if line is not None:
            second, original = self.doctor.named(module, name), self.doctor.named(other, first)
            alike = p._data.shape == dict(other.named_parameters())[first]._data.shape
            self.find(place(*line), "same-memory", f"`{second}` lies in the same memory as "
                      f"`{original}`, and an optimizer changes both", "`.data =` shares the "
                      "numbers, not the Parameter: each has a gradient of its own, and each step "
                      "changes the same numbers twice", f"share the Parameter: `{second} = "
                      f"{original}`" if alike else "one Parameter for both, of which the second "
                      f"layer computes with the transpose: `F.linear(x, {original}.t())`")

    def is_copy(self, module: Module) -> bool:
        """Whether a network's name speaks of a copy."""
        return COPIES.search(self.doctor.networks.get(id(module), "")) is not None

    def tell(self, network: Module, path: str, p: Tensor, other: Module, first: str,
             trained: Tensor) -> None:
        name, original = self.doctor.named(network, path), self.doctor.named(other, first)
        line = self.lines.get(id(p)) or self.lines.get(id(trained))
        self.find(place(*line) if line else self.loaded.get(id(network),
                                                            self.networks[id(network)][1]),
                  "same-network", f"`{name}` lies in the same memory as `{original}`, which an "
                  "optimizer changes", "copy.copy(), giving a parameter to another network, "
                  "setting .data and load_state_dict(assign=True) copy no numbers: what should "
                  "stand still is trained as well", "copy.deepcopy() makes a copy; to copy the "
                  f"numbers: `{self.doctor.named(network, '') or 'target'}.load_state_dict("
                  f"{self.doctor.named(other, '') or 'net'}.state_dict())`, or "
                  "`p.data.copy_(q.data)`")


Holder = tuple[weakref.ref, str]         # a Module, and what it calls the Parameter


@dataclass
class Broken:
    """A line that put something else in the place of a Parameter which two Modules held."""

    line: tuple
    old: weakref.ref                 # the Parameter
    new: weakref.ref                 # the one in its place
    other: Holder                    # who has the old one still


class Untied(Check):
    """`lm_head.weight = wte.weight`, and later another `wte`, or `wte.weight`, of the same shape.

    A new head is left alone: a network may be given one for something else.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.holders: dict[int, tuple[weakref.ref, list[Holder]]] = {}   # by Parameter
        self.broken: list[Broken] = []
        self.reached: set[int] = set()

    def on_part(self, module: Module, name: str, part: Parameter | Module,
                line: tuple) -> None:
        old: Any = module._parameters.get(name, module._modules.get(name))
        if isinstance(part, Parameter):
            self.replaced(old, part, module, line)
            ref, holders = self.holders.get(id(part), (None, []))
            if ref is None or ref() is not part:
                ref, holders = self.holders[id(part)] = weakref.ref(part), []
            holders.append((weakref.ref(module), name))
        elif isinstance(part, Embedding) and isinstance(old, Embedding):
            self.replaced(old.weight, part.weight, old, line)

    def replaced(self, old: Any, new: Parameter, owner: Module, line: tuple) -> None:
        if not isinstance(old, Parameter) or old._data.shape != new._data.shape or (
                np.array_equal(old._data, new._data)):       # untied by a copy: on purpose
            return
        for other in self.holders.get(id(old), (None, []))[1]:
            if other[0]() not in (None, owner):
                self.broken.append(Broken(line, weakref.ref(old), weakref.ref(new), other))

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        self.reached.add(id(leaf))

    def at_end(self) -> None:
        for broken in self.broken:
            old, new, holder = broken.old(), broken.new(), broken.other[0]()
            now = None if holder is None else holder._parameters.get(broken.other[1])
            trained = {id(now), id(new)} <= self.reached & self.doctor.given
            if trained and holder is not None and new is not None is not now is not new and (
                    now is old or old is None):
                kind, name = type(holder).__name__, broken.other[1]
                has = "the old one still" if now is old else "another one by now, too"
                self.find(place(*broken.line), "untied", "what this replaces shared a Parameter "
                          f"with a {kind}, which has {has}", "two Modules had the same "
                          f"Parameter, as `.{name}` of the {kind}; since this line they are "
                          "trained apart", f"share it again: `(the {kind}).{name} = ...`, after "
                          "this line")


class MinusItself(Check):
    """`p - old[name]`, where `old` should hold earlier values but holds the parameters."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.steps = 0
        self.aliases: dict[tuple[int, int], tuple[weakref.ref, int]] = {}

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.steps += 1

    @only("SubBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        a, b = variables.get("input"), variables.get("other")
        if not isinstance(a, Tensor) or not isinstance(b, Tensor) or (
                a._data.shape != b._data.shape or not a._data.size):
            return
        where = reading.place_of(node)
        if a is b and is_written_so(where):
            if a.grad_fn is not None:            # of a leaf it can be a way to write zeros
                self.find(where, "same-tensor", "a tensor is subtracted from itself here: the "
                          "result is always 0, and so is its gradient", "what goes back through "
                          "the one side comes back through the other with the opposite sign",
                          "if one of them shall stand for the earlier value, `.detach()` that one")
        elif a is b or self.is_alias(a, b) or self.is_alias(b, a):
            name = Names(user_frames()).of(a if a.requires_grad else b)
            thing = f"`{name}`" if name else "a tensor"
            self.find(where, "same-tensor", f"{thing} is subtracted from itself here: the result "
                      "is always 0", "what should hold its earlier numbers holds the tensor "
                      "itself, or is in the same memory: it changes with every step",
                      "keep a copy of the numbers, `p.detach().clone()` for each parameter, or "
                      "copy.deepcopy(net.state_dict())")

    def is_alias(self, leaf: Tensor, other: Tensor) -> bool:
        """Whether `other` has been in the memory of a parameter since before a step."""
        if other.requires_grad or not self.doctor.is_trained(leaf) or (
                leaf._data.ctypes.data != other._data.ctypes.data):
            return False
        ref, steps = self.aliases.setdefault((id(leaf), id(other)),
                                             (weakref.ref(other), self.steps))
        return ref() is other and steps < self.steps


class SecondName(Check):
    """`noisy = x; noisy += noise`, which changes `x` as well, and `x` is used after it."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: set[str] = set()

    def before_pass(self, task: Pass) -> None:
        if str(task.where) in self.lines:
            return
        self.lines.add(str(task.where))
        env = env_of(user_frames()[0])
        for line, alias in changed_by_second_names(env) if env is not None else ():
            t, other = env.values.get(alias.first), env.values.get(alias.second)
            if isinstance(t, Tensor) and isinstance(other, Tensor) and shares(t, other) and (
                    not t.requires_grad or alias.compared and not self.doctor.is_trained(t)) and (
                    alias.compared or not alias.method):
                second, first = alias.second, alias.first
                self.find(env.source.place(line), "same-tensor",         # type: ignore[union-attr]
                          f"this changes `{first}` as well, which is used later",
                          f"`{second} = {first}{alias.method}` "
                          + ("gives the numbers without their history, in the same memory: "
                             "detach() copies nothing" if alias.method else
                             "gives the same tensor a second name: Python copies nothing"),
                          f"begin with a copy, `{second} = {first}{alias.method}.clone()`, or make "
                          f"a new tensor: `{second} = {second} + ...`")


class SameSample(Check):
    """A dataset that refills one tensor for every sample, so that a batch repeats the last one."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.filled: dict[int, tuple] = {}       # by the dataset: a print of what is shared

    def on_samples(self, dataset: Any, samples: Any) -> None:
        first, *others = samples if isinstance(samples, list) else [None]
        if not others or not (parts := arrays_of(first)):
            return
        shared = [k for k, a in enumerate(parts) if a.size > 1 and is_whole(a) and all(
            len(o) == len(parts) and o[k].ctypes.data == a.ctypes.data for o in map(
                arrays_of, reversed(others)))]
        if not shared:
            return
        print_ = shared[0], parts[shared[0]].ctypes.data, reading.fingerprint(parts[shared[0]])
        known = self.filled.setdefault(id(dataset), print_)
        if known[:2] == print_[:2] and known[2] != print_[2]:
            self.filled[id(dataset)] = print_
            code = getattr(type(dataset).__getitem__, "__code__", None)
            source = None if code is None else S.read(code.co_filename)
            lines = [n for n in ast.walk(source.scope(code)) if isinstance(n, ast.Return)
                     ] if source is not None and code is not None else []
            self.find(source.place(lines[-1]) if lines and source is not None else None,
                      "same-tensor", f"all {len(samples)} samples of a batch are one tensor, which "
                      "the dataset fills anew for each",
                      "a batch is put together after all its samples were read: each row shows "
                      "the last of them, beside the labels of others",
                      "return a copy, `.clone()` of a tensor or `.copy()` of an array, or make a "
                      "new one in __getitem__()")


def is_whole(a: np.ndarray) -> bool:
    """Whether an array owns its memory, unlike a row of a larger one, which may be drawn twice."""
    return not isinstance(a.base, np.ndarray) or a.base.size == a.size


def arrays_of(sample: Any) -> list[np.ndarray]:
    """The arrays of a sample, of its tensors too, in order."""
    several = list(sample.values()) if isinstance(sample, dict) else sample if isinstance(
        sample, (tuple, list)) else [sample]
    found = [reading.array_of(t) for t in several]
    return [a for a in found if type(a) is np.ndarray]


def shares(t: Tensor, other: Tensor) -> bool:
    """Whether two tensors are the same numbers in memory."""
    return t is other or type(t._data) is type(other._data) is np.ndarray and (
        t._data.shape == other._data.shape and t._data.ctypes.data == other._data.ctypes.data)


@dataclass
class Alias:
    """A variable that was set to another, or to that one's detach()."""

    second: str
    first: str
    method: str                      # ".detach()" or ""
    compared: bool = False           # after a change both are in one expression


def shared_name(value: ast.expr) -> tuple[str, str]:
    """("x", ".detach()") for `x.detach()`, ("x", "") for `x`, ("", "") for other expressions."""
    if isinstance(value, ast.Call) and called_name(value) == "detach" and isinstance(
            value.func, ast.Attribute) and isinstance(value.func.value, ast.Name):
        return value.func.value.id, ".detach()"
    return (value.id, "") if isinstance(value, ast.Name) else ("", "")


def changed_in_place(node: ast.AST) -> str:
    """The variable whose tensor a statement changes: `a += 1`, `a.add_(1)`; "" if it does not."""
    if isinstance(node, ast.AugAssign):
        return ast.unparse(node.target)
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and (
            call.func.attr.endswith("_")) and call.func.attr not in OF_HISTORY:
        changed = changed_in_place(ast.Expr(call.func.value))        # a.sub_(1).div_(2)
        return changed or ast.unparse(call.func.value)
    return ""


OF_HISTORY = ("requires_grad_", "detach_")


def changed_by_second_names(env: Env) -> Iterator[tuple[ast.stmt, Alias]]:
    """Lines that change `a` in place after `a = b`, and before a use of `b`."""
    nodes = [n for n in S.inside(env.scope) if hasattr(n, "lineno")]
    changes = [(n, name) for n in nodes if (name := changed_in_place(n))]
    for node in nodes if changes else ():
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        second, (first, method) = node.targets[0].id, shared_name(node.value)
        if not first or first == second:
            continue
        others = [n for name in (second, first) for n in S.assignments(env.scope, name)
                  if not isinstance(n, ast.AugAssign)
                  and shared_name(getattr(n, "value", node))[0] != second]
        for line, name in changes:
            if name == second and line.lineno > node.lineno and not any(
                    node.lineno < n.lineno < line.lineno for n in others):
                later = [n for n in nodes if isinstance(n, ast.Name) and n.id == first
                         and isinstance(n.ctx, ast.Load) and n.lineno > line.lineno]
                compared = any(second in S.names_in(S.statement(n)) for n in later)
                if later:
                    yield line, Alias(second, first, method, compared)   # type: ignore[misc]


def is_written_so(where: Place | None) -> bool:
    """Whether a line says `x - x`."""
    source = None if where is None else S.read(where.file)
    statement = None if source is None or where is None else S.statement_at(source, where)
    return statement is not None and any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub)
        and ast.unparse(n.left) == ast.unparse(n.right) for n in ast.walk(statement))


CHECKS = (SameState, LoadedNothing, SameNetwork, SharedMemory, Untied, MinusItself, SecondName,
          SameSample, PutIntoState)
