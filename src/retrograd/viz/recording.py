"""record(): remembers backward passes as they happen: the order, and every gradient on its way.

NOTE [what a recording keeps]
    Of the forward pass: on each new node the line and the Module (NOTE [what a trace keeps] in
    debug/tracing.py) and a snapshot of its result; they die with the graph. Of the backward passes
    only the last: its nodes, what each had saved, the gradient that arrived at each node in the
    order the engine ran them, what each sent on, and `.grad` of every leaf before and after.
    Snapshots, not arrays (see snapshots.py); but the nodes and the named tensors of the last pass
    live until the next pass or until the recording goes.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from weakref import WeakKeyDictionary

from .._callers import caller
from .._state import features, state
from .._tensor import Tensor
from ..autograd import engine
from ..autograd.node import AccumulateGrad, Node
from ..debug import reading, tracing
from ..debug.cuts import Break
from ..debug.names import Names
from ..debug.places import Place, outwards, place, user_frames
from ..nn.modules.module import Module
from .missing import apart, cuts, outermost
from .snapshots import Snapshot, snapshot


@dataclass
class Step:
    """One node's turn in a backward pass."""

    node: Node
    arrived: list[Snapshot | None]               # for each output of the node
    sent: list[Snapshot | None] = field(default_factory=list)       # for each edge
    failed: bool = False


@dataclass
class Kept:
    """What a node held before the pass: (name, snapshot, changed since) of each saved tensor."""

    name: str
    value: Snapshot
    changed: bool
    memory: int                                  # which piece of memory it keeps alive
    tensor: Tensor | None


@dataclass(eq=False)
class Inner:
    """A pass that ran inside of a node of another, as checkpointing does."""

    node: Node
    roots: list                                  # [(node, output number)]
    nodes: list[Node]
    outer: Inner | None


class Pass:
    """One backward pass, as it was before, in each step, and after."""

    def __init__(self, roots, nodes: list[Node], frame: FrameType | None, keeps: bool):
        self.roots = roots                       # [(node, output number)]
        self.keeps_graph = keeps
        self.names = Names(user_frames(frame), depth=1)
        self.names.objects = {k: found for k, found in self.names.objects.items()
                              if isinstance(found, (Tensor, Module))}       # not the recording
        self.place: Place | None = None if frame is None else place(*caller(frame))
        self.steps: list[Step] = []
        self.running: list[Step] = []            # more than one: passes inside of nodes
        self.inner: dict[Node, Inner] = {}       # by the nodes that belong to one
        self.nodes: list[Node] = []
        self.saved: dict[Node, list[Kept]] = {}
        self.freed: set[Node] = set()
        self.holding: set[Node] = set()
        self.filled: list[Tensor] = []           # whose .grad the pass may fill
        self.values: dict[int, Snapshot] = {}
        self.before: dict[int, Snapshot | None] = {}
        self.after: dict[int, Snapshot | None] = {}
        self.cuts: dict[int, Break] = {}         # see missing.py
        self.error = ""                          # as text: an exception holds on to frames
        self.error_id = 0
        self.over = False
        self.add(nodes)

    def add(self, nodes: list[Node]) -> None:
        """Note how nodes, and the leaves among them, are before they run."""
        saved = {n: kept(n) for n in nodes if not isinstance(n, AccumulateGrad)}
        leaves = [n.variable for n in nodes if isinstance(n, AccumulateGrad)]
        retained = [t for n in nodes for t in retained_by(n)]
        for n in saved:
            reading.note_of(n)                   # while what it may be read from is there
        self.nodes += nodes
        self.saved |= saved
        self.freed |= {n for n in saved if reading.is_freed(n)}
        self.holding |= {n for n in saved if holds(n)}
        self.values |= {id(t): Snapshot(t._data) for t in leaves}
        self.before |= grads_of([*leaves, *retained])
        self.filled += [*leaves, *retained]

    def add_inner(self, task: engine.Task) -> None:
        """A pass begins inside of the node that is running."""
        node = self.running[-1].node
        known = set(self.nodes)
        nodes = [n for n in nodes_of(task) if n not in known]
        inner = Inner(node, list(task.roots), nodes, self.inner.get(node))
        self.inner |= dict.fromkeys(nodes, inner)
        self.add(nodes)

    def finish(self) -> None:
        """The pass is over, well or not."""
        self.after, self.over = grads_of(self.filled), True

    def fail(self, error: BaseException) -> None:
        """The pass ended in an error, at the node that ran last."""
        if self.steps:
            self.steps[-1].failed = True
        self.error, self.error_id = error_text(error), id(error)
        self.finish()

    def concerns(self, node: Node) -> bool:
        """Whether the pass began at `node`."""
        return any(root is node for root, _ in self.roots)


def error_text(error: BaseException) -> str:
    """An exception as the end of a traceback has it."""
    return "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])


def grads_of(tensors: list[Tensor]) -> dict[int, Snapshot | None]:
    """What `.grad` of each holds now, by its id."""
    return {id(t): None if t._grad is None else snapshot(t._grad) for t in tensors}


def nodes_of(task: engine.Task) -> list[Node]:
    """The nodes that a pass goes through."""
    nodes = reading.nodes(root for root, _ in task.roots)
    goals = None if task.wanted is None else {*task.wanted, *(n for n, _ in task.targets)}
    return nodes if goals is None else [n for n in nodes if n in goals]


def kept(node: Node) -> list[Kept]:
    """What a node has saved, as snapshots."""
    return [Kept(s.name, Snapshot(s.array), s.changed, id(reading.memory_of(s.array)), s.tensor)
            for s in reading.saved(node)]


def holds(node: Node) -> bool:
    """Whether a node keeps anything that a backward pass would free: tensors or plain values."""
    values = getattr(node, "_saved", None) or ()
    return not isinstance(values, tuple) or any(not isinstance(v, (int, type(None)))
                                                for v in values)


def retained_by(node: Node) -> list[Tensor]:
    """The tensors that want their `.grad` filled when the gradient of `node` arrives."""
    hooks = getattr(node, "_hooks", None)
    found = [] if hooks is None else [ref() for ref in hooks.retained.values()]
    return [t for t in found if t is not None]


def note_result(node: Node) -> None:
    """Called with each new node: note its line, its Module, and a snapshot of its result."""
    tracing.note(node)
    frame: FrameType | None = sys._getframe(2)
    for _ in range(3):                           # _made(), finish(), or the one that called it
        if frame is None or frame.f_code.co_filename.startswith("<operator "):
            break
        frame = frame.f_back
    if frame is None or not frame.f_code.co_filename.startswith("<operator "):
        return                                   # not made by a generated function
    operator = getattr(type(node), "operator", None)
    variables = frame.f_locals
    if operator is not None and len(operator.outputs) > 1:
        results = [variables.get(f"r_{name}") for name in operator.outputs]
    else:
        results = [variables.get("res", getattr(variables.get("input"), "_data", None))]
    node._result = [snapshot(r) for r in results]


class record:
    """In this block, remember the last backward pass; then `graph()` shows it step by step.

    Costs some twenty microseconds a node. The graph of the last pass is kept alive until the next
    one, or until the recording is dropped. All threads are recorded.

    >>> import retrograd as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> with torch.viz.record() as recording:
    ...     (x * x).backward()
    >>> print(recording.graph())
    backward of MulBackward0: 1 operation, 1 leaf, 1 step, at ...
    MulBackward0  ()  ...  gradient 1, freed
    └─ x  leaf, requires_grad  ()  .grad 6
    """

    latest: weakref.ref[record] | None = None

    def __init__(self, only: int | None = None):
        self.last: Pass | None = None
        self.passes = 0
        self.only = only                         # record this pass alone, by its number from 1,
        self.enough: Callable[[], None] | None = None          # and then call this
        self._pass_of: WeakKeyDictionary[engine.Task, Pass | None] = WeakKeyDictionary()
        self._new: list[weakref.ref[Node]] = []
        self._outer: Callable[[Node], None] | None = None
        self._cuts: dict[str, dict[int, Break]] = {}           # by the line of the pass
        self._room = 10_000

    def __enter__(self) -> record:
        self._outer = features.trace             # a trace or recording around this one
        tracing.start(self._made)
        self._watcher = self._watch
        engine.watch_with(self._watcher)
        record.latest = weakref.ref(self)
        return self

    def __exit__(self, *exc_info) -> None:
        engine.unwatch(self._watcher)
        del self._watcher
        tracing.stop()
        if features.trace is not None:
            features.trace = self._outer

    def graph(self, **options):
        """The picture of the last backward pass; a ValueError if there was none."""
        from .picture import picture_of_pass
        if self.last is None:
            raise ValueError("no backward pass was recorded: call backward() in the `with` block, "
                             "or draw the graph of a tensor, `viz.graph(loss)`")
        return picture_of_pass(self.last, **options)

    def unfinished(self) -> list[Node]:
        """The living nodes since the last pass that lead to nothing else: where forward stands."""
        nodes = [n for ref in self._new if (n := ref()) is not None]
        inner = {id(n) for node in nodes for n in node.edges if n is not None}
        return [n for n in nodes if id(n) not in inner]

    def _made(self, node: Node) -> None:
        note_result(node)
        if self._outer is not None:
            self._outer(node)
        self._new.append(weakref.ref(node))
        if len(self._new) > self._room:
            self._new = [ref for ref in self._new if ref() is not None]
            self._room = max(10_000, 2 * len(self._new))

    # The backward pass

    def _watch(self, inner, node, g, edges, create):
        """Run a node by `inner`, as engine.watch_with() asks, and note the step in its pass."""
        task = state.task
        if task is not None and task not in self._pass_of:
            self._begin(task)
        current = None if task is None else self._pass_of[task]
        if current is None or node not in current.saved:     # run by an inner pass and an outer one
            return inner(node, g, edges, create)
        several = node.n_outputs != 1
        step = Step(node, [snapshot(x) for x in (g if several and g is not None else [g])])
        position = len(current.steps)
        current.steps.append(step)
        current.running.append(step)
        try:
            results = inner(node, g, edges, create)
        except BaseException as error:
            current.fail(error)
            raise
        finally:
            current.running.pop()
        step.sent = [snapshot(d) for d in results]
        if len(current.steps) > position + 1:                # it ended after its inner pass
            current.steps.append(current.steps.pop(position))
        return results

    def _begin(self, task) -> None:
        if task.outer is not None:
            current = self._pass_of[task] = self._pass_of.get(task.outer)
            if current is not None and current.running:
                current.add_inner(task)
            return
        self._new, self._pass_of[task] = [], None
        self.passes += 1
        if self.only is not None and self.passes != self.only:
            return
        execute = next(f for f in outwards(sys._getframe()) if f.f_code is EXECUTE)
        made = Pass(list(task.roots), nodes_of(task), execute, execute.f_locals["keep"])
        self.last = self._pass_of[task] = made
        made.cuts = self._cut_off(made, execute)
        task.callbacks.append(made.finish)
        if self.enough is not None:
            task.callbacks.append(self.enough)

    def _cut_off(self, made: Pass, execute: FrameType) -> dict[int, Break]:
        """Why parameters get nothing from a pass; looked up once for each line of backward()."""
        leaves = {id(n.variable) for n in made.nodes if isinstance(n, AccumulateGrad)}
        missing = apart(outermost(made.names.modules), leaves)
        if missing and str(made.place) not in self._cuts:
            self._cuts[str(made.place)] = cuts(list(missing.values()), user_frames(execute)[0])
        return self._cuts.get(str(made.place), {}) if missing else {}


EXECUTE = engine.execute.__code__
