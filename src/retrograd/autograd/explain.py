"""The long error texts of autograd, built only when something has failed.

PyTorch's own sentence comes first, to the letter. What follows it, after an empty line, is found in
the frames, the source and the graph by `retrograd.debug`, which is imported only now.
"""

from __future__ import annotations

import threading
from weakref import ref

from .. import _dtype
from .._callers import caller, is_own
from .._tensor import Tensor
from .node import FREED, Node, history
from .unseen import seen

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information.")

NOT_RECORDED = "element {} of tensors does not require grad and does not have a grad_fn"


def with_explanation(sentence: str, topic: str, *facts) -> str:
    """`sentence` and what debug/errors.py has to say on `topic`."""
    try:
        from ..debug import errors, places
        text = getattr(errors, topic)(*facts)
        places.forget_locals()
    except Exception:            # an explanation must never hide the error that it explains
        text = ""
    _last.failure = text, [ref(fact) for fact in facts if isinstance(fact, (Node, Tensor))]
    return f"{sentence}\n\n{text}" if text else sentence


class _Last(threading.local):
    """The last explained failure of a thread: its text, and weakly what it was about."""

    failure: tuple[str, list] = "", []


_last = _Last()


def last_failure(t: Tensor) -> str:
    """The explanation of the last failure, if it was about `t` or a node of its graph; else ""."""
    from ..debug import reading
    text, facts = _last.failure
    alive = [fact for fact in (r() for r in facts) if fact is not None]
    if any(fact is t for fact in alive):
        return text
    nodes = [fact for fact in alive if isinstance(fact, Node)]
    try:
        own = history(t)
    except RuntimeError:         # a view that was left behind by a write to its base
        own = None
    near = own is not None and any(reading.path(own, n) or reading.path(n, own) for n in nodes)
    return text if near else ""


OLDEST = ("Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double")


def type_name(array) -> str:
    """PyTorch's name of a tensor type: torch.FloatTensor, but CPUBoolType."""
    name = _dtype.of(array).tensor_name
    return f"torch.{name}Tensor" if name in OLDEST else f"CPU{name}Type"


def _is_no_number(node, output_nr) -> bool:
    """Whether this output of a node is one without a gradient, as indices are."""
    operator = getattr(node, "operator", None)
    return operator is not None and operator.outputs[output_nr:][:1] in [
        (name,) for name in operator.nondiff]


def modified_in_place(node, name, tensor, expected) -> RuntimeError:
    """The error for a saved tensor whose version moved on between forward and backward."""
    producer, origin = tensor.grad_fn, ""
    if node is not None and producer is node and node._shown_as is not None:  # a write to a view
        producer = node._shown_as() or node
    if producer is not None and not _is_no_number(producer, tensor.output_nr):
        origin = f", which is output {tensor.output_nr} of {producer.short_name()},"
    shape = list(tensor._data.shape)
    text = ("one of the variables needed for gradient computation has been modified by an inplace "
            f"operation: [{type_name(tensor._data)} {shape}]{origin} is at version "
            f"{tensor._version}; expected version {seen(tensor._cell, expected)} instead. Hint: "
            "enable anomaly detection to find the operation that failed to compute its gradient, "
            "with torch.autograd.set_detect_anomaly(True, check_nan=False).")
    return RuntimeError(with_explanation(text, "modified", node, name, tensor))


def detached_since(node, name, tensor, writer) -> RuntimeError:
    """The error for a saved tensor that detach_() has cut off from its history."""
    text = ("Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
            "This is not supported, please use out-of-place `.detach()` instead")
    return RuntimeError(with_explanation(text, "modified", node, name, tensor, writer))


def unseen_write(node, name, tensor, writer) -> str:
    """What to say of a saved tensor that was written to through `.data` alone."""
    what = f"[{type_name(tensor._data)} {list(tensor._data.shape)}]"
    text = (f"a tensor needed for gradient computation was changed through .data: {what}. The "
            "gradient is computed from the new values, not from those that forward saw.")
    return with_explanation(text, "modified", node, name, tensor, writer)


def freed_graph(node) -> RuntimeError:
    """The error for a node whose saved tensors a backward pass has freed."""
    return RuntimeError(with_explanation(FREED, "freed", node))


def not_recorded(t, position) -> RuntimeError:
    """The error for a backward pass from a tensor that has no history."""
    return RuntimeError(with_explanation(NOT_RECORDED.format(position), "not_recorded", t,
                                         position))


_non_leaf_texts: dict[tuple, str] = {}       # by line: asked for again and again in some loops


def non_leaf_grad(t) -> str:
    """The text of the warning for `.grad` of a computed tensor."""
    place = caller()
    text = _non_leaf_texts.get(place)
    if text is None:
        if len(_non_leaf_texts) > 500:
            _non_leaf_texts.clear()
        text = _non_leaf_texts[place] = with_explanation(NON_LEAF_GRAD, "non_leaf", t)
    return text


def add_module(error: Exception, module, args: tuple) -> None:
    """Add to an error of an operator which Module it came from; called by that Module."""
    if error.__class__ not in (RuntimeError, ValueError, IndexError) or len(error.args) != 1:
        return
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    text = error.args[0]
    if is_own(trace.tb_frame.f_code.co_filename) and isinstance(text, str) and "\n\n" not in text:
        error.args = (with_explanation(text, "in_module", module, args, error),)
