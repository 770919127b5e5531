"""Records the names that PyTorch's public namespaces hold, and what `import *` takes from some:

python tests/record/surface.py
"""

import importlib
import inspect
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import store

warnings.simplefilter("ignore")


def classes(module, base):
    found = vars(module).items()
    return [n for n, v in found if inspect.isclass(v) and issubclass(v, base)]


def functions(module):
    """Public names of functions that are the namespace's own."""
    return [
        name
        for name in dir(module)
        if not name.startswith("_")
        and inspect.isroutine(value := getattr(module, name))
        and (getattr(value, "__module__", None) or "torch").startswith("torch")
        and not name.startswith(("has_torch_function", "handle_torch_function", "boolean_"))
    ]


store(
    "surface.json",
    {
        "torch": [n for n in torch.__all__ if inspect.isroutine(getattr(torch, n))],
        "torch.Tensor": [n for n in dir(torch.Tensor) if not n.startswith("_")],
        "torch.autograd": torch.autograd.__all__,
        "torch.func": functions(torch.func),
        "torch.linalg": functions(torch.linalg),
        "torch.special": functions(torch.special),
        "torch.fft": functions(torch.fft),
        "torch.nn": classes(torch.nn, torch.nn.Module),
        "torch.nn.functional": functions(torch.nn.functional),
        "torch.nn.init": functions(torch.nn.init),
        "torch.optim": classes(torch.optim, torch.optim.Optimizer),
        "torch.optim.lr_scheduler": torch.optim.lr_scheduler.__all__,
        "torch.utils.data": torch.utils.data.__all__,
        "torch.distributions": torch.distributions.__all__,
    },
)

OFFERING = ("torch", *(f"torch.{name}" for name in (
    "accelerator", "amp.autocast_mode", "amp.grad_scaler", "backends.cpu", "backends.cuda",
    "backends.mps", "backends.nnpack", "compiler", "cpu", "cuda", "cuda.amp.grad_scaler",
    "jit", "jit.annotations", "masked.maskedtensor.core", "mps", "mtia", "special", "utils.data",
    "utils.data.datapipes.iter.sharding", "utils.data.datapipes.utils.common", "xpu")))
store("offered.json", {name: sorted(importlib.import_module(name).__all__) for name in OFFERING})
