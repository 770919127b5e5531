"""Selective checkpointing, and modes that see operators as they run."""

import functools
import gc
import weakref
from importlib import import_module

import pytest

import retrograd
from comparing import first_sentence
from retrograd.ops import calls
from retrograd.ops.overloads import NAMES
from retrograd.utils._python_dispatch import TorchDispatchMode
from retrograd.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

aten = retrograd.ops.aten
KEEP, AGAIN = CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_RECOMPUTE


def run(f, x, keep, **options):
    contexts = functools.partial(create_selective_checkpoint_contexts, keep, **options)
    return checkpoint(f, x, use_reentrant=False, context_fn=contexts)


def point():
    return retrograd.linspace(0.1, 0.9, 9, dtype=retrograd.float64).reshape(3, 3).requires_grad_()


def chain(x):
    x = x.t().reshape(9).view(3, 3)                 # tries a view first
    return (retrograd.softmax((x @ x).sin(), -1) * 2 + x[0]).exp()


def gradient(out, x, **options):
    return retrograd.autograd.grad(out.sum(), x, **options)[0]


class Counter(calls.Mode):
    """What runs, by name."""

    def __init__(self):
        self.seen = []

    def called(self, call):
        self.seen.append(str(call.overload))
        return call.run()


@pytest.mark.parametrize("keep", [
    [], [aten.mm.default], [aten.mm.default, aten._softmax.default, aten.select.int],
    lambda ctx, op, *args: KEEP, lambda ctx, op, *args: True, lambda ctx, op, *args: AGAIN])
def test_gradients_are_those_of_the_function(keep):
    x = point()
    assert retrograd.equal(gradient(run(chain, x, keep), x), gradient(chain(x), x))


def test_a_kept_result_is_not_computed_again():
    x = point()
    out = run(chain, x, [aten.mm.default, aten.sin.default]).sum()
    with Counter() as counter:
        out.backward()
    assert counter.seen[-5:] == ["aten._softmax.default", "aten.mul.Tensor", "aten.select.int",
                                 "aten.add.Tensor", "aten.exp.default"]
    assert "aten.mm.default" not in counter.seen


def test_the_policy_is_told_about_the_call():
    x, told = point(), []

    def policy(ctx, op, *args, **kwargs):
        told.append((op, ctx.is_recompute, args, ctx.op_output))
        return AGAIN

    out = run(lambda x: (x * 2).sum(0), x, policy)
    assert out.tolist() == (x * 2).sum(0).tolist()
    (mul, again, args, result), (total, *_) = told
    assert mul is aten.mul.Tensor and total is aten.sum.dim_IntList and not again
    assert args[0] is x and args[1] == 2 and retrograd.equal(result, 2 * x)


def test_random_numbers_after_a_kept_result():
    def f(x):
        return retrograd.dropout(x.exp(), 0.5, True) * retrograd.rand(3) + x.bernoulli()

    x = point()
    retrograd.manual_seed(5)
    out = run(f, x, lambda ctx, op, *args: KEEP)
    retrograd.manual_seed(5)
    assert retrograd.equal(gradient(out, x), gradient(f(x), x))


def test_under_autocast():
    x, w = (point().detach().float().requires_grad_() for _ in range(2))
    with retrograd.autocast("cpu"):
        out = run(lambda x: (x @ w).exp().trace() + (x @ w).sum(), x,
                  [aten.mm.default, aten.trace.default])
        plain = (x @ w).exp().trace() + (x @ w).sum()
    assert retrograd.equal(gradient(out, x), gradient(plain, x))


def test_results_are_freed_with_the_graph():
    refs = []

    def policy(ctx, op, *args):
        refs.append(weakref.ref(ctx.op_output))
        return KEEP

    gc.disable()
    try:
        x = point()
        out = run(lambda x: x.cos().exp(), x, policy)
        held = out.grad_fn
        assert refs[1]() is out
        out.sum().backward(retain_graph=True)
        del out, held
        assert [r() for r in refs] == [None, None]
    finally:
        gc.enable()


def changed(torch, keep, **options):
    x = torch.ones(3, requires_grad=True)
    contexts = functools.partial(torch.utils.checkpoint.create_selective_checkpoint_contexts,
                                 keep(torch), **options)
    return torch.utils.checkpoint.checkpoint(lambda x: x.sin().mul_(2).cos().exp(), x,
                                             use_reentrant=False, context_fn=contexts).sum()


def twice(torch):
    out = torch.utils.checkpoint.checkpoint(
        lambda x: x.sin().exp(), torch.ones(3, requires_grad=True), use_reentrant=False,
        context_fn=lambda: torch.utils.checkpoint.create_selective_checkpoint_contexts(
            [torch.ops.aten.sin.default])).sum()
    out.backward(retain_graph=True)
    out.backward()


def other_path(torch, first, second):
    steps = iter((first, second))
    torch.utils.checkpoint.checkpoint(
        lambda x: next(steps)(x.sin()).exp(), torch.ones(3, requires_grad=True),
        use_reentrant=False,
        context_fn=lambda: torch.utils.checkpoint.create_selective_checkpoint_contexts(
            [torch.ops.aten.sin.default])).sum().backward()


REFUSED = {
    "changed": lambda t: changed(t, lambda t: [t.ops.aten.sin.default]).backward(),
    "twice": twice,
    "another operator": lambda t: other_path(t, t.cos, t.tan),
    "once more": lambda t: other_path(t, t.cos, t.exp),
    "no operator": lambda t: t.utils.checkpoint.create_selective_checkpoint_contexts([2]),
    "a packet": lambda t: t.utils.checkpoint.create_selective_checkpoint_contexts(
        [t.ops.aten.sin]),
    "no list": lambda t: t.utils.checkpoint.create_selective_checkpoint_contexts(2),
}


@pytest.mark.live
@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED.keys())
def test_refused_in_pytorchs_words(program):
    torch = pytest.importorskip("torch")
    with pytest.raises((RuntimeError, ValueError, TypeError)) as theirs:
        program(torch)
    with pytest.raises((RuntimeError, ValueError, TypeError)) as ours:
        program(retrograd)
    assert type(ours.value) is type(theirs.value)
    said = str(ours.value).replace("retrograd._ops", "torch._ops")
    assert first_sentence(said) == first_sentence(str(theirs.value))


def test_allow_cache_entry_mutation_permits_what_is_refused_without_it():
    changed(retrograd, lambda t: [aten.sin.default], allow_cache_entry_mutation=True).backward()


def test_custom_operators_are_kept():
    runs = []

    @retrograd.library.custom_op("tests::counted_sin", mutates_args=())
    def counted_sin(x: retrograd.Tensor) -> retrograd.Tensor:
        runs.append(1)
        return x.sin()

    counted_sin.register_autograd(
        lambda ctx, g: g * ctx.saved_tensors[0].cos(),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))
    x = point()
    keep = [retrograd.ops.tests.counted_sin.default]
    out = run(lambda x: (counted_sin(x) * x.exp()).exp(), x, keep)
    assert retrograd.allclose(gradient(out, x), gradient((x.sin() * x.exp()).exp(), x))
    assert len(runs) == 1


# Modes


def test_dispatch_modes_nest():
    class Doubled(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {})) * 2

    x = point()
    with Counter() as counter, Doubled():
        y = x.sin()
    assert retrograd.equal(y, 2 * x.sin())
    assert counter.seen == ["aten.sin.default", "aten.mul.Tensor"]


def test_writes_name_their_line_under_a_mode():
    x = point()
    with Counter() as counter:
        y = x.exp()
        z = y.exp()
        y.mul_(2)
    assert counter.seen[-1] == "aten.mul_.Tensor"
    with pytest.raises(RuntimeError, match=r"(?s)modified by an inplace operation.*test_selective"):
        z.sum().backward()


def test_names_of_operators():
    mm = aten.mm.default
    assert (str(mm), repr(mm)) == ("aten.mm.default", "<OpOverload(op='aten.mm', "
                                                      "overload='default')>")
    assert (mm.name(), aten.mul.Tensor.name()) == ("aten::mm", "aten::mul.Tensor")
    assert mm.overloadpacket is aten.mm and str(aten.mm) == "aten.mm"
    assert aten.add.Tensor(retrograd.ones(2), 1).tolist() == [2, 2]
    assert aten.view.default(retrograd.ones(4), (2, 2)).shape == (2, 2)
    with pytest.raises(NotImplementedError, match="aten._softmax"):
        aten._softmax.default(retrograd.ones(2), 0, False)


@pytest.mark.live
def test_pytorch_has_the_overloads():
    torch = pytest.importorskip("torch")
    from retrograd.ops.declare import REGISTRY
    import_module("retrograd.ops.sparse")              # declares more when it is first used
    assert NAMES.keys() <= REGISTRY.keys()
    for name in NAMES.values():
        base, _, overload = name.partition(".")
        forms = [getattr(torch.ops.aten, form, None) for form in (base, base + "_")]
        assert any(form is not None and overload in form.overloads() for form in forms), name


SEEN = """
x == 2; x == x; x < 2; 2 - x; x - 2; x * x; x / 2; x ** 2; x ** x; 2 ** x; x % 2; x.clamp(min=0)
x.double().sum(0); x.mean(); x.max(1); x.amax(1); x.var(0); x.prod(0); x.norm(); x.cumsum(0)
x[0]; x[1:]; x[i]; x[None]; x.view(-1); x.mT; x.expand(2, 4, 4); x.squeeze()
torch.where(x > 0, x, x); x.masked_fill(x > 0, 1.0); x.scatter(0, i[None], 1.0); x.sort(); x.topk(2)
F.softmax(x, 0); F.cross_entropy(x, i); F.linear(x, x, v); x @ v; v @ v; x[None] @ x[None]
F.layer_norm(x, (4,)); F.gelu(x); F.silu(x); F.relu(x); F.mse_loss(x, x); F.group_norm(x, 2)
F.conv2d(x[None, None], x[None, None]); F.embedding(i, x); torch.cat([x, x])
F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None]); torch.addmm(v, x, x)
x.clone().mul_(2).add_(x); torch.var_mean(x); torch.fft.fft(x); torch.special.entr(x)
x.logsumexp(0)
"""


def names_seen(torch, statement):
    names, dispatch = [], import_module(f"{torch.__name__}.utils._python_dispatch")

    class Names(dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.arange(16.0).reshape(4, 4).div(16).requires_grad_()
    scope = {"torch": torch, "F": torch.nn.functional, "x": x, "i": torch.arange(4),
             "v": torch.ones(4)}
    with Names():
        eval(statement, scope)
    return [name for name in names if name != "aten.detach.default"]


@pytest.mark.live
@pytest.mark.parametrize("statement", [s.strip() for line in SEEN.strip().splitlines()
                                       for s in line.split(";")])
def test_operators_are_seen_as_in_pytorch(statement):
    torch = pytest.importorskip("torch")
    assert names_seen(retrograd, statement) == names_seen(torch, statement)
