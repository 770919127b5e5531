"""Gradients that must not be differentiated again: once_differentiable, and the node that raises.

See docs/wrong-gradients.md for what PyTorch overlooks here.
"""

from __future__ import annotations

import functools

from .._state import set_recording, state
from .._tensor import Tensor
from .node import Node, connect, history, next_seq


class Error(Node):
    """History of a result that must not be differentiated: raises `message`."""

    takes_none = True

    def __init__(self, message, grads, beyond=()):
        connect(self, grads)
        self._seq = next_seq()
        self.shown = len(grads)  # next_functions ends here, as in PyTorch,
        self.edges += beyond  # but what is to be differentiated lies on the way to these too
        if beyond and self._numbers is not None:
            self._numbers += (0,) * len(beyond)
        self.message = message
        self.n_outputs = len(grads)

    @property
    def next_functions(self):
        return super().next_functions[: self.shown]

    def run(self, g, edges):
        raise RuntimeError(self.message)

    run_graph = run


def delayed_error(message, grads, beyond=()) -> list:
    """The tensors `grads` (or None), made to raise `message` when they are differentiated.

    `beyond` are nodes that their history leads to, though PyTorch does not see it.
    """
    past = [
        g if g is None or g.requires_grad else g.detach()._set_requires_grad(True) for g in grads
    ]  # a node without edges would not be met on the way to anything
    error = Error(message, past, beyond)
    marked = []
    for nr, grad in enumerate(grads):
        if grad is not None:
            grad = grad.detach()
            grad._grad_fn, grad._output_nr, grad._flags = error, nr, grad._flags | 1
        marked.append(grad)
    return marked


ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"


def _varies(saved) -> bool:
    """Whether a saved tensor depends on something that may be differentiated."""
    t = saved._tensor
    return saved._output_nr is not None or (t is not None and t._flags & 1 == 1)


def once_differentiable(fn):
    """Mark a backward whose result cannot be differentiated again: trying to is an error.

    PyTorch notices only if the gradient that arrived requires grad, and only in a backward() to all
    leaves; here it is noticed wherever something that the Function computed from is differentiated
    (see torch.autograd.on_wrong_gradient).

    >>> import retrograd as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @torch.autograd.function.once_differentiable
    ...     def backward(ctx, grad):
    ...         return 2 * ctx.saved_tensors[0] * grad
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (g,) = torch.autograd.grad(Square.apply(x), x, create_graph=True); g
    tensor(6., grad_fn=<Error>)
    """

    @functools.wraps(fn)
    def wrapper(ctx, *args, **kwargs):
        before = state.grad
        try:
            set_recording(False)
            outputs = fn(ctx, *args, **kwargs)
        finally:
            state.grad = before              # first: see NOTE [interrupts]
            set_recording(before)
        if not before:
            return outputs
        strict = state.on_wrong != "ignore" and isinstance(ctx, Node)
        depends = strict and any(map(_varies, ctx._saved or ()))
        if not depends and not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        grads = outputs if isinstance(outputs, tuple) else (outputs,)
        upstream = [history(a) for a in args if isinstance(a, Tensor)] if strict else []
        marked = delayed_error(ONCE, grads, (*ctx.edges, *upstream) if strict else ())
        return tuple(marked) if isinstance(outputs, tuple) else marked[0]

    return wrapper
