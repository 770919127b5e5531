"""Evaluates lines such as "torch.rand(2)" and says what came of them."""

from __future__ import annotations

import copy
import math
import warnings
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"
# Warnings of what PyTorch is made of
OWN = ("tensor support is in beta state", "`torch.jit.script` is deprecated", "get_attr Node")
SETS = ("random", "creation", "memory", "operators", "out", "linalg", "meta", "arguments",
        "sparse", "indexing")


def lines(name: str) -> list[str]:
    return (DATA / f"{name}_expressions.txt").read_text().splitlines()


def sparse_tensors(torch) -> dict:
    """What the lines about sparse tensors begin with: one sorted, one coalesced, one with a place
    twice, one whose last dimension is dense, one of complex numbers; a dense one and a column."""
    torch.sparse.check_sparse_tensor_invariants.disable()       # PyTorch warns until it is told
    i, v = torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([1.0, 2.0, 3.0])
    s = torch.sparse_coo_tensor(i, v, (2, 3))
    return {
        "i": i, "s": s, "c": s.clone().coalesce(),
        "u": torch.sparse_coo_tensor([[1, 0, 1, 1], [2, 2, 0, 2]], [1.0, 2.0, 3.0, 4.0], (2, 3)),
        "h": torch.sparse_coo_tensor([[1, 0]], [[1.0, 2.0], [3.0, 4.0]], (2, 2)),
        "z": torch.sparse_coo_tensor(i, torch.tensor([1 + 1j, 2, 3j]), (2, 3)),
        "r": torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], v, (2, 3)),
        "d": torch.arange(6.0).reshape(2, 3), "one": torch.ones(3, 1),
    }


def gradients(f, *inputs):
    """(name of the node, its next nodes, the inputs' gradients) of a function of copies."""
    inputs = [t.clone().requires_grad_() for t in inputs]
    result = f(*inputs)
    names = [type(n).__name__ for n, _ in result.grad_fn.next_functions if n is not None]
    total = result.coalesce().values() if result.is_sparse else result
    weights = 1 + (total.detach() * 0).cumsum(0) if total.ndim else total.detach()
    (total * weights * total.detach()).sum().backward()
    grads = [(t.grad.layout, t.grad.to_dense().tolist()) for t in inputs]
    return type(result.grad_fn).__name__, names, grads


def outcome(torch, expression: str, name: str = "") -> dict:
    """The repr of the value, or the error's type and first line, and the warnings on the way."""
    torch.manual_seed(0)
    names = {
        "torch": torch,
        "np": np,
        "math": math,
        "copy": copy,
        "x": torch.ones(3, requires_grad=True),
        "m": torch.zeros(2, 3),
        "meta": torch.empty(2, 3, device="meta"),
        "gradients": gradients,
    }
    if name == "sparse":
        names.update(sparse_tensors(torch))
    found = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found["value"] = repr(eval(expression, names))
        except Exception as error:  # whatever it is, it is compared
            text = str(error).splitlines()[0].split(" This could be because")[0]
            found["error"] = f"{type(error).__name__}: {text}"
    texts = [str(w.message).split(" (Triggered internally")[0] for w in caught
             if not any(words in str(w.message) for words in OWN)]
    found["warnings"] = list(dict.fromkeys(texts))
    return found
