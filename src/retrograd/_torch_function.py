"""The `__torch_function__` protocol: classes of arguments that take a function's call over.

NOTE [__torch_function__]
    A function of the package called with an instance of a class that has `__torch_function__`
    calls that instead, as `cls.__torch_function__(function, types, args, kwargs)`. Tensor's own,
    which every subclass inherits, computes the function as usual and makes the results instances
    of the subclass. Parameter has it disabled: what is computed from parameters is a Tensor.

    Plain programs do not pay for this. `arm` exchanges the code of the public functions (see
    _entries.py) when the first instance of an overriding class is made; until then nothing here is
    called. A foreign class, one that is not a Tensor, cannot be noticed like that. It is noticed
    when a function fails because of an instance, and is then called again, or when a module that
    knows such a class first names a function of the package.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, NoneType
from typing import Any

from ._callers import FUNCTIONAL, is_own
from ._entries import intercept, outer_frame


class _Local(threading.local):
    """What the current thread has switched off and on."""

    def __init__(self) -> None:
        self.subclasses = True      # classes of arguments are asked
        self.modes: tuple = ()      # TorchFunctionModes entered, the innermost last
        self.all_off = False        # neither is asked
        self.passing = False        # the next function that would ask does not


local = _Local()
_armed = False
_lock = threading.RLock()


def _disabled_torch_function_impl(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What a class sets as `__torch_function__` to take no part in the protocol."""
    with Disabled():
        return func(*args, **(kwargs or {}))


class Disabled:
    """Inside, functions do not ask the classes of their arguments."""

    def __enter__(self) -> None:
        self._before = local.subclasses
        local.subclasses = False

    def __exit__(self, *exc: object) -> None:
        local.subclasses = self._before


class Enabled:
    """Inside, functions ask again, where it was switched off."""

    def __init__(self) -> None:
        self._before = local.subclasses
        local.subclasses = True

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        self.__del__()

    def __del__(self) -> None:      # PyTorch's ends with its last reference, too
        if self._before is not None:
            local.subclasses, self._before = self._before, None


class AllDisabled(Disabled):
    """Inside, functions ask neither the classes of their arguments nor the modes entered."""

    def __enter__(self) -> None:
        super().__enter__()
        self._others = local.modes, local.all_off
        local.modes, local.all_off = (), True

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        local.modes, local.all_off = self._others


def passed(func: Any, args: tuple, kwargs: dict) -> Any:
    """func(*args, **kwargs), which does not ask itself; what it calls does."""
    before, local.passing = local.passing, True
    try:
        return func(*args, **kwargs)
    finally:
        local.passing = before


# --------------------------------------------------------------------------- who overrides

PLAIN = {NoneType, bool, int, float, complex, str}      # and Tensor, which adds itself


def overrides(cls: type) -> bool:
    """Whether instances of `cls` take part in the protocol."""
    if cls in PLAIN:
        return False
    try:
        own = getattr(cls, "__torch_function__", None)
    except Exception:           # of a metaclass that computes attributes, or refuses to
        return False
    return (own is not None and own is not _disabled_torch_function_impl
            and not is_of_pytorch(cls))


def no_dispatch(cls: type) -> NotImplementedError:
    """What is said of a class with `__torch_dispatch__` whose instance would have numbers."""
    return NotImplementedError(
        f"{cls.__name__}.__torch_dispatch__: only instances made by Tensor._make_wrapper_subclass, "
        "which have no numbers of their own, are shown the operators below autograd")


def is_of_pytorch(cls: type) -> bool:
    """Whether this is the Tensor of PyTorch itself, which would hand the call back forever."""
    for base in cls.__mro__:
        if base.__name__ == "Tensor" and base.__module__ == "torch" and base not in PLAIN:
            return True
    return False


def is_function_of_pytorch(function: Any) -> bool:
    """Whether PyTorch itself was called with our tensors, and asks us: it would ask forever."""
    if type(function) is not FunctionType:
        return type(function) is BuiltinFunctionType
    home = function.__globals__["__name__"]         # while installed, ours are named so, too
    return home.startswith("torch") and not is_own(function.__code__.co_filename)


def overriding(args: Any) -> list:
    """One argument of each overriding class: as they come, subclasses before their bases."""
    found: list = []
    for arg in args:
        cls = type(arg)
        if cls is list or cls is tuple:
            for part in arg:
                if overrides(type(part)):
                    _add(found, part)
        elif cls not in PLAIN and overrides(cls):
            _add(found, arg)
    return found


def would_ask(values: tuple) -> bool:
    """Whether a public function called with these arguments would ask a mode or a class."""
    return _armed and bool(local.modes or local.subclasses and overriding(values))


def _add(found: list, arg: Any) -> None:
    cls = type(arg)
    if not found:
        found.append(arg)
        return
    if any(type(other) is cls for other in found):
        return
    before = (i for i, other in enumerate(found) if issubclass(cls, type(other)))
    found.insert(next(before, len(found)), arg)


def dispatch(function: Any, found: list, args: tuple, kwargs: dict) -> Any:
    """The first answer of a mode or of an argument's class that is not NotImplemented, or that."""
    types = tuple(map(type, found))
    if local.modes:
        *outer, mode = local.modes
        if isinstance(getattr(mode.__torch_function__, "__self__", None), type):
            raise RuntimeError("Defining your mode's `__torch_function__` as a classmethod is not "
                               "supported, please make it a plain method")
        before, local.modes = local.modes, tuple(outer)
        try:
            result = mode.__torch_function__(function, types, args, kwargs or None)
        finally:
            local.modes = before
        if result is not NotImplemented:
            return result
    for arg in found:
        if getattr(arg.__torch_function__, "__self__", None) is arg:
            warnings.warn("Defining your `__torch_function__` as a plain method is deprecated and "
                          "will be an error in future, please define it as a classmethod.",
                          DeprecationWarning if _is_functional(function) else UserWarning,
                          stacklevel=4)
        result = arg.__torch_function__(function, types, args, kwargs or None)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _public_name(function: Any) -> str:
    module = function.__module__
    home = "torch.nn.functional" if _is_functional(function) else module
    return f"{home.replace('retrograd', 'torch')}.{function.__name__}"


def _is_functional(function: Any) -> bool:
    return isinstance(function, FunctionType) and function.__module__.startswith(FUNCTIONAL)


def _refusal(function: Any, found: list) -> TypeError:
    if _is_functional(function):
        return no_implementation(function, found)
    classes = "\n".join(f"  - tensor subclass {type(arg)}" for arg in found)
    return TypeError(f"Multiple dispatch failed for '{_public_name(function)}'; all "
                     f"__torch_function__ handlers returned NotImplemented:\n\n{classes}\n\n"
                     "For more information, try re-running with TORCH_LOGS=not_implemented")


def no_implementation(function: Any, found: list) -> TypeError:
    return TypeError(f"no implementation found for '{_public_name(function)}' on types that "
                     f"implement __torch_function__: {[type(arg) for arg in found]}")


# --------------------------------------------------------------------------- Tensor's own

def default(cls: type, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Tensor.__torch_function__: the function as usual, its results as instances of `cls`."""
    if is_function_of_pytorch(func):
        return NotImplemented
    for arg in args:
        if type(arg) not in PLAIN and is_of_pytorch(type(arg)):
            return NotImplemented
    for other in types:
        if not issubclass(cls, other):
            return NotImplemented
    with Disabled():
        result = func(*args, **(kwargs or {}))
        return result if func in not_converted else converted(result, cls)


not_converted: set = set()      # such as the getter of .grad


def converted(result: Any, cls: type) -> Any:
    """The Tensors in a function's result as instances of `cls`."""
    from ._tensor import Tensor
    if isinstance(result, Tensor):
        as_it_is = isinstance(result, cls) or hasattr(cls, "__torch_dispatch__")    # a wrapper's
        return result if as_it_is else result.as_subclass(cls)
    if isinstance(result, (tuple, list)) and cls is not Tensor:
        return type(result)([converted(part, cls) for part in result])
    return result


# --------------------------------------------------------------------------- the entry points

HOMES = ("nn.functional", "nn._toplevel", "linalg", "special", "fft")    # beside torch and Tensor
OPERATORS = {"__matmul__": "matmul", "__mod__": "remainder", "__imod__": "remainder_",
             "__pow__": "pow", "__ipow__": "pow_", "__pos__": "positive"}
BY_SIGN = ("rsub", "eq", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
           "bitwise_right_shift")           # x == y shows itself as __eq__, but x + y as add
NOT_ASKED = frozenset((     # functions that make tensors from data, or look at objects
    "tensor", "as_tensor", "asarray", "from_numpy", "is_tensor", "is_storage", "as_subclass",
    "frombuffer", "set_grad_enabled", "is_grad_enabled", "set_printoptions", "__iter__",
    "_become", "_shallow_copy", "_has_no_node", "_check_grad", "_is_view", "_fix_weakref",
    "_set_requires_grad", "__dir__",
    "__hash__", "__deepcopy__", "__array_wrap__", "__reduce_ex__", "__init_subclass__",
    "__torch_function__", "__new__",
))
MODES_ALONE = ("tensor", "as_tensor", "asarray")        # which take any object: no class is asked
INITIAL = ("uniform_", "normal_", "constant_", "kaiming_uniform_")      # the others do not ask
SPARSE = tuple(f"sparse_{layout}_tensor" for layout in ("coo", "csr", "csc", "bsr", "bsc"))
_seen: dict[int, Any] = {}  # functions that are intercepted already, kept: no other gets their id


def arm() -> None:
    """Let every public function ask the classes of its arguments from now on."""
    global _armed
    with _lock:
        if not _armed:
            _armed = True
            _enter_operators()
            _enter_functions()


def _enter_operators() -> None:
    """First of all, as x + y is also a method, Tensor.__add__."""
    from .ops import declare
    from .ops.public import FUNCTIONS, METHODS
    for name, shown in OPERATORS.items():
        public = FUNCTIONS.get(shown) or METHODS.get(shown) or declare.REGISTRY[shown].fn
        _enter(name, METHODS[name], public, may_decline=True)
    for op in declare.REGISTRY.values():
        if op.built is not None:
            _enter_operator(op)
    declare.when_built.append(_enter_operator)


def _enter_functions() -> None:
    from ._tensor import Tensor
    from .ops.public import FUNCTIONS, METHODS
    for name, function in (*FUNCTIONS.items(), *METHODS.items(), *vars(Tensor).items()):
        _enter(name, function)
    for home in HOMES:
        module = import_module(f"retrograd.{home}")
        for name in dir(module):
            if not name.startswith("_"):
                _enter(name, getattr(module, name))
    for home, names in (("autograd", ("grad",)), ("nn.init", INITIAL), ("sparse", SPARSE)):
        for name in names:
            _enter(name, getattr(import_module(f"retrograd.{home}"), name))
    for name in MODES_ALONE:
        intercept(FUNCTIONS[name], _around(FUNCTIONS[name], False, classes=False))
    for name, attribute in list(vars(Tensor).items()):
        if isinstance(attribute, property) and not name.startswith("_"):
            _enter_property(Tensor, name, attribute)


def _enter_operator(op: Any) -> None:
    from .ops.public import FUNCTIONS, METHODS
    op.built[op.name].__globals__["getframe"] = outer_frame
    for variant, shown in (("dunder", op.name), ("dunder_", op.name + "_")):
        if variant in op.built:         # x + y and x += y show themselves as add and add_
            sign = op.built[variant] if op.name in BY_SIGN else None
            public = sign or FUNCTIONS.get(shown) or METHODS.get(shown) or op.built[shown]
            _enter(variant, op.built[variant], public, may_decline=True)
    if op.public:
        for name in (op.name, op.name + "_"):
            if name in op.built:
                _enter(name, op.built[name])


def _enter(name: str, function: Any, shown: Any = None, may_decline: bool = False) -> None:
    """Let `function` ask first; `shown` is what `__torch_function__` gets to see of it."""
    if (isinstance(function, FunctionType) and not {name, function.__name__} & NOT_ASKED
            and id(function) not in _seen and is_own(function.__code__.co_filename)):
        _seen[id(function)] = function
        intercept(function, _around(function if shown is None else shown, may_decline))


def asks(function: Any) -> bool:
    """Whether this function or getter of a property asks, once the others do."""
    owner = getattr(function, "__self__", None)
    return id(function) in _seen or isinstance(owner, property) and id(owner) in _seen


def _around(function: Any, may_decline: bool, classes: bool = True) -> Any:
    def ask(original: Any, args: tuple, kwargs: dict) -> Any:
        if local.passing:
            local.passing = False
            return original(*args, **kwargs)
        found = (overriding((*args, *kwargs.values()) if kwargs else args)
                 if classes and local.subclasses else [])
        if not local.modes and not found:
            return original(*args, **kwargs)
        shown = _standing.get(function, function)
        result = dispatch(shown, found, args, kwargs)
        if result is NotImplemented and shown is not function:   # known before another stood there
            result = dispatch(function, found, args, kwargs)
        if result is NotImplemented and not may_decline:
            raise _refusal(function, found)
        return result

    return ask


_standing: dict[Any, Any] = {}           # what a program finds in the place of a function


def show_as(function: Any, other: Any) -> Callable[[], None]:
    """Let classes see `other` where `function` is called; returns a function to undo it."""
    _standing[function] = other
    return lambda: _standing.pop(function, None)


def keeper(owner: Any, name: str) -> Callable[[], None]:
    """A function that puts back the attribute that stands there now, after something replaced it.

    If the others have begun to ask in the meantime, the attribute then asks too.
    """
    kept, armed = vars(owner)[name], _armed

    def put_back() -> None:
        setattr(owner, name, kept)
        if _armed and not armed:
            if isinstance(kept, property):
                _enter_property(owner, name, kept)
            else:
                _enter(name, kept)
    return put_back


def _enter_property(owner: type, name: str, attribute: property) -> None:
    def get(self: Any) -> Any:
        cls = type(self)
        if local.passing:
            local.passing = False
            return attribute.__get__(self)
        if (cls in PLAIN or not local.subclasses or not overrides(cls)) and not local.modes:
            return attribute.__get__(self)
        found = [self] if local.subclasses and overrides(cls) else []
        return dispatch(asking.__get__, found, (self,), {})

    asking = property(get, attribute.fset, attribute.fdel, attribute.__doc__)
    _seen[id(asking)] = asking
    setattr(owner, name, asking)
    if name == "grad":
        not_converted.add(asking.__get__)


def meets_a_foreign_class(values: Any, function: Any) -> bool:
    """Whether `function`, which failed with these arguments, will ask a foreign class among them.

    If there is one, it arms. A function inside a public function does not ask: it fails, and the
    public one is called again.
    """
    if not local.subclasses or not any(_is_foreign(type(value)) for value in overriding(values)):
        return False
    arm()
    return asks(function)


def look_for_foreign_classes(namespace: dict) -> None:
    """Arm if a module that has just named a function of the package knows a foreign class.

    Called once for each name that programs use.
    """
    if not _armed and not str(namespace.get("__name__")).startswith("retrograd"):
        for value in list(namespace.values()):
            if isinstance(value, type) and _is_foreign(value):
                arm()
                return


def _is_foreign(cls: type) -> bool:
    from ._tensor import Tensor
    home = cls.__module__.partition(".")     # a class of ours, such as Proxy, may be named torch's
    own = sys.modules.get(f"retrograd.{home[2]}") if home[0] == "torch" else None
    ours = home[0] == "retrograd" or getattr(own, cls.__name__, None) is cls
    return not ours and not issubclass(cls, Tensor) and overrides(cls)
