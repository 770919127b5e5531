"""A picture as text: a tree from the result back to the leaves.

Of an operation's inputs the one with the longest history goes on below it, at the same depth, so
that a long chain stays readable; the others branch off before. What was printed before is named
again, not repeated.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..debug.stories import Story
from ..debug.words import listed, size
from .boxes import Box
from .groups import Group

if TYPE_CHECKING:
    from .picture import Picture

LISTED = 8              # names on one line
SHOWN = 60              # boxes and closed groups that are printed, about


def text(picture: Picture) -> str:
    """The tree, below a line that says what it is."""
    lines = [picture.heading, *Tree(picture).lines(), *_missing(picture), *_trouble(picture)]
    return "\n".join(lines)


def _missing(picture: Picture) -> list[str]:
    if not picture.missing:
        return []
    names, more = picture.missing[:LISTED], len(picture.missing) - LISTED
    story = Story(f"not in this graph: {', '.join(names)}"
                  + (f" and {more} more" if more > 0 else ""))
    for cut, of in picture.cuts:
        story.add(cut.place, f"{cut.what}: this cuts off {listed(of)}")
    return [str(story)]


def _trouble(picture: Picture) -> list[str]:
    if not picture.error:
        return []
    failed = picture.failed_box()
    where = f" at {failed.title}" if failed is not None else ""
    return [f"failed{where}: {picture.error.splitlines()[0]}"]


class Tree:
    """What is seen of a picture with some groups closed, and how it hangs together."""

    def __init__(self, picture: Picture):
        self.picture = picture
        opened = picture.opened(SHOWN)
        self.seen: dict[Box, Box | Group] = {}
        for box in picture.boxes:
            closed = [g for g in box.group.above() if g not in opened]
            self.seen[box] = closed[0] if closed else box
        self.inputs: dict[Box | Group, dict[Box | Group, None]] = {}
        for wire in picture.wires:
            source, target = self.seen[wire.source], self.seen[wire.target]
            if source is not target:
                self.inputs.setdefault(target, {})[source] = None
        self._join_tensors()
        self.depth, self.past = self._histories()
        self.uses = Counter(s for sources in self.inputs.values() for s in sources)
        self.failed = picture.failed_box()

    def _join_tensors(self) -> None:
        """An operation and the named tensor it makes are one line: "z = AddBackward0"."""
        self.title: dict[Box | Group, str] = {}
        self.made_by: dict[Box | Group, Box] = {}
        for box in self.picture.boxes:
            if box.kind != "tensor" or self.seen[box] is not box:
                continue
            sources = self.inputs.get(box, {})
            maker = next(iter(sources), None)
            others = [t for t, s in self.inputs.items() if maker in s and t is not box]
            if isinstance(maker, Box) and not others:
                self.made_by[box] = maker
                self.inputs[box] = self.inputs.pop(maker, {})

    def _histories(self):
        """How many steps of history what is seen has (leaves and constants have none), and what
        is in that history, as the bits of a number."""
        depth: dict[Box | Group, int] = {}
        past: dict[Box | Group, int] = {}
        for start in self.seen.values():
            stack = [start]
            while stack:
                seen = stack[-1]
                if seen in depth:
                    stack.pop()
                    continue
                sources = self.inputs.get(seen, ())
                waiting = [s for s in sources if s not in depth]
                if waiting:
                    stack += waiting
                    continue
                stack.pop()
                at_end = isinstance(seen, Box) and seen.kind in ("leaf", "constant")
                depth[seen] = 0 if at_end else 1 + max((depth[s] for s in sources), default=0)
                past[seen] = 1 << len(past)
                for s in sources:
                    past[seen] |= past[s]
        return depth, past

    def lines(self) -> list[str]:
        """The tree's lines."""
        inner = {s for sources in self.inputs.values() for s in sources}
        inner.update(self.made_by.values())
        roots = [s for s in dict.fromkeys(self.seen.values()) if s not in inner]
        printed: set[Box | Group] = set()
        out: list[str] = []
        stack: list[tuple[str, str, Box | Group | str]] = [("", "", r) for r in reversed(roots)]
        while stack:
            first, rest, seen = stack.pop()
            if isinstance(seen, str):
                out.append(first + seen)
                continue
            if seen in printed:
                out.append(f"{first}{self._label(seen)}  (see above)")
                continue
            printed.add(seen)
            out.append(first + self._line(seen))
            sources = list(self.inputs.get(seen, ()))
            longest = max(sources, key=self.depth.__getitem__, default=None)
            goes_on = longest is not None and self.depth[longest] > 0
            if goes_on:
                stack.append((rest, rest, longest))
                sources.remove(longest)
            for k, source in reversed(list(enumerate(sources))):
                last = k == len(sources) - 1 and not goes_on
                if goes_on and source not in printed and self._leads_to(longest, source):
                    source = self._label(source) + "  (see below)"
                stack.append((rest + ("└─ " if last else "├─ "),
                              rest + ("   " if last else "│  "), source))
        return out

    def _leads_to(self, seen: Box | Group, source: Box | Group) -> bool:
        """Whether `source` is in the history of `seen`, and worth more than a line itself."""
        return self.depth[source] > 0 and self.past[seen] & self.past[source] == self.past[source]

    def _label(self, seen: Box | Group) -> str:
        if isinstance(seen, Group):
            times = f" ×{seen.count}" if seen.count > 1 else ""
            kind = f" ({seen.type})" if seen.type and seen.type != seen.label else ""
            return f"[{seen.label}{kind}{times}]"
        maker = self.made_by.get(seen)
        if maker is not None:
            return f"{seen.title} = {maker.title}"
        shared = seen.kind == "operation" and self.uses[seen] > 1
        return f"{seen.title} #{seen.id}" if shared else seen.title

    def _line(self, seen: Box | Group) -> str:
        label = self._label(seen)
        if isinstance(seen, Group):
            inside = [b for b in self.picture.boxes if self.seen[b] is seen]
            n = sum(b.kind == "operation" for b in inside)
            facts = [f"{n} operations" if n != 1 else "1 operation"]
            return "  ".join([label, ", ".join([*facts, *_held(self.picture.bytes_saved(inside))])])
        maker = self.made_by.get(seen, seen)
        words = [label]
        if seen.kind in ("leaf", "constant"):
            words.append(", ".join(seen.flags))
        elif "retains_grad" in seen.flags:
            words.append("retains_grad")
        if seen.shape is not None:
            dtype = seen.value.dtype
            words.append(str(tuple(seen.shape)) + ("" if dtype == "float32" else f" {dtype}"))
        if maker.place is not None:
            words.append(str(maker.place))
        facts = self._facts(seen, maker)
        if facts:
            words.append(", ".join(facts))
        return "  ".join(words)

    def _facts(self, seen: Box, maker: Box) -> list[str]:
        facts = []
        step = self._steps().get(maker)
        if step is not None and step.arrived[0] is not None:
            facts.append(f"gradient {step.arrived[0].brief()}")
        facts += _held(self.picture.bytes_saved([maker]))
        changed = [k.name for k in maker.saved if k.changed]
        if changed:
            facts.append(f"{' and '.join(changed)} changed since")
        walked = self.picture.walked
        if maker.freed or (step is not None and not step.failed and not walked.keeps_graph
                           and step.node in walked.holding):
            facts.append("freed")
        if seen.grad is not None:
            facts.append(f".grad {seen.grad.brief()}")
        if self.failed in (seen, maker):
            facts.append("<-- failed here")
        return facts

    def _steps(self):
        if not hasattr(self, "_step_of"):
            walked = self.picture.walked
            steps = [] if walked is None else walked.steps
            self._step_of = {self.picture._of_node[s.node]: s for s in steps}
        return self._step_of


def _held(nbytes: int) -> list[str]:
    return [f"saved {size(nbytes)}"] if nbytes else []
