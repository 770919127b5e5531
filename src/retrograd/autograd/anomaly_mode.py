"""Anomaly mode: which forward line made the node at which backward failed or returned nan.

While it is on, each new node keeps the stack trace of its creation in `metadata["traceback_"]`, and
in `metadata["parent_"]` the node whose backward (create_graph=True) made it.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
import warnings

from .._state import features, state
from .._tensor import Tensor
from .engine import unwatch, watch_with
from .explain import with_explanation

__all__ = ["detect_anomaly", "set_detect_anomaly"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_RUNNER = _PACKAGE + "_run.py"
_UNKNOWN = (
    ". No forward pass information available. Enable detect anomaly during forward pass for "
    "more information."
)


class _Anomaly:
    enabled = False
    check_nan = True


anomaly, _switching = _Anomaly(), threading.Lock()


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on.

    >>> import retrograd as torch
    >>> with torch.autograd.set_detect_anomaly(False):
    ...     torch.is_anomaly_enabled()
    False
    """
    return anomaly.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode, when on, raises an error for nan in gradients.

    >>> import retrograd as torch
    >>> torch.is_anomaly_check_nan_enabled()
    True
    """
    return anomaly.check_nan


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off, for all threads; TypeError unless both arguments are bool.

    >>> import retrograd as torch
    >>> torch.set_anomaly_enabled(True, check_nan=False)
    >>> torch.is_anomaly_enabled()
    True
    >>> torch.set_anomaly_enabled(False)
    """
    for position, (name, value) in enumerate((("enabled", mode), ("check_nan", check_nan)), 1):
        if not isinstance(value, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, "
                f"not {type(value).__name__}"
            )
    with _switching:
        if mode != anomaly.enabled:
            features.count("recording", 1 if mode else -1)
            (watch_with if mode else unwatch)(run_watched)
        anomaly.enabled, anomaly.check_nan = mode, check_nan


def note(node) -> None:
    """Keep where `node` was made."""
    stack = traceback.extract_stack()
    while stack and stack[-1].filename.startswith((_PACKAGE, "<operator")):
        stack.pop()
    runner = [k for k, frame in enumerate(stack, 1) if frame.filename == _RUNNER]
    del stack[:runner[-1] if runner else 0]                # what `retrograd run` does itself
    node.metadata["traceback_"] = traceback.format_list(stack)
    if state.node is not None:
        node.metadata["parent_"] = state.node


def run_watched(inner, node, g, edges, create):
    """Run a node of a backward pass; tell where it was made if it fails or returns nan."""
    outer, state.node = state.node, node
    try:
        results = inner(node, g, edges, create)
        if anomaly.check_nan:
            _check_nan(node, results)
        return results
    except Exception as error:
        for text in _history(node):
            error.add_note(text)
            try:
                warnings.warn(text, stacklevel=2)
            except Warning as refused:  # warnings are errors: the first error counts
                print(refused, file=sys.stderr)
        raise
    finally:
        state.node = outer


def _check_nan(node, results) -> None:
    for i, x in enumerate(results):
        array = x._data if isinstance(x, Tensor) else x
        array = getattr(array, "values", array)          # what a sparse one lists
        if hasattr(array, "needs_tensors"):
            continue                                     # a wrapper tensor: it has no numbers
        if array is not None and array.dtype.kind in "fcV" and (array != array).any():
            sentence = f"Function '{node.name()}' returned nan values in its {i}th output."
            raise RuntimeError(with_explanation(sentence, "nan_gradient", node, array))


def _history(node) -> list[str]:
    """Where the node was made, and the nodes whose backward made it."""
    stack = node.metadata.get("traceback_")
    if stack is None:
        return [f"Error detected in {node.name()}{_UNKNOWN}"]
    texts = [
        f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
        + "".join(stack)
    ]
    node = node.metadata.get("parent_")
    while node is not None:
        stack, begin = node.metadata.get("traceback_"), "Previous calculation was induced by"
        if stack is None:
            texts.append(f"{begin} {node.name()}{_UNKNOWN}")
        else:
            texts.append(
                f"\n\n{begin} {node.name()}. Traceback of forward call that induced the "
                "previous calculation:\n" + "".join(stack)
            )
        node = node.metadata.get("parent_")
    return texts


class detect_anomaly:
    """In this block, warn which forward line caused an error in backward.

    With `check_nan` a gradient that is nan is an error too.

    >>> import retrograd as torch
    >>> x = torch.zeros((), requires_grad=True)
    >>> try:
    ...     with torch.autograd.set_detect_anomaly(True):
    ...         (x.sqrt() * 0).backward()
    ... except RuntimeError as error:
    ...     print(str(error).splitlines()[0])
    Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True):
        self.prev = anomaly.enabled, anomaly.check_nan
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exc_info) -> None:
        set_anomaly_enabled(*self.prev)


class set_detect_anomaly:
    """Switch anomaly mode on or off, at once; as a context manager, for the block.

    >>> import retrograd as torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    >>> torch.is_anomaly_enabled()
    False
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self.prev = anomaly.enabled, anomaly.check_nan
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc_info) -> None:
        set_anomaly_enabled(*self.prev)
