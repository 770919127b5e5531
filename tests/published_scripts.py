"""Scripts in the manner of published programs, run under whatever `torch` means just then.

Each prints what matters with few digits, so that rounding does not show.
"""

from __future__ import annotations

from pathlib import Path

from comparing import observe

SCRIPTS = {path.stem: path for path in sorted((Path(__file__).parent / "published").glob("*.py"))}


def run(name: str):
    """What the script printed and raised, from a fixed seed."""
    import torch

    torch.manual_seed(0)
    seen, _ = observe(SCRIPTS[name].read_text(), name)
    return {"output": seen["output"].splitlines(), "error": seen["error"]}
