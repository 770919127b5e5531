"""A pickle machine that can only build data: what `load(weights_only=True)` reads with.

It knows the instructions that data needs, calls nothing but the functions of an allow-list, and
writes into nothing but fresh lists, dicts and instances of allowed classes. The names of that list,
and the messages of what is refused, are PyTorch's.
"""

from __future__ import annotations

import pickle
import struct
import warnings
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError, decode_long
from typing import Any

from ._attributes import Size
from ._tensor import Tensor

# What containers may be made from: not a tensor, which can repeat few bytes without end.
MADE_FROM: dict[Any, tuple[type, ...]] = {
    bytearray: (bytes, str),
    set: (list,),
    Counter: (dict,),
    OrderedDict: (list,),
    Size: (tuple, list),
}
MOST_IN_KEY = 1000    # values in a tuple that is a key: to hash deep ones ends the process
BLOCKED_MODULES = ("sys", "os", "posix", "nt")
_user_globals: list[Any] = []


def add_user_globals(new: list[Any]) -> None:
    _user_globals.extend(entry for entry in new if entry not in _user_globals)


def remove_user_globals(gone: list[Any]) -> None:
    _user_globals[:] = [entry for entry in _user_globals if entry not in gone]


def user_globals() -> list[Any]:
    return list(_user_globals)


def _user_names() -> dict[str, Any]:
    """What the program allows, by the names it has in files."""
    names: dict[str, Any] = {}
    for entry in _user_globals:
        if not isinstance(entry, tuple):
            module = file_module(entry.__module__)
            names[f"{module}.{entry.__qualname__}"] = entry
            continue
        if len(entry) != 2:
            raise ValueError(
                "Expected tuple of length 2 (global, str of callable full path), "
                f"but got tuple of length: {len(entry)}"
            )
        if type(entry[1]) is not str:
            raise TypeError(
                "Expected second item in tuple to be str of callable full path, "
                f"but got: {type(entry[1])}"
            )
        names[file_module(entry[1])] = entry[0]
    return names


def new_name(module: str, name: str) -> tuple[str, str]:
    """The module and name of what Python 2 called so; protocol 2 is written with its names."""
    if (module, name) in NAME_MAPPING:
        return NAME_MAPPING[module, name]
    return IMPORT_MAPPING.get(module, module), name


def file_module(name: str) -> str:
    """The name that files have for a module: ours go by PyTorch's."""
    own = name == "retrograd" or name.startswith("retrograd.")
    return "torch" + name.removeprefix("retrograd") if own else name


def own_module(name: str) -> str:
    """The module that a name in a file means here."""
    theirs = name == "torch" or name.startswith("torch.")
    return "retrograd" + name.removeprefix("torch") if theirs else name


def as_dict(state: Any) -> dict:
    """The attributes of an instance."""
    if type(state) is not dict:
        raise UnpicklingError(f"the state of an instance is a {type(state)}")
    return state


def checked_key(key: Any) -> Any:
    """The key itself, if it can be hashed at all."""
    todo, known = [key], 0
    while todo:
        value = todo.pop()
        if type(value) is tuple:
            known += len(value) + 1
            if known > MOST_IN_KEY:
                raise UnpicklingError("a tuple with too many values is used as a key")
            todo += value
    return key


def check_contents(kind: Any, args: tuple) -> None:
    """Raise unless `kind(*args)` makes a container of what lies in the file."""
    if not args:
        return
    if type(args[0]) not in MADE_FROM[kind]:
        raise UnpicklingError(f"Can only make a {kind.__name__} from data, but got {type(args[0])}")
    if kind is OrderedDict and any(type(pair) not in (list, tuple) for pair in args[0]):
        raise UnpicklingError("Can only make an OrderedDict from pairs")
    for value in args[0] if kind in (set, OrderedDict) else ():
        checked_key(value[0] if kind is OrderedDict and value else value)


class Unpickler:
    """Reads one pickle.

    Args:
        file: the pickle.
        allowed: global names to the functions and classes they stand for.
        persistent_load: finds a storage by its tuple in the file.
        encoding: of byte strings of Python 2.

    Raises:
        UnpicklingError: the pickle asks for more than data, or is broken.
    """

    def __init__(
        self,
        file: Any,
        allowed: dict[str, Any],
        persistent_load: Callable[[tuple], Any],
        encoding: str = "ASCII",
    ) -> None:
        self.file = file
        self.allowed = {**allowed, **_user_names()}
        self.callables = [v for v in self.allowed.values() if callable(v)]
        self.persistent_load = persistent_load
        self.encoding = encoding
        self.memo: dict[int, Any] = {}
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []

    def load(self) -> Any:
        """Run the pickle to its end."""
        file, instructions = self.file, _INSTRUCTIONS
        try:
            while (code := file.read(1)) != pickle.STOP:
                if not code:
                    raise EOFError
                instruction = instructions.get(code)
                if instruction is None:
                    raise UnpicklingError(f"Unsupported operand {code[0]}")
                instruction(self)
            return self.stack.pop()
        except (LookupError, TypeError, AttributeError, ValueError, EOFError,
                OverflowError, RecursionError, MemoryError) as error:
            raise UnpicklingError(f"pickle data was truncated or is damaged: {error!r}") from error

    def read(self, n: int) -> bytes:
        data = self.file.read(n)
        if len(data) != n:
            raise EOFError
        return data

    def number(self, layout: str) -> Any:
        return struct.unpack(layout, self.read(struct.calcsize(layout)))[0]

    def line(self) -> str:
        line = self.file.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return line[:-1].decode("utf-8")

    def items(self) -> list[Any]:
        """What is on the stack above the last mark."""
        items, self.stack = self.stack, self.marks.pop()
        return items

    def is_allowed(self, value: Any) -> bool:
        return any(value is known for known in self.callables)

    # ---- instructions: globals and what is made of them

    def find(self) -> None:
        module, name = new_name(self.line(), self.line())
        path = f"{module}.{name}"
        if module in BLOCKED_MODULES:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked."
            )
        if path not in self.allowed:
            path = path.removeprefix("builtins.")
            raise UnpicklingError(
                f"Unsupported global: GLOBAL {path} was not an allowed global by default. "
                f"Please use `torch.serialization.add_safe_globals([{path}])` or the "
                f"`torch.serialization.safe_globals([{path}])` context manager to allowlist this "
                "global if you trust this class/function."
            )
        self.stack.append(self.allowed[path])

    def make(self) -> None:
        args, cls = self.stack.pop(), self.stack.pop()
        if not isinstance(cls, type) or not self.is_allowed(cls):
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted "
                f"via `add_safe_globals` but got {cls}"
            )
        self.stack.append(cls.__new__(cls, *args))

    def call(self) -> None:
        args, function = self.stack.pop(), self.stack.pop()
        if not self.is_allowed(function):
            message = f"Trying to call reduce for unrecognized function {function}"
            if hasattr(function, "__self__"):
                message += f" which belongs to {function.__self__}"
            raise UnpicklingError(message)
        if function in MADE_FROM:
            check_contents(function, args)
        self.stack.append(function(*args))

    def build(self) -> None:
        state, instance = self.stack.pop(), self.stack[-1]
        kind = type(instance)
        if kind is OrderedDict:
            instance.__dict__.update(as_dict(state))
        elif not self.is_allowed(kind) or isinstance(instance, (type, Tensor)):
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted "
                f"via `add_safe_globals`, but got {kind}"
            )
        elif hasattr(instance, "__setstate__"):
            instance.__setstate__(state)
        else:
            slots = None
            if isinstance(state, tuple) and len(state) == 2:
                state, slots = state
            if state:
                instance.__dict__.update(as_dict(state))
            for name, value in as_dict(slots or {}).items():
                setattr(instance, name, value)

    def find_storage(self) -> None:
        pid = self.stack.pop()
        if type(pid) is not tuple:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if not pid or type(pid[0]) not in (str, bytes) or pid[0] not in ("storage", b"storage"):
            raise UnpicklingError(
                "Only persistent_load of storage is allowed, "
                f"but got {type(pid[0] if pid else pid)}"
            )
        self.stack.append(self.persistent_load(pid))

    # ---- instructions: containers

    def mark(self) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def append(self) -> None:
        item = self.stack.pop()
        self._extendable("append to").append(item)

    def extend(self) -> None:
        items = self.items()
        self._extendable("extend").extend(items)

    def _extendable(self, verb: str) -> list:
        if type(self.stack[-1]) is not list:
            raise UnpicklingError(f"Can only {verb} lists, but got {type(self.stack[-1])}")
        return self.stack[-1]

    def set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._fillable("SETITEM")[checked_key(key)] = value

    def set_items(self) -> None:
        items = self.items()
        target = self._fillable("SETITEMS")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[checked_key(key)] = value

    def _fillable(self, instruction: str) -> Any:
        if type(self.stack[-1]) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(
                f"Can only {instruction} for dict, collections.OrderedDict, collections.Counter, "
                f"but got {type(self.stack[-1])}"
            )
        return self.stack[-1]

    def gather(self, n: int) -> None:
        """The last n values as a tuple."""
        if len(self.stack) < n:
            raise IndexError
        self.stack[len(self.stack) - n :] = [tuple(self.stack[len(self.stack) - n :])]

    # ---- instructions: plain data

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def text(self) -> None:
        self.push(str(self.read(self.number("<I")), "utf-8", "surrogatepass"))

    def old_text(self) -> None:
        data = self.read(self.number("<B"))
        self.push(data if self.encoding == "bytes" else data.decode(self.encoding, "strict"))

    def long(self) -> None:
        self.push(decode_long(self.read(self.number("<B"))))

    def protocol(self) -> None:
        protocol = self.number("<B")
        if protocol != 2:
            warnings.warn(
                f"Detected pickle protocol {protocol} in the checkpoint, which was not the default "
                "pickle protocol used by `torch.load` (2). The weights_only Unpickler might not "
                "support all instructions implemented by this protocol, please file an issue for "
                "adding support if you encounter this.",
                stacklevel=5,
            )

    def remember(self, layout: str) -> None:
        self.memo[self.number(layout)] = self.stack[-1]


_INSTRUCTIONS: dict[bytes, Callable[[Unpickler], None]] = {
    pickle.GLOBAL: Unpickler.find,
    pickle.NEWOBJ: Unpickler.make,
    pickle.REDUCE: Unpickler.call,
    pickle.BUILD: Unpickler.build,
    pickle.BINPERSID: Unpickler.find_storage,
    pickle.MARK: Unpickler.mark,
    pickle.APPEND: Unpickler.append,
    pickle.APPENDS: Unpickler.extend,
    pickle.SETITEM: Unpickler.set_item,
    pickle.SETITEMS: Unpickler.set_items,
    pickle.TUPLE: lambda self: self.push(tuple(self.items())),
    pickle.TUPLE1: lambda self: self.gather(1),
    pickle.TUPLE2: lambda self: self.gather(2),
    pickle.TUPLE3: lambda self: self.gather(3),
    pickle.EMPTY_TUPLE: lambda self: self.push(()),
    pickle.EMPTY_LIST: lambda self: self.push([]),
    pickle.EMPTY_DICT: lambda self: self.push({}),
    pickle.EMPTY_SET: lambda self: self.push(set()),
    pickle.NONE: lambda self: self.push(None),
    pickle.NEWFALSE: lambda self: self.push(False),
    pickle.NEWTRUE: lambda self: self.push(True),
    pickle.BININT: lambda self: self.push(self.number("<i")),
    pickle.BININT1: lambda self: self.push(self.number("<B")),
    pickle.BININT2: lambda self: self.push(self.number("<H")),
    pickle.BINFLOAT: lambda self: self.push(self.number(">d")),
    pickle.LONG1: Unpickler.long,
    pickle.BINUNICODE: Unpickler.text,
    pickle.SHORT_BINSTRING: Unpickler.old_text,
    pickle.BINPUT: lambda self: self.remember("<B"),
    pickle.LONG_BINPUT: lambda self: self.remember("<I"),
    pickle.BINGET: lambda self: self.push(self.memo[self.number("<B")]),
    pickle.LONG_BINGET: lambda self: self.push(self.memo[self.number("<I")]),
    pickle.PROTO: Unpickler.protocol,
}
