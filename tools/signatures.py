"""Write the table of PyTorch's signatures that its errors about arguments follow.

Needs PyTorch. Asked with more arguments than anything takes, a function with several signatures
says what they are; one with a single signature says how many arguments it takes, and its schema
says which. Of the latter only those that take more than tensors are listed:

    python tools/signatures.py
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from pathlib import Path

import torch

import retrograd
from retrograd.ops import bind

HEAD = '''"""PyTorch's signatures, written by tools/signatures.py: those that its errors follow.

Those of functions that write in place are in signatures_in_place.py. Read where arguments fit
none of them: see arguments.py. "tuple of ints[1]" takes an int, too, and what has a ? takes None.
"""

# ruff: noqa: E501
SIGNATURES = """\\
'''
HEAD_IN_PLACE = '''"""PyTorch's signatures of functions that write in place: see signatures.py."""

# ruff: noqa: E501
SIGNATURES = """\\
'''
TYPES = {"SymInt": "int", "Scalar": "Number", "Generator": "torch.Generator",
         "Device": "torch.device", "ScalarType": "torch.dtype", "Layout": "torch.layout",
         "MemoryFormat": "torch.memory_format"}
HOMES = ((torch, "", bind.function_names()), (torch.Tensor, "", dir(retrograd.Tensor)),
         (torch._C._nn, "", dir(retrograd.nn.functional)),
         (torch.linalg, "linalg_", dir(retrograd.linalg)),
         (torch.fft, "fft_", dir(retrograd.fft)),
         (torch.special, "special_", dir(retrograd.special)))
ARGUMENT = re.compile(r"""
    (\w+) (?:\([^)]*\))? (\??) (\[\d?\])? (\??) [ ] (\w+)    # int[2]? dim
    (?:=(\[[^]]*\]|[^,]*))? (?:,[ ]|$) | \*,[ ]             # =0, or the * alone
""", re.VERBOSE)


def complaint(function, *args) -> str:
    """What a function says of arguments that are too many."""
    try:
        function(*args, *[object()] * 40)
    except TypeError as error:
        return str(error)
    return ""


def schemas(name: str) -> list[str]:
    """The arguments of an operator's ways that take tensors and no out=, as its schemas write."""
    packet = getattr(torch.ops.aten, name, None)
    ways = packet.overloads() if hasattr(packet, "overloads") else []
    found = [str(getattr(packet, way)._schema).rpartition(") -> ")[0] for way in ways]
    return [text.partition("(")[2] for text in found
            if "Tensor" in text and "Dimname" not in text and not re.search(r"\*, .*!\)", text)]


def words(schema: str) -> list[str]:
    """The arguments of a schema as errors write them.

    But for marks: "tuple of ints[1]" where an int will do, "Tensor?" where None will.
    """
    found = []
    for kind, one_none, many, none, name, default in ARGUMENT.findall(schema):
        kind = TYPES.get(kind, kind)
        if many:
            kind = f"tuple of {kind}s{'[1]' * (many != '[]')}{none}"
        elif default != "None":
            kind += one_none
        name = "input" if name == "self" else name
        found.append(f"{kind} {name}" + f" = {default}" * bool(default) if name else "*")
    return found


def single(name: str, text: str) -> list[str]:
    """The line of a function with one signature, if it takes anything but tensors."""
    ways = schemas(name)
    most = re.search(r"takes (?:from \d+ to )?(\d+) positional", text)
    if len(ways) != 1 or most is None:
        return []
    found = words(ways[0])
    places = found[:found.index("*")] if "*" in found else found
    plain = all(word.startswith(("Tensor ", "tuple of Tensors ")) for word in places) and not any(
        word.startswith(("bool ", "int ", "str ")) for word in found)
    if plain or int(most[1]) not in (len(places), len(places) - 1):
        return []
    return [f"{name}({', '.join(found)})"]


def marked(line: str) -> str:
    """The line with marks at tuples that may be given as one number, and at what may be None."""
    text = " ".join(schemas(line.partition("(")[0]))

    def mark(found):
        way = re.search(rf"int\[(\d?)\](\??) {found[1]}\b", text, re.I)
        marks = f"{'[1]' * bool(way[1])}{way[2]}" if way else ""
        return f"tuple of ints{marks} {found[1]}"
    line = re.sub(r"tuple of ints (\w+)", mark, line)

    def maybe_none(found):
        kind, name = found.groups()
        here, elsewhere = f"{kind}? {name}" in text, re.search(rf"\b{kind} {name}\b", text)
        return f"{kind}? {name}" if here and not elsewhere else found[0]
    return re.sub(r"\b(Tensor|int|bool|str) (\w+)(?=[,)])", maybe_none, line)


def listed(home, prefix: str, name: str) -> list[str]:
    """The lines `name(signature)` of a function of PyTorch."""
    function = getattr(home, name, None)
    of_tensor = inspect.ismethoddescriptor(function)
    if not (inspect.isbuiltin(function) or of_tensor) or of_tensor and hasattr(torch, name):
        return []
    text = complaint(function, *[torch.ones(1)] * of_tensor)
    several = re.findall(r"^ \* \((.*)\)$", text, re.M) or re.findall(r"expected \((.*)\)$", text)
    if not several:
        return single(prefix + name, text)
    first = "Tensor input, " * of_tensor
    return [f"{text.partition('(')[0]}({(first + way).removesuffix(', ')})" for way in several]


def lines() -> list[str]:
    """All lines; a function in place has those of the function, unless it has several itself."""
    found = [marked(line) for home, prefix, known in HOMES for name in sorted(known)
             if not name.startswith("_") for line in listed(home, prefix, name)]
    found = [line for line in found if "torch.layout layout" not in line     # those make tensors
             and "int reduction" not in line]                    # and losses are called with a str
    names = Counter(line.partition("(")[0] for line in found)
    kept = [line for line in dict.fromkeys(found)
            if names[name := line.partition("(")[0]] > 1 or name.removesuffix("_") == name
            or name.removesuffix("_") not in names]
    return sorted(kept, key=lambda line: line.partition("(")[0])


if __name__ == "__main__":
    folder, found = Path(retrograd.__file__).parent / "ops", lines()
    for file, head, in_place in (("signatures.py", HEAD, False),
                                 ("signatures_in_place.py", HEAD_IN_PLACE, True)):
        kept = [line for line in found if line.partition("(")[0].endswith("_") is in_place]
        (folder / file).write_text(head + "\n".join(kept) + '\n"""\n')
