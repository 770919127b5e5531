"""Checkpointing: keep a function's inputs instead of its intermediate values, and run it again.

The memory of the forward pass is traded for a second computation (Chen et al. 2016, "Training
deep nets with sublinear memory cost"). `checkpoint(..., use_reentrant=False)` records the graph
as usual and recomputes what it would have saved; `use_reentrant=True` records nothing and runs
forward and backward of the function inside backward.

NOTE [recomputation]
    While the function runs, each tensor that a node wants to save is replaced by an empty
    `_Slot`. The first slot that backward asks for runs the function again: the n-th tensor saved
    this time fills the n-th slot. A value leaves its slot when it is taken, so recomputed
    tensors live no longer than they are needed, with retain_graph=True too. Slots are filled
    once for each backward pass ("task"), so that a second pass recomputes again. The frame knows
    its slots weakly: those of a part of the graph that is gone are not filled.

    Nested checkpoints follow from that: the inner function's inputs are saved like any tensor,
    so they are slots of the outer checkpoint, and asking for them recomputes the outer function
    up to that point.
"""

from __future__ import annotations

import contextlib
import enum
import threading
import traceback
import uuid
import warnings
import weakref
from collections import defaultdict

import retrograd as rg

from ..autograd import engine
from ..autograd.function import Function
from ..autograd.graph import saved_tensors_hooks

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "GraphExecGroup",
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


class CheckpointError(RuntimeError):
    """What is raised when a recomputation differs from the first computation."""


_TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\N{NON-BREAKING HYPHEN}debug mode globally.
"""

_DEBUG = """ \
An error happened while unpacking tensors; dumping logs of latest computation
because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.

Tensors saved during the original forward, and the lines that saved them:

{first}
Tensors saved during recomputation, and the lines that saved them:

{again}
 ERROR: Detected non-determinism while running activation checkpointing

 You are seeing this error because you passed `debug=True` to checkpoint and
 tensors to be saved during the original forward and differ between those saved
 during recomputation. This can happen if different operators were ran in the
 original forward and in the recomputation.

 To find where they part, compare the two lists above from the top."""


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
    """Override ``debug`` of the checkpoints made in this block; None leaves it to them."""
    return _debug.set(enabled)


def set_checkpoint_early_stop(enable: bool):
    """Override ``early_stop`` of the checkpoints made in this block."""
    return _early_stop.set(enable)


class DefaultDeviceType:
    """The device whose random state is kept besides the CPU's; here there is none."""

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
    """Devices other than the CPU among ``args``, and their random states: none."""
    return [], []


def set_device_states(devices, states, *, device_type: str | None = None) -> None:
    """Restore what ``get_device_states`` returned."""
    if devices:
        raise NotImplementedError("set_device_states: retrograd has no devices besides the CPU")


def noop_context_fn():
    """Two contexts that do nothing: the default ``context_fn``."""
    return contextlib.nullcontext(), contextlib.nullcontext()


class GraphExecGroup:
    """Backward passes in this block share one recomputation of each checkpoint they meet.

    They must not need the same saved tensor twice. Blocks cannot be nested.
    """

    _current = threading.local()

    def __enter__(self) -> GraphExecGroup:
        current = self._get_current_group()
        if current is not None:
            raise RuntimeError(
                f"GraphExecGroup contexts cannot be nested. Already inside group {current}"
            )
        self._current.group = self
        return self

    def __exit__(self, *exc_info) -> None:
        self._current.group = None

    @classmethod
    def _get_current_group(cls) -> GraphExecGroup | None:
        return getattr(cls._current, "group", None)


@contextlib.contextmanager
def _random_state(state):
    """Run the block from a kept random state (None: the present one), then restore."""
    if state is None:
        yield
        return
    before = rg.get_rng_state()
    rg.set_rng_state(state)
    try:
        yield
    finally:
        rg.set_rng_state(before)


def _autocast_settings() -> dict:
    """The arguments of the autocast that is on, or of none."""
    return {
        "enabled": rg.is_autocast_enabled("cpu"),
        "dtype": rg.get_autocast_dtype("cpu"),
        "cache_enabled": rg.is_autocast_cache_enabled(),
    }


# Without reentry, see NOTE [recomputation]


class _Slot:
    """Stands for a saved tensor: its values by backward pass, None once taken."""

    def __init__(self):
        self.values = {}


class _StopRecomputationError(Exception):
    """Every slot is filled: the rest of the function need not run."""


class _KeepInputs(Function):
    """A node that saves the inputs of a checkpoint as any node saves tensors."""

    @staticmethod
    def forward(ctx, anchor, *tensors):
        ctx.save_for_backward(*tensors)
        return anchor.new_empty(0)

    @staticmethod
    def backward(ctx, *grads):
        raise AssertionError("a checkpoint's inputs are not part of its graph")


class _Inputs:
    """The arguments of the function, its tensors saved in a node of their own."""

    def __init__(self, args):
        self.args = [None if isinstance(a, rg.Tensor) else a for a in args]
        self.positions = [i for i, a in enumerate(args) if isinstance(a, rg.Tensor)]
        anchor = rg.empty(0, requires_grad=True)
        self.node = _KeepInputs.apply(anchor, *(args[i] for i in self.positions)).grad_fn

    def get(self) -> list:
        args = list(self.args)
        for i, tensor in zip(self.positions, self.node.saved_tensors, strict=True):
            args[i] = tensor
        return args


def _metadata(x) -> dict:
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


_CHECKS = {"default": _metadata, "none": lambda x: None}


class _Frame:
    """One run of a checkpointed function."""

    def __init__(self, rerun, early_stop: bool, metadata, log: bool):
        self.rerun = rerun
        self.early_stop = early_stop
        self.metadata = metadata
        self.inputs: _Inputs | None = None
        self.slots: list[weakref.ref] = []
        self.seen = []  # metadata of each tensor saved in forward
        self.counts = defaultdict(int)  # tensors saved so far in a task's recomputation
        self.recomputed = set()
        self.complete = False
        self.partial = False  # recomputed before forward was complete: counts may differ
        self.logs = ([], []) if log else None

    def note(self, which: int, x) -> None:
        if self.logs is not None:
            frames = [f for f in traceback.extract_stack() if "retrograd" not in f.filename]
            where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "<unknown>"
            self.logs[which].append(f"{tuple(x.shape)} {x.dtype}  {where}\n")

    # In the original forward

    def pack(self, x) -> _Slot:
        slot = _Slot()
        self.slots.append(weakref.ref(slot))
        self.note(0, x)
        with rg.no_grad():
            self.seen.append(self.metadata(x))
        return slot

    def unpack(self, slot: _Slot):
        task = _current_task()
        try:
            if task not in self.recomputed:
                self.recompute(task)
            return self.take(slot, task)
        except CheckpointError as error:
            if self.logs is None:
                raise
            first, again = ("".join(log) for log in self.logs)
            raise CheckpointError(_DEBUG.format(first=first, again=again)) from error

    def take(self, slot: _Slot, task):
        if slot.values.get(task) is None:
            extra = ""
            if GraphExecGroup._get_current_group() is not None:
                extra = (
                    "Performing two backward calls that overlap (i.e. require the same "
                    "saved activation in order to compute gradients) is not allowed while "
                    "under the torch.utils.checkpoint.GraphExecGroup context. "
                )
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                f"unpacked once. {extra}If you are calling ctx.saved_tensors in backward, make "
                "sure to do so only once. Otherwise please open an issue with details on your "
                "use case."
            )
        value, slot.values[task] = slot.values[task], None
        return value

    # In a recomputation

    def recompute(self, task) -> None:
        args = self.inputs.get()
        hooks = saved_tensors_hooks(lambda x: self.repack(x, task), lambda x: x)
        try:
            with hooks, rg.enable_grad():
                self.rerun(*args)
        except _StopRecomputationError:
            pass
        self.recomputed.add(task)
        if not self.partial:
            self.check(task)

    def repack(self, x, task):
        x = x.detach() if x.requires_grad else x
        index = self.counts[task]
        self.counts[task] += 1
        self.note(1, x)
        if index >= len(self.slots):
            if self.complete:
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during "
                    f"recomputation than during the original forward pass.\n{_TIP}"
                )
            self.partial = True
            return x
        slot = self.slots[index]()
        if slot is not None:
            slot.values[task] = x
        if self.early_stop and self.counts[task] == len(self.slots):
            raise _StopRecomputationError
        return x  # the recomputed graph may be differentiated too, inside the function

    def check(self, task) -> None:
        """Raise unless the recomputation saved as many tensors, of the same kinds."""
        if len(self.slots) != self.counts[task]:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved "
                "during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.slots)}\n"
                f"Number of tensors saved during recomputation: {self.counts[task]}.\n"
                f"{_TIP}"
            )
        differences = ""
        for i, (ref, first) in enumerate(zip(self.slots, self.seen, strict=True)):
            slot = ref()
            if slot is not None:
                again = self.metadata(slot.values[task])
                if first != again:
                    differences += (
                        f"tensor at position {i}:\nsaved metadata: {first}\n"
                        f"recomputed metadata: {again}\n"
                    )
        if differences:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors "
                f"have different metadata than during the forward pass.\n{differences}.\n{_TIP}"
            )


def _current_task():
    group = GraphExecGroup._get_current_group()
    if group is not None:
        return group
    task = engine.current_task()
    return uuid.uuid4() if task is None else task.number  # unpacked outside of any backward pass


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
    if determinism_check not in _CHECKS:
        raise ValueError(
            f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}"
        )
    forward_context, recompute_context = context_fn()
    state = rg.get_rng_state() if preserve_rng_state else None
    autocast = _autocast_settings()

    def rerun(*args):
        with _random_state(state), rg.autocast("cpu", **autocast), recompute_context:
            function(*args, **kwargs)

    if not rg.is_grad_enabled():
        return function(*args, **kwargs)
    frame = _Frame(rerun, _early_stop.over(early_stop), _CHECKS[determinism_check], log)
    frame.inputs = _Inputs(args)
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        result = function(*args, **kwargs)
        frame.complete = True
    if not frame.complete:
        raise RuntimeError(_SUPPRESSED)
    return result


# With reentry


def detach_variable(inputs) -> tuple:
    """Detached copies of the tensors of a tuple that require grad as the originals do."""
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
    """Warn if no tensor among ``inputs`` requires grad."""
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
        ctx.autocast = _autocast_settings()
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
        with _random_state(ctx.rng_state):
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
    """``function(*args, **kwargs)``, whose intermediate values are recomputed in backward.

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
    """Run ``functions`` one after another in ``segments`` pieces, all but the last checkpointed.

    ``functions`` is an ``nn.Sequential`` or a list of callables of one tensor; the other
    arguments are those of ``checkpoint``.
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


# Selective checkpointing


class CheckpointPolicy(enum.Enum):
    """What to do with an operator's output in selective checkpointing."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """What a policy function is told besides the operator and its arguments."""

    def __init__(self, *, is_recompute: bool, op_output=None):
        self.is_recompute = is_recompute
        self.op_output = op_output


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """Contexts for ``context_fn`` that save some operators' outputs: not available."""
    raise NotImplementedError(
        "create_selective_checkpoint_contexts: retrograd does not dispatch operators through "
        "modes; checkpoint smaller functions instead"
    )
