"""torch.func: transforms of functions that compose (grad, vjp, jvp, vmap and their kin).

`derivatives.py` holds grad, vjp, jvp, linearize; `jacobians.py` jacrev, jacfwd, hessian; `vmap.py`
vmap; `modules.py` functional_call and stack_module_state.
"""

from .._tensor import BATCHED
from .derivatives import grad, grad_and_value, jvp, linearize, vjp
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .vmap import vmap

__all__ = ["debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian",
           "jacfwd", "jacrev", "jvp", "linearize", "rearrange", "replace_all_batch_norm_modules_",
           "stack_module_state", "vjp", "vmap"]


def debug_unwrap(tensor, *, recurse: bool = True):
    """The tensor below the vmaps that it stands for a slice in: of one, or of all with recurse."""
    while tensor._track & BATCHED:
        tensor = tensor._batch.value
        if not recurse:
            break
    return tensor


def rearrange(tensor, pattern, **axes_lengths):
    """In PyTorch: reshape, permute and expand by a pattern of names."""
    raise NotImplementedError("retrograd does not have torch.func.rearrange; use permute() and "
                              "reshape()")


def functionalize(func, *, remove="mutations"):
    """In PyTorch: `func` without mutations, for compilers. There is no compiler here."""
    raise NotImplementedError("retrograd does not have torch.func.functionalize")
