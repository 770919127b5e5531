"""Records what PyTorch does with Tensor's subclasses: python tests/record/subclasses.py"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import store
from subclass_cases import run_all

store("subclasses.json", run_all(torch))
