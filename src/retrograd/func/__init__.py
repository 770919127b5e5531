"""torch.func: transforms of functions that compose (grad, vjp, jvp, vmap and their kin).

`derivatives.py` holds grad, vjp, jvp, linearize; `jacobians.py` jacrev, jacfwd, hessian; `vmap.py`
vmap; `modules.py` functional_call and stack_module_state.
"""

from .derivatives import grad, grad_and_value, jvp, linearize, vjp
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .vmap import vmap

__all__ = ["functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd",
           "jacrev", "jvp", "linearize", "replace_all_batch_norm_modules_", "stack_module_state",
           "vjp", "vmap"]


def functionalize(func, *, remove="mutations"):
    """In PyTorch: `func` without mutations, for compilers. There is no compiler here."""
    raise NotImplementedError("retrograd does not have torch.func.functionalize")
