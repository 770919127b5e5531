"""Records what PyTorch's data pipes yield: python tests/record/pipes.py"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import store
from pipe_cases import EXPRESSIONS, run

if __name__ == "__main__":
    store("pipes.json", {code: run(torch, code) for code in EXPRESSIONS})
