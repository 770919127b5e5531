"""Texts of this package as HTML for notebooks: one self-contained element, light or dark."""

from __future__ import annotations

from html import escape

STYLE = ("font-family: ui-monospace, monospace; font-size: 0.9em; line-height: 1.45; "
         "white-space: pre-wrap; padding: 0.6em 0.9em; border-left: 3px solid #c60; "
         "background: rgba(128, 128, 128, 0.1)")


def preformatted(text: str) -> str:
    """A text as it stands, with what begins a cure in bold."""
    body = escape(text).replace("Cure:", "<b>Cure:</b>")
    return f'<div style="{STYLE}">{body}</div>'
