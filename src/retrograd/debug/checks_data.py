"""Checks of the data: examples that change, are all alike, or lose their targets; weights."""

from __future__ import annotations

import ast
import re
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_copies import arrays_of, changed_in_place, is_whole
from .checks_targets import tensors_given
from .places import Place, place
from .programs import called_name

SAMPLES = 64             # the most samples of a dataset that are remembered
CHANGED = 8              # samples that have to change between two reads
PIXELS, DISTINCT = 64, 8     # an image has so many numbers at least, and so many different ones
LOOKED_AT = 4096         # the most numbers of an input that are looked at one by one
ALIKE = 3                # batches with equal inputs that make a finding
EXAMPLES = 4             # the least size of such a batch
UNEVEN = 3               # how much more frequent than the rarest class one has to be
ABOUT = 1.5              # two shares are about the same up to this factor
LOSSES = ("cross_entropy", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
SHUFFLES = ("randperm", "permutation")
DRAWN = re.compile(r"\b(randperm|permutation|randint)\((?!.*(generator|seed))")
# What sets a generator's state: an order drawn after it may be the same again.
SEEDS = re.compile(r"seed|set_state|default_rng|RandomState")


@dataclass
class Rows:
    """Parts of a dataset's own memory that it has returned, and whether they change."""

    dataset: weakref.ref
    code: CodeType                               # of __getitem__()
    prints: dict[int, int] = field(default_factory=dict)     # of the last numbers, by the memory
    changed: int = 0                             # times that a part was read again,
    equal: int = 0                               # and was as before

    def add(self, memory: int, now: int) -> None:
        if memory in self.prints:
            self.changed += self.prints[memory] != now
            self.equal += self.prints[memory] == now
        if memory in self.prints or len(self.prints) < SAMPLES:
            self.prints[memory] = now


class ChangedSample(Check):
    """`img = self.images[i]; img -= mean` in a dataset: the stored image changes at each read."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.seen: dict[int, Rows] = {}          # by the dataset

    def on_samples(self, dataset: Any, samples: Any) -> None:
        code = getattr(type(dataset).__getitem__, "__code__", None)
        if code is None or not isinstance(samples, list):
            return
        rows = self.seen.get(id(dataset))
        if rows is None or rows.dataset() is not dataset:
            rows = self.seen[id(dataset)] = Rows(weakref.ref(dataset), code)
        for a in [a for sample in samples for a in arrays_of(sample)]:
            if a.size > 1 and not is_whole(a):
                rows.add(a.ctypes.data, reading.fingerprint(a))

    def at_end(self) -> None:
        for rows in self.seen.values():
            where = None if rows.equal or rows.changed < CHANGED else changes_row(rows.code)
            if where is not None:
                self.find(where[0], "changed-sample", f"this changes `{where[1]}`, which is a part "
                          "of the dataset's own memory: each read changes the stored example "
                          "once more", "indexing gives a view, not a copy: from one epoch to the "
                          "next the examples drift away from what they were",
                          "compute a new tensor instead of writing in place, or begin with a "
                          "copy, `.clone()`")


def changes_row(code: CodeType) -> tuple[Place, str] | None:
    """The line of __getitem__() that changes `x` in place after `x = self.data[i]`."""
    source = S.read(code.co_filename)
    scope = None if source is None else source.scope(code)
    for node in S.inside(scope) if scope is not None else ():
        name = changed_in_place(node)
        made = S.assignments(scope, name) if name.isidentifier() else []
        made = [n for n in made if not isinstance(n, ast.AugAssign)]
        if made and all(isinstance(getattr(n, "value", None), ast.Subscript) for n in made):
            return source.place(node), name              # type: ignore[union-attr]
    return None


class ScaledTwice(Check):
    """Pixels that are divided by 255, which ToTensor() has done already."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, int] = {}          # calls of networks, and how many were looked at

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        looked = self.lines.get(str(where), 0)
        if looked >= ALIKE:
            return
        self.lines[str(where)] = looked + 1
        given = [t for t in self.doctor.arguments if isinstance(t, Tensor)]
        x = given[0]._data if len(given) == 1 and not given[0].requires_grad else None
        if type(x) is np.ndarray and are_divided_twice(x):
            self.find(where, "scaled-twice", f"the network is given pixels between 0 and "
                      f"{x.max():.2g}: they were divided by 255 twice", "ToTensor(), or whatever "
                      "reads the images, has made numbers from 0 to 1 of them already: nearly 0, "
                      "they all look alike to the network, and it learns slowly",
                      "divide once")
            self.lines[str(where)] = ALIKE


def are_divided_twice(x: np.ndarray) -> bool:
    """Whether numbers are whole numbers from 0 to 255, divided by 255 * 255."""
    if x.dtype.kind != "f" or x.size < PIXELS or x.min() < 0 or not 0 < x.max() < 1.001 / 255:
        return False
    pixels = x.ravel()[:LOOKED_AT].astype(np.float64) * 255 ** 2
    whole = np.round(pixels)
    return len(np.unique(whole)) > DISTINCT and bool(np.abs(pixels - whole).max() < 1e-3)


class AlikeInputs(Check):
    """A network that gets equal inputs for all examples, as from pixels divided as integers."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.call: tuple | None = None           # the last one with equal rows: where, their shape
        self.lines: dict[str, list] = {}

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        given = [t for t in self.doctor.arguments if isinstance(t, Tensor)]
        x = given[0]._data if len(given) == 1 and not given[0].requires_grad else None
        self.call = (where, x) if type(x) is np.ndarray and are_alike(x) else None

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        output, target = tensors_given(args, kwargs)
        if self.call is None or name not in LOSSES or output is None or target is None:
            return
        where, x = self.call
        a, wanted = output._data, target._data
        if output.requires_grad and are_alike(a) and len(a) == len(x) == len(wanted) and (
                not are_alike(wanted)):
            self.lines.setdefault(str(where), [where, 0, x.flat[0] if (
                x == x.flat[0]).all() else None])[1] += 1

    def at_end(self) -> None:
        explained = any(f.kind == "same-tensor" for f in self.doctor.report.findings)
        for where, times, number in () if explained else self.lines.values():
            if times >= ALIKE:
                zeros = number is not None and f": all numbers are {number:g}"
                self.find(where, "alike-inputs", "the network is given the same for each example "
                          f"of a batch{zeros or ''}", "its answers are then the same too, whatever "
                          "the targets: it can learn no more than their mean",
                          "look at what made the inputs: a division of whole numbers such as `x "
                          "// 255`, or a conversion to whole numbers before the division, makes "
                          "all of them 0")


def are_alike(a: np.ndarray) -> bool:
    """Whether all rows of a batch are equal."""
    return a.ndim > 0 and len(a) >= EXAMPLES and bool((a == a[:1]).all())


class RareClass(Check):
    """`CrossEntropyLoss(weight=counts / counts.sum())`: rare classes count less, not more."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, list] = {}         # where, the weights of classes, their examples

    @only("NllLossBackward0", "NllLoss2DBackward0", "BinaryCrossEntropyWithLogitsBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        weight = reading.array_of(variables.get("weight"))
        target = reading.array_of(variables.get("target"))
        if type(node).__name__.startswith("Binary"):
            ones = reading.array_of(variables.get("pos_weight"))
            if type(ones) is not np.ndarray or ones.size != 1 or target.dtype.kind != "f" or not (
                    (target == 0) | (target == 1)).all():
                return
            weight, target = np.append(1, ones), target.astype(int)
        if type(weight) is np.ndarray and weight.size > 1:
            where = reading.place_of(node)
            counts = np.bincount(target[target >= 0], minlength=weight.size)[:weight.size]
            line = self.lines.setdefault(str(where), [where, weight, 0])
            line[2] = line[2] + counts

    def at_end(self) -> None:
        for where, weight, counts in self.lines.values():
            if len(weight) == len(counts) and min(counts) > 0 and weight.min() > 0:
                shares = weight / counts
                if max(counts) > UNEVEN * min(counts) and shares.max() < ABOUT * shares.min():
                    rare = int(counts.argmin())
                    self.find(where, "rare-class-lighter", f"class {rare} is the rarest, with "
                              f"{counts[rare]} of {counts.sum()} targets, and has the smallest "
                              "weight", "the weights are as the classes are frequent: what is "
                              "rare counts even less, where weights are to make up for that",
                              "the inverse of the frequencies: `weight = counts.sum() / counts`, "
                              "and `pos_weight = negatives / positives`")


class ShuffledAlone(Check):
    """`X = X[torch.randperm(n)]`, and then `X[i:j]` beside `Y[i:j]`: no row has its own target.

    The same goes for two permutations that are drawn separately, one for `X` and one for `Y`.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, Place] = {}        # that call backward()

    def before_pass(self, task: Pass) -> None:
        if task.fills:
            self.lines.setdefault(str(task.where), task.where)

    def at_end(self) -> None:
        for where in self.lines.values():
            source = S.read(where.file)
            here = None if source is None else S.statement_at(source, where)
            if here is None or source is None:
                continue
            scope = next((n for n in S.around(here) if isinstance(n, S.Scope)), source.tree)
            for line, name, other in (*drawn_apart(scope), *shuffled_apart(scope),
                                      *shuffled_in_place(scope, source.tree)):
                self.find(source.place(line), "shuffled-alone", f"`{name}` and `{other}` are read "
                          "in two orders, each drawn by itself", "the one goes into the network, "
                          "and the other is its target: each example has another one's",
                          "one order for both: `order = torch.randperm(n)`, `x[order]` and "
                          "`y[order]`")
            for line, name, other in shuffled_alone(scope, source.tree):
                self.find(source.place(line), "shuffled-alone", f"the rows of `{name}` are "
                          f"shuffled, those of `{other}` are not", f"`{name}` and `{other}` are "
                          "read by the same places: each example has another one's target",
                          f"one order for both: `order = torch.randperm(len({name}))`, "
                          f"`{name}, {other} = {name}[order], {other}[order]`")


def drawn_apart(scope: ast.AST) -> Iterator[tuple[ast.stmt, str, str]]:
    """Lines of a function with `x, y = X[randperm(n)], Y[randperm(n)]` before `loss(net(x), y)`."""
    nodes = list(S.inside(scope))
    seeded = [n.lineno for n in nodes if isinstance(n, ast.Call) and "seed" in ast.unparse(n.func)]
    drawn = {name: (line, ast.unparse(value.slice), ast.unparse(value.value))
             for line in nodes if isinstance(line, ast.Assign) for name, value in pairs_of(line)
             if isinstance(value, ast.Subscript) and DRAWN.search(ast.unparse(value.slice))
             and len(S.assignments(scope, name)) == 1}
    for call in nodes if len(drawn) > 1 else ():
        if not isinstance(call, ast.Call) or len(call.args) < 2:
            continue
        output, target = call.args[:2]
        if not isinstance(target, ast.Name) or target.id not in drawn:
            continue
        made = S.assignments(scope, output.id) if isinstance(output, ast.Name) else [output]
        for part in ast.walk(made[0]) if len(made) == 1 else ():
            if isinstance(part, ast.Call) and len(part.args) == 1 and isinstance(
                    part.args[0], ast.Name) and part.args[0].id in drawn:
                (_, first, x), (line, second, y) = drawn[part.args[0].id], drawn[target.id]
                begun = drawn[part.args[0].id][0].lineno
                if first == second and x != y and not any(
                        min(begun, line.lineno) < n <= max(begun, line.lineno) for n in seeded):
                    yield line, x, y
                    return


def pairs_of(line: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """The variables that a line sets, and the expressions: two of `x, y = a, b`."""
    for target in line.targets:
        several = isinstance(target, ast.Tuple) and isinstance(line.value, ast.Tuple)
        for one, value in zip(target.elts, line.value.elts, strict=False) if several else (
                (target, line.value),):
            if isinstance(one, ast.Name):
                yield one.id, value


def shuffled_apart(scope: ast.AST) -> Iterator[tuple[ast.stmt, str, str]]:
    """Lines with `X = X[randperm(n)]` and `Y = Y[randperm(n)]`, where Y is the target of X."""
    nodes = list(S.inside(scope))
    lines = {name: line for line in nodes if (name := shuffled_by(line, scope, nodes))}
    for name, line in lines.items():
        for other, own in lines.items():
            if own is not line and S.loop_of(own) is S.loop_of(line) and any(
                    is_target(call, other, name, scope) for call in nodes):
                first, last = sorted((name, other), key=lambda n: begin(lines[n]))
                yield S.statement(lines[last]), first, last
                return


def shuffled_in_place(scope: ast.AST, tree: ast.AST) -> Iterator[tuple[ast.stmt, str, str]]:
    """Lines with `rng.shuffle(X)` and `rng.shuffle(Y)`, where Y is the target of X."""
    scopes = [scope] if scope is tree else [scope, tree]
    nodes = [n for part in scopes for n in S.inside(part)]
    lines = {n.args[0].id: n for n in nodes if isinstance(n, ast.Call) and len(n.args) == 1
             and called_name(n) == "shuffle" and isinstance(n.args[0], ast.Name)}
    seeded = [n.lineno for n in nodes if isinstance(n, ast.Call) and SEEDS.search(
        ast.unparse(n.func))]
    for first, line in lines.items():
        for second, other in lines.items():
            if line.lineno >= other.lineno or S.loop_of(line) is not S.loop_of(other) or any(
                    line.lineno < n <= other.lineno for n in seeded):
                continue
            for given, target in ((first, second), (second, first)):
                if any(is_derived_target(n, given, target, scopes) for n in nodes):
                    yield S.statement(other), first, second
                    return


def is_derived_target(call: ast.AST, given: str, target: str, scopes: list[ast.AST]) -> bool:
    """Whether a call is given what was made of `given`, and as its target what was of `target`."""
    if not isinstance(call, ast.Call) or len(call.args) < 2:
        return False
    pair = [origins(a, scopes, {given, target}) for a in call.args[:2]]
    return pair == [{given}, {target}]


def origins(node: ast.AST, scopes: list[ast.AST], wanted: set[str]) -> set[str]:
    """Which of these variables an expression is made of, and the variables in it."""
    waiting, found = list(S.names_in(node)), set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name in wanted:
            continue
        for made in (m for scope in scopes for m in S.assignments(scope, name)):
            if isinstance(made, ast.Assign):
                waiting += [n for one, value in pairs_of(made) if one == name
                            for n in S.names_in(value)]
    return found & wanted


def is_target(call: ast.AST, target: str, given: str, scope: ast.AST) -> bool:
    """Whether `loss(net(given[i:j]), target[i:j])`, or a dataset of both, is made by a call."""
    if not isinstance(call, ast.Call) or len(call.args) < 2:
        return False
    if called_name(call) == "TensorDataset":
        return [S.names_in(a) for a in call.args[:2]] == [{given}, {target}]
    rows = part_of_rows(call.args[1], scope)
    if rows is None or rows[0] != target:
        return False
    output: Any = call.args[0]
    made = S.assignments(scope, output.id) if isinstance(output, ast.Name) else [output]
    return len(made) == 1 and any(
        isinstance(n, ast.Call) and len(n.args) == 1
        and part_of_rows(n.args[0], scope) == (given, rows[1]) for n in ast.walk(made[0]))


def part_of_rows(node: Any, scope: ast.AST) -> tuple[str, str] | None:
    """("x", "i:i + n") of `x[i:i + n]`, or of a variable that is set to that and nothing else."""
    made = S.assignments(scope, node.id) if isinstance(node, ast.Name) else []
    if len(made) == 1 and isinstance(made[0], ast.Assign):
        node = next((value for name, value in pairs_of(made[0]) if name == node.id), None)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id, ast.unparse(node.slice)
    return None


def shuffled_alone(scope: ast.AST, tree: ast.AST) -> Iterator[tuple[ast.stmt, str, str]]:
    """The lines of a function that shuffle one of two variables that are read side by side."""
    nodes = list(S.inside(scope))
    for line in nodes:
        name = shuffled_by(line, scope, nodes)
        if not name:
            continue
        later = [n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice)
                 and isinstance(n.value, ast.Name) and n.lineno > line.lineno]
        own = {(ast.unparse(n.slice), S.loop_of(n)) for n in later
               if n.value.id == name}            # type: ignore[attr-defined]
        for node in later:
            other = node.value.id                # type: ignore[attr-defined]
            made: list[Any] = [*S.assignments(scope, other), *S.assignments(tree, other)]
            if other != name and (ast.unparse(node.slice), S.loop_of(node)) in own and not any(
                    begin(n) > begin(line) or is_drawn(n) or is_reordered(n, other)
                    for n in made):
                yield line, name, other          # type: ignore[misc]
                break


def shuffled_by(line: Any, scope: ast.AST, nodes: list[ast.AST]) -> str:
    """The variable that `X = X[torch.randperm(n)]` shuffles, by an order used for nothing else."""
    value = line.value if isinstance(line, ast.Assign) and len(line.targets) == 1 else None
    if not isinstance(value, ast.Subscript) or not isinstance(value.value, ast.Name) or (
            ast.unparse(value.value) != ast.unparse(line.targets[0])):
        return ""
    order: Any = value.slice
    if isinstance(order, ast.Name):
        uses = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == order.id
                and isinstance(n.ctx, ast.Load)]
        made = S.assignments(scope, order.id)
        order = getattr(made[0], "value", None) if len(uses) == 1 == len(made) else None
    seeds = [ast.unparse(n.func) for n in nodes if isinstance(n, ast.Call)
             and "seed" in ast.unparse(n.func)]
    seeded = len(set(seeds)) < len(seeds)        # before one order, and again before the other
    alone = isinstance(order, ast.Call) and ast.unparse(order.func).endswith(SHUFFLES)
    return value.value.id if alone and not seeded else ""


def is_reordered(made: Any, name: str) -> bool:
    """Whether an assignment gives a variable its own rows by another order: `x = x[order]`."""
    return isinstance(made, ast.Assign) and any(
        one == name and isinstance(value, ast.Subscript) and ast.unparse(value.value) == name
        for one, value in pairs_of(made))


def begin(node: Any) -> tuple[int, int]:
    """Where a statement begins; several may stand on a line."""
    return node.lineno, node.col_offset


def is_drawn(made: Any) -> bool:
    """Whether an assignment makes random or constant numbers, to which no targets belong."""
    call = getattr(made, "value", None)
    return isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in FILLED


FILLED = ("rand", "randn", "rand_like", "randn_like", "normal", "zeros", "ones", "full", "empty")


class CutToZero(Check):
    """`label.long()` of labels that were divided by 255: whatever is below 1 becomes 0."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple, list] = {}       # times, the largest number; 0 times: not always

    def on_whole(self, t: Tensor, result: Tensor) -> None:
        numbers = t._data
        if type(numbers) is not np.ndarray or not numbers.any():
            return
        times = self.lines.setdefault(caller(), [1, 0.0])
        if 0 <= numbers.min() and numbers.max() < 1:
            times[0] += bool(times[0])
            times[1] = max(times[1], float(numbers.max()))
        else:
            times[0] = 0

    def at_end(self) -> None:
        for line, (times, largest) in self.lines.items():
            if times > ALIKE:
                self.find(place(*line), "cut-to-zero", f"all numbers are below 1 here, at most "
                          f"{largest:.3g}, and become 0", "long() and int() cut off what comes "
                          "after the point: if these are labels, there is one class left, and the "
                          "network learns to answer 0", "if they were divided before, as "
                          "ToTensor() divides images by 255, leave that out for labels; if they "
                          "are probabilities, take `.round().long()`, or `(x > 0.5).long()`")


CHECKS = (ChangedSample, ScaledTwice, AlikeInputs, RareClass, ShuffledAlone, CutToZero)
