"""Checks of settings with another meaning here, of reset weights, and of a program's optimizers."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

from .._tensor import Tensor
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from . import source as S
from .check import Check, only
from .checks_training import parameters_of
from .places import Place, is_our_class, of_frame, outwards, place, user_frames
from .programs import called_name

TIMES = 2                # how often weights have to begin anew between two steps
STEPS = 2                # steps of an optimizer that keeps nothing
SPELLED = {              # settings of groups, and how else they are spelled
    "lr": {"learning_rate", "learningrate", "learn_rate", "rate", "LR", "base_lr"},
    "weight_decay": {"wd", "decay", "weightdecay", "l2"},
    "momentum": {"mom", "momentun"},
    "betas": {"beta", "beta1"},
}


class UnknownSetting(Check):
    """`{"params": ..., "learning_rate": 1e-5}`: a setting of a group that the optimizer ignores."""

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        known = {"params", "param_names", *optimizer.defaults}
        unread = {key for group in optimizer.param_groups for key in group} - known
        for key in unread if is_our_class(type(optimizer)) else ():
            meant = next((k for k, names in SPELLED.items() if key in names
                          and k in optimizer.defaults), None)
            if meant is not None and not reads_key(where.file, key):
                self.find(where, "no-such-setting", f"a group of parameters has a setting {key!r}, "
                          f"which {type(optimizer).__name__} does not know: its `{meant}` is "
                          f"{optimizer.defaults[meant]}, as for all",
                          "an optimizer keeps settings of other names, for the program's own use",
                          f"`{meant!r}: ...` in place of `{key!r}: ...`")


def reads_key(file: str, key: str) -> bool:
    """Whether a file reads or sets `group[key]`, apart from the dict it gives an optimizer."""
    source = S.read(file)
    return source is not None and any(
        isinstance(n, ast.Subscript) and getattr(n.slice, "value", None) == key or isinstance(
            n, ast.Call) and called_name(n) in ("get", "pop", "setdefault") and n.args and (
                getattr(n.args[0], "value", None) == key) for n in source.nodes)


class StateNotKept(Check):
    """`state = self.state.get(p, {})` in an optimizer of the program: a state of one step each."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.steps: dict[int, int] = {}          # of optimizers of the program's own

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        if not is_our_class(type(optimizer)):
            self.steps[id(optimizer)] = 0

    def after_step(self, optimizer: Optimizer, closure: Any) -> None:
        if id(optimizer) in self.steps and not optimizer.state:
            self.steps[id(optimizer)] += 1
            if self.steps[id(optimizer)] == STEPS:
                self.look_at(type(optimizer))

    def look_at(self, kind: type) -> None:
        code = getattr(inspect.unwrap(kind.step), "__code__", None)
        source = None if code is None else S.read(code.co_filename)
        function = None if source is None or code is None else source.scope(code)
        for node in ast.walk(function) if isinstance(function, S.Function) else ():
            if isinstance(node, ast.Call) and S.dotted(node.func) == "self.state.get" and (
                    len(node.args) == 2):
                text = f"self.state[{ast.unparse(node.args[0])}]"
                self.find(source.place(S.statement(node)), "state-not-kept",
                          f"after {STEPS} steps the state of this optimizer is still empty",
                          "get() gives a new dict each time, and what is put into it belongs to no "
                          "parameter: averages and momentum begin at 0 in every step",
                          f"`{text}`, which makes a dict for a parameter and keeps it")


class BegunAnew(Check):
    """model.apply(init) in each epoch: what was learned is overwritten.

    A new start for each fold, or one now and then, is meant.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.steppers: dict[int, int] = {}       # the optimizer that has stepped a parameter
        self.last: int | None = None             # the one that has stepped last
        self.reset: dict[int, tuple[int, Place]] = {}    # parameters: that optimizer, and the line
        self.lines: dict[str, list] = {}

    def on_init(self, t: Tensor) -> None:
        if id(t) in self.steppers:
            self.reset[id(t)] = self.steppers[id(t)], outside_of_apply()

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        if not self.reset and self.last == id(optimizer):
            return
        params, self.last = parameters_of(optimizer), id(optimizer)
        found = [self.reset.pop(id(p)) for p in params if id(p) in self.reset]
        for line in {str(line): line for number, line in found if number == id(optimizer)}.values():
            self.lines.setdefault(str(line), [line, 0])[1] += 1
        self.steppers.update((id(p), id(optimizer)) for p in params)

    def at_end(self) -> None:
        for line, times in self.lines.values():
            if times >= TIMES and is_of_each_epoch(line):
                self.find(line, "begun-anew", f"weights that were trained get new random numbers "
                          f"here, {times} times, and the same optimizer goes on with them",
                          "what was learned until then is thrown away each time",
                          "initialize them once, before training begins")


def outside_of_apply() -> Place:
    """The line that the program is at; within a function given to Module.apply(), that call's."""
    frames = list(outwards(sys._getframe(1)))
    applied = [k for k, f in enumerate(frames) if f.f_code is Module.apply.__code__]
    return of_frame(user_frames(frames[applied[-1] if applied else 0])[0])


def is_of_each_epoch(where: Place) -> bool:
    """Whether a line runs in every turn of a loop over epochs."""
    source = S.read(where.file)
    statement = None if source is None else S.statement_at(source, where)
    asked: set[str] = set()                      # names that conditions on the way depend on
    for outer in S.around(statement) if statement is not None else ():
        if isinstance(outer, S.Scope):
            return False
        if isinstance(outer, ast.If):
            asked |= S.names_in(outer.test)
        elif isinstance(outer, ast.For) and "epoch" in ast.unparse(
                [outer.target, outer.iter]).lower():
            return not asked & S.names_in(outer.target)
    return False


class OfNewBatches(Check):
    """nn.BatchNorm2d(8, momentum=0.99), as in Keras, where momentum is the old average's share."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, tuple] = {}         # the lines that made these, as attributes
        self.seen: set[int] = set()

    def on_part(self, module: Module, name: str, part: Parameter | Module,
                line: tuple) -> None:
        if isinstance(part, _BatchNorm):
            self.made.setdefault(id(part), line)

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if id(module) in self.seen or not module.training:
            return
        self.seen.add(id(module))
        for path, norm in module.named_modules():
            if isinstance(norm, _BatchNorm) and norm.momentum is not None and (
                    0.9 <= norm.momentum < 1 and norm.track_running_stats):
                line = self.made.get(id(norm))
                old = round(1 - norm.momentum, 6)
                self.find(place(*line) if line else where, "momentum-of-new",
                          f"`{self.doctor.named(module, path)}` has momentum={norm.momentum}: its "
                          f"running averages are {norm.momentum:.0%} those of the last batch",
                          "here momentum is the share of the new batch, in TensorFlow and Keras "
                          "that of the old average: in eval() mode the network goes by one batch",
                          f"`momentum={old}`; 0.1 if it is left out")
                return


class OtherNumbers(Check):
    """checkpoint(..., preserve_rng_state=False) of a Dropout, which drops other units then."""

    def on_checkpoint(self, drawn: bool, where: Place) -> None:
        if drawn:
            self.find(where, "other-numbers", "what is run here draws random numbers, as Dropout "
                      "does, and backward() will run it again with other ones",
                      "preserve_rng_state=False keeps no state of the random numbers: gradients "
                      "are those of another result than the loss was computed from",
                      "leave out preserve_rng_state=False")


CHECKS = (UnknownSetting, StateNotKept, BegunAnew, OfNewBatches, OtherNumbers)
