"""Records the losses of the examples' first 100 steps under PyTorch:

python tests/record/curves.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import run_example, store

torch.set_num_threads(1)
store("curves.json", {name: run_example(name, 100) for name in ("digits", "char_lm")})
