"""PyTorch's words for an operator that a dtype does not have; asked for only after a failure."""

from __future__ import annotations

BOOLEAN = {
    "sub": "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
           "`logical_xor()` operator instead.",
    "neg": "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
           "invert a mask, use the `~` or `logical_not()` operator instead.",
}
BOOLEAN["sub_scaled"] = BOOLEAN["sub"]
SUBTRACTIONS = ("sub", "sub_scaled", "rsub")


def check_subtraction(tensors):
    """Raise if one of the operands of a subtraction is a bool tensor."""
    if any(t._data.dtype.kind == "b" for t in tensors):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead.")



def explain(op, dtype):
    """The error for calling `op` on elements of `dtype`."""
    if dtype.name == "bool" and op.name in BOOLEAN:
        return RuntimeError(BOOLEAN[op.name])
    name = "Bool" if dtype.name == "bool" else dtype.tensor_name
    return NotImplementedError(f'"{op.name}_cpu" not implemented for \'{name}\'')
