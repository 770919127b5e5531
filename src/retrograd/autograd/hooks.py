"""Hooks on tensors and nodes.

NOTE [hooks]
    A node without hooks knows nothing of them: the engine calls `run`. The first hook changes the
    node's class to a subclass of the same name whose `run` also calls the hooks, in PyTorch's
    order: tensor hooks, `.grad` of retain_grad tensors, node prehooks, the node itself, node
    hooks. Hooks on a leaf are kept by the leaf, and its AccumulateGrad (which comes and goes with
    the graphs) finds them there when it is made; it holds the leaf, so the leaf must not hold it.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from sys import getrefcount

import numpy as np

from .._dtype import dtype
from .._state import features, state
from .._tensor import OWN, Tensor, wrap
from ..kernels.half import is_half
from .explain import type_name
from .gradients import ONLY_LOCAL
from .node import AccumulateGrad, Node, edge, leaf_node

_hooked: dict[type, type] = {}


class Hooks:
    """All hooks of one node; `tensors` and `retained` are by output number."""

    __slots__ = ("tensors", "retained", "pre", "post", "after_accumulate")

    def __init__(self):
        self.tensors, self.retained = {}, {}
        self.pre, self.post, self.after_accumulate = OrderedDict(), OrderedDict(), OrderedDict()


def hooks_of(node) -> Hooks:
    """The node's hooks; makes it a hooked node if it is not one yet (see NOTE [hooks])."""
    found = node.__dict__.get("_hooks")
    if found is None:
        found = Hooks()
        attach(node, found)
        if isinstance(node, AccumulateGrad):
            node.variable._leaf_hooks = found
    return found


def attach(node, hooks):
    """Make `node` a hooked node with these hooks."""
    features.hooks = True
    node._hooks = hooks
    node.__class__ = _hooked_class(node.__class__)


def _hooked_class(cls):
    if cls not in _hooked:
        base = HookedLeaf if issubclass(cls, AccumulateGrad) else HookedNode
        _hooked[cls] = type(cls.__name__, (base, cls), {"__module__": cls.__module__})
    return _hooked[cls]


def _tensor(g, create):
    return g if create or g is None else wrap(np.asarray(g) if isinstance(g, np.generic) else g)


class _Hooked:
    """What hooked nodes and hooked leaves share: hooks on the gradient that arrives."""

    def before_capture(self, g, create=False):
        """Run the tensor hooks on a gradient that autograd.grad() returns."""
        return self._arrived(g, create)

    def _arrived(self, g, create):
        hooks, several = self._hooks, self.n_outputs != 1
        if g is None and several:
            g = [None] * self.n_outputs
        for nr, called in hooks.tensors.items():          # in the order of registration
            new = _call_tensor_hooks(called, g[nr] if several else g, create)
            g = [*g[:nr], new, *g[nr + 1:]] if several else new
        for nr, tensor in hooks.retained.items():
            _fill_retained(tensor, g[nr] if several else g, create)
        return g


class HookedNode(_Hooked):
    """A node with hooks: they run before and after it, in the order of NOTE [hooks]."""

    takes_none = True
    part = None                 # or hooks would not see the gradient of a view

    def run(self, g, edges):
        return self._run(g, edges, False)

    def run_graph(self, g, edges):
        return self._run(g, edges, True)

    def _run(self, g, edges, create):
        hooks = self._hooks
        g = self._arrived(g, create)
        if hooks.pre:
            g = _call_prehooks(self, hooks.pre, g, create)
        results = self._run_plain(super().run_graph if create else super().run, g, edges)
        if hooks.post:
            results = _call_posthooks(self, hooks.post, results, g, create)
        return results

    def _run_plain(self, plain, g, edges):
        nothing = g is None or self.n_outputs != 1 and all(x is None for x in g)
        if nothing and not super().takes_none:
            return (None,) * len(self.edges)
        return plain(g, edges)


class HookedLeaf(_Hooked):
    """An AccumulateGrad with hooks, or of a leaf whose `grad_dtype` is set."""

    takes_none = True

    def _arrived(self, g, create):
        leaf = self.variable
        wanted = leaf._grad_dtype
        if wanted is not OWN and g is not None:
            if is_half(leaf._data.dtype):         # formulas may have computed in float32
                g = in_dtype(g, leaf.dtype, create)
            g = g if wanted is None else in_dtype(g, wanted, create)
        return super()._arrived(g, create)

    def accumulate(self, g, create, mine):
        """AccumulateGrad.accumulate(), with hooks before it, on the filled leaf and on the node."""
        hooks, given, holders = self._hooks, g, getrefcount(g)
        g = self._arrived(g, create)
        if hooks.pre:
            g = _call_prehooks(self, hooks.pre, g, create)
        if g is given:
            mine = mine and getrefcount(g) <= holders    # no hook has kept it
        else:
            mine = not create and getrefcount(g) <= ONLY_LOCAL
        if g is not None and not self._began(g, create):
            super().accumulate(g, create, mine)
        value = self.variable
        for hook in list(hooks.after_accumulate.values()):
            result = hook(value)
            if result is not None:
                check_replacement(hook, value, result)
                value = result
        if value is not self.variable:           # p.add_(...) as a hook returns p itself
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if hooks.post:
            _call_posthooks(self, hooks.post, (), g, create)

    def _began(self, g, create):
        """Make `g` the first `.grad` of a leaf that has a `grad_dtype`; whether it did."""
        leaf = self.variable
        if leaf._grad_dtype is OWN or create or g.__class__ is not np.ndarray:
            return False
        from .leaves import lock_of
        with lock_of(leaf):
            if leaf._grad is not None or not leaf._flags & 1 or leaf._grad_fn is not None:
                return False
            first = np.empty_like(leaf._data, g.dtype)
            first[...] = g
            leaf._grad = wrap(first)
        return True


def in_dtype(g, wanted, create):
    """A leaf's gradient in its `grad_dtype`."""
    if not (wanted.is_floating_point or wanted.is_complex):
        raise RuntimeError(f"a gradient of grad_dtype {wanted} is not differentiable")
    if create or g.__class__ is not np.ndarray:
        return g.to(wanted) if create else wrap(g).to(wanted)._data
    return g if g.dtype == wanted.np else (
        g.real if g.dtype.kind == "c" and not wanted.is_complex else g).astype(wanted.np)


def set_grad_dtype(leaf, value):
    """What `leaf.grad_dtype = value` does: its AccumulateGrad converts from now on."""
    if not leaf.is_leaf:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if value is not None and not isinstance(value, dtype):
        raise RuntimeError("grad_dtype must be a torch.dtype or None, but got "
                           f"{type(value).__name__}")
    if leaf._grad is not None and value not in (None, leaf._grad.dtype):
        raise RuntimeError(
            f"Cannot set grad_dtype to '{value.tensor_name}' because there is already a gradient "
            f"with dtype '{leaf._grad.dtype.option_name}'. Please clear the gradient (.grad = "
            "None) before changing grad_dtype, or ensure the new grad_dtype matches the existing "
            "gradient's dtype.")
    leaf._grad_dtype = OWN if value is leaf.dtype else value
    if leaf._flags & 1:
        hooks_of(leaf_node(leaf))
    elif leaf._leaf_hooks is None:
        leaf._leaf_hooks = Hooks()                 # found when it begins to require grad


# --------------------------------------------------------------------------- calling them

def _name(hook):
    return getattr(hook, "__name__", "<unknown>")


def _call_tensor_hooks(hooks, g, create):
    """The gradient after all hooks of a tensor; a hook that returns None leaves it as it is."""
    if not hooks:
        return g
    value = _tensor(g, create)
    for hook in list(hooks.values()):       # one Tensor for all: hooks may set attributes on it
        res = hook(value)
        if res is not None:
            check_replacement(hook, value, res)
            value = res
    return value if create or value is None else value._data


def check_replacement(hook, old, new):
    """Raise unless `new` may stand in for the gradient `old`."""
    if not isinstance(new, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(new).__name__}'")
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if new._data.shape != old._data.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    if new._data.dtype != old._data.dtype:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was "
                           f"{type_name(old._data)} got {type_name(new._data)})")


def _fill_retained(tensor_ref, g, create):
    t = tensor_ref and tensor_ref()
    if t is None or g is None:
        return
    value = _tensor(g, create)
    if t._grad is None:
        t._grad = value if create else wrap(value._data.copy())
    else:
        t._grad = t._grad + value


def _outputs(node, g, create):
    """The gradients, as Tensors, of those outputs of a node that can have one."""
    if node.n_outputs == 1:
        return (_tensor(g, create),)
    return tuple(_tensor(g[k], create) for k in node.differentiable_outputs())


def _call_prehooks(node, hooks, g, create):
    values = _outputs(node, g, create)
    for hook in list(hooks.values()):
        res = hook(values)
        if res is None:
            continue
        values = _replaced(hook, values, res)
    values = values if create else tuple(None if v is None else v._data for v in values)
    return values[0] if node.n_outputs == 1 else put(
        list(g), node.differentiable_outputs(), values)


def put(values, places, new):
    """The list `values` with `new` in these places."""
    for k, value in zip(places, new, strict=True):
        if k is not None:
            values[k] = value
    return values


def _replaced(hook, old, new):
    if not isinstance(new, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(new).__name__}'")
    if len(new) != len(old):
        raise RuntimeError(f"hook '{_name(hook)}' has returned an incorrect number of values (got "
                           f"{len(new)}, but expected {len(old)})")
    for a, b in zip(old, new, strict=True):
        if a is not None and b is not None:
            check_replacement(hook, a, b)
    return new


def _call_posthooks(node, hooks, results, g, create):
    places = node.differentiable_inputs() if results else ()
    inputs = tuple(None if k is None else _tensor(results[k], create) for k in places)
    outputs = _outputs(node, g, create)
    for hook in list(hooks.values()):
        res = hook(inputs, outputs)
        if res is None:
            continue
        inputs = _replaced(hook, inputs, res)
    arrays = inputs if create else [None if v is None else v._data for v in inputs]
    return tuple(put(list(results), places, arrays))


def run_by_hand(node, grads):
    """`node(*grads)`: the gradients of its inputs as Tensors, recorded if grad mode is on."""
    create = state.grad
    given = [g if create or g is None else g._data for g in grads]
    g = given[0] if node.n_outputs == 1 else given
    if isinstance(node, AccumulateGrad):
        node.accumulate(g, create, False)
        return None
    results = (node.run_graph if create else node.run)(g, node.edges)
    results = tuple(_tensor(r, create) for r in results)
    return results[0] if len(results) == 1 else results


# --------------------------------------------------------------------------- registering them

def _handle(dictionary, hook):
    from ..utils.hooks import RemovableHandle
    handle = RemovableHandle(dictionary)
    dictionary[handle.id] = hook
    return handle


def _refuse_untracked(t):
    from .explain import with_explanation
    raise RuntimeError(with_explanation(
        "cannot register a hook on a tensor that doesn't require gradient", "untracked", t))


def register_hook(self, hook):
    """Call hook(grad) when the gradient of this tensor has been computed.

    It may return a tensor to replace the gradient. Returns a handle with remove(). Raises
    RuntimeError if the tensor does not require grad.

    >>> import retrograd as torch
    >>> x = torch.tensor(2., requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 10)
    >>> (x * x).backward()
    >>> x.grad
    tensor(40.)
    """
    if not self._flags & 1:
        _refuse_untracked(self)
    if self._backward_hooks is None:
        node, nr = edge(self) or (Node(), 0)     # a view without a history: its hook never runs
        self._backward_hooks = hooks_of(node).tensors.setdefault(nr, OrderedDict())
    return _handle(self._backward_hooks, hook)


def register_post_accumulate_grad_hook(self, hook):
    """Call hook(tensor) after this leaf's `.grad` was filled.

    Raises RuntimeError for tensors that are not leaves or do not require grad.

    >>> import retrograd as torch
    >>> x = torch.tensor(2., requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad))
    >>> (x * x).backward()
    tensor(4.)
    """
    if not self._flags & 1:
        _refuse_untracked(self)
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    target = edge(self)                # None: a view made in no_grad, which gets no gradient
    kept = OrderedDict() if target is None else hooks_of(target[0]).after_accumulate
    self._post_accumulate_grad_hooks = kept
    return _handle(kept, hook)


def register_node_hook(self, fn):
    """Call fn(grad_inputs, grad_outputs) after this node has run; returns a handle with remove().

    Both are tuples of gradients, with None where there is none. A tuple that fn returns replaces
    grad_inputs.

    >>> import retrograd as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> y = x * 3
    >>> handle = y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: print(grad_inputs))
    >>> y.sum().backward()
    (tensor([3., 3.]), None)
    """
    return _handle(hooks_of(self).post, fn)


def register_node_prehook(self, fn):
    """Call fn(grad_outputs) before this node runs; returns a handle with remove().

    A tuple that fn returns replaces grad_outputs.

    >>> import retrograd as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> y = x * 3
    >>> handle = y.grad_fn.register_prehook(lambda grad_outputs: (grad_outputs[0] * 10,))
    >>> y.sum().backward()
    >>> x.grad
    tensor([30., 30.])
    """
    return _handle(hooks_of(self).pre, fn)


def retain_grad(t):
    """Let the engine fill `t.grad`; the node only holds `t` weakly."""
    node, nr = edge(t)
    hooks_of(node).retained[nr] = weakref.ref(t)
    t._retains = True


def move_retained(t, old_node, old_nr):
    """`t` was changed in place: its `.grad` is now that of its new history."""
    hooks = old_node.__dict__.get("_hooks") if old_node is not None else None
    if hooks is not None:
        hooks.retained.pop(old_nr, None)
    node, nr = edge(t)
    hooks_of(node).retained[nr] = weakref.ref(t)


Node.register_hook = register_node_hook
Node.register_prehook = register_node_prehook
Tensor.register_hook = register_hook
Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook
