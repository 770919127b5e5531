"""Write the table of functions that have several signatures, as PyTorch lists them in its errors.

Needs PyTorch. Asked with more arguments than anything takes, a function with one signature says how
many it takes, and one with several says what they are:

    python tools/signatures.py
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import torch

import retrograd
from retrograd.ops import bind

HEAD = '''"""PyTorch's functions with several signatures, written by tools/signatures.py.

Read where arguments fit none of them: see arguments.py.
"""

# ruff: noqa: E501
SIGNATURES = """\\
'''


def listed(function) -> list[str]:
    """The lines `name(signature)` of a function of PyTorch that has several signatures."""
    try:
        function(*[object()] * 40)
    except TypeError as error:
        text = str(error)
        found = re.findall(r"^ \* \((.*)\)$", text, re.M) or re.findall(r"expected \((.*)\)$", text)
        return [f"{text.partition('(')[0]}({signature})" for signature in found]
    return []


def lines() -> list[str]:
    found = []
    for theirs, known in ((torch, bind.function_names()), (torch.linalg, dir(retrograd.linalg)),
                          (torch.fft, dir(retrograd.fft)), (torch.special, dir(retrograd.special))):
        functions = [getattr(theirs, name, None) for name in known if not name.startswith("_")]
        found += [line for function in functions if inspect.isbuiltin(function)
                  for line in listed(function)]
    found = [line for line in found if "torch.layout" not in line]      # those make tensors
    return sorted(dict.fromkeys(found), key=lambda line: line.partition("(")[0])


if __name__ == "__main__":
    path = Path(retrograd.__file__).parent / "ops" / "signatures.py"
    path.write_text(HEAD + "\n".join(lines()) + '\n"""\n')
