"""retrograd: PyTorch's autograd in pure Python on NumPy. Use it as `import retrograd as torch`.

Names and signatures are PyTorch's. Beside them:

    torch.debug.explain(t)         why a tensor has a gradient, or none
    torch.debug.memory()           the graphs that are alive, and who keeps them
    print(torch.viz.graph(loss))   the graph behind a tensor
    torch.install()                let `import torch` mean retrograd from now on

`retrograd --help` lists the commands; docs/tour.md explains how it works.
"""

from __future__ import annotations

import importlib
import math
import sys
from typing import TYPE_CHECKING, Any

from . import _blas, _malloc

_blas.import_numpy()
_malloc.keep_freed_memory()

from . import _attributes, _refused, _torch_function
from . import _dtype as _dtypes
from ._attributes import Size, device, layout, memory_format
from ._dtype import (
    can_cast,
    dtype,
    finfo,
    get_default_dtype,
    iinfo,
    promote_types,
    set_default_dtype,
)
from ._tensor import Tensor
from ._version import __version__
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .ops import bind

for _d in _dtypes.ALL:
    globals()[_d.name] = _d
globals().update(_dtypes.ALIASES)
for _name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc",
              "jagged", "contiguous_format", "preserve_format", "channels_last",
              "channels_last_3d"):
    globals()[_name] = getattr(_attributes, _name)

if TYPE_CHECKING:                 # the names below and those that __getattr__ finds
    from ._declared import *  # noqa: F403

legacy_contiguous_format = _attributes.contiguous_format
newaxis = None
e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
torch = sys.modules[__name__]     # torch.torch, as in PyTorch

bind.methods()

_SUBMODULES = frozenset((
    "amp", "autograd", "backends", "cli", "cuda", "debug", "distributed", "distributions", "fft",
    "func", "jit", "kernels", "linalg", "masked", "multiprocessing", "nn", "ops", "optim",
    "overrides", "random", "return_types", "serialization", "signal", "special", "testing", "utils",
    "version", "viz", "types", "compiler", "sparse", "storage", "profiler", "mps", "xpu", "cpu",
    "mtia",
    "__config__", "quasirandom", "futures", "fx", "monitor", "nested", "hub",
    "package", "onnx", "quantization", "ao", "export", "library", "accelerator",
    "_utils", "_C", "_VF", "_vmap_internals", "_tensor_str", "_jit_internal", "_dynamo", "_ops",
    "_custom_ops", "_subclasses", "_inductor", "_functorch", "_guards", "functional",
    "torch_version",
))


_OFFERED = (                                # what stands in this file
    "Size", "Tensor", "can_cast", "device", "dtype", "e", "enable_grad", "export", "finfo",
    "get_default_dtype", "iinfo", "inf", "inference_mode", "is_grad_enabled",
    "is_inference_mode_enabled", "layout", "memory_format", "nan", "newaxis", "no_grad", "pi",
    "promote_types")


def __getattr__(name: str) -> Any:
    if name == "__all__":                   # asked for by `from torch import *`
        dtypes = [d.name for d in _dtypes.ALL]
        return sorted({*_OFFERED, *dtypes, *_dtypes.ALIASES, *bind.offered()})
    found = bind.function(name)
    if found is None and name in _SUBMODULES:
        try:
            return importlib.import_module(f"retrograd.{name}")
        except ModuleNotFoundError as missing:
            if missing.name != f"retrograd.{name}":
                raise
            found = _refused.module(missing.name)
    if found is None:
        found = bind.elsewhere(name)
    if found is None:
        raise AttributeError(f"module 'torch' has no attribute {name!r}{_refused.advice(name)}")
    globals()[name] = found
    _torch_function.look_for_foreign_classes(sys._getframe(1).f_globals)
    return found


def __dir__():
    return sorted({*globals(), *bind.function_names(), *bind.ELSEWHERE, *_SUBMODULES})
