"""In each situation of tests/messages retrograd raises and warns what PyTorch does.

Same exception type and first sentence, same warnings, and the same value where none is raised.
`tests/record/messages.py` recorded PyTorch's side.
"""

from __future__ import annotations

import pytest

import message_table
import retrograd
from comparing import difference, first_sentence, load, torch_is_retrograd
from retrograd.autograd import on_wrong_gradient

RECORDED = load("messages.json")

# PyTorch goes on with a wrong gradient, or stumbles over something else; see
# docs/wrong-gradients.md.
WRONG_IN_PYTORCH = {
    "function: save_for_backward of an intermediate, double backward: silently no grad path":
        None,                            # the gradient requires grad: differentiating it is refused
    "function: once_differentiable: double backward": "@once_differentiable",
    "inplace: in-place modification via .data of a saved tensor: silent wrong gradient":
        "changed through .data",
}


@pytest.mark.parametrize("name", message_table.SITUATIONS)
def test_as_pytorch(name):
    with torch_is_retrograd(), on_wrong_gradient("ignore" if name in WRONG_IN_PYTORCH else None):
        found = message_table.run(name)
    assert_same(found, RECORDED[name])


@pytest.mark.parametrize("name", WRONG_IN_PYTORCH)
def test_what_pytorch_does_not_notice(name):
    with torch_is_retrograd():
        found = message_table.run(name)
    sentence = WRONG_IN_PYTORCH[name]
    if sentence is None:
        assert found["result"] == "(tensor(5.4366, grad_fn=<MulBackward0>), True)"
    else:
        said = [found["error"], *found["warnings"]]
        assert any(sentence in text for one in said if one for text in one)


def test_what_stands_before_functions_changes_no_words():
    """A subclass and autocast put code of their own before every public function."""
    class Seen(retrograd.Tensor):
        pass
    assert type(retrograd.ones(1).as_subclass(Seen) + 1) is Seen
    with retrograd.autocast("cpu", retrograd.float16):
        retrograd.ones(1, 1) @ retrograd.ones(1, 1)
    with torch_is_retrograd():
        for name in ('x.reshape("a")', 'x.transpose(0, "a")', "torch.ones(3, out=[1])",
                     "x.sum(0, 1)", 'torch.cat([x, x], "a")', "torch.where(m, x)"):
            found = message_table.run(f"arguments: {name}")
            assert_same(found, RECORDED[f"arguments: {name}"])


@pytest.mark.live
@pytest.mark.parametrize("name", message_table.SITUATIONS)
def test_recorded_is_what_pytorch_does(name):
    pytest.importorskip("torch")
    assert_same(message_table.run(name), RECORDED[name])


def assert_same(found, expected):
    assert sentences(found["error"]) == sentences(expected["error"])
    assert distinct(found["warnings"]) == distinct(expected["warnings"])
    if expected["error"] is None:
        assert difference(found["result"], expected["result"]) is None
    assert found["output"] == expected["output"]


def sentences(raised):
    if raised is None:
        return None
    text = raised[1].replace(" (missed __exit__ method)", "")         # Python's, from 3.14 on
    return [raised[0], first_sentence(text)]


def distinct(warned):
    """Category and first sentence of each warning, repetitions left out."""
    return list(dict.fromkeys((category, first_sentence(text)) for category, text in warned))


def test_every_situation_is_recorded():
    assert RECORDED.keys() - {"torch"} == message_table.SITUATIONS.keys()
