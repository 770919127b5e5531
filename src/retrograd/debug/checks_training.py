"""Checks of the training loop: optimizers, gradients that are missing, stale or never cleared."""

from __future__ import annotations

import ast
import weakref
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Any

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from ..optim.sgd import SGD
from . import breaks, reading
from . import source as S
from .check import Check, Pass
from .errors import frozen_at
from .names import Names
from .places import Place, place, user_frames
from .programs import env_of, trainable
from .reading import fingerprint
from .words import counted

PASSES = 5                 # so many passes that change nothing do not accumulate gradients
PASSES_KEPT = 200
CALLED = 30                # the most Modules that are remembered


def optimizer_of(leaf: Tensor, frames: list[FrameType]) -> str:
    """What the program calls the optimizer that was given a leaf, or "optimizer"."""
    for frame in frames:
        variables = frame.f_locals
        inside = {f"self.{name}": value for name, value in vars(variables["self"]).items()} \
            if hasattr(variables.get("self"), "__dict__") else {}
        for name, value in {**variables, **inside}.items():
            if isinstance(value, Optimizer) and any(p is leaf for p in parameters_of(value)):
                return name
    return "optimizer"


def parameters_of(optimizer: Optimizer) -> list[Tensor]:
    """All parameters that an optimizer was given."""
    return [p for group in optimizer.param_groups for p in group["params"]]


class NotCleared(Check):
    """Gradients are added to those that a step has already used, as zero_grad() is never called."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.known: dict[int, tuple] = {}        # leaf -> (it, its grad, fingerprints of both, and
                                                 # the version of the grad)
        self.mixed: dict[int, tuple[Place, int] | None] = {}     # leaf -> pass that added to it
        self.told_of: set[int] = set()           # the numbers of passes
        self.closures: set[str] = set()          # the names of what step() was given
        self.moving: set[int] = set()            # leaves that were stepped since their last pass
        self.inside: set[int] = set()            # of a step() that runs a closure
        self.name: str | None = None             # of a parameter that this was first seen in
        self.optimizer = "optimizer"             # what it was given to

    def unchanged(self, leaf: Tensor, known: tuple | None) -> bool:
        """Whether leaf.grad is still what it was after the last pass."""
        return known is not None and leaf._grad is known[1]() and fingerprint(
            leaf._grad._data) == known[3]

    def is_moved(self, leaf: Tensor) -> bool:
        """Whether a step may have changed a leaf; other changes, as by an attack, may be undone."""
        return id(leaf) in self.moving | self.inside or id(leaf) not in self.doctor.given

    def forget(self, key: int, leaf: weakref.ref) -> None:
        self.known.pop(key, None)
        self.mixed.pop(key, None)

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        known = self.known.get(id(leaf))
        standing = id(leaf) in self.doctor.standing
        if standing or leaf._grad is None or not self.unchanged(leaf, known):
            self.mixed.pop(id(leaf), None)
        elif self.is_moved(leaf) and reading.numbers(leaf._grad._data).any() and fingerprint(
                leaf._data) != known[2]:
            if id(leaf) in self.mixed:
                self.tell(self.mixed[id(leaf)], leaf)
            self.mixed[id(leaf)] = None          # the pass that does so, once it is over

    def after_pass(self, task) -> None:
        for node in task.nodes:
            if isinstance(node, AccumulateGrad) and node.variable._grad is not None:
                leaf = node.variable
                self.moving.discard(id(leaf))
                self.known[id(leaf)] = self.facts(leaf, fingerprint(leaf._data))
                if self.mixed.get(id(leaf), task) is None:
                    self.mixed[id(leaf)] = task.where, task.number       # not the graph

    def facts(self, leaf: Tensor, numbers: int) -> tuple:
        """What is known of a leaf whose numbers have this fingerprint."""
        grad: Any = leaf._grad
        return (weakref.ref(leaf, partial(self.forget, id(leaf))), weakref.ref(grad), numbers,
                fingerprint(grad._data), grad._cell[0])

    def on_step(self, optimizer, closure, where) -> None:
        if closure is not None:
            self.closures.add(getattr(closure, "__name__", ""))
        leaves = {id(p) for p in parameters_of(optimizer)}
        self.moving |= leaves
        self.inside = leaves if closure is not None else set()
        for p in parameters_of(optimizer):
            mixed = self.mixed.get(id(p))
            if mixed is not None and p._grad is not None and self.unchanged(
                    p, self.known.get(id(p))):
                self.tell(mixed, p)
                return
            known = self.known.get(id(p))
            if known is not None and p._grad is not None and (
                    p._grad is not known[1]() or p._grad._cell[0] != known[4]):
                self.known[id(p)] = self.facts(p, known[2])      # clipped, or divided

    def after_step(self, optimizer: Optimizer, closure: Any) -> None:
        self.inside = set()

    def tell(self, mixed: tuple[Place, int] | None, leaf: Tensor) -> None:
        """Report the pass at this line, of this number."""
        where, number = mixed or (None, None)
        if number is None or number in self.told_of:
            return
        self.told_of.add(number)
        if self.name is None:                    # one is enough to tell which optimizer it is
            self.name = Names(user_frames()).of(leaf) or ""
            self.optimizer = optimizer_of(leaf, user_frames())
        self.find(where, "not-cleared",
                  "this backward() added its gradients to those of the step before"
                  + (f", in `{self.name}` for one" if self.name else ""),
                  "backward() adds to .grad and never clears it, so each step goes on with the "
                  "gradients of all steps before",
                  f"call {self.optimizer}.zero_grad() at the beginning of {where.function}(): "
                  "step() calls it several times" if where.function in self.closures else
                  f"call {self.optimizer}.zero_grad() after every {self.optimizer}.step()"
                  if id(leaf) in self.doctor.given else
                  "set `.grad = None` after each update, before the next backward()"
                  + ("; no optimizer was given it" if self.doctor.given else ""),
                  "not called: zero_grad")


def variable_at(where: Place) -> str:
    """The one variable that a line sets; "" where there is none, or several."""
    source = S.read(where.file)
    statement = None if source is None else S.statement_at(source, where)
    names = [ast.unparse(t) for t in S.targets(statement)] if statement is not None else []
    return names[0] if len(names) == 1 else ""


@dataclass
class Turns:
    """The passes of a line by number: those whose gradients a step used, and those thrown away."""

    where: Place
    used: set[int] = field(default_factory=set)
    thrown: set[int] = field(default_factory=set)


class ThrownAway(Check):
    """zero_grad() in every iteration, but step() only in some: most gradients are never used."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, Turns] = {}
        self.line: dict[int, str] = {}           # of the latest passes
        self.waiting: dict[int, set[int]] = {}   # leaf -> the passes in its gradient

    def before_pass(self, task: Pass) -> None:
        self.lines.setdefault(str(task.where), Turns(task.where))
        self.line[task.number] = str(task.where)
        if len(self.line) > PASSES_KEPT:
            del self.line[next(iter(self.line))]

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if not self.doctor.is_trained(leaf):
            return
        passes = self.waiting.setdefault(id(leaf), set())
        if leaf._grad is None or not reading.numbers(leaf._grad._data).any():
            for number in passes & self.line.keys():
                self.lines[self.line[number]].thrown.add(number)
            passes.clear()
        passes.add(self.doctor.passes)
        if len(passes) > PASSES_KEPT // 2:
            passes.discard(min(passes))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        for p in parameters_of(optimizer):
            for number in self.waiting.pop(id(p), ()):
                if number in self.line:
                    self.lines[self.line[number]].used.add(number)

    def at_end(self) -> None:
        for turns in self.lines.values():
            thrown = len(turns.thrown - turns.used)
            line = cleared_each_turn(turns.where) if thrown >= PASSES and turns.used else None
            if line is not None:
                self.find(line, "thrown-away", f"{thrown} of {thrown + len(turns.used)} gradients "
                          "are cleared here before a step() has used them", "this line runs in "
                          "every iteration, and step() in some, or after the loop: it gets the "
                          "last gradient only, where it was to get the sum of several",
                          "clear them where they were used: zero_grad() after step(), inside of "
                          "the same `if`; or call step() in every iteration")


def cleared_each_turn(where: Place) -> Place | None:
    """The zero_grad() in the loop around a line, if step() is in an `if` of that loop, or after it.

    None where the loop reads `.grad`, for example to sum gradients that are clipped one by one.
    """
    source = S.read(where.file)
    statement = None if source is None else S.statement_at(source, where)
    loop = None if statement is None else S.loop_of(statement)
    if loop is None or source is None or any(
            isinstance(n, ast.Attribute) and n.attr == "grad" and isinstance(n.ctx, ast.Load)
            for n in ast.walk(loop)):
        return None
    calls = [(n, [a for a in S.around(n) if isinstance(a, ast.If) and S.holds(loop, a)])
             for n in ast.walk(loop) if isinstance(n, ast.Call) and isinstance(
                 n.func, ast.Attribute) and n.func.attr in ("step", "zero_grad")]
    steps = [ifs for n, ifs in calls if n.func.attr == "step"]
    cleared = [n for n, ifs in calls if n.func.attr == "zero_grad" and not ifs]
    return source.place(S.statement(cleared[0])) if cleared and all(steps) else None


class SummedBatches(Check):
    """SGD steps by the sum of the gradients of several batches, where their mean was meant."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.first: dict[int, Tensor] = {}       # a parameter of each optimizer, by itself
        self.summed: dict[int, list[Place | None]] = {}  # the lines of the passes in its gradient
        self.prints: dict[int, int] = {}         # of that gradient, after the last pass
        self.where: Place | None = None          # of a pass whose loss is a mean
        self.scaled = False                      # a GradScaler has scaled a loss
        self.unscaled: set[int] = set()          # parameters whose gradient it divides again
        self.steps: dict[str, tuple[Place, Place, list[int]]] = {}

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        if type(optimizer) is SGD:               # to others the size of a gradient means little
            p = parameters_of(optimizer)[0]
            self.first[id(p)], self.summed[id(p)] = p, []

    def on_scaler(self, optimizer: Optimizer | None) -> None:
        """unscale_() divides by the factor, and by nothing else."""
        self.scaled = self.scaled or optimizer is None
        params = parameters_of(optimizer) if optimizer is not None else ()
        self.unscaled |= {id(p) for p in params if p._grad is not None and self.as_computed(p)}

    def as_computed(self, p: Tensor) -> bool:
        """Whether p.grad is what the last pass has left."""
        return fingerprint(p._grad._data) == self.prints.get(id(p))      # type: ignore[union-attr]

    def before_pass(self, task: Pass) -> None:
        root: Node | None = task.roots[0]
        if self.scaled and type(root).__name__ == "MulBackward0":
            root = reading.only_source(root)                             # type: ignore[arg-type]
        self.where = task.where if task.fills and is_mean(root) else None

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if id(leaf) in self.first:
            if leaf._grad is None or not reading.numbers(leaf._grad._data).any():
                self.summed[id(leaf)].clear()
            self.summed[id(leaf)].append(self.where)

    def after_pass(self, task: Pass) -> None:
        self.prints.update((key, fingerprint(p._grad._data)) for key, p in self.first.items()
                           if p._grad is not None)

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        p = parameters_of(optimizer)[0]
        passes = self.summed.get(id(p), [])
        first, lines = passes[0] if passes else None, set(map(str, passes))
        if first is not None and len(passes) > len(lines) == 1 and p._grad is not None and (
                id(p) in self.unscaled or self.as_computed(p)):            # not divided
            self.steps.setdefault(str(first), (first, where, []))[2].append(len(passes))
        for others in self.summed.values():      # another optimizer's step came between them
            others.append(None)
        passes.clear()
        self.unscaled.discard(id(p))

    def at_end(self) -> None:
        for where, step, counts in self.steps.values():
            number = counted_by(where, step) if len(counts) > 1 else ""
            if number:
                n = max(counts)
                self.find(where, "summed-batches", "each step goes by the sum of the gradients of "
                          f"{n} batches, not by their mean", "backward() adds, and each loss is "
                          "the mean of its own batch: to SGD that is the same as a learning rate "
                          f"{n} times as high",
                          f"divide the loss before backward(): `loss = loss / {number}`")


def is_mean(node: Any) -> bool:
    """Whether a loss is the mean over its batch, or a sum of such."""
    seen, terms = {node}, [node]
    for term in terms:                                   # it grows on the way
        kind = type(term).__name__
        if kind == "AddBackward0":
            terms += [e for e in term.edges if e is not None and e not in seen]
            seen.update(term.edges)
        elif not kind.startswith("MeanBackward") and getattr(term, "_saved_reduction", None) != 1:
            return False
    return True


def counted_by(backward: Place, step: Place) -> str:
    """The n of `if (i + 1) % n == 0:` around a step in the loop of a backward().

    "" where there is none, or where the program multiplies or divides by it: then it has probably
    adapted the learning rate.
    """
    source = S.read(step.file)
    lines = [] if source is None else [S.statement_at(source, w) for w in (backward, step)]
    loops = [S.loop_of(line) for line in lines if line is not None]
    if source is None or len(loops) < 2 or loops[0] is not loops[1] or loops[0] is None:
        return ""
    tests = [n.test for n in S.around(lines[1]) if isinstance(n, ast.If)]
    numbers = {ast.unparse(n.right) for test in tests for n in ast.walk(test)
               if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod)}
    loss = ast.unparse(backward_of.func.value) if (backward_of := next((
        n for n in ast.walk(lines[0]) if isinstance(n, ast.Call) and isinstance(
            n.func, ast.Attribute) and n.func.attr == "backward"), None)) is not None else ""
    scaled = {ast.unparse(part) for n in source.nodes if isinstance(
        n, (ast.BinOp, ast.AugAssign)) and isinstance(n.op, (ast.Div, ast.Mult))
        and not is_too_late(n, loss, loops[0], backward.line)
        for part in ((n.left, n.right) if isinstance(n, ast.BinOp) else (n.value,))}
    return numbers.pop() if len(numbers) == 1 and not numbers & scaled else ""


def is_too_late(node: ast.BinOp | ast.AugAssign, loss: str, loop: ast.AST, line: int) -> bool:
    """Whether a loss is divided in the loop after its backward(), which does not see that."""
    first = node.left if isinstance(node, ast.BinOp) else node.target
    return ast.unparse(first) == loss and S.holds(loop, node) and node.lineno > line


class ClosureWithoutBackward(Check):
    """step(closure) with a closure that computes nothing anew."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.passes = 0                          # that fill .grad: autograd.grad() does not
        self.before = 0                          # how many there were when step() began

    def before_pass(self, task: Pass) -> None:
        self.passes += task.fills

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.before = self.passes

    def after_step(self, optimizer: Optimizer, closure: Any) -> None:
        code = getattr(closure, "__code__", None)
        if code is not None and self.passes == self.before:
            self.find(place(code, 0), "closure-without-backward", f"step() has called "
                      f"`{code.co_name}`, which did not call backward()", "step() calls it to "
                      "compute the loss and its gradients anew where it has moved to: it saw the "
                      "old ones again and again", "in the closure: optimizer.zero_grad(), compute "
                      "the loss, loss.backward(), return the loss")


class ClippedTooEarly(Check):
    """Gradients are clipped before backward(), after step(), or while they are scaled up."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.fresh: set[int] = set()             # leaves with a gradient that no step has used
        self.used: dict[int, tuple[Tensor, int]] = {}    # the others: it, and its fingerprint
        self.scaled = False                      # a GradScaler has scaled a loss
        self.whole: set[int] = set()             # leaves whose gradient was unscaled since

    def on_scaler(self, optimizer: Optimizer | None) -> None:
        if optimizer is None:
            self.scaled = True
            self.whole.clear()
        else:
            self.whole |= {id(p) for p in parameters_of(optimizer)}

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        self.fresh.add(id(leaf))

    def on_step(self, optimizer, closure: Any, where: Place) -> None:
        self.scaled = False
        for p in parameters_of(optimizer):
            self.fresh.discard(id(p))
            if p._grad is not None:
                self.used[id(p)] = p._grad, fingerprint(p._grad._data)

    def on_clip(self, params: list[Tensor], limit: Any, where: Place) -> None:
        if isinstance(limit, (int, float)) and limit <= 0:
            self.find(where, "clipped-to-zero", f"gradients are clipped to a size of {limit}: "
                      f"{'nothing of them is left' if limit == 0 else 'their sign is turned'}",
                      "this is the largest length, or size, that they may keep, and not a switch: "
                      "the steps that follow "
                      + ("change nothing" if limit == 0 else "make the loss larger"),
                      "a size above 0, such as 1.0; to clip nothing leave out this line, or give "
                      "`float('inf')`")
        elif not params:
            self.find(where, "clipped-nothing", "there are no parameters to clip the gradients of",
                      "an iterator such as parameters() or filter() can be gone through only once: "
                      "the optimizer has done so", "keep parameters in a list, "
                      "`params = list(model.parameters())`, or ask for them anew")
        elif any(id(p) in self.fresh for p in params):
            if self.scaled and not any(id(p) in self.whole for p in params):
                self.find(where, "clipped-too-early", "the gradients that are clipped here are "
                          "those of the loss times the scaler's factor", "they are divided by the "
                          "factor after the clipping, and are far smaller then than was meant",
                          "call `scaler.unscale_(optimizer)` before clipping")
        else:
            self.on_clip_of_used(params, where)

    def on_clip_of_used(self, params: list[Tensor], where: Place) -> None:
        """Clipping of gradients none of which came since the last step."""
        if any(f.kind == "detached-loss" for f in self.doctor.report.findings):
            return                               # it is known why there is none
        filled = [p for p in params if p._grad is not None]
        used = bool(filled) and all(map(self.was_used, filled))
        if used or not any(reading.numbers(p._grad._data).any() for p in filled):
            self.find(where, "clipped-too-early",
                      "the gradients that are clipped here were used by step() before" if used else
                      f"there is no gradient to clip in {counted(len(params), 'parameter')}",
                      "clipping changes the gradients that are there when it is called, and no "
                      "later ones", "the order is zero_grad(), forward, backward(), "
                      "clip_grad_norm_(), step()")

    def was_used(self, p: Tensor) -> bool:
        """Whether p.grad is what the last step has used."""
        grad, number = self.used.get(id(p), (None, 0))
        return p._grad is grad is not None and fingerprint(grad._data) == number


NOT_CONNECTED = ("backward() started at a tensor that is not connected to the network: nothing is "
                 "trained")
SILENCED = "requires_grad was switched on by hand, which silences the error and repairs nothing"


class DetachedLoss(Check):
    """backward() of a tensor that no network computed, and that requires grad by hand."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.called: dict[int, Module] = {}      # the last ones, in order
        self.findings: dict[str, tuple] = {}     # by the line of the pass
        self.unconnected: tuple | None = None    # of the last pass, if its step finds nothing

    def on_call(self, module, outermost, result, where) -> None:
        self.called.pop(id(module), None)
        self.called[id(module)] = module
        if len(self.called) > CALLED:
            del self.called[next(iter(self.called))]

    @property
    def network(self) -> Module | None:
        """The last Module that was called and can be trained; if none can, the last one."""
        last = list(self.called.values())[::-1]
        return next(filter(trainable, last), next(iter(last), None))

    def on_step(self, optimizer, closure, where) -> None:
        if self.unconnected and all(p._grad is None for p in parameters_of(optimizer)):
            self.find(*self.unconnected)
        self.unconnected = None

    def before_pass(self, task) -> None:
        leaves = [n.variable for n in task.nodes if isinstance(n, AccumulateGrad)]
        if not self.called or not task.fills or any(
                self.doctor.is_trained(p) or self.is_stack(p) for p in leaves):
            self.unconnected = None
            return
        if str(task.where) not in self.findings:
            self.findings[str(task.where)] = self.finding(task)
        self.unconnected = self.findings[str(task.where)]
        if isinstance(task.roots[0], AccumulateGrad):
            self.find(*self.unconnected)
            self.unconnected = None

    def is_stack(self, leaf: Tensor) -> bool:
        """Whether a leaf may hold the same parameter of several networks, judged by its shape."""
        network = self.network
        return network is not None and leaf._data.ndim > 1 and any(
            leaf._data.shape[1:] == p._data.shape for p in network.parameters())

    def finding(self, task: Pass) -> tuple:
        """What to say of a pass that reaches nothing that is trained."""
        frame, network = user_frames()[0], self.network
        params = list(network.parameters())                  # type: ignore[union-attr]
        if params and not any(p.requires_grad for p in params):
            where = frozen_at(frame)
            name = self.doctor.named(network, "") or "net"   # type: ignore[arg-type]
            return (task.where, "detached-loss", NOT_CONNECTED, SILENCED + f"; all parameters of "
                    f"`{name}` are frozen" + (f", at {where}" if where else ""),
                    f"unfreeze what you want to train: `{name}.requires_grad_(True)`")
        env = env_of(frame)
        loss = None if env is None else breaks.argument(env, task.where)
        param = next(iter(params), None)
        cut = None if loss is None or env is None else (
            breaks.Search(anything=True).why(loss, env) or breaks.Search(param).why(loss, env))
        return (task.where, "detached-loss", NOT_CONNECTED,
                  SILENCED + (f"; the graph was cut at {cut.place}: {cut.what}"
                               if cut is not None and cut.place else ""),
                  cut.cure if cut is not None else "compute the loss from the network's output, "
                  "without detach(), item(), numpy() or torch.tensor() on the way",
                  str(cut.place) if cut is not None and cut.place else "")


CHECKS = (DetachedLoss, NotCleared, ClippedTooEarly, ThrownAway, SummedBatches,
          ClosureWithoutBackward)
