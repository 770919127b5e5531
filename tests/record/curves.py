"""Records the losses of the examples' first steps under PyTorch:

python tests/record/curves.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import run_example, store

torch.set_num_threads(1)
STEPS = {"digits": 100, "char_lm": 100, "conv_digits": 40, "gpt": 15, "lstm": 15, "maml": 15,
         "pinn": 50, "vae": 50, "wgan_gp": 25}
store("curves.json", {name: run_example(name, steps) for name, steps in STEPS.items()})
