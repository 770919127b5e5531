"""Checks of what belongs to one example, and is taken for a step, or handed on to another one."""

from __future__ import annotations

from typing import Any

from .._callers import caller
from .._state import state
from .._tensor import Tensor
from ..nn.modules.module import Module
from ..nn.modules.rnn import RNNBase, RNNCellBase
from ..utils.data import DataLoader, RandomSampler
from . import reading
from .check import Check
from .checks_sequences import layer_of
from .checks_training import PASSES
from .places import Place, place

EXPLAIN_IT = ("last-of-batch", "mean-over-batch", "positions-of-batch")


class StepsOfBatch(Check):
    """nn.MultiheadAttention without batch_first=True in a network of examples (N, T, C).

    That the first dimension counts examples shows in the result, one row for each.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.waiting: dict[str, tuple[Place, str, tuple[int, ...]]] = {}     # until all is called
        self.lines: dict[str, list] = {}         # where, the kind, sizes, times: 0 if not always

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        made, layer = layer_of(module)
        given = next(iter(self.doctor.arguments), None)
        if layer is not None and not layer.batch_first and isinstance(given, Tensor) and (
                given.ndim == 3):
            line = where or place(*caller())
            self.waiting[str(line)] = line, type(made).__name__, given._data.shape
        if outermost:
            waiting, self.waiting = self.waiting, {}
            for line, kind, sizes in waiting.values():
                self.compare(line, kind, sizes, given, result)

    def compare(self, line: Place, kind: str, sizes: tuple[int, ...], given: Any,
                result: Any) -> None:
        """Whether the network was given (N, T, ...), and gave (N, C): then N are no steps."""
        steps, batch, _ = sizes
        seen = self.lines.setdefault(str(line), [line, kind, sizes, 1])
        if isinstance(result, Tensor) and isinstance(given, Tensor) and given.ndim > 1 and (
                result.ndim == 2 and steps != batch > 1 < steps):
            examples = result._data.shape[0] == steps and given._data.shape[:2] == (steps, batch)
            seen[2], seen[3] = sizes, seen[3] + 1 if examples and seen[3] else 0

    def at_end(self) -> None:
        if any(f.kind in EXPLAIN_IT for f in self.doctor.report.findings):
            return
        for line, kind, sizes, times in self.lines.values():
            if times > PASSES:
                recurrent = kind in ("RNN", "LSTM", "GRU")
                does = "goes from one example to the next" if recurrent else \
                    "attends from one example to the others"
                self.find(line, "steps-of-batch", f"nn.{kind} was given {tuple(sizes)}, and the "
                          f"network gives one row for each of the {sizes[0]}: they are examples, "
                          "no steps", "it reads (time, batch, features) unless it is made with "
                          f"batch_first=True: here it {does}, and never from step to step",
                          f"`nn.{kind}(..., batch_first=True)`")


class CarriedOver(Check):
    """`self.hidden` of the last batch as the start of the next one, which holds other examples."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.shuffled = False                    # the DataLoader that is read
        self.last: dict[int, tuple[int, int]] = {}       # by layer: a print of its state; batches
        self.lines: dict[tuple, int] = {}

    def on_reading(self, loader: DataLoader, where: Place) -> None:
        self.shuffled = isinstance(getattr(loader, "sampler", None), RandomSampler)

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if not isinstance(module, (RNNBase, RNNCellBase)) or not (self.shuffled and state.grad):
            return
        begun = next(reading.tensors_in(tuple(self.doctor.arguments[1:])), None)
        number, batches = self.last.get(id(module), (0, 0))
        if begun is not None and self.doctor.batches > batches and begun._data.any() and (
                reading.fingerprint(begun._data) == number):
            line = caller()
            self.lines[line] = self.lines.get(line, 0) + 1
        several = [*reading.tensors_in(result)]
        kept = several[1] if isinstance(module, RNNBase) else several[0]
        self.last[id(module)] = reading.fingerprint(kept._data), self.doctor.batches

    def at_end(self) -> None:
        for line, times in self.lines.items():
            if times >= PASSES:
                self.find(place(*line), "carried-over", "this begins with the state that the batch "
                          f"before has left ({times} times), and the batches are shuffled",
                          "a state says what an example has been so far: each example here goes "
                          "on from the end of another one", "begin each batch with zeros, "
                          "`lstm(x)`, which is the default; or shuffle=False, where each batch "
                          "goes on with the sequences of the one before")


CHECKS = (StepsOfBatch, CarriedOver)
