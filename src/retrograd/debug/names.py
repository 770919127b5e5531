"""What the user calls a tensor: the variable, attribute, container entry or parameter it is.

Names are looked for in the frames of the user's files, and only when somebody wants to read one:
nothing is named while a program runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from types import CellType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from .places import user_frames
from .reading import call_of

LONGEST = 1000          # the most entries of a container that are looked at
MOST = 20000            # the most objects that are looked into


class Names:
    """The names of all tensors, Modules and optimizers that some frames can reach."""

    def __init__(self, frames: Iterable[FrameType] | None = None, depth: int = 3):
        self.by_id: dict[int, str] = {}
        self.by_cell: dict[int, str] = {}
        self.by_node: dict[int, str] = {}
        self.modules: dict[str, Module] = {}
        self.objects: dict[int, Any] = {}             # keeps the ids above in use
        self.room = MOST
        frames = user_frames() if frames is None else list(frames)
        found = [(name, value) for variables in _scopes(frames)
                 for name, value in list(variables.items()) if not name.startswith("__")
                 and not isinstance(value, ModuleType) and name not in _of_shell(variables)]
        # A Module is best named from outside, anything else by the variable next to hand.
        modules = [pair for pair in reversed(found) if isinstance(pair[1], Module)]
        others = [pair for pair in found if not isinstance(pair[1], Module)]
        for name, value in sorted([*modules, *others], key=lambda pair: pair[0] == "self"):
            self._enter(name, value, depth)

    def _enter(self, name: str, value: Any, depth: int) -> None:
        if isinstance(value, Tensor):
            self._enter_tensor(name, value)
            return
        if depth == 0 or id(value) in self.objects or self.room == 0:
            return
        self.room -= 1
        if isinstance(value, Module):
            self._enter_module(name, value)
        for part, inside in _parts(value):
            self._enter(name + part, inside, depth - 1)

    def _enter_tensor(self, name: str, t: Tensor) -> None:
        self.objects[id(t)] = t
        self.by_id.setdefault(id(t), name)
        self.by_cell.setdefault(id(t._cell), name)
        node = t._grad_fn if t._base is None else t._view_node
        if node is not None:
            self.by_node.setdefault(id(node), name)
        if t._grad is not None:
            self.by_id.setdefault(id(t._grad), name + ".grad")
            if t._grad._grad_fn is not None:
                self.by_node.setdefault(id(t._grad._grad_fn), name + ".grad")

    def _enter_module(self, name: str, module: Module) -> None:
        self.objects[id(module)] = module
        self.modules[name] = module
        for path, inside in module.named_modules():
            self.by_id.setdefault(id(inside), f"{name}.{path}" if path else name)
            self.objects[id(inside)] = inside
        for path, t in [*module.named_parameters(), *module.named_buffers()]:
            self._enter_tensor(f"{name}.{path}", t)

    def of(self, thing: Any) -> str | None:
        """The name of this very tensor or Module; that of the tensor a node made."""
        if isinstance(thing, Node):
            return self.by_node.get(id(thing))
        return self.by_id.get(id(thing))

    def of_memory(self, cell: list) -> str | None:
        """The name of some tensor in the memory with this version cell."""
        return self.by_cell.get(id(cell))


def inside(node: Node, names: Names) -> str:
    """" in `net.blocks.0`" for a node that was traced inside of a Module."""
    call = call_of(node)
    path = None if call is None else names.of(call.module()) or call.path()
    return f" in `{path}`" if path else ""


def _scopes(frames: list[FrameType]) -> Iterator[dict[str, Any]]:
    """Local variables of all frames, innermost first, then their global variables."""
    modules = []
    for frame in frames:
        if frame.f_locals is not frame.f_globals:
            yield frame.f_locals
        if frame.f_globals not in modules:
            modules.append(frame.f_globals)
    yield from modules


def _of_shell(variables: dict[str, Any]) -> Collection[str]:
    """The names that IPython has put among the variables of a notebook: `exit`, `Out`, `_7`."""
    shell = getattr(variables.get("get_ipython"), "__self__", None)
    return getattr(shell, "user_ns_hidden", ())


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """("[3]", element) and (".name", attribute) of what holds other things."""
    if isinstance(value, (list, tuple, deque)):
        if len(value) <= LONGEST:
            yield from ((f"[{k}]", inside) for k, inside in enumerate(value))
    elif isinstance(value, dict):
        if len(value) <= LONGEST:
            yield from ((f"[{key!r}]", inside) for key, inside in list(value.items())
                        if isinstance(key, (str, int)))
    elif isinstance(value, FunctionType):
        kept = [*(value.__defaults__ or ()), *(c.cell_contents for c in value.__closure__ or ()
                                               if c != CellType())]
        yield from ((f".keeps[{k}]", inside) for k, inside in enumerate(kept))
    elif isinstance(value, np.ndarray) and value.dtype == object and value.size <= LONGEST:
        yield from ((f"[{k}]", inside) for k, inside in enumerate(value.flat))
    elif not isinstance(value, (type, str, bytes, int, float)) and type(value).__module__ not in (
            "builtins", "numpy", f"{__package__}.doctor"):
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict) and len(attributes) <= LONGEST:
            own = isinstance(value, Module)
            yield from ((f".{name}", inside) for name, inside in list(attributes.items())
                        if not (own and name.startswith("_")))
