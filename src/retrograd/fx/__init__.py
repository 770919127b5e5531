"""torch.fx: programs as graphs that can be read, changed and run again.

`symbolic_trace` runs a module on Proxies and records what is done with them in a Graph of Nodes;
a GraphModule runs a Graph, as Python code written from it.
"""

from __future__ import annotations

from . import immutable_collections as immutable_collections
from . import node as node
from ._symbolic_trace import Tracer, symbolic_trace, wrap
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

__all__ = ["Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer",
           "has_side_effect", "map_arg", "replace_pattern", "symbolic_trace", "wrap"]
