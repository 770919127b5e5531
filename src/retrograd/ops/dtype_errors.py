"""PyTorch's words for an operator that a dtype does not have; asked for only after a failure."""

from __future__ import annotations

BOOLEAN = {
    "sub": "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
           "`logical_xor()` operator instead.",
    "neg": "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
           "invert a mask, use the `~` or `logical_not()` operator instead.",
}
_ROUNDINGS = ("floor", "ceil", "trunc")
COMPLEX = {
    **{name: f"{name} is not supported for complex inputs" for name in _ROUNDINGS},
    "sign": "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
            "torch.sgn instead.",
    "clamp_numbers": "clamp is not supported for complex types",
    "clamp_min_number": "clamp is not supported for complex types",
    "clamp_max_number": "clamp is not supported for complex types",
}
COMPLEX_AT_RUN_TIME = {            # RuntimeErrors in PyTorch
    **{name: f"{name} not implemented for complex tensors."
       for name in ("maximum", "minimum", "fmax", "fmin")},
    "heaviside": "heaviside is not yet implemented for complex tensors.",
    "deg2rad": "deg2rad is not supported for complex tensors.",
    "rad2deg": "rad2deg is not supported for complex tensors.",
    "max_dim": "max(): does not support complex input",
    "min_dim": "min(): does not support complex input",
}
KERNELS = {"amax": "max_values_cpu", "amin": "min_values_cpu", "round_decimals": "round_cpu",
           "round": "round_vml_cpu", **{name: f"{name}_vml_cpu" for name in _ROUNDINGS}}
# The kinds of numbers that an operator refuses, though NumPy has an answer for them.
UNORDERED = {
    **dict.fromkeys(("lt", "le", "gt", "ge", "sign", "logit", "amax", "amin", "aminmax", "xlogy",
                     "round_decimals", *COMPLEX, *COMPLEX_AT_RUN_TIME), "c"),
    **dict.fromkeys(("round", *_ROUNDINGS), "cb"),
}
# Operators whose second operand must be a tensor: a number is refused.
TENSORS_ONLY = frozenset((
    "maximum", "minimum", "fmax", "fmin", "hypot", "atan2", "gcd", "lcm", "logaddexp",
    "logaddexp2", "nextafter", "heaviside", "igamma", "igammac", "logical_and", "logical_or",
    "logical_xor"))
# Operators that write their answer, true or false, into tensors of any dtype.
PREDICATES = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
                        "logical_xor", "logical_not"))
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
    if dtype.is_complex and op.name in COMPLEX_AT_RUN_TIME:
        return RuntimeError(COMPLEX_AT_RUN_TIME[op.name])
    if dtype.is_complex and op.name in COMPLEX:
        return NotImplementedError(COMPLEX[op.name])
    name = "Bool" if dtype.name == "bool" else dtype.tensor_name
    kernel = KERNELS.get(op.name, f"{op.name}_cpu")
    return NotImplementedError(f'"{kernel}" not implemented for \'{name}\'')
