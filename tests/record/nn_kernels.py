"""Record, under PyTorch, what the cases of tests/nn_kernel_cases.py give: nn_kernels.npz."""

import sys
from pathlib import Path

import numpy as np
import torch

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))
import nn_kernel_cases as cases  # noqa: E402

recorded = {}
for number, case in enumerate(cases.CASES):
    value, grads = cases.evaluate(case, torch)
    recorded[f"{number}"] = value
    recorded |= {f"{number}.{name}": grad for name, grad in grads.items()}
np.savez_compressed(TESTS / "data" / "nn_kernels.npz", **recorded)
