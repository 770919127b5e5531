"""Checks of train() and eval(): networks that are trained, or frozen, in the wrong mode."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .._state import state
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.dropout import _DropoutNd
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_settings import OfPasses
from .checks_training import parameters_of
from .places import Place
from .programs import called_name
from .words import counted


def acts_by_mode(module: Module) -> bool:
    """Whether a network computes something else in training than in evaluation."""
    return any(isinstance(m, (_BatchNorm, _DropoutNd)) for m in module.modules())


TURNS = 3                # turns: from training to evaluation, back, and there again


@dataclass
class Line:
    """A line that calls a network, and the passes by which a step has trained it from there."""

    module: Module
    where: Place
    began_in_training: bool
    passes: int = 0
    in_eval: int = 0                             # the last ones
    stepped: bool = False                        # an optimizer has changed the network
    meant: bool = False                          # others were in training mode in the same pass
    steps: dict[int, Place] = field(default_factory=dict)    # of the optimizers that followed


class LeftInEval(Check):
    """A line trained a network in training mode, and now goes on doing so in eval() mode."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple[int, str], Line] = {}
        self.waiting: list[tuple[Module, Place, bool, bool]] = []    # for a step(): no probe
        self.modes: dict[int, bool] = {}         # of networks at their last steps,
        self.turns: Counter[int] = Counter()     # and how often that has changed

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is not None and (node := reading.first_head(result)) is not None:
            node._mode = module, where, module.training

    def after_pass(self, task: Pass) -> None:
        if not task.fills:                       # the gradient of an input, as in an attack
            return
        found = [mode for node in task.nodes if (mode := getattr(node, "_mode", None)) is not None]
        mixed = len({training for _, _, training in found}) > 1
        self.waiting += [(*mode, mixed) for mode in found]

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        changed = {id(p) for p in parameters_of(optimizer)}
        modes = {(id(module), training) for module, _, training, _ in self.waiting}
        for module, place, training, mixed in self.waiting:
            line = self.lines.setdefault((id(module), str(place)), Line(module, place, training))
            line.passes += 1
            line.in_eval = 0 if training else line.in_eval + 1
            attack = (id(module), not training) in modes
            line.meant = line.meant or mixed or attack
            line.stepped = line.stepped or not changed.isdisjoint(map(id, module.parameters()))
            line.steps[id(optimizer)] = where
            self.turns[id(module)] += self.modes.get(id(module), training) != training
            self.modes[id(module)] = training
        self.waiting.clear()

    def at_end(self) -> None:
        for line in self.lines.values():
            if not (line.stepped and line.in_eval):
                continue
            step = self.of_the_training(line)
            if step is not None:
                self.find(step, "trained-in-evaluation", "this step() trains the network in its "
                          f"evaluation, {counted(line.passes, 'time')}, in eval() mode",
                          "the examples that are to measure the training are learned too: what is "
                          "measured says nothing of new ones", "leave out backward() and step() "
                          "here, and put the evaluation into `with torch.no_grad():`")
            elif not acts_by_mode(line.module):
                continue
            elif line.began_in_training:
                self.find(line.where, "left-in-eval", f"the last {line.in_eval} of {line.passes} "
                          "passes trained the network in eval() mode",
                          "after an evaluation it was not set back: Dropout is off, and BatchNorm "
                          "uses its averages instead of learning them",
                          "call train() at the beginning of each epoch")
            elif line.passes >= 5 and not line.meant and all(
                    p.requires_grad for p in line.module.parameters()):
                self.find(line.where, "left-in-eval", f"all {line.passes} passes trained the "
                          "network in eval() mode", "Dropout is off, and BatchNorm uses its "
                          "averages instead of learning them", "call train() before training, and "
                          "again after each evaluation", str(line.where))

    def of_the_training(self, line: Line) -> Place | None:
        """A step after a line that always runs in eval() mode, in turn with the steps of training.

        None if no optimizer is used for both.
        """
        if self.turns[id(line.module)] < TURNS or line.in_eval < line.passes or line.meant:
            return None
        training = [other for other in self.lines.values() if other.module is line.module
                    and other.began_in_training and not other.in_eval]
        return next((where for key, where in line.steps.items()
                     if any(key in other.steps for other in training)), None)


@dataclass
class Evaluation:
    """A line that calls a network in training mode while nothing is recorded."""

    module: Module
    where: Place
    times: int = 0


class EvaluatedInTraining(Check):
    """A network in training mode is measured: compared with labels, under no_grad()."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple[int, str], Evaluation] = {}
        self.stepped: set[int] = set()           # parameters that an optimizer changes

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is not None and module.training and not state.grad:
            key = id(module), str(where)
            self.lines.setdefault(key, Evaluation(module, where)).times += 1

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        self.stepped |= {id(p) for p in parameters_of(optimizer) if p._grad is not None}

    def at_end(self) -> None:
        for line in self.lines.values():
            trained = any(id(p) in self.stepped for p in line.module.parameters())
            if not (trained and acts_by_mode(line.module) and is_measured(line.where)):
                continue
            name = self.doctor.named(line.module, "") or "net"
            self.find(line.where, "measured-in-training-mode", "the network was evaluated in "
                      f"training mode {counted(line.times, 'time')}", "Dropout is on, and "
                      "BatchNorm uses the mean of this batch, which it also learns from: what is "
                      "measured is another network than the one that you will use",
                      f"call `{name}.eval()` before the evaluation, and `{name}.train()` before "
                      "training goes on")


MEASURES = ("cross_entropy", "nll_loss", "criterion", "loss_fn", "loss_func", "loss_function",
            "mse_loss", "l1_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
            "accuracy", "accuracy_score")


def is_measured(where: Place) -> bool:
    """Whether the result of a call is compared with targets: by ==, or in a loss."""
    source = S.read(where.file)
    begun = None if source is None else S.statement_at(source, where)
    if begun is None:
        return False
    over = {n for loop in ast.walk(begun) if isinstance(loop, ast.comprehension)
            for n in S.names_in(loop.target)}
    if any(isinstance(n, ast.comprehension) for n in ast.walk(begun)):
        return compares_batches(begun, over)     # or several calls: a committee, or dropout's
    scope = next(n for n in S.around(begun) if isinstance(n, S.Scope))
    derived: set[str] = set()
    for node in S.inside(scope):
        if not isinstance(node, ast.stmt) or hasattr(node, "body") or node.lineno < begun.lineno:
            continue
        if node is not begun and not derived & S.names_in(node):
            continue
        for part in ast.walk(node):
            measure = isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Eq) or (
                isinstance(part, ast.Call) and called_name(part) in MEASURES)
            if measure and (derived & S.names_in(part) or node is begun and any(
                    isinstance(n, ast.Call) and n is not part for n in ast.walk(part))):
                return True
        derived |= {n for target in S.targets(node) for n in S.names_in(target)}
    return False


def compares_batches(begun: ast.stmt, over: set[str]) -> bool:
    """Whether `(net(x).argmax(1) == y).sum() for x, y in batches` is a part of a statement."""
    return any(isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Eq) and any(
        isinstance(call, ast.Call) and any(over & S.names_in(a) for a in call.args)
        for call in ast.walk(n)) for n in ast.walk(begun))


class FrozenBatchNorm(Check):
    """A frozen BatchNorm was kept in eval() mode until train() of the whole network undid that."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.norms: dict[int, list[tuple[str, _BatchNorm]]] = {}         # by network
        self.kept: set[int] = set()              # were in eval() while the network was in train()
        self.told: set[int] = set()

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if not module.training:
            return
        if id(module) not in self.norms:
            self.norms[id(module)] = [(path, m) for path, m in module.named_modules()
                                      if isinstance(m, _BatchNorm)]
        frozen = [(path, m) for path, m in self.norms[id(module)]
                  if not any(p.requires_grad for p in m.parameters())]
        undone = [path for path, m in frozen if m.training and id(m) in self.kept]
        self.kept |= {id(m) for _, m in frozen if not m.training}
        if undone and id(module) not in self.told:
            self.told.add(id(module))
            names = ", ".join(f"`{self.doctor.named(module, path)}`" for path in undone[:4])
            self.find(where, "frozen-batch-norm",
                      f"{names} was frozen in eval() mode, and is in training mode again",
                      "train() of the whole network sets its parts back too: BatchNorm goes on "
                      "changing its running averages, though its parameters are frozen",
                      "call eval() on the frozen part after every train() of the whole")


class ModeByHand(Check):
    """`net.training = False`, which does not reach the layers."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.networks: dict[int, tuple[Module, str]] = {}        # and the file that calls it

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if where is not None:
            self.networks.setdefault(id(module), (module, where.file))

    def at_end(self) -> None:
        for network, file in self.networks.values():
            name = self.doctor.named(network, "").rpartition(".")[2]
            parts = [m for m in network.modules() if m is not network]
            source = S.read(file) if name and any(map(acts_by_mode, parts)) else None
            lines = [n for n in source.nodes for t in S.targets(n)
                     if isinstance(t, ast.Attribute) and t.attr == "training"
                     and ast.unparse(t.value).split(".")[-1] == name] if source is not None else []
            off = [n for n in lines if getattr(getattr(n, "value", None), "value", None) is False]
            if lines and source is not None:
                self.find(source.place((off or lines)[0]), "no-such-setting",
                          f"this sets the mode of `{name}` alone, not that of its layers",
                          "each layer has its own `training`, by which Dropout and BatchNorm go: "
                          "they stay in the mode that they were in",
                          f"`{name}.eval()` and `{name}.train()` set it in all layers")
                return


class ShareThatIsKept(OfPasses):
    """`nn.Dropout(keep_prob)`: here it is the share that is left out."""

    def read(self, source: S.Source) -> None:
        for node in source.nodes:
            if not isinstance(node, ast.Call) or not re.match(
                    r"(alpha_|feature_)?dropout[123]?d?$", called_name(node), re.IGNORECASE):
                continue
            function = called_name(node)[0].islower()
            share = next((k.value for k in node.keywords if k.arg == "p"),
                         node.args[function] if len(node.args) > function else None)
            if isinstance(share, (ast.Name, ast.Attribute)) and KEPT.search(ast.unparse(share)):
                text = ast.unparse(share)
                self.find(source.place(node), "share-that-is-kept", f"`{text}` is given to "
                          f"{called_name(node)}() as its `p`", "`p` is the share of numbers that "
                          "is left out: where 0.9 is to be kept, a tenth is, and the network "
                          "hardly learns", f"`{called_name(node)}(1 - {text})`"
                          if not function else f"`p=1 - {text}`")


KEPT = re.compile(r"keep", re.IGNORECASE)


CHECKS = (ShareThatIsKept, LeftInEval, EvaluatedInTraining, FrozenBatchNorm, ModeByHand)
