"""The node of a custom Function: what forward and backward are given as `ctx`."""

from __future__ import annotations

import warnings
import weakref

import numpy as np

from .._state import state
from .._tensor import Tensor, wrap
from ..ops.declare import F
from .node import LEAF_SEQ, Node, freed

# Attributes that ctx has because it is a node, besides those with PyTorch's names.
OWN_NAMES = frozenset({"edges", "gradients", "n_outputs", "run", "run_graph",
                       "takes_none"})


class FunctionCtx:
    """What forward and backward share: saved tensors, marks, and attributes of your own.

    >>> import retrograd as torch
    >>> class Clip(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x, limit):
    ...         ctx.save_for_backward(x)
    ...         ctx.limit = limit
    ...         return x.clamp(max=limit)
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * (x <= ctx.limit), None
    >>> x = torch.tensor([1.0, 3.0], requires_grad=True)
    >>> Clip.apply(x, 2.0).sum().backward(); x.grad
    tensor([1., 0.])
    """

    def save_for_backward(self, *tensors) -> None:
        """Keep tensors (or None) for `saved_tensors` in backward; call it once."""
        self.to_save = tensors

    def save_for_forward(self, *tensors) -> None:
        """Keep tensors (or None) for `saved_tensors` in jvp."""
        for tensor in tensors:
            if not (tensor is None or isinstance(tensor, Tensor)):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save "
                    "non-tensors as attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args) -> None:
        """Say which inputs forward changed in place; each must be returned."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs) -> None:
        """Deprecated: shared memory is noticed without it."""
        warnings.warn(
            "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically "
            "tracked. Note that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Pass zeros (True, the default) or None for outputs that no gradient reached."""
        self.materialize_grads = value


class BackwardCFunction(Node, FunctionCtx):
    """The node of a custom Function, and its `ctx`."""

    takes_none = True
    materialize_grads = True
    _materialize_non_diff_grads = True
    needs_input_grad: tuple[bool, ...] = ()
    to_save = saved_for_forward = dirty_tensors = non_differentiable = None
    _inputs = ()  # for each argument of apply: (shape, dtype), or None if it is not a tensor
    _outputs = ()  # the same for what forward returned
    _constant = ()  # which outputs mark_non_differentiable named

    @property
    def saved_tensors(self) -> tuple:
        """The tensors given to save_for_backward; RuntimeError once the graph is freed."""
        if self._saved is None:
            freed(self)
        tensors = tuple([s.get(self, f"saved_tensors[{i}]") for i, s in enumerate(self._saved)])
        lost, _ = self._forward_cls._intermediates or ((), ())
        if lost and state.grad:
            from .intermediates import recorded

            return tuple(recorded(self, t, f"ctx.saved_tensors[{i}]") if i in lost else t
                         for i, t in enumerate(tensors))
        return tensors

    @property
    def saved_variables(self) -> tuple:
        """Deprecated name of `saved_tensors`."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple:
        if self._saved is None:
            freed(self)
        for saved in self._saved:  # pyright: ignore  (the engine sets it)
            saved._node = weakref.ref(self)
        return self._saved  # pyright: ignore

    def maybe_clear_saved_tensors(self) -> None:
        """Drop the saved tensors if the Function asked for that."""
        if self._forward_cls.clear_saved_tensors_on_access:
            self._saved = None

    def apply(self, *grads):
        """Call the user's backward (or vjp)."""
        cls = self._forward_cls
        own = [f for f in (cls.backward, cls.vjp) if f is not no_backward]
        if len(own) == 2:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        args = (list(grads),) if cls.boxed_grads_call else grads
        return (own[0] if own else cls.backward)(self, *args)

    def apply_jvp(self, *tangents):
        """Call the user's jvp."""
        return self._forward_cls.jvp(self, *tangents)

    def __repr__(self):
        return object.__repr__(self)

    def run(self, g, edges):
        gs = (g,) if self.n_outputs == 1 else (g or (None,) * self.n_outputs)
        grads = self.gradients([None if x is None else wrap(x) for x in gs])
        return _each_its_own([None if x is None else x._data for x in grads], edges)

    def run_graph(self, g, edges):
        gs = (g,) if self.n_outputs == 1 else (g or (None,) * self.n_outputs)
        _, lost = self._forward_cls._intermediates or ((), ())
        if lost and state.grad:
            from .intermediates import attributes_recorded

            with attributes_recorded(self, lost):
                return tuple(self.gradients(gs))
        return tuple(self.gradients(gs))

    def gradients(self, grads) -> list:
        """What the user's backward returns for `grads`, checked; one for each tensor input."""
        if self.materialize_grads:
            grads = [
                wrap(np.zeros(*like)) if x is None and like is not None else x
                for x, like in zip(grads, self._outputs, strict=True)
            ]
        results = self.apply(*grads)
        if not isinstance(results, tuple):
            results = (results,)
        return _checked(self, results)


def _each_its_own(arrays, edges) -> list:
    """The arrays; where several leaves share one, all but the last get a copy.

    The engine would make a copy for each of them, since the others still hold the array.
    """
    if len(arrays) == 1:
        return arrays
    seen: set[int] = set()
    for k in reversed(range(len(arrays))):
        array = arrays[k]
        if array is not None and id(array) in seen and edges[k]._seq >= LEAF_SEQ:
            arrays[k] = array.copy()
        seen.add(id(array))
    return arrays


def _checked(node, results) -> list:
    """The results that belong to tensor inputs, in their inputs' shapes and dtypes."""
    n, got, name = len(node._inputs), len(results), node.name()
    if got > n and all(r is None for r in results[n:]):
        results = results[:n]
    elif got != n:
        raise RuntimeError(
            f"function {name} returned an incorrect number of gradients (expected {n}, got {got})"
            "\n\nbackward() returns a gradient for each argument of forward() after ctx, in their "
            "order.\nCure: return None for an argument that needs none, such as a number."
        )
    grads = []
    for position, (like, result) in enumerate(zip(node._inputs, results, strict=True)):
        if like is None:
            if result is not None:
                raise RuntimeError(
                    f"function {name} returned a gradient different than None at position "
                    f"{position + 1}, but the corresponding forward input was not a Variable"
                )
            continue
        if result is not None and not isinstance(result, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
        if result is not None and node.edges[len(grads)] is not None:
            result = _conformed(name, len(grads), result, *like)
        grads.append(result)
    return grads


def _conformed(name, index, grad, shape, dtype):
    """`grad` summed to `shape` and cast to `dtype`, as broadcasting would have asked for."""
    if grad._data.shape != shape:
        if not _expandable(shape, grad._data.shape):
            raise RuntimeError(
                f"Function {name} returned an invalid gradient at index {index} - got "
                f"{list(grad._data.shape)} but expected shape compatible with {list(shape)}"
            )
        grad = F.sum_to(grad, shape)
    if grad._data.dtype != dtype:
        if grad._data.dtype.kind == "c" and dtype.kind != "c":
            grad = F.real(grad)
        grad = grad.to(_dtype_of(dtype))
    return grad


def _dtype_of(dtype):
    return wrap(np.empty(0, dtype)).dtype


def _expandable(small, large) -> bool:
    """Whether a tensor of shape `small` can be expanded to `large`."""
    if len(small) > len(large):
        return False
    return all(
        a in (1, b) for a, b in zip(reversed(small), reversed(large), strict=False)
    )


def no_backward(ctx, *grad_outputs):
    """The gradients of the inputs, given those of the outputs: to be overridden.

    Returns as many values as forward had arguments, None for those without a gradient.
    """
    raise NotImplementedError(
        "You must implement either the backward or vjp method for your custom autograd.Function "
        "to use it with backward mode AD."
    )
