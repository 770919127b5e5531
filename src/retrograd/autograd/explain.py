"""The long error texts of autograd, built only when something has failed."""

from __future__ import annotations

from .. import _dtype


def type_name(array) -> str:
    """PyTorch's name of a tensor type: torch.FloatTensor."""
    return f"torch.{_dtype.of(array).tensor_name}Tensor"


def _who(cell) -> str:
    if cell[1] is None:
        return ""
    operator, code, offset = cell[1]
    line = next((n for start, end, n in code.co_lines() if start <= offset < end), None)
    return f"{operator} at {code.co_filename}:{line}"


def modified_in_place(node, name, tensor, expected) -> RuntimeError:
    """The error for a saved tensor whose version moved on between forward and backward."""
    producer, origin = tensor.grad_fn, ""
    if producer is node and node._shown_as is not None:      # it wrote through a view
        producer = node._shown_as() or node
    if producer is not None:
        origin = f", which is output {tensor.output_nr} of {producer.short_name()},"
    shape = list(tensor._data.shape)
    text = ("one of the variables needed for gradient computation has been modified by an inplace "
            f"operation: [{type_name(tensor._data)} {shape}]{origin} is at version "
            f"{tensor._cell[0]}; expected version {expected} instead. Hint: enable anomaly "
            "detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")
    text += f"\n\n{node.name()} saved {name!r} for its gradient"
    who = _who(tensor._cell)
    text += f"; the last write to it was {who}." if who else "."
    return RuntimeError(text)
