"""assert_close: are two structures of tensors and numbers equal up to rounding?"""

from __future__ import annotations

import cmath
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import retrograd as rg

# dtype name -> (rtol, atol); dtypes that are not here must be equal
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex32": (1e-3, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
_OLD_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
_NUMBER_DTYPES = {int: "int64", float: "float64", complex: "complex128"}
_TOLERANT_OF_UNSIGNED = ("uint64", "uint32", "uint16")


def _name(dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _loosest(names, table) -> tuple[float, float]:
    pairs = [table.get(name, (0.0, 0.0)) for name in names]
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


@dataclass(frozen=True)
class _Options:
    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool
    msg: str | Callable[[str], str] | None

    def fail(self, kind: type[Exception], text: str, path: tuple) -> Exception:
        """The exception to raise for the item at `path`."""
        if isinstance(self.msg, str):
            return kind(self.msg)
        if path:
            where = "".join(f"[{key!r}]" for key in path)
            text += f"\n\nThe failure occurred for item {where}"
        return kind(self.msg(text) if callable(self.msg) else text)

    def tolerances(self, names, path: tuple) -> tuple[float, float]:
        if self.rtol is None and self.atol is None:
            return _loosest(names, _TOLERANCES)
        if self.rtol is None or self.atol is None:
            missing = "rtol" if self.rtol is None else "atol"
            text = (
                f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
            )
            raise self.fail(ValueError, text, path)
        return self.rtol, self.atol


# Structures


def _is_sequence(x) -> bool:
    return isinstance(x, Sequence) and not isinstance(x, str)


def _pairs(actual, expected, options: _Options, path: tuple = ()) -> Iterator[tuple]:
    """The pairs to compare: (comparison, actual, expected, path)."""
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            text = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise options.fail(AssertionError, text, path)
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            yield from _pairs(a, b, options, (*path, i))
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        _check_keys(actual, expected, options, path)
        for key in _ordered(actual):
            yield from _pairs(actual[key], expected[key], options, (*path, key))
    else:
        yield _pair(actual, expected, options, path)


def _check_keys(actual, expected, options: _Options, path: tuple) -> None:
    if set(actual) != set(expected):
        missing = sorted(set(expected) - set(actual))
        additional = sorted(set(actual) - set(expected))
        text = (
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {additional}"
        )
        raise options.fail(AssertionError, text, path)


def _ordered(keys) -> list:
    try:
        return sorted(keys)
    except TypeError:  # keys of several types have no order
        return list(keys)


def _pair(actual, expected, options: _Options, path: tuple) -> tuple:
    if actual is None or expected is None:
        return _compare_none, actual, expected, path
    both = (actual, expected)
    if all(isinstance(x, (bool, np.bool_)) for x in both):
        return _compare_booleans, bool(actual), bool(expected), path
    if all(isinstance(x, (int, float, complex, np.number)) for x in both):
        numbers = [x.item() if isinstance(x, np.number) else x for x in both]
        return _compare_numbers, *numbers, path
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if related and (options.allow_subclasses or type(actual) is type(expected)):
        tensors = [_as_tensor(x) for x in both]
        if None not in tensors:
            return _compare_tensors, *tensors, path
    text = (
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    )
    raise options.fail(TypeError, text, path)


def _as_tensor(x):
    if isinstance(x, rg.Tensor):
        return x
    try:
        return rg.as_tensor(x)
    except (TypeError, ValueError, RuntimeError):
        return None


# Comparisons


def _compare_none(actual, expected, options: _Options, path: tuple) -> None:
    if not (actual is None and expected is None):
        text = f"None mismatch: {actual} is not {expected}"
        raise options.fail(AssertionError, text, path)


def _compare_booleans(actual, expected, options: _Options, path: tuple) -> None:
    if actual is not expected:
        text = f"Booleans mismatch: {actual} is not {expected}"
        raise options.fail(AssertionError, text, path)


def _compare_numbers(actual, expected, options: _Options, path: tuple) -> None:
    names = [_NUMBER_DTYPES[type(x)] for x in (actual, expected)]
    rtol, atol = options.tolerances(names, path)
    if options.check_dtype and type(actual) is not type(expected):
        text = f"The (d)types do not match: {type(actual)} != {type(expected)}."
        raise options.fail(AssertionError, text, path)
    if actual == expected:
        return
    if options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected):
        return
    difference = abs(actual - expected)
    if not (cmath.isfinite(difference) and difference <= atol + rtol * abs(expected)):
        raise options.fail(AssertionError, _scalars_differ(actual, expected, rtol, atol), path)


def _compare_tensors(actual, expected, options: _Options, path: tuple) -> None:
    names = [_name(x.dtype) for x in (actual, expected)]
    rtol, atol = options.tolerances(names, path)
    _compare_attributes(actual, expected, options, path)
    if actual.is_meta or expected.is_meta:      # no numbers to compare
        return
    if actual.dtype != expected.dtype:
        signed = [
            rg.int64 if name in _TOLERANT_OF_UNSIGNED else x.dtype
            for name, x in zip(names, (actual, expected), strict=True)
        ]
        dtype = rg.promote_types(*signed)
        actual, expected = actual.to(dtype), expected.to(dtype)
    if actual.layout is not expected.layout:
        actual, expected = actual.to_dense(), expected.to_dense()
    if actual.layout is not rg.strided:
        actual, expected = actual.to_sparse(), expected.to_sparse()
        _compare_sparse(actual, expected, rtol, atol, options, path)
    else:
        _compare_dense("Tensor-likes", actual, expected, rtol, atol, options, path)


def _compare_sparse(actual, expected, rtol, atol, options: _Options, path: tuple) -> None:
    """Two tensors in coordinates: where their elements are, one by one, then their values."""
    if actual._nnz() != expected._nnz():
        text = ("The number of specified values in sparse COO tensors does not match: "
                f"{actual._nnz()} != {expected._nnz()}")
        raise options.fail(AssertionError, text, path)
    _compare_dense("Sparse COO indices", actual._indices(), expected._indices(), 0, 0, options,
                   path)
    _compare_dense("Sparse COO values", actual._values(), expected._values(), rtol, atol, options,
                   path)


def _compare_dense(what, actual, expected, rtol, atol, options: _Options, path: tuple) -> None:
    matches = rg.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if rg.all(matches):
        return
    if actual.dim() == 0:
        text = _scalars_differ(actual.item(), expected.item(), rtol, atol)
    else:
        text = _tensors_differ(what, actual, expected, matches, rtol, atol)
    raise options.fail(AssertionError, text, path)


def _compare_attributes(actual, expected, options: _Options, path: tuple) -> None:
    checks = [("shape", actual.shape, expected.shape)]
    if options.check_layout:
        checks.append(("layout", actual.layout, expected.layout))
    if options.check_stride:
        checks.append(("stride()", actual.stride(), expected.stride()))
    if options.check_device:
        checks.append(("device", actual.device, expected.device))
    if options.check_dtype:
        checks.append(("dtype", actual.dtype, expected.dtype))
    for name, a, b in checks:
        if a != b:
            text = f"The values for attribute '{name}' do not match: {a} != {b}."
            raise options.fail(AssertionError, text, path)


# Messages


def _report(what: str, details: str, absolute, relative, rtol: float, atol: float) -> str:
    """`absolute` and `relative` are pairs (difference, index or None)."""
    exact = rtol == 0 and atol == 0
    lines = [f"{what} are not {'equal' if exact else 'close'}!", "", details]
    for kind, (difference, index), tol in (
        ("absolute", absolute, atol),
        ("relative", relative, rtol),
    ):
        if index is None:
            line = f"{kind.title()} difference: {difference}"
        else:
            line = f"Greatest {kind} difference: {difference} at index {index}"
        lines.append(line if exact else f"{line} (up to {tol} allowed)")
    return "\n".join(lines)


def _scalars_differ(actual, expected, rtol: float, atol: float) -> str:
    absolute = abs(actual - expected)
    relative = float("inf") if expected == 0 else absolute / abs(expected)
    details = f"Expected {expected} but got {actual}."
    return _report("Scalars", details, (absolute, None), (relative, None), rtol, atol)


def _tensors_differ(what: str, actual, expected, matches, rtol: float, atol: float) -> str:
    total = matches.numel()
    wrong = total - int(matches.sum())
    a, b, same = (x.detach().flatten() for x in (actual, expected, matches))
    if not (a.is_floating_point() or a.is_complex()):
        a, b = a.to(rg.int64), b.to(rg.int64)  # booleans and small integers would wrap around
    absolute = rg.abs(a - b)
    absolute[same] = 0
    relative = absolute / rg.abs(b)
    relative[same] = 0

    def greatest(differences):
        value, flat = rg.max(differences, 0)
        index = np.unravel_index(int(flat), tuple(matches.shape))
        return value.item(), tuple(int(i) for i in index)

    details = f"Mismatched elements: {wrong} / {total} ({wrong / total:.1%})"
    return _report(what, details, greatest(absolute), greatest(relative), rtol, atol)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless `|actual - expected| <= atol + rtol * |expected|`.

    Tensors, NumPy arrays and numbers are compared, alone or in sequences and mappings; shapes
    must agree, and dtypes, devices, layouts and strides where the `check_` options say so.
    Without `rtol` and `atol` (give both or none) they follow the dtype: float32 1.3e-6 and
    1e-5, float64 1e-7 and 1e-7, integers 0. `msg` replaces the message or is called with it.
    TypeError is raised for values that cannot be compared.

    >>> import retrograd as torch
    >>> torch.testing.assert_close(torch.tensor([0.1]) * 3, torch.tensor([0.3]))
    """
    __tracebackhide__ = True  # pytest then shows the caller
    options = _Options(
        allow_subclasses,
        rtol,
        atol,
        equal_nan,
        check_device,
        check_dtype,
        check_layout,
        check_stride,
        msg,
    )
    # All pairs are made first: a difference in structure is reported before one in values.
    for compare, a, b, path in list(_pairs(actual, expected, options)):
        compare(a, b, options, path)


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Deprecated form of `assert_close`: looser, and dtypes may differ."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a "
        "future release. Please use `torch.testing.assert_close()` instead. You can find "
        "detailed upgrade instructions in https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    if not isinstance(actual, rg.Tensor):
        actual = rg.tensor(actual)
    if not isinstance(expected, rg.Tensor):
        expected = rg.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        rtol, atol = _loosest([_name(actual.dtype), _name(expected.dtype)], _OLD_TOLERANCES)
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_dtype=False,
        msg=msg or None,
    )
