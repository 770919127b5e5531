"""An error inside a Module: the path of that Module, what it was given, and what would fit."""

from __future__ import annotations

import ast
import inspect
import math
import re
import sys
from types import CodeType, TracebackType
from typing import Any

from .._tensor import Tensor
from ..nn import functional
from ..nn.modules.module import Module
from . import breaks, reading
from . import source as S
from .names import Names
from .places import is_library, of_frame, of_traceback, user_frames
from .programs import env_of
from .stories import Story
from .words import counted


def in_module(module: Module, args: tuple, error: BaseException) -> str:
    """Which Module, by its path, was given what, at which line."""
    frames = user_frames()
    names = Names(frames)
    kind, name = type(module).__name__, names.of(module)
    tensors = [t for a in args for t in (a if isinstance(a, tuple) else (a,))
               if isinstance(t, Tensor)]
    settings = f"{kind}({module.extra_repr()})" if module.extra_repr() else kind
    story = Story(f"This happened in {f'`{name}`, {_an(settings)},' if name else settings + ','} "
                  f"called with {' and '.join(map(shown, tensors)) or 'no tensor'}:")
    story.add(of_frame(frames[0]), "in this call")
    inside = _frame_inside(error)
    if inside is not None:
        story.add(of_traceback(inside), _operands(inside))
        story.cure = _flattening(inside, str(error))
    elif tensors:
        first = tensors[0]
        story.cure = _state(kind, module, tensors) or _range(kind, module, tensors) or (
            _shrunk(first, str(error)) or _dimensions(kind, first)
            or _fitting(kind, module, first) or _dtypes(module, first)
            or _target(kind, tensors) or _one_value(kind, module, first))
    return str(story)


FUNCTIONS = {"cross_entropy": "CrossEntropyLoss", "nll_loss": "NLLLoss",
             "binary_cross_entropy": "BCELoss",
             "binary_cross_entropy_with_logits": "BCEWithLogitsLoss"}


SPACES = ("retrograd", "retrograd.nn.functional", "retrograd.linalg", "retrograd.special",
          "retrograd.fft")


def called(code: CodeType) -> str | None:
    """The name of the public function that this code is, `add` for `x + y`; None if it is none."""
    if code.co_filename.startswith("<operator "):
        name = code.co_name.replace("dunder", code.co_filename[len("<operator "):-1])
        return name if hasattr(Tensor, name) or hasattr(functional, name) else None
    spaces = [vars(sys.modules[name]) for name in SPACES if name in sys.modules]
    names = {name for space in (*spaces, vars(Tensor)) for name, value in space.items()
             if callable(value) and getattr(inspect.unwrap(value), "__code__", None) is code}
    if len(names) != 1 or code.co_name in names:         # conv is conv1d, conv2d ...
        return code.co_name if names else None
    return re.sub("^__(.*)__$", r"\1", names.pop())


def fitting(function: str, given: list[Tensor]) -> str:
    """What a loss of nn.functional, or gather(), would take instead of what it was given."""
    if function in ("gather", "take_along_dim") and len(given) > 1 and (
            given[1]._data.ndim == given[0]._data.ndim - 1):
        return "give the index that dimension too: `.unsqueeze(1)` on it, `.squeeze(1)` on the " \
               "result"
    if function in ELEMENTWISE and len(given) == 2:
        return _broadcast(*sorted((t._data.shape for t in given), key=len))
    kind = FUNCTIONS.get(function, "")
    return kind and (_range(kind, None, given) or _target(kind, given))


ELEMENTWISE = ("add", "sub", "mul", "div", "eq", "where", "pow")


def _broadcast(few: Any, many: Any) -> str:
    """For two shapes that do not fit together: the dimensions that one of them lacks."""
    extra = len(many) - len(few)
    if extra and few == many[:len(few)] and len(many) > 2:       # see hints.of_broadcast()
        sizes = ", ".join(map(str, (-1 if len(few) == 1 else few[0], *few[1:], *[1] * extra)))
        return (f"dimensions are matched from the last one: to go with the first of {many}, {few} "
                f"needs one for each of the others, `.view({sizes})`.")
    if not extra and len(few) == 2 and few == many[::-1]:
        return f"turn one of them: `.t()` makes {many} of {few}."
    if not extra and few and few[1:] == many[1:]:
        return (f"the first sizes differ, {few[0]} and {many[0]}. If one of the two is a last, "
                "smaller batch: make the other of its size, `x.size(0)`, or give the DataLoader "
                "drop_last=True.")
    return ""


def _frame_inside(error: BaseException) -> TracebackType | None:
    """Where the user's own forward() failed; None where the Module is one of the library's."""
    traces, trace = [], error.__traceback__
    while trace is not None:
        if not is_library(trace.tb_frame.f_code.co_filename):
            traces.append(trace)
        trace = trace.tb_next
    return traces[-1] if traces else None


def _operands(trace: TracebackType) -> str:
    """The shapes of the tensors that the failing expression reads."""
    place = of_traceback(trace)
    env = env_of(trace.tb_frame)
    node = None if env is None else S.at(env.scope, place)
    search, shown = breaks.Search(), {}
    for part in ast.walk(node) if node is not None and env is not None else ():
        value = search.value(part, env) if isinstance(part, (ast.Name, ast.Attribute,
                                                             ast.Subscript)) else None
        if isinstance(value, Tensor):
            shown.setdefault(ast.unparse(part), f"`{ast.unparse(part)}` is {_brief(value)}")
    return ", ".join(list(shown.values())[:4]) or "it failed here"


def _flattening(trace: TracebackType, sentence: str) -> str:
    """For `x.view(-1, 400)` of images that have another number of elements each."""
    env = env_of(trace.tb_frame)
    if env is None or not re.match(r"shape '\[-1, \d+\]' is invalid for input", sentence):
        return ""
    for call in ast.walk(S.at(env.scope, of_traceback(trace)) or ast.Pass()):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            t, text = breaks.Search().value(call.func.value, env), ast.unparse(call.func.value)
            if isinstance(t, Tensor) and t._data.ndim > 2:
                each = math.prod(t._data.shape[1:])
                return (f"each of the {t._data.shape[0]} examples has {each} numbers here: "
                        f"`{text}.flatten(1)`, and {each} in_features of the layer after it.")
    return ""


def _brief(t: Tensor) -> str:
    return f"{str(t.dtype).removeprefix('torch.')} {tuple(t._data.shape)}"


def shown(t: Tensor) -> str:
    dtype = str(t.dtype).removeprefix("torch.")
    return _an(f"{dtype} tensor of shape {tuple(t._data.shape)}")


def _an(phrase: str) -> str:
    """The phrase with its article: an Embedding, a Linear, an LSTM (read letter by letter)."""
    word = phrase.partition("(")[0].partition(" ")[0]
    vowel = word[0] in "AEFHILMNORSX" if word.isupper() else word[0].lower() in "aeio"
    return f"{'an' if vowel else 'a'} {phrase}"


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
    if kind.startswith("Conv") and shape[-1] == wanted and len(shape) == 1 - dim:
        order = (0, len(shape) - 1, *range(1, len(shape) - 1))
        return ("it wants the channels after the batch, and here they come last: "
                f"`.permute{order}` on the input.")
    which = "the last dimension" if dim == -1 else f"dimension {dim % len(shape)}"
    return f"{attribute} is {wanted}, but {which} of the input has size {got}; make them equal."


def _state(kind: str, module: Any, given: list[Tensor]) -> str:
    """For a recurrent layer whose state is no pair, or has the batch first."""
    if kind.startswith("LSTM") and len(given) == 2:
        return ("the state of an LSTM is a pair, hidden state and cell: `lstm(x, (h_0, c_0))`; "
                "without one it begins with zeros.")
    if kind in ("LSTM", "GRU", "RNN") and len(given) > 1 and given[0].ndim == given[1].ndim == 3:
        ways = module.num_layers * (2 if module.bidirectional else 1)
        first, second, _ = given[0]._data.shape
        batch, steps = (first, second) if module.batch_first else (second, first)
        shape, wanted = given[1]._data.shape, (ways, batch, module.hidden_size)
        if shape == (ways, steps, module.hidden_size) != wanted:
            return (f"the input is read as {counted(batch, 'sequence')} of "
                    f"{counted(steps, 'step')} each, and the state has "
                    f"{steps} sequences. " + (
                        "If the steps come first in the input, make the layer without "
                        "batch_first=True." if module.batch_first else
                        "If the batch comes first in the input, make the layer with "
                        "batch_first=True."))
        if shape != wanted and sorted(shape) == sorted(wanted):
            return (f"a state has the layers first, also with batch_first=True: {wanted}, as of "
                    "`h_0.transpose(0, 1).contiguous()`.")
    return ""


def _shrunk(given: Tensor, sentence: str) -> str:
    """For an image that layers before have made smaller than a kernel."""
    if "Kernel size can't be greater than actual input size" not in sentence:
        return ""
    left = " x ".join(map(str, given._data.shape[2:]))
    return (f"the layers before have left {left} of the image: `padding=` in the convolutions, "
            "fewer layers that shrink it, or larger images.")


SPACE = {"1d": "length", "2d": "height, width", "3d": "depth, height, width"}


def _dimensions(kind: str, given: Tensor) -> str:
    """For a layer of images or the like that got too few dimensions, or too many."""
    space, have = SPACE.get(kind[-2:]), given._data.ndim
    if space is None or not kind.startswith(("Conv", "BatchNorm", "MaxPool", "AvgPool")):
        return ""
    full = 3 + space.count(",")
    if have == full or have == full - 1 and kind != "BatchNorm2d" and kind != "BatchNorm3d":
        return ""
    return f"it wants the dimensions (batch, channels, {space}); the input has {have}."


def _range(kind: str, module: Any, given: list[Tensor]) -> str:
    """For numbers that name rows or classes: how far they may go."""
    numbers = given[-1]._data
    if kind == "Embedding" and numbers.dtype.kind not in "iu":
        return "row numbers must be whole numbers: convert the input with `.long()`."
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
    """For parameters of another dtype than the input."""
    own = next((p for p in module.parameters() if p._data.dtype.kind == "f"), None)
    if own is None or own.dtype == given.dtype or own._data.dtype.kind != "f":
        return ""
    return f"its parameters are {own.dtype}: convert the input with `.to({own.dtype})`."


def _target(kind: str, given: list[Tensor]) -> str:
    """For a loss whose target has another shape, or no class numbers."""
    if not kind.endswith("Loss") or len(given) < 2:
        return ""
    (shape, number), wanted = (given[1]._data.shape, given[1]._data.dtype.kind), given[0]._data
    if kind in ("CrossEntropyLoss", "NLLLoss") and len(shape) == 1 < wanted.ndim and (
            cut := regrouped(given[0], shape[0])):
        return cut
    if kind in ("CrossEntropyLoss", "NLLLoss") and number == "f" and len(shape) < wanted.ndim:
        return "class numbers must be whole numbers: convert the target with `.long()`."
    if kind in ("CrossEntropyLoss", "NLLLoss") and number == "i" and given[1].itemsize < 8:
        return "class numbers are of 64 bits: convert the target with `.long()`."
    if kind in ("CrossEntropyLoss", "NLLLoss") and number in "iu" and len(
            shape) == wanted.ndim > 1 == shape[1]:
        return "give one class number for each example, without a dimension: `target.squeeze(1)`."
    if kind == "CrossEntropyLoss" and number in "iu" and shape == wanted.shape:
        return ("give class numbers, `target.argmax(1)`, or probabilities: convert the target with "
                "`.float()`.")
    if kind == "BCELoss" and wanted.size and not (0 <= wanted.min() and wanted.max() <= 1):
        return ("it takes probabilities; for scores take nn.BCEWithLogitsLoss(), which computes "
                "their sigmoid itself.")
    whole = kind.startswith("BCE") and number in "biu"
    if kind.startswith("BCE") and shape != wanted.shape and given[1]._data.size == wanted.size:
        return "give both the same shape: " + (
            "`target.float().view_as(output)`, probabilities, which are no whole numbers." if whole
            else "`target.view_as(output)`, or `output.squeeze(-1)`.")
    if whole:
        return "the target holds probabilities: convert it with `.float()`."
    return ""


VIEWS = ("ViewBackward0", "UnsafeViewBackward0", "ReshapeAliasBackward0")


def regrouped(output: Tensor, batch: int) -> str:
    """For an output whose rows a view has made of more than one example, or of a part: the cure."""
    rows, start = output._data.shape[0], reading.head(output)
    for node in reading.nodes([start]) if start is not None and rows != batch else ():
        sizes: Any = tuple(getattr(node, "_saved_self_sym_sizes", ()))
        each = math.prod(sizes[1:])
        if type(node).__name__ in VIEWS and sizes[0] == batch and not batch * each % rows:
            where = reading.place_of(node)
            return (f"view(){f' at {where}' if where else ''} has made {rows} rows of {batch} "
                    f"examples, which have {each} numbers each: `x.flatten(1)` keeps them apart, "
                    f"and in_features of the layer after it is {each} then.")
    return ""


def _one_value(kind: str, module: Module, given: Tensor) -> str:
    """For a BatchNorm in training, or InstanceNorm, that has one number to take the mean of."""
    shape = given._data.shape
    if kind.startswith("InstanceNorm") and given._data.size == shape[0] * shape[1]:
        return ("it takes the mean over each image, which is one number here: put it before the "
                "image has shrunk to that, or take LayerNorm.")
    if not kind.startswith("BatchNorm") or not module.training or given._data.size != shape[1]:
        return ""
    return ("one number has no variance. If this is a last, smaller batch: DataLoader(..., "
            "drop_last=True); if it is an evaluation: call eval() first.")
