"""assert_close and make_tensor."""

import math

import numpy as np
import pytest

import retrograd as torch
from retrograd.testing import assert_allclose, assert_close, make_tensor


def failure(*args, kind=AssertionError, **options):
    with pytest.raises(kind) as error:
        assert_close(*args, **options)
    return str(error.value)


def test_close_values_pass():
    x = torch.tensor([1.0, 2.0])
    assert_close(x, x + 1e-6)
    assert_close([x, {"a": 1.0}], (x.clone(), {"a": 1.0}))
    assert_close(np.ones(3), np.ones(3))
    assert_close(None, None)
    assert_close(True, np.True_)
    assert_close(1, 1.0, check_dtype=False)
    assert_close(x, x.double(), check_dtype=False)
    assert_close(torch.nn.Parameter(x), x)
    assert_close(torch.empty(2, device="meta"), x, check_device=False)


def test_tensors_differ():
    assert failure(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 4.0, 5.0])) == (
        "Tensor-likes are not close!\n\n"
        "Mismatched elements: 2 / 3 (66.7%)\n"
        "Greatest absolute difference: 2.0 at index (1,) (up to 1e-05 allowed)\n"
        "Greatest relative difference: 0.5 at index (1,) (up to 1.3e-06 allowed)"
    )


def test_integers_must_be_equal():
    assert failure(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 2], [3, 5]])) == (
        "Tensor-likes are not equal!\n\n"
        "Mismatched elements: 1 / 4 (25.0%)\n"
        "Greatest absolute difference: 1 at index (1, 1)\n"
        "Greatest relative difference: 0.20000000298023224 at index (1, 1)"
    )


def test_scalars_differ():
    assert failure(1.0, 1.1) == (
        "Scalars are not close!\n\n"
        "Expected 1.1 but got 1.0.\n"
        "Absolute difference: 0.10000000000000009 (up to 1e-07 allowed)\n"
        "Relative difference: 0.09090909090909098 (up to 1e-07 allowed)"
    )
    assert failure(torch.tensor(1.0), torch.tensor(2.0)).startswith(
        "Scalars are not close!\n\nExpected 2.0 but got 1.0.\n"
    )


def test_nan_is_not_close_unless_asked():
    nan = torch.tensor([math.nan])
    assert "Mismatched elements: 1 / 1 (100.0%)" in failure(nan, nan)
    assert_close(nan, nan, equal_nan=True)
    assert_close(math.nan, math.nan, equal_nan=True)


@pytest.mark.parametrize(
    ("actual", "expected", "kind", "message"),
    [
        (
            torch.ones(2),
            torch.ones(3),
            AssertionError,
            "The values for attribute 'shape' do not match: torch.Size([2]) != torch.Size([3]).",
        ),
        (
            torch.ones(2),
            torch.ones(2, dtype=torch.float64),
            AssertionError,
            "The values for attribute 'dtype' do not match: torch.float32 != torch.float64.",
        ),
        ([1], [1, 2], AssertionError, "The length of the sequences mismatch: 1 != 2"),
        (
            {"a": 1},
            {"b": 1},
            AssertionError,
            "The keys of the mappings do not match:\n"
            "Missing keys in the actual mapping: ['b']\n"
            "Additional keys in the actual mapping: ['a']",
        ),
        (None, 1, AssertionError, "None mismatch: None is not 1"),
        (True, False, AssertionError, "Booleans mismatch: True is not False"),
        (
            1,
            1.0,
            AssertionError,
            "The (d)types do not match: <class 'int'> != <class 'float'>.",
        ),
        (
            "a",
            "b",
            TypeError,
            "No comparison pair was able to handle inputs of type <class 'str'> and <class 'str'>.",
        ),
    ],
)
def test_other_differences(actual, expected, kind, message):
    assert failure(actual, expected, kind=kind) == message


def test_the_item_that_failed_is_named():
    text = failure({"a": [1, 2.0]}, {"a": [1, 3.0]})
    assert text.endswith("\n\nThe failure occurred for item ['a'][1]")


def test_msg_replaces_or_wraps():
    assert failure(1, 2, msg="mine") == "mine"
    assert failure(1, 2, msg=lambda text: f"<{text}>").startswith("<Scalars are not equal!")


def test_tolerances_come_in_pairs():
    text = failure(1.0, 1.0, rtol=0.1, kind=ValueError)
    assert text == "Both 'rtol' and 'atol' must be either specified or omitted, but got no atol."


def test_stride_is_checked_on_request():
    a = torch.ones(2, 3)
    b = torch.ones(3, 2).T
    assert_close(a, b)
    assert "'stride()' do not match: (3, 1) != (1, 2)." in failure(a, b, check_stride=True)


def test_assert_allclose_is_deprecated():
    with pytest.warns(FutureWarning, match="assert_allclose"):
        assert_allclose(torch.ones(2), [1.0, 1.00001])


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (torch.float32, -9, 9),
        (torch.float64, -9, 9),
        (torch.int64, -9, 10),
        (torch.uint8, 0, 10),
        (torch.bool, 0, 2),
    ],
)
def test_make_tensor_draws_from_its_interval(dtype, low, high):
    x = make_tensor(50, 4, dtype=dtype, device="cpu")
    assert x.shape == (50, 4) and x.dtype == dtype
    assert low <= x.double().min() and x.double().max() < high


def test_make_tensor_options():
    x = make_tensor((3, 4), dtype=torch.float64, device="cpu", low=0, high=1, requires_grad=True)
    assert x.requires_grad and x.is_leaf and 0 <= x.min() <= x.max() < 1
    assert not make_tensor(
        3, 4, dtype=torch.float32, device="cpu", noncontiguous=True
    ).is_contiguous()
    zeros = make_tensor(8, dtype=torch.int32, device="cpu", low=0, high=1, exclude_zero=True)
    assert zeros.tolist() == [1] * 8
    assert make_tensor(2, dtype=torch.complex64, device="cpu").is_complex()
    picture = make_tensor(
        2, 3, 4, 5, dtype=torch.float32, device="cpu", memory_format=torch.channels_last
    )
    assert picture.stride() == (60, 1, 15, 3)
    assert make_tensor(2, dtype=torch.int8, device="meta", exclude_zero=True).is_meta
    widest = make_tensor(99, dtype=torch.float64, device="cpu", low=-math.inf, high=math.inf)
    assert widest.isfinite().all() and widest.abs().max() > 1e308


def test_make_tensor_values_follow_the_seed():
    torch.manual_seed(0)
    got = make_tensor(3, dtype=torch.float32, device="cpu")
    want = [-0.06738138198852539, 4.8279924392700195, -7.407406330108643]
    assert_close(got, torch.tensor(want))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low": 3, "high": 1}, "`low` must be less than `high`, but got 3 >= 1"),
        ({"low": math.nan}, "`low` and `high` cannot be NaN"),
        ({"dtype": torch.uint8, "low": 300, "high": 400}, "torch.uint8 only supports"),
        ({"low": 10**400, "high": 10**401}, "torch.float32 only supports"),
        ({"dtype": torch.int64, "requires_grad": True}, "not supported for boolean and integral"),
    ],
)
def test_make_tensor_errors(options, message):
    with pytest.raises(ValueError, match=message):
        make_tensor(2, device="cpu", **{"dtype": torch.float32, **options})
