"""How losses are reduced: the names, their numbers in operators, and the two old arguments."""
from __future__ import annotations

import warnings

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction):
    """0, 1, 2 for 'none', 'mean', 'sum'; ValueError for anything else."""
    number = _NUMBERS.get(reduction) if isinstance(reduction, str) else None
    if number is not None:
        return number
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' "
                      "instead.", stacklevel=3)
        return 1
    raise ValueError(f"{reduction} is not a valid value for reduction")


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that the old pair of arguments asks for."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    if not reduce:
        name = "none"
    else:
        name = "mean" if size_average else "sum"
    if emit_warning:
        warnings.warn("size_average and reduce args will be deprecated, please use "
                      f"reduction='{name}' instead.", stacklevel=4)
    return name


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """As legacy_get_string, as a number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))


def resolve(reduction, size_average, reduce):
    """The name to use when a loss is given both the new argument and the old ones."""
    if size_average is not None or reduce is not None:
        return legacy_get_string(size_average, reduce)
    return reduction
