"""Arrays print as PyTorch prints them, to the character."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import retrograd as torch
from printing_cases import case
from retrograd._tensor_str import (
    get_printoptions,
    printoptions,
    set_printoptions,
    tensor_str,
)

ml_dtypes = pytest.importorskip("ml_dtypes")
RECORDED = json.loads((Path(__file__).parent / "data" / "printing.json").read_text())


def printed(number):
    values, dtype, options, requires_grad, double_default = case(number)
    with np.errstate(over="ignore"):
        array = values.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    with printoptions(**options):
        return tensor_str(
            np.asarray(array),
            dtype_name=f"torch.{dtype}",
            default_dtype_name="torch.float64" if double_default else "torch.float32",
            state=("requires_grad=True",) if requires_grad else (),
        )


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_prints_as_recorded(number):
    assert printed(number) == RECORDED[number]


@pytest.mark.live
def test_prints_as_the_installed_pytorch():
    pytest.importorskip("torch")
    from record.printing import printed as expected

    for number in range(1000, 1200):
        assert printed(number) == expected(number)


@pytest.mark.parametrize(
    "array, text",
    [
        (np.array([-(2**63), 2**63 - 1]), "tensor([-9223372036854775808,  9223372036854775807])"),
        (np.array([1e300, 1e-300]), "tensor([1.0000e+300, 1.0000e-300])"),
        (np.array(5e-324), "tensor(4.9407e-324)"),
        (np.array([-0.0, 0.0]), "tensor([-0., 0.])"),
        (np.array([np.nan, 1.0]), "tensor([nan, 1.])"),
    ],
)
def test_the_largest_and_smallest_numbers_are_printed_as_by_pytorch(array, text):
    name = f"torch.{array.dtype}"
    assert tensor_str(array, dtype_name=name, default_dtype_name="torch.float64") == text


@pytest.mark.parametrize(
    "array, text",
    [
        (np.array([1.25, -0.25, np.nan]), "tensor([ 1, -0, nan])"),      # no point without digits
        (np.array([1.0, -0.0, np.inf]), "tensor([1., -0., inf])"),
        (np.array([1.25 - 2.0j]), "tensor([1-2.j])"),
        (np.array([1.25e-9]), "tensor([1e-09])"),
    ],
)
def test_precision_zero_prints_as_pytorch(array, text):
    with printoptions(precision=0):
        name = f"torch.{array.dtype}"
        assert tensor_str(array, dtype_name=name, default_dtype_name="torch.float64") == text


def test_suffixes_wrap_at_the_line_width():
    array = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], np.float32)
    text = tensor_str(array, dtype_name="torch.float32", state=("grad_fn=<MulBackward0>",))
    assert text.splitlines() == [
        "tensor([0.1000, 0.2000, 0.3000, 0.4000, 0.5000, 0.6000, 0.7000],",
        "       grad_fn=<MulBackward0>)",
    ]


def test_options_return_after_the_block():
    before = get_printoptions()
    with printoptions(precision=1, sci_mode=True):
        assert tensor_str(np.array(0.25), dtype_name="torch.float32") == "tensor(2.5e-01)"
    assert get_printoptions() == before
    set_printoptions(sci_mode=None)
    assert get_printoptions() == before


def test_what_a_tensor_is_comes_after_its_numbers():
    class Weight(torch.nn.Parameter):
        pass

    x = torch.ones(2, requires_grad=True)
    assert repr(x) == "tensor([1., 1.], requires_grad=True)"
    assert repr(x * 2) == "tensor([2., 2.], grad_fn=<MulBackward0>)"
    assert repr(torch.nn.Parameter(torch.ones(1))) == (
        "Parameter containing:\ntensor([1.], requires_grad=True)"
    )
    assert repr(Weight(torch.ones(1))) == (
        "Parameter containing:\nParameter(Weight([1.], requires_grad=True))"
    )
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(1), torch.zeros(1))
        assert repr(dual) == "tensor([1.], tangent=tensor([0.]))"

    class Kind(torch.Tensor):
        pass

    assert repr(torch.nn.Parameter(Kind([1.0]))) == "Parameter(Kind([1.], requires_grad=True))"


def test_tensors_without_dimensions_follow_format_specifications():
    assert f"{torch.tensor(1.5):.3f} {torch.tensor(3):>4}" == "1.500    3"
    assert f"{torch.tensor([1, 2])}" == "tensor([1, 2])"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{torch.tensor([1.5]):.2f}"
