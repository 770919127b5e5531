"""The page and the still picture: a picture's data put into the files of `page/`.

The layout is dagre's, in JavaScript, because the page lays out again whenever a group is opened or
closed. The still picture runs the same files in QuickJS, so it is what the page first shows.
"""

from __future__ import annotations

import html as escaping
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from .export import to_dict

if TYPE_CHECKING:
    from .picture import Picture

DRAWING = ("dagre.min.js", "layout.js", "draw.js")
STACK = 64 << 20        # bytes for QuickJS: dagre walks deep graphs by recursion


@cache
def part(name: str) -> str:
    """A file of the page."""
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def html(picture: Picture) -> str:
    """The page: one file that loads nothing."""
    data = json.dumps(to_dict(picture), separators=(",", ":"), ensure_ascii=False)
    filled = {
        "title": escaping.escape(picture.title),
        "style": part("draw.css") + part("page.css"),
        "script": "".join(part(name) for name in (*DRAWING, "steps.js", "details.js", "page.js")),
        "data": data.replace("<", "\\u003c"),        # no text of the user's can end the element
    }
    pieces = part("page.html").split("{{")
    out = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        out += [filled[name], rest]
    return "".join(out)


def inline(picture: Picture) -> str:
    """The page in a frame, for notebooks."""
    page = escaping.escape(html(picture), quote=True)
    return (f'<iframe srcdoc="{page}" style="width:100%;height:560px;border:0" '
            'sandbox="allow-scripts"></iframe>')


def needs_layout():
    """The module that runs the layout outside a browser; ImportError without the extra."""
    try:
        import quickjs
    except ImportError:
        raise ImportError("an SVG picture needs the package quickjs-ng for its layout: "
                          "pip install 'retrograd[viz]'. The page (.html), DOT and text need "
                          "nothing.") from None
    return quickjs


def svg(picture: Picture) -> str:
    """The still picture; ImportError without the extra that lays it out."""
    context = needs_layout().Context()
    context.set_max_stack_size(STACK)
    context.eval("globalThis.structuredClone = v => JSON.parse(JSON.stringify(v))")
    for name in DRAWING:
        context.eval(part(name))
    # join() gives a string in one piece, which is the only kind that comes back to Python
    draw = context.eval('(data, style) => [stillPicture(JSON.parse(data), style), ""].join("")')
    return draw(json.dumps(to_dict(picture)), part("draw.css"))
