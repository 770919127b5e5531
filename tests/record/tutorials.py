"""Records what the tutorials' scripts do under PyTorch: `python tests/record/tutorials.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import store
from tutorial_scripts import SCRIPTS, run

torch.set_num_threads(1)
store("tutorials.json", {"torch": torch.__version__, **{name: run(name) for name in SCRIPTS}})
