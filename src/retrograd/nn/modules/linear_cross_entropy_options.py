"""LinearCrossEntropyOptions: how PyTorch computes `linear_cross_entropy` in parts."""
from __future__ import annotations

import re
from dataclasses import dataclass

import retrograd as torch

__all__ = ["LinearCrossEntropyOptions"]

POLICIES = ("auto", "accurate", "balanced", "compact")


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Settings of `nn.functional.linear_cross_entropy`: accepted and checked as by PyTorch.

    With them PyTorch never holds the scores of all rows at once. retrograd does, so that they
    change one thing: half precision is computed in float32 and rounded once, as PyTorch's policy
    "accurate" does on a CPU.

    Args:
        allow_retain_graph: whether PyTorch's backward may be called twice; here it may.
        batch_chunk_size: rows at a time.
        chunking_method: "aspect_ratio" or "aspect_ratio:N" choose them, "auto" either.
        acc_policy: "accurate", "balanced", "compact" or "auto".
        acc_dtype: dtype of sums; float32 for half precision, else the input's.

    Raises ValueError for other values.

    >>> import retrograd as torch
    >>> options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    >>> torch.nn.LinearCrossEntropyLoss(3, 2, options=options)(
    ...     torch.zeros(4, 3), torch.tensor([0, 1, 1, 0]))
    tensor(0.6931, grad_fn=<NllLossBackward0>)
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: torch.dtype | None = None

    def __post_init__(self):
        if self.acc_policy not in POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        method, size = self.chunking_method, self.batch_chunk_size
        if method not in (None, "auto") and not re.fullmatch("aspect_ratio(:0*[1-9][0-9]*)?",
                                                             method):
            raise ValueError(f"invalid chunking_method: {method!r}")
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        known = (None, torch.float16, torch.bfloat16, torch.float32, torch.float64)
        if self.acc_dtype not in known:
            raise ValueError(f"acc_dtype must be one of {{{', '.join(map(str, known))}}}, got "
                             f"{self.acc_dtype!r}. Pass acc_dtype=None to let the op pick "
                             "automatically.")

    def check(self, rows, features, classes, dtype):
        """Raise what PyTorch raises where it meets the tensors."""
        method, size = self.chunking_method, self.batch_chunk_size
        if size is not None and method not in (None, "auto"):
            target = -(-rows // -(-classes // features))
            parts = int(method.partition(":")[2] or 1)
            chosen = min((1 << (target - 1).bit_length()) // parts, rows)
            if chosen != min(size, rows):
                raise ValueError(f"batch_chunk_size (={size}) and chunking_method ('{method}') "
                                 f"give different chunk sizes ({size} vs {chosen}); pass only one.")
        half = dtype in (torch.float16, torch.bfloat16)
        if self.acc_dtype not in (None, dtype) and not (half and self.acc_dtype is torch.float32):
            raise RuntimeError("linear_cross_entropy supports float32 acc_dtype with "
                               f"float16/bfloat16 inputs, but got {self.acc_dtype} acc_dtype and "
                               f"{dtype} inputs.")
