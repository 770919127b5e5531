"""Parameters as one vector, and back."""
from __future__ import annotations

import retrograd as torch
from retrograd._utils import typename

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters):
    """All parameters as one vector, flattened one after another: their history stays.

    vector_to_parameters() is the inverse.

    >>> import retrograd as torch
    >>> torch.nn.utils.parameters_to_vector([torch.ones(2, 2), torch.zeros(1)])
    tensor([1., 1., 1., 1., 0.])
    """
    return torch.cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec, parameters):
    """Set the `.data` of the parameters to the slices of `vec`, one after another.

    parameters_to_vector() is the inverse. Raises TypeError unless `vec` is a Tensor.

    >>> import retrograd as torch
    >>> w = torch.zeros(2, 2)
    >>> torch.nn.utils.vector_to_parameters(torch.arange(4.), [w])
    >>> w
    tensor([[0., 1.],
            [2., 3.]])
    """
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for param in parameters:
        count = param.numel()
        param.data = vec[start:start + count].view_as(param).data
        start += count
