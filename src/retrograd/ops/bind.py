"""Puts operators into Tensor's namespace and the package's, building each at its first use."""

from __future__ import annotations

from importlib import import_module

from .._tensor import Tensor
from .declare import REGISTRY
from .public import FUNCTIONS, METHODS

FAMILIES = (          # one a line
    "pointwise",
    "reduce",
    "shape",
    "join",
    "convert",
    "indexing",
    "matmul",
    "random",
)
CREATION = ("_creation", "_random")

# Names that live in a module of their own and are looked up there when first used.
ELSEWHERE = {
    "save": "serialization", "load": "serialization",
    "compile": "compiler", "install": "_install", "uninstall": "_install",
    "set_warn_always": "_tensor", "is_warn_always_enabled": "_tensor",
    "set_printoptions": "_tensor_str", "get_printoptions": "_tensor_str",
    "printoptions": "_tensor_str",
    **dict.fromkeys(("Generator", "default_generator", "manual_seed", "seed", "initial_seed",
                     "get_rng_state", "set_rng_state"), "random"),
}

OPERATORS = {     # x + y and the like: (declared operator, or a function of `method names`)
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul",
    "__truediv__": "div", "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le",
    "__gt__": "gt", "__ge__": "ge", "__rsub__": "rsub",
}


def methods() -> None:
    """Load the families and give Tensor their methods."""
    for family in FAMILIES:
        import_module(f"retrograd.ops.{family}")
    for module in CREATION:
        import_module(f"retrograd.{module}")
    for name, fn in METHODS.items():
        setattr(Tensor, name, fn)
    for op in REGISTRY.values():
        if op.public and op.name not in METHODS:
            setattr(Tensor, op.name, _at_first_call(op, op.name, op.name))
        if op.inplace and op.name + "_" not in METHODS:
            setattr(Tensor, op.name + "_", _at_first_call(op, op.name + "_", op.name + "_"))
    for family in ("shape", "convert"):
        for name, get in import_module(f"retrograd.ops.{family}").PROPERTIES.items():
            setattr(Tensor, name, property(get))
    for dunder, name in OPERATORS.items():
        setattr(Tensor, dunder, _at_first_call(REGISTRY[name], dunder, "dunder"))


def _at_first_call(op, attribute, key):
    """A stand-in that builds the operator and puts it in its own place."""
    def first(*args, **kwargs):
        fn = op.build()[key]
        setattr(Tensor, attribute, fn)
        return fn(*args, **kwargs)
    first.__name__ = first.__qualname__ = attribute
    return first


def function(name):
    """The public function torch.<name>, or None."""
    found = FUNCTIONS.get(name)
    if found is None:
        op = REGISTRY.get(name)
        if op is not None and op.public:
            return op.fn
        op = REGISTRY.get(name[:-1]) if name.endswith("_") else None
        if op is not None and op.public and op.inplace:
            return op.in_place
    return found


def function_names():
    """Every public function's name."""
    return {*FUNCTIONS, *(op.name for op in REGISTRY.values() if op.public)}


def elsewhere(name):
    """A name of the package that another module defines, or None."""
    module = ELSEWHERE.get(name)
    return None if module is None else getattr(import_module(f"retrograd.{module}"), name)
