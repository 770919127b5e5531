"""ModuleTracker: which modules are running, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

from .._state import state
from .._tensor import Tensor
from ..autograd.graph import register_multi_grad_hook
from ..nn.modules.module import (
    Module,
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from ._pytree import tree_leaves

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """Inside, `parents` has the names of the modules under way, and "Global".

    A module is named by its class, those in it by their path from there. A backward pass enters
    a module with the first gradient of its outputs and leaves it when its inputs have theirs.

    >>> import retrograd as torch
    >>> tracker, seen = torch.utils.module_tracker.ModuleTracker(), []
    >>> layer = torch.nn.Linear(1, 1)
    >>> _ = layer.register_forward_pre_hook(lambda *_: seen.append(sorted(tracker.parents)))
    >>> with tracker: _ = layer(torch.ones(1))
    >>> seen
    [['Global', 'Linear']]
    """

    parents: set[str]

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._names: WeakKeyDictionary[Module, str] = WeakKeyDictionary()
        self._handles: list = []

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass is under way in this thread."""
        return state.task is not None

    def __enter__(self) -> ModuleTracker:
        self._handles = [register_module_forward_pre_hook(self._begin),
                         register_module_forward_hook(self._end, always_call=True)]
        return self

    def __exit__(self, *exc: object) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _name(self, module: Module) -> str:
        if module not in self._names:
            kind = type(module).__name__
            for path, inner in module.named_modules():
                self._names.setdefault(inner, f"{kind}.{path}" if path else kind)
        return self._names[module]

    def _begin(self, module: Module, args: Any) -> None:
        name = self._name(module)
        self.parents.add(name)
        _on_gradients(args, lambda _: self.parents.discard(name), "all")

    def _end(self, module: Module, args: Any, output: Any) -> None:
        name = self._name(module)
        self.parents.discard(name)
        _on_gradients(output, lambda _: self.parents.add(name), "any")


def _on_gradients(values: Iterable, call: Callable, mode: str) -> None:
    tensors = [t for t in tree_leaves(values) if isinstance(t, Tensor) and t.requires_grad]
    if tensors and state.grad:
        register_multi_grad_hook(tensors, call, mode=mode)
