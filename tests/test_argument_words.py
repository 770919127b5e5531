"""Arguments that fit no signature, in PyTorch's words: aliases, keywords and arguments by place."""

from __future__ import annotations

import pytest

import retrograd

SORTS = {
    "a dimension by place": lambda t, x: x.sort(0, stable=True),
    "a flag by place": lambda t, x: x.sort(0, True, stable=True),
    "a flag by name": lambda t, x: x.sort(0, descending=True, stable=True),
    "a function's dimension": lambda t, x: t.sort(x, 0, stable=True),
    "a function's flag": lambda t, x: t.sort(x, 0, True, stable=False),
    "places": lambda t, x: x.argsort(0, stable=True),
    "places by a flag": lambda t, x: x.argsort(0, True, stable=True),
    "a function's places": lambda t, x: t.argsort(x, 0, stable=True),
    "a function's places by a flag": lambda t, x: t.argsort(x, 0, True, stable=True),
    "a number for stable": lambda t, x: x.sort(stable=1),
    "no number to sort": lambda t, x: t.msort(3),
}


def words(call, torch):
    """What an error says before what only retrograd adds; None where there is none."""
    try:
        call(torch, torch.tensor([[3.0, 1.0], [2.0, 5.0]]))
    except Exception as error:
        return str(error).partition("\n\n")[0].rstrip()
    return None


@pytest.mark.live
@pytest.mark.parametrize("name", SORTS)
def test_what_stable_goes_with_is_given_by_name(name):
    torch = pytest.importorskip("torch")
    found = words(SORTS[name], retrograd)
    assert found == words(SORTS[name], torch) and found is not None


def test_stable_by_itself():
    x = retrograd.tensor([[3.0, 1.0], [2.0, 5.0]])
    assert x.sort(stable=True, dim=0, descending=True)[1].tolist() == [[0, 1], [1, 0]]
    assert x.argsort(stable=False).tolist() == [[1, 0], [0, 1]]
    assert retrograd.sort(x, stable=None)[1].tolist() == [[1, 0], [0, 1]]
    for sort in (retrograd.sort, retrograd.argsort):
        with pytest.raises(TypeError, match=r"sort\(\) .*takes|sort\(\) received an invalid"):
            sort(x, 0, stable=True)

ELEMENTWISE = ("absolute", "negative", "fix", "arcsin", "arccos", "arctan", "arcsinh", "arccosh",
               "arctanh")
PAIRS = ("multiply", "divide", "true_divide", "subtract", "greater", "greater_equal", "less",
         "less_equal", "not_equal")
METHODS = (*ELEMENTWISE, *PAIRS, "clip", "arctan2", "swapaxes", "swapdims", "ger", "inverse",
           "det", "logdet", "orgqr", *(f"{name}_" for name in (*ELEMENTWISE, *PAIRS, "clip",
                                                                "arctan2", "swapaxes", "swapdims")))
GIVEN = ("", "'a'", "None", "[1, 'a']", "0, 1, 2", "0, 1, 2, 3, 4", "sideways=3")


@pytest.mark.live
@pytest.mark.parametrize("name", METHODS)
def test_methods_of_another_name_say_so(name):
    torch = pytest.importorskip("torch")
    asked = 0
    for given in GIVEN:
        call = eval(f"lambda t, x: x.{name}({given})")
        found, expected = words(call, retrograd), words(call, torch)
        assert found == expected, given
        asked += expected is not None
    assert asked > 4


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_another_name_give_it_in_errors(name):
    with pytest.raises(TypeError, match=rf"^(TensorBase\.)?{name}\(\)"):
        getattr(retrograd.ones(2, 2), name)(sideways=3)
