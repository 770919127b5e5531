"""Arguments of SummaryWriter's methods, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._tensor import Tensor


def make_np(x: Any) -> np.ndarray:
    """The array of a Tensor (bfloat16 as float16), itself for one, a number in one of its own.

    Raises NotImplementedError for anything else.
    """
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if isinstance(x, Tensor):
        x = x.detach().resolve_conj()
        return x.half().numpy() if x.dtype.name == "bfloat16" else x.numpy()
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")
