"""grad, grad_and_value, vjp, jvp, linearize.

NOTE [levels of differentiation]
    Each transform differentiates with respect to an alias of its input that it makes itself: what
    does not pass through the alias is a constant to it, which is all that nesting asks for. An
    outer transform sees the alias as one more operator and differentiates through it. Inside vmap
    the alias is made of the whole batch, so that every slice has a gradient of its own.

    jacfwd gives an input one value and a batch of tangents, one for each column. Operators compute
    the value once, for all of them, and may read it; only the tangents are batched. The level of
    such a batch is not among `levels.open`, since no value has it.
"""

from __future__ import annotations

import functools
from contextlib import contextmanager

import numpy as np

from .._state import set_recording, state
from .._tensor import BATCHED, DUAL, INFERENCE_TENSOR, ON_META, Tensor, wrap
from ..autograd import engine, forward_ad
from ..autograd.grad_mode import enable_grad
from ..autograd.gradients import NOT_REAL
from ..autograd.node import LEAF_SEQ, edge
from ..autograd.roots import as_output, in_dtype_of
from ..autograd.walks import nodes_towards, reachable
from ..kernels.checks import is_inexact
from ..ops.batching import (
    at_level,
    batch_of_tangents,
    fully_batched,
    levels,
    physical,
    rewrap,
    wrap_batch,
)
from ..ops.declare import F as T
from ..ops.dual import set_tangent
from ..ops.support import as_array
from ..utils._pytree import tree_flatten, tree_map, tree_unflatten, treespec_pprint
from .captured import Transform

__all__ = ["grad", "grad_and_value", "jvp", "linearize", "vjp"]


def _alias(t):
    """(the alias that the function gets in place of `t`, the real tensor to differentiate for)."""
    if not isinstance(t, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(t)}")
    real = physical(fully_batched(t))
    if real._data.dtype.kind in "biu":
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if real._flags & 1 and state.grad:
        alias = T.alias(real)
    elif real._flags & ~(1 | INFERENCE_TENSOR):            # a tangent: the alias must keep it
        alias = T.alias(real)
        alias._flags = alias._flags & ~INFERENCE_TENSOR | 1
        alias._own_grad = alias._of_transform = True
    else:                                      # also what no_grad() cuts off from its history
        alias = real.detach()
        alias._flags = 1
        alias._of_transform = True
    return rewrap(alias), alias


def others_apart(args):
    """Inputs that are not differentiated for: writes to them leave no history there."""
    return tree_map(
        lambda t: t.detach() if isinstance(t, Tensor) and not t._flags else t, args)


def _aliased(tree):
    """(the tree of aliases, the real aliases in order)."""
    leaves, spec = tree_flatten(tree)
    pairs = [_alias(t) for t in leaves]
    return tree_unflatten([a for a, _ in pairs], spec), [real for _, real in pairs]


def _differentiate(outputs, weights, inputs, create):
    """Gradients of real tensors, as Tensors of the same batches; zeros where nothing flows."""
    roots, grads = [], []
    for out, w in zip(outputs, weights, strict=True):
        e = edge(out) if out._flags & 1 else None
        if e is not None:
            roots.append(e)
            grads.append(w)
    targets = [edge(t) for t in inputs]
    found = {}
    if roots:
        wanted = nodes_towards({e[0] for e in targets}, roots)
        on_tensors = create or forward_ad.open_levels() > 0 or any(g._flags for g in grads)
        before = state.grad
        try:
            set_recording(create)
            values = grads if on_tensors else [g._data for g in grads]
            found = engine.run(roots, values, True, on_tensors, wanted, set(targets))
        finally:
            state.grad = before              # first: see NOTE [interrupts]
            set_recording(before)
    results = []
    for t, e in zip(inputs, targets, strict=True):
        g = found.get(e)
        if g is None:
            g = T.zeros_like(t.detach())
        elif not isinstance(g, Tensor):
            g = wrap(as_array(g))
        results.append(g if g._data.dtype is t._data.dtype else in_dtype_of(t, g))
    return results


def _recorded_elsewhere(outputs):
    """Whether the outputs depend on recorded leaves other than transforms' own."""
    roots = [edge(t) for t in outputs if t._flags & 1]
    return any(n._seq >= LEAF_SEQ and not n.variable._of_transform
               for n in reachable([e for e in roots if e is not None]))


def _must_record(outputs, inputs):
    """Whether someone may differentiate the result again."""
    return state.reverse > 1 or (state.grad and (
        any(edge(t)[0]._seq < LEAF_SEQ for t in inputs)
        or _recorded_elsewhere(outputs)))


@contextmanager
def _reverse(given):
    """Inside a reverse-mode transform of a function of `given`, which may record.

    inference_mode, which would forbid that, ends at the transform: outside of it nobody records.
    """
    if state.saved_hooks:
        raise RuntimeError(NO_HOOKS)
    transform = Transform(given)
    transforms, reverse, outer = state.transforms, state.reverse, state.transform
    inference, disabled = state.inference, state.saved_hooks_disabled
    try:
        state.inference, state.saved_hooks_disabled = False, NO_HOOKS
        state.transforms, state.reverse = transforms + 1, reverse + 1
        transform.enter()
        yield
    finally:                                         # stores first: see NOTE [interrupts]
        state.inference, state.saved_hooks_disabled = inference, disabled
        state.transforms, state.reverse, state.transform = transforms, reverse, outer
        transform.exit()


NO_HOOKS = ("torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please "
            "open an issue with your use case.")


def _only_tensors(tree, text="Expected tensors, got unsupported type {}"):
    """Raise unless all leaves of `tree` are Tensors."""
    for leaf in tree_flatten(tree)[0]:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(text.format(type(leaf)))


def _split_aux(out, transform):
    """(output, aux) of a function that has an aux."""
    if not (isinstance(out, tuple) and len(out) == 2):
        raise RuntimeError(f"{transform}: output of function f should be a tuple: (output, aux) if "
                           "has_aux is True")
    _only_tensors(out[1])
    return out


def _check_outputs(out, transform):
    """The leaves of a function's output, of which there must be some, and their spec."""
    leaves, spec = tree_flatten(out)
    if leaves in ([], [None]):
        raise RuntimeError(f"{transform}: Expected f to be a function that has non-empty output "
                           f"(got output = {leaves})")
    _only_tensors(out, transform + ": expected f(*primals) to return only tensors, got unsupported "
                                   "type {}")
    return leaves, spec


def _require_inexact(leaves):
    for t in leaves:
        if not is_inexact(t._data.dtype):
            raise RuntimeError("vjp(f, ...): All outputs of f must be floating-point or complex "
                               f"Tensors, got Tensor with dtype {t.dtype}")


def _selected(argnums, args):
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, tuple):
        if not argnums:
            raise RuntimeError("argnums must be non-empty")
        for i in argnums:
            if not isinstance(i, int):
                raise RuntimeError(f"argnum must be int, got: {type(i)}")
    for i in (argnums,) if isinstance(argnums, int) else argnums:
        if not -len(args) <= i < len(args):
            raise RuntimeError(f"Got argnum={i}, but only {len(args)} positional inputs")
    if isinstance(argnums, tuple):
        places = tuple(i % len(args) for i in argnums)
        if len(set(places)) < len(places):
            raise RuntimeError(f"argnums elements must be unique, got {places}")
    if isinstance(argnums, int):
        return args[argnums]
    return tuple(args[i] for i in argnums)


def _replace(args, argnums, new):
    args = list(args)
    if isinstance(argnums, int):
        args[argnums] = new
    else:
        for i, value in zip(argnums, new, strict=True):
            args[i] = value
    return args


def grad_and_value(func, argnums=0, has_aux: bool = False):
    """A function that returns (gradient of `func`, its value); func returns a 0-d Tensor.

    argnums  the positional input (a pytree of tensors) to differentiate for, or several
    has_aux  func returns (value, aux), and the result is (gradient, (value, aux))

    Raises RuntimeError if the value is no 0-d Tensor.

    >>> import retrograd as torch
    >>> torch.func.grad_and_value(lambda x: x**3)(torch.tensor(2.))
    (tensor(12.), tensor(8.))
    """
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        with _reverse((args, kwargs)):
            aliases, reals = _aliased(_selected(argnums, args))
            with enable_grad():
                out = func(*_replace(others_apart(args), argnums, aliases), **kwargs)
            aux = None
            if has_aux:
                out, aux = _split_aux(out, "grad_and_value(f)(*args)")
            _require_scalar(out)
            real = physical(fully_batched(out))
            create = _must_record([real], reals)
            one = wrap(np.ones(real._data.shape, real._data.dtype))
            if real._flags & ON_META:
                one = one.to(real.device)
            found = _differentiate([real], [one], reals, create)
            grads = tree_unflatten([rewrap(g) for g in found],
                                   tree_flatten(_selected(argnums, args))[1])
            value, aux = _released((out, aux), create)
        return grads, (value, aux) if has_aux else value
    return wrapper


def _require_scalar(out):
    if not isinstance(out, Tensor):
        raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got "
                           f"{type(out)}")
    if out._data.ndim:
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor "
            f"with {out._data.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
    if out._data.dtype.kind == "c":
        raise RuntimeError(NOT_REAL.format(out.dtype))


def _released(tree, recorded):
    """Outputs for the caller: cut off from the aliases unless someone records outside."""
    if recorded:
        return tree
    return tree_map(lambda t: _cut(t) if isinstance(t, Tensor) else t, tree)


def _cut(t):
    if t._flags & BATCHED:
        return wrap_batch(_cut(t._batch.value), t._batch.level)
    free = t.detach()
    if t._flags & DUAL:                          # a transform around this one has given tangents
        for level, tangent in t._tangents.items():
            set_tangent(free, level, _cut(tangent))
    return free


def grad(func, argnums=0, has_aux: bool = False):
    """A function that returns the gradient of `func`, whose value is a 0-d Tensor.

    argnums  the positional input (a pytree of tensors) to differentiate for, or several
    has_aux  func returns (value, aux), and the result is (gradient, aux)

    It can be differentiated again. Raises RuntimeError if the value is no 0-d Tensor of reals, and
    for inputs of integers.

    >>> import retrograd as torch
    >>> torch.func.grad(torch.sin)(torch.tensor(0.))
    tensor(1.)
    >>> torch.func.grad(torch.func.grad(lambda x: x ** 3))(torch.tensor(2.))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads
    return wrapper


def vjp(func, *primals, has_aux: bool = False):
    """(f(x), pull), where pull(v) gives the gradients v^T J of the primals x, by reverse mode.

    v has the structure and shape of func's value; pull returns a tuple, a gradient for each of the
    primals, and can be called several times. With has_aux func returns (value, aux), and the result
    is (value, pull, aux). Raises RuntimeError for inputs of integers and shapes that do not fit.

    >>> import retrograd as torch
    >>> value, pull = torch.func.vjp(torch.sin, torch.zeros(2))
    >>> pull(torch.ones(2))
    (tensor([1., 1.]),)
    """
    return vjp_beside(func, primals, has_aux, ())


def vjp_beside(func, primals, has_aux, others):
    """vjp() of a function that also gets `others`, which it may write to."""
    outside = state.grad
    with _reverse((primals, others)), enable_grad():   # the results of pull() may be differentiated
        aliases, reals = _aliased(primals)
        out = func(*aliases)
        aux = None
        if has_aux:
            out, aux = _split_aux(out, "vjp(f, *primals)")
        leaves, out_spec = _check_outputs(out, "vjp(f, *primals)")
        _require_inexact(leaves)
        open_levels = list(levels.open)
        real = [physical(fully_batched(t)) for t in leaves]
        create = _must_record(real, reals)
        out, aux = _released((out, aux), create and outside)
    spec = tree_flatten(primals)[1]

    def pull(cotangents, retain_graph=True, create_graph=None):
        given, given_spec = tree_flatten(cotangents)
        if given_spec != out_spec:
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree "
                               f"structure of outputs to the function. cotangents: "
                               f"{treespec_pprint(given_spec)}, "
                               f"primal output: {treespec_pprint(out_spec)}")
        for k, (t, g) in enumerate(zip(leaves, given, strict=True)):
            if not isinstance(g, Tensor):
                raise TypeError("gradients can be either Tensors or None, but got "
                                f"{type(g).__name__}")
            given[k] = as_output(k, t, g)
        weights = [_below(fully_batched_at(g, open_levels), open_levels) for g in given]
        record = state.grad and create if create_graph is None else create_graph
        found = _differentiate(real, weights, reals, record or _tracked(weights))
        return tree_unflatten([_above(g, open_levels) for g in found], spec)
    return (out, pull, aux) if has_aux else (out, pull)


def _tracked(weights):
    return state.grad and any(w._flags & 1 for w in weights)


def fully_batched_at(t, open_levels):
    """`t` with batch dimensions for the vmaps that were open when the function ran."""
    return t if not open_levels else _inside_new(t, open_levels)


def _inside_new(t, open_levels):
    """fully_batched() below the levels that have been opened since."""
    newest = open_levels[-1][0]
    if t._flags & BATCHED and t._batch.level > newest:
        return wrap_batch(_inside_new(t._batch.value, open_levels), t._batch.level)
    return fully_batched(t, open_levels)


def _below(t, open_levels):
    """The real tensor below the levels `open_levels`; newer batches come outside, in front."""
    if not open_levels or not t._flags & BATCHED:
        return t
    if t._batch.level <= open_levels[-1][0]:
        return physical(t)
    inner = _below(t._batch.value, open_levels)         # (older batches, newer batch, ...)
    return wrap_batch(inner.movedim(len(open_levels), 0), t._batch.level)


def _above(t, open_levels):
    """The inverse of _below()."""
    if not open_levels:
        return t
    if not t._flags & BATCHED:
        return rewrap(t, open_levels)
    inner = _behind(t._batch.value, len(open_levels))
    return wrap_batch(_above(inner, open_levels), t._batch.level)


def _behind(t, n):
    """`t` with its dimension 0 behind the next `n`; stored so, since view() is possible then."""
    return T.clone_contiguous(t.movedim(0, n)) if n else t


JVP = "jvp(f, primals, tangents)"


def jvp(func, primals, tangents, *, strict: bool = False, has_aux: bool = False):
    """(value of func, its derivative along the tangents), by forward mode: f(x), J t.

    primals, tangents  tuples of the same structure: the positional inputs x of func, and for each
                       tensor a tangent t of its shape; the derivative has the shape of the value
    strict             raise RuntimeError if an output does not depend on the inputs, else zeros
    has_aux            func returns (value, aux), and the result is (value, derivative, aux)

    Raises RuntimeError for structures or shapes that differ.

    >>> import retrograd as torch
    >>> torch.func.jvp(torch.sin, (torch.zeros(()),), (torch.ones(()),))
    (tensor(0.), tensor(1.))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to "
                           "call f(*primals).")
    leaves, spec = tree_flatten(primals)
    flat, tangent_spec = tree_flatten(tangents)
    if spec != tangent_spec:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to have the "
                           f"same python structure. For example, if primals is a tuple of 3 "
                           f"tensors, tangents also must be. Got primals with structure {spec} and "
                           f"tangents with structure {tangent_spec}")
    for name, given in (("primals", leaves), ("tangents", flat)):
        if not given:
            raise RuntimeError(f"{JVP}: Expected {name} to contain at least one Tensor.")
        _only_tensors(given, f"{JVP}: Expected {name} to only contain Tensors, got {{}}")
    with _forward((primals, tangents)) as level:
        duals = [_dual(x, t, level) for x, t in zip(leaves, flat, strict=True)]
        out = func(*tree_unflatten(duals, spec))
        aux = None
        if has_aux:
            out, aux = _split_aux(out, JVP)
        outs, out_spec = _check_outputs(out, JVP)
        pairs = [_unpack(t, level, strict) for t in outs]
        value = tree_unflatten([v for v, _ in pairs], out_spec)
        tangent = tree_unflatten([r for _, r in pairs], out_spec)
        aux = tree_map(lambda t: _unpack(t, level, False)[0] if isinstance(t, Tensor) else t, aux)
    return (value, tangent, aux) if has_aux else (value, tangent)


@contextmanager
def _forward(given):
    """Inside a forward-mode transform of what is `given`; yields its level."""
    transform = Transform(given)
    transforms, before, outer = state.transforms, state.forward, state.transform
    opened = forward_ad.opened()
    level = len(opened)
    try:
        forward_ad.push_level()
        state.forward, state.transforms = True, transforms + 1
        transform.enter()
        yield level
    finally:                                         # stores first: see NOTE [interrupts]
        state.forward, state.transforms, state.transform = before, transforms, outer
        ended, opened[level:], state.dual_levels = opened[level:], (), level
        transform.exit()
        forward_ad.forget(ended, level)


def jvps(func, primals, tangents, randomness, has_aux, others):
    """(func's derivatives along each of a batch of tangents, in a new dimension 0; aux).

    `primals` is a tuple, `tangents` has a tensor for each of its leaves with the batch in dimension
    0. The values are computed once: only tangents have a batch. `others` func may write to.
    """
    leaves, spec = tree_flatten(primals)
    size, aux = tangents[0]._data.shape[0], None
    with (_forward((primals, tangents, others)) as level,
          batch_of_tangents(size, randomness) as batch):
        duals = [_dual_of_batch(x, t, level, batch) for x, t in zip(leaves, tangents, strict=True)]
        out = func(*tree_unflatten(duals, spec))
        if has_aux:
            out, aux = _split_aux(out, JVP)
        outs, out_spec = _check_outputs(out, JVP)
        results = [_tangents_of_slices(t, level, batch, size) for t in outs]
        aux = tree_map(lambda t: _unpack(t, level, False)[0] if isinstance(t, Tensor) else t, aux)
    return tree_unflatten(results, out_spec), aux


def _dual_of_batch(x, tangents, level, batch):
    """`x` with a batch of tangents, the same for all slices of vmaps around it."""
    real = physical(fully_batched(x))
    shape = real._data.shape
    lead = (1,) * (len(shape) - x._data.ndim)
    size = tangents._data.shape[0]
    wide = T.expand(tangents.reshape((size, *lead, *x._data.shape)), (size, *shape))
    return rewrap(forward_ad.make_dual(real, wrap_batch(wide, batch), level=level))


def _tangents_of_slices(t, level, batch, size):
    """The tangents of an output, in a dimension 0 that is no batch any more."""
    value, tangent = forward_ad.unpack_dual(physical(fully_batched(t)), level=level)
    if tangent is None:
        tangent = T.zeros_like(value.detach())
    wide, has = at_level(tangent, batch)
    if not has:
        wide = T.expand(wide, (size, *wide._data.shape))
    return rewrap(_behind(wide, len(levels.open)))


def _dual(x, t, level):
    forward_ad.check_size(x, t)
    real = forward_ad.make_dual(physical(fully_batched(x)), physical(fully_batched(t)), level=level)
    return rewrap(real)


def _unpack(t, level, strict):
    value, tangent = forward_ad.unpack_dual(physical(fully_batched(t)), level=level)
    if tangent is None:
        if strict:
            raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is "
                               "independent of the inputs. This is not allowed with strict=True.")
        tangent = T.zeros_like(value.detach())
    return rewrap(value), rewrap(tangent)


def linearize(func, *primals):
    """(f(x), linear), where linear(t) is the derivative J t of func at the primals x.

    linear takes a tangent for each of the primals, of its shape, and runs func in forward mode at
    each call. Raises ValueError for primals of integers, RuntimeError for shapes that differ.

    >>> import retrograd as torch
    >>> value, linear = torch.func.linearize(torch.sin, torch.zeros(()))
    >>> linear(torch.tensor(2.))
    tensor(2.)
    """
    leaves, spec = tree_flatten(primals)
    for t in leaves:
        if t._data.dtype.kind in "biu":
            raise ValueError("Expected primal to be floating point or complex, but got: "
                             f"{t.dtype}")

    def linear(*tangents):
        _check_tangents(tangents, leaves, spec)
        return jvp(func, primals, tree_map(T.clone, tangents))[1]    # shares no memory with them
    return func(*primals), linear


def _check_tangents(tangents, primals, spec):
    """Raise unless `tangents` has the structure, shapes and dtypes of the primals."""
    flat, tangent_spec = tree_flatten(tangents)
    if tangent_spec != spec:
        raise RuntimeError(f"Expected the tangents {tangent_spec} to have the same argspec as the "
                           f"primals {spec}")
    for k, (t, x) in enumerate(zip(flat, primals, strict=True)):
        for what in ("shape", "device", "dtype"):
            if getattr(t, what) != getattr(x, what):
                raise RuntimeError(f"tangent:{k} with {what} {getattr(t, what)} in flattened "
                                   f"pytree doesn't match the {what} {getattr(x, what)} of the "
                                   "corresponding primal.")
