"""PyTorch's words for an operator that a dtype does not have; asked for only after a failure."""

from __future__ import annotations

BOOLEAN = {
    "sub": "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
           "`logical_xor()` operator instead.",
    "neg": "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
           "invert a mask, use the `~` or `logical_not()` operator instead.",
}
SUBTRACTIONS = ("sub", "sub_scaled", "rsub", "rsub_scaled", "rsub_tensor", "rsub_tensor_scaled",
                "dist")
BOOLEAN |= dict.fromkeys(SUBTRACTIONS, BOOLEAN["sub"])
_ROUNDINGS = ("floor", "ceil", "trunc")
COMPLEX = {
    **{name: f"{name} is not supported for complex inputs" for name in _ROUNDINGS},
    "sign": "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
            "torch.sgn instead.",
    "signbit": "signbit is not implemented for complex tensors.",
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
KERNELS = {"clamp_min_tensor": "maximum_cpu", "clamp_max_tensor": "minimum_cpu",
           "clamp_low": "maximum_cpu", "clamp_high": "minimum_cpu", "clamp_between": "clamp_cpu",
           "amax": "max_values_cpu", "amin": "min_values_cpu", "round_decimals": "round_cpu",
           "floor_divide": "div_floor_cpu", "bitwise_left_shift": "lshift_cpu",
           "bitwise_right_shift": "rshift_cpu", "pow": "pow", "pow_scalar": "pow",
           "digamma": "digamma", "copysign_number": "copysign_cpu",
           "addcmul": "addcmul_cpu_out",
           "remainder_scalar": "remainder_cpu", "fmod_scalar": "fmod_cpu",
           **{name: f"{name}_vml_cpu" for name in ("round", *_ROUNDINGS, "erf", "erfc", "erfinv",
                                                   "lgamma", "i0")}}
# The dtypes, by their characters, that PyTorch refuses though the kernel here can compute them.
BOOL, INTEGERS, HALF, COMPLEX_NUMBERS = "?", "bhilqBHILQ", "eE", "FD"
_NOT_FLOATING = BOOL + INTEGERS + COMPLEX_NUMBERS
_POLYNOMIALS = [f"{family}_polynomial_{kind}" for family, kinds in
                (("chebyshev", "tuvw"), ("shifted_chebyshev", "tuvw"), ("hermite", ("h", "he")),
                 ("laguerre", "l"), ("legendre", "p")) for kind in kinds]
REFUSED = {
    **dict.fromkeys(("lt", "le", "gt", "ge", "sign", "logit", "amax", "amin", "aminmax", "xlogy",
                     "clamp_min_tensor", "clamp_max_tensor", "clamp_low", "clamp_high",
                     "i0e", "i1", "i1e", "entr", "xlog1py", *COMPLEX, *COMPLEX_AT_RUN_TIME),
                    COMPLEX_NUMBERS),
    **dict.fromkeys(("round", "clamp_between", *_ROUNDINGS), COMPLEX_NUMBERS + BOOL),
    **dict.fromkeys(("hypot", "nextafter"), BOOL + INTEGERS),
    **dict.fromkeys(("igamma", "igammac", "round_decimals"), _NOT_FLOATING),
    **dict.fromkeys(("addcmul", "bitwise_left_shift", "bitwise_right_shift"), BOOL),
    **dict.fromkeys(
        ("airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "erfcx", "log_ndtr",
         "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1",
         "ndtri", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0",
         "zeta", *_POLYNOMIALS), HALF + COMPLEX_NUMBERS),
    "polar": HALF,
}
# Operators whose second operand must be a tensor: a number is refused.
TENSORS_ONLY = frozenset((
    "maximum", "minimum", "fmax", "fmin", "hypot", "atan2", "gcd", "lcm", "logaddexp",
    "logaddexp2", "nextafter", "heaviside", "ldexp", "igamma", "igammac", "logical_and",
    "logical_or", "logical_xor", "addcmul", "addcdiv"))
# Operators whose first operand may not be a number, and those where one of the two may.
TENSOR_FIRST = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "copysign", "fmod", "rsub"))
ONE_TENSOR = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
                        "bitwise_right_shift", "xlogy"))
# Operators that write their answer, true or false, into tensors of any dtype.
PREDICATES = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
                        "logical_xor", "logical_not"))


def _check_subtraction(tensors):
    """Raise if one of the operands of a subtraction is a bool tensor."""
    bools = [t._data.dtype.kind == "b" for t in tensors]
    if all(bools):
        raise RuntimeError(BOOLEAN["sub"])
    if any(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead.")


def _check_one_dtype(tensors):
    if any(t._data.dtype != tensors[0]._data.dtype for t in tensors):
        if any(t._data.dtype.kind == "c" for t in tensors):
            raise RuntimeError(COMPLEX_AT_RUN_TIME["heaviside"])
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


def _check_exponents(tensors):
    """Raise for a floating-point number times two to the power of a bool."""
    number, exponent = (t._data.dtype for t in tensors)
    if number.kind in "fV" and exponent.kind == "b":
        raise NotImplementedError('"ldexp_cpu_exp" not implemented for \'Bool\'')


# Operators that refuse some pairs of dtypes before these are promoted.
BEFORE_PROMOTION = {**dict.fromkeys(SUBTRACTIONS, _check_subtraction),
                    "heaviside": _check_one_dtype, "ldexp": _check_exponents}


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
