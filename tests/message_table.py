"""The table of situations in which PyTorch warns or refuses: tests/messages/*.py, a topic a file.

Each file holds snippets, each under a line `# --- what happens`; a snippet may leave a value in R.
"""

from __future__ import annotations

import re
from pathlib import Path

from comparing import mask_addresses, observe

IMPORTS = {
    "copy": "import copy",
    "OrderedDict": "from collections import OrderedDict",
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "fwAD": "import torch.autograd.forward_ad as fwAD",
    "Function": "from torch.autograd import Function",
}

# Warnings of PyTorch about its own insides, which the user's code did not cause.
NOISE = ("`torch.jit.script` is deprecated", "__array_wrap__ must accept context")


def read() -> dict[str, str]:
    """The snippets by `topic: situation`."""
    table = {}
    for path in sorted((Path(__file__).parent / "messages").glob("*.py")):
        for part in path.read_text().split("# --- ")[1:]:
            title, _, code = part.partition("\n")
            table[f"{path.stem}: {title}"] = code.rstrip() + "\n"
    return table


SITUATIONS = read()


def run(name: str):
    """What the snippet raised and warned, and the repr of R; every warning counts, each time."""
    import torch

    torch.set_warn_always(True)
    torch.manual_seed(0)
    code = SITUATIONS[name]
    namespace = {"__name__": "__main__", "torch": torch}
    for word, line in IMPORTS.items():
        if re.search(rf"\b{word}\b", code):
            exec(line, namespace)
    try:
        seen, _ = observe(code, "<situation>", namespace)
    finally:
        torch.set_warn_always(False)
        torch.set_grad_enabled(True)
    seen["warnings"] = [w for w in seen["warnings"] if not w[1].startswith(NOISE)]
    if seen["error"] is None:
        seen["result"] = mask_addresses(repr(namespace.get("R")))
    return seen
