"""autocast against PyTorch: dtypes, values, the graph, training, Functions; and what it costs."""

from __future__ import annotations

import subprocess
import sys
import threading
import traceback
import warnings

import numpy as np
import pytest

import retrograd as torch
from autocast_cases import CASES, call_run, graph_run, training_run
from comparing import load

RECORDED = load("autocast.json")
ROUNDING = 1e-2         # bfloat16 has 8 bits


def assert_close(found, expected):
    assert found[0] == expected[0]
    np.testing.assert_allclose(found[1], expected[1], rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("case", CASES, ids=" | ".join)
def test_call(case):
    assert_close(call_run(torch, *case), RECORDED["calls"][" | ".join(case)])


@pytest.mark.parametrize("cache", [True, False])
def test_training_as_pytorch(cache):
    losses, dtypes = training_run(torch, cache)
    expected = RECORDED["training"][not cache]
    np.testing.assert_allclose(losses, expected[0], rtol=ROUNDING)
    assert dtypes == expected[1]


@pytest.mark.parametrize("cache", [True, False])
def test_a_weight_is_cast_once_in_a_block(cache):
    assert graph_run(torch, cache) == RECORDED["graphs"][not cache]


@pytest.mark.live
def test_casts_and_graphs_beside_pytorch():
    real = pytest.importorskip("torch")
    for case in CASES:
        assert_close(call_run(torch, *case), call_run(real, *case))
    assert graph_run(torch, True) == graph_run(real, True)


def test_programs_without_autocast_are_left_alone():
    code = ("import retrograd as torch; code = torch.mm.__code__;"
            "torch.autocast('cpu', enabled=False).__enter__();"
            "torch.nn.Linear(2, 2)(torch.ones(1, 2)); assert torch.mm.__code__ is code;"
            "torch.autocast('cpu').__enter__(); assert torch.mm.__code__ is not code")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_blocks_nest_and_end():
    a = torch.ones(2, 2)
    with torch.autocast("cpu"):
        with torch.autocast("cpu", enabled=False):
            assert (a @ a).dtype is torch.float32
        with torch.autocast("cpu", dtype=torch.float16):
            assert (a @ a).dtype is torch.float16
        assert (a @ a).dtype is torch.bfloat16
    assert (a @ a).dtype is torch.float32

    @torch.autocast("cpu")
    def product():
        return a @ a

    assert product().dtype is torch.bfloat16
    with pytest.raises(ZeroDivisionError), torch.autocast("cpu"):
        raise ZeroDivisionError
    assert (a @ a).dtype is torch.float32


def test_an_error_inside_leaves_the_block_on():
    a = torch.ones(2, 3)
    with torch.autocast("cpu"):
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            a @ a
        assert (a @ a.T).dtype is torch.bfloat16


def test_a_block_is_its_threads_own():
    a, found = torch.ones(2, 2), []
    with torch.autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append((a @ a).dtype))
        thread.start()
        thread.join()
    assert found == [torch.float32]


def test_casts_made_without_gradients_are_not_kept():
    w = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        with torch.no_grad():
            w @ w
        (w @ w).float().sum().backward()
    assert w.grad is not None and w.grad.dtype is torch.float32


def test_a_changed_weight_is_cast_anew_in_the_next_block():
    w = torch.ones(1, 1, requires_grad=True)
    for value in (1.0, 2.0):
        with torch.no_grad():
            w.fill_(value)
        with torch.autocast("cpu"):
            assert (torch.ones(1, 1) @ w).item() == value


class Squared(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x @ x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        ctx.products.append((x @ x).dtype)
        return g.float() * 2


class Exact(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x):
        assert not torch.is_autocast_enabled("cpu")
        return x @ x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        return g


def test_functions_take_their_autocast_along():
    x = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        y = Squared.apply(x)
        assert y.dtype is torch.bfloat16
        assert Exact.apply(x.bfloat16()).dtype is torch.float32
    y.grad_fn.products = []
    node = y.grad_fn
    y.backward(torch.ones(2, 2, dtype=torch.bfloat16))
    assert node.products == [torch.bfloat16]


@pytest.mark.live
@pytest.mark.parametrize("call", [
    "autocast('cuda')", "autocast('cuda', enabled=False)", "autocast('mps', torch.float32)",
    "autocast('cpu', torch.float64)", "autocast('cpu', torch.float64, enabled=False)",
    "autocast('mps')", "is_autocast_cpu_enabled()", "get_autocast_cpu_dtype()",
    "get_autocast_gpu_dtype()"])
def test_warnings(call):
    theirs = pytest.importorskip("torch")
    assert warnings_of(torch, call) == warnings_of(theirs, call)


def warnings_of(torch, call):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        eval(f"torch.{call}", {"torch": torch})
    return [(w.category, str(w.message).partition(" (Triggered internally")[0]) for w in given]


def test_tracebacks_show_the_line_that_looked_first():
    with torch.autocast("cpu"):
        pass
    with pytest.raises(ValueError) as caught:
        torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0]))
    shown = traceback.format_tb(caught.tb)
    assert any("return _around(_original, _args, _kwargs)" in lines for lines in shown)
