"""Printing: tensors as PyTorch writes them, to the character."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import numpy as np

from . import _dtype


@dataclass
class PrintOptions:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PRINT_OPTS = PrintOptions()
PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors print. None keeps an option's value, except for sci_mode, which it resets.

    Args:
        precision: digits after the point (4).
        threshold: tensors with more elements are summarised (1000).
        edgeitems: elements a summary shows at each end of a dimension (3).
        linewidth: characters in a line (80).
        profile: `"default"`, `"short"` or `"full"`, applied before the other options.
        sci_mode: scientific notation always, never, or where the values ask for it (None).

    >>> import retrograd as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([1.23456])
    tensor([1.23])
    >>> torch.set_printoptions(profile="default")
    """
    chosen = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    options = PROFILES.get(profile, {}) if profile is not None else {}
    options = options | {name: value for name, value in chosen.items() if value is not None}
    for name, value in options.items():
        setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict:
    """The options in force, as keyword arguments for set_printoptions().

    >>> import retrograd as torch
    >>> torch.get_printoptions()["precision"]
    4
    """
    return asdict(PRINT_OPTS)


@contextmanager
def printoptions(**options) -> Iterator[None]:
    """set_printoptions() for the length of a with block.

    >>> import retrograd as torch
    >>> with torch.printoptions(precision=1):
    ...     print(torch.tensor([0.25]))
    tensor([0.2])
    """
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


class Formatter:
    """How to write one real number: the notation and the width that suit all those shown."""

    def __init__(self, shown: np.ndarray):
        self.width = 1
        self._floating = shown.dtype.kind == "f"
        self._spec, self._point = ".0f", "."         # whole numbers
        if self._floating:
            self._choose_notation(shown[np.isfinite(shown) & (shown != 0)].astype(np.float64))
        else:
            self.width = max(map(len, map(str, shown.ravel().tolist())), default=1)

    def _choose_notation(self, values):
        # zeros, infinities and nan do not count
        if values.size == 0:
            return
        least, most = np.abs(values).min(), np.abs(values).max()
        scientific = PRINT_OPTS.sci_mode
        if scientific is None:
            with np.errstate(over="ignore"):
                scientific = most / least > 1000 or most > 1e8 or least < 1e-4
        if scientific:
            self._spec, self._point = f".{PRINT_OPTS.precision}e", ""
        elif (values != np.ceil(values)).any():
            self._spec, self._point = f".{PRINT_OPTS.precision}f", ""
        self.width = max(len(self._text(value)) for value in values.tolist())

    def _text(self, value):
        if not self._floating:
            return str(value)
        return format(value, self._spec) + (self._point if math.isfinite(value) else "")

    def format(self, value) -> str:
        return self._text(value).rjust(self.width)


def _complex_writer(shown) -> tuple[Callable, int]:
    real, imag = Formatter(shown.real), Formatter(shown.imag)

    def write(value):
        part = imag.format(value.imag).lstrip() + "j"
        return real.format(value.real) + (part if part[0] in "+-" else "+" + part)

    return write, real.width + imag.width + 1


def _writer(shown) -> tuple[Callable, int]:
    """A function that writes an element, and the width it takes."""
    if shown.dtype.kind == "c":
        return _complex_writer(shown)
    formatter = Formatter(shown)
    return formatter.format, formatter.width


def _edges(length, summarize):
    """The indices shown of a dimension, before and after the dots; None: no dots."""
    edge = PRINT_OPTS.edgeitems
    if not summarize or length <= 2 * edge:
        return range(length), None
    return range(edge), range(length - edge, length)


def _summary(array):
    """The elements that decide the notation of a summarised array."""
    if not PRINT_OPTS.edgeitems:
        return array if array.ndim < 2 else array[:0]
    for axis, length in enumerate(array.shape):
        head, tail = _edges(length, summarize=True)
        if tail is not None:
            array = array.take([*head, *tail], axis)
    return array


def _row(array, indent, summarize, write, width):
    per_line = max(1, (PRINT_OPTS.linewidth - indent) // (width + 2))
    if summarize and not PRINT_OPTS.edgeitems:
        words = ["..."]
    else:
        head, tail = _edges(len(array), summarize)
        words = [write(value) for value in array[: len(head)].tolist()]
        if tail is not None:
            words += [" ..."] + [write(value) for value in array[tail.start :].tolist()]
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested(array, indent, summarize, write, width):
    if array.ndim == 0:
        return write(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarize, write, width)
    head, tail = _edges(len(array), summarize)
    parts = [_nested(array[i], indent + 1, summarize, write, width) for i in head]
    if tail is not None:
        parts += ["..."]
        parts += [_nested(array[i], indent + 1, summarize, write, width) for i in tail]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def array_str(array: np.ndarray, indent: int = 0) -> str:
    """The bracketed numbers, written from column `indent` on."""
    if array.size == 0:
        return "[]"
    if array.dtype.kind not in "biufc":  # dtypes of ml_dtypes, such as bfloat16
        array = array.astype(np.float32)
    summarize = array.size > PRINT_OPTS.threshold
    write, width = _writer(_summary(array) if summarize else array)
    return _nested(array, indent, summarize, write, width)


def _add_suffixes(text, suffixes, indent, force_newline=False):
    # the first line counts from its last line break, plus one: so PyTorch measures it
    column = len(text) - text.rfind("\n") + 1
    for k, suffix in enumerate(suffixes):
        if force_newline and k == 0 or column + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


def tensor_str(
    array: np.ndarray,
    *,
    dtype_name: str,
    default_dtype_name: str = "torch.float32",
    name: str = "tensor",
    state: tuple[str, ...] = (),
    contents: str | None = None,
) -> str:
    """repr of a tensor that holds `array`.

    The dtype is told where the numbers do not imply it, the size where there are none. `state` is
    what comes last, such as `("grad_fn=<AddBackward0>",)`; `contents` is shown for the numbers.
    """
    suffixes = []
    default_complex = "complex128" if default_dtype_name == "torch.float64" else "complex64"
    implied = {default_dtype_name}
    if array.size:
        implied |= {f"torch.{default_complex}", "torch.int64", "torch.bool"}
    if array.ndim != 1 if array.size == 0 else not PRINT_OPTS.edgeitems:
        suffixes.append(f"size={array.shape}")
    if dtype_name not in implied:
        suffixes.append(f"dtype={dtype_name}")
    indent = len(name) + 1
    shown = array_str(array, indent) if contents is None else contents
    return _add_suffixes(f"{name}({shown}", [*suffixes, *state], indent)


def meta_str(array, dtype_name, default_dtype_name, name, state, contents) -> str:
    """repr of a tensor without numbers."""
    suffixes = ["device='meta'", f"size={tuple(array.shape)}"]
    if dtype_name != default_dtype_name:
        suffixes.append(f"dtype={dtype_name}")
    shown = "..." if contents is None else contents
    return _add_suffixes(f"{name}({shown}", [*suffixes, *state], len(name) + 1)


def sparse_str(array, dtype_name, default_dtype_name, name, state, contents) -> str:
    """repr of a sparse tensor: its parts, in lines of their own."""
    indent, parts = len(name) + 1, []
    for part, values in array.parts().items():
        text = f"{part}=tensor("
        text += array_str(values, indent + len(text))
        parts.append(text + (f", size={values.shape}" if values.size == 0 else "") + ")")
    suffixes = [f"size={array.shape}", f"nnz={array.nnz}"]
    complex_name = "complex128" if default_dtype_name == "torch.float64" else "complex64"
    if dtype_name not in (default_dtype_name, "torch.int64", "torch.bool", f"torch.{complex_name}"):
        suffixes.append(f"dtype={dtype_name}")
    suffixes.append(f"layout=torch.{array.layout}")
    text = f"{name}(" + ((",\n" + " " * indent).join(parts) if contents is None else contents)
    return _add_suffixes(text, [*suffixes, *state], indent, array.layout == "sparse_coo")


def _grad_suffix(tensor) -> tuple[str, ...]:
    try:
        node = tensor.grad_fn
    except RuntimeError:  # a view whose history was cut by a write under no_grad
        return ("grad_fn=<Invalid>",)
    if node is not None:
        return (f"grad_fn=<{type(node).__name__}>",)
    return ("requires_grad=True",) if tensor.requires_grad else ()


def _tangent_suffix(tensor) -> tuple[str, ...]:
    """The tangent of a dual tensor at the newest level of forward mode."""
    tangents = tensor.__dict__.get("_tangents")
    return (f"tangent={tangents[max(tangents)]}",) if tangents else ()


def _batched_str(batch) -> str:
    """repr of a tensor that stands for a slice of each of a batch: the whole batch."""
    return (f"BatchedTensor(lvl={batch.level + 1}, bdim=0, value=\n"
            f"{textwrap.indent(_str(batch.value), '    ')}\n)")


def _tensor_str(tensor, indent: int) -> str:
    return array_str(tensor._data, indent)


def _str(tensor, contents: str | None = None) -> str:
    """repr of a Tensor: its numbers, or `contents` for them, then what they do not tell."""
    from ._tensor import BATCHED, ON_META, SPARSE, Tensor

    if tensor._flags & BATCHED:
        return _batched_str(tensor._batch)
    cls = type(tensor)
    is_plain = cls is Tensor or cls.__name__ == "Parameter"
    show = (meta_str if tensor._flags & ON_META else sparse_str if tensor._flags & SPARSE
            else tensor_str)
    text = show(
        tensor._data,
        dtype_name=repr(tensor.dtype),
        default_dtype_name=repr(_dtype.default.dtype),
        name="tensor" if is_plain else cls.__name__,
        state=(*_grad_suffix(tensor), *_tangent_suffix(tensor)),
        contents=contents,
    )
    is_parameter = not is_plain and (getattr(tensor, "_is_param", False)
                                     or any(base.__name__ == "Parameter" for base in cls.__mro__))
    return f"Parameter({text})" if is_parameter else text
