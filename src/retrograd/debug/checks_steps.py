"""Checks of step(): where it finds no gradient, and where it is never called."""

from __future__ import annotations

import ast
import re
import weakref
from collections import Counter
from dataclasses import dataclass
from typing import Any

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass
from .checks_training import PASSES, PASSES_KEPT, parameters_of, variable_at
from .names import Names
from .places import Place, user_frames
from .reading import fingerprint
from .words import counted, listed

COUNTED = 4              # first steps, in which the batches in their gradients are counted


@dataclass
class EmptyStep:
    """A step() that found no gradient."""

    optimizer: Optimizer
    where: Place
    cleared: bool                # its parameters had gradients before
    others: dict[int, str]       # what got gradients instead, by id: names
    own: list[str]               # the names of some of its parameters
    copies: list[str]            # those of others, of the same shapes, that got gradients
    replicas: int                # networks of its shapes among what got gradients instead
    times: int = 1


class StepWithoutGradient(Check):
    """step() before any backward(), after zero_grad(), or with another network's parameters."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.reached: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        self.latest: dict[int, int] = {}         # leaf -> the pass that has reached it last
        self.optimized: set[int] = set()
        self.useful: set[int] = set()            # optimizers that found gradients some time
        self.steps: dict[str, EmptyStep] = {}    # by line
        self.made: dict[int, str] = {}           # the lines that made the optimizers

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.made[id(optimizer)] = where.text

    def before_pass(self, task: Pass) -> None:
        for node in task.asked:                  # by autograd.grad()
            if isinstance(node, AccumulateGrad):
                self.doctor.asked[id(node.variable)] = task.where

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        self.reached[id(leaf)] = leaf
        self.latest[id(leaf)] = self.doctor.passes

    def on_step(self, optimizer, closure: Any, where: Place) -> None:
        params = parameters_of(optimizer)
        self.optimized |= {id(p) for p in params}
        if closure is not None or not params or any(p._grad is not None for p in params):
            self.useful.add(id(optimizer))
            return
        if str(where) in self.steps:
            self.steps[str(where)].times += 1
            return
        others = [p for key, p in self.reached.items() if key not in self.optimized]
        shapes = {p._data.shape for p in params}
        copies = [p for p in self.reached.values() if id(p) in self.optimized
                  and p._data.shape in shapes and all(p is not q for q in params)]
        names = Names(user_frames()) if others or copies else None
        self.steps[str(where)] = EmptyStep(
            optimizer, where, any(self.latest.get(id(p)) == self.doctor.passes for p in params),
            {id(p): n for p in others if names is not None and (n := names.of(p))},
            [n for p in params if names is not None and (n := names.of(p))],
            [n for p in copies if names is not None and (n := names.of(p))]
            if len(copies) >= len(params) else [], times_over(others, params))

    def at_end(self) -> None:
        if any(f.kind == "detached-loss" for f in self.doctor.report.findings):
            return                               # this is what follows from it
        for step in self.steps.values():
            params = parameters_of(step.optimizer)
            if all(id(p) in self.doctor.explained for p in params):
                continue                         # there is a finding that they get no gradient
            why, cure, cause = self.reason(step, params)
            for _ in range(step.times):
                self.find(step.where, "step-without-gradient",
                          f"step() found no gradient in its {counted(len(params), 'parameter')}: "
                          "nothing was changed", why, cure, cause)

    def reason(self, step: EmptyStep, params: list[Tensor]) -> tuple[str, str, str]:
        """(why an optimizer found no gradient, the cure, the line to blame)."""
        order = "the order is zero_grad(), forward, backward(), step()"
        if step.cleared:
            return ("zero_grad() came between backward() and step() and threw the gradients away",
                    order, "")
        taken = [cut for p in params for cut in self.doctor.taken.get(id(p), {}).values()]
        if taken and not any(id(p) in self.reached for p in params):
            where, what = taken[0]
            return (f"the way back to them is cut at {where}: {where.text}",
                    f"leave out {what} there", str(where))
        useful = id(step.optimizer) in self.useful
        copies = [n for n in step.copies if n not in step.own]
        if copies and not useful:
            return (f"backward() filled those of {listed(copies)} instead, which another optimizer "
                    "steps: the loss was computed with that network", "compute it with the network "
                    "that this optimizer was given; if the other one is a copy that works for it, "
                    "hand the gradients over: `p.grad = q.grad` for each parameter p and its copy "
                    "q", "")
        others = [n for key, n in step.others.items() if key not in self.optimized]
        asked = [self.doctor.asked[id(p)] for p in params if id(p) in self.doctor.asked]
        if len(asked) == len(params) and not others:
            return (f"autograd.grad() at {asked[0]} returns their gradients, and leaves .grad as "
                    "it is, which step() goes by", "`loss.backward()`, which fills .grad; or fill "
                    "it: `for p, g in zip(params, grads): p.grad = g`", "")
        if others and useful and others[0].isidentifier():
            name = others[0]
            return (f"backward() filled that of `{name}`, which is another tensor by now than the "
                    "one that the optimizer was given", "change the numbers of the same tensor, "
                    f"inside of `with torch.no_grad():`, as by `{name}.copy_(...)` or "
                    f"`{name}.clamp_(...)`, instead of making a new one", f"new tensor: {name}")
        if not others or useful:
            return "no backward() had reached these parameters yet", order, "not called: backward"
        return (*self.not_given(step, others), "")

    def not_given(self, step: EmptyStep, others: list[str]) -> tuple[str, str]:
        """For gradients of tensors `others` that no optimizer has: (why, cure)."""
        why = f"backward() filled those of {listed(others)} instead, which no optimizer was given"
        kind, owner = type(step.optimizer).__name__, others[0].partition(".")[0]
        owner = ".".join(others[0].split(".")[:2]) if owner == "self" else owner
        entries, bracket, _ = others[0].partition("[")
        if bracket and all(name.startswith(entries + "[") for name in others):
            return (f"backward() filled those in `{entries}` instead, which no optimizer was given",
                    f"give it what the loss is computed with, the tensors in `{entries}`: "
                    f"`torch.optim.{kind}({entries}.values(), ...)` for those of a dict")
        if owner == others[0]:
            return why, f"give it what the loss is computed with: `torch.optim.{kind}" \
                f"([{', '.join(others[:4])}], ...)`"
        if (net := common_owner(step.own)) and are_of_recorded_copy(step, others, net):
            return (f"{why}: `{owner}` is a copy of `{net}`, and a step by `-=` under no_grad(), "
                    "or through .data, is not recorded, so that nothing leads back to that",
                    "to learn through the steps, as MAML does, make no copy: `torch.func."
                    f"functional_call({net}, params, (x,))` with `params[name] = p - lr * grad`")
        if step.replicas > 1 and net:
            return (f"{why}: {step.replicas} networks of the same shapes as `{net}`",
                    f"if these are copies of `{net}`, add their gradients to its own before the "
                    "step, `p.grad = p1.grad + p2.grad`, and load its numbers into them after it; "
                    f"otherwise compute the loss with `{net}` itself")
        cure = ("give it the parameters of the network that the loss is computed with: "
                f"`torch.optim.{kind}({{}}.parameters(), ...)`")
        whole, own = common_owner(others), common_owner(step.own)
        both = common_owner([f"{own}.", f"{whole}."])        # the network that both are parts of
        if own and whole and both not in (own, whole, *self.doctor.networks.values()):
            return f"{why}: it was given those of `{own}`", cure.format(whole)
        if any(name.startswith(owner + ".") for name in step.own) or (
                f"{owner}.parameters()" in self.made.get(id(step.optimizer), "")):
            return (f"{why}: `{owner}` was changed after the optimizer was made",
                    "make the optimizer after the last change to the network")
        return why, cure.format(owner)


def are_of_recorded_copy(step: EmptyStep, others: list[str], net: str) -> bool:
    """Whether the program has recorded gradients of `others`, of a copy of `net` made in a loop."""
    source, part = S.read(step.where.file), re.escape(net.rpartition(".")[2])
    ends = tuple(name.removeprefix(net) for name in step.own)
    if source is None or not all(name.endswith(ends) for name in others):
        return False
    copied = re.compile(rf"(copy\.)?deepcopy\(([\w.]+\.)?{part}\)")
    calls = [n for n in source.nodes if isinstance(n, ast.Call)]
    return "create_graph=True" in ast.unparse(source.tree) and any(
        copied.fullmatch(ast.unparse(n)) and S.loop_of(n) is not None for n in calls)


def times_over(others: list[Tensor], params: list[Tensor]) -> int:
    """How many copies of these parameters the others are, judged by shapes; 0 if they are none."""
    shapes, wanted = (Counter(p._data.shape for p in several) for several in (others, params))
    times = len(others) // len(params)
    return times if shapes == {shape: times * n for shape, n in wanted.items()} else 0


def common_owner(names: list[str]) -> str:
    """The network that all these parameters are of: "agent.policy" for its two layers' weights."""
    parts = [name.split(".")[:-1] for name in names]
    same = 0
    while parts and all(len(p) > same and p[same] == parts[0][same] for p in parts):
        same += 1
    return ".".join(parts[0][:same]) if parts else ""


class NeverStepped(Check):
    """An optimizer whose parameters get gradients, and whose step() is never called."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.idle: dict[int, tuple[Optimizer, Place, list[int]]] = {}
        self.passes: dict[int, int] = {}         # of each leaf

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        prints = [fingerprint(p._data) for p in parameters_of(optimizer)]
        self.idle[id(optimizer)] = optimizer, where, prints

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.idle.pop(id(optimizer), None)

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        self.passes[id(leaf)] = self.passes.get(id(leaf), 0) + 1

    def at_end(self) -> None:
        for optimizer, where, prints in self.idle.values():
            params = parameters_of(optimizer)
            most = max([self.passes.get(id(p), 0) for p in params], default=0)
            if most >= PASSES and prints == [fingerprint(p._data) for p in params]:
                self.find(where, "never-stepped", f"step() of this optimizer was never called, "
                          f"while backward() reached its parameters {most} times",
                          "backward() computes gradients and changes no parameter: that is what "
                          "step() does", f"call `{variable_at(where) or 'optimizer'}.step()` after "
                          "backward()", "not called: step")


class ScaledStep(Check):
    """optimizer.step() with the gradients of a loss that a GradScaler has multiplied."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.is_scaled = False                   # the next backward() is of a scaled loss
        self.of_scaled = False                   # the one that runs is
        self.steps = 0                           # with such gradients
        self.filled: dict[int, Tensor] = {}      # leaves with gradients of such a loss
        self.scaled: dict[int, tuple[weakref.ref, int]] = {}     # these, as backward() left them

    def on_scaler(self, optimizer: Optimizer | None) -> None:
        if optimizer is None:
            self.is_scaled = True
        else:
            for p in parameters_of(optimizer):
                self.scaled.pop(id(p), None)

    def before_pass(self, task: Pass) -> None:
        self.of_scaled = self.is_scaled and task.fills and (
            type(task.roots[0]).__name__ == "MulBackward0")
        self.is_scaled &= not self.of_scaled

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        self.scaled.pop(id(leaf), None)
        if self.of_scaled and self.doctor.is_trained(leaf):
            self.filled[id(leaf)] = leaf

    def after_pass(self, task: Pass) -> None:
        self.scaled |= {key: (weakref.ref(p._grad), p._grad._cell[0])
                        for key, p in self.filled.items() if p._grad is not None}
        self.filled.clear()

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        used = [p for p in parameters_of(optimizer) if self.is_as_scaled(p)]
        if used and closure is None and getattr(optimizer, "grad_scale", None) is None:
            self.steps += 1
            if self.steps == 1:
                return                           # update() raises an error after it, if it is there
            name, called, _ = where.expression.partition(".step(")
            name = name if called else "optimizer"
            self.find(where, "scaled-step", "this step uses the gradients of the loss times the "
                      f"scaler's factor, of {counted(len(used), 'parameter')}",
                      "step() by itself does not divide them by the factor, 65536 at first: a step "
                      "of SGD is that many times too large", f"`scaler.step({name})` instead, and "
                      "`scaler.update()` after it: without that the factor stays as it is")

    def is_as_scaled(self, p: Tensor) -> bool:
        """Whether p.grad is what backward() of a scaled loss has left."""
        grad, version = self.scaled.get(id(p), (None, 0))
        return grad is not None and grad() is p._grad is not None and p._grad._cell[0] == version


ATTACK = re.compile("adv|attack|pert|fgsm|pgd|fgm", re.IGNORECASE)
TIMES = 2                    # steps that say something


@dataclass
class Part:
    """A pass whose gradients are in those of the network: its line, and whether inputs get some."""

    where: Place
    of_inputs: bool


class AttackInStep(Check):
    """Gradients left by an attack, which optimizes an input, end up in the next training step.

    This is intended where the network should learn from each of the attack's inputs: there the
    last pass before the step is one of the attack.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.now: Part | None = None
        self.parts: dict[int, list[Part]] = {}   # what is in the gradients, once there was an input
        self.steps: dict[str, tuple[Place, int]] = {}        # by the line of the attack's pass

    def before_pass(self, task: Pass) -> None:
        inputs = any(isinstance(n, AccumulateGrad) and not self.doctor.is_trained(n.variable)
                     for n in task.nodes)
        self.now = Part(task.where, inputs) if task.fills and (inputs or self.parts) else None

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if self.now is not None and self.doctor.is_trained(leaf):
            parts = self.parts.setdefault(id(leaf), [])
            if leaf._grad is None or not reading.numbers(leaf._grad._data).any():
                parts.clear()
            parts.append(self.now)
            del parts[:-PASSES_KEPT]             # of many passes without a step

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        for p in parameters_of(optimizer):
            parts = self.parts.get(id(p), []) if p._grad is not None else []
            attacks = [part.where for part in parts if part.of_inputs]
            if attacks and not parts[-1].of_inputs and is_attack(attacks, parts[-1].where):
                line, times = attacks[0], self.steps.get(str(attacks[0]), (None, 0))[1]
                self.steps[str(line)] = line, times + 1
                break
        self.parts.clear()

    def at_end(self) -> None:
        for line, times in self.steps.values():
            if times >= TIMES:
                self.find(line, "attack-in-step", "the gradients of the passes that look for an "
                          f"adversarial input are still there when a step() follows: {times} steps "
                          "went by their sum with those of the training", "backward() fills the "
                          ".grad of the network as well, not only that of the input",
                          "clear them after the attack, optimizer.zero_grad(); or compute the "
                          "gradient of the input alone there: `g, = torch.autograd.grad(loss, x)`")


def is_attack(lines: list[Place], last: Place) -> bool:
    """Whether passes belong to a loop, or a function, that reads the gradient of its input.

    The last pass must not be part of it.
    """
    source = S.read(lines[0].file)
    statement = None if source is None else S.statement_at(source, lines[0])
    if source is None or statement is None or len({str(line) for line in lines}) > 1:
        return False
    own = next((n for n in S.around(statement) if isinstance(n, S.Function)), None)
    loop = S.loop_of(statement) if len(lines) > 1 else None
    outer = loop or (own if own is not None and ATTACK.search(getattr(own, "name", "")) else None)
    after = S.statement_at(source, last) if last.file == lines[0].file else None
    return outer is not None and (after is None or not S.holds(outer, after)) and any(
        isinstance(n, ast.Attribute) and n.attr == "grad" and not (
            isinstance(n.parent, ast.Call) and n.parent.func is n)
        for n in ast.walk(outer))


class FirstBatchAlone(Check):
    """`if i % 4 == 0: step()` counted from 0: the first batch steps alone, the last ones never."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.passes: dict[int, int] = {}         # in the gradient of an optimizer's first parameter
        self.steps: dict[tuple[int, str], tuple[Place, list[int]]] = {}

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        self.passes[id(parameters_of(optimizer)[0])] = 0

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if id(leaf) in self.passes:
            fresh = leaf._grad is None or not reading.numbers(leaf._grad._data).any()
            self.passes[id(leaf)] = 1 if fresh else self.passes[id(leaf)] + 1

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        passes = self.passes.get(id(parameters_of(optimizer)[0]), 0)
        counts = self.steps.setdefault((id(optimizer), str(where)), (where, []))[1]
        if len(counts) < COUNTED:
            counts.append(passes)

    def at_end(self) -> None:
        for where, (first, *others) in self.steps.values():
            if {first, *others} == {1, 2} and (inverted := bare_remainder(where)):
                self.find(inverted[0], "first-batch-alone", f"`if {inverted[1]}:` holds in every "
                          f"iteration but one of {inverted[2]}", "a remainder counts as true where "
                          "it is not 0: steps come with the gradient of single batches, and only "
                          "one of several batches waits for the next",
                          f"`if {inverted[1]} == 0:`")
            test = remainder_around(where) if first == 1 and len(others) > 1 else None
            if test is not None and others[0] > 1 and len(set(others[:-1])) == 1:
                self.find(test[0], "first-batch-alone", "the first step uses the gradient of one "
                          f"batch, those after it of {others[0]}", f"`{test[1]}` is so for 0 "
                          "already: a step comes after the first batch, and the last batches of "
                          "an epoch come into none, or into the next epoch's first step",
                          f"count from 1: `{test[2]}`")


def remainder_around(where: Place) -> tuple[Place, str, str] | None:
    """The `if i % n == 0:` around a line, what it says, and what counts from 1."""
    source = S.read(where.file)
    line = None if source is None else S.statement_at(source, where)
    for node in S.around(line) if line is not None else ():
        test = node.test if isinstance(node, ast.If) else None
        if isinstance(test, ast.Compare) and isinstance(test.left, ast.BinOp) and isinstance(
                test.left.op, ast.Mod) and isinstance(test.left.left, ast.Name):
            said, name = ast.unparse(test), test.left.left.id
            return source.place(node), said, said.replace(name, f"({name} + 1)", 1)
    return None


def bare_remainder(where: Place) -> tuple[Place, str, str] | None:
    """The `if (i + 1) % n:` around a line, what it says, and `n`."""
    source = S.read(where.file)
    line = None if source is None else S.statement_at(source, where)
    for node in S.around(line) if line is not None else ():
        test = node.test if isinstance(node, ast.If) else None
        if isinstance(test, ast.BinOp) and isinstance(test.op, ast.Mod):
            return source.place(node), ast.unparse(test), ast.unparse(test.right)
    return None


CHECKS = (StepWithoutGradient, NeverStepped, ScaledStep, AttackInStep, FirstBatchAlone)
