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

OPTIONS = ("dtype=3", "dtype='float32'", "device=3.5", "layout=1", "requires_grad='a'",
           "pin_memory=3")
FACTORIES = {
    "rand": "2", "randn": "2", "randint": "3, (2,)", "randperm": "3", "arange": "3", "eye": "2",
    "linspace": "0, 1, 3", "logspace": "0, 1, 3", "rand_like": "x", "randn_like": "x",
    "randint_like": "x, 3", "zeros": "2", "ones": "2", "empty": "2", "full": "(2,), 1.0",
    "zeros_like": "x", "full_like": "x, 1.0", "hann_window": "3",
}
SIZES = {
    "an int": "t.zeros(size=2)", "an int for random numbers": "t.rand(size=2)",
    "two": "t.ones(2, size=(2,))", "two of random numbers": "t.randn(2, size=(2,))",
    "no number to permute": "t.randperm(x)", "no tensor to permute into": "t.randperm(3, out=3)",
    "no generator": "t.rand(2, generator=1)", "no generator to permute":
    "t.randperm(3, generator=1)", "no tensor to write to": "t.rand(2, out=3)",
    "no flag": "t.multinomial(x, 1, 'a')", "no tensor to draw into": "t.multinomial(x, 1, out=3)",
}


@pytest.mark.live
@pytest.mark.parametrize("name", FACTORIES)
def test_options_of_another_type_are_refused_in_pytorchs_words(name):
    torch = pytest.importorskip("torch")
    for option in OPTIONS:
        call = eval(f"lambda t, x: t.{name}({FACTORIES[name]}, {option})")
        found = words(call, retrograd)
        assert found == words(call, torch) and found is not None, option


@pytest.mark.live
@pytest.mark.parametrize("name", SIZES)
def test_sizes_are_refused_in_pytorchs_words(name):
    torch = pytest.importorskip("torch")
    call = eval(f"lambda t, x: {SIZES[name]}")
    found = words(call, retrograd)
    assert found == words(call, torch) and found is not None


@pytest.mark.parametrize("name", FACTORIES)
def test_options_of_another_type_are_type_errors(name):
    for option in OPTIONS:
        with pytest.raises(TypeError, match=rf"^{name}\(\)"):
            eval(f"t.{name}({FACTORIES[name]}, {option})",
                 {"t": retrograd, "x": retrograd.ones(2)})
