"""The arguments of operators as PyTorch's schemas have them, for modes that are shown calls.

A declared operator takes its tensors first and then plain values, all by position; some of these
are the package's own (a stream of random numbers, the window of a view). `Shown` gives them
PyTorch's order, leaves out defaults and those of its own, and takes them back in that form.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import _dtype
from .._dtype import dtype as torch_dtype
from .._tensor import Tensor
from .indexing import Indices

OWN = ("stream", "window", "strides", "common")

# Where PyTorch's order is another, or it takes an argument by name; [] makes a list of a number.
SIGNATURES = """
sum_all(self, *, dtype=None)
sum_dim(self, dim[], keepdim=False, *, dtype=None)
mean_dim(self, dim[], keepdim=False)
prod_all(self, *, dtype=None)
prod_dim(self, dim, keepdim=False, *, dtype=None)
amax(self, dim[], keepdim=False)
amin(self, dim[], keepdim=False)
max_dim(self, dim, keepdim=False)
min_dim(self, dim, keepdim=False)
argmax(self, dim, keepdim=False)
argmin(self, dim, keepdim=False)
median_dim(self, dim, keepdim=False)
mode(self, dim, keepdim=False)
kthvalue(self, k, dim, keepdim=False)
logsumexp(self, dim[], keepdim=False)
var(self, dim[], *, correction=None, keepdim=False)
std(self, dim[], *, correction=None, keepdim=False)
var_mean(self, dim[], *, correction=None, keepdim=False)
std_mean(self, dim[], *, correction=None, keepdim=False)
cast(self, *, dtype)
read_at(self, indices)
write_at(self, indices, values, accumulate=False)
index_select(self, dim, index)
gather(self, dim, index)
scatter(self, dim, index, src)
scatter_value(self, dim, index, value)
scatter_add(self, dim, index, src)
index_add(self, dim, index, source, *, alpha=1)
index_copy(self, dim, index, source)
index_fill(self, dim, index, value)
index_fill_tensor(self, dim, index, value)
slice_dim(self, dim, start, end, step=1)
cat(tensors, dim=0)
cat_mixed(tensors, dim=0)
stack(tensors, dim=0)
stack_mixed(tensors, dim=0)
rsub_scaled(self, other, alpha=1)
rsub_tensor_scaled(self, other, *, alpha=1)
diagonal_scatter(self, src, offset=0, dim1=0, dim2=1)
gelu_by(self, *, approximate='none')
add_scaled(self, other, *, alpha=1)
sub_scaled(self, other, *, alpha=1)
addmm(self, mat1, mat2, *, beta=1, alpha=1)
baddbmm(self, batch1, batch2, *, beta=1, alpha=1)
addcmul(self, tensor1, tensor2, *, value=1)
addcdiv(self, tensor1, tensor2, *, value=1)
div_rounded(self, other, *, rounding_mode)
round_decimals(self, *, decimals)
rpow(self, exponent)
clamp_numbers(self, min=None, max=None)
sort(self, dim, descending=False)
topk(self, k, dim, largest=True, sorted=True)
diagonal(self, offset=0, dim1=0, dim2=1)
embedding_rows(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)
linalg_vector_norm(self, ord=2, dim[]=None, keepdim=False)
native_layer_norm_of(input, normalized_shape, weight, bias, eps)
binary_cross_entropy(self, target, weight=None, reduction=1)
"""


class Parameter(NamedTuple):
    """An argument as PyTorch has it; `default` is `...` where it has none."""

    name: str
    default: Any
    in_list: bool
    by_name: bool


@cache
def _written() -> dict[str, list[Parameter]]:
    found = {}
    for line in SIGNATURES.strip().splitlines():
        name, _, rest = line[:-1].partition("(")
        before, _, after = rest.partition("*, ")
        found[name] = [_parameter(text, by_name) for part, by_name in ((before, False),
                       (after, True)) for text in part.split(", ") if text]
    return found


def _parameter(text: str, by_name: bool = False) -> Parameter:
    name, _, default = text.partition("=")
    return Parameter(name.removesuffix("[]"), ast.literal_eval(default) if default else ...,
                     name.endswith("[]"), by_name)


@cache
def parameters(op: Any) -> list[Parameter]:
    """The arguments of a declared operator, in PyTorch's order."""
    if op.name in _written():
        return _written()[op.name]
    given = [Parameter(name, ..., False, False) for name in op.inputs]
    return given + [_parameter(name if default is None else f"{name}={default}")
                    for name, default in op.consts.items() if name not in OWN]


class Shown:
    """A call of `op`: `args` and `kwargs` in PyTorch's form, `taken` back into the operator's."""

    __slots__ = ("op", "args", "kwargs", "_values")

    def __init__(self, op: Any, args: tuple, kwargs: dict) -> None:
        self.op, self.args, self.kwargs = op, args, kwargs
        if op is None or kwargs:                # a program's own operator, or one with out=...
            self._values = None
            return
        defaults = {name: ast.literal_eval(text) for name, text in op.consts.items() if text}
        self._values = defaults | dict(zip((*op.inputs, *op.consts), args, strict=False))
        shown = [(p, _outward(self._values[p.name], p.in_list)) for p in parameters(op)]
        positional = [(p, value) for p, value in shown if not p.by_name]
        while positional and _is_default(*positional[-1]):
            positional.pop()
        self.args = tuple(value for _, value in positional)
        self.kwargs = {p.name: value for p, value in shown
                       if p.by_name and not _is_default(p, value)}

    def taken(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """Arguments in PyTorch's form as the operator takes them."""
        if self._values is None:
            return args, kwargs
        wanted = parameters(self.op)
        values = {p.name: p.default for p in wanted if p.default is not ...}
        values |= dict(zip([p.name for p in wanted if not p.by_name], args, strict=False)) | kwargs
        own = {name: value for name, value in self._values.items() if name in OWN}
        values = {name: _inward(name, value) for name, value in values.items()} | own
        return tuple(values[name] for name in (*self.op.inputs, *self.op.consts)
                     if name in values), {}


def _is_default(p: Parameter, value: Any) -> bool:
    return p.default is not ... and type(value) in (int, float, bool, str, type(None)) \
        and value == p.default


def _outward(value: Any, in_list: bool) -> Any:
    if isinstance(value, Indices):
        return list(value.tensors)
    if isinstance(value, np.dtype):
        return _dtype.of(np.empty(0, value))
    if isinstance(value, tuple):
        return list(value)
    return [value] if in_list and isinstance(value, int) else value


def _inward(name: str, value: Any) -> Any:
    if isinstance(value, torch_dtype):
        return value.np
    if not isinstance(value, list):
        return value
    if name == "indices":
        return Indices(value)
    return value if any(isinstance(v, Tensor) for v in value) else tuple(value)
