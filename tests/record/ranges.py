"""Record PyTorch's ranges for the cases of test_ranges."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))


def main():
    path = TESTS / "data" / "ranges.json"
    if not path.exists():
        path.write_text("[]")
    from test_ranges import by_pytorch, cases

    chosen = [case for case in cases(150, seed=0) if case[3] > 1 or case[0] != "arange"]
    lines = [json.dumps([*case, by_pytorch(torch, *case).tolist()]) for case in chosen]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
