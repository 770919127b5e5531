"""Record how PyTorch prints the arrays of printing_cases."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from printing_cases import case  # noqa: E402

CASES = 240


def printed(number: int) -> str:
    """repr of the case's tensor under its options."""
    values, dtype, options, requires_grad, double_default = case(number)
    torch.set_default_dtype(torch.float64 if double_default else torch.float32)
    # the complex and double values round to the narrow dtypes once, as NumPy rounds them
    tensor = torch.from_numpy(values).to(getattr(torch, dtype)).requires_grad_(requires_grad)
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    text = repr(tensor)
    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    return text


def main():
    texts = [printed(number) for number in range(CASES)]
    (TESTS / "data" / "printing.json").write_text(json.dumps(texts, indent=0) + "\n")


if __name__ == "__main__":
    main()
