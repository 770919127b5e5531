"""Records what PyTorch says in each situation of tests/messages:

python tests/record/messages.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import store
from message_table import SITUATIONS, run

torch.set_num_threads(1)
store("messages.json", {"torch": torch.__version__, **{name: run(name) for name in SITUATIONS}})
