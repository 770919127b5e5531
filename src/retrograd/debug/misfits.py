"""An error inside a Module: which one, by its path, what it was given, and what would fit."""

from __future__ import annotations

from .._tensor import Tensor
from ..nn.modules.module import Module
from .names import Names
from .places import of_frame, user_frames
from .stories import Story


def in_module(module: Module, args: tuple) -> str:
    """Which Module, by its path, was given what, at which line."""
    frames = user_frames()
    names = Names(frames)
    kind = type(module).__name__
    tensors = [a for a in args if isinstance(a, Tensor)]
    settings = f"{kind}({module.extra_repr()})" if module.extra_repr() else kind
    story = Story(f"This happened in `{names.of(module) or kind}`, {_an(kind)} {settings}, called "
                  f"with {' and '.join(map(_shown, tensors)) or 'no tensor'}:")
    story.add(of_frame(frames[0]), "in this line")
    if tensors:
        story.cure = _range(kind, module, tensors) or _fitting(kind, module, tensors[0]) or _dtypes(
            module, tensors[0])
    return str(story)


def _shown(t: Tensor) -> str:
    dtype = str(t.dtype).removeprefix("torch.")
    return f"{_an(dtype)} {dtype} tensor of shape {tuple(t._data.shape)}"


def _an(word: str) -> str:
    return "an" if word[0].lower() in "aeio" else "a"


SIZES = {"Linear": ("in_features", -1), "Conv1d": ("in_channels", -2),
         "Conv2d": ("in_channels", -3), "Conv3d": ("in_channels", -4),
         "BatchNorm1d": ("num_features", 1), "BatchNorm2d": ("num_features", 1),
         "LSTM": ("input_size", -1), "GRU": ("input_size", -1), "RNN": ("input_size", -1)}


def _fitting(kind: str, module: Module, given: Tensor) -> str:
    """For a layer that wants a certain size: which, and what it got."""
    attribute, dim = SIZES.get(kind, ("", 0))
    shape = given._data.shape
    if not attribute or not -len(shape) <= dim < len(shape):
        return ""
    wanted, got = getattr(module, attribute), shape[dim]
    if wanted == got:
        return ""
    which = "the last dimension" if dim == -1 else f"dimension {dim % len(shape)}"
    return f"{attribute} is {wanted}, but {which} of the input has size {got}; make them equal."


def _range(kind: str, module: Module, given: list[Tensor]) -> str:
    """For numbers that name rows or classes: how far they may go."""
    numbers = given[-1]._data
    if numbers.dtype.kind not in "iu" or not numbers.size:
        return ""
    if kind == "Embedding":
        count = module.num_embeddings
    elif kind in ("CrossEntropyLoss", "NLLLoss") and given[0]._data.ndim > 1:
        count = given[0]._data.shape[1]
    else:
        return ""
    if 0 <= numbers.min() and numbers.max() < count:
        return ""
    what = "rows" if kind == "Embedding" else "classes"
    return (f"there are {count} {what}, so the numbers must be 0 to {count - 1}; here they are "
            f"{numbers.min()} to {numbers.max()}.")


def _dtypes(module: Module, given: Tensor) -> str:
    """For parameters of another floating dtype than the input."""
    own = next((p for p in module.parameters() if p._data.dtype.kind == "f"), None)
    if own is None or given._data.dtype.kind != "f" or own.dtype == given.dtype:
        return ""
    return f"its parameters are {own.dtype}: convert the input with `.to({own.dtype})`."
