"""out= arguments: written whole or not at all, and never where autograd would have to follow."""

import pytest

import retrograd as torch

PAIRS = {
    "max": lambda x, o: torch.max(x, 0, out=o), "min": lambda x, o: torch.min(x, 0, out=o),
    "sort": lambda x, o: torch.sort(x, 0, out=o), "topk": lambda x, o: torch.topk(x, 2, 0, out=o),
    "kthvalue": lambda x, o: torch.kthvalue(x, 1, 0, out=o),
    "median": lambda x, o: torch.median(x, 0, out=o),
    "nanmedian": lambda x, o: torch.nanmedian(x, 0, out=o),
    "mode": lambda x, o: torch.mode(x, 0, out=o), "cummax": lambda x, o: torch.cummax(x, 0, out=o),
    "slogdet": lambda x, o: torch.linalg.slogdet(x, out=o),
    "inv_ex": lambda x, o: torch.linalg.inv_ex(x, out=o),
    "qr": lambda x, o: torch.linalg.qr(x, out=o), "eigh": lambda x, o: torch.linalg.eigh(x, out=o),
}


@pytest.mark.parametrize("name", PAIRS)
def test_nothing_is_written_if_one_of_several_does_not_fit(name):
    first, second = torch.full((3,), 7.0), torch.zeros(3, dtype=torch.bool)
    with pytest.raises(RuntimeError):
        PAIRS[name](torch.eye(3), (first, second))
    assert first.tolist() == [7, 7, 7] and first._version == second._version == 0


@pytest.mark.parametrize(("name", "message"), [
    ("kthvalue", "^output indices must be of scalar type Long"),
    ("nanmedian", r"'indices' to have scalar type Long; .*\(while checking arguments for median"),
])
def test_places_are_whole_numbers(name, message):
    with pytest.raises(RuntimeError, match=message):
        PAIRS[name](torch.eye(3), (torch.empty(3), torch.empty(3)))


MAKERS = ("arange(3", "range(0, 2", "linspace(0, 1, 3", "logspace(0, 1, 3", "zeros(3", "ones(3",
          "full((3,), 2", "eye(3", "rand(3", "randperm(3", "randint(3, (3,)", "normal(0, 1, (3,)",
          "empty(3", "randn(3")


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("call", MAKERS)
def test_new_numbers_are_not_written_over_what_is_recorded(call):
    x = torch.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError) as refused:
        eval(f"torch.{call}, out=x)")
    name = call.partition("(")[0]
    assert str(refused.value) == (
        "cannot resize variables that require grad" if name in ("empty", "randn") else
        f"aten::{name}(): functions with out=... arguments don't support automatic "
        "differentiation, but one of the arguments requires grad.")
    assert x.tolist() == [0, 0, 0] and x._version == 0
    with torch.no_grad():
        assert eval(f"torch.{call}, out=x)") is x


@pytest.mark.parametrize("call", ["sum(x, 0", "prod(x, 0", "cumsum(x, 0", "cumprod(x, 0"])
def test_sums_of_what_is_recorded_are_not_cut_off_in_integers(call):
    x, out = torch.ones(3, requires_grad=True), torch.zeros(3, dtype=torch.int64)  # noqa: F841
    with pytest.raises(RuntimeError, match=r"functions with out=\.\.\. arguments don't support"):
        eval(f"torch.{call}, out=out)")


@pytest.mark.parametrize("call", ["gt(x, 0", "eq(x, x", "logical_not(x", "signbit(x",
                                  "isposinf(x", "logical_and(x, x"])
def test_true_or_false_of_what_is_recorded_may_be_written(call):
    x, out = torch.ones(3, requires_grad=True), torch.empty(3, dtype=torch.bool)  # noqa: F841
    written = eval(f"torch.{call}, out=out)")
    assert written is out and written.tolist() == eval(f"torch.{call})").tolist()


@pytest.mark.parametrize("name", ["rand", "randn", "randint"])
def test_functions_that_draw_are_named(name):
    with pytest.raises(TypeError, match=rf"^{name}\(\) received an invalid combination of arg"):
        getattr(torch, name)(*([3] if name == "randint" else []), (2,), out=5)


@pytest.mark.parametrize(("dtype", "name"), [
    ("int64", "long int"), ("int16", "short int"), ("uint16", "short unsigned int"),
    ("uint64", "long unsigned int"), ("bool", "bool"), ("int32", "int")])
def test_dtypes_are_called_as_in_c(dtype, name):
    numbers = torch.zeros(3, dtype=getattr(torch, dtype))
    with pytest.raises(RuntimeError, match=f"to have dtype float, but got {name} instead"):
        torch.sum(torch.ones(3), 0, dtype=torch.float32, out=numbers)
    with pytest.raises(RuntimeError, match=f"assign a gradient with dtype '{name}' to a tensor"):
        torch.ones(3, requires_grad=True).grad = numbers


OF_LAYERS = {
    "gelu": lambda t, o: t.nn.functional.gelu(t.tensor([[[-1.0, 2.0], [0.5, 1.0]]]), out=o),
    "gelu_tanh": lambda t, o: t.nn.functional.gelu(
        t.tensor([[[-1.0, 2.0]]]), approximate="tanh", out=o),
    "hardshrink": lambda t, o: t.nn.functional.hardshrink(t.tensor([0.2, -2.0]), 0.5, out=o),
    "linear": lambda t, o: t.nn.functional.linear(t.ones(3, 2), t.ones(4, 2), t.ones(4), out=o),
    "linear_no_bias": lambda t, o: t.nn.functional.linear(t.ones(2), t.ones(4, 2), out=o),
    "avg_pool2d": lambda t, o: t.nn.functional.avg_pool2d(t.ones(1, 4, 4), 2, out=o),
    "avg_pool3d": lambda t, o: t.nn.functional.avg_pool3d(t.ones(1, 4, 4, 2), 2, out=o),
}
FOUND = "Found dtype Double but expected Float"
EXPECTED = "Expected out tensor to have dtype float, but got double instead"


@pytest.mark.parametrize("name", OF_LAYERS)
def test_layers_write_their_result(name):
    """Into a tensor whose shape is adapted, whose dtype must be right."""
    out = torch.empty(0)
    assert OF_LAYERS[name](torch, out) is out
    assert out.numel() and torch.equal(out, OF_LAYERS[name](torch, None))
    words = FOUND if name.startswith(("gelu", "hardshrink")) else EXPECTED
    with pytest.raises(RuntimeError, match=words):
        OF_LAYERS[name](torch, torch.empty(0, dtype=torch.float64))
    with pytest.raises(RuntimeError, match=r"functions with out=... arguments don't support"):
        OF_LAYERS[name](torch, torch.empty(0, requires_grad=True))


@pytest.mark.live
@pytest.mark.parametrize("name", OF_LAYERS)
def test_layers_write_what_pytorch_writes(name):
    theirs = pytest.importorskip("torch")
    found, expected = (OF_LAYERS[name](t, t.empty(0)) for t in (torch, theirs))
    assert found.shape == expected.shape
    assert found.flatten().tolist() == pytest.approx(expected.flatten().tolist())
