"""Checks of train() and eval(): networks that are trained, or frozen, in the wrong mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._state import state
from .._tensor import Tensor
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.dropout import _DropoutNd
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from .doctor import Check, Pass
from .places import Place


def acts_by_mode(module: Module) -> bool:
    """Whether a network computes something else in training than in evaluation."""
    return any(isinstance(m, (_BatchNorm, _DropoutNd)) for m in module.modules())


@dataclass
class Line:
    """A line that calls a network, and the passes by which a step has trained it from there."""

    module: Module
    where: Place
    began_in_training: bool
    passes: int = 0
    in_eval: int = 0                             # the last ones


class LeftInEval(Check):
    """A line that trained a network in training mode goes on in eval() mode."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple[int, str], Line] = {}
        self.waiting: list[tuple[Module, Place, bool]] = []      # for a step(): no attack, no probe

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if outermost and where is not None and isinstance(result, Tensor) and result.grad_fn:
            result.grad_fn._mode = module, where, module.training

    def after_pass(self, task: Pass) -> None:
        found = [getattr(node, "_mode", None) for node in task.nodes]
        self.waiting += [mode for mode in found if mode is not None]

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        for module, place, training in self.waiting:
            line = self.lines.setdefault((id(module), str(place)), Line(module, place, training))
            line.passes += 1
            line.in_eval = 0 if training else line.in_eval + 1
        self.waiting.clear()

    def at_end(self) -> None:
        for line in self.lines.values():
            if line.began_in_training and line.in_eval and acts_by_mode(line.module):
                self.find(line.where, "left-in-eval", f"the last {line.in_eval} of {line.passes} "
                          "passes trained the network in eval() mode",
                          "after an evaluation it was not set back: Dropout is off, and BatchNorm "
                          "uses its averages instead of learning them",
                          "call train() at the beginning of each epoch")


class FrozenBatchNorm(Check):
    """Frozen layers whose BatchNorm still follows the data, since they are in training mode."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.roots: dict[int, tuple[Module, Place | None]] = {}
        self.frozen: dict[int, tuple[Module, int]] = {}          # and the passes before it
        self.trained: set[int] = set()           # trained at times, as in a GAN

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if outermost:
            self.roots.setdefault(id(module), (module, where))
        if isinstance(module, _BatchNorm) and module.affine:
            if any(p.requires_grad for p in module.parameters()):
                self.trained.add(id(module))
            elif module.training and module.track_running_stats and state.grad:
                self.frozen.setdefault(id(module), (module, self.doctor.passes))

    def at_end(self) -> None:
        frozen = {key for key, (_, before) in self.frozen.items()
                  if before < self.doctor.passes and key not in self.trained}
        for root, where in self.roots.values():
            found = [f"`{self.doctor.named(root, path) or type(m).__name__}`"
                     for path, m in root.named_modules() if id(m) in frozen]
            if found:
                self.find(where, "frozen-batch-norm",
                          f"{', '.join(found[:4])} {'is' if len(found) == 1 else 'are'} frozen, "
                          "but in training mode",
                          "requires_grad=False keeps the parameters; BatchNorm in training mode "
                          "goes on normalizing by each batch and changing its running averages",
                          "call eval() on the frozen part, after every train() of the whole")


MODE_CHECKS = (LeftInEval, FrozenBatchNorm)
