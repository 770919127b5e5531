"""A check of the doctor: the events that it can receive, and how it reports what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._tensor import Tensor
from ..autograd.node import Node
from ..distributions import Distribution
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..optim.lr_scheduler import LRScheduler
from ..optim.optimizer import Optimizer
from ..utils.data.dataloader import DataLoader
from .findings import Finding
from .places import Place

if TYPE_CHECKING:
    from .doctor import Doctor


@dataclass
class Pass:
    """One backward pass, from outside of any other."""

    roots: list[Node]
    nodes: list[Node]          # all that can be reached, newest first
    keep: bool                 # retain_graph=True
    create: bool               # create_graph=True
    fills: bool                # backward(), which fills .grad; not autograd.grad()
    where: Place
    number: int
    asked: set[Node]           # whose gradients autograd.grad() shall return
    results: tuple = ()        # of autograd.grad(), while after_pass() runs


def only(*keys: Any) -> Callable[[Any], Any]:
    """Let a method receive only some cases of its event, those with these keys; see KEYS."""
    def mark(method):
        method.keys = frozenset(keys)
        return method
    return mark


KEYS: dict[str, Callable[..., Any]] = {      # event -> what its cases are told apart by
    "on_node": lambda node, variables: type(node).__name__,
    "before_run": lambda node, g: type(node).__name__,
    "on_call": lambda module, outermost, result, where: outermost,
}


class Check:
    """The events that a check can receive. It reports with `self.doctor.report.add`.

    A check that judges each step by itself, or each line, network or file once, `rests` for some
    steps: rhythm.py says when. A resting check does not see every node, so what it notes on nodes
    is of use only to checks that rest at the same times. It is told of all events that are
    ALWAYS_TOLD (doctor.py).
    """

    rests = False

    def __init__(self, doctor: Doctor):
        self.doctor = doctor

    def find(self, where: Place | None, kind: str, what: str, why: str, cure: str,
             cause: str = "") -> None:
        """Report a finding."""
        self.doctor.report.add(Finding.at(where, kind, what, why, cure, cause))

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        """A node was recorded; `variables` are those of the operator that made it."""

    def before_pass(self, task: Pass) -> None:
        """A backward pass begins."""

    def before_use(self, nodes: list[Node]) -> None:
        """A backward pass that may go through these nodes begins, perhaps within another pass."""

    def after_pass(self, task: Pass) -> None:
        """It has ended well."""

    def before_run(self, node: Node, g: Any) -> None:
        """A node is about to get the gradient `g`."""

    def after_run(self, node: Node, g: Any, results: Any) -> None:
        """It gave these gradients to its inputs."""

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        """The gradient `g` is about to be added to leaf.grad."""

    def on_optimizer(self, optimizer: Optimizer, where: Place) -> None:
        """An optimizer was made."""

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        """optimizer.step() begins."""

    def after_step(self, optimizer: Optimizer, closure: Any) -> None:
        """optimizer.step() has ended well."""

    def on_zeros(self, hook: Any) -> None:
        """A hook has made zeros of a gradient that was not 0."""

    def on_schedule(self, optimizer: Optimizer, where: Place) -> None:
        """A schedule steps before its optimizer, which has made no step yet."""

    def on_scheduler(self, scheduler: LRScheduler, where: Place) -> None:
        """A schedule was made."""

    def on_init(self, t: Tensor) -> None:
        """One of nn.init's functions is about to give `t` new numbers."""

    def on_samples(self, dataset: Any, samples: Any) -> None:
        """A DataLoader of this process has read the samples of a batch from a dataset."""

    def on_batch(self, samples: Any, batch: Any, collate: Any) -> None:
        """A DataLoader of this process has made a batch of these samples, by `collate`."""

    def on_loader(self, loader: DataLoader, where: Place) -> None:
        """A DataLoader was made."""

    def on_reading(self, loader: DataLoader, where: Place) -> None:
        """A loop over a DataLoader begins, or iter() is called."""

    def on_checkpoint(self, drawn: bool, where: Place) -> None:
        """checkpoint() with preserve_rng_state=False has run a function, and numbers were drawn."""

    def on_seed(self, seed: int, where: Place) -> None:
        """The random generator is about to be seeded, for example by torch.manual_seed(seed)."""

    def on_scaler(self, optimizer: Optimizer | None) -> None:
        """GradScaler.scale() is about to be called, or unscale_() of an optimizer."""

    def on_clip(self, params: list[Tensor], limit: Any, where: Place) -> None:
        """The gradients of these parameters are about to be clipped, to a length or size."""

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        """A Module's forward has returned."""

    def on_state(self, state: dict, where: Place) -> None:
        """Module.state_dict() has returned."""

    def on_load(self, module: Module, state: Any, strict: bool, where: Place) -> None:
        """Module.load_state_dict() is about to be called."""

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        """One of FUNCTIONS of F is about to be called."""

    def on_part(self, module: Module, name: str, part: Parameter | Module,
                line: tuple) -> None:
        """The instruction `line` is about to make a Parameter or a Module the part `name`."""

    def on_new_memory(self, t: Tensor, value: Tensor, line: tuple) -> None:
        """`t.data = value` was run, by the instruction `line`."""

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        """The values of `t` left the graph as `result`, by .data or a method in TAKING_OUT."""

    def on_put(self, t: Tensor, index: Any) -> None:
        """`t[index] = value` is about to run, with an index that has tensors or lists in it."""

    def on_scaled(self, t: Tensor, other: Tensor) -> None:
        """`t * other` has run, with (n,) and (n, ..., n): which of the two n was meant?"""

    def on_compared(self, name: str, t: Tensor, other: Tensor, result: Any) -> None:
        """The program has called eq or ne of two tensors, or sub, if their shapes differ.

        `result` is None where these do not fit together.
        """

    def on_wrapped(self, t: Tensor, other: Any) -> None:
        """`t - other` of bytes has returned numbers that lie below 0, and so are too large."""

    def on_picked(self, name: str, t: Tensor, dim: int, result: Any) -> None:
        """One of PICKING, along `dim`, has returned."""

    def on_decided(self, t: Tensor) -> None:
        """`t > 0.5` or the like, or round(), has returned."""

    def on_whole(self, t: Tensor, result: Tensor) -> None:
        """`t.long()` or `t.int()` of a floating point tensor has returned."""

    def on_draw(self, distribution: Distribution, result: Any, where: Place) -> None:
        """sample() of a distribution that has rsample() has returned."""

    def on_choice(self, distribution: Distribution, result: Any, where: Place) -> None:
        """sample() of a distribution without rsample(), as Categorical, has returned."""

    def on_density(self, distribution: Distribution, value: Any, result: Any) -> None:
        """log_prob(value) has returned `result`; entropy(), where `value` is None."""

    def on_unpacked(self, output: Tensor, lengths: Tensor) -> None:
        """pad_packed_sequence() has returned these."""

    def on_no_gradient(self, t: Tensor, text: str) -> None:
        """`t.grad` was read, which is None because `t` is not a leaf; `text` is the warning."""

    def at_end(self) -> None:
        """The program has ended."""
