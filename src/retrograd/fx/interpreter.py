"""Interpreter: runs a Graph node by node; Transformer: makes another Graph of it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .graph import Graph
from .graph_module import GraphModule
from .node import Node, Target, map_arg
from .proxy import GraphAppendingTracer, Proxy

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a GraphModule; a subclass changes what a kind of node does.

    >>> import retrograd as torch
    >>> class Negated(torch.fx.Interpreter):
    ...     def call_function(self, target, args, kwargs):
    ...         return -super().call_function(target, args, kwargs)
    >>> Negated(torch.fx.symbolic_trace(lambda x: torch.relu(x))).run(torch.ones(1))
    tensor([-1.])
    """

    def __init__(self, module: Any, garbage_collect_values: bool = True,
                 graph: Graph | None = None) -> None:
        self.module = module
        self.graph: Graph = module.graph if graph is None else graph
        self.submodules = dict(module.named_modules())
        self.garbage_collect_values = garbage_collect_values
        self.env: dict[Node, Any] = {}

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None,
            enable_io_processing: bool = True) -> Any:
        """The program's result for these arguments."""
        self.env = dict(initial_env or {})
        self.args_iter = iter(args)
        last = {used: node for node in self.graph.nodes for used in node.all_input_nodes}
        for node in self.graph.nodes:
            if node not in self.env:
                self.env[node] = self.run_node(node)
            if node.op == "output":
                return self.env[node]
            if self.garbage_collect_values:
                for used in node.all_input_nodes:
                    if last[used] is node:
                        del self.env[used]
        return None

    def boxed_run(self, args_list: list) -> Any:
        """run() with the arguments in a list, which is emptied."""
        args, args_list[:] = tuple(args_list), []
        return self.run(*args)

    def run_node(self, n: Node) -> Any:
        """The result of a Node, from the method named like its op."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """The next argument, or its default."""
        if target.startswith("**"):
            return kwargs
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError("Expected positional argument for parameter "
                               f"{target}, but one was not passed in!") from None

    def get_attr(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """An attribute of the module."""
        return self.fetch_attr(target)

    def call_function(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """A function's result."""
        return target(*args, **kwargs)

    def call_method(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """A method's result."""
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """A submodule's result."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """What is returned."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """An attribute of the module, by its qualified name."""
        return operator.attrgetter(target)(self.module)

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict]:
        """A Node's arguments, with every Node replaced by its result."""
        return self.map_nodes_to_values((n.args, n.kwargs), n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Nested arguments with every Node replaced by its result."""
        def value(node: Node) -> Any:
            if node not in self.env:
                raise RuntimeError(f"Node {n} referenced nonexistent value {node}! Run "
                                   "Graph.lint() to diagnose such issues")
            return self.env[node]

        return map_arg(args, value)


class Transformer(Interpreter):
    """An Interpreter whose values are Proxies: `transform` returns the GraphModule they make.

    >>> import retrograd as torch
    >>> import retrograd.fx
    >>> class Swapped(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         target = torch.cos if target is torch.sin else target
    ...         return super().call_function(target, args, kwargs)
    >>> net = torch.fx.symbolic_trace(lambda x: torch.sin(x) + 1)
    >>> Swapped(net).transform()(torch.tensor(0.))
    tensor(2.)
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = GraphAppendingTracer(self.new_graph)

    def placeholder(self, target: Target, args: tuple, kwargs: dict) -> Proxy:
        default: Callable | Any = args[0] if args else ...
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target: Target, args: tuple, kwargs: dict) -> Proxy:
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple, kwargs: dict) -> Any:
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Target, args: tuple, kwargs: dict) -> Any:
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The GraphModule that the run recorded."""
        result = super().run(enable_io_processing=False)
        if result is not None:
            self.new_graph.output(map_aggregate_proxies(result))
        return GraphModule(self.module, self.new_graph, type(self.module).__name__)


def map_aggregate_proxies(value: Any) -> Any:
    """A result with every Proxy replaced by its Node."""
    from .node import map_aggregate
    return map_aggregate(value, lambda v: v.node if isinstance(v, Proxy) else v)
