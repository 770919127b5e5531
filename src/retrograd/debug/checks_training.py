"""Checks of the training loop: optimizers, gradients that are missing, stale or never cleared."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from . import breaks
from .cuts import Break
from .doctor import Check, Pass
from .places import Place, user_frames
from .programs import env_of

SAMPLED = 1 << 18          # bytes of an array that are looked at whole


def fingerprint(array: np.ndarray) -> int:
    """A number that (almost surely) changes with the elements; of a large array, with many."""
    if array.nbytes > SAMPLED:
        flat = array.reshape(-1)
        array = flat[::max(1, flat.size // 4096)]
    return zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8))


def listed(names: list[str]) -> str:
    """A few names, and how many more there are."""
    shown = ", ".join(f"`{n}`" for n in names[:4])
    return shown + (f" and {len(names) - 4} more" if len(names) > 4 else "")


class NotCleared(Check):
    """Gradients are added to those that a step has used already: zero_grad() was never called."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.known: dict[int, tuple] = {}        # leaf -> (its grad, fingerprints of both)
        self.mixed: dict[int, Pass | None] = {}      # leaf -> the pass that added to a used grad
        self.told_of: set[int] = set()

    def unchanged(self, leaf: Tensor, known: tuple | None) -> bool:
        """Whether leaf.grad is still what it was after the last pass."""
        return known is not None and leaf._grad is known[1] and fingerprint(
            leaf._grad._data) == known[3]

    def on_gradient(self, leaf: Tensor) -> None:
        known = self.known.get(id(leaf))
        if leaf._grad is None or not self.unchanged(leaf, known):
            self.mixed.pop(id(leaf), None)
        elif leaf._grad._data.any() and fingerprint(leaf._data) != known[2]:
            if id(leaf) in self.mixed:
                self.tell(self.mixed[id(leaf)])
            self.mixed[id(leaf)] = None          # the pass that does so, once it is over

    def after_pass(self, task) -> None:
        for node in task.nodes:
            if isinstance(node, AccumulateGrad) and node.variable._grad is not None:
                leaf = node.variable
                self.known[id(leaf)] = (leaf, leaf._grad, fingerprint(leaf._data),
                                        fingerprint(leaf._grad._data))
                if self.mixed.get(id(leaf), task) is None:
                    self.mixed[id(leaf)] = task

    def on_step(self, optimizer, closure, where) -> None:
        for group in optimizer.param_groups:
            for p in group["params"]:
                mixed = self.mixed.get(id(p))
                if mixed is not None and p._grad is not None and self.unchanged(
                        p, self.known.get(id(p))):
                    self.tell(mixed)
                    return

    def tell(self, task: Pass | None) -> None:
        if task is None or task.number in self.told_of:
            return
        self.told_of.add(task.number)
        self.find(task.where, "not-cleared",
                  "this backward() added its gradients to those of the step before",
                  "backward() adds to .grad and never clears it, so each step goes on with the "
                  "gradients of all steps before",
                  "call optimizer.zero_grad() before backward() in every turn of the loop")


class StepWithoutGradient(Check):
    """step() before any backward(), or after zero_grad(): nothing is changed."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.reached: set[int] = set()

    def on_gradient(self, leaf: Tensor) -> None:
        self.reached.add(id(leaf))

    def on_step(self, optimizer, closure: Any, where: Place) -> None:
        params = [p for group in optimizer.param_groups for p in group["params"]]
        if closure is not None or not params or any(p._grad is not None for p in params):
            return
        before = any(id(p) in self.reached for p in params)
        self.find(where, "step-without-gradient",
                  f"step() found no gradient in any of its {len(params)} parameters: nothing was "
                  "changed",
                  "zero_grad() came between backward() and step() and threw the gradients away"
                  if before else "no backward() had reached these parameters yet",
                  "the order is zero_grad(), forward, backward(), step()")


class DetachedLoss(Check):
    """backward() on a tensor that nothing was recorded for, made to require grad by hand."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.networks = False
        self.optimized: set[int] = set()

    def on_call(self, module, outermost, result, where) -> None:
        self.networks = True

    def on_step(self, optimizer, closure, where) -> None:
        self.optimized |= {id(p) for group in optimizer.param_groups for p in group["params"]}

    def before_pass(self, task) -> None:
        root = task.roots[0]
        if not self.networks or not isinstance(root, AccumulateGrad):
            return
        if id(root.variable) in self.optimized or isinstance(
                root.variable, Parameter):
            return
        frame = user_frames()[0]
        env = env_of(frame)
        loss = None if env is None else breaks.argument(env, task.where)
        search = breaks.Search(anything=True)
        cut = None if loss is None or env is None else search.why(loss, env)
        self.find(task.where, "detached-loss",
                  "backward() started at a tensor that is not connected to the network: nothing "
                  "is trained",
                  "requires_grad was switched on by hand, which silences the error and repairs "
                  "nothing" + (f"; the graph was cut at {cut.place}: {cut.what}"
                               if cut is not None and cut.place else ""),
                  cut.cure if cut is not None else "compute the loss from the network's output, "
                  "without detach(), item(), numpy() or torch.tensor() on the way")


class Parameters(Check):
    """Parameters that never got a gradient, and those that no optimizer knows."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.roots: dict[int, tuple[Module, Place | None]] = {}
        self.called: dict[int, Module] = {}
        self.reached: dict[int, Tensor] = {}
        self.optimized: dict[int, Tensor] = {}
        self.cuts: dict[int, Break] = {}
        self.searched: set[str] = set()

    def on_call(self, module, outermost, result, where) -> None:
        self.called[id(module)] = module
        if outermost:
            self.roots.setdefault(id(module), (module, where))

    def on_gradient(self, leaf: Tensor) -> None:
        self.reached[id(leaf)] = leaf

    def on_step(self, optimizer, closure, where) -> None:
        for group in optimizer.param_groups:
            self.optimized.update((id(p), p) for p in group["params"])

    def after_pass(self, task) -> None:
        """Once for each line that calls backward(), while its variables are alive."""
        if str(task.where) in self.searched:
            return
        self.searched.add(str(task.where))
        frame = user_frames()[0]
        env = env_of(frame)
        loss = None if env is None else breaks.argument(env, task.where)
        missing = [p for module, _ in self.roots.values() for p in module.parameters()
                   if p.requires_grad and id(p) not in self.reached]
        for p in missing[:20] if loss is not None and env is not None else []:
            cut = breaks.Search(p).why(loss, env)
            if cut is not None:
                self.cuts[id(p)] = cut

    def at_end(self) -> None:
        self.in_plain_lists()
        for module, where in self.roots.values():
            named = [(n, p) for n, p in module.named_parameters() if p.requires_grad]
            if any(id(p) in self.reached or id(p) in self.optimized for _, p in named):
                self.without_gradient(module, where, named)
                self.without_optimizer(module, where, named)

    def without_gradient(self, module, where, named) -> None:
        missing = [(n, p) for n, p in named if id(p) not in self.reached]
        groups: dict[str, list[tuple[str, Tensor]]] = {}
        for name, p in missing:
            groups.setdefault(name.rpartition(".")[0], []).append((name, p))
        for owner, group in groups.items():
            part = module.get_submodule(owner)
            cut = self.cuts.get(id(group[0][1]))
            if cut is not None:
                why, cure = f"the way back to it is cut at {cut.place}: {cut.what}", cut.cure
                where = cut.place or where
            elif owner and id(part) not in self.called:
                why = f"`{owner}` ({type(part).__name__}) was never called"
                cure = f"use `{owner}` in forward(), or remove it"
            else:
                why = "no loss that backward() was called on was computed from it"
                cure = "let the loss depend on it, or remove it; requires_grad_(False) if it is " \
                    "meant to stay as it is"
            names = listed([n for n, _ in group])
            self.find(where, "no-gradient", f"{names} never got a gradient, "
                      "so training leaves it as it was", why, cure)

    def in_plain_lists(self) -> None:
        """Layers that a Module calls and does not know: those in a plain list or dict."""
        known = {id(m) for module, _ in self.roots.values() for m in module.modules()}
        for module in self.called.values():
            left = [p for p in module.parameters(recurse=False)
                    if id(p) in self.reached and id(p) not in self.optimized]
            if id(module) in known or not left or not self.optimized:
                continue
            where = next(iter(self.roots.values()))[1]
            self.find(where, "not-in-optimizer", f"a layer {module} got gradients but no optimizer "
                      "changes it", "it is no part of the network that calls it, as happens to "
                      "layers in a plain list or dict: parameters() does not find them",
                      "keep layers in nn.ModuleList or nn.ModuleDict, or as attributes")

    def without_optimizer(self, module, where, named) -> None:
        known = [n for n, p in named if id(p) in self.optimized]
        left = [n for n, p in named if id(p) in self.reached and id(p) not in self.optimized]
        if known and left:
            self.find(where, "not-in-optimizer", f"{listed(left)} got gradients but no optimizer "
                      "changes them", "an optimizer changes only the parameters it was given, and "
                      "other parameters of the same network were given",
                      "give the optimizer all of model.parameters(), or freeze these with "
                      "requires_grad_(False)")


TRAINING_CHECKS = (NotCleared, StepWithoutGradient, DetachedLoss, Parameters)
