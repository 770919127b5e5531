"""torch.func under the names of the functorch package; each function warns where it has moved."""

from __future__ import annotations

import functools
import warnings

from .. import __version__, func
from ._modules import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)

__all__ = ["FunctionalModule", "FunctionalModuleWithBuffers", "__version__",
           "combine_state_for_ensemble", "functionalize", "grad", "grad_and_value", "hessian",
           "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers", "make_fx",
           "vjp", "vmap"]


def _moved(function, new_name=None):
    """`function` with the warning that it is `new_name` now."""
    name = function.__name__

    @functools.wraps(function)
    def moved(*args, **kwargs):
        warnings.warn(
            "We've integrated functorch into PyTorch. As the final step of the integration, "
            f"`functorch.{name}` is deprecated as of PyTorch 2.0 and will be deleted in a future "
            f"version of PyTorch >= 2.3. Please use `{new_name or 'torch.func.' + name}` instead; "
            "see the PyTorch 2.0 release notes and/or the `torch.func` migration guide for more "
            "details https://pytorch.org/docs/main/func.migrating.html",
            FutureWarning, stacklevel=2)
        return function(*args, **kwargs)
    return moved


vmap = _moved(func.vmap, "torch.vmap")
grad, grad_and_value = _moved(func.grad), _moved(func.grad_and_value)
vjp, jvp = _moved(func.vjp), _moved(func.jvp)
jacrev, jacfwd, hessian = _moved(func.jacrev), _moved(func.jacfwd), _moved(func.hessian)
functionalize = _moved(func.functionalize)
make_functional = _moved(make_functional, "torch.func.functional_call")
make_functional_with_buffers = _moved(make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = _moved(combine_state_for_ensemble, "torch.func.stack_module_state")


def make_fx(*args, **kwargs):
    """In PyTorch: trace a function to a graph of operators."""
    raise NotImplementedError("retrograd does not have functorch.make_fx: it does not trace "
                              "functions to graphs")
