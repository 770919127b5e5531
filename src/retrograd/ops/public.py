"""The table of public functions and methods; `retrograd/__init__.py` reads it.

A function written by hand (argument parsing before declared operators) is entered with @public.
Declared operators with public=True enter themselves by being in the REGISTRY.
"""

from __future__ import annotations

from functools import wraps

from .._torch_function import meets_a_foreign_class

FUNCTIONS: dict[str, object] = {}     # torch.<name>
METHODS: dict[str, object] = {}       # Tensor.<name>
ALIASES: dict[str, str] = {}          # another name -> the name of a declared operator
NATIVE: dict[str, object] = {}        # what nn.functional builds on, not in torch's namespace


def public(fn=None, *, name=None, method=True, function=True):
    """Make `fn` torch.<name> and, with `method`, Tensor.<name>."""
    def enter(fn):
        key = name or fn.__name__
        fn.__module__ = "torch"
        if name is not None:
            fn.__name__ = fn.__qualname__ = name
        if function:
            FUNCTIONS[key] = fn
        if method:
            METHODS[key] = fn
        return fn
    return enter if fn is None else enter(fn)


def needed(name, argument, value):
    """`value`, or PyTorch's TypeError if it is None: a required argument that has two names."""
    if value is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "{argument}"')
    return value


def numpy_names(fn):
    """Let `fn` also take `axis` for dim and `keepdims` for keepdim, as PyTorch does."""
    @wraps(fn)
    def with_names(*args, **kwargs):
        if kwargs:
            if "axis" in kwargs:
                kwargs["dim"] = kwargs.pop("axis")
            if "keepdims" in kwargs:
                kwargs["keepdim"] = kwargs.pop("keepdims")
        try:
            return fn(*args, **kwargs)
        except (AttributeError, TypeError):
            if meets_a_foreign_class(args):         # which is asked from now on
                return with_names(*args, **kwargs)
            raise
    return with_names


def method(fn=None, *, name=None):
    """Make `fn` a method of Tensor only."""
    return public(fn, name=name, function=False)


def native(fn):
    """Make `fn` known to nn.functional only."""
    NATIVE[fn.__name__] = fn
    return fn


def alias(new: str, old: str) -> None:
    """Enter `new` as another name of `old`, a public function, method or declared operator."""
    found = False
    for table in (FUNCTIONS, METHODS):
        if old in table:
            table[new] = table[old]
            found = True
    if not found:
        ALIASES[new] = old
