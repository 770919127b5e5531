"""Errors about a layer's arguments name the layer, not the private class that has its code."""
from __future__ import annotations

from types import FunctionType

# Private classes from which PyTorch's layers, too, inherit these methods (or very similar ones).
ALSO_PYTORCHS = frozenset(
    [f"_{base}.__init__" for base in (
        "AdaptiveAvgPoolNd", "AdaptiveMaxPoolNd", "BatchNorm", "DropoutNd", "InstanceNorm",
        "LPPoolNd", "LazyNormBase", "Loss", "MaxPoolNd", "NormBase", "WeightedLoss")]
    + [f"_{base}.forward" for base in ("BatchNorm", "InstanceNorm", "NormBase", "Pad",
                                       "ConstantPadNd")])


def name_its_own(cls: type) -> None:
    """Give a class its own __init__ and forward where it has those of a private class.

    Python's TypeError for a missing argument says where the method stands: "_Conv.__init__()".
    """
    for name in ("__init__", "forward"):
        home = next((base for base in cls.__mro__ if name in vars(base)), object)
        shared = vars(home).get(name)
        if home.__name__.startswith("_") and isinstance(shared, FunctionType) and (
                shared.__qualname__ not in ALSO_PYTORCHS):
            own = FunctionType(shared.__code__, shared.__globals__, name, shared.__defaults__,
                               shared.__closure__)
            own.__kwdefaults__, own.__doc__ = shared.__kwdefaults__, shared.__doc__
            own.__annotations__, own.__module__ = shared.__annotations__, cls.__module__
            own.__qualname__ = f"{cls.__name__}.{name}"
            setattr(cls, name, own)
