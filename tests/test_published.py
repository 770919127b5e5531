"""Programs as people publish them print the same under PyTorch and under retrograd.

`tests/record/published.py` recorded PyTorch's side.
"""

from __future__ import annotations

import pytest

import published_scripts
from comparing import difference, load, torch_is_retrograd

RECORDED = load("published.json")


@pytest.mark.parametrize("name", published_scripts.SCRIPTS)
def test_as_pytorch(name):
    with torch_is_retrograd():
        assert_same(published_scripts.run(name), RECORDED[name])


@pytest.mark.live
@pytest.mark.parametrize("name", published_scripts.SCRIPTS)
def test_recorded_is_what_pytorch_does(name):
    pytest.importorskip("torch")
    found = published_scripts.run(name)
    if found["error"] is not None and found["error"][0] == "ModuleNotFoundError":
        pytest.skip(found["error"][1])      # such as tabulate, which PyTorch's tables need
    assert_same(found, RECORDED[name])


def assert_same(found, expected):
    assert found["error"] == expected["error"]
    assert difference("\n".join(found["output"]), "\n".join(expected["output"])) is None
