"""Modules and functions of nn beside PyTorch's: numbers, nodes, gradients, errors, warnings.

A line is a callable and, after @, its arguments. x draws floats that require grad, p numbers in
[0, 1), i integers below its first argument.
"""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import retrograd

pytest.importorskip("ml_dtypes")
pytestmark = pytest.mark.live

IN_PLACE = """
F.elu_ @ x(3, 4).clone(), 0.7
F.celu_ @ x(3, 4).clone(), 0.7
F.selu_ @ x(3, 4).clone()
F.leaky_relu_ @ x(3, 4).clone(), 0.3
F.threshold_ @ x(3, 4).clone(), 0.1, 20.0
F.rrelu_ @ x(3, 4).clone(), 0.1, 0.3, True
F.rrelu_ @ x(3, 4).clone()
T.celu_ @ x(3, 4).clone()
T.threshold_ @ x(3, 4).clone(), 0.1, 20.0
F.elu_ @ x(3, 4).clone(), -1.0
F.celu_ @ x(3, 4).clone(), -1.0
F.leaky_relu_ @ x(3, 4).clone(), -1.0
F.rrelu_ @ x(3, 4).clone(), -1.0, 0.5
"""


@pytest.fixture(autouse=True)
def pytorch():
    pytest.importorskip("torch")


def lines(text):
    return [line for line in text.strip().splitlines() if not line.startswith("#")]


def arguments(torch):
    """x, p and i, the same numbers for either library."""
    rng = np.random.default_rng(0)

    def x(*shape, dtype="float32"):
        values = torch.tensor(rng.standard_normal(shape).tolist(), dtype=getattr(torch, dtype))
        return values.reshape(shape).requires_grad_()

    def p(*shape, dtype="float32"):
        values = torch.tensor(rng.random(shape).tolist(), dtype=getattr(torch, dtype))
        return values.reshape(shape)

    def i(below, *shape):
        return torch.tensor(rng.integers(0, below, shape).tolist()).reshape(shape)
    return {"T": torch, "nn": torch.nn, "F": torch.nn.functional, "x": x, "p": p, "i": i}


def numbers(t):
    if not hasattr(t, "detach"):
        return t
    return str(t.dtype), tuple(t.shape), t.detach().double().tolist()


def tensors(torch, result):
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return [t for t in parts if isinstance(t, torch.Tensor)]


def observed(torch, line):
    """What a line comes to: tensors as (dtype, shape, numbers), or an error's first sentence."""
    names = arguments(torch)
    maker, _, given = line.partition(" @ ")
    torch.manual_seed(3)
    try:
        function = eval(maker, names)
        if not given:
            return [repr(function)]
        given = eval(f"({given},)", names)
        outputs = tensors(torch, function(*given))
        found = [numbers(t) for t in outputs]
        found += [t.grad_fn and t.grad_fn.name() for t in outputs]
        leaves = [t for t in given if isinstance(t, torch.Tensor) and t.requires_grad]
        leaves += list(getattr(function, "parameters", list)())
        goals = [t for t in outputs if t.requires_grad]
        if goals and leaves:
            total = sum((t * torch.arange(t.numel()).reshape(t.shape)).sum() for t in goals)
            found += [numbers(g) for g in torch.autograd.grad(total, leaves, allow_unused=True)]
    except Exception as error:             # whatever it is, it is compared
        return [type(error).__name__, re.split(r"(?<=[.!?])\s|\n", str(error))[0]]
    return found


def compared(line):
    import torch
    seen = []
    for library in (retrograd, torch):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = observed(library, line)
        told = [re.sub(r"\s*\(Triggered.*", "", str(w.message)).rstrip(".") for w in caught]
        seen.append((found, told))
    (ours, our_warnings), (theirs, their_warnings) = seen
    assert our_warnings == their_warnings
    assert len(ours) == len(theirs), (ours, theirs)
    close = 1e-2 if "float16" in line else 1e-5
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, tuple):
            assert a[:2] == b[:2]
            np.testing.assert_allclose(a[2], b[2], close, close)
        else:
            assert a == b


@pytest.mark.parametrize("line", lines(IN_PLACE))
def test_activations_in_place_record_pytorchs_nodes(line):
    compared(line)
