"""torch.func: composable transforms of functions (grad, vjp, jvp, vmap, jacrev, hessian ...).

`derivatives.py` holds grad, vjp, jvp, linearize, and `captured.py` what their functions may write
to; `jacobians.py` jacrev, jacfwd, hessian; `vmap.py` vmap; `modules.py` functional_call and
stack_module_state; `einops.py` rearrange.
"""

import functools

from .._tensor import BATCHED
from .derivatives import grad, grad_and_value, jvp, linearize, vjp
from .einops import rearrange
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .vmap import vmap

__all__ = ["debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian",
           "jacfwd", "jacrev", "jvp", "linearize", "rearrange", "replace_all_batch_norm_modules_",
           "stack_module_state", "vjp", "vmap"]


def __dir__():
    return __all__


def debug_unwrap(tensor, *, recurse: bool = True):
    """The whole batch that `tensor` is a slice of in vmap; with recurse below all nested vmaps.

    >>> import retrograd as torch
    >>> shapes = []
    >>> def f(x):
    ...     shapes.append((x.shape, torch.func.debug_unwrap(x).shape))
    ...     return x
    >>> _ = torch.vmap(f)(torch.ones(3, 2)); shapes
    [(torch.Size([2]), torch.Size([3, 2]))]
    """
    while tensor._flags & BATCHED:
        tensor = tensor._batch.value
        if not recurse:
            break
    return tensor


def functionalize(func, *, remove: str = "mutations"):
    """A function with the results of `func`; in PyTorch, a trace of it has no mutations.

    Nothing is traced here, so writes in place are free to stay writes. RuntimeError for a `remove`
    other than "mutations" and "mutations_and_views".

    >>> import retrograd as torch
    >>> torch.func.functionalize(lambda x: x.clone().add_(1))(torch.zeros(2))
    tensor([1., 1.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. "
            "Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the "
            "program, and replaced with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators "
            "{view} will be replaced with their non-aliasing counterparts, {view}_copy.\n")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        return func(*args, **kwargs)
    return wrapped
