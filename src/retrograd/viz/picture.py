"""graph(): the picture of a recorded graph, as text, DOT, SVG or an interactive page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd import engine
from ..autograd.node import AccumulateGrad, edge
from ..debug import reading
from ..debug.names import Names
from ..debug.places import user_frames
from ..debug.words import counted, size
from ..nn.modules.module import Module
from ..ops.batching import physical
from . import recording
from .boxes import Box, Scene
from .groups import Group
from .missing import cuts, grouped
from .recording import Pass

FORMS = {".html": "html", ".htm": "html", ".svg": "svg", ".dot": "dot", ".gv": "dot",
         ".txt": "__str__"}
SHOWN = 40              # boxes that are open to begin with


def graph(t: Tensor | Sequence[Tensor] | dict[str, Tensor], *, params: Any = None,
          show_saved: bool = False, backward: bool = False) -> Picture:
    """The graph behind a tensor (or several), to look at: print it, save it, or show it inline.

    params      names for leaves and their Modules: a Module, or pairs or a dict of name and tensor
                (default: what the calling program's variables call them)
    show_saved  draw every tensor that was saved for backward, not only those with a name
    backward    rehearse the backward pass, so that the page can step through it: it runs with
                ones for the gradient of `t`, keeps the graph, and puts `.grad` of all leaves back
                as it was. Hooks run. If it fails, the picture shows where.

    The result prints as a tree; `dot()`, `svg()` and `html()` give other forms as text,
    `save(path)` writes one of them by the path's suffix, and notebooks show the page inline. Lines
    and Modules are known for what ran under `torch.viz.record()` or `torch.debug.trace()`; a pass
    that `record()` saw is shown step by step without being run again.

    Raises TypeError if `t` is not a tensor, ValueError if `backward` is asked for and there is no
    graph.

    >>> import retrograd as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> loss = (w * 3).sum()
    >>> print(torch.viz.graph(loss))
    graph of loss: 2 operations, 1 leaf, 4 B saved
    loss = SumBackward0  ()
    MulBackward0  saved 4 B
    └─ w  leaf, requires_grad  (2,)
    """
    tensors = list(t.values() if isinstance(t, dict) else t) if isinstance(
        t, (list, tuple, dict)) else [t]
    for one in tensors or [t]:
        if not isinstance(one, Tensor):
            hint = "; a Module has none before it is called: `graph(net(x), params=net)`" if (
                isinstance(one, Module)) else ""
            given = f"an empty {type(t).__name__}" if one is t and not tensors else \
                type(one).__name__
            raise TypeError(f"graph(): expected a Tensor or several, got {given}{hint}")
    names, found = Names(user_frames(), depth=1), _Given(params)
    whole = [physical(one) for one in tensors]         # inside vmap the graph is that of all slices
    roots = [e for one in whole if (e := edge(one)) is not None]
    walked = _recorded(roots)
    if backward and walked is None:
        if not roots:
            raise ValueError("graph(backward=True): the tensor does not require grad, so there is "
                             "no graph to go back through")
        walked = rehearse(roots, whole)            # None if a leaf is all there is
    nodes = reading.nodes(n for n, _ in roots) if walked is None else walked.nodes
    if walked is not None and walked.names.objects:
        names.objects.update(walked.names.objects)
    scene = Scene(nodes, names, walked, found.params, found.modules, show_saved)
    title = ", ".join(found.params.get(id(one)) or names.of(one) or "a tensor" for one in tensors)
    if not roots:
        for one in tensors:
            _add_lone(scene, one)
    picture = Picture(scene, f"{'graph' if walked is None else 'backward'} of {title}", walked)
    if not picture.cuts:
        found_here = cuts(list(scene.missing.values()), user_frames()[0], tensors[0])
        picture.cuts = grouped(scene.missing, found_here)
    return picture


class _Given:
    """The argument `params`: names of tensors by id, and the Modules that have them."""

    def __init__(self, params: Any):
        self.params: dict[int, str] = {}
        self.modules: dict[str, Module] = {}
        if params is None:
            return
        if isinstance(params, Module):
            self.modules[""] = params
            params = [*params.named_parameters(), *params.named_buffers()]
        pairs = params.items() if isinstance(params, Mapping) else params
        for pair in pairs if isinstance(pairs, Iterable) else [pairs]:
            if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], Tensor)):
                raise TypeError("graph(): params must be a Module, or pairs of name and tensor, "
                                f"not {type(pair).__name__}")
            self.params[id(pair[1])] = str(pair[0])


def _add_lone(scene: Scene, t: Tensor) -> None:
    """A tensor without a graph is a picture too: of one box."""
    box = Box("constant", scene.name_of(t) or "tensor", None, t)
    box.flags, box.value = ["leaf", "no grad", "no graph leads here"], recording.snapshot(t)
    scene.top.add(scene._add(box))


def _recorded(roots: list) -> Pass | None:
    """The pass from one of these roots, if a recording that is still there saw it."""
    latest = recording.record.latest
    latest = latest and latest()
    if latest is None or latest.last is None:
        return None
    return latest.last if any(latest.last.concerns(n) for n, _ in roots) else None


def rehearse(roots: list, tensors: list[Tensor]) -> Pass | None:
    """A backward pass that is recorded and leaves every `.grad` and the graph as they were."""
    nodes = reading.nodes(n for n, _ in roots)
    kept = [n.variable for n in nodes if isinstance(n, AccumulateGrad)]
    kept += [t for n in nodes for t in recording.retained_by(n)]
    grads = [(t, t._grad) for t in kept]
    ones = [np.ones_like(t._data) for t in tensors if edge(t) is not None]
    recorder = recording.record()
    try:
        for t, _ in grads:
            t._grad = None
        with recorder:
            engine.execute(roots, ones, True, False)
    except Exception as error:                   # then the picture shows where
        if recorder.last is None:
            raise
        if not recorder.last.over:
            recorder.last.fail(error)
    finally:
        for t, grad in grads:
            t._grad = grad
    if recorder.last is not None:
        recorder.last.place = None
    return recorder.last


def picture_of_pass(walked: Pass, *, params: Any = None, show_saved: bool = False) -> Picture:
    """The picture of a backward pass that was recorded."""
    found = _Given(params)
    scene = Scene(walked.nodes, walked.names, walked, found.params, found.modules, show_saved)
    roots = [scene.of_output.get((n, nr)) or scene.of_node[n] for n, nr in walked.roots]
    title = ", ".join(box.title for box in roots)
    return Picture(scene, f"backward of {title}", walked)


class Picture:
    """What `graph()` returns: a graph, laid out for reading.

    >>> import retrograd as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> loss = (x * x).sum()
    >>> picture = torch.viz.graph(loss)
    >>> print(picture)
    graph of loss: 2 operations, 1 leaf
    loss = SumBackward0  ()
    MulBackward0
    └─ x  leaf, requires_grad  (2,)
    """

    def __init__(self, scene: Scene, title: str, walked: Pass | None = None, note: str = "",
                 error: str = ""):
        self.boxes, self.wires, self.top = scene.boxes, scene.wires, scene.top
        self.title, self.walked, self.note = title, walked, note
        self.missing = list(scene.missing)
        self.cuts = [] if walked is None else grouped(scene.missing, walked.cuts)
        self.error = error or ("" if walked is None else walked.error)
        self.groups = self._number_groups()
        self._own = {id(reading.memory_of(b.tensor._data)) for b in self.boxes if b.kind == "leaf"}
        self._of_node = scene.of_node
        self._of_output = scene.of_output

    def _number_groups(self) -> list[Group]:
        found = [self.top]
        for group in found:
            found += [m for m in group.members if isinstance(m, Group)]
        for k, group in enumerate(found):
            group.id = k
        return found

    # Facts

    @property
    def heading(self) -> str:
        """The title and what there is, in one line."""
        count = {kind: sum(b.kind == kind for b in self.boxes) for kind in ("operation", "leaf")}
        parts = [counted(count["operation"], "operation"), counted(count["leaf"], "leaf", "leaves")]
        held = self.bytes_saved()
        if held:
            parts.append(f"{size(held)} saved")
        if self.walked is not None:
            place = self.walked.place
            steps = len(self.walked.steps)
            parts.append(f"failed in step {steps}" if self.walked.error
                         else counted(steps, "step"))
            if place is not None:
                parts.append(f"at {place}")
        return f"{self.title}: {', '.join(parts)}"

    def bytes_saved(self, boxes: Iterable[Box] | None = None) -> int:
        """The bytes that these boxes (default: all) keep, or kept before the pass.

        Each piece of memory counts once, and what leaves own not at all.
        """
        pieces = {k.memory: k.value.nbytes for b in boxes or self.boxes for k in b.saved
                  if k.memory not in self._own}
        return sum(pieces.values())

    def opened(self, limit: int = SHOWN) -> set[Group]:
        """The groups to show open so that about `limit` boxes are seen: outer ones first."""
        found, seen = {self.top}, len(self.top.members)
        for group in self.groups:                    # outer ones come first
            if group not in found:
                continue
            inner = [m for m in group.members if isinstance(m, Group)]
            rounds = group.kind in ("repeat", "run")
            for several in filter(None, [inner] if rounds else [[g] for g in inner]):
                more = sum(max(len(g.members), g.count) - 1 for g in several)
                reluctant = rounds or several[0].kind in ("repeat", "run")
                few = sum(g.count if g.count > 1 else len(g.members) for g in several) - 1
                if seen + more <= limit and (not reluctant or few <= limit // 8):
                    found.update(several)
                    seen += more
        return found

    def failed_box(self) -> Box | None:
        """Where it failed, if it did."""
        if self.walked is not None and self.walked.steps and self.walked.steps[-1].failed:
            return self._of_node[self.walked.steps[-1].node]
        return next((b for b in self.boxes if b.kind == "failure"), None)

    # Forms

    def __str__(self) -> str:
        from .text import text
        return text(self)

    __repr__ = __str__

    def dot(self) -> str:
        """The graph in the language of Graphviz; Modules are clusters."""
        from .dot import dot
        return dot(self)

    def svg(self) -> str:
        """A still picture, as the page first shows it.

        Raises ImportError without the extra: `pip install 'retrograd[viz]'`.
        """
        from .page import svg
        return svg(self)

    def html(self) -> str:
        """An interactive page, complete in itself: it loads nothing."""
        from .page import html
        return html(self)

    def save(self, path: str | Path) -> None:
        """Write a .html, .svg, .dot (.gv) or .txt file; ValueError for other suffixes."""
        text = getattr(self, form_of(path))()
        Path(path).write_text(text.rstrip("\n") + "\n", encoding="utf-8")

    def _repr_html_(self) -> str:
        from .page import inline
        return inline(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything the page shows, for programs: plain lists, dicts, numbers and text."""
        from .export import to_dict
        return to_dict(self)


def form_of(path: str | Path) -> str:
    """The method that makes what belongs into a file of this name."""
    form = FORMS.get(Path(path).suffix.lower())
    if form is None:
        raise ValueError(f"the name {str(path)!r} must end in one of {', '.join(FORMS)}, which "
                         "says what to write")
    return form
