"""Checkpointing, with and without reentry."""

import contextlib
import gc
import re
import subprocess
import sys
import textwrap
import weakref

import pytest

import retrograd as torch
from retrograd import nn
from retrograd.autograd import Function
from retrograd.utils.checkpoint import (
    CheckpointError,
    GraphExecGroup,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

BOTH = pytest.mark.parametrize("use_reentrant", [False, True])


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def chain(x):
    return x.sin().exp().sin()


@BOTH
def test_gradients_are_those_of_the_function(use_reentrant):
    x = leaf(0.3, 1.2)
    checkpoint(chain, x, use_reentrant=use_reentrant).sum().backward()
    y = leaf(0.3, 1.2)
    chain(y).sum().backward()
    assert torch.equal(x.grad, y.grad)


@BOTH
def test_several_inputs_and_outputs(use_reentrant):
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)

    def f(a, k, b, note):
        return a * b * k, note, (a + b).exp()

    a, note, b = checkpoint(f, x, 3, y, "note", use_reentrant=use_reentrant)
    assert note == "note"
    (a.sum() + b.sum()).backward()
    e = (x + y).detach().exp()
    assert torch.allclose(x.grad, 3 * y.detach() + e)
    assert torch.allclose(y.grad, 3 * x.detach() + e)


def test_keyword_arguments_and_nested_structures():
    x, y = leaf(1.0), leaf(2.0)

    def f(pair, *, scale):
        return {"out": pair[0] * pair[1].exp() * scale}

    checkpoint(f, (x, y), scale=2.0, use_reentrant=False)["out"].backward()
    assert torch.allclose(x.grad, 2 * y.detach().exp())
    assert torch.allclose(y.grad, 2 * x.detach() * y.detach().exp())


def test_intermediate_values_are_not_kept():
    kept = []

    def f(x):
        y = x.sin()
        kept.append(weakref.ref(y))
        return y.exp().sin()

    gc.disable()
    try:
        out = checkpoint(f, leaf(0.5), use_reentrant=False)
        assert kept[0]() is None
        out.backward()
        assert len(kept) == 2 and kept[1]() is None
    finally:
        gc.enable()


def test_graph_dies_without_the_collector():
    class Mark:
        pass

    def marked():
        out = checkpoint(
            lambda x: checkpoint(chain, x, use_reentrant=False).cos(),
            leaf(0.5),
            use_reentrant=False,
        )
        mark = out.grad_fn.metadata["mark"] = Mark()
        out.backward()
        return weakref.ref(mark)

    gc.disable()
    try:
        assert marked()() is None
    finally:
        gc.enable()


def test_recomputed_once_for_each_backward():
    calls = []

    def f(x):
        calls.append(1)
        return chain(x) * chain(x)

    x = leaf(0.5)
    out = checkpoint(f, x, use_reentrant=False)
    out.backward(retain_graph=True)
    assert len(calls) == 2
    first = x.grad.clone()
    out.backward()
    assert len(calls) == 3
    assert torch.equal(x.grad, 2 * first)


def test_grad_of_grad_with_checkpoints_at_every_level():
    def wrap(f):
        return lambda x: checkpoint(f, x, use_reentrant=False)

    def grad(f):
        def g(x):
            with torch.enable_grad():
                (out,) = torch.autograd.grad(f(x), x, create_graph=True)
            return out

        return g

    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    want = grad(grad(chain))(x)
    for f in (
        grad(wrap(grad(wrap(chain)))),
        wrap(grad(grad(wrap(chain)))),
        grad(grad(wrap(wrap(chain)))),
    ):
        assert torch.allclose(f(x), want)


@pytest.mark.parametrize("early_stop", [True, False])
def test_backward_inside_the_function(early_stop):
    def f(x):
        y = x.sin()
        z = y.cos()
        (g,) = torch.autograd.grad(z, x, retain_graph=True)
        return g * 2, z

    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    _, z = checkpoint(f, x, use_reentrant=False, early_stop=early_stop)
    z.backward()
    want = -torch.sin(torch.sin(x)) * torch.cos(x)
    assert torch.allclose(x.grad, want.detach())


def test_early_stop():
    calls = []

    def f(x):
        y = x.sin().cos()
        calls.append(1)
        return y.clone()

    checkpoint(f, leaf(0.5), use_reentrant=False).backward()
    assert len(calls) == 1
    with set_checkpoint_early_stop(False):
        out = checkpoint(f, leaf(0.5), use_reentrant=False)
    out.backward()
    assert len(calls) == 3


def test_an_early_stop_is_no_fault_of_the_arguments(monkeypatch):
    def look(*args):
        raise AssertionError("looked for what is wrong with a call")

    monkeypatch.setattr("retrograd.ops.arguments.call_of", look)
    x = leaf(0.5, 1.0, 2.0)
    checkpoint(lambda x: torch.layer_norm(x, (3,)), x, use_reentrant=False).sum().backward()
    assert x.grad is not None


@BOTH
def test_random_numbers_are_repeated(use_reentrant):
    masks = []

    def f(x):
        masks.append(torch.rand(4, dtype=torch.float64))
        return (x * masks[-1]).sin()

    x = torch.ones(4, dtype=torch.float64, requires_grad=True)
    torch.manual_seed(3)
    out = checkpoint(f, x, use_reentrant=use_reentrant)
    after = torch.rand(1)
    out.sum().backward()
    assert torch.equal(masks[0], masks[1])
    torch.manual_seed(3)
    torch.rand(4, dtype=torch.float64)
    assert torch.equal(torch.rand(1), after)


@BOTH
def test_autocast_is_repeated(use_reentrant):
    seen = []

    def f(x):
        seen.append((torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")))
        return x.sin()

    x = leaf(0.5)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = checkpoint(f, x, use_reentrant=use_reentrant)
    out.sum().backward()
    assert seen == [(True, torch.bfloat16)] * 2


def test_random_state_may_be_left_alone():
    masks = []

    def f(x):
        masks.append(torch.rand(4))
        return (x * masks[-1]).sin()

    x = torch.ones(4, requires_grad=True)
    checkpoint(f, x, use_reentrant=False, preserve_rng_state=False).sum().backward()
    assert not torch.equal(masks[0], masks[1])


@BOTH
def test_checkpoint_sequential_gives_the_same_gradients(use_reentrant):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.randn(2, 3, requires_grad=True)
    model(x).sum().backward()
    want = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    checkpoint_sequential(model, 2, x, use_reentrant=use_reentrant).sum().backward()
    for p, g in zip(model.parameters(), want, strict=True):
        assert torch.allclose(p.grad, g)


def test_modes_of_recording():
    x = leaf(0.5)
    with torch.no_grad():
        assert not checkpoint(chain, x, use_reentrant=False).requires_grad


def test_contexts_surround_each_computation():
    seen = []

    @contextlib.contextmanager
    def note(name):
        seen.append(name)
        yield
        seen.append("/" + name)

    x = leaf(0.5)
    out = checkpoint(
        chain, x, use_reentrant=False, context_fn=lambda: (note("first"), note("again"))
    )
    out.backward()
    assert seen == ["first", "/first", "again"]  # early stop leaves by an exception


def differing(first, again):
    calls = []

    def f(x):
        calls.append(1)
        return first(x) if len(calls) == 1 else again(x)

    return f


DIFFERENCES = {
    "another shape": (
        lambda x: x.sin().cos(),
        lambda x: x.sin()[:2].cos(),
        True,
        "torch.utils.checkpoint: Recomputed values for the following tensors have different "
        "metadata than during the forward pass.\n"
        "tensor at position 1:\n"
        "saved metadata: {'shape': torch.Size([3]), 'dtype': torch.float32, "
        "'device': device(type='cpu')}\n"
        "recomputed metadata: {'shape': torch.Size([2]), 'dtype': torch.float32, "
        "'device': device(type='cpu')}\n.\n",
    ),
    "fewer tensors": (
        lambda x: x.sin().cos().exp(),
        lambda x: x + 1,
        True,
        "torch.utils.checkpoint: A different number of tensors was saved during the original "
        "forward and recomputation.\n"
        "Number of tensors saved during forward: 3\n"
        "Number of tensors saved during recomputation: 0.\n",
    ),
    "more tensors": (
        lambda x: x.sin(),
        lambda x: x.sin().cos(),
        False,
        "torch.utils.checkpoint: trying to save more tensors during recomputation than during "
        "the original forward pass.\n",
    ),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_a_different_recomputation_is_found(case):
    first, again, early_stop, message = DIFFERENCES[case]
    x = torch.ones(3, requires_grad=True)
    out = checkpoint(differing(first, again), x, use_reentrant=False, early_stop=early_stop)
    with pytest.raises(CheckpointError) as error:
        out.sum().backward()
    assert str(error.value).startswith(message)


def test_determinism_check_may_be_left_out():
    x = torch.ones(3, requires_grad=True)
    f = differing(lambda x: x.sin().sum(), lambda x: (x + 1).double().sin().sum())
    out = checkpoint(f, x, use_reentrant=False, determinism_check="none")
    out.backward()
    assert x.grad is not None


def test_debug_lists_what_was_saved():
    f = differing(lambda x: x.sin().cos(), lambda x: x.sin()[:2].cos())
    out = checkpoint(f, torch.ones(3, requires_grad=True), use_reentrant=False, debug=True)
    words = "You are seeing this error because you passed `debug=True` to checkpoint"
    with pytest.raises(CheckpointError, match=words):
        out.sum().backward()
    f = differing(lambda x: x.sin().cos(), lambda x: x.sin()[:2].cos())
    with set_checkpoint_debug_enabled(False):
        out = checkpoint(f, torch.ones(3, requires_grad=True), use_reentrant=False, debug=True)
    with pytest.raises(CheckpointError, match="have different metadata"):
        out.sum().backward()


def test_saved_tensor_can_be_unpacked_once():
    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            out = x * 2
            ctx.save_for_backward(x, out)
            return out

        @staticmethod
        def backward(ctx, grad):
            assert len(ctx.saved_tensors) == 2
            with pytest.raises(RuntimeError, match="already unpacked once"):
                ctx.saved_tensors  # noqa: B018
            return grad * 2

    x = leaf(1.0)
    checkpoint(lambda t: Twice.apply(t * 3), x, use_reentrant=False).backward()
    assert x.grad.item() == 6


def test_group_of_backward_passes_recomputes_once():
    calls = []

    def f(x):
        calls.append(1)
        return x.sin().exp(), x.cos().exp()

    x = leaf(0.5)
    a, b = checkpoint(f, x, use_reentrant=False)
    with GraphExecGroup():
        a.backward()
        b.backward()
    assert len(calls) == 2
    with (
        pytest.raises(RuntimeError, match="GraphExecGroup contexts cannot be nested"),
        GraphExecGroup(),
        GraphExecGroup(),
    ):
        pass


def test_reentrant_backward_from_a_hook():
    def f(a):
        x = a.sin().cos()
        return x, x.sin()

    a = leaf(1.0)
    x, out = checkpoint(f, a, use_reentrant=False)
    out.grad_fn.register_hook(lambda *_: x.backward(retain_graph=True))
    out.backward(retain_graph=True)
    assert a.grad is not None


def test_use_reentrant_must_be_said():
    words = "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly."
    with pytest.warns(UserWarning, match=re.escape(words)):
        checkpoint(torch.sin, leaf(0.5)).backward()
    words = "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be"
    with pytest.warns(UserWarning, match=re.escape(words)):
        checkpoint_sequential([torch.sin, torch.cos], 1, leaf(0.5))


def test_reentrant_wants_an_input_that_requires_grad():
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        out = checkpoint(nn.Linear(3, 3), torch.ones(3), use_reentrant=True)
    assert not out.requires_grad


def test_reentrant_refuses_autograd_grad():
    x = leaf(0.5)
    out = checkpoint(torch.sin, x, use_reentrant=True)
    words = "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad()"
    with pytest.raises(RuntimeError, match=re.escape(words)):
        torch.autograd.grad(out.sum(), x)
    out = checkpoint(torch.sin, x, use_reentrant=True)
    with pytest.raises(RuntimeError, match=re.escape(words)):
        out.sum().backward(inputs=[x])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"use_reentrant": True, "scale": 2}, "Unexpected keyword arguments: scale"),
        (
            {"use_reentrant": True, "debug": True},
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False.",
        ),
        (
            {"use_reentrant": False, "determinism_check": "all"},
            "determinism_check should be one of ['default', 'none'], but got all",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        checkpoint(torch.sin, leaf(0.5), **options)


def test_a_function_that_stops_is_not_called_again():
    program = """
        import retrograd as torch
        from retrograd.utils.checkpoint import checkpoint
        x = torch.ones(2, 3, requires_grad=True)
        checkpoint(torch.nn.LayerNorm(3), x * 2, use_reentrant=False).sum().backward()
        assert x.grad is not None
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def test_under_vmap_jvp_and_a_dual_level():
    x, w = torch.tensor([0.3, 1.2], dtype=torch.float64), leaf(0.5, 2.0)

    def run(z):
        return checkpoint(lambda z, w: (z * w).sin() * z, z, w, use_reentrant=False)

    out = torch.vmap(lambda z: run(z).sum())(torch.stack([x, 2 * x]))
    assert torch.allclose(out, torch.stack([((x * w).sin() * x).sum(),
                                            ((2 * x * w).sin() * 2 * x).sum()]))
    _, tangent = torch.func.jvp(run, (x,), (torch.ones_like(x),))
    right = (x * w).cos() * w * x + (x * w).sin()
    assert torch.allclose(tangent, right)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        tangent = torch.autograd.forward_ad.unpack_dual(run(dual)).tangent
        assert torch.equal(*(torch.autograd.grad(t.sum(), w)[0] for t in (tangent, right)))


def test_recomputes_on_the_device_of_the_first_run():
    seen, x = [], leaf(0.3)

    def run(x):
        seen.append(torch.get_default_device().type)
        return x.sin()

    with torch.device("meta"):
        y = checkpoint(run, x, use_reentrant=False)
    y.backward()
    assert seen == ["meta", "meta"]
