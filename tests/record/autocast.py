"""Records PyTorch's results under autocast: python tests/record/autocast.py"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from autocast_cases import run_all
from comparing import store

torch.set_num_threads(1)
store("autocast.json", run_all(torch))
