"""Custom Functions under vmap: by their own `vmap`, or by a rule made from forward and backward.

NOTE [generated rules]
    With generate_vmap_rule=True a batched call becomes one call of another Function on the whole
    batch. Its forward, backward and jvp run the user's on tensors that stand for the batch
    (ops/batching.py), so the graph holds one node for all slices. What an input shared by the
    slices gets is the sum over them.
"""

from __future__ import annotations

import functools
from collections import namedtuple

from .._state import features, state
from .._tensor import BATCHED, DUAL, Tensor
from ..ops.batching import (
    at_level,
    fully_batched,
    levels,
    physical,
    rewrap,
    top_level,
    wrap_batch,
)
from ..ops.declare import F
from ..ops.special_modes import flatten
from .function import Function
from .function_call import call, new_ctx
from .function_forward import apply_dual
from .function_node import FunctionCtx

VmapInfo = namedtuple("VmapInfo", ("batch_size", "randomness"))
NOTES = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def apply_batched(cls, args):
    """`apply` on arguments of which some stand for a batch."""
    own = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule:
        if own:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True "
                "and an overridden vmap staticmethod. Please set generate_vmap_rule=False or "
                f"delete the overridden vmap staticmethod to avoid ambiguity. {NOTES}"
            )
        return _by_generated_rule(cls, args)
    if not own:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please "
            f"override and implement the vmap staticmethod or set generate_vmap_rule=True. {NOTES}"
        )
    level = top_level(flatten(args))
    _, size, randomness = levels.entry(level)
    from ..utils._pytree import tree_flatten, tree_unflatten
    leaves, spec = tree_flatten(args)
    pairs = [_as_given(a, level) for a in leaves]
    values, in_dims = (tree_unflatten(list(column), spec) for column in zip(*pairs, strict=True))
    leaves, dims, spec = _user_rule(cls, VmapInfo(size, randomness), in_dims, values)
    return tree_unflatten([_rewrapped(o, d, level) for o, d in zip(leaves, dims, strict=True)],
                          spec)


def _by_generated_rule(cls, args):
    batched = [_is_batched(a) for a in args]
    values = [physical(fully_batched(a)) if has else a
              for a, has in zip(args, batched, strict=True)]
    plan = _Plan([(size, randomness) for _, size, randomness in levels.open], batched)
    ctx = new_ctx(_generated(cls))
    if state.forward and any(isinstance(v, Tensor) and v._flags & DUAL for v in values):
        out = apply_dual(ctx, (plan, *values), False)
    else:
        out = call(ctx, (plan, *values), False)
        ctx.saved_for_forward = None
    if not isinstance(out, tuple):
        return rewrap(out)
    return tuple(rewrap(o) if isinstance(o, Tensor) else o for o in out)


def _unwrapped(t, entries):
    """The tensor below these levels; as a tangent it may stand for a batch of jacfwd's."""
    for _ in entries:
        t = t._batch.value
    return t


def _is_batched(value) -> bool:
    return isinstance(value, Tensor) and value._flags & BATCHED != 0


def _as_given(t, level):
    """(the tensor below `level`, batched along the dimension given to vmap(); that dimension)."""
    value, has = at_level(t, level)
    dim = t._batch.dim if has else None
    return value.movedim(0, dim) if dim else value, dim


def _user_rule(cls, info, in_dims, values):
    """(the tensors that the user's vmap returns, a dimension or None for each, their spec)."""
    result = cls.vmap(info, in_dims, *values)
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            f"Expected the vmap staticmethod to have two returns, an output and out_dims with "
            f"pytree structure compatible with the output. Got a {type(result)} instead"
        )
    from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten
    out, out_dims = result
    leaves, spec = tree_flatten(out)
    dims = _broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, "
            f"out_dims) tuple. Expected out_dims={out_dims} to be compatible with the structure of "
            f"`output`. out_dims has structure {tree_flatten(out_dims)[1]} but output has "
            f"structure {spec}. {NOTES}")
    return leaves, dims, spec


def _rewrapped(value, dim, level):
    if dim is None or not isinstance(value, Tensor):
        return value
    return wrap_batch(value if dim == 0 else value.movedim(dim, 0), level)


class _Plan:
    """How a call is batched: the sizes of the vmaps, and which inputs and saved tensors are."""

    def __init__(self, sizes, inputs):
        self.sizes, self.inputs = sizes, inputs
        self.saved = self.saved_forward = ()

    def over_batch(self, fn, values, batched):
        """`fn` on tensors that stand for the batch: pairs (real value, whether it is batched)."""
        start = levels.next()
        entries = [(level, *size) for level, size in enumerate(self.sizes, start)]
        count = len(levels.open)
        features.count("vmap", len(entries))
        try:
            levels.open.extend(entries)
            inside = [
                rewrap(v, entries) if has and v is not None else v
                for v, has in zip(values, batched, strict=True)
            ]
            return [
                (_unwrapped(fully_batched(x, entries), entries), True)
                if _is_batched(x) else (x, False)
                for x in fn(*inside)
            ]
        finally:
            del levels.open[count:]          # first: see NOTE [interrupts]
            features.count("vmap", -len(entries))

    def spread(self, value):
        """`value`, which all slices share, with the dimensions of the batch."""
        return F.expand(value, (*(size for size, _ in self.sizes), *value._data.shape))

    def conformed(self, value, has, batched):
        """A gradient in its tensor's form: with the batch, or summed over the slices."""
        if not isinstance(value, Tensor) or has == batched:
            return value
        return value.sum(tuple(range(len(self.sizes)))) if has else self.spread(value)


class _UserCtx(FunctionCtx):
    """The ctx that the user's methods get; `saved_tensors` stand for the batch."""

    materialize_grads = True
    to_save = saved_for_forward = dirty_tensors = non_differentiable = None
    needs_input_grad = saved_tensors = ()


@functools.cache
def _generated(cls):
    """The Function that runs `cls` on whole batches."""

    def forward(ctx, plan, *values):
        ctx.plan, ctx.user = plan, _UserCtx()
        ctx.user.needs_input_grad = ctx.needs_input_grad[1:]
        run, counts = _forward(cls, ctx)
        pairs = iter(plan.over_batch(run, values, plan.inputs))
        outs, saved, saved_forward, constant = ([next(pairs) for _ in range(n)] for n in counts)
        if ctx.user.dirty_tensors:
            raise NotImplementedError(f"vmap over {cls.__name__}: mark_dirty")
        plan.saved, plan.saved_forward = (
            [has for _, has in part] for part in (saved, saved_forward)
        )
        outs = [plan.conformed(v, has, True) for v, has in outs]
        ctx.save_for_backward(*(v for v, _ in saved))
        ctx.save_for_forward(*(v for v, _ in saved_forward))
        ctx.mark_non_differentiable(*(v for v, _ in constant))
        ctx.set_materialize_grads(ctx.user.materialize_grads)
        ctx.user.to_save = ctx.user.saved_for_forward = ctx.user.non_differentiable = None
        return outs[0] if ctx.single else tuple(outs)

    def backward(ctx, *grads):
        plan, saved = ctx.plan, ctx.saved_tensors
        run = _with_saved(ctx.user, len(saved), _user_backward(cls))
        pairs = plan.over_batch(run, (*saved, *grads), (*plan.saved, *(True for _ in grads)))
        wanted = zip(pairs, plan.inputs, strict=False)
        return None, *(plan.conformed(g, has, batched) for (g, has), batched in wanted)

    def jvp(ctx, _, *tangents):
        plan, saved = ctx.plan, ctx.saved_tensors
        run = _with_saved(ctx.user, len(saved), cls.jvp)
        pairs = plan.over_batch(run, (*saved, *tangents), (*plan.saved_forward, *plan.inputs))
        conformed = tuple(plan.conformed(t, has, True) for t, has in pairs)
        return conformed[0] if ctx.single else conformed

    return type(cls.__name__, (Function,), {"forward": staticmethod(forward),
                                            "backward": staticmethod(backward),
                                            "jvp": staticmethod(jvp)})


def _forward(cls, ctx):
    """(the user's forward as a function that returns all its tensors, how many of each kind).

    The kinds: outputs, saved for backward, saved for forward, non-differentiable.
    """
    counts: list[int] = []

    def run(*xs):
        out = cls.forward(*xs)
        cls.setup_context(ctx.user, xs, out)
        ctx.single = not isinstance(out, tuple)
        parts = (
            (out,) if ctx.single else out,
            ctx.user.to_save or (),
            ctx.user.saved_for_forward or (),
            ctx.user.non_differentiable or (),
        )
        counts.extend(map(len, parts))
        return [x for part in parts for x in part]
    return run, counts


def _user_backward(cls):
    return cls.vjp if cls.vjp is not Function.vjp else cls.backward


def _with_saved(user, n, method):
    """`method(ctx, *rest)` as a function of the n saved tensors and the rest."""

    def run(*xs):
        user.saved_tensors = xs[:n]
        try:
            results = method(user, *xs[n:])
        finally:
            user.saved_tensors = ()
        return results if isinstance(results, tuple) else (results,)

    return run
