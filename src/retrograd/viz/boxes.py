"""From a recorded graph to what a picture draws: boxes, and wires between them.

A box is an operation (a node of the graph), a leaf with its AccumulateGrad, a tensor in between
that the program has a name for or that retains its gradient, or a constant: a named tensor that
requires no grad but was saved. Wires run the way of the forward pass; gradients flow against them.
Boxes are put into groups that can be closed: NOTE [groups are intervals] in groups.py.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node, history
from ..debug import reading
from ..debug.names import Names
from ..debug.places import Place
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..ops.generate_node import saved_layout
from . import groups
from .missing import apart, outermost
from .recording import Inner, Kept, Pass, kept, retained_by
from .snapshots import Snapshot, snapshot


@dataclass(eq=False)
class Box:
    """One thing in a picture. `kind` is operation, leaf, tensor, constant or failure."""

    kind: str
    title: str
    node: Node | None = None
    tensor: Tensor | None = None
    around: weakref.ref[groups.Group] | None = None
    id: int = -1
    place: Place | None = None
    value: Snapshot | None = None               # of the result, or of the leaf
    grad: Snapshot | None = None                # what `.grad` holds
    saved: list[Kept] = field(default_factory=list)
    freed: bool = False
    flags: list[str] = field(default_factory=list)

    @property
    def group(self) -> Any:
        """The group that the box is in."""
        return self.around and self.around()

    @property
    def shape(self) -> tuple | None:
        return None if self.value is None else self.value.shape


@dataclass(eq=False)
class Wire:
    """From the box that makes a tensor to one that uses it, as its input `slot`."""

    source: Box
    target: Box
    slot: str = ""
    edge: tuple[Node, int] | None = None        # the node and which of its edges
    flows: bool = True                          # a gradient goes along it


@dataclass
class Stop:
    """What was called when it failed: its name, tensors and line, and the Modules around it."""

    title: str
    operands: list[tuple[str, Tensor]]
    place: Place | None
    modules: list[Module] = field(default_factory=list)


class Scene:
    """The boxes and wires of the graph that can be reached from some nodes."""

    def __init__(self, nodes: list[Node], names: Names, walked: Pass | None = None,
                 params: dict[int, str] | None = None, modules: dict[str, Module] | None = None,
                 show_saved: bool = False, stop: Stop | None = None):
        self.names, self.walked = names, walked
        self.modules = {**outermost(names.modules), **(modules or {})}
        self.params = {id(t): f"{name}.{path}" if name else path
                       for name, module in self.modules.items()
                       for path, t in [*module.named_parameters(), *module.named_buffers()]}
        self.params.update(params or {})
        self.boxes: list[Box] = []
        self.places: dict[tuple, Place | None] = {}
        self.wires: list[Wire] = []
        self.of_node: dict[Node, Box] = {}
        self.of_output: dict[tuple[Node, int], Box] = {}      # tensors in between
        operations = sorted((n for n in nodes if not isinstance(n, AccumulateGrad)),
                            key=lambda n: n._seq)
        self.paths = self._find_paths(operations)
        for node in operations:
            self._add(self._operation(node))
        for node in nodes:
            if isinstance(node, AccumulateGrad):
                self._add(self._leaf(node))
        self._find_tensors()
        self._connect(operations)
        self._connect_inner()
        self._find_values(operations)
        self._constants(show_saved)
        self.top = groups.tree([self.of_node[n] for n in operations], self.paths)
        groups.fold(self.top)
        if stop is not None:
            self._stopped(stop)
        self._place_others()
        self.missing = apart(self.modules, {id(b.tensor) for b in self.boxes if b.kind == "leaf"})

    def _add(self, box: Box) -> Box:
        box.id = len(self.boxes)
        self.boxes.append(box)
        if box.kind in ("operation", "leaf"):
            self.of_node[box.node] = box
        return box

    def name_of(self, t: Tensor) -> str | None:
        """The name of a tensor: by the argument `params`, in a Module, or of a variable."""
        return self.params.get(id(t)) or self.names.of(t)

    # Boxes

    def _operation(self, node: Node) -> Box:
        box = Box("operation", type(node).__name__, node, place=self._place(node))
        box.saved = kept(node) if self.walked is None else self.walked.saved.get(node, [])
        freed = reading.is_freed(node) if self.walked is None else node in self.walked.freed
        box.freed = freed and keeps_something(node)
        if getattr(node, "_hooks", None) is not None:
            hooks = node._hooks
            box.flags += ["has hooks"] if hooks.tensors or hooks.pre or hooks.post else []
        return box

    def _place(self, node: Node) -> Place | None:
        """The line that made a node; the many nodes of one line share one Place."""
        note = reading.note_of(node)
        if note is None:
            return None
        key = note[:2]
        if key not in self.places:
            self.places[key] = reading.place_of(node)
        return self.places[key]

    def _leaf(self, node: AccumulateGrad) -> Box:
        t = node.variable
        box = Box("leaf", self.name_of(t) or "leaf", node, t)
        box.flags = ["leaf", *(["parameter"] if isinstance(t, Parameter) else []), "requires_grad"]
        hooks = t._leaf_hooks
        if hooks is not None and (hooks.tensors or hooks.pre or hooks.post
                                  or hooks.after_accumulate):
            box.flags.append("has hooks")
        box.value, box.grad = self._value(t), self._grad(t)
        return box

    def _value(self, t: Tensor) -> Snapshot | None:
        if self.walked is not None and id(t) in self.walked.values:
            return self.walked.values[id(t)]
        return snapshot(t)

    def _grad(self, t: Tensor) -> Snapshot | None:
        if self.walked is not None:
            return self.walked.after.get(id(t), self.walked.before.get(id(t)))
        return None if t._grad is None else snapshot(t._grad)

    def _find_tensors(self) -> None:
        """A box for each result that has a name or retains its gradient."""
        found: dict[tuple[Node, int], list[Tensor]] = {}
        named = [t for t in self.names.objects.values() if isinstance(t, Tensor)]
        retained = [t for n in self.of_node for t in retained_by(n)]
        for t in {id(t): t for t in [*named, *retained]}.values():
            node = reading.head(t)
            if node is not None and node in self.of_node:
                found.setdefault((node, t._output_nr), []).append(t)
        for (node, nr), tensors in found.items():
            titles = dict.fromkeys(filter(None, map(self.name_of, tensors)))
            box = Box("tensor", ", ".join(titles) or "tensor", node, tensors[0])
            box.flags = ["non-leaf", "requires_grad"]
            keeps = [t for t in tensors if t._retains]
            if keeps:
                box.flags.append("retains_grad")
                box.tensor, box.grad = keeps[0], self._grad(keeps[0])
            box.value, box.place = snapshot(tensors[0]), self.of_node[node].place
            self.of_output[node, nr] = self._add(box)
            self.wires.append(Wire(self.of_node[node], box))

    def _connect(self, operations: list[Node]) -> None:
        for node in operations:
            slots = slot_names(node)
            for k, (source, nr) in enumerate(node.inputs()):
                if source in self.of_node:
                    box = self.of_output.get((source, nr)) or self.of_node[source]
                    slot = slots[k] if k < len(slots) else ""
                    self.wires.append(Wire(box, self.of_node[node], slot, (node, k)))

    def _connect_inner(self) -> None:
        """A pass inside of a node hangs on that node, by a wire that no gradient takes."""
        for inner in {} if self.walked is None else dict.fromkeys(self.walked.inner.values()):
            for node, nr in inner.roots:
                source = self.of_output.get((node, nr)) or self.of_node.get(node)
                if source is not None and inner.node in self.of_node:
                    self.wires.append(Wire(source, self.of_node[inner.node], flows=False))

    def _find_values(self, operations: list[Node]) -> None:
        """What each operation returned, where the trace, a name or a saved tensor tells."""
        for (node, _), box in self.of_output.items():
            self.of_node[node].value = box.value
        for node in operations:
            box = self.of_node[node]
            noted = getattr(node, "_result", None)
            if noted:
                box.value = noted[0]
            operator = getattr(type(node), "operator", None)
            for one in box.saved:
                t = one.tensor
                if t is not None and t._grad_fn in self.of_node:
                    self.of_node[t._grad_fn].value = one.value
                elif t is None and operator is not None and one.name == operator.outputs[0]:
                    box.value = one.value

    def _constants(self, show_all: bool) -> None:
        """Boxes for saved tensors that need no grad: those with a name, or all."""
        found: dict[int, Box] = {}
        for node, user in list(self.of_node.items()):
            for one in user.saved:
                t = one.tensor
                if t is None or t._flags or t._wrapped:
                    continue
                name = self.name_of(t)
                if name is None and not show_all:
                    continue
                box = found.get(id(t))
                if box is None:
                    box = found[id(t)] = self._add(Box("constant", name or "constant", None, t))
                    box.value, box.flags = one.value, ["leaf", "no grad"]
                self.wires.append(Wire(box, self.of_node[node], one.name, flows=False))

    def _stopped(self, stop: Stop) -> None:
        """The call that failed as a box, with wires from what it was given."""
        box = self._add(Box("failure", stop.title, place=stop.place))
        groups.of_modules(self.top, stop.modules).add(box)
        for name, t in stop.operands:
            node = history(t)
            source = self.of_output.get((node, t._output_nr)) or self.of_node.get(node)
            source = source or next((b for b in self.boxes if b.tensor is t), None)
            if source is None:
                source = self._add(Box("constant", self.name_of(t) or name, None, t,
                                       value=snapshot(t), flags=["no grad"]))
            self.wires.append(Wire(source, box, name))

    # Groups

    def _find_paths(self, operations: list[Node]) -> list[tuple[groups.Part, ...]]:
        """What encloses each operation: Modules, and the node whose inner pass ran it."""
        paths = self._paths_of_modules(operations)
        inner = {} if self.walked is None else self.walked.inner
        return [(*around_inner(inner.get(n)), *path)
                for n, path in zip(operations, paths, strict=True)]

    def _paths_of_modules(self, operations: list[Node]) -> list[tuple[groups.Part, ...]]:
        """The Modules around each operation, from the trace if there was one."""
        notes = [reading.note_of(n) for n in operations]
        if any(note is not None and note[2] is not None for note in notes):
            calls = {note[2]: None for note in notes if note is not None}
            known = {c: groups.of_calls(c, self.names) for c in calls}
            return [() if note is None else known[note[2]] for note in notes]
        if not self.modules and not self.params:
            return [()] * len(operations)
        return groups.spread([self._path_by_parameters(n) for n in operations])

    def _path_by_parameters(self, node: Node) -> tuple[groups.Part, ...] | None:
        for source in node.edges:
            t = source.variable if isinstance(source, AccumulateGrad) else None
            if t is None or not (isinstance(t, Parameter) or id(t) in self.params):
                continue
            name = self.name_of(t)
            if name is not None:
                return groups.of_parameter(name.rpartition(".")[0], self.modules)
        return None

    def _place_others(self) -> None:
        """Leaves stand where all their uses are; what the program has a name for, outside."""
        around: dict[Box, list[Any]] = {}
        for wire in self.wires:
            if wire.target.group is not None:
                around.setdefault(wire.source, []).append(wire.target.group)
        loose = [box for box in self.boxes if box.group is None]
        outside = {box for box in loose if box.kind != "tensor" and self._is_variable(box.tensor)}
        for box in loose:
            users = around.get(box, [])
            if box.kind == "tensor":
                maker = self.of_node[box.node].group
                group = groups.between(maker, users)
                if "[" in box.title:                 # losses[3], of the loop's round 4
                    group = groups.round_of(maker, group)
            elif box in outside and len(outside) <= groups.RUN or not users:
                group = self.top
            else:
                group = groups.common(users)
            group.add(box)
        groups.gather_leaves(self.top)

    def _is_variable(self, t: Tensor) -> bool:
        """Whether a tensor is the program's own, not a part of a Module."""
        name = self.name_of(t)
        return name is not None and "." not in name and not isinstance(t, Parameter)


def around_inner(inner: Inner | None) -> list[groups.Part]:
    """The groups of passes inside of nodes, outermost first."""
    parts: list[groups.Part] = []
    while inner is not None:
        parts.insert(0, groups.Part(inner, f"pass inside of {type(inner.node).__name__}", ""))
        inner = inner.outer
    return parts


def keeps_something(node: Node) -> bool:
    """Whether nodes of this kind save what a backward pass can free."""
    operator = getattr(type(node), "operator", None)
    return operator is None or bool(saved_layout(operator))


def slot_names(node: Node) -> Sequence[str]:
    """What an operator calls its inputs, one for each edge."""
    operator: Any = getattr(type(node), "operator", None)
    if operator is None:
        return ()
    if operator.takes_list:
        return [f"{operator.inputs[0]}[{k}]" for k in range(len(node.edges))]
    return operator.inputs
