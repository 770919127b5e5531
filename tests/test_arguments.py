"""Public functions given what is no tensor, or too little: the errors are PyTorch's."""

from __future__ import annotations

import importlib
import inspect
import pickle
import warnings

import numpy as np
import pytest

import retrograd
from retrograd.ops import arguments
from retrograd.ops.bind import function_names
from retrograd.ops.public import _unwrapped, flags_of

HOMES = ("", "nn.functional", "linalg", "fft", "special")
WRONG = {"array": np.ones((2, 2), np.float32), "list": [1.0, 2.0], "text": "abc", "None": None}
INTEGERS = frozenset(        # parameters that want a 1, where the others want a tensor
    "dim dim0 dim1 k n chunks start length index source destination dims shifts groups split_size "
    "kernel_size output_size upscale_factor downscale_factor size axis0 axis1 sections pad N ord p "
    "maxnorm normalized_shape num_samples step dimension stride split_sizes sizes num_groups"
    .split())
NOT_ASKED = frozenset(       # what takes anything, or asks no tensor, or changes how others work
    "tensor as_tensor asarray from_numpy load save compile install uninstall manual_seed "
    "set_printoptions lstsq solve eig symeig matrix_rank set_default_dtype set_default_device "
    "set_default_tensor_type".split())


def public():
    """(home, name, function) of each function in PyTorch's namespaces."""
    for home in HOMES:
        module = importlib.import_module(f"retrograd.{home}".rstrip("."))
        names = dir(module) if home else function_names()     # not what other modules lend torch
        for name in sorted(set(names) - NOT_ASKED):
            function = getattr(module, name, None)
            if inspect.isfunction(function) and not name.startswith("_") \
                    and inspect.signature(function).parameters:
                yield home, name, function


def raised(function, *args):
    """(type, first line) of the error, ("", "") where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*args)
        except Exception as error:
            return type(error).__name__, str(error).partition("\n")[0]
    return "", ""


def further(function, torch):
    """Arguments for what else a function needs."""
    return [1 if p.name in INTEGERS else torch.ones(2, 2)
            for p in list(inspect.signature(function).parameters.values())[1:]
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]


@pytest.mark.parametrize("wrong", WRONG)
def test_no_error_shows_how_tensors_are_made(wrong):
    inside = [name for _, name, function in public()
              if "attribute '_" in raised(function, WRONG[wrong], *further(function, retrograd))[1]]
    assert not inside


@pytest.mark.live
@pytest.mark.parametrize("wrong", WRONG)
def test_nearly_all_say_what_pytorch_says(wrong):
    torch = pytest.importorskip("torch")
    different, asked = [], 0
    for home, name, function in public():
        theirs = getattr(importlib.import_module(f"torch.{home}".rstrip(".")), name, None)
        if theirs is None or inspect.isclass(theirs):
            continue
        found = raised(function, WRONG[wrong], *further(function, retrograd))
        expected = raised(theirs, WRONG[wrong], *further(function, torch))
        if "()" in expected[1]:             # the others stumble in PyTorch's own Python
            asked += 1
            if found != expected:
                different.append((home, name, found, expected))
    assert asked > 600
    assert len(different) < 0.09 * asked, different


def required(function):
    return [p.name for p in list(inspect.signature(function).parameters.values())[1:]
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]


@pytest.mark.live
def test_methods_name_the_argument_that_is_no_tensor():
    """Its position is counted without the tensor that the method is called on."""
    torch = pytest.importorskip("torch")
    different, asked = [], 0
    for name in sorted(name for name in dir(retrograd.Tensor) if name[0] != "_"):
        method = getattr(retrograd.Tensor, name)
        if not inspect.isfunction(method) or not hasattr(torch.Tensor, name):
            continue
        names = required(method)
        given = ", ".join(f"z[{k}]" for k in range(len(names)))
        call = eval(f"lambda t, *z: t.ones(2, 2).{name}({given})")
        for wrong in range(len(names)):
            found, expected = (raised(call, t, *(
                WRONG["array"] if k == wrong else 1 if p in INTEGERS else t.ones(2, 2)
                for k, p in enumerate(names))) for t in (retrograd, torch))
            assert "attribute '_" not in found[1], name
            if "must be Tensor" in expected[1]:
                asked += 1
                if found != expected:
                    different.append((name, found, expected))
    assert asked > 120
    assert len(different) < 0.15 * asked, different


CALLS = {
    "several signatures": lambda t, a: t.max(a, 0, True),
    "one that fits": lambda t, a: t.max(a),
    "by name": lambda t, a: t.diag(input=a),
    "second": lambda t, a: t.index_select(t.ones(2), 0, a),
    "an element": lambda t, a: t.block_diag(t.ones(2), a),
    "an element of a list": lambda t, a: t.stack([t.ones(2), a]),
    "not a list": lambda t, a: t.hstack(a),
    "missing": lambda t, a: t.chunk(t.ones(2)),
    "two missing": lambda t, a: t.narrow(t.ones(2)),
    "missing of a product": lambda t, a: t.mm(t.ones(2, 2)),
    "no sizes": lambda t, a: t.ones(2).reshape(),
    "no sizes of a view": lambda t, a: t.ones(()).view(),
    "no sizes of a function": lambda t, a: t.tile(t.ones(2)),
    "no dimensions": lambda t, a: t.permute(t.ones(2)),
    "no numbers of repeats": lambda t, a: t.ones(2).repeat(),
    "a dimension for a flag": lambda t, a: t.ones(2, 2).sum(0, 0),
    "a dimension for a mean's flag": lambda t, a: t.mean(t.ones(2, 2), 0, 1),
    "no dimension for a flag": lambda t, a: t.ones(2).sum(None, 0),
    "a number for a flag": lambda t, a: t.nonzero(t.ones(2), as_tuple=3),
    "a number to interpolate to": lambda t, a: t.ones(2).lerp(0, 0.5),
    "a number for a word": lambda t, a: t.nn.functional.gelu(t.ones(2), approximate=1),
    "too many": lambda t, a: t.flatten(t.ones(2), 0, 0, 0),
    "unknown": lambda t, a: t.flatten(t.ones(2), sideways=1),
    "another name": lambda t, a: t.concat(a),
    "another name of an operator": lambda t, a: t.greater_equal(a, a),
    "in place": lambda t, a: t.abs_(a),
    "a number for a number's sake": lambda t, a: t.bitwise_and(1, 2),
    "a loss": lambda t, a: t.nn.functional.cross_entropy(a, t.tensor([1])),
    "linear algebra": lambda t, a: t.linalg.inv(a),
    "a transform": lambda t, a: t.fft.fft(a),
    "a method": lambda t, a: t.ones(2).matmul(a),
    "a method with numbers": lambda t, a: t.ones(2).gather(0, a),
    "a method with names": lambda t, a: t.ones(2).gather(index=a, dim=0),
    "a method in place": lambda t, a: t.ones(2).mul_(a),
    "a method with several signatures": lambda t, a: t.ones(2).eq(a),
    "a method kept": lambda t, a: (lambda f: f(a))(t.ones(2).mv),
}


@pytest.mark.live
@pytest.mark.parametrize("name", CALLS)
def test_words_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    call, array = CALLS[name], np.ones(2, np.float32)
    found = raised(call, retrograd, array)
    assert found == raised(call, torch, array) and found[0] == "TypeError"


def test_all_signatures_are_listed():
    with pytest.raises(TypeError) as raised:
        retrograd.squeeze(np.ones(2), 0)
    assert [line for line in str(raised.value).splitlines() if line.startswith(" * ")] == [
        " * (Tensor input)", " * (Tensor input, int dim)", " * (Tensor input, tuple of ints dim)"]


def test_defaults_with_commas_are_one_word():
    assert all(word.isidentifier() for name in arguments.signatures()
               for count in range(9) for words in arguments.fitting(name, count) for word in words)


def test_errors_of_other_makings_stay():
    """An AttributeError that is about no argument, and a function of the caller's that fails."""
    with pytest.raises(AttributeError, match="'list' object has no attribute 'shape'"):
        retrograd.func.vmap(lambda x: [].shape)(retrograd.ones(2))


@pytest.mark.parametrize("home", HOMES)
def test_functions_know_their_names(home):
    """So that they can be pickled by them, and found by tools."""
    module = importlib.import_module(f"retrograd.{home}".rstrip("."))
    for _, name, function in (each for each in public() if each[0] == home):
        if function in _unwrapped:
            assert function.__name__ == name
            if home:
                assert pickle.loads(pickle.dumps(function)) is getattr(module, name)
            assert inspect.signature(function) == inspect.signature(inspect.unwrap(function))


MISTAKES = {
    "labels for probabilities": lambda t: t.nn.BCELoss()(t.tensor([0.5]), t.tensor([1])),
    "labels for scores": lambda t: t.nn.BCEWithLogitsLoss()(t.tensor([0.5]), t.tensor([1])),
    "yes or no for scores": lambda t: t.nn.BCEWithLogitsLoss()(t.tensor([0.5]), t.tensor([True])),
    "no zeros": lambda t: t.zeros(2, -1),
    "whole numbers that require grad": lambda t: setattr(t.ones(2).int(), "requires_grad", True),
    "text for a flag": lambda t: t.ones(2).requires_grad_("yes"),
    "text for a factor": lambda t: t.ones(2).add(1, alpha="a"),
    "a driver of CUDA's": lambda t: t.linalg.svd(t.eye(2), driver="gesvd"),
    "one of its values": lambda t: t.linalg.svdvals(t.eye(2), driver="gesvd"),
    "a factor of zeros": lambda t: t.linalg.lu_factor(t.zeros(2, 2)),
    "a factor of zeros in a batch": lambda t: t.linalg.lu_factor(
        t.stack([t.eye(2), t.zeros(2, 2)])),
    "a checked factor": lambda t: t.linalg.lu_factor_ex(t.zeros(2, 3), check_errors=True),
    "a checked inverse": lambda t: t.linalg.inv_ex(t.zeros(2, 2), check_errors=True),
    "a checked root": lambda t: t.linalg.cholesky_ex(
        t.stack([t.eye(2), t.zeros(2, 2)]), check_errors=True),
    "a checked solution": lambda t: t.linalg.solve_ex(t.zeros(2, 2), t.ones(2), check_errors=True),
    "a pseudoinverse of nan": lambda t: t.linalg.pinv(t.full((2, 2), float("nan"))),
    "steps backward": lambda t: t.nn.functional.max_unpool3d(
        t.ones(1, 1, 1, 1), t.zeros(1, 1, 1, 1).long(), 2, stride=-1),
    "a sparse norm's dimensions": lambda t: t.ones(2, 2).to_sparse().norm(keepdim=True),
    "a sparse norm's dtype": lambda t: t.ones(2, 2).to_sparse().norm(dtype=t.float64),
    "another sparse norm's dtype": lambda t: t.ones(2, 2).to_sparse().norm(2, dtype=t.float64),
    "rows that begin late": lambda t: t.sparse_csr_tensor(
        [1, 1], [0], [1.], (1, 1), check_invariants=True),
    "rows that end late": lambda t: t.sparse_csr_tensor(
        [0, 5], [0], [1.], (1, 1), check_invariants=True),
    "a column too far": lambda t: t.sparse_csr_tensor(
        [0, 1], [7], [1.], (1, 1), check_invariants=True),
    "columns too few": lambda t: t.sparse_csr_tensor(
        [0, 2], [0], [1., 2.], (1, 3), check_invariants=True),
    "another size": lambda t: t.repeat_interleave(t.ones(2), 2, output_size=5),
    "another size, of counts": lambda t: t.repeat_interleave(
        t.ones(2), t.tensor([1, 2]), output_size=5),
    "another size, of places": lambda t: t.repeat_interleave(t.tensor([1, 2]), output_size=5),
    "another device": lambda t: t.from_dlpack(t.ones(2), device="cuda"),
    "no step": lambda t: t.slice_copy(t.ones(3), 0, 0, 3, 0),
}
FLAGS = {                       # True where a number belongs; PyTorch looks at the first of several
    "split": lambda t, x: x.split(True), "torch.split": lambda t, x: t.split(x, True, dim=0),
    "parts": lambda t, x: x.split([True, 2]), "split_copy": lambda t, x: t.split_copy(x, True),
    "parts of their own": lambda t, x: t.split_with_sizes_copy(x, [True, 2]),
    "start": lambda t, x: t.slice_copy(x, 0, True, 2),
    "end": lambda t, x: t.slice_copy(x, 0, 1, True),
    "step": lambda t, x: t.slice_copy(x, 0, 0, 3, True),
    "no step": lambda t, x: t.slice_copy(x, 0, 0, 3, None),
    "start by name": lambda t, x: t.slice_copy(x, start=True),
    "offset": lambda t, x: t.as_strided_copy(x, (2,), (1,), True),
    "sizes": lambda t, x: t.view_copy(x, (True, 3)),
    "order": lambda t, x: x.polygamma(True), "order by name": lambda t, x: x.polygamma(n=True),
    "order in place": lambda t, x: x.polygamma_(True),
    "order that is not whole": lambda t, x: t.polygamma(1.5, x),
    "order in a tensor": lambda t, x: t.special.polygamma(t.tensor(1.0), x),
    "transform": lambda t, x: t.fft.fft2(x.expand(2, 3), s=(True, True)),
    "inverse": lambda t, x: t.fft.ihfftn(x, (True,)),
    "frequencies": lambda t, x: t.fft.fftfreq(True),
    "shifts": lambda t, x: x.roll((True,), (0,)), "times": lambda t, x: x.tile(True),
    "times in a tuple": lambda t, x: x.tile((True,)),
    "unflatten": lambda t, x: x.unflatten(0, (True, 3)), "eye": lambda t, x: t.eye(True),
    "randint": lambda t, x: t.randint(True, (2,)), "randperm": lambda t, x: t.randperm(True),
}
SAVED = {                       # what these have saved must not be written to before backward
    "cummax": lambda t, x, k: x.cummax(0)[0], "cummin": lambda t, x, k: x.cummin(0)[0],
    "gather": lambda t, x, k: x.gather(0, k), "take": lambda t, x, k: x.take(k),
    "index_add": lambda t, x, k: t.zeros(3).index_add(0, k, x),
    "index_copy": lambda t, x, k: t.zeros(3).index_copy(0, k, x),
    "put": lambda t, x, k: t.zeros(3).put(k, x),
}
OF_COMPLEX = {                  # what PyTorch does not record on complex numbers
    "silu": lambda t, x: t.nn.functional.silu(x), "nan_to_num": lambda t, x: x.nan_to_num(),
    "select_scatter": lambda t, x: x.select_scatter(x[0], 0, 0),
    "slice_scatter": lambda t, x: x.slice_scatter(x[:1], 0, 0, 1),
    "scatter_reduce": lambda t, x: x.scatter_reduce(0, t.tensor([0]), x, "sum"),
    "embedding": lambda t, x: t.nn.functional.embedding(t.tensor([0]), x.view(2, 1)),
    "bilinear": lambda t, x: t.nn.functional.bilinear(x.view(1, 2), x.view(1, 2), x.view(2, 1, 1)
                                                      .expand(2, 2, 2)),
    "geqrf": lambda t, x: t.geqrf(x.view(2, 1)), "to_sparse": lambda t, x: x.to_sparse(),
    "to_sparse_csr": lambda t, x: x.view(2, 1).to_sparse_csr(),
}


def written(t, read):
    x, index = t.ones(3, requires_grad=True) * 1, t.tensor([2, 0, 1])
    y = read(t, x, index)
    x += 1
    y.sum().backward()


def places_written(t):
    values, places = (t.ones(3, requires_grad=True) * 1).cummax(0)
    places += 1
    values.sum().backward()


def complex_numbers_written(t):
    x = t.ones(2, dtype=t.complex64, requires_grad=True) * 1
    y = x.square()
    x += 1
    y.real.sum().backward()


def mask_written(t):
    x, mask = t.ones(2, requires_grad=True), t.tensor([True, False])
    y = t.where(mask, x, 0.0)
    mask.logical_not_()
    y.sum().backward()


MISTAKES |= {f"a write: {name}": (lambda t, read=read: written(t, read))
             for name, read in SAVED.items()}
MISTAKES |= {"a write: places": places_written, "a write: mask": mask_written,
             "a write: complex numbers": complex_numbers_written}
MISTAKES |= {f"complex numbers: {name}": (
    lambda t, call=call: call(t, t.tensor([1j, 2.0], requires_grad=True)))
    for name, call in OF_COMPLEX.items()}
WRONG_WRITES = {                # a leaf is refused before arguments are looked at
    "fill_": lambda t, x: x.fill_(t.ones(2)), "fill_ by a complex number": lambda t, x: x.fill_(1j),
    "cumsum_": lambda t, x: x.cumsum_(5), "renorm_": lambda t, x: x.renorm_(-1, 0, 1),
    "addmm_": lambda t, x: x.addmm_(t.ones(2, 2), t.ones(3, 3)),
    "addr_": lambda t, x: x.addr_(t.ones(2), t.ones(3)),
    "uniform_": lambda t, x: x.uniform_(1, 0),
    "put_": lambda t, x: x.put_(t.tensor([99]), x[0, :1]),
    "fill_diagonal_": lambda t, x: x[0].fill_diagonal_(1),
    "float_power_": lambda t, x: x.float_power_(2),
    "text": lambda t, x: x.cumsum_("a"),
}
MISTAKES |= {f"a leaf: {name}": (lambda t, call=call: call(t, t.ones(3, 3, requires_grad=True)))
             for name, call in WRONG_WRITES.items()}
MISTAKES |= {f"a view of a leaf: {name}": (
    lambda t, call=call: call(t, t.ones(9, requires_grad=True).view(3, 3)))
    for name, call in WRONG_WRITES.items()}
MISTAKES |= {f"no leaf: {name}": (lambda t, call=call: call(t, t.ones(3, 3)))
             for name, call in WRONG_WRITES.items()}
MISTAKES |= {f"a flag: {name}": (lambda t, call=call: call(t, t.ones(3)))
             for name, call in FLAGS.items()}


@pytest.mark.live
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named_in_pytorchs_words(name):
    torch = pytest.importorskip("torch")
    found = raised(MISTAKES[name], retrograd)
    assert found == raised(MISTAKES[name], torch) and found[0]


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_complex_numbers_that_are_not_recorded_are_computed(name):
    x = retrograd.tensor([1j, 2.0])
    assert OF_COMPLEX[name](retrograd, x) is not None
    with retrograd.no_grad():
        assert OF_COMPLEX[name](retrograd, x.requires_grad_()) is not None


def test_in_place_complex_numbers_are_recorded():
    x = retrograd.tensor([1j, 2.0], dtype=retrograd.complex128, requires_grad=True)
    assert retrograd.autograd.gradcheck(lambda x: (x * 1).nan_to_num_(), x)
    assert retrograd.autograd.gradcheck(
        lambda x: retrograd.nn.functional.silu(x * 1, inplace=True), x)


def test_flags_after_a_number_are_numbers():
    x = retrograd.ones(3)
    assert [len(part) for part in x.split([2, True])] == [2, 1]
    assert retrograd.fft.irfft2(x.expand(2, 3), (2, True)).shape == (2, 1)


def test_a_number_of_the_name_of_a_flag_is_none():
    """A call whose arguments seem to be of wrong types is looked at closely, which takes long."""
    names = flags_of(retrograd.nn.functional.rrelu)[0]
    assert "upper" not in names and names["training"]


def test_there_are_no_complex_numbers_of_half_precision():
    with pytest.raises(NotImplementedError, match="^torch.complex32: NumPy has no such type"):
        retrograd.ones(2).chalf()


BECAUSE = "      didn't match because some of the "
UNMATCHED = {
    "types": (lambda t: t.max(t.ones(2), 1, t.ones(2)), [
        BECAUSE + "arguments have invalid types: (Tensor, !int!, !Tensor!)"]),
    "types of a method's": (lambda t: t.ones(2).fill_("a"), [
        BECAUSE + "arguments have invalid types: (!str!)"] * 2),
    "types of elements": (lambda t: t.Tensor([1], [2, "a"]), [
        BECAUSE + "arguments have invalid types: (!list of [int]!, !list of [int, str]!)"]),
    "keywords": (lambda t: t.where(condition=1, input=2, other=3), [
        BECAUSE + "keywords were incorrect: input",
        BECAUSE + "arguments have invalid types: (!condition=int!, !input=int!, !other=int!, )",
        BECAUSE + "keywords were incorrect: input"]),
    "an array": (lambda t: t.squeeze(np.ones(2), 0), [
        BECAUSE + "arguments have invalid types: (!numpy.ndarray!, int)",
        BECAUSE + "arguments have invalid types: (!numpy.ndarray!, !int!)"]),
    "a device": (lambda t: t.device(3.0), [BECAUSE + "arguments have invalid types: (!float!)"]),
}


@pytest.mark.parametrize("name", UNMATCHED)
def test_what_differs_stands_below_a_signature_of_as_many_words(name):
    call, lines = UNMATCHED[name]
    with pytest.raises(TypeError) as error:
        call(retrograd)
    assert [line for line in str(error.value).splitlines() if "didn't" in line] == lines


@pytest.mark.live
@pytest.mark.parametrize("name", UNMATCHED)
def test_what_differs_is_what_pytorch_says(name):
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError) as theirs:
        UNMATCHED[name][0](torch)
    with pytest.raises(TypeError) as ours:
        UNMATCHED[name][0](retrograd)
    assert str(ours.value).partition("\n\n")[0].rstrip() == str(theirs.value).rstrip()


@pytest.mark.parametrize("call", [
    lambda x: x.sum("a"), lambda x: x.view("a"), lambda x: x.split("a"), lambda x: x.split(1.0),
    lambda x: x.topk(1.5), lambda x: x.std("a"), lambda x: x.masked_fill(x > 0, "a"),
    lambda x: x.fill_("a"), lambda x: x.clamp("a"), lambda x: x.sum((0.0,))])
def test_what_is_no_number_is_a_type_error(call):
    with pytest.raises(TypeError, match="invalid combination|must be (int|Number|tuple)"):
        call(retrograd.ones(2))


@pytest.mark.live
@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss"])
def test_whole_targets_do_not_make_losses_double(name):
    torch = pytest.importorskip("torch")

    def loss(t):
        return getattr(t.nn.functional, name)(t.tensor([0.5, 1.5]), t.tensor([1, 1])).dtype
    assert str(loss(retrograd)) == str(loss(torch)) == "torch.float32"


WARNED = {
    "a loss of other shapes": lambda t: t.nn.functional.mse_loss(t.ones(2, 1), t.ones(2)),
    "a layer of other shapes": lambda t: t.nn.MSELoss()(t.ones(2, 1), t.ones(2)),
    "out of another shape": lambda t: t.diag(t.ones(2), out=t.ones(3)),
    "out of a reduction": lambda t: t.amax(t.ones(2), out=t.ones(3)),
    "no degrees of freedom": lambda t: t.std(t.ones(1)),
    "a method": lambda t: t.ones(1).std(),
    "an old order": lambda t: t.addcmul(t.ones(2), 2, t.ones(2), t.ones(2)),
    "an expanded tensor": lambda t: t.zeros(1).expand(2).masked_fill_(t.tensor([True, False]), 1),
}


@pytest.mark.parametrize("name", WARNED)
def test_warnings_name_the_users_line(name, monkeypatch):
    monkeypatch.setattr("retrograd.ops.deprecated._warned", False)
    with pytest.warns(UserWarning) as record:
        WARNED[name](retrograd)
    assert [w.filename for w in record] == [__file__]


WRITES = {
    "shapes": lambda t, x: x.add_(t.ones(5)),
    "a dtype": lambda t, x: x.add_(1j),
    "a scale": lambda t, x: x.sub_(x, alpha="a"),
    "a row that is too long": lambda t, x: x.__setitem__(0, t.ones(5)),
    "a row that is not there": lambda t, x: x.__setitem__(t.tensor([0, 7]), 1.0),
    "a mask": lambda t, x: x.masked_fill_(t.ones(2, 4).bool(), 1.0),
    "values for a mask": lambda t, x: x.__setitem__(x > 5, t.ones(3)),
    "places to scatter to": lambda t, x: x.scatter_(0, t.tensor([[0, 9, 1, 2]]), 1.0),
    "places to add to": lambda t, x: x.index_add_(0, t.tensor([0, 9]), t.ones(2, 4)),
    "places to put": lambda t, x: x.index_put_((t.tensor([0, 9]),), t.ones(4)),
    "places to copy to": lambda t, x: x.index_copy_(0, t.tensor([0, 9]), t.ones(2, 4)),
    "a number too large": lambda t, x: x.to(t.uint8).fill_(300),
    "a copy": lambda t, x: x.copy_(t.ones(5, 4)),
    "bounds": lambda t, x: x.clamp_("a"),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_that_fail_write_nothing(name):
    x = retrograd.arange(12.0).reshape(3, 4)
    with pytest.raises((IndexError, RuntimeError, TypeError)):
        WRITES[name](retrograd, x)
    assert x.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert x._version == 0


COMPLEX = {
    "addcmul": lambda t, x: t.addcmul(x, x, x, value=1j),
    "addcdiv_": lambda t, x: x.clone().addcdiv_(x, x, value=1j),
    "lerp": lambda t, x: t.lerp(x, x, 1j),
    "addmv": lambda t, x: t.addmv(x, t.ones(2, 2), x, alpha=1j),
    "addmm": lambda t, x: t.addmm(x, t.ones(2, 2), t.ones(2, 2), beta=1j),
    "baddbmm": lambda t, x: t.baddbmm(x, t.ones(1, 2, 2), t.ones(1, 2, 2), alpha=1j),
    "index_add": lambda t, x: x.index_add(0, t.tensor([0]), t.ones(1), alpha=1j),
    "softplus": lambda t, x: t.nn.functional.softplus(x, 1j),
    "threshold": lambda t, x: t.nn.functional.threshold(x, 1j, 0),
    "elu": lambda t, x: t.nn.functional.elu(x, 1j),
    "leaky_relu": lambda t, x: t.nn.functional.leaky_relu(x, 1j),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_factors_beside_real_tensors_are_refused(name):
    with pytest.raises(RuntimeError, match="^value cannot be converted to type float without"):
        COMPLEX[name](retrograd, retrograd.ones(2))


def test_orthogonal_polynomials_take_x_and_n():
    special = retrograd.special
    assert special.chebyshev_polynomial_t(retrograd.tensor([0.5]), n=2).tolist() == [-0.5]
    assert special.legendre_polynomial_p(x=2.0, n=retrograd.tensor([1.0])).tolist() == [2.0]


def test_a_mean_without_nan_is_no_integer():
    with pytest.raises(RuntimeError, match=r"^nanmean\(\): could not infer output dtype"):
        retrograd.nanmean(retrograd.ones(2), dtype=retrograd.int64)


@pytest.mark.parametrize("call", [
    "torch.clone(x, memory_format=3)", "torch.empty(2, memory_format=3)",
    "torch.zeros_like(x, memory_format=3)", "torch.full_like(x, 1, memory_format=3)",
    "Tensor.contiguous(x, memory_format=3)",
    "Tensor.is_contiguous(x, memory_format=3)", "Tensor.double(x, memory_format=3)",
    "Tensor.cpu(x, memory_format=3)", "Tensor.resize_(x, 2, memory_format=3)",
    "Tensor.resize_as_(x, x, memory_format=3)",
])
def test_what_is_no_memory_format_is_named(call):
    name = call.split("(")[0].split(".")[-1]
    with pytest.raises(TypeError) as error:
        eval(call, {"torch": retrograd, "Tensor": retrograd.Tensor, "x": retrograd.ones(2)})
    assert str(error.value).splitlines()[0] == (
        f"{name}(): argument 'memory_format' must be torch.memory_format, not int")
    with pytest.raises(TypeError, match=r"not torch\.dtype"):      # it has a name, too
        retrograd.empty_like(retrograd.ones(2), memory_format=retrograd.float32)
    with pytest.raises(TypeError, match=r"^to\(\) received an invalid combination of arguments"):
        retrograd.ones(2).to(memory_format=3)


@pytest.mark.parametrize("name", ["max", "min", "median", "nanmedian"])
def test_keepdim_is_not_left_unheeded_where_there_is_no_dim(name):
    function, x = getattr(retrograd, name), retrograd.ones(2, 3)
    combination = r"received an invalid combination of arguments - got \(Tensor, keepdim=bool\)"
    missing = 'missing 1 required positional arguments: "dim"$'
    with pytest.raises(TypeError, match=rf"^{name}\(\) ({combination}|{missing})"):
        function(x, keepdim=True)
    assert function(x).shape == ()


def test_type_takes_a_memory_format():
    x = retrograd.ones(1, 2, 3, 3).type(retrograd.float64, memory_format=retrograd.channels_last)
    assert x.dtype is retrograd.float64 and x.stride() == (18, 1, 6, 2)


def test_arrays_of_the_other_byte_order_in_lists_are_read():
    numbers = np.array([1, 2], ">f4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        made = retrograd.tensor([numbers, [3.0, 4.0]])
        assert made.dtype is retrograd.float32 and made.tolist() == [[1, 2], [3, 4]]
        assert retrograd.tensor([np.array([7], ">u2")]).dtype is retrograd.uint16
    with pytest.raises(ValueError, match="^given numpy array has byte order different from"):
        retrograd.tensor(numbers)


def test_there_is_no_xpu():
    with pytest.raises(AssertionError, match="^Torch not compiled with XPU enabled"):
        retrograd.ones(2).xpu()


MADE = {
    "zeros": lambda t, **o: t.zeros(3, **o), "ones": lambda t, **o: t.ones(3, **o),
    "empty": lambda t, **o: t.empty(3, **o), "full": lambda t, **o: t.full((3,), 2, **o),
    "eye": lambda t, **o: t.eye(3, 1, **o), "arange": lambda t, **o: t.arange(3.0, **o),
    "linspace": lambda t, **o: t.linspace(0, 1, 3, **o), "rand": lambda t, **o: t.rand(3, **o),
    "randn": lambda t, **o: t.randn(3, **o), "randint": lambda t, **o: t.randint(2, (3,), **o),
    "randperm": lambda t, **o: t.randperm(3, **o),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_into_out_is_as_it_is_asked_for(name):
    out = retrograd.zeros(3)
    assert MADE[name](retrograd, out=out, requires_grad=True) is out and out.requires_grad
    for options, message in (
            ({"layout": retrograd.sparse_coo},
             r"^layout Sparse does not match layout of out parameter \(Strided\)$"),
            ({"device": "meta"},
             r"^device type meta does not match device type of out parameter \(cpu\)$"),
            ({"dtype": retrograd.int16}, "^dtype Short does not match dtype of out")):
        with pytest.raises(RuntimeError, match=message):
            MADE[name](retrograd, out=retrograd.zeros(3), **options)


def test_whole_numbers_made_into_out_require_no_grad():
    with pytest.raises(RuntimeError, match="^Only Tensors of floating point and complex dtype"):
        retrograd.arange(3, out=retrograd.zeros(3).int(), requires_grad=True)


def test_older_constructors_take_a_device_alone():
    for device in ("cuda", "meta"):
        for make in (retrograd.Tensor, retrograd.FloatTensor, retrograd.ones(1).new):
            with pytest.raises(RuntimeError, match="^legacy constructor expects device type: cpu "
                                                   f"but device type: {device} was passed"):
                make(2, device=device)
    for options in ({"dtype": retrograd.int32}, {"requires_grad": True}, {"size": (2,)}):
        for make in (retrograd.Tensor, retrograd.IntTensor, retrograd.ones(1).new):
            with pytest.raises(TypeError, match=r"^new\(\) received an invalid combination of arg"):
                make(2, **options)
    assert retrograd.Tensor(data=[3.0]).tolist() == [3.0]
    assert retrograd.ones(1, device="meta").new(2).is_meta
    assert retrograd.Storage is retrograd.FloatStorage
    assert "float32" in retrograd.FloatStorage.__doc__


def test_a_list_that_is_its_own_element_is_refused():
    endless: list = []
    endless.append(endless)
    with pytest.raises(ValueError, match="^too many dimensions 'list'$"):
        retrograd.tensor(endless)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64", "float16"])
def test_memory_read_as_another_dtype_is_no_view_to_autograd(dtype):
    x = retrograd.ones(2, 4, requires_grad=True)
    for tensor in (x, x * 2, x[0]):
        seen = tensor.view(getattr(retrograd, dtype))
        assert not seen.requires_grad and seen._base is None and seen.is_leaf
    product = x * 2
    product.view(retrograd.int32).zero_()
    assert product.tolist() == [[0] * 4] * 2 and product._version == 1
    power = x.exp()
    power.view(retrograd.int32).zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        power.sum().backward()


def test_slices_under_vmap_are_read_as_another_dtype():
    x = retrograd.arange(8.0).reshape(2, 4)
    bits = retrograd.vmap(lambda row: row.view(retrograd.int16))(x)
    assert retrograd.equal(bits, x.view(retrograd.int16))


def test_errors_of_embedding_bag_are_not_about_weights_that_were_not_given():
    table, index = retrograd.ones(4, 2), retrograd.tensor([[0, 1]])
    with pytest.raises(RuntimeError, match="^padding_idx must be within the number of embeddings"):
        retrograd.nn.functional.embedding_bag(index, table, padding_idx=4)


@pytest.mark.parametrize("name", ["fill_", "masked_fill"])
def test_a_complex_number_without_an_imaginary_part_fills_real_tensors(name):
    def fill(t, value):
        return t.fill_(value) if name == "fill_" else t.masked_fill(t == t, value)

    for dtype, filled in (("float32", [1.5, 1.5]), ("int32", [1, 1]), ("bool", [True, True])):
        t = retrograd.zeros(2, dtype=getattr(retrograd, dtype))
        assert fill(t, 1.5 + 0j).tolist() == filled
    for value, dtype, kind in ((1 + 1j, "float32", "float"), (1 + 1j, "int32", "int"),
                               (1e40 + 0j, "float32", "float"), (300 + 0j, "uint8", "uint8_t")):
        kept = retrograd.zeros(2, dtype=getattr(retrograd, dtype))
        message = f"value cannot be converted to type {kind} without overflow"
        with pytest.raises(RuntimeError, match=message):
            fill(kept, value)
        assert kept.tolist() == [0, 0]


@pytest.mark.parametrize("call", [
    lambda x: x.reshape(), lambda x: x.view(), lambda x: x.repeat(), lambda x: x.tile(),
    lambda x: retrograd.permute(x)])
def test_no_sizes_where_classes_of_arguments_are_asked(call):
    class Own(retrograd.Tensor):
        pass

    assert raised(call, retrograd.ones(2).as_subclass(Own)) == raised(call, retrograd.ones(2))
    assert raised(call, retrograd.ones(2))[0] == "TypeError"


@pytest.mark.parametrize("call", [
    lambda x: x.cummax(5)[0], lambda x: x.cummin(-5)[0], lambda x: x.roll(1, 5),
    lambda x: x.roll((1, 2), (0, 5)), lambda x: x.diff(0, 5)])
def test_without_elements_no_dimension_is_looked_at(call):
    empty = retrograd.zeros(0, 2, requires_grad=True)
    assert call(empty).shape == (0, 2) and call(empty).requires_grad
    if call(empty).grad_fn.name() != "CloneBackward0":           # diff(n=0) looks at none at all
        with pytest.raises(IndexError, match="Dimension out of range"):
            call(retrograd.zeros(2, 2))
