"""The scripts of four published tutorials print, warn, raise and compute what they do in PyTorch.

`tests/record/tutorials.py` recorded PyTorch's side. Where a tutorial's own claim is false, what
is asserted here is what PyTorch really does; docs/myths.md tells the story.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import tutorial_scripts
from comparing import difference, load, torch_is_retrograd

RECORDED = load("tutorials.json")


@pytest.mark.parametrize("name", tutorial_scripts.SCRIPTS)
def test_as_pytorch(name):
    with torch_is_retrograd():
        found = tutorial_scripts.run(name)
    assert_same(found, RECORDED[name])


@pytest.mark.live
@pytest.mark.parametrize("name", tutorial_scripts.SCRIPTS)
def test_recorded_is_what_pytorch_does(name):
    pytest.importorskip("torch")
    assert_same(tutorial_scripts.run(name), RECORDED[name])


def assert_same(found, expected):
    assert difference(without_explanation(found["output"]), expected["output"]) is None
    assert_same_error(found["error"], expected["error"])
    assert sentences(found["warnings"]) == expected["warnings"]
    assert found["values"].keys() == expected["values"].keys()
    for variable, recorded in expected["values"].items():
        for mine, theirs in zip(found["values"][variable], recorded, strict=True):
            assert (mine is None) == (theirs is None), variable
            if theirs is not None:
                np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6, err_msg=variable)


def assert_same_error(found, expected):
    """Same type and text; retrograd may add an explanation after a blank line."""
    assert (found is None) == (expected is None), (found, expected)
    if expected is not None:
        assert [found[0], found[1].split("\n\n")[0]] == expected


def without_explanation(output):
    """What a script printed, without the explanation in an error that it caught and printed."""
    return re.sub(r"\n\n.*\nCure: .*\n", "\n", output, flags=re.DOTALL)


def sentences(warned):
    """Warnings as PyTorch gives them, without the explanation after a blank line."""
    return [[category, text.split("\n\n")[0]] for category, text in warned]


def test_every_script_is_recorded():
    assert RECORDED.keys() - {"torch"} == tutorial_scripts.SCRIPTS.keys()


# is_leaf, requires_grad, retains_grad; what requires_grad_(False) and retain_grad() then do.
# The tutorial's table says that retain_grad() on a leaf is "no-op" in both of its rows and that
# requires_grad_() on a non-leaf is too: two of its cells are really errors.
NON_LEAF = "you can only change requires_grad flags of leaf variables."
NO_GRAD = "can't retain_grad on Tensor that has requires_grad=False"
TABLE = [
    (True, False, False, None, NO_GRAD),
    (True, True, False, None, None),
    (False, True, False, NON_LEAF, None),
    (False, True, True, NON_LEAF, None),
]


def tensor_with(torch, is_leaf, requires_grad, retains_grad):
    tensor = torch.ones(2, requires_grad=requires_grad or not is_leaf)
    if not is_leaf:
        tensor = tensor * 2
    if retains_grad:
        tensor.retain_grad()
    return tensor


@pytest.mark.parametrize("is_leaf, requires_grad, retains_grad, unset, retain", TABLE)
def test_the_table_of_states(is_leaf, requires_grad, retains_grad, unset, retain):
    with torch_is_retrograd() as torch:
        check_state(torch, is_leaf, requires_grad, retains_grad, unset, retain)


@pytest.mark.live
@pytest.mark.parametrize("is_leaf, requires_grad, retains_grad, unset, retain", TABLE)
def test_the_table_of_states_in_pytorch(is_leaf, requires_grad, retains_grad, unset, retain):
    torch = pytest.importorskip("torch")
    check_state(torch, is_leaf, requires_grad, retains_grad, unset, retain)


def check_state(torch, is_leaf, requires_grad, retains_grad, unset, retain):
    state = (is_leaf, requires_grad, retains_grad)

    def read(tensor):
        return tensor.is_leaf, tensor.requires_grad, tensor.retains_grad

    tensor = tensor_with(torch, *state)
    assert read(tensor) == state
    assert read(tensor.requires_grad_(True)) == (is_leaf, True, retains_grad)

    tensor = tensor_with(torch, *state)
    if unset is None:
        assert read(tensor.requires_grad_(False)) == (True, False, False)
    else:
        with pytest.raises(RuntimeError, match=unset):
            tensor.requires_grad_(False)

    tensor = tensor_with(torch, *state)
    if retain is None:
        tensor.retain_grad()
        assert read(tensor) == (is_leaf, requires_grad, not is_leaf)
    else:
        with pytest.raises(RuntimeError, match=retain):
            tensor.retain_grad()
