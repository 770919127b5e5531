"""Records PyTorch's training runs of each optimizer and schedule:

python tests/record/optim.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import store
from optim_cases import HALVES, OPTIMIZERS, SCHEDULES, half_run, optimizer_run, schedule_run

torch.set_num_threads(1)
store(
    "optim.json",
    {
        "optimizers": {name: optimizer_run(torch, name) for name in OPTIMIZERS},
        "schedules": {name: schedule_run(torch, name) for name in SCHEDULES},
        "halves": {
            dtype: {name: half_run(torch, name, dtype) for name in HALVES}
            for dtype in ("float16", "bfloat16")
        },
    },
)
