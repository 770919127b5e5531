"""Modules and functions of nn beside PyTorch's: numbers, nodes, gradients, errors, warnings.

A line is a callable and, after @, its arguments. x draws floats that require grad, p numbers in
[0, 1), i integers below its first argument.
"""

from __future__ import annotations

import re
import warnings
from importlib import import_module

import numpy as np
import pytest

import retrograd

pytest.importorskip("ml_dtypes")
pytestmark = pytest.mark.live

IN_PLACE = """
F.elu_ @ x(3, 4).clone(), 0.7
F.celu_ @ x(3, 4).clone(), 0.7
F.selu_ @ x(3, 4).clone()
F.leaky_relu_ @ x(3, 4).clone(), 0.3
F.threshold_ @ x(3, 4).clone(), 0.1, 20.0
F.rrelu_ @ x(3, 4).clone(), 0.1, 0.3, True
F.rrelu_ @ x(3, 4).clone()
F.threshold_ @ p(1, 4).expand(3, 4), 0.5, 0.2
T.celu_ @ x(3, 4).clone()
T.threshold_ @ x(3, 4).clone(), 0.1, 20.0
F.elu_ @ x(3, 4).clone(), -1.0
F.celu_ @ x(3, 4).clone(), -1.0
F.leaky_relu_ @ x(3, 4).clone(), -1.0
F.rrelu_ @ x(3, 4).clone(), -1.0, 0.5
"""

DTYPES = """
nn.RMSNorm(4, dtype=T.bfloat16) @ x(3, 4, dtype="bfloat16")
F.rms_norm @ x(3, 4, dtype="float16"), (4,)
F.rms_norm @ x(3, 4, dtype="bfloat16"), (4,), x(4)
F.rms_norm @ x(3, 4), (4,), x(4, dtype="float64")
nn.LayerNorm(4) @ x(3, 4, dtype="float64")
nn.LayerNorm(4) @ i(3, 3, 4)
nn.GroupNorm(2, 4) @ x(3, 4, dtype="float64")
nn.BatchNorm1d(4) @ x(3, 4, dtype="float64")
F.layer_norm @ x(3, 4), (4,), x(4, dtype="float64")
F.layer_norm @ x(3, 4), (4,), x(4), x(4, dtype="float64")
F.layer_norm @ x(3, 4, dtype="bfloat16"), (4,), x(4), x(4, dtype="bfloat16")
F.layer_norm @ x(3, 4, dtype="bfloat16"), (4,), x(4, dtype="bfloat16"), x(4)
F.batch_norm @ x(3, 4, dtype="bfloat16"), p(4), p(4), x(4, dtype="bfloat16")
nn.Conv1d(2, 3, 2) @ x(1, 2, 4, dtype="float64")
nn.Conv1d(2, 3, 2, bias=False) @ x(1, 2, 4, dtype="float64")
nn.Conv2d(2, 3, 2) @ i(5, 1, 2, 4, 4)
nn.ConvTranspose1d(2, 3, 2) @ x(1, 2, 4, dtype="float64")
nn.BCELoss(p(4, dtype="float64")) @ x(3, 4).sigmoid(), p(3, 4)
nn.BCEWithLogitsLoss(p(4, dtype="float64")) @ x(3, 4), p(3, 4)
nn.BCEWithLogitsLoss(pos_weight=p(4, dtype="float64")) @ x(3, 4), p(3, 4)
nn.BCEWithLogitsLoss() @ x(3, 4, dtype="float64"), p(3, 4)
nn.BCEWithLogitsLoss() @ x(3, 4), p(3, 4, dtype="float64")
nn.MultiMarginLoss(weight=p(4, dtype="float64")) @ x(3, 4), i(4, 3)
nn.MultiMarginLoss(weight=p(4)) @ x(3, 4, dtype="float64"), i(4, 3)
nn.SoftMarginLoss() @ x(3, 4, dtype="float16"), p(3, 4).sign()
"""

REFUSED = """
F.batch_norm @ x(2, 3), None, p(3), None, None, True
F.instance_norm @ x(2, 3, 4), p(3), None
nn.BCEWithLogitsLoss(p(2)) @ x(3, 4), p(3, 4)
nn.BCEWithLogitsLoss(p(2, 3, 4)) @ x(3, 4), p(3, 4)
nn.BCEWithLogitsLoss(pos_weight=p(3)) @ x(3, 4), p(3, 4)
nn.BCELoss(p(2)) @ x(3, 4).sigmoid(), p(3, 4)
nn.BCELoss(p(2, 3, 4)) @ x(3, 4).sigmoid(), p(3, 4)
nn.MultiLabelMarginLoss() @ x(2, 3), T.tensor([[0, 3, -1], [0, -1, -1]])
nn.MultiLabelMarginLoss() @ x(2, 3), T.tensor([[0, -1, 7], [0, -1, -1]])
nn.MultiLabelMarginLoss() @ x(2, 3), T.tensor([[0, -2, -1], [0, -1, -1]])
nn.CTCLoss() @ x(6, 2, 5), i(4, 2, 3) + 1, (6, 5, 4), (3, 2)
nn.EmbeddingBag(9, 3, mode="sum") @ i(9, 8), T.tensor([0, 3]), x(7)
nn.CELU(0.0) @ x(3)
nn.Conv1d(2, 3, (2, 2)) @ x(1, 2, 4)
nn.ConvTranspose1d(2, 3, 2, output_padding=1) @ x(1, 2, 4)
nn.RNN(3, 4) @ x(3)
nn.GRU(3, 4) @ x(3)
nn.GRU(3, 4) @ x(0, 2, 3)
nn.LSTM(3, 4) @ x(5, 2, 3), x(1, 2, 4)
nn.LSTMCell(3, 4) @ x(2, 3), x(2, 4)
nn.ReflectionPad2d(2) @ x(2, 3, 0, 6)
nn.ReplicationPad1d(2) @ x(2, 0, 6)
nn.ConstantPad1d((1, -5), 0.0) @ x(2, 3)
nn.Upsample(scale_factor=2, mode="bilinear") @ x(2, 0, 4, 4)
nn.Upsample(scale_factor=1e20, mode="bilinear") @ x(2, 2, 4, 4)
nn.Unflatten("a", (("b", 2), ("c", 2)))
nn.utils.fuse_linear_bn_eval @ nn.Linear(2, 3).eval(), nn.BatchNorm1d(4).eval()
F.interpolate @ x(1, 2, 8), 4, None, "nearest", None, None, True
F.interpolate @ x(1, 2, 8, 8), 4, None, "lanczos"
F.interpolate @ x(1, 2, 8, 8), 4, None, "lanczos", True, None, True
F.scaled_dot_product_attention @ x(3), x(5, 4), x(5, 6)
"""

AS_PYTORCH = """
F.interpolate @ x(1, 2, 8, 9), None, 0.5, "lanczos", None, None, True
F.interpolate @ x(1, 2, 4, 3), (7, 9), None, "lanczos", None, None, True
nn.Conv1d(2, 3, 4, padding="same") @ x(1, 2, 5)
nn.Mish() @ x(3, 40, dtype="float16")
nn.Hardswish() @ x(3, 40, dtype="bfloat16")
nn.ELU() @ x(3, 40, dtype="float16")
nn.LeakyReLU() @ x(3, 40, dtype="float16")
nn.Hardtanh(min_value=-1, max_value=2)
nn.LazyLinear(3) @ x(2, 4)
nn.LinearCrossEntropyOptions(batch_chunk_size=2, acc_policy="compact")
"""

GROUPED = """
F.grouped_mm @ x(3, 4, 8), x(3, 8, 16)
(lambda *a: F.grouped_mm(*a, offs=ends(4, 6, 12))) @ x(12, 8), x(3, 8, 16)
(lambda *a: F.grouped_mm(*a, offs=ends(4, 6, 12))) @ x(4, 12), x(12, 16)
(lambda *a: F.grouped_mm(*a, offs=ends(8, 16, 24))) @ x(3, 4, 8), x(8, 24)
F.grouped_mm @ x(12, 8), x(3, 8, 16)
F.grouped_mm @ x(3, 4, 8), x(2, 8, 16)
(lambda *a: F.grouped_mm(*a, offs=ends(4, 6))) @ x(12, 8), x(3, 8, 16)
(lambda *a: F.grouped_mm(*a, offs=ends(4, 6, 12).long())) @ x(12, 8), x(3, 8, 16)
(lambda *a: F.grouped_mm(*a, offs=ends(4, 6, 12))) @ x(12, 8), x(3, 7, 16)
(lambda *a: F.grouped_mm(*a, offs=ends(4, 6, 12))) @ x(12, 8).double(), x(3, 8, 16).double()
(lambda *a: F.grouped_mm(*a, offs=ends(4, 6, 12))) @ x(12, 8), x(3, 8, 16).bfloat16()
(lambda *a: F.grouped_mm(*a, offs=ends(4, 6, 12))) @ x(8), x(3, 8, 16)
(lambda *a: F.grouped_mm(*a, bias=p(16))) @ x(3, 4, 8), x(3, 8, 16)
(lambda *a: F.grouped_mm(*a, out_dtype=T.float64)) @ x(3, 4, 8), x(3, 8, 16)
"""

MASKS = """
(lambda q, k: F.scaled_dot_product_attention(q, k, k, B.causal_lower_right(3, 5))) \
@ x(1, 2, 3, 4), x(1, 2, 5, 4)
(lambda q, k: F.scaled_dot_product_attention(q, k, k, B.causal_upper_left(3, 5))) \
@ x(1, 2, 3, 4), x(1, 2, 5, 4)
(lambda q, k: F.scaled_dot_product_attention(q, k, k, B.causal_lower_right(3, 3), scale=0.3)) \
@ x(1, 2, 3, 4), x(1, 2, 3, 4)
(lambda q, k: F.scaled_dot_product_attention(q, k, k, B.causal_upper_left(3, 5), is_causal=True)) \
@ x(1, 2, 3, 4), x(1, 2, 5, 4)
B.causal_lower_right(5, 3)
B.causal_lower_right(2, 3, 4)
B.CausalBias(3, 4, 5)
"""

ROUNDED = [line for line in AS_PYTORCH.splitlines() if "float16" in line]      # once, at the end


@pytest.fixture(autouse=True)
def pytorch():
    torch = pytest.importorskip("torch")
    for library in (torch, retrograd):
        library.set_warn_always(True)
    yield
    for library in (torch, retrograd):
        library.set_warn_always(False)


def lines(text):
    return [line for line in text.strip().splitlines() if not line.startswith("#")]


def arguments(torch):
    """x, p and i, the same numbers for either library."""
    rng = np.random.default_rng(0)

    def x(*shape, dtype="float32"):
        values = torch.tensor(rng.standard_normal(shape).tolist(), dtype=getattr(torch, dtype))
        return values.reshape(shape).requires_grad_()

    def p(*shape, dtype="float32"):
        values = torch.tensor(rng.random(shape).tolist(), dtype=getattr(torch, dtype))
        return values.reshape(shape)

    def i(below, *shape):
        return torch.tensor(rng.integers(0, below, shape).tolist()).reshape(shape)
    def ends(*places):
        return torch.tensor(places, dtype=torch.int32)
    bias = import_module(f"{torch.__name__}.nn.attention.bias")
    return {"B": bias, "ends": ends, "T": torch, "nn": torch.nn, "F": torch.nn.functional,
            "x": x, "p": p, "i": i}


def numbers(t):
    if not hasattr(t, "detach"):
        return t
    return str(t.dtype), tuple(t.shape), t.detach().double().tolist()


def tensors(torch, result):
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return [t for t in parts if isinstance(t, torch.Tensor)]


def observed(torch, line):
    """What a line comes to: tensors as (dtype, shape, numbers), or an error's first sentence."""
    names = arguments(torch)
    maker, _, given = line.partition(" @ ")
    torch.manual_seed(3)
    try:
        function = eval(maker, names)
        if not given:
            return [repr(function)]
        given = eval(f"({given},)", names)
        outputs = tensors(torch, function(*given))
        found = [numbers(t) for t in outputs]
        found += [t.grad_fn and t.grad_fn.name() for t in outputs]
        leaves = [t for t in given if isinstance(t, torch.Tensor) and t.requires_grad]
        leaves += list(getattr(function, "parameters", list)())
        goals = [t for t in outputs if t.requires_grad]
        if goals and leaves:
            total = sum((t * torch.arange(t.numel()).reshape(t.shape)).sum() for t in goals)
            found += [numbers(g) for g in torch.autograd.grad(total, leaves, allow_unused=True)]
    except Exception as error:             # whatever it is, it is compared
        return [type(error).__name__, re.split(r"(?<=[.!?])\s|\n", str(error))[0]]
    return found


def compared(line):
    import torch
    seen = []
    for library in (retrograd, torch):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = observed(library, line)
        told = [re.sub(r"\s*\(Triggered.*", "", str(w.message)).rstrip(".") for w in caught]
        seen.append((found, told))
    (ours, our_warnings), (theirs, their_warnings) = seen
    assert our_warnings == their_warnings
    assert len(ours) == len(theirs), (ours, theirs)
    close = (1e-2 if "float16" in line else 1e-5) if line not in ROUNDED else 1e-7
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, tuple):
            assert a[:2] == b[:2]
            np.testing.assert_allclose(a[2], b[2], close, close)
        else:
            assert a == b


@pytest.mark.parametrize("line", lines(IN_PLACE))
def test_activations_in_place_record_pytorchs_nodes(line):
    compared(line)


@pytest.mark.parametrize("line", lines(DTYPES))
def test_dtypes_side_by_side(line):
    compared(line)


@pytest.mark.parametrize("line", lines(REFUSED))
def test_refusals(line):
    import torch
    assert isinstance(observed(torch, line)[1], str)
    compared(line)


@pytest.mark.parametrize("line", lines(AS_PYTORCH + GROUPED + MASKS))
def test_numbers_and_warnings(line):
    compared(line)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("settings", [
    {}, {"acc_policy": "accurate"}, {"batch_chunk_size": 2, "chunking_method": "aspect_ratio"},
    {"acc_dtype": "float64"}, {"acc_dtype": "int8"}, {"acc_policy": "a"}, {"batch_chunk_size": 0},
    {"chunking_method": "aspect_ratio:0"}, {"chunking_method": "aspect_ratio:2"}], ids=str)
def test_options_of_linear_cross_entropy(settings, dtype):
    import torch
    found = []
    for library in (retrograd, torch):
        given = arguments(library)
        x, w = given["x"](6, 4, dtype=dtype), given["x"](5, 4, dtype=dtype)
        try:
            options = library.nn.LinearCrossEntropyOptions(**{
                k: getattr(library, v) if k == "acc_dtype" else v for k, v in settings.items()})
            loss = library.nn.functional.linear_cross_entropy(
                x, w, given["i"](5, 6), options=options)
            loss.backward()
            found.append([numbers(t) for t in (loss, x.grad, w.grad)])
        except (ValueError, RuntimeError) as error:
            found.append(str(error).partition(" {")[0])
    if isinstance(found[1], str):
        assert found[0] == found[1]
    else:
        for ours, theirs in zip(*found, strict=True):
            assert ours[:2] == theirs[:2]
            np.testing.assert_allclose(ours[2], theirs[2], 2.0**-6, 2e-3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")       # PyTorch's own, as it begins
def test_running_statistics_have_no_tangents():
    import torch
    told = []
    for library in (retrograd, torch):
        forward = library.autograd.forward_ad
        with forward.dual_level(), pytest.raises(RuntimeError) as refused:
            x, mean = (forward.make_dual(library.ones(*shape), library.ones(*shape))
                       for shape in ((2, 3), (3,)))
            library.nn.functional.batch_norm(x, mean, library.ones(3))
        told.append(str(refused.value))
    assert told[0] == told[1]
