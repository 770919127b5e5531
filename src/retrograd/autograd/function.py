"""Function: operators written by users, with a backward of their own.

NOTE [custom functions]
    `Foo.apply(...)` makes a node of the class FooBackward, which is also the `ctx` that forward
    and backward are given. Forward runs without recording; then each output is given its place:
    a new tensor gets the node as its history; an input returned as it is becomes a view of
    itself; an input changed in place (mark_dirty) has its history rebased on the node. A view
    made inside the function may not be written to afterwards, since replaying the view would
    bypass the user's backward.
"""

from __future__ import annotations

import inspect
import warnings
import weakref

import numpy as np

from .._callers import note_write
from .._state import features, state
from .._tensor import BATCHED, DUAL, INFERENCE_TENSOR, Tensor, wrap
from ..ops.declare import F
from .node import LEAF_SEQ, Node, connect, freed, next_seq
from .once import once_differentiable
from .recording import finish
from .saved import INFERENCE, SavedTensor
from .views import IN_FUNCTION, MULTI_OUTPUT, rebase, view_of

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
]


# What ctx, being a node, has of its own besides PyTorch's names.
OWN_NAMES = frozenset({"edges", "gradients", "n_outputs", "run", "run_graph",
                       "takes_none"})


class FunctionCtx:
    """What forward and backward share: saved tensors, marks, and attributes of your own."""

    def save_for_backward(self, *tensors) -> None:
        """Keep tensors (or None) for ``saved_tensors`` in backward; call it once."""
        self.to_save = tensors

    def save_for_forward(self, *tensors) -> None:
        """Keep tensors (or None) for ``saved_tensors`` in jvp."""
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
    """The node of a custom Function, and its ``ctx``."""

    takes_none = True
    materialize_grads = True
    _materialize_non_diff_grads = True
    needs_input_grad: tuple[bool, ...] = ()
    to_save = saved_for_forward = dirty_tensors = non_differentiable = None
    _inputs = ()  # for each argument of apply: (shape, dtype), or None if it is no tensor
    _outputs = ()  # the same for what forward returned
    _constant = ()  # which outputs mark_non_differentiable named

    @property
    def saved_tensors(self) -> tuple:
        """The tensors given to save_for_backward; an error after the graph was freed."""
        if self._saved is None:
            freed(self)
        tensors = tuple(s.get(self, f"saved_tensors[{i}]") for i, s in enumerate(self._saved))
        lost, _ = self._forward_cls._intermediates or ((), ())
        if lost and state.grad:
            from .intermediates import recorded

            return tuple(recorded(self, t, f"ctx.saved_tensors[{i}]") if i in lost else t
                         for i, t in enumerate(tensors))
        return tensors

    @property
    def saved_variables(self) -> tuple:
        """Deprecated name of ``saved_tensors``."""
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
        own = [f for f in (cls.backward, cls.vjp) if f is not Function.backward]
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
    """The arrays; of several leaves that share one, all but the last get a copy.

    The engine would copy for each of them, since the others still hold the array.
    """
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


class FunctionMeta(type):
    """Makes the node class FooBackward for each Function Foo."""

    def __init__(cls, name, bases, attrs):
        cls._intermediates = None  # known after the first call, see intermediates.py
        cls._backward_cls = type(
            name + "Backward",
            (BackwardCFunction,),
            {"_forward_cls": cls, "__module__": "torch.autograd.function"},
        )
        super().__init__(name, bases, attrs)


def _no_backward(ctx, *grad_outputs):
    """The gradients of the inputs, given those of the outputs: to be overridden.

    Returns as many values as forward had arguments, None for those without a gradient.
    """
    raise NotImplementedError(
        "You must implement either the backward or vjp method for your custom autograd.Function "
        "to use it with backward mode AD."
    )


class Function(metaclass=FunctionMeta):
    """Base of operators with a backward of their own.

    Write ``forward`` and ``backward`` as static methods and call ``apply``. Either forward takes
    ``ctx`` first, or ``setup_context(ctx, inputs, output)`` is written apart. In backward,
    ``ctx.needs_input_grad`` tells which arguments want a gradient.

    >>> import retrograd as torch
    >>> class Exp(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (y,) = ctx.saved_tensors
    ...         return grad * y
    >>> x = torch.zeros((), requires_grad=True)
    >>> Exp.apply(x)
    tensor(1., grad_fn=<ExpBackward>)
    """

    generate_vmap_rule = False
    clear_saved_tensors_on_access = False
    boxed_grads_call = False
    backward = staticmethod(_no_backward)
    vjp = staticmethod(_no_backward)

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the outputs: to be overridden."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Save what backward needs, where forward does not take ``ctx``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The tangents of the outputs, given those of the inputs (None where there is none)."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info, in_dims, *args):
        """The outputs for batched arguments, and their batch dimensions."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod "
            "or set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward on ``args`` and record the function, if a tensor among them requires grad.

        Returns what forward returns; tensors (alone or in a tuple) are part of the graph.
        """
        apart = cls.setup_context is not Function.setup_context
        if apart:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        track = 0
        for a in args:
            if isinstance(a, Tensor):
                track |= a._track
        if state.transforms and not apart:
            raise RuntimeError(
                "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, "
                "jacrev, ...), it must override the setup_context staticmethod. For more details, "
                "please see https://pytorch.org/docs/main/notes/extending.func.html"
            )
        if track & BATCHED:
            from .function_vmap import apply_batched

            return apply_batched(cls, args, kwargs)
        ctx = new_ctx(cls)
        if track & DUAL and state.forward:
            from .function_forward import apply_dual

            return apply_dual(ctx, args, kwargs, apart)
        out = apply(ctx, args, kwargs, apart)
        ctx.saved_for_forward = None
        return out


def new_ctx(cls):
    """The ctx of one call of the Function `cls`."""
    ctx = cls._backward_cls()
    ctx.edges = ctx._saved = ()
    return ctx


def apply(ctx, args, kwargs, apart):
    """Run forward and record `ctx` as its node; `apart` if setup_context is written apart."""
    cls = ctx._forward_cls
    needs = tuple([isinstance(a, Tensor) and a._track & 1 == 1 for a in args])
    ctx.needs_input_grad = needs
    recording = state.grad and True in needs
    if recording:
        connect(ctx, [a for a in args if isinstance(a, Tensor)])
        ctx._seq = next_seq()
        ctx._inputs = tuple([_like(a) for a in args])
    edges = ctx.edges
    if recording and cls._intermediates is None:
        from .intermediates import examine

        out = examine(ctx, args, lambda: _forward(ctx, args, kwargs, apart))
    else:
        out = _forward(ctx, args, kwargs, apart)
    if ctx.edges is not edges or not OWN_NAMES.isdisjoint(ctx.__dict__):
        _refuse_names(ctx)
    outputs = out if isinstance(out, tuple) else (out,)
    outputs = _placed(ctx if recording else None, ctx, args, outputs, apart)
    if recording:
        ctx._saved = _saved(ctx)
        if features.recording:
            finish(ctx)
    # What is left on ctx must not hold the outputs, which hold ctx.
    ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = None
    return outputs if isinstance(out, tuple) else outputs[0]


def _forward(ctx, args, kwargs, apart):
    """What the user's forward returns, run without recording."""
    cls = ctx._forward_cls
    before, state.grad, state.forward = (state.grad, state.forward), False, False
    try:
        if apart:
            out = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, out)
        else:
            out = cls.forward(ctx, *args, **kwargs)
        return out
    finally:
        state.grad, state.forward = before


def _refuse_names(ctx):
    """Raise for an attribute of ctx that would take the place of one that the node needs."""
    name = next(iter(OWN_NAMES.intersection(ctx.__dict__)), "edges")
    raise NotImplementedError(
        f"ctx.{name}: the graph keeps something of its own under this name; choose another"
    )


def _like(value):
    """(shape, dtype) of a tensor."""
    if isinstance(value, Tensor):
        return value._data.shape, value._data.dtype
    return None


# Outputs, see NOTE [custom functions]


def _marked(tensors, complaint) -> dict[int, Tensor]:
    """The tensors by id; `complaint` is PyTorch's sentence, which really stops short."""
    for position, t in enumerate(tensors or ()):
        if not isinstance(t, Tensor):
            raise RuntimeError(
                f"{complaint}\n\nArgument {position} is of type {type(t).__name__}."
            )
    return {id(t): t for t in tensors or ()}


def _placed(node, ctx, args, outputs, apart) -> tuple:
    """The outputs with their place in the graph; `node` is None when nothing is recorded."""
    inputs = {id(a) for a in args if isinstance(a, Tensor)}
    dirty = _marked(ctx.dirty_tensors, "mark_dirty can only accept variables, but argument ")
    constant = _marked(ctx.non_differentiable,
                       "mark_non_differentiable only accepts variable arguments, but got ")
    kept = {id(t) for t in (*(ctx.to_save or ()), *(ctx.saved_for_forward or ()))} if apart else ()
    if constant:
        ctx._constant = tuple(nr for nr, out in enumerate(outputs) if id(out) in constant)
    if node is not None:
        node.n_outputs = len(outputs)
        node._outputs = tuple(
            [
                _like(o) if node._materialize_non_diff_grads or id(o) not in constant else None
                for o in outputs
            ]
        )
    placed, differentiable = [], 0
    for nr, out in enumerate(outputs):
        if not isinstance(out, Tensor):
            placed.append(out)
            continue
        is_input, modified = id(out) in inputs, id(out) in dirty
        tracked = (
            node is not None and id(out) not in constant and out._data.dtype.kind in "fcV"
        )
        if is_input and not modified and id(out) in kept:
            raise RuntimeError(
                "An input that has been returned as-is as output is being saved for backward. This "
                "is not supported if you override setup_context. You should return and save a "
                "view of the input instead, e.g. with x.view_as(x) or setup ctx inside the "
                "forward function itself."
            )
        if not tracked:
            out = _constant(out, is_input, modified)
        elif modified:
            _rebase(out, node, nr, is_input, len(outputs))
        else:
            out = _alias(out) if is_input else out
            _give_history(out, node, nr)
        if modified:
            note_write(out, ctx._forward_cls.__name__)
        if state.grad and out._base is not None and not (is_input and modified):
            out._view_meta = IN_FUNCTION
        differentiable += tracked
        placed.append(out)
    _check_returned(dirty, outputs)
    if differentiable > 1:
        for out in placed:
            if isinstance(out, Tensor) and out._base is not None:
                out._view_meta = MULTI_OUTPUT
    return tuple(placed)


def _alias(t):
    """A view of all of `t`."""
    return view_of(t, t._data)


def _constant(out, is_input, modified):
    """An output without a gradient."""
    if not out._track & 1:
        return _alias(out) if is_input and not modified else out
    if is_input:
        return out.detach()
    return out if out._base is not None else out.detach_()


def _give_history(out, node, nr):
    out._track |= 1
    out._output_nr = nr
    if out._base is None:
        out._grad_fn = node
    else:
        out._view_node, out._view_version = node, out._cell[0]


def _rebase(out, node, nr, is_input, n_outputs):
    """Make `node` the history of an input that forward changed in place."""
    if out._track & 1 and out.is_leaf:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place operation."
        )
    if not is_input:
        warnings.warn(
            "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, "
            "there is no need to pass it to mark_dirty().",
            stacklevel=4,
        )
    if out._base is not None and n_outputs > 1:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your "
            "Function cannot return more than one Tensor. This is not supported by the current "
            "autograd engine. You should either make sure the input is not a view (using .clone() "
            "for example) or make your Function only return one Tensor (potentially splitting it "
            "into two Functions: one doing the inplace that returns a single Tensor and a second "
            "one that does the other operations). You can ask on the forum "
            "https://discuss.pytorch.org/ if you need help to do this change."
        )
    rebase(out, node, nr)


def _check_returned(dirty, outputs) -> None:
    if not dirty.keys() <= {id(o) for o in outputs}:
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. "
            "The inputs that are modified inplace must all be outputs of the Function."
        )


def _saved(ctx) -> tuple[SavedTensor, ...]:
    saved = []
    for position, t in enumerate(ctx.to_save or ()):
        if t is None:
            saved.append(SavedTensor.of_input(None))
            continue
        if not isinstance(t, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {position} is of type "
                f"{type(t).__name__}"
            )
        if t._track & INFERENCE_TENSOR and not state.inference:
            raise RuntimeError(INFERENCE)
        history = t._grad_fn if t._base is None else t._view_node
        if history is ctx:
            saved.append(SavedTensor.of_output(t, t._output_nr))
        else:
            saved.append(SavedTensor.of_input(t))
    return tuple(saved)


# Older kinds of Function


class InplaceFunction(Function):
    """Base of old Functions that could work in place; kept for code that derives from it."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """Base of old Functions with nested inputs and outputs: not available."""

    @classmethod
    def apply(cls, *args, **kwargs):
        raise NotImplementedError("NestedIOFunction: use Function with flat inputs and outputs")
