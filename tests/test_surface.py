"""README's table of what is covered says no more than what is there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from comparing import load

NAMES = load("surface.json")
README = (Path(__file__).parents[1] / "README.md").read_text()
CLAIMS = re.findall(r"^\| `(torch[\w.]*)` \| (\d+) of (\d+) \|", README, re.MULTILINE)


def present(namespace):
    """The names of PyTorch's namespace that retrograd's has too."""
    path = namespace.replace("torch", "retrograd", 1)
    if namespace == "torch.Tensor":
        from retrograd import Tensor as found
    else:
        try:
            found = importlib.import_module(path)
        except ModuleNotFoundError as missing:
            if missing.name != path:
                raise
            return []
    return [name for name in NAMES[namespace] if hasattr(found, name)]


@pytest.mark.parametrize("namespace, claimed, of", CLAIMS)
def test_the_claim_holds(namespace, claimed, of):
    assert len(NAMES[namespace]) == int(of)
    assert len(present(namespace)) >= int(claimed)


def test_every_namespace_is_in_the_table():
    assert {namespace for namespace, _, _ in CLAIMS} == NAMES.keys()
