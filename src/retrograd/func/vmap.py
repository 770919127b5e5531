"""vmap: a function of one example becomes a function of a batch."""

from __future__ import annotations

import functools

from .._state import features, state
from .._tensor import Tensor
from ..ops.batching import OLDER, at_level, levels, wrap_batch
from ..ops.declare import F as T
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_map, tree_unflatten

__all__ = ["vmap"]


def check_randomness(randomness):
    """RuntimeError unless this is one of the ways to draw random numbers in a vmap."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError("Only allowed values for randomness are 'error', 'different', or "
                           f"'same'. Got {randomness}")


def vmap(func, in_dims=0, out_dims=0, randomness: str = "error", *, chunk_size: int | None = None):
    """A function that maps `func` over a dimension of its tensors, all slices at once.

    in_dims     the dimension of each input that is mapped over, nested like the inputs; None for
                inputs that all slices share
    out_dims    where the new dimension goes in the outputs
    randomness  "error", "same" or "different" draws for the slices: see NOTE [randomness] in
                ops/mapped.py
    chunk_size  map this many slices at a time, to save memory

    Keyword arguments are shared by all slices.
    Inside, a tensor has the shape of one slice and operators work on all of them; reading values
    (item(), if x > 0) raises RuntimeError. ValueError for in_dims that do not fit the inputs.

    >>> import retrograd as torch
    >>> torch.func.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))
    tensor([3., 3.])
    """
    check_randomness(randomness)
    if chunk_size is not None and not chunk_size >= 1:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args, **kwargs):
        leaves, spec, dims, size = _inputs(func, in_dims, args)
        if chunk_size is None or not size:
            return _map(func, leaves, kwargs, spec, dims, size, out_dims, randomness)
        return _in_chunks(func, leaves, kwargs, spec, dims, size, out_dims, randomness, chunk_size)
    return mapped


def _name(func):
    return getattr(func, "__name__", repr(func))


def _inputs(func, in_dims, args):
    """(leaves of the inputs, their spec, the mapped dimension of each or None, batch size)."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int "
            "or a (potentially nested) tuple matching the structure of inputs, got: "
            f"{type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add "
                         "inputs, or you are trying to vmap over a function with no inputs. The "
                         "latter is unsupported.")
    leaves, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        from ..utils._pytree import tree_structure
        raise ValueError(
            f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible "
            f"with the structure of `inputs`. in_dims has structure {tree_structure(in_dims)} but "
            f"inputs has structure {spec}.")
    dims = [_checked(func, in_dims, leaf, d) for leaf, d in zip(leaves, dims, strict=True)]
    sizes = [leaf._data.shape[d] for leaf, d in zip(leaves, dims, strict=True) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped "
                         f"dimension, got sizes {sizes} for the mapped dimension")
    return leaves, spec, dims, sizes[0]


def mapped_size(func, in_dims, args) -> int:
    """How many slices vmap(func, in_dims) makes of these arguments."""
    return _inputs(func, in_dims, args)[3]


def _checked(func, in_dims, leaf, d):
    start = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for "
    if d is None:
        return None
    if not isinstance(d, int):
        raise ValueError(start + "an input but in_dim must be either an integer dimension or None.")
    if not isinstance(leaf, Tensor):
        raise ValueError(start + f"an input but the input is of type {type(leaf)}. We cannot vmap "
                         "over non-Tensor arguments, please use None as the respective in_dim")
    ndim = leaf._data.ndim
    if not -ndim <= d < ndim:
        raise ValueError(start + f"some input, but that input is a Tensor of dimensionality {ndim} "
                         f"so expected in_dim to satisfy -{ndim} <= in_dim < {ndim}.")
    return d % ndim


def older_vmap(func, in_dims, out_dims, allow_none_pass_through):
    """The vmap of torch._vmap_internals: not a transform, so any Function may be called in it."""
    @functools.wraps(func)
    def mapped(*args):
        leaves, spec, dims, size = _inputs(func, in_dims, args)
        return _map(func, leaves, {}, spec, dims, size, out_dims, OLDER, allow_none_pass_through)
    return mapped


def _map(func, leaves, kwargs, spec, dims, size, out_dims, randomness, pass_none=False):
    """Run `func` once, on tensors that stand for all slices."""
    level, count = levels.next(), len(levels.open)
    vmaps, transforms = state.vmaps, state.transforms
    features.count("vmap", 1)
    try:
        levels.open.append((level, size, randomness))
        state.vmaps, state.transforms = vmaps + 1, transforms + (randomness != OLDER)
        inside = [leaf if d is None else
                  wrap_batch(leaf if d == 0 else leaf.movedim(d, 0), level, d)
                  for leaf, d in zip(leaves, dims, strict=True)]
        out = func(*tree_unflatten(inside, spec), **kwargs)
        return _outputs(func, out, out_dims, level, size, pass_none)
    finally:
        state.vmaps, state.transforms = vmaps, transforms      # first: see NOTE [interrupts]
        del levels.open[count:]
        features.count("vmap", -1)


def _check_out_dims(func, out_dims):
    if out_dims.__class__ is int:
        return
    if not all(d is None or isinstance(d, int) for d in tree_flatten(out_dims)[0]):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a "
            "python collection of ints representing where in the outputs the vmapped dimension "
            "should appear.")


def _outputs(func, out, out_dims, level, size, pass_none):
    """The outputs with their batch dimension where out_dims wants it."""
    leaves, spec = tree_flatten(out)
    _check_out_dims(func, out_dims)
    if isinstance(out, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        out_dims = out_dims[0]
    dims = _broadcast_to_and_flatten(out_dims, spec)
    for leaf, d in zip(leaves, dims or [0] * len(leaves), strict=True):
        if not (d is None or pass_none and leaf is None) and not isinstance(leaf, Tensor):
            raise ValueError(f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, "
                             f"got type {type(leaf)}. Did you mean to set out_dims= to None for "
                             "output?")
    if dims is None:
        from ..utils._pytree import tree_structure
        raise ValueError(f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is "
                         "not compatible with the structure of `outputs`. out_dims has structure "
                         f"{tree_structure(out_dims)} but outputs has structure {spec}.")
    results = []
    for leaf, d in zip(leaves, dims, strict=True):
        value, has = at_level(leaf, level)
        if not isinstance(leaf, Tensor):
            results.append(leaf)
            continue
        if d is None:
            if has:
                raise ValueError(f"vmap({_name(func)}, ...): `{_name(func)}` can not return a "
                                 f"BatchedTensor when out_dim is None")
            results.append(value)
            continue
        if not has:
            value = T.expand(value, (size, *value._data.shape))
        results.append(value if d in (0, -value._data.ndim) else value.movedim(0, d))
    return tree_unflatten(results, spec)


def _in_chunks(func, leaves, kwargs, spec, dims, size, out_dims, randomness, chunk_size):
    """Map chunk by chunk and join the outputs."""
    from ..ops.join import cat
    from ..random import get_rng_state, set_rng_state
    parts, generator = [], get_rng_state() if randomness == "same" else None
    for start in range(0, size, chunk_size):
        if generator is not None:
            set_rng_state(generator)                 # the chunks draw the same, too
        n = min(chunk_size, size - start)
        chunk = [leaf if d is None else leaf.narrow(d, start, n)
                 for leaf, d in zip(leaves, dims, strict=True)]
        parts.append(_map(func, chunk, kwargs, spec, dims, n, out_dims, randomness))
    flat_dims = iter(_broadcast_to_and_flatten(out_dims, tree_flatten(parts[0])[1]) or ())
    return tree_map(lambda *same: cat(same, next(flat_dims)), *parts)
