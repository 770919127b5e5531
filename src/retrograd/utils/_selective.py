"""Selective checkpointing: some operators' results are kept, the others are computed again.

Both runs of the function count the calls of each operator, so that a kept result finds its call in
the second run (see NOTE [calls] in ops/calls.py).
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .._ops import HigherOrderOperator, OpOverload, OpOverloadPacket, packet
from .._tensor import Tensor
from ..ops import calls


class CheckpointPolicy(enum.Enum):
    """What to do with an operator's output in selective checkpointing.

    MUST_SAVE and PREFER_SAVE keep it; all others compute it again. (PREFER is for compilers, and
    there is no other device to offload to.)

    >>> import retrograd as torch
    >>> from retrograd.utils.checkpoint import CheckpointPolicy
    >>> CheckpointPolicy.MUST_SAVE.name, len(CheckpointPolicy)
    ('MUST_SAVE', 6)
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


SAVED = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, True)
SAC_IGNORED_OPS = {packet("aten", "detach").default, packet("prim", "device").default}


class SelectiveCheckpointContext:
    """The first argument of a policy function; the operator and its arguments follow.

    is_recompute  False: policies are asked in the first run alone
    op_output     what the operator has just returned
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class _Kept:
    """A tensor that an operator returned, without its graph, and the version it had."""

    def __init__(self, tensor: Tensor) -> None:
        self.val = tensor.detach()
        self.version = tensor._version

    def get(self, may_be_changed: bool) -> Tensor:
        if self.val._version != self.version and not may_be_changed:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been "
                               "mutated")
        return self.val


_RECOMPUTED, _TAKEN = object(), object()        # what storage holds in place of a kept result


class _Counting(calls.Mode):
    """Numbers the calls of each operator in a run."""

    def __init__(self, storage: dict) -> None:
        self.storage = storage                        # operator -> {number of its call: result}
        self.counts: dict = defaultdict(int)

    def __enter__(self) -> _Counting:
        self.counts.clear()
        super().__enter__()
        return self

    def number(self, call: calls.Call) -> int:
        self.counts[call.overload] += 1
        return self.counts[call.overload] - 1


class _CachingTorchDispatchMode(_Counting):
    """The first run: asks the policy about each result, and keeps it or not."""

    def __init__(self, policy_fn: Callable, storage: dict) -> None:
        super().__init__(storage)
        self.policy_fn = policy_fn

    def called(self, call: calls.Call) -> Any:
        number = self.number(call)
        self.storage[call.overload][number] = _RECOMPUTED       # also if the operator refuses
        out = call.run()
        policy = self.policy_fn(SelectiveCheckpointContext(is_recompute=False, op_output=out),
                                call.overload, *call.args, **call.kwargs)
        if policy in SAVED and call.repeatable and out is not NotImplemented:
            self.storage[call.overload][number] = _each(_Kept, out)
        return out


class _CachedTorchDispatchMode(_Counting):
    """The second run: puts kept results in place of calls."""

    def __init__(self, policy_fn: None, storage: dict,
                 allow_cache_entry_mutation: bool = False) -> None:
        super().__init__(storage)
        self.may_be_changed = allow_cache_entry_mutation

    def called(self, call: calls.Call) -> Any:
        number, kept = self.number(call), self.storage.get(call.overload)
        if kept is None or number not in kept:
            which = "" if kept is None else f" invocation index {number}"
            raise RuntimeError(
                f"{call.overload}{which} encountered during backward but not found in storage. "
                "This can happen if the operations in the checkpointed region are nondeterministic "
                "or depend on global state that changed between forward and backward.")
        found = kept[number]
        if found is _TAKEN:
            raise RuntimeError("Trying to backward an extra time. You are only allowed to backward "
                               "once on any region computed under selective activation checkpoint.")
        if found is _RECOMPUTED:
            return call.run()
        kept[number] = _TAKEN
        return call.with_result(_each(lambda x: x.get(self.may_be_changed), found))


def _each(do: Callable, out: Any) -> Any:
    """`do` of a result or of each part of it; what is neither Tensor nor kept stays."""
    if isinstance(out, tuple):
        return tuple(_each(do, part) for part in out)
    return do(out) if isinstance(out, (Tensor, _Kept)) else out


def create_selective_checkpoint_contexts(policy_fn_or_list: Any,
                                         allow_cache_entry_mutation: bool = False) -> tuple:
    """What a `context_fn` of `checkpoint` returns to keep some operators' results.

    policy_fn_or_list           the operators to keep, as torch.ops.aten.mm.default, or a function
                                `(ctx, op, *args, **kwargs)` that says what to do with a call:
                                a CheckpointPolicy, or True to keep its result
    allow_cache_entry_mutation  take a kept result also if it was written to since

    Operators are those of the graph: a Linear is `addmm`. Views, writes in place and random
    numbers are run again in any case. Raises ValueError or TypeError for other arguments; backward
    raises RuntimeError if a kept result has changed, or for a second time.

    >>> import functools
    >>> import retrograd as torch
    >>> from retrograd.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> w = torch.eye(2, requires_grad=True)
    >>> keep = functools.partial(create_selective_checkpoint_contexts,
    ...                          [torch.ops.aten.mm.default])
    >>> checkpoint(lambda x: (x @ x).exp(), w, use_reentrant=False,
    ...            context_fn=keep).sum().backward()
    >>> w.grad
    tensor([[5.4366, 2.0000],
            [2.0000, 5.4366]])
    """
    if isinstance(policy_fn_or_list, list):
        policy = _listed(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict = defaultdict(dict)
    return (_CachingTorchDispatchMode(policy, storage),
            _CachedTorchDispatchMode(None, storage, allow_cache_entry_mutation))


def _listed(operators: list) -> Callable:
    """The policy that keeps what these operators return."""
    for op in operators:
        if not isinstance(op, (OpOverload, HigherOrderOperator)):
            more = ("Please update the OpOverloadPacket to a specific OpOverload.For example, if "
                    "you have `torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                    if isinstance(op, OpOverloadPacket) else "")
            raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type "
                             f"{type(op)}. {more}")
    return lambda ctx, op, *args, **kwargs: op in operators
