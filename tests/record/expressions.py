"""Record PyTorch's outcomes of the lines in tests/data/*_expressions.txt."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from expressions import DATA, SETS, lines, outcome  # noqa: E402


def main():
    torch.set_warn_always(True)
    torch.TypedStorage([1.0]).tolist()       # its deprecation is told once, whatever is set
    for name in SETS:
        outcomes = {line: outcome(torch, line, name) for line in lines(name)}
        (DATA / f"{name}_expressions.json").write_text(json.dumps(outcomes, indent=1) + "\n")


if __name__ == "__main__":
    main()
