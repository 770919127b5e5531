"""A story: lines of the program, a remark on each, and the cure. Every explanation is one."""

from __future__ import annotations

from .cuts import Break
from .places import Place, is_own


class Story:
    """Lines of the user's program, each with a remark, then the cure."""

    def __init__(self, lead: str):
        self.lead = lead
        self.steps: list[tuple[Place | None, str]] = []
        self.cure = ""
        self.after: list[str] = []

    def add(self, where: Place | None, remark: str) -> None:
        """A line and a remark on it; lines of this package are left out, as they help nobody."""
        self.steps.append((None if where is not None and is_own(where.file) else where, remark))

    def cut_at(self, found: Break) -> None:
        """The lines that cut a graph, and the cure."""
        if found.opened is not None and str(found.opened) != str(found.place):
            self.add(found.opened, found.what)
            self.add(found.place, "so the graph ends here" if found.place else "")
        else:
            self.add(found.place, found.what)
        self.cure = found.cure + "."

    def __str__(self):
        lines = [self.lead] if self.lead else []
        width = max([len(str(p)) for p, _ in self.steps if p is not None], default=0)
        for where, remark in self.steps:
            if where is None or not where.text:
                lines.append(f"  {'' if where is None else f'{where}  '}{remark}")
            else:
                lines += [f"  {str(where):{width}}  {where.text}", f"  {'':{width}}  ^ {remark}"]
        if self.cure:
            lines.append("Cure: " + self.cure)
        return "\n".join([*lines, *self.after])
