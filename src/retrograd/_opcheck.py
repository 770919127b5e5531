"""The checks of torch.library.opcheck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import retrograd as torch

from ._operators import Operator
from ._tensor import Tensor
from .utils._pytree import tree_flatten, tree_map_only


class OpCheckError(Exception):
    """An operator does something else than what is registered for it."""


def check_schema(op: Operator, args: tuple, kwargs: dict) -> None:
    """It writes to the arguments that its schema names, and returns no other argument."""
    args, kwargs = _copies(args), _copies(kwargs)
    bound = op.schema.bind(args, kwargs)
    before = {name: _copies(value) for name, value in bound.items()}
    with torch.no_grad():
        results = [t for t in tree_flatten(op(*args, **kwargs))[0] if isinstance(t, Tensor)]
    for name, value in bound.items():
        if name not in op.schema.written and not _same(before[name], value):
            raise OpCheckError(f"Argument {name} is not defined as mutable but was mutated")
        places = {t.untyped_storage().data_ptr() for t in _tensors(value) if t.numel()}
        shared = any(t.untyped_storage().data_ptr() in places for t in results)
        if shared and name not in op.schema.aliased:
            raise OpCheckError(f"Argument {name} is not defined to alias output but was aliasing")


def check_autograd_registration(op: Operator, args: tuple, kwargs: dict) -> None:
    """Its gradient is a formula, or a kernel that autograd sees."""
    if not any(t.requires_grad for t in _tensors((args, kwargs))):
        return
    if op.backward is not None or {"Autograd", "AutogradCPU",
                                   "CompositeImplicitAutograd"} & op.kernels.keys():
        return
    results = _tensors(op(*_copies(args), **_copies(kwargs)))
    if op.definition is None and any(t.requires_grad for t in results):
        raise OpCheckError(
            f"{op.name}: at least one output requires grad, but the operator does not have an "
            "autograd kernel in any of [Autograd, AutogradCPU, CompositeImplicitAutograd]. "
            "Register its gradient with torch.library.register_autograd")


def check_fake(op: Operator, args: tuple, kwargs: dict) -> None:
    """On "meta" it gives results of the shapes and dtypes that it gives on numbers."""
    with torch.no_grad():
        real = _tensors(op(*_copies(args), **_copies(kwargs)))
        on_meta = tree_map_only(Tensor, lambda t: t.detach().to("meta"), (args, kwargs))
        fake = _tensors(op(*on_meta[0], **on_meta[1]))
    if len(real) != len(fake):
        raise OpCheckError(f"{op.name}: {len(real)} results, and {len(fake)} on meta")
    for a, b in zip(real, fake, strict=True):
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise OpCheckError(f"{op.name}: a result has shape {tuple(a.shape)} and dtype "
                               f"{a.dtype}, on meta {tuple(b.shape)} and {b.dtype}")


CHECKS: dict[str, Callable] = {
    "test_schema": check_schema,
    "test_autograd_registration": check_autograd_registration,
    "test_faketensor": check_fake,
}


def _tensors(tree: Any) -> list[Tensor]:
    return [t for t in tree_flatten(tree)[0] if isinstance(t, Tensor)]


def _copies(tree: Any) -> Any:
    """The same with tensors of their own; leaves stay leaves."""
    return tree_map_only(Tensor, lambda t: t.detach().clone().requires_grad_(t.requires_grad),
                         tree)


def _same(a: Any, b: Any) -> bool:
    return all(torch.equal(x.nan_to_num(), y.nan_to_num())
               for x, y in zip(_tensors(a), _tensors(b), strict=True))
