"""A picture as plain data: what the page is given, and what `Picture.to_dict()` returns.

    places  lines of the program: file, line, text and function
    boxes   id, kind, title, group, flags, place (its number), value, grad, saved, freed; see `_box`
    wires   source and target box, input name, and whether a gradient flows against it
    groups  id, label, type, kind, count, parent, and whether to show it open; the first is all
    steps   of the backward pass, if there was one: the box that ran, the gradient that arrived,
            which of it came by which named tensors, what was sent along which wires, and the
            leaves whose `.grad` was then filled
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..autograd.node import Node
from ..debug.places import Place, short
from ..debug.words import size
from .boxes import Box, Wire
from .groups import Group
from .recording import Kept, Step
from .snapshots import Snapshot

if TYPE_CHECKING:
    from .picture import Picture


def to_dict(picture: Picture) -> dict[str, Any]:
    """See the module's text; only lists, dicts, numbers, text, booleans and None."""
    opened = picture.opened()
    walked = picture.walked
    failed = picture.failed_box()
    places: dict[Place, int] = {}
    boxes = [_box(b, picture, places) for b in picture.boxes]
    return {
        "title": picture.title,
        "heading": picture.heading,
        "note": picture.note,
        "missing": picture.missing,
        "cuts": [{"place": _place(cut.place), "what": cut.what, "names": names}
                 for cut, names in picture.cuts],
        "error": picture.error,
        "failed": None if failed is None else failed.id,
        "place": None if walked is None else _place(walked.place),
        "saved": size(picture.bytes_saved()) if picture.bytes_saved() else "",
        "keeps": walked is not None and walked.keeps_graph,
        "places": [_place(p) for p in places],
        "boxes": boxes,
        "wires": [_wire(w) for w in picture.wires],
        "groups": [_group(g, g in opened, picture) for g in picture.groups],
        "steps": _steps(picture),
    }


def _some(**facts: Any) -> dict[str, Any]:
    """The facts that are there: what is None or empty is left out, to keep pages small."""
    return {k: v for k, v in facts.items() if not (v is None or v is False or v in ("", [], {}))}


def _box(box: Box, picture: Picture, places: dict[Place, int]) -> dict[str, Any]:
    formulas = _formulas(box) if box.kind == "operation" else None
    place = None if box.place is None else places.setdefault(box.place, len(places))
    return {"id": box.id, "kind": box.kind, "title": box.title, "group": box.group.id,
            **_some(flags=box.flags, place=place,
                    value=_snapshot(box.value), grad=_snapshot(box.grad),
                    before=_snapshot(_before(box, picture)), freed=box.freed, formulas=formulas,
                    saved=[_kept(k, k.memory in picture._own) for k in box.saved])}


def _before(box: Box, picture: Picture) -> Snapshot | None:
    """What a leaf's `.grad` held before the pass."""
    if picture.walked is None or box.tensor is None:
        return None
    return picture.walked.before.get(id(box.tensor))


def _formulas(box: Box) -> str | None:
    """The operator's declaration: the signature that shows what its inputs are called."""
    operator: Any = getattr(type(box.node), "operator", None)
    if operator is None:
        return None
    return f"{operator.name}({', '.join([*operator.inputs, *operator.consts])})"


def _kept(kept: Kept, own: bool) -> dict[str, Any]:
    return {"name": kept.name, "shape": list(kept.value.shape), "dtype": kept.value.dtype,
            "size": size(kept.value.nbytes), "bytes": kept.value.nbytes,
            **_some(changed=kept.changed, own=own)}


def _place(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"file": short(place.file), "line": place.line, "text": place.text,
            "function": place.function}


def _snapshot(snapshot: Snapshot | None) -> dict[str, Any] | None:
    if snapshot is None:
        return None
    return {"shape": list(snapshot.shape), "dtype": snapshot.dtype, "brief": snapshot.brief(),
            **_some(numbers=snapshot.numbers()), **snapshot.stats()}


def _wire(wire: Wire) -> dict[str, Any]:
    return {"from": wire.source.id, "to": wire.target.id,
            **_some(slot=wire.slot, flows=wire.flows)}


def _group(group: Group, is_open: bool, picture: Picture) -> dict[str, Any]:
    held = picture.bytes_saved(group.boxes())
    return {"id": group.id, "label": group.label, "kind": group.kind,
            **_some(saved=size(held) if held else "", type=group.type, open=is_open,
                    count=group.count if group.count > 1 else None,
                    parent=None if group.parent is None else group.parent.id)}


# --------------------------------------------------------------------------- steps

def _steps(picture: Picture) -> list[dict[str, Any]]:
    walked = picture.walked
    if walked is None:
        return []
    flows = Flows(picture)
    return [flows.step(s) for s in walked.steps]


class Flows:
    """Follows a pass along the wires, to tell when a leaf has all its gradients."""

    def __init__(self, picture: Picture):
        self.picture = picture
        self.wire_of = {w.edge: k for k, w in enumerate(picture.wires) if w.edge is not None}
        self.outputs: dict[Node, list[tuple[int, Box]]] = {}     # named tensors, by their makers
        for (node, nr), box in picture._of_output.items():
            self.outputs.setdefault(node, []).append((nr, box))
        self.to_come = Counter(w.source for w in picture.wires
                               if w.edge is not None and w.source.kind == "leaf")

    def step(self, step: Step) -> dict[str, Any]:
        """What the page shows of one node's run.

        The gradient that arrived at its box, those that it sent along wires, and the boxes whose
        `.grad` is complete now.
        """
        box = self.picture._of_node[step.node]
        arrived = next((a for a in step.arrived if a is not None), None)
        sent, filled = [], []
        for k in range(len(step.node.edges)):
            position = self.wire_of.get((step.node, k))
            if position is None:
                continue
            flow = step.sent[k] if k < len(step.sent) else None
            if flow is not None:
                sent.append({"wire": position, "brief": flow.brief(), "shape": list(flow.shape),
                             **_some(numbers=flow.numbers())})
            source = self.picture.wires[position].source
            if source.kind == "leaf" and not step.failed:
                self.to_come[source] -= 1
                if self.to_come[source] == 0 and source.grad is not None:
                    filled.append(source.id)
        walked = self.picture.walked
        frees = step.node in walked.holding and not walked.keeps_graph and not step.failed
        outputs = {b.id: step.arrived[nr] for nr, b in self.outputs.get(step.node, ())
                   if nr < len(step.arrived) and step.arrived[nr] is not None}
        filled += [k for k in outputs if "retains_grad" in self.picture.boxes[k].flags]
        briefs = {str(k): a.brief() for k, a in outputs.items()}
        return {"box": box.id, **_some(arrived=_snapshot(arrived), sent=sent, fills=filled,
                                       outputs=briefs,
                                       frees=frees, failed=step.failed)}
