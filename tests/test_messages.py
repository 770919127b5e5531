"""In each situation of tests/messages retrograd raises and warns what PyTorch does.

Same exception type and first sentence, same warnings, and the same value where none is raised.
`tests/record/messages.py` recorded PyTorch's side.
"""

from __future__ import annotations

import pytest

import message_table
from comparing import difference, first_sentence, load, torch_is_retrograd

RECORDED = load("messages.json")

# What retrograd does not do yet, by reason. An entry that starts to pass fails the test until it
# is taken off the list.
NOT_YET: dict[str, list[str]] = {
    "torch.func refuses other things": [
        "modes: vmap: in-place of a batched value into an unbatched one",
    ],
    "Tensor.resize_ is not there yet": [
        "inplace: resize_ on a tensor that requires grad",
    ],
    "retrograd adds a Tensor to an array, where PyTorch refuses": [
        "shapes: numpy array + tensor requiring grad",
    ],
}


def situations():
    reasons = {name: reason for reason, names in NOT_YET.items() for name in names}
    assert reasons.keys() <= message_table.SITUATIONS.keys()
    for name in message_table.SITUATIONS:
        marks = ()
        if name in reasons:
            marks = (pytest.mark.xfail(strict=True, reason=reasons[name]),)
        yield pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", list(situations()))
def test_as_pytorch(name):
    with torch_is_retrograd():
        found = message_table.run(name)
    assert_same(found, RECORDED[name])


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
    return raised and [raised[0], first_sentence(raised[1])]


def distinct(warned):
    """Category and first sentence of each warning, repetitions left out."""
    return list(dict.fromkeys((category, first_sentence(text)) for category, text in warned))


def test_every_situation_is_recorded():
    assert RECORDED.keys() - {"torch"} == message_table.SITUATIONS.keys()
