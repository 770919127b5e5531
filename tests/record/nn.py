"""Records what PyTorch's layers print, compute and refuse:

python tests/record/nn.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import store
from nn_cases import LAYERS, MISUSES, layer_run, misuse_run

torch.set_num_threads(1)
store(
    "nn.json",
    {
        "layers": {code: layer_run(torch, code, shape) for code, shape in LAYERS},
        "misuses": {name: misuse_run(torch, code) for name, code in MISUSES.items()},
    },
)
