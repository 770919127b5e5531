"""GraphModule: a Module whose forward is written from a Graph."""

from __future__ import annotations

import copy
import linecache
import operator
import re
from types import ModuleType
from typing import Any

import retrograd as torch

from .._unpickler import file_module, own_module
from ..nn.modules.module import Module
from .graph import Graph, PythonCode

__all__ = ["GraphModule"]

_count = 0


def _forward_of(code: PythonCode) -> Any:
    global _count
    _count += 1
    name = f"<eval_with_key>.{_count}"
    linecache.cache[name] = (len(code.src), None, code.src.splitlines(True), name)
    scope = dict(code.globals)
    exec(compile(code.src, name, "exec", dont_inherit=True), scope)
    return scope["forward"]


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Copy to a module the attribute that another has under a qualified name."""
    value = operator.attrgetter(target)(from_module)
    _assign_attr(value, to_module, target)


def _assign_attr(value: Any, to_module: Module, target: str) -> None:
    *path, last = target.split(".")
    place: Any = to_module
    for part in path:
        if not hasattr(place, part):
            place.add_module(part, Module())
        place = getattr(place, part)
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        if last not in place._buffers:
            place.register_buffer(last, value)
    else:
        setattr(place, last, value)


_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


class _CodeOnlyModule(Module):
    """A Module made of another's attributes."""

    def __init__(self, body: dict) -> None:
        super().__init__()
        self.__dict__ = body


class GraphModule(Module):
    """A Module that runs a Graph, with the parameters and submodules that the Graph names.

    Args:
        root: a Module to take them from, or a dict of them by name.
        graph: the program; `recompile` after changing it.
        class_name: the name of the Module's class.

    >>> import retrograd as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Identity()))
    >>> traced(torch.ones(1))
    tensor([1.])
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        own = type(cls.__name__, (cls,), {})        # forward belongs to this instance
        return super().__new__(own)

    def __init__(self, root: Module | dict, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = type(self).__qualname__ = class_name
        type(self).__module__ = "torch.fx.graph_module"
        if isinstance(root, Module):
            self.training = root.training
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                if isinstance(root, dict):
                    if node.target not in root:
                        raise RuntimeError(f"Node {node} referenced target {node.target} but that "
                                           "target was not provided in ``root``!")
                    _assign_attr(root[node.target], self, node.target)
                else:
                    _copy_attr(root, self, node.target)
        self.graph = graph

    @property
    def graph(self) -> Graph:
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of forward."""
        return self._code

    def recompile(self) -> PythonCode:
        """Write forward again, after a change of the graph."""
        written = self._graph.python_code("self")
        self._code = written.src
        type(self).forward = _forward_of(written)
        return written

    def print_readable(self, print_output: bool = True, **options: Any) -> str:
        """Print, and return, the class as source."""
        body = self._code.strip("\n ").replace("\n", "\n    ")
        text = f"class {type(self).__name__}(torch.nn.Module):\n    {body}"
        if print_output:
            print(text)
        return text

    def add_submodule(self, target: str, m: Module) -> bool:
        """Add a submodule by its qualified name."""
        _assign_attr(m, self, target)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove a submodule; False if there is none."""
        path, _, last = target.rpartition(".")
        try:
            place = self.get_submodule(path)
        except AttributeError:
            return False
        return place._modules.pop(last, None) is not None

    def delete_all_unused_submodules(self) -> None:
        """Remove the submodules that the graph does not call."""
        used = {node.target for node in self._graph.nodes if node.op in ("call_module", "get_attr")}
        for name in [n for n, _ in self.named_modules() if n]:
            if not any(u == name or u.startswith(name + ".") or name.startswith(u + ".")
                       for u in used):
                self.delete_submodule(name)

    def __deepcopy__(self, memo: dict) -> GraphModule:
        state = Module()
        state.__dict__.update(copy.deepcopy(
            {k: v for k, v in self.__dict__.items() if k != "_graph"}, memo))
        return GraphModule(state, copy.deepcopy(self._graph, memo), type(self).__name__)

    def __copy__(self) -> GraphModule:
        return GraphModule(self, copy.deepcopy(self._graph), type(self).__name__)

    def __reduce__(self) -> tuple:
        body = {k: v for k, v in self.__dict__.items() if k != "_graph"}
        return reduce_graph_module, (body, _imports(self.recompile().globals))

    def __str__(self) -> str:
        return "\n".join([super().__repr__(), self._code, "# To see more debug info, please use "
                          "`graph_module.print_readable()`"])


def _imports(names: dict[str, Any]) -> str:
    """The lines that import what a written forward takes from outside, under PyTorch's names."""
    lines = []
    for name, value in names.items():
        if isinstance(value, ModuleType):
            lines.append(f"import {file_module(value.__name__)} as {name}")
        elif isinstance(value, float):
            lines.append(f"from math import {name}")
        else:
            home = file_module(value.__module__)
            lines.append(f"from {home} import {value.__qualname__} as {name}")
    return "\n".join([*lines, ""])


def _made_ours(block: str, source: str) -> list[str]:
    """The lines of imports that the source needs, with retrograd in torch's place."""
    lines = []
    for line in block.splitlines():
        word, name, *rest = line.split() or [""] * 2
        if word == "import" and not rest:
            rest = ["as", name]
        if rest and re.search(rf"\b{re.escape(rest[-1])}\b", source):
            lines.append(" ".join([word, own_module(name), *rest]))
    return lines


def reduce_graph_module(body: dict, import_block: str) -> GraphModule:
    """A pickled GraphModule, PyTorch's too: its source is traced again, all modules kept whole."""
    from ._symbolic_trace import Tracer

    class Whole(Tracer):
        def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
            return True

    source = body.pop("_code")
    written = PythonCode("\n".join([*_made_ours(import_block, source), source]))
    plain = type("GraphModule", (Module,), {"forward": _forward_of(written)})()
    plain.__dict__.update(body)
    return GraphModule(plain, Whole().trace(plain))
