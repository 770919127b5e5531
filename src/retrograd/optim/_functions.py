"""What adam(), sgd() and the other functional optimizers have in common.

Each does one step of its optimizer for lists of tensors, which it writes to; the state is the
caller's. It is the same formula, on Tensors: recorded where recording is on, and refused there for
leaves that require grad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from ._rule import UpdateRule


def apply(
    kind: type[UpdateRule],
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    state: dict[str, list],
    unscaled: tuple = (None, None),
    **settings: Any,
) -> None:
    """One step of the optimizer `kind`; `state` has a list for each of its state's names.

    Raises:
        RuntimeError: a step count is not a Tensor.
        AssertionError: capturable=True.
        NotImplementedError: grad_scale or found_inf, the pair `unscaled`, is given.
    """
    if any(x is not None for x in unscaled):
        raise NotImplementedError(f"{kind.__name__.lower()}(): grad_scale and found_inf are not "
                                  "supported: unscale the gradients before")
    if not all(isinstance(step, Tensor) for step in state.get("step", ())):
        raise RuntimeError("API has changed, `state_steps` argument must contain a list of "
                           "singleton tensors")
    if settings.get("capturable"):
        raise AssertionError(f"If capturable=True, {kind.on_device} must be on supported devices: "
                             f"{kind.devices}.")
    rule = kind.__new__(kind)  # for its formula: it has no parameters of its own
    keeps = rule.keeps_state(settings)
    for k, p in enumerate(params):
        own = {name: tensors[k] for name, tensors in state.items() if tensors} if keeps else {}
        if grads[k].is_sparse:
            rule.check_sparse({"fused": False, **settings})
            rule.update_sparse(p, grads[k], own, settings)
        else:
            rule.update_tensors(p, grads[k], own, settings)
        for name, tensor in own.items():
            state[name][k] = tensor  # SGD makes its momentum in the first step
