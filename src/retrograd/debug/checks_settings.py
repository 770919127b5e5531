"""Checks of lines without the effect they seem to have: attributes nobody reads, rebound names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..nn.modules.container import ModuleList, Sequential
from ..nn.modules.dropout import _DropoutNd
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_training import PASSES, parameters_of
from .cuts import in_place_text
from .names import Names
from .places import Place, is_our_class, place, user_frames
from .programs import called_name, part_for, shown, trainable
from .words import listed

FREEZING = {"requires_grad", "requires_grad_", "require_grad", "requires_gradient",
            "require_gradient", "required_grad", "requires_grads"}
RATE = {"lr", "learning_rate"}
RATES = {"learning_rate", "LR", "Lr", "rate", "learnrate", "lrate"}     # that param_groups lack


class NoSuchSetting(Check):
    """Attributes that nobody reads: p.require_grad, net.requires_grad, optimizer.lr."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.networks: dict[int, Module] = {}
        self.optimizers: dict[int, Optimizer] = {}
        self.rates: dict[int, Any] = {}          # that they were made with
        self.keys: dict[int, set[str]] = {}      # of their parameter groups then
        self.files: dict[str, None] = {}

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is not None:
            self.networks[id(module)] = module
            self.files[where.file] = None

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.optimizers[id(optimizer)] = optimizer
        self.rates[id(optimizer)] = optimizer.defaults.get("lr")
        self.keys[id(optimizer)] = {key for group in optimizer.param_groups for key in group}
        self.files[where.file] = None

    def at_end(self) -> None:
        for network in self.networks.values():
            for part in network.modules():
                if any(p.requires_grad for p in part.parameters()):
                    self.freezing(part, "a Module", FREEZING)
            for p in network.parameters():
                if p.requires_grad:
                    self.freezing(p, "a tensor", FREEZING - {"requires_grad"})
        for optimizer in self.optimizers.values():
            if optimizer.defaults.get("lr") is not self.rates[id(optimizer)]:
                where, owner = self.setting("defaults")
                self.find(where, "no-such-setting", "this changes what later parameter groups "
                          "begin with, and not the learning rate", "steps take their rate from "
                          f"param_groups; `{owner}.defaults` is read when a group is added",
                          f"`for group in {owner}.param_groups: group['lr'] = ...`, or a scheduler")
            now = {key for group in optimizer.param_groups for key in group}
            key = next(iter(RATES & now - self.keys[id(optimizer)]), None)
            if key is not None and is_ours(optimizer):
                self.find(self.entry_set(key), "no-such-setting", f"`{key}` is no setting of a "
                          "parameter group: this made one, and the learning rate stays as it was",
                          "steps take their rate from the entry `lr`", f"`group['lr']` in place "
                          f"of `group['{key}']`")
            name = next(iter(RATE & vars(optimizer).keys()), None)
            if name is not None and is_ours(optimizer):
                where, owner = self.setting(name)
                self.find(where, "no-such-setting", f"an Optimizer has no attribute `{name}`: this "
                          "made one, and the learning rate stays as it was", "steps take their "
                          "rate from param_groups", f"`for group in {owner}.param_groups: "
                          "group['lr'] = ...`, or a scheduler")

    def freezing(self, thing: Module | Tensor, kind: str, names: set[str]) -> None:
        name = next((n for n in names & vars(thing).keys() if vars(thing)[n] is False), None)
        if name is not None:
            does = f"`{name}` of {kind} is a method: this replaced it" if name.endswith("_") else \
                f"{kind} has no attribute `{name}`: this made one"
            where, owner = self.setting(name)
            self.find(where, "no-such-setting", f"{does}, and nothing is frozen",
                      "parameters require grad as before, get gradients and are trained",
                      f"`{owner}.requires_grad_(False)`")

    def entry_set(self, key: str) -> Place | None:
        """The line of the program that sets an entry of this name."""
        for source in filter(None, map(S.read, self.files)):
            for node in source.nodes:
                if any(isinstance(t, ast.Subscript) and isinstance(t.slice, ast.Constant)
                       and t.slice.value == key for t in S.targets(node)):
                    return source.place(node)
        return None

    def setting(self, name: str) -> tuple[Place | None, str]:
        """The line of the program that sets an attribute of this name, and of what."""
        for source in filter(None, map(S.read, self.files)):
            for node in source.nodes:
                for target in S.targets(node):
                    target = target.value if isinstance(target, ast.Subscript) else target
                    if isinstance(target, ast.Attribute) and target.attr == name:
                        return source.place(node), ast.unparse(target.value)
        return None, "net"


def is_ours(optimizer: Optimizer) -> bool:
    """Whether an optimizer is retrograd's; one of the program's own may keep its rate anywhere."""
    return is_our_class(type(optimizer))


METHODS = {"backward", "step", "zero_grad", "zero_", "eval", "train"}


class OfSource(Check):
    """A check that reads each file in which an optimizer is made, once."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.files: set[str] = set()

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        if where.file not in self.files:
            self.look_at(where.file)

    def look_at(self, file: str) -> None:
        self.files.add(file)
        source = S.read(file)
        if source is not None:
            self.read(source)

    def read(self, source: S.Source) -> None:
        """Find what is wrong in a file."""
        raise NotImplementedError


class OfPasses(OfSource):
    """A check that reads each file in which a network, or backward(), is called, too."""

    rests = True

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is not None and where.file not in self.files:
            self.look_at(where.file)

    def before_pass(self, task: Pass) -> None:
        if task.where.file not in self.files:
            self.look_at(task.where.file)


class NotCalled(OfPasses):
    """`optimizer.step` without parentheses: a statement that names a method and does nothing."""

    def read(self, source: S.Source) -> None:
        own = {name for (name, _), f in source.functions.items()
               if not any("property" in ast.unparse(d) for d in getattr(f, "decorator_list", ()))}
        for node in source.nodes:
            named = node.value if isinstance(node, ast.Expr) else None
            method = isinstance(named, ast.Attribute) and named.attr in METHODS | own
            if method or isinstance(named, ast.Name) and named.id in own:
                text = ast.unparse(named)
                self.find(source.place(node), "not-called",
                          f"`{text}` names a {'method' if method else 'function'} and does not call"
                          " it: this line does nothing",
                          "Python calls a function only where parentheses follow its name",
                          f"`{text}()`", f"not called: {text.rpartition('.')[2]}")


WALKS = {"parameters", "named_parameters", "modules", "named_modules", "children"}
ITERATORS = {"zip", "map", "filter", "iter", "enumerate", "reversed"}


class Exhausted(OfSource):
    """`for batch in loader` in every epoch, where `loader` can be gone through only once."""

    def read(self, source: S.Source) -> None:
        for loop in source.nodes:
            epochs = S.loop_of(loop) if isinstance(loop, (ast.For, ast.comprehension)) else None
            if epochs is None or any(isinstance(n, ast.Break) for n in ast.walk(loop)):
                continue
            scope = next(n for n in S.around(loop) if isinstance(n, S.Scope))
            names = gone_through(loop.iter)
            made = [S.assignments(scope, name) for name in names]
            if names and all(len(m) == 1 and not S.holds(epochs, m[0]) and is_iterator(
                    m[0], name, source) for m, name in zip(made, names, strict=True)):
                self.find(source.place(made[0][0]), "exhausted",     # type: ignore[union-attr]
                          f"`{names[0]}` can be gone through only once: from the second time on "
                          f"the loop `for ... in {shown(loop.iter)}` does nothing",
                          "a generator, zip() and the like give each element once, so all epochs "
                          "but the first are empty", "make it anew in each epoch, or make a list "
                          f"of it: `{names[0]} = list(...)`")


def gone_through(iterated: ast.expr) -> list[str]:
    """The variables that a loop goes through: `a` and `b` of enumerate(zip(a, b)).

    None where zip() is given anything but variables, such as a range that limits the loop.
    """
    if isinstance(iterated, ast.Name):
        return [iterated.id]
    known = isinstance(iterated, ast.Call) and called_name(iterated) in ("zip", "enumerate", "tqdm")
    parts = [gone_through(one) for one in iterated.args] if known else []
    return [name for part in parts for name in part] if all(parts) else []


def is_iterator(assign: ast.AST, variable: str, source: S.Source) -> bool:
    """Whether a statement sets a variable to a generator, zip() or the like."""
    value = getattr(assign, "value", None)
    value = value and part_for(assign, variable, value)
    name = value.func.id if isinstance(value, ast.Call) and isinstance(
        value.func, ast.Name) else ""
    walks = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and (
        value.func.attr in WALKS)
    return isinstance(value, ast.GeneratorExp) or walks or name in ITERATORS or any(
        isinstance(n, (ast.Yield, ast.YieldFrom)) for (own, _), f in source.functions.items()
        if own == name and is_endless(f) is False for n in S.inside(f))


def is_endless(function: ast.AST) -> bool:
    """Whether a generator goes on for ever: `while True`, or itertools.cycle() and count()."""
    return any(isinstance(n, ast.While) and getattr(n.test, "value", None) in (True, 1)
               or isinstance(n, ast.Call) and called_name(n) in ("cycle", "count")
               for n in S.inside(function))


class Rebound(OfPasses):
    """`for p in net.parameters(): p = p - lr * p.grad`, which changes no parameter."""

    def read(self, source: S.Source) -> None:
        for node in source.nodes:
            text = rebinding(node)
            if text:
                name = ast.unparse(node.targets[0])
                self.find(source.place(node), "step-without-effect", f"this makes a new tensor "
                          f"and calls it `{name}`: the parameter stays as it was", "the variable "
                          "of a loop is a name for the parameter; to set it gives the name to "
                          "something else", "change the parameter itself: `with torch.no_grad(): "
                          f"{text}`")


class HookGivesNothing(OfPasses):
    """`def hook(grad): grad = grad * 0.1`, which returns nothing and so changes nothing."""

    def read(self, source: S.Source) -> None:
        for call in source.nodes:
            hook = call.args[0] if isinstance(call, ast.Call) and called_name(call) in HOOKED and (
                call.args) else None
            name = getattr(hook, "attr", getattr(hook, "id", None))      # also of a method
            for f in source.functions.values() if name is not None else ():
                if getattr(f, "name", "") != name or returns_something(f):
                    continue
                lost = next((n for n in S.inside(f) if is_lost(n, f)), None)
                if lost is not None:
                    given = ast.unparse(lost.targets[0])                 # type: ignore[attr-defined]
                    self.find(source.place(lost), "hook-without-return", f"this gives `{given}` a "
                              f"new value inside of the hook `{name}`, and nothing uses it",
                              "a hook changes the gradient by what it returns: `None`, as here, "
                              "leaves it as it was", f"`return {ast.unparse(lost.value)}`")


HOOKED = {"register_hook", "register_full_backward_hook", "register_full_backward_pre_hook",
          "register_backward_hook"}


def returns_something(function: ast.AST) -> bool:
    """Whether a function has a `return` with a value."""
    return any(isinstance(n, ast.Return) and n.value is not None for n in S.inside(function))


def is_lost(node: ast.AST, function: ast.AST) -> bool:
    """Whether a statement computes a parameter's new value from its old one for nobody to read."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name = node.targets[0].id
    return name in S.parameter_names(function) and name in S.names_in(node.value) and (
        S.loop_of(node) is None) and not any(
            isinstance(n, ast.Name) and n.id == name
            and (n.lineno, n.col_offset) > (node.end_lineno, node.end_col_offset)
            for n in ast.walk(function))


class SameBatch(OfPasses):
    """`next(iter(loader))` in each iteration, of a loader that does not shuffle."""

    def read(self, source: S.Source) -> None:
        for node in source.nodes:
            if not (isinstance(node, ast.Call) and called_name(node) == "next" and node.args):
                continue
            inner = node.args[0]
            if isinstance(inner, ast.Call) and called_name(inner) == "iter" and inner.args and (
                    isinstance(inner.args[0], ast.Name)) and S.loop_of(node) is not None and (
                    in_order(source, inner.args[0])):
                name = inner.args[0].id
                self.find(source.place(node), "same-batch", f"this takes the first batch of "
                          f"`{name}` in each iteration", "iter() begins from the front each time, "
                          "and this loader gives the same order: all other batches are never seen",
                          f"`for batch in {name}:`, or `batches = iter({name})` before the loop "
                          "and `next(batches)` in it; shuffle=True mixes them")


def in_order(source: S.Source, name: ast.Name) -> bool:
    """Whether a variable is a DataLoader that does not shuffle, as far as its line tells."""
    scope = next(n for n in S.around(name) if isinstance(n, S.Scope))
    made = S.assignments(scope, name.id) or S.assignments(source.tree, name.id)
    call = getattr(made[0], "value", None) if len(made) == 1 else None
    return isinstance(call, ast.Call) and called_name(call) == "DataLoader" and len(
        call.args) < 3 and not {k.arg for k in call.keywords} & {"shuffle", "sampler",
                                                                 "batch_sampler", None}


def rebinding(node: ast.AST) -> str:
    """A line that changes the parameter, to replace one that only rebinds the loop's variable.

    "" for any other line, and where the new value is used.
    """
    loop = S.loop_of(node) if isinstance(node, ast.Assign) else None
    if not isinstance(loop, ast.For) or not isinstance(node, ast.Assign):
        return ""
    name, value = ast.unparse(node.targets[0]), node.value
    if name not in S.names_in(loop.target) or name not in S.names_in(value):
        return ""
    text = in_place_text(node)
    if f"{name}.grad" in text:
        return text
    used = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
               and n.lineno > node.lineno for n in ast.walk(loop))
    if used or ".parameters()" not in ast.unparse(loop.iter) or not isinstance(
            value, (ast.BinOp, ast.Call)):
        return ""
    return text or f"{name}.copy_({ast.unparse(value)})"


class UnitsAlike(Check):
    """A layer whose units all begin with the same weights, and so stay the same for ever."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.seen: set[int] = set()
        self.alike: dict[int, tuple[Tensor, Place, str, int]] = {}
        self.passes: dict[int, int] = {}

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        for p in parameters_of(optimizer):
            if id(p) in self.alike:
                self.passes[id(p)] = self.passes.get(id(p), 0) + 1
            elif id(p) not in self.seen:
                self.seen.add(id(p))
                if p._data.ndim > 1 and are_alike(p._data):
                    name = Names(user_frames()).of(p) or "a parameter"
                    self.alike[id(p)] = p, where, name, reading.fingerprint(p._data)

    def at_end(self) -> None:
        found = [(where, name) for key, (p, where, name, number) in self.alike.items()
                 if self.passes.get(key, 0) >= PASSES and reading.fingerprint(p._data) != number
                 and are_alike(p._data)]
        if found:
            self.find(made_alike(found[0][0]), "units-alike", "all rows of "
                      f"{listed([n for _, n in found])} began equal, and are equal after training",
                      "units with the same weights give the same results and get the same "
                      "gradients: a layer of them can do no more than one unit",
                      "begin with random weights, as layers do by themselves; only biases may "
                      "begin alike")


FILLING = ("constant_", "ones_", "fill_", "full_like", "ones_like", "full", "ones")


def made_alike(where: Place) -> Place:
    """The one line of a file that fills weights with a number; the given one if that is unclear."""
    source = S.read(where.file)
    lines = {S.statement(n).lineno: n for n in source.nodes if isinstance(n, ast.Call)
             and called_name(n) in FILLING and "weight" in ast.unparse(S.statement(n))
             } if source is not None else {}
    return source.place(S.statement(next(iter(lines.values())))) if (     # type: ignore[union-attr]
        len(lines) == 1) else where


def are_alike(array: np.ndarray) -> bool:
    """Whether an array has several rows, all the same."""
    return len(array) > 1 and array[0].size > 0 and bool(
        (array[1] == array[0]).all() and (array == array[0]).all())


class RateInAName(Check):
    """`lr *= 0.5` of the variable that an optimizer was made with, and that nobody reads again."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[str, tuple[Optimizer, Place]] = {}

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.made[str(where)] = optimizer, where

    def at_end(self) -> None:
        for optimizer, where in self.made.values():
            source = S.read(where.file)
            made = None if source is None else S.statement_at(source, where)
            rates = {k.value.id for n in ast.walk(made) if isinstance(n, ast.Call)
                     for k in n.keywords if k.arg == "lr" and isinstance(k.value, ast.Name)
                     } if made is not None and is_ours(optimizer) else ()
            for name in rates:
                change = changed_for_nothing(made, name)                 # type: ignore[arg-type]
                if change is not None:
                    self.find(source.place(change), "no-such-setting",   # type: ignore[union-attr]
                              f"this changes the variable `{name}`, and not the rate of the "
                              "optimizer", "an optimizer keeps the number that it was made with",
                              "`for group in optimizer.param_groups: group['lr'] = ...`, or a "
                              "scheduler")


def changed_for_nothing(made: ast.stmt, name: str) -> ast.AST | None:
    """A change of `name` after the statement `made`, if afterwards it is at most printed."""
    scope = next(n for n in S.around(made) if isinstance(n, S.Scope))
    changes = [n for n in S.assignments(scope, name) if n.lineno > made.lineno]
    reads = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name
             and isinstance(n.ctx, ast.Load) and S.statement(n) not in (made, *changes)
             and not any(isinstance(a, ast.Call) and called_name(a) == "print"
                         for a in S.around(n))]
    return changes[0] if changes and not reads else None


class SameLayerAgain(Check):
    """nn.ModuleList([nn.Linear(8, 8)] * 4), or [block for _ in range(4)]: one layer, four times."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.files: dict[str, set[str]] = {}     # with the kinds of networks that are called,
        self.doubled: dict[str, set[str]] = {}   # and of layers that stand in one twice
        self.networks: dict[int, Module] = {}
        self.noted: set[tuple[int, str]] = set()         # networks, and the files that called them

    def on_part(self, module: Module, name: str, part: Parameter | Module,
                line: tuple) -> None:
        self.note(part, line[0].co_filename)

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is not None and (id(module), where.file) not in self.noted:
            self.noted.add((id(module), where.file))
            self.note(module, where.file)
            self.networks[id(module)] = module
            if trainable(module):                # of [Net()] * 3
                self.files.setdefault(where.file, set()).add(type(module).__name__)

    def note(self, several: Parameter | Module, file: str) -> None:
        if isinstance(several, (ModuleList, Sequential)):
            parts = list(several)
            kinds = {type(m).__name__ for m in parts if parts.count(m) > 1 and trainable(m)}
            self.doubled.setdefault(file, set()).update(kinds)

    def by_default(self) -> None:
        """`def __init__(self, layers=[nn.Linear(4, 4)])`, of which two networks were made."""
        for one in self.networks.values():
            own = {id(p) for p in one.parameters()}
            others = [m for m in self.networks.values() if m is not one and type(m) is type(one)]
            shared = any(id(p) in own for m in others for p in m.parameters())
            function = getattr(type(one).__init__, "__wrapped__", type(one).__init__)
            defaults = [*(getattr(function, "__defaults__", None) or ()),
                        *(getattr(function, "__kwdefaults__", None) or {}).values()]
            if shared and any(id(p) in own for value in defaults for p in parameters_in(value)):
                name = type(one).__name__
                self.find(place(function.__code__, 0), "same-layer",
                          f"every {name} that is made without this argument has the same layers",
                          "a default is made once, when Python reads `def`, and not at each call: "
                          "what one network learns changes the others",
                          "`=None` as the default, and the layers made inside of __init__()")
                return

    def at_end(self) -> None:
        self.by_default()
        for file in self.files | self.doubled:
            doubled = self.doubled.get(file, set())
            kinds = doubled | self.files.get(file, set())
            source = S.read(file) if kinds else None
            for node in source.nodes if source is not None else ():
                repeated = multiplied(node, kinds) or named_again(node, doubled)
                if repeated is not None:
                    made, cure = repeated
                    self.find(source.place(node), "same-layer",          # type: ignore[union-attr]
                              f"`{made}` is the same layer several times, not several",
                              "they share their weights: together they have the parameters of one",
                              cure)


def multiplied(node: ast.AST, kinds: set[str]) -> tuple[str, str] | None:
    """For `[nn.Linear(8, 8)] * 4`: the expression, and what to write instead."""
    one = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else None
    layers = [e for e in getattr(one, "elts", ()) if isinstance(e, ast.Call)]
    if not any(called_name(layer) in kinds for layer in layers):
        return None
    text, times = ast.unparse(layers[0]), ast.unparse(node.right)        # type: ignore[attr-defined]
    return ast.unparse(node), f"`[{text} for _ in range({times})]` makes one for each place"


SHARED = re.compile("shar|tie|same|common|recurr", re.IGNORECASE)


def named_again(node: ast.AST, kinds: set[str]) -> tuple[str, str] | None:
    """The same for `[block for _ in range(4)]`, and `layers += [block]` in a loop."""
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        put, loop = [node.elt], node
        own = set().union(*(S.names_in(g.target) for g in node.generators))
    else:
        put, loop = put_into_list(node), S.loop_of(node)
        own = set()
    for name in put if loop is not None else ():
        scope = next((n for n in S.around(node) if isinstance(n, S.Scope)), None)
        if not isinstance(name, ast.Name) or name.id in own or SHARED.search(name.id) or (
                scope is None):
            continue
        made = S.assignments(scope, name.id)
        values = [part_for(n, name.id, n.value) for n in made if hasattr(n, "value")]
        if any(isinstance(v, ast.Call) and called_name(v) in kinds for v in values) and not any(
                S.holds(loop, n) for n in made):
            return ast.unparse(node), (f"make it anew for each place, or copy it: "
                                       f"`copy.deepcopy({name.id})`")
    return None


def put_into_list(node: ast.AST) -> list[ast.expr]:
    """What `layers.append(block)`, or `layers += [block, act]`, puts into a list."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return list(getattr(node.value, "elts", ()))
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or called_name(call) not in ("append", "extend"):
        return []
    return [e for a in call.args for e in getattr(a, "elts", [a])]


def parameters_in(value: Any) -> Iterator[Tensor]:
    """The parameters of a layer, of several in a list, tuple or dict, or of none."""
    if isinstance(value, Module):
        yield from value.parameters()
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from parameters_in(part)


class DropoutInEval(Check):
    """F.dropout(x) in a Module that is in eval() mode: only its argument `training` turns it off.

    The same goes for an nn.Dropout that forward() makes: it is no part of the Module, so that
    eval() does not reach it.
    """

    rests = True

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        caller_of = self.doctor.calling[-1] if self.doctor.calling else None
        if isinstance(module, _DropoutNd) and module.training and caller_of is not None and (
                not caller_of.training and all(m is not module for m in caller_of.modules())):
            self.find(place(*caller()), "dropout-in-eval",
                      "dropout is applied though the network is in eval() mode",
                      f"`{type(caller_of).__name__}` does not have this layer as a part, so that "
                      "eval() does not reach it: every evaluation is another, and worse",
                      "make it in __init__(), as an attribute, and call it in forward()")

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        told = name != "dropout" or len(args) > 2 or "training" in kwargs
        if not told and self.doctor.calling and not self.doctor.calling[-1].training:
            self.find(place(*caller()), "dropout-in-eval",
                      "dropout is applied though the network is in eval() mode",
                      "F.dropout() knows nothing of the Module that calls it: `training` is True "
                      "unless it is given, so every evaluation is another, and worse",
                      "`F.dropout(x, p, training=self.training)`, or nn.Dropout as a layer")


CHECKS = (NotCalled, HookGivesNothing, NoSuchSetting, RateInAName, SameLayerAgain, Exhausted,
          Rebound, SameBatch, UnitsAlike, DropoutInEval)
