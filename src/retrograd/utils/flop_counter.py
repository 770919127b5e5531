"""FlopCounterMode: the floating-point operations of products and convolutions.

As in the profiler, operators know nothing of it: Python's own profiling hook reports their calls.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from math import prod
from typing import Any

from .._ops import packet
from .._state import features
from ..nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

__all__ = ["FlopCounterMode"]

_SUFFIXES = ("", "K", "M", "B", "T")


class FlopCounterMode:
    """Counts the operations in a block, forward and backward, in this thread.

    A product of (n, k) and (k, m) is 2 n k m of them; convolutions count as the products that they
    are. Other operators count nothing, nor does scaled dot-product attention in one piece, which
    PyTorch leaves out on the CPU.

    Args:
        mods: not needed.
        depth: how many levels of modules the table shows.
        display: print the table at the end of the block.
        custom_mapping: not supported.

    Raises:
        NotImplementedError: with custom_mapping.

    >>> import retrograd as torch
    >>> from retrograd.utils.flop_counter import FlopCounterMode
    >>> with FlopCounterMode(display=False) as counter:
    ...     y = torch.nn.Linear(4, 5)(torch.ones(3, 4))
    >>> counter.get_total_flops()
    120
    """

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True,
                 custom_mapping: dict | None = None) -> None:
        if custom_mapping:
            raise NotImplementedError("FlopCounterMode: custom_mapping")
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it",
                          stacklevel=2)
        self.depth = depth
        self.display = display
        self._restart()

    def _restart(self) -> None:
        self.flop_counts: dict[str, dict[Any, int]] = {"Global": defaultdict(int)}
        self._modules: list[str] = []           # those whose forward runs, outermost first
        self._names: dict[int, str] = {}        # of modules seen, by id
        self._made_in: dict[int, list[str]] = {}    # ids of nodes, and where they were made

    def __enter__(self) -> FlopCounterMode:
        self._restart()
        self._hooks = (
            register_module_forward_pre_hook(self._enter_module),
            register_module_forward_hook(self._leave_module, always_call=True),
        )
        self._before = sys.getprofile()
        features.count("recording", 1)              # each operator is to run, not several as one
        sys.setprofile(self._report)
        return self

    def __exit__(self, *exc: object) -> None:
        sys.setprofile(self._before)
        features.count("recording", -1)
        for hook in self._hooks:
            hook.remove()
        self._names.clear()
        self._made_in.clear()
        if self.display:
            print(self.get_table(self.depth))

    def _enter_module(self, module: Any, args: Any) -> None:
        if id(module) not in self._names:
            name = type(module).__name__
            for inner, child in module.named_modules():
                self._names.setdefault(id(child), f"{name}.{inner}" if inner else name)
        self._modules.append(self._names[id(module)])

    def _leave_module(self, module: Any, args: Any, output: Any) -> None:
        self._modules.pop()

    def _report(self, frame: Any, event: str, arg: Any) -> None:
        code = frame.f_code
        at = frame.f_locals
        if event != "return" or arg is None or not code.co_filename.startswith("<operator "):
            return
        if code.co_name == "run":           # run_graph calls operators, which are counted
            node = at["node"]
            for name, flops in _of_node(node, at):
                self._count(name, flops, self._made_in.get(id(node), ()))
            return
        name = code.co_name.rstrip("_")
        if name in FORWARD and ("res" in at or code.co_name != name):    # not by other operators
            self._count(name, FORWARD[name](at, arg), self._modules)
            if arg._grad_fn is not None:
                self._made_in[id(arg._grad_fn)] = self._modules.copy()

    def _count(self, name: str, flops: int, modules: Any) -> None:
        for module in {"Global", *modules}:
            self.flop_counts.setdefault(module, defaultdict(int))[packet("aten", name)] += flops

    def get_total_flops(self) -> int:
        """The number of operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The number of operations of each operator, by the names of modules and "Global"."""
        return {module: dict(counts) for module, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as a table, down to `depth` levels of modules."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        shown = [name for name in sorted(self.flop_counts)
                 if name != "Global" and name.count(".") < depth]
        if not any(sum(self.flop_counts[name].values()) >= total for name in shown):
            shown.insert(0, "Global")
        rows = [("Module", "FLOP", "% Total")]
        for name in shown:
            counts = self.flop_counts[name]
            rows.append((name, *_shown(sum(counts.values()), total)))
            rows += [(f"- {op}", *_shown(flops, total)) for op, flops in counts.items()]
        a, b, c = (max(len(column[0]) + 2, *map(len, column)) for column in zip(*rows, strict=True))
        rows.insert(1, ("-" * a, "-" * b, "-" * c))
        return "\n".join(f"{x:<{a}}  {y:>{b}}  {z:>{c}}" for x, y, z in rows)


def _shown(flops: int, total: int) -> tuple[str, str]:
    if not total:
        return "0", "0%"
    power = max(0, min(len(_SUFFIXES) - 1, (len(str(total)) - 2) // 3))
    return f"{flops / 1000**power:.3f}{_SUFFIXES[power]}", f"{flops / total:.2%}"


# --------------------------------------------------------------------------- what is counted

def _product(a: Any, b: Any) -> int:
    return 2 * prod(a.shape) * b.shape[-1]      # (..., n, k) (..., k, m)


def _convolution(input: Any, weight: Any, output: Any, transposed: bool) -> int:
    places = (input if transposed else output).shape[2:]
    return 2 * input.shape[0] * prod(places) * prod(weight.shape)


FORWARD = {                  # from a frame's variables and its result; the profiler asks, too
    "mm": lambda at, out: _product(at["input"], at["mat2"]),
    "bmm": lambda at, out: _product(at["input"], at["mat2"]),
    "addmm": lambda at, out: _product(at["mat1"], at["mat2"]),
    "baddbmm": lambda at, out: _product(at["batch1"], at["batch2"]),
    "convolution": lambda at, out: _convolution(at["input"], at["weight"], out, at["transposed"]),
}
_PRODUCTS = {"MmBackward0": "mm", "AddmmBackward0": "mm", "BmmBackward0": "bmm",
             "BaddbmmBackward0": "bmm"}


def _of_node(node: Any, at: dict) -> Any:
    """The operators that a node has run: (name, operations) of each."""
    kind = type(node).__name__
    if kind in _PRODUCTS:
        factors = at["edges"][-2:]      # a product for each factor that has a gradient
        a, _, b, _ = at["saved"]        # (..., n, k), (..., k, m)
        inner = b.shape[-2] if a is None else a.shape[-1]
        for edge in factors:
            if edge is not None:
                yield _PRODUCTS[kind], 2 * prod(at["g"].shape) * inner
    elif kind == "ConvolutionBackward0":
        flops = _convolution(at["s_input"], at["s_weight"], at["g"], node._saved_transposed)
        yield "convolution_backward", flops * sum(edge is not None for edge in at["edges"][:2])
