"""Records PyTorch's distributions: python tests/record/distributions.py"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import DATA
from distribution_cases import run_all


def rounded(value):
    """float32 numbers as short as they can be."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: rounded(v) for key, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, list) else value


torch.set_num_threads(1)
text = json.dumps(rounded(run_all(torch)), ensure_ascii=False)
(DATA / "distributions.json").write_text(text.replace("}, ", "},\n") + "\n")
