"""torch.masked.MaskedTensor: elements that are not there count for nothing."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

import retrograd

DATA = [[0.5, 1.25, 2.0], [-3.0, 4.0, 5.0]]
MASK = [[True, False, True], [False, False, True]]

# `x`: a MaskedTensor, `d` its data, `m` its mask
SHOWN = (
    "x", "x.get_data()", "x.get_mask()", "x.to_tensor(9.0)", "x.shape", "x.dtype", "type(x)",
    "masked.masked_tensor(torch.tensor([1, 2]), m[0, :2])",
    "masked.masked_tensor(torch.tensor([True, False]), m[0, :2])", "x.double()", "x.float()",
    "x[0]", "x[0, 0]", "x[0, 1]", "x[:, 1:]", "x[None]", "x.t()", "x.transpose(0, 1)",
    "x.view(3, 2)", "x.reshape(6)", "x.unsqueeze(0)", "x.expand(2, 2, 3)", "torch.cat([x, x])",
    "torch.stack([x, x])", "x.clone()", "x.detach()", "x.contiguous()", "x.split(1)[1]",
    "torch.ones_like(x)", "x.abs().sqrt()", "torch.exp(x)", "-x", "x ** 2", "x.clamp(1, 3)",
    "x.isnan()", "x + x", "x * 2", "x / x", "x + d", "d * x", "x == x", "x > 2",
    "torch.logaddexp(x, x)", "torch.minimum(x, x)", "x.add_(1)", "x.mul_(x)",
    "x.sum()", "x.sum(0)", "x.sum(1, keepdim=True)", "torch.sum(x, 1)", "x.mean()", "x.mean(1)",
    "x.prod(1)", "x.amin(1)", "x.amax()", "x.argmin()", "x.argmax(1)", "x.var(1)", "x.std()",
    "x.all()", "x.all(1)", "torch.softmax(x, 0)", "torch.nn.functional.softmax(x, -1)",
    "torch.where(m, x, x)", "torch.where(d > 1, x, masked.masked_tensor(d, ~m))", "len(x)",
    "masked.is_masked_tensor(x)", "masked.is_masked_tensor(d)", "torch.is_tensor(x)",
    "torch.autograd.grad((x * x).sum(), x)", "torch.autograd.grad(x.exp().mean(), x)",
    "torch.autograd.grad(x.prod(), x)", "torch.autograd.grad(x.amax(), x)",
    "torch.autograd.grad((x * x).sum(1).sum(), x)", "torch.autograd.grad(x.std(), x)",
    "torch.autograd.grad(x.to_tensor(0.0).sum(), x)", "torch.autograd.grad(x.get_data().sum(), x)",
    "torch.autograd.grad(masked.as_masked_tensor(d, m).sum(), d)",
    "torch.autograd.grad((x[0] * 2).sum(), x)", "torch.autograd.grad(torch.cat([x, x]).sum(), x)")
REFUSED = (
    "x + masked.masked_tensor(d, ~m)", "x.relu()", "x.cumsum(0)", "x.max()", "x.T",
    "x.masked_fill(m, 0)", "x.sort()", "torch.zeros_like(x)", "x.tolist()",
    "masked.masked_tensor(d, m.int())", "masked.masked_tensor(d, m[0])",
    "masked.masked_tensor(d, m.t())", "masked.masked_tensor([1.0], m)",
    "masked.masked_tensor(x, m)", "masked.masked_tensor(d.cfloat(), m)",
    "masked.masked_tensor(d.long(), m, requires_grad=True)")


def outcome(torch, code):
    masked, d, m = torch.masked, torch.tensor(DATA), torch.tensor(MASK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = masked.masked_tensor(d, m, requires_grad="autograd" in code)
        if code.endswith(", d)"):
            d.requires_grad_()
        try:
            result = eval(code, {"torch": torch, "masked": masked, "x": x, "d": d, "m": m})
        except Exception as error:
            return type(error).__name__, str(error).partition("\n")[0]
        return repr(result)


@pytest.mark.live
@pytest.mark.parametrize("code", SHOWN + REFUSED)
def test_as_pytorch(code):
    real = pytest.importorskip("torch")
    assert outcome(retrograd, code) == outcome(real, code)


@pytest.mark.parametrize("code", REFUSED)
def test_what_cannot_be_is_refused(code):
    assert outcome(retrograd, code)[0] in ("TypeError", "ValueError", "RuntimeError")


FUNCTIONS = {name: eval(f"lambda x: {name}") for name in (
    "x.sum()", "x.mean(1)", "x.prod(0)", "x.amax()", "x.amin(1)", "x.var()", "x.std(0)", "x.norm()",
    "x.exp() * x", "x.sin().sum(0)", "(x * x + 1).log().mean()", "x.t()[1:].sum()",
    "retrograd.softmax(x, -1) * x", "retrograd.where(x.get_mask(), x * x, x).sum(0)",
    "(x + retrograd.ones(3, requires_grad=True)).sum(0)")}


def made(fill):
    """A MaskedTensor with `fill` where it has no element."""
    data = retrograd.where(retrograd.tensor(MASK), retrograd.tensor(DATA), fill)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return retrograd.masked.masked_tensor(data, retrograd.tensor(MASK), requires_grad=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_masked_counts_for_nothing(name):
    """Neither results nor gradients depend on it, be it nan."""
    found = []
    for fill in (1.0, 50.0, float("nan"), float("inf")):
        x = made(fill)
        y = FUNCTIONS[name](x)
        (g,) = retrograd.autograd.grad(y.to_tensor(0.0).sum(), x)
        assert not (g.get_mask() & ~retrograd.tensor(MASK)).any()
        found.append(repr((y.get_mask(), y.to_tensor(0.0), g)))
    assert len(set(found)) == 1


def test_reductions_are_those_of_the_elements_that_are_there():
    x = made(100.0)
    there = retrograd.tensor(DATA)[retrograd.tensor(MASK)].requires_grad_()
    for name in ("sum", "mean", "prod", "amax", "amin", "var", "std"):
        ours, theirs = getattr(x, name)(), getattr(there, name)()
        retrograd.testing.assert_close(ours.to_tensor(0.0), theirs)
        (g,), (h,) = retrograd.autograd.grad(ours, x), retrograd.autograd.grad(theirs, there)
        retrograd.testing.assert_close(g.get_data()[g.get_mask()], h)


def test_it_says_that_it_is_a_prototype():
    with pytest.warns(UserWarning, match="prototype stage"):
        retrograd.masked.as_masked_tensor(retrograd.tensor(DATA), retrograd.tensor(MASK))
    with pytest.raises(NotImplementedError, match="sparse"):
        retrograd.masked.masked_tensor(retrograd.tensor(DATA).to_sparse(), retrograd.tensor(MASK))


def test_anomaly_mode_passes_over_wrapper_tensors():
    with retrograd.autograd.set_detect_anomaly(True):
        made(0.0).sum().backward()


def test_other_subclasses_may_come_first():
    """In a process of its own: what looks at functions for a plain subclass stands outside."""
    code = """
import warnings
warnings.simplefilter("ignore")
import retrograd as torch

class Plain(torch.Tensor):
    pass

torch.ones(1).as_subclass(Plain)
x = torch.masked.masked_tensor(torch.tensor([1., 0.]), torch.tensor([True, False]))
print(bool(x.all().get_data()))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("True\n", "")
