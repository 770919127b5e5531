"""The table of public functions and methods; `retrograd/__init__.py` reads it.

A function written by hand (argument parsing before declared operators) is entered with @public.
Declared operators with public=True enter themselves by being in the REGISTRY.

NOTE [misfits]
    PyTorch checks the types of all arguments before it computes anything. Here a function runs at
    once. Only when it has failed, `misfit` (arguments.py) looks at the call once more and finds
    PyTorch's TypeError, if an argument does not fit. What would not fail, since Python takes True
    for 1 and 1 for True, is looked for before: `refuse`. `reporting` wraps a function in both.
"""

from __future__ import annotations

import math
import sys
from functools import wraps
from inspect import unwrap
from typing import Any

from .._state import state
from .._tensor import Tensor
from .._torch_function import meets_a_foreign_class
from ..autograd.views import check_inplace
from .arguments import default_to_missing, misfit, not_given
from .mistyped import by_position, of_call

PACKAGE = sys.modules["retrograd"]     # it is named "torch" where `import torch` means it
FUNCTIONS: dict[str, Any] = {}        # torch.<name>
METHODS: dict[str, object] = {}       # Tensor.<name>
ALIASES: dict[str, str] = {}          # another name -> the name of a declared operator
NATIVE: dict[str, object] = {}        # what nn.functional builds on, not in torch's namespace

# The functions called most often: they check their arguments themselves, since a wrapper made by
# `reporting` would cost 80 ns.
QUICK = frozenset((
    "add", "sub", "div", "pow", "remainder", "where", "sum", "mean", "clone", "matmul", "mm", "bmm",
    "mv", "dot", "flatten", "transpose", "squeeze"))
# Methods that are called rarely or compute for long, so that `reporting` costs little.
REPORTING_METHODS = frozenset((
    "addbmm", "addbmm_", "addmm", "addmm_", "addmv", "addmv_", "addr", "addr_", "allclose",
    "as_strided", "as_strided_", "as_strided_scatter", "baddbmm", "baddbmm_", "bernoulli_",
    "bincount", "cauchy_", "cholesky", "cholesky_inverse", "cholesky_solve", "combinations",
    "corrcoef", "cov", "cumprod_", "cumsum_", "det", "diag", "diag_embed", "diagflat", "diagonal",
    "diagonal_scatter", "diff", "dist", "dsplit", "equal", "exponential_", "fill_diagonal_",
    "float_power", "float_power_", "geometric_", "geqrf", "histc", "histogram", "hsplit",
    "index_put", "inner", "inverse", "is_same_size", "is_set_to", "isclose", "isin", "istft",
    "kron", "kthvalue", "lerp", "log_normal_", "logdet", "lu", "lu_solve", "matrix_exp",
    "matrix_power", "moveaxis", "movedim", "multinomial", "mvlgamma", "mvlgamma_", "narrow_copy",
    "nonzero_static", "orgqr", "ormqr", "pinverse", "polygamma", "polygamma_", "prelu", "put_",
    "qr", "renorm_", "repeat_interleave", "resize_as", "resize_as_", "roll", "rot90",
    "select_scatter", "set_", "slice_scatter", "slogdet", "sparse_mask", "split_with_sizes", "stft",
    "subtract", "subtract_", "svd", "swapaxes", "swapaxes_", "swapdims_", "take", "tensor_split",
    "tile", "to_dense", "topk", "transpose_", "triangular_solve", "true_divide", "true_divide_",
    "unfold", "uniform_", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "vsplit"))
# Functions with several signatures that are called often: they report missing arguments.
OVERLOADED = frozenset(("mm", "bmm", "sum", "mean", "where", *(
    name + end for end in ("", "_") for name in (
        "add", "sub", "div", "pow", "remainder", "fmod", "copysign"))))
# Functions that take ints as one tuple only, while the method also takes x.flip(0, 1).
IN_ONE = ("broadcast_to", "flip", "permute", "reshape", "tile", "permute_copy", "view_copy")
COMPOSED = ("fill_diagonal_", "float_power_")        # writes whose arguments PyTorch checks first
LOSSES = ("cross_entropy", "nll_loss")      # their errors say which targets would fit
_reporting: set = set()               # functions that report misfits themselves
_unwrapped: dict = {}                 # a function that `reporting` made -> the one it calls


def public(fn=None, *, name=None, method=True, function=True):
    """Enter `fn` as torch.<name>, if `function`, and as Tensor.<name>, if `method`."""
    def enter(fn):
        key, family = name or fn.__name__, fn.__module__.startswith("retrograd.ops.")
        fn.__module__ = PACKAGE.__name__
        if name is not None:
            fn.__name__ = fn.__qualname__ = name
        if key in OVERLOADED:
            default_to_missing(fn)
        if function:
            wrapped = family and key not in QUICK and fn not in _reporting
            FUNCTIONS[key] = reporting(fn, key, in_one=key in IN_ONE) if wrapped else fn
        if method:
            METHODS[key] = reporting(fn, key) if key in REPORTING_METHODS else fn
        return fn
    return enter if fn is None else enter(fn)


def reporting(fn, name, home=None, shown=None, in_one=False):
    """`fn` as `name` in the module `home`, raising PyTorch's TypeError: NOTE [misfits].

    `home` is the package if it is not given, and `shown` is what the error calls the function.
    `in_one` means that its second argument must be a tuple. Most methods need no such wrapper,
    since they are called on a Tensor.
    """
    fn, shown = unwrapped(fn), shown or name
    renames = fn in _reporting            # numpy_names() made it: this wrapper takes its place
    inner = fn.__wrapped__ if renames else fn
    flags, places, first = checked(fn, renames)

    @wraps(fn)
    def call(*args, **kwargs):
        if len(args) > first:
            for place, flag in places:
                if place < len(args) and (args[place].__class__ is bool) is not flag:
                    refuse(shown, fn, args, kwargs)
        if kwargs and flags:
            for key in kwargs:
                if key in flags and (kwargs[key].__class__ is bool) is not flags[key]:
                    refuse(shown, fn, args, kwargs)
        if in_one and (len(args) != 2 or not isinstance(args[1], (tuple, list))):
            refuse(shown, fn, args, kwargs)
        if renames and kwargs:
            rename(kwargs)
        try:
            return inner(*args, **kwargs)
        except Exception as error:
            if meets_a_foreign_class((*args, *kwargs.values()), call):
                return call(*args, **kwargs)
            if kwargs and (placed := by_position(shown, fn, args, kwargs)) is not None:
                return inner(*placed[0], **placed[1])
            wrong = misfit(shown, fn, args, kwargs, error)
            if wrong is None:
                if name[-1] == "_" and name not in COMPOSED and not isinstance(error, TypeError):
                    refuse_write(*args, *kwargs.values())
                if name in LOSSES:
                    from .hints import add_to_loss
                    add_to_loss(error, fn, args, kwargs)
                raise
        raise wrong
    call.__module__, call.__name__, call.__qualname__ = home or PACKAGE.__name__, name, name
    _unwrapped[call] = inner
    return call


def unwrapped(function):
    """The function that `reporting` has wrapped; its method and other operators call that."""
    return _unwrapped.get(function, function)


def stand_for(function):
    """Let `unwrapped` see through a function to the one it wraps; returns a function to undo it."""
    _unwrapped[function] = unwrapped(function.__wrapped__)
    return lambda: _unwrapped.pop(function)


FLAGS = ("unbiased", "upper", "masked_grad")       # bools without a default, or with None
BY_NAME = "stable"       # a bool beside which every argument but the tensor is given by name
INTS = frozenset((       # ints without a default, or with None
    "k", "n", "N", "p", "chunks", "sections", "split_size", "index", "start", "end", "length",
    "step", "repeats", "shifts", "places", "source", "destination", "decimals", "groups", "bins"))


def flags_of(function, renamed=False) -> tuple[dict[str, bool | None], dict[str, int]]:
    """({parameter: True if it takes a bool, False if an int}, {those given by position: place}).

    With `renamed` the function also takes NumPy's `keepdims`.
    """
    function = unwrap(function)
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    values = dict(zip(names[code.co_argcount - len(defaults):], defaults, strict=False))
    values |= function.__kwdefaults__ or {}
    found = {}
    for name in names:
        kind = values.get(name).__class__
        if name == BY_NAME:
            found[name] = None                 # neither: refuse() looks closer, whatever is given
        elif kind is bool or kind is type(None) and name in FLAGS:   # rrelu's `upper` is a number
            found[name] = True
        elif kind is int or name in INTS:
            found[name] = False
    places = {name: k for k, name in enumerate(names[:code.co_argcount]) if name in found}
    return found | {"keepdims": True} if renamed and "keepdim" in found else found, places


def checked(function, renamed=False) -> tuple[
        dict[str, bool | None], list[tuple[int, bool | None]], float]:
    """What `reporting` compares: flags_of(function), [(place, flag)] and the first place."""
    flags, places = flags_of(function, renamed)
    found = [(place, flags[name]) for name, place in places.items()]
    return flags, found, min(places.values(), default=math.inf)


def refuse(name, function, args, kwargs):
    """Raise PyTorch's TypeError if one of the arguments is of a type that it does not take."""
    if BY_NAME in kwargs and alone(args, kwargs):
        return
    wrong = misfit(name, function, args, kwargs, TypeError())
    if wrong is not None:
        raise wrong


def alone(args, kwargs):
    """Whether sort or argsort, called with `stable`, got only the tensor by position, and bools."""
    for key, value in kwargs.items():
        if key != "out" and (value.__class__ is bool) is not (key in (BY_NAME, "descending")):
            return False
    return len(args) < 2


def refuse_write(self, *others):
    """Raise PyTorch's error if autograd forbids a write into `self`.

    PyTorch checks this after the types of the arguments and before their values.
    """
    flags = [t._flags for t in (self, *others) if isinstance(t, Tensor)]
    if state.grad and any(f & 1 for f in flags):
        check_inplace(self)


def needed(name, argument, value):
    """`value`, a required argument that has two names; PyTorch's TypeError if neither was given."""
    if value is None:
        raise of_call(not_given(name, [argument]))
    return value


def rename(kwargs):
    """Replace NumPy's names of arguments by PyTorch's, in place."""
    if "axis" in kwargs and "dim" not in kwargs:
        kwargs["dim"] = kwargs.pop("axis")
    if "keepdims" in kwargs:
        kwargs["keepdim"] = kwargs.pop("keepdims")


def numpy_names(fn):
    """Let `fn` also take `axis` for dim and `keepdims` for keepdim, as PyTorch does.

    The wrapper reports misfits itself. Its code is that of `reporting`, shortened, since reductions
    are called often and one wrapper around another would cost them 80 ns.
    """
    flags, places, first = checked(fn, renamed=True)

    @wraps(fn)
    def with_names(*args, **kwargs):
        if len(args) > first:
            for place, flag in places:
                if place < len(args) and (args[place].__class__ is bool) is not flag:
                    refuse(with_names.__name__, fn, args, kwargs)
        if kwargs:
            for key in kwargs:
                if key in flags and (kwargs[key].__class__ is bool) is not flags[key]:
                    refuse(with_names.__name__, fn, args, kwargs)
            rename(kwargs)
        try:
            return fn(*args, **kwargs) if kwargs else fn(*args)
        except Exception as error:
            if meets_a_foreign_class((*args, *kwargs.values()), with_names):
                return with_names(*args, **kwargs)
            wrong = misfit(with_names.__name__, fn, args, kwargs, error)
            if wrong is None:
                raise
        raise wrong
    _reporting.add(with_names)
    return with_names


def method(fn=None, *, name=None):
    """Make `fn` a method of Tensor only."""
    return public(fn, name=name, function=False)


def native(fn):
    """Make `fn` known to nn.functional only."""
    NATIVE[fn.__name__] = fn
    return fn


def alias(new: str, old: str) -> None:
    """Enter `new` as another name of `old`, a public function, method or declared operator.

    It is called more rarely than `old`, and reports misfits itself, under its own name.
    """
    if old in METHODS:
        METHODS[new] = reporting(METHODS[old], new)
    if old in FUNCTIONS:
        FUNCTIONS[new] = reporting(FUNCTIONS[old], new)
    elif old not in METHODS:
        ALIASES[new] = old
