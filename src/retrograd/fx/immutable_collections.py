"""Lists and dicts that refuse changes, for the arguments of Nodes."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["immutable_dict", "immutable_list"]

_HELP = ("If you are attempting to modify the kwargs or args of a torch.fx.Node object,\n"
         "instead create a new copy of it and assign the copy to the node:\n"
         "    new_args = ... # copy and mutate args\n    node.args = new_args")


def _frozen(base: type, name: str, changes: tuple[str, ...]) -> Any:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{name!r} object does not support mutation. {_HELP}")

    def hashed(self: Any) -> int:
        return hash(tuple(self.items() if base is dict else self))

    def reduced(self: Any) -> tuple:
        return type(self), (base(self),)

    methods = {**dict.fromkeys(changes, refuse), "__hash__": hashed, "__reduce__": reduced,
               "__doc__": f"A {base.__name__} that refuses changes.", "__module__": __name__}
    return type(name, (base,), methods)


immutable_list = _frozen(list, "immutable_list", (
    "append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort", "__setitem__",
    "__delitem__", "__iadd__", "__imul__"))
immutable_dict = _frozen(dict, "immutable_dict", (
    "clear", "pop", "popitem", "setdefault", "update", "__setitem__", "__delitem__", "__ior__"))
