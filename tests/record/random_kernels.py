"""Record what PyTorch draws for the sequences of random_cases.py."""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from random_cases import sequence  # noqa: E402

SEEDS = [0, 1, -5, 2**64 - 3, 1234567890123]


def draw(name, dtype=None, shape=None, **arguments):
    """PyTorch's answer to one call of a sequence."""
    if dtype is not None:
        empty = torch.zeros(shape, dtype=getattr(torch, dtype))
    a = {k: torch.from_numpy(v) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    match name:
        case "uniform":
            if empty.is_complex():
                return torch.rand(shape, dtype=empty.dtype)
            return empty.uniform_(a.get("low", 0), a.get("high", 1))
        case "normal":
            return empty.normal_(a.get("mean", 0), a.get("std", 1))
        case "log_normal":
            return empty.log_normal_(a["mean"], a["std"])
        case "integers":
            return torch.randint(a["low"], a["high"], shape, dtype=empty.dtype)
        case "any_integer":
            return empty.random_()
        case "permutation":
            return torch.randperm(a["n"])
        case "bernoulli":
            return torch.zeros(shape, dtype=torch.bool).bernoulli_(a["p"])
        case "exponential":
            return empty.exponential_(a["rate"])
        case "geometric":
            return empty.geometric_(a["p"])
        case "cauchy":
            return empty.cauchy_(a["median"], a["sigma"])
        case "multinomial":
            return torch.multinomial(a["probs"], a["num_samples"], a["replacement"])
        case "poisson":
            return torch.poisson(a["rate"])
        case "standard_gamma":
            return torch._standard_gamma(a["alpha"])
        case "binomial":
            return torch.binomial(a["count"], a["prob"])


def as_array(tensor):
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.uint16).numpy()
    return tensor.numpy()


def run(seed, calls):
    """The arrays drawn by the calls after manual_seed(seed), and a digest of the state left."""
    torch.manual_seed(seed)
    arrays = [as_array(draw(**call)) for call in calls]
    return arrays, sha256(torch.get_rng_state().numpy().tobytes()).hexdigest()


def main():
    recorded = {}
    for number, seed in enumerate(SEEDS):
        arrays, digest = run(seed, sequence(number))
        recorded[f"{number}/seed"] = np.array(str(seed))
        recorded[f"{number}/state"] = np.array(digest)
        recorded |= {f"{number}/{i}": a for i, a in enumerate(arrays)}
    np.savez_compressed(TESTS / "data" / "random_kernels.npz", **recorded)


if __name__ == "__main__":
    main()
