"""New tensors and random numbers inside vmap.

NOTE [randomness]
    Each vmap says what a draw inside it means: an error, the same numbers for all slices, or
    different ones. Inside vmap a function that draws asks the innermost one, and
    calls itself again one vmap further out, for one slice ("same") or with the batch as one more
    dimension ("different"). So the numbers are those of one draw of the whole batch, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

import numpy as np

from .._state import features
from .._tensor import BATCHED, ON_META, Tensor, wrap
from . import batching
from .batching import OLDER, WIDER, at_level, in_layers, layers, wrap_batch
from .declare import F as T
from .rules import DYNAMIC, aligned, lifted

NO_RANDOM = ("vmap: We do not yet support calling random operations inside of vmap. Please perform "
             "random operations outside of vmap as a workaround")
RANDOM = ("vmap: called random operation while in randomness error mode. Please either use the "
          "'same' or 'different' randomness flags on vmap or perform the randomness operation out "
          "of vmap")
SAME_FOR_BATCH = ("Vmap does not currently support same randomness with a batched tensor input. "
                  "Please file an issue with functorch")
NO_OUT = ("vmap: We do not support calling out variants of random operations inside of vmap. "
          "Please use non-out variants as a workaround")
DIFFERENT_IN_PLACE = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear "
    "like same randomness. If this is necessary for your usage, please file an issue with "
    "functorch")


def innermost():
    """(level, batch size, randomness) of the innermost vmap, which must allow draws."""
    entry = batching.levels.open[-1]
    if entry[2] in ("error", OLDER):
        raise RuntimeError(RANDOM if entry[2] == "error" else NO_RANDOM)
    return entry


@contextmanager
def one_further_out():
    """Inside, the innermost vmap is not there."""
    entry = batching.levels.open.pop()
    try:
        yield
    finally:
        batching.levels.open.append(entry)


def draws(inside) -> Callable[..., Any]:
    """Let a function that draws become inside(itself, args, kwargs) inside vmap.

    A program that never calls vmap pays nothing: before the first one begins, the code of these
    functions is exchanged (_entries.py).
    """
    def decorate(function):
        def around(original, args, kwargs):
            if not features.vmap:
                return original(*args, **kwargs)
            if any(e[2] == "error" for e in batching.levels.tangents):
                raise RuntimeError(RANDOM)
            if batching.levels.open:
                if kwargs.get("out") is not None:
                    raise RuntimeError(NO_OUT)
                return inside(function, args, kwargs)
            return original(*args, **kwargs)

        batching.drawing.append((function, around))
        return function
    return decorate


def of_size(wider):
    """For functions of sizes; wider(n, args, kwargs) are their arguments for n slices."""
    return draws(partial(drawn_of_size, wider))


def drawn_of_size(wider, function, args, kwargs):
    level, size, mode = innermost()
    if mode == "different":
        args, kwargs = wider(size, args, kwargs)
    with one_further_out():
        res = function(*args, **kwargs)
    return wrap_batch(res, level) if mode == "different" else res


@draws
def like_tensor(function, args, kwargs):
    """For functions that draw a tensor like their first argument."""
    level, size, mode = innermost()
    like, *rest = args
    if mode == "same":
        if like._flags & BATCHED:
            like = wrap(np.empty(like._data.shape, like._data.dtype))
    else:
        like = lifted(*at_level(like, level), size)
    with one_further_out():
        res = function(like, *rest, **kwargs)
    return res if mode == "same" else wrap_batch(res, level)


def drawn_from_tensors(function, args, kwargs):
    """For functions whose distribution is given by tensors."""
    level, size, mode = innermost()
    tensors = [k for k, a in enumerate(args) if isinstance(a, Tensor)]
    pairs = [at_level(args[k], level) for k in tensors]
    args = list(args)
    if mode == "different":
        values = aligned([lifted(v, has, size) for v, has in pairs], [True] * len(pairs))
        for k, value in zip(tensors, values, strict=True):
            args[k] = value
    elif any(has for _, has in pairs):
        raise RuntimeError(SAME_FOR_BATCH)
    with one_further_out():
        res = function(*args, **kwargs)
    return wrap_batch(res, level) if mode == "different" else res


from_tensors = draws(drawn_from_tensors)


@draws
def in_place(function, args, kwargs):
    """For methods that fill their tensor."""
    level, _, mode = innermost()
    pairs = [at_level(a, level) for a in args]
    (target, has), rest = pairs[0], pairs[1:]
    if mode == "same":
        if any(h for _, h in rest):
            raise RuntimeError(SAME_FOR_BATCH)
        slice_ = wrap(np.empty(args[0]._data.shape, args[0]._data.dtype)) if has else target
        with one_further_out():
            function(slice_, *(a for a, _ in rest), **kwargs)
        if has:
            target.copy_(slice_)
        return args[0]
    if not has:
        wider = any(h for _, h in rest)
        raise RuntimeError(WIDER.format("inplace " + function.__name__.rstrip("_")) if wider else
                           DIFFERENT_IN_PLACE)
    with one_further_out():
        function(target, *(a for a, _ in rest), **kwargs)
    return args[0]


def by_rows(function, args, kwargs):
    """multinomial(): at most one dimension of rows; those of a batch are joined with it."""
    level, size, mode = innermost()
    weights, *rest = args
    value, has = at_level(weights, level)
    if mode == "same":
        if has:
            raise RuntimeError(SAME_FOR_BATCH)
        with one_further_out():
            return function(weights, *rest, **kwargs)
    value = lifted(value, has, size)
    lead = value._data.shape[:-1]
    with one_further_out():
        flat = T.reshape(value, (int(np.prod(lead)), value._data.shape[-1]))
        picks = function(flat, *rest, **kwargs)
        return wrap_batch(T.reshape(picks, (*lead, picks._data.shape[-1])), level)


# --------------------------------------------------------------------------- functions of arrays

def elementwise(*mapped, otherwise: Callable[..., Any] | None = None,
                unless: Callable[..., bool] = lambda *args: False):
    """For functions by hand that treat each element alike: a batch is one more dimension.

    `mapped` are the positions of the tensors that this holds for (all); where another one differs
    from slice to slice, or `unless(*args)`, `otherwise` is what the function becomes
    (mapped_search.py).
    """
    def decorate(fn):
        @wraps(fn)
        def function(*args, **kwargs):
            if not is_batched(*args, *kwargs.values()):
                return fn(*args, **kwargs)
            batched = [a for a in (*args, *kwargs.values()) if is_batched(a)]
            level = batching.top_level(batched)
            pairs = [at_level(a, level) for a in args]
            tensors = [k for k, a in enumerate(args) if isinstance(a, Tensor)
                       and (not mapped or k in mapped)]
            if otherwise and (any(has and k not in tensors for k, (_, has) in enumerate(pairs))
                              or is_batched(*kwargs.values()) or unless(*args)):
                return wrap_batch(otherwise(function, pairs, kwargs, level), level)
            values = [v for v, _ in pairs]
            for k, v in zip(tensors, aligned([values[k] for k in tensors],
                                             [pairs[k][1] for k in tensors]), strict=True):
                values[k] = v
            return wrap_batch(function(*values, **kwargs), level)
        return function
    return decorate


def is_batched(*values) -> bool:
    """Whether one of them is a tensor that stands for a batch."""
    for v in values:
        if isinstance(v, Tensor) and v._flags & BATCHED:
            return True
    return False


def each_slice(function, *args, **kwargs):
    """The results of `function` for one slice after the other, together, as in PyTorch."""
    given = [*args, *kwargs.values()]
    level = batching.top_level([t for t in given if is_batched(t)])
    batching.warn_of_loop(function.__name__)
    results = []
    for i in range(batching.size_of(level)):
        one = [batching.slice_at(*at_level(t, level), i) for t in given]
        results.append(function(*one[:len(args)],
                                **dict(zip(kwargs, one[len(args):], strict=True))))
    if isinstance(results[0], tuple):
        columns = zip(*results, strict=True)
        return type(results[0])([wrap_batch(T.stack(list(c), 0), level) for c in columns])
    return wrap_batch(T.stack(results, 0), level)


def refuse_dynamic(name, input):
    """Raise, inside vmap and on the device "meta", for a result whose shape depends on values."""
    if input._flags & ON_META:
        raise NotImplementedError(
            f"aten::{name}: attempted to run this operator with Meta tensors, but there was no "
            "fake impl or Meta kernel registered. Its result depends on numbers, "
            "which such tensors do not have.")
    if input._flags & BATCHED:
        raise RuntimeError(DYNAMIC.format(name))


# --------------------------------------------------------------------------- new tensors

def like_each(function, input, *args, **kwargs):
    """function(input, ...), a tensor like a batched `input`: one for each slice."""
    value, numbers = layers(input)
    return in_layers(function(value, *args, **kwargs), numbers)


def for_each(t, like):
    """A tensor `t` that was made for one slice of the batched `like`, once for each."""
    value, numbers = layers(like)
    lead = value._data.shape[:len(numbers)]
    return in_layers(T.clone_contiguous(T.expand(t, (*lead, *t._data.shape))), numbers)
