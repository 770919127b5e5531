"""The second run of a checkpointed function whose graph was recorded as usual.

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
import threading
import traceback
import uuid
import weakref
from collections import defaultdict

import retrograd as rg

from ..autograd import engine
from ..autograd.function import Function
from ..autograd.function_call import call, new_ctx
from ..autograd.graph import saved_tensors_hooks
from ..ops.arguments import Signal


class CheckpointError(RuntimeError):
    """What is raised when a recomputation differs from the first computation.

    >>> import retrograd as torch
    >>> checkpointing = torch.utils.checkpoint
    >>> sizes = iter([2, 3])
    >>> def changing(x):                      # computes something else the second time
    ...     return (x * torch.ones(next(sizes))).exp()
    >>> x = torch.ones(1, requires_grad=True)
    >>> y = checkpointing.checkpoint(changing, x, use_reentrant=False)
    >>> try:
    ...     y.sum().backward()
    ... except checkpointing.CheckpointError as error:
    ...     print(str(error).splitlines()[0][:49])
    torch.utils.checkpoint: Recomputed values for the
    """


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
def random_state(state):
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


def autocast_settings() -> dict:
    """The arguments of the autocast that is on, or of none."""
    return {
        "enabled": rg.is_autocast_enabled("cpu"),
        "dtype": rg.get_autocast_dtype("cpu"),
        "cache_enabled": rg.is_autocast_cache_enabled(),
    }


class _Slot:
    """Stands for a saved tensor: its values by backward pass, None once taken."""

    def __init__(self):
        self.values = {}


class _StopRecomputationError(Signal):
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


class Inputs:
    """The arguments of the function, its tensors saved in a node of their own."""

    def __init__(self, args):
        self.args = [None if isinstance(a, rg.Tensor) else a for a in args]
        self.positions = [i for i, a in enumerate(args) if isinstance(a, rg.Tensor)]
        anchor = rg.empty(0, requires_grad=True)
        # Not by `apply`: what vmap, jvp or a dual level does to the inputs is kept with them.
        kept = (anchor, *(args[i] for i in self.positions))
        self.node = call(new_ctx(_KeepInputs), kept, False).grad_fn

    def get(self) -> list:
        args = list(self.args)
        for i, tensor in zip(self.positions, self.node.saved_tensors, strict=True):
            args[i] = tensor
        return args


def _metadata(x) -> dict:
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


METADATA_OF = {"default": _metadata, "none": lambda x: None}


class Frame:
    """One run of a checkpointed function."""

    def __init__(self, rerun, early_stop: bool, metadata, log: bool):
        self.rerun = rerun
        self.early_stop = early_stop
        self.metadata = metadata
        self.inputs: Inputs | None = None
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
