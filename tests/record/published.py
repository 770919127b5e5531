"""Records what published programs print under PyTorch: `python tests/record/published.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import store
from published_scripts import SCRIPTS, run

torch.set_num_threads(1)
store("published.json", {"torch": torch.__version__, **{name: run(name) for name in SCRIPTS}})
