"""Function: operators written by users, with a backward of their own.

`function_node.py` has the `ctx`, `function_call.py` what apply does; `function_forward.py` is for
forward mode, `function_vmap.py` for vmap.
"""

from __future__ import annotations

import inspect
import warnings

from .._state import state
from .._tensor import BATCHED, DUAL, Tensor
from .function_call import call, new_ctx
from .function_node import BackwardCFunction, FunctionCtx, no_backward
from .once import once_differentiable

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
]


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


class Function(metaclass=FunctionMeta):
    """Base class of operators with a backward of their own.

    Define `forward` and `backward` as static methods and call `apply`. forward computes the
    outputs; nothing in it is recorded. backward gets the gradients of the outputs and returns one
    for each argument of forward. What backward needs is saved on `ctx`: tensors with
    `ctx.save_for_backward`, other values as attributes. Either forward takes `ctx` first, or
    `setup_context(ctx, inputs, output)` is a static method of its own, which `torch.func`
    asks for. In backward, `ctx.needs_input_grad` tells which arguments want a gradient.

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

    generate_vmap_rule = False               # see NOTE [generated rules] in function_vmap.py
    clear_saved_tensors_on_access = False
    boxed_grads_call = False
    backward = staticmethod(no_backward)
    vjp = staticmethod(no_backward)

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
        """Compute the outputs; defined by subclasses.

        `forward(ctx, *args)`, or `forward(*args)` in a class with `setup_context`. Returns a
        tensor or a tuple; values that are not tensors are passed on as they are.
        """
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Save what backward needs, where forward does not take `ctx`.

        Args:
            inputs: the arguments of forward, a tuple.
            output: what forward returned.

        >>> import retrograd as torch
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return x * x
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         ctx.save_for_backward(*inputs)
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * grad
        >>> torch.func.grad(Square.apply)(torch.tensor(3.0))
        tensor(6.)
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The tangents of the outputs, given those of the inputs (None where there is none).

        Defined by subclasses that work in forward mode; values for it are kept with
        `ctx.save_for_forward`.

        >>> import retrograd as torch
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return 2 * x
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         pass
        ...     @staticmethod
        ...     def jvp(ctx, tangent):
        ...         return 2 * tangent
        >>> torch.func.jvp(Double.apply, (torch.ones(1),), (torch.ones(1),))
        (tensor([2.]), tensor([2.]))
        """
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info, in_dims, *args):
        """The outputs for batched arguments, and their batch dimensions: (outputs, out_dims).

        Defined by subclasses for `torch.func.vmap`, unless `generate_vmap_rule = True` makes
        it of forward and backward.

        Args:
            info: has `batch_size` and `randomness`.
            in_dims: the batch dimension of each argument, None for those that have none.

        >>> import retrograd as torch
        >>> class Total(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return x.sum()
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         pass
        ...     @staticmethod
        ...     def vmap(info, in_dims, x):
        ...         return x.movedim(in_dims[0], 0).flatten(1).sum(1), 0    # (B, ...) -> (B,)
        >>> torch.vmap(Total.apply)(torch.ones(3, 2))
        tensor([2., 2., 2.])
        """
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod "
            "or set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward on `args` and record the function, if a tensor among them requires grad.

        Returns what forward returns; tensors (alone or in a tuple) are part of the graph. Arguments
        may be given by name; TypeError for a name that forward does not have.
        """
        apart = cls.setup_context is not Function.setup_context
        if apart:
            args = _positional(cls.forward, args, kwargs, True)
        elif kwargs:
            args = _positional(cls.forward, (None, *args), kwargs, False)[1:]
        flags = 0
        for a in args:
            if isinstance(a, Tensor):
                flags |= a._flags
        if state.transforms and not apart:
            raise RuntimeError(
                "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, "
                "jacrev, ...), it must override the setup_context staticmethod. For more details, "
                "please see https://pytorch.org/docs/main/notes/extending.func.html"
            )
        if flags & BATCHED:
            from .function_vmap import apply_batched

            return apply_batched(cls, args)
        ctx = new_ctx(cls)
        if flags & DUAL and state.forward:
            from .function_forward import apply_dual

            return apply_dual(ctx, args, apart)
        out = call(ctx, args, apart)
        ctx.saved_for_forward = None
        return out


def _positional(forward, args, kwargs, defaults) -> tuple:
    """The arguments of a call by position, with defaults if wanted, or needed to fill gaps."""
    bound = inspect.signature(forward).bind(*args, **kwargs)
    if defaults or bound.kwargs:
        bound.apply_defaults()
    if bound.kwargs and state.vmaps:
        raise NotImplementedError(
            "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass "
            f"kwarg-only Tensors to autograd.Function. Got: {bound.kwargs}")
    if bound.kwargs:                          # gradients are matched by position
        name = next(iter(bound.kwargs))
        raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    return bound.args


class InplaceFunction(Function):
    """Base of old Functions that could work in place; kept for code that derives from it."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """Raises NotImplementedError when applied: it was for nested inputs and outputs."""

    @classmethod
    def apply(cls, *args, **kwargs):
        raise NotImplementedError("NestedIOFunction: use Function with flat inputs and outputs")
