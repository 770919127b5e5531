"""Parameters as one vector, and back."""
from __future__ import annotations

import retrograd as torch
from retrograd._utils import typename

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters):
    """All parameters, flattened one after another."""
    return torch.cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec, parameters):
    """Set the parameters to the slices of `vec`, in place of their data."""
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for param in parameters:
        count = param.numel()
        param.data = vec[start:start + count].view_as(param).data
        start += count
