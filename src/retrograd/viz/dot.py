"""A picture in the language of Graphviz: `dot -Tsvg graph.dot`. Modules are clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .boxes import Box
from .groups import Group

if TYPE_CHECKING:
    from .picture import Picture

STYLE = {
    "operation": 'shape=box style="rounded,filled" fillcolor="#e8e8ec" color="#8a8a94"',
    "leaf": 'shape=box style="filled" fillcolor="#d9ead3" color="#6a9a5b"',
    "parameter": 'shape=box style="filled" fillcolor="#fde7c2" color="#c08a2b"',
    "tensor": 'shape=ellipse style="filled" fillcolor="#dbe7fb" color="#5b83c4"',
    "constant": 'shape=box style="filled,dashed" fillcolor="#ffffff" color="#8a8a94"',
    "failure": 'shape=box style="rounded,filled" fillcolor="#f8d0d0" color="#c0392b" penwidth=2',
}
FREED = 'fontcolor="#8a8a94" fillcolor="#f4f4f6"'


def dot(picture: Picture) -> str:
    """The whole graph; nothing is folded away."""
    failed = picture.failed_box()
    lines = ["digraph retrograd {", f"  label={quoted(picture.heading)} labelloc=t",
             '  node [fontname="Helvetica" fontsize=11]', '  edge [color="#8a8a94"]',
             '  fontname="Helvetica"', *_members(picture.top, failed, "  ")]
    for wire in picture.wires:
        style = [f"label={quoted(wire.slot)} fontsize=9"] if wire.slot else []
        style += [] if wire.flows else ["style=dashed"]
        lines.append(f"  b{wire.source.id} -> b{wire.target.id}"
                     + (f" [{' '.join(style)}]" if style else ""))
    return "\n".join([*lines, "}", ""])


def _members(top: Group, failed: Box | None, indent: str) -> list[str]:
    """The statements for what is in a group; a loop, since groups nest as deep as programs do."""
    lines: list[str] = []
    stack: list[tuple[object, str]] = [(m, indent) for m in reversed(top.members)]
    while stack:
        member, indent = stack.pop()
        if isinstance(member, str):
            lines.append(member)
        elif isinstance(member, Group):
            times = f" ×{member.count}" if member.count > 1 else ""
            kind = f": {member.type}" if member.type else ""
            lines += [f"{indent}subgraph cluster_{member.id} {{",
                      f"{indent}  label={quoted(member.label + kind + times)}",
                      f'{indent}  style=rounded color="#c4c4cc"']
            stack.append((f"{indent}}}", ""))
            stack += [(m, indent + "  ") for m in reversed(member.members)]
        elif isinstance(member, Box):
            lines.append(f"{indent}{_node(member, member is failed)}")
    return lines


def _node(box: Box, failed: bool) -> str:
    kind = "parameter" if "parameter" in box.flags else box.kind
    words = [box.title]
    if box.shape is not None:
        words.append(f"{tuple(box.shape)} {box.value.dtype}")
    if box.kind in ("leaf", "tensor", "constant"):
        words.append(", ".join(box.flags))
    if box.place is not None and box.kind == "operation":
        words.append(str(box.place))
    if box.grad is not None:
        words.append(f".grad {box.grad.brief()}")
    style = [STYLE["failure" if failed else kind], *([FREED] if box.freed else [])]
    return f"b{box.id} [label={quoted(chr(10).join(words))} {' '.join(style)}]"


def quoted(text: str) -> str:
    """A string of the DOT language; a line break stays one."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
