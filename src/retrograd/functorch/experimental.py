"""functorch.experimental: names that moved to torch.func, and vmap in chunks."""

from functools import wraps

from ..func import functionalize, hessian, jacfwd, jvp, replace_all_batch_norm_modules_, vmap
from ..func.vmap import mapped_size

__all__ = ["chunk_vmap", "functionalize", "hessian", "jacfwd", "jvp",
           "replace_all_batch_norm_modules_"]


def chunk_vmap(func, in_dims=0, out_dims=0, randomness="error", chunks=2):
    """vmap(func), computed in so many chunks one after the other, to save memory."""
    @wraps(func)
    def mapped(*args, **kwargs):
        if chunks < 1:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        size = mapped_size(func, in_dims, args)
        return vmap(func, in_dims, out_dims, randomness,
                    chunk_size=max(-(-size // chunks), 1))(*args, **kwargs)
    return mapped
