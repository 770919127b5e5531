"""Collating: a list of samples to one batch of Tensors."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

import retrograd as rg

from ...._tensor import Tensor

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

np_str_obj_array_pattern = re.compile(r"[SaUO]")
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_convert(data: Any) -> Any:
    """NumPy arrays and scalars as Tensors, inside mappings and sequences too; the rest unchanged.

    >>> import numpy as np
    >>> from retrograd.utils.data import default_convert
    >>> default_convert({"x": np.ones(2, dtype=np.float32), "name": "a"})
    {'x': tensor([1., 1.]), 'name': 'a'}
    """
    if isinstance(data, Tensor):
        return data
    if isinstance(data, (np.ndarray, np.generic)) and not isinstance(data, np.str_):
        text = np_str_obj_array_pattern.search(data.dtype.str) is not None
        return data if text else rg.as_tensor(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(d) for d in data))
    if isinstance(data, tuple):
        return [default_convert(d) for d in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, [default_convert(d) for d in data])
    return data


def collate(batch: Any, *, collate_fn_map: dict[Any, Callable] | None = None) -> Any:
    """Turn a batch of samples into one sample of batches.

    Args:
        batch: the samples, all of the first one's structure.
        collate_fn_map: type, or tuple of types, to `fn(batch, *, collate_fn_map)`; the exact
            type is looked up first, then the first entry the sample is an instance of.

    Raises:
        RuntimeError: sequences of different lengths.
        TypeError: a type that neither the map nor a container rule knows.
    """
    sample = batch[0]
    kind = type(sample)
    fns = collate_fn_map or {}
    if kind in fns:
        return fns[kind](batch, collate_fn_map=collate_fn_map)
    for known, fn in fns.items():
        if isinstance(sample, known):
            return fn(batch, collate_fn_map=collate_fn_map)

    def column(values: Any) -> Any:
        return collate(values, collate_fn_map=collate_fn_map)

    if isinstance(sample, Mapping):
        return _like_mapping(sample, {key: column([d[key] for d in batch]) for key in sample})
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return kind(*(column(values) for values in zip(*batch, strict=False)))
    if not isinstance(sample, Sequence):
        raise TypeError(default_collate_err_msg_format.format(kind))
    if any(len(other) != len(sample) for other in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    columns = [column(values) for values in zip(*batch, strict=True)]
    return columns if isinstance(sample, tuple) else _like_sequence(sample, columns)


def _like_mapping(model: Any, items: dict) -> Any:
    """`items` as the model's own type where that can be built, else as a dict."""
    try:
        if isinstance(model, MutableMapping):
            result = copy.copy(model)
            result.update(items)
            return result
        return type(model)(items)
    except TypeError:
        return items


def _like_sequence(model: Any, items: list) -> Any:
    """`items` as the model's own type where that can be built, else as a list."""
    try:
        if isinstance(model, MutableSequence):
            result = copy.copy(model)
            for i, item in enumerate(items):
                result[i] = item
            return result
        return type(model)(items)
    except TypeError:
        return items


def collate_tensor_fn(batch: Any, *, collate_fn_map: dict | None = None) -> Tensor:
    try:
        return rg.stack(list(batch), 0)
    except RuntimeError as error:
        if len({t.shape for t in batch}) == 1:
            raise
        raise RuntimeError(f"{error}\n\nThe samples of a batch must have one shape.\nCure: give "
                           "DataLoader a collate_fn that pads them, as with "
                           "nn.utils.rnn.pad_sequence(), or batch_size=1.") from None


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: dict | None = None) -> Any:
    dtype = batch[0].dtype
    if np_str_obj_array_pattern.search(dtype.str) is not None:
        raise TypeError(default_collate_err_msg_format.format(dtype))
    return collate([rg.as_tensor(b) for b in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: dict | None = None) -> Tensor:
    return rg.as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: dict | None = None) -> Tensor:
    return rg.tensor(batch, dtype=rg.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: dict | None = None) -> Tensor:
    return rg.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: dict | None = None) -> Any:
    return batch


default_collate_fn_map: dict[Any, Callable] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """Stack samples along a new first dimension, inside mappings and sequences too.

    Tensors and arrays are stacked, numbers become Tensors (floats float64, ints int64), strings
    and bytes stay in a list.

    >>> import retrograd as torch
    >>> from retrograd.utils.data import default_collate
    >>> default_collate([(torch.zeros(2), 1), (torch.ones(2), 2)])
    [tensor([[0., 0.],
            [1., 1.]]), tensor([1, 2])]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
