"""Checkpointing: keep a function's inputs instead of its intermediate values, and run it again.

The memory of the forward pass is traded for a second computation (Chen et al. 2016, "Training
deep nets with sublinear memory cost"). `checkpoint(..., use_reentrant=False)` records the graph
as usual and recomputes what it would have saved; `use_reentrant=True` records nothing and runs
forward and backward of the function inside backward.
`_recomputation.py` is the second run, `_selective.py` says what it need not compute.
"""

from __future__ import annotations

import contextlib
import warnings

import retrograd as rg

from ..autograd import engine
from ..autograd.function import Function
from ..autograd.graph import saved_tensors_hooks
from ._recomputation import (
    METADATA_OF,
    CheckpointError,
    Frame,
    GraphExecGroup,
    Inputs,
    autocast_settings,
    random_state,
)
from ._selective import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    _CachedTorchDispatchMode,  # noqa: F401  (for classes derived from it)
    _CachingTorchDispatchMode,  # noqa: F401
    create_selective_checkpoint_contexts,
)

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "GraphExecGroup",
    "SAC_IGNORED_OPS",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


# Settings


class _Override:
    """A setting that, when not None, overrides an argument of every checkpoint made under it."""

    def __init__(self):
        self.value: bool | None = None

    @contextlib.contextmanager
    def set(self, value):
        before, self.value = self.value, value
        try:
            yield
        finally:
            self.value = before

    def over(self, argument: bool) -> bool:
        return argument if self.value is None else self.value


_debug, _early_stop = _Override(), _Override()


def set_checkpoint_debug_enabled(enabled: bool | None):
    """Override `debug` of the checkpoints made in this block; None leaves it to them.

    >>> import retrograd as torch
    >>> from retrograd.utils import checkpoint as ck
    >>> x = torch.ones(2, requires_grad=True)
    >>> with ck.set_checkpoint_debug_enabled(False):
    ...     loss = ck.checkpoint(torch.exp, x, use_reentrant=False, debug=True).sum()
    >>> loss.backward(); x.grad
    tensor([2.7183, 2.7183])
    """
    return _debug.set(enabled)


def set_checkpoint_early_stop(enable: bool):
    """Override `early_stop` of the checkpoints made in this block.

    >>> import retrograd as torch
    >>> from retrograd.utils import checkpoint as ck
    >>> x = torch.ones(2, requires_grad=True)
    >>> with ck.set_checkpoint_early_stop(False):
    ...     loss = ck.checkpoint(torch.exp, x, use_reentrant=False).sum()
    >>> loss.backward(); x.grad
    tensor([2.7183, 2.7183])
    """
    return _early_stop.set(enable)


class DefaultDeviceType:
    """The device whose random state is kept beside the CPU's; here there is none.

    >>> import retrograd as torch
    >>> from retrograd.utils import checkpoint as ck
    >>> ck.DefaultDeviceType.get_device_type() in ("cpu", "cuda")
    True
    """

    _name: str | None = None

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Remember a device type's name."""
        DefaultDeviceType._name = device

    @staticmethod
    def get_device_type() -> str:
        """The name last remembered, or "cpu"."""
        return DefaultDeviceType._name or "cpu"


def get_device_states(*args) -> tuple[list[int], list]:
    """Devices other than the CPU among `args`, and their random states: none.

    >>> import retrograd as torch
    >>> from retrograd.utils import checkpoint as ck
    >>> ck.get_device_states(torch.ones(1))
    ([], [])
    """
    return [], []


def set_device_states(devices, states, *, device_type: str | None = None) -> None:
    """Restore what `get_device_states` returned.

    >>> import retrograd as torch
    >>> from retrograd.utils import checkpoint as ck
    >>> ck.set_device_states(*ck.get_device_states(torch.ones(1)))
    """
    if devices:
        raise NotImplementedError("set_device_states: retrograd has no devices besides the CPU")


def noop_context_fn():
    """Two contexts that do nothing: the default `context_fn`.

    >>> import retrograd as torch
    >>> from retrograd.utils import checkpoint as ck
    >>> forward, recomputation = ck.noop_context_fn()
    >>> with forward:
    ...     torch.ones(1) + 1
    tensor([2.])
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


# With reentry


def detach_variable(inputs) -> tuple:
    """Detached copies of the tensors of a tuple that require grad as the originals do.

    >>> import retrograd as torch
    >>> from retrograd.utils import checkpoint as ck
    >>> x = torch.ones(1, requires_grad=True) * 2
    >>> ck.detach_variable((x, 3))
    (tensor([2.], requires_grad=True), 3)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: "
            f"{type(inputs).__name__}"
        )
    return tuple(
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, rg.Tensor) else x
        for x in inputs
    )


def check_backward_validity(inputs) -> None:
    """Warn if no tensor among `inputs` requires grad.

    >>> import retrograd as torch
    >>> from retrograd.utils import checkpoint as ck
    >>> ck.check_backward_validity((torch.ones(1, requires_grad=True),))
    """
    if not any(isinstance(x, rg.Tensor) and x.requires_grad for x in inputs):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


class CheckpointFunction(Function):
    """Forward without recording; backward runs forward again and backward through it."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.rng_state = rg.get_rng_state() if preserve_rng_state else None
        ctx.autocast = autocast_settings()
        ctx.positions = [i for i, a in enumerate(args) if isinstance(a, rg.Tensor)]
        ctx.args = [None if isinstance(a, rg.Tensor) else a for a in args]
        ctx.save_for_backward(*(args[i] for i in ctx.positions))
        with rg.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if not engine.is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible"
                " with .grad() or passing an `inputs` parameter to .backward()."
                " To resolve this error, you can either set use_reentrant=False,"
                " or call .backward() without passing the `inputs` argument."
            )
        args = list(ctx.args)
        for i, tensor in zip(ctx.positions, ctx.saved_tensors, strict=True):
            args[i] = tensor
        with random_state(ctx.rng_state):
            args = detach_variable(tuple(args))
            with rg.enable_grad(), rg.autocast("cpu", **ctx.autocast):
                outputs = ctx.run_function(*args)
        if isinstance(outputs, rg.Tensor):
            outputs = (outputs,)
        pairs = [
            (out, grad)
            for out, grad in zip(outputs, grads, strict=True)
            if isinstance(out, rg.Tensor) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        rg.autograd.backward([out for out, _ in pairs], [grad for _, grad in pairs])
        return None, None, *(a.grad if isinstance(a, rg.Tensor) else None for a in args)


# Without reentry


_SUPPRESSED = (
    "torch.utils.checkpoint: the forward context provided by "
    "context_fn suppressed an exception raised during the "
    "checkpointed forward. This is not supported because checkpoint "
    "cannot return a value for a failed forward."
)


def _without_reentry(
    function, args, kwargs, preserve_rng_state, context_fn, determinism_check, debug, early_stop
):
    log = _debug.over(debug)
    if log and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in METADATA_OF:
        raise ValueError(
            f"determinism_check should be one of {list(METADATA_OF)}, but got {determinism_check}"
        )
    forward_context, recompute_context = context_fn()
    state = rg.get_rng_state() if preserve_rng_state else None
    autocast, device = autocast_settings(), rg.get_default_device()

    def rerun(*args):
        with random_state(state), rg.autocast("cpu", **autocast), recompute_context, device:
            function(*args, **kwargs)

    if not rg.is_grad_enabled():
        return function(*args, **kwargs)
    frame = Frame(rerun, _early_stop.over(early_stop), METADATA_OF[determinism_check], log)
    frame.inputs = Inputs(args)
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        result = function(*args, **kwargs)
        frame.complete = True
    if not frame.complete:
        raise RuntimeError(_SUPPRESSED)
    return result


# What users call


def _reentrant_default(caller: str, words: str) -> bool:
    warnings.warn(
        f"torch.utils.checkpoint{caller}: the use_reentrant parameter should be "
        f"passed explicitly. {words} use_reentrant=False is "
        "recommended, but if you need to preserve the current default "
        "behavior, you can pass use_reentrant=True. Refer to docs for more "
        "details on the differences between the two variants.",
        stacklevel=3,
    )
    return True


def _refuse_unknown(kwargs) -> None:
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


def checkpoint(
    function,
    *args,
    use_reentrant: bool | None = None,
    context_fn=noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs,
):
    """`function(*args, **kwargs)`, whose intermediate values are recomputed in backward.

    use_reentrant      False is recommended: it records the graph, works with autograd.grad,
                       nests, and takes keyword arguments. True records nothing in forward, so
                       that an input must require grad, and works with backward() alone.
    preserve_rng_state recompute from the random state of the first computation (default True)
    context_fn         makes two context managers, for the first and the second computation
    determinism_check  "default" compares shapes, dtypes and devices of what is saved; "none"
    debug              list what was saved, and by which lines, when the two computations differ
    early_stop         stop recomputing as soon as nothing more is needed

    Raises CheckpointError in backward if the second computation differs from the first.

    >>> import retrograd as torch
    >>> from retrograd.utils.checkpoint import checkpoint
    >>> x = torch.ones(3, requires_grad=True)
    >>> checkpoint(lambda t: t.sin().exp(), x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([1.2534, 1.2534, 1.2534])
    """
    if use_reentrant is None:
        use_reentrant = _reentrant_default(
            "",
            "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
            "exception.",
        )
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return _without_reentry(
            function,
            args,
            kwargs,
            preserve_rng_state,
            context_fn,
            determinism_check,
            debug,
            early_stop,
        )
    _refuse_unknown(kwargs)
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
        )
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def checkpoint_sequential(functions, segments: int, input, use_reentrant=None, **kwargs):
    """Run `functions` one after another in `segments` pieces, all but the last checkpointed.

    `functions` is an `nn.Sequential` or a list of callables of one tensor; the other
    arguments are those of `checkpoint`.

    >>> import retrograd as torch
    >>> from retrograd.utils.checkpoint import checkpoint_sequential
    >>> x = torch.ones(2, requires_grad=True)
    >>> y = checkpoint_sequential([torch.exp, torch.sin, torch.sum], 2, x, use_reentrant=False)
    >>> y.backward(); x.grad
    tensor([-2.4784, -2.4784])
    """
    if use_reentrant is None:
        use_reentrant = _reentrant_default(
            ".checkpoint_sequential",
            "In version 2.9 we will raise an exception if use_reentrant is not passed.",
        )
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    _refuse_unknown(kwargs)
    if isinstance(functions, rg.nn.Sequential):
        functions = list(functions.children())

    def chain(part):
        def run(x):
            for function in part:
                x = function(x)
            return x

        return run

    size, done = len(functions) // segments, 0
    for start in range(0, size * (segments - 1), size):
        done = start + size
        input = checkpoint(
            chain(functions[start:done]),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
    return chain(functions[done:])(input)
