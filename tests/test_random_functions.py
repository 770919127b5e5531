"""Random functions of views and writes in place: every transform tells the same of them.

A function that fails (shapes that do not fit, a saved tensor changed) is left out; of what works,
forward over reverse equals reverse over reverse, and vmap a loop over the slices.
"""

import random

import numpy as np
import pytest

import retrograd as torch
from retrograd.func import grad, jacfwd, jacrev, jvp, vmap

OUT_OF_PLACE = [
    "{x}.exp()", "{x}.sin()", "{x}.tanh()", "{x}.sigmoid()", "{x}.square()", "{x}.detach()",
    "{x} + {y}", "{x} - {y}", "{x} * {y}", "{x}.flip(0)", "{x}.cumsum(0)", "{x}.softmax(0)",
    "{x}.sum()", "{x}.sum(-1, keepdim=True)", "{x}.mean(0)", "{x}.prod()", "{x}.logsumexp(-1)",
    "{x}.norm()", "{x}.var(unbiased=False)", "{x}[0]", "{x}[:1]", "{x}[..., 1:]", "{x}[None]",
    "{x}.t()", "{x}.view(-1)", "{x}.reshape(-1)", "{x}.squeeze()", "{x}.expand(2, 3)",
    "{x}.diagonal()", "{x}.unbind()[0]", "{x}.chunk(2)[0]", "{x}.transpose(0, -1)",
]
IN_PLACE = [
    "{x}.mul_({y})", "{x}.add_({y})", "{x}.div_(2)", "{x}.sin_()", "{x}.tanh_()", "{x}.zero_()",
    "{x}.copy_({y})", "{x}[0] = {y}", "{x}[:1] *= 2", "{x}[..., 0] = {y}", "{x}.clamp_(-1, 1)",
    "{x}.masked_fill_({x} > 0.5, 0.1)", "{x}.t_()", "{x}.unsqueeze_(0)", "{x}.squeeze_()",
    "{x}.index_add_(0, torch.tensor([0]), {y}[:1])",
]


def program(seed):
    """(the source of f, which returns all its values in one vector, its input's shape)."""
    pick = random.Random(seed)
    names, lines = ["a", "b"], ["a = x.clone()", "b = x * 1.5 + 0.2"]
    for _ in range(pick.randint(3, 9)):
        x, y = pick.choice(names), pick.choice(names)
        if pick.random() < 0.6:
            name = f"v{len(names)}"
            lines.append(f"{name} = {pick.choice(OUT_OF_PLACE).format(x=x, y=y)}")
            names.append(name)
        else:
            lines.append(pick.choice(IN_PLACE).format(x=x, y=y))
    lines.append(f"return torch.cat([t.reshape(-1) for t in ({', '.join(names)})])")
    source = "\n".join(["def f(x):", *(f"    {line}" for line in lines)])
    return source, pick.choice([(2, 3), (3,), (1, 3), (2, 2)])


def outcome(compute):
    """An array, or None for an error."""
    try:
        return compute().detach().numpy()
    except (RuntimeError, IndexError, ValueError):
        return None


def laws(f, x):
    """Pairs of what should be the same."""
    xs = torch.stack([x, x * 0.7 + 0.1, x * -0.5])
    yield lambda: jacfwd(f)(x), lambda: jacrev(f)(x)
    slope = grad(lambda x: f(x).sum())
    yield lambda: jacfwd(slope)(x), lambda: jacrev(slope)(x)
    yield lambda: jacrev(jacfwd(lambda x: f(x).sum()))(x), lambda: jacrev(slope)(x)
    for each in (f, slope, lambda x: jvp(f, (x,), (torch.ones_like(x),))[1]):
        yield lambda e=each: vmap(e)(xs), lambda e=each: torch.stack([e(x) for x in xs])


@pytest.mark.parametrize("first", range(0, 240, 40))
def test_transforms_agree(first):
    compared = 0
    for seed in range(first, first + 40):
        source, shape = program(seed)
        namespace = {"torch": torch}
        exec(source, namespace)
        x = torch.tensor(np.random.default_rng(seed).uniform(-1.5, 1.5, shape))
        for one, other in laws(namespace["f"], x):
            a, b = outcome(one), outcome(other)
            if a is not None and b is not None:
                compared += 1
                np.testing.assert_allclose(a, b, 1e-6, 1e-8, err_msg=f"seed {seed}:\n{source}")
    assert compared > 60


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float64"])
def test_ones_and_zeros_are_drawn_into_any_dtype(dtype):
    out = torch.zeros(3, dtype=getattr(torch, dtype))
    assert torch.bernoulli(torch.tensor([0.0, 1.0, 1.0]), out=out) is out
    assert out.tolist() == [0, 1, 1]
