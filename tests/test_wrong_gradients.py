"""Where PyTorch computes a wrong gradient silently: what is said here, and when nothing is."""

from __future__ import annotations

import threading
import warnings

import pytest

import retrograd as torch
from retrograd.autograd import Function, WrongGradientWarning, grad, on_wrong_gradient
from retrograd.autograd.function import once_differentiable
from retrograd.autograd.intermediates import Intermediate


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def second(function, x):
    (g,) = grad(function(x).sum(), x, create_graph=True)
    return grad(g.sum(), x)[0]


def with_backward(forward, backward):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (Function,), body)


# --------------------------------------------------------------------------- writes through .data

WRITES = {
    "in place": lambda w: w.data.add_(1),
    "augmented": lambda w: exec("w.data -= 0.5", {"w": w}),
    "a part": lambda w: w.data.__setitem__(0, 5.0),
    "a view": lambda w: w.data.view(-1).mul_(2),
    "data of data": lambda w: w.data.data.mul_(2),
    "copy_": lambda w: w.data.copy_(torch.zeros(2)),
    "other memory": lambda w: setattr(w, "data", torch.zeros(2, dtype=torch.float64)),
    "a step": lambda w: torch.optim.SGD([w.data.requires_grad_()], 1.0).param_groups[0]["params"][
        0].detach().mul_(2),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_a_write_through_data_is_noticed(write):
    w = leaf(1.0, 2.0)
    y = (w * w).sum()
    write(w)
    assert w._version == 0
    with pytest.warns(WrongGradientWarning, match="changed through .data"):
        y.backward()
    with on_wrong_gradient("raise"), pytest.raises(RuntimeError, match="through .data"):
        z = w.sin().sum()
        write(w)
        z.backward()


def test_the_warning_names_the_lines():
    w = leaf(1.0, 2.0)
    y = (w * w).sum()
    w.data.add_(1)
    with pytest.warns(WrongGradientWarning) as caught:
        y.backward()
    text = str(caught[0].message)
    assert "w.data.add_(1)" in text and "y.backward()" in text and "after backward()" in text
    assert caught[0].filename == __file__


NOT_WRONG = {
    "after backward": lambda w: ((w * w).sum().backward(), w.data.add_(1)),
    "before forward": lambda w: (w.data.add_(1), (w * w).sum().backward()),
    "nothing saved": lambda w: ((w + w).sum(), w.data.add_(1))[0].backward(),
    "result saved": lambda w: (w.exp().sum(), w.data.add_(1))[0].backward(),
    "a reading": lambda w: ((w * w).sum(), w.data.clone().add_(1), w.data.sum())[0].backward(),
    "an older view": lambda w: (
        (w[:1] * leaf(1.0)).sum(), setattr(w, "data", torch.zeros(2)))[0].backward(),
    "another tensor": lambda w: ((w * w).sum(), leaf(1.0).data.add_(1))[0].backward(),
    "the gradient": lambda w: [(w * w).sum().backward() or w.grad.data.zero_() for _ in range(2)],
    "itself": lambda w: ((w * w).sum(), setattr(w, "data", w.data))[0].backward(),
}


@pytest.mark.parametrize("program", NOT_WRONG.values(), ids=NOT_WRONG.keys())
def test_what_changes_nothing_is_no_reason_to_warn(program):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program(leaf(1.0, 2.0))


def test_a_seen_write_is_still_an_error():
    w = leaf(1.0, 2.0)
    y = (w * w).sum()
    w.data.add_(1)
    with torch.no_grad():
        w.add_(1)
    assert w._version == 1
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        y.backward()


def test_views_keep_their_history_over_unseen_writes():
    w = leaf(1.0, 2.0)
    v = (w * 1)[0]
    v.data.add_(1)
    assert type(v.grad_fn).__name__ == "SelectBackward0" and v._version == 0


def test_many_unseen_writes_keep_no_list_of_all():
    w = leaf(1.0, 2.0)
    for _ in range(5000):
        w.data.add_(1)
    y = (w * w).sum()
    assert w._version == 0 and len(w._cell) == 3 and len(w._cell[2].at) <= 1000
    y.backward()
    w.data.add_(1)
    assert w._version == 0


# --------------------------------------------------------------------------- saved intermediates

def exp_of(save):
    """2 exp(x) + x^3 by a Function that keeps exp(x) as `save` says."""
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, y)
        if save == "attribute":
            ctx.save_for_backward(x)
            ctx.y = y
        elif save == "detached":
            ctx.save_for_backward(x, y.detach())
        elif save == "in place":
            ctx.save_for_backward(x, torch.zeros_like(x).add_(y))
        elif save == "a part":
            ctx.save_for_backward(x, torch.stack([y, y]).unbind()[0])
        return 2 * y + x**3

    def backward(ctx, g):
        x, *rest = ctx.saved_tensors
        y = rest[0] if rest else ctx.y
        return g * (2 * y + 3 * x * x)
    return with_backward(forward, backward)


@pytest.mark.parametrize("save", ["saved", "attribute", "detached", "in place", "a part"])
def test_a_saved_intermediate_has_no_second_derivative(save):
    made = exp_of(save)
    x = leaf(1.0)
    (g,) = grad(made.apply(x).sum(), x, create_graph=True)
    assert g.item() == pytest.approx(2 * torch.e + 3)
    where = r"ctx\.y" if save == "attribute" else r"ctx\.saved_tensors\[1\]"
    with pytest.raises(RuntimeError, match=f"second derivative of Made lacks a term.*{where}"):
        grad(g.sum(), x)
    with pytest.raises(RuntimeError, match="ctx.save_for_backward"):
        second(made.apply, x)
    with on_wrong_gradient("ignore"):
        assert second(made.apply, x).item() == 6.0                  # PyTorch's number; 11.44
    with on_wrong_gradient("warn"), pytest.warns(WrongGradientWarning, match="lacks a term"):
        assert second(made.apply, x).item() == 6.0


def test_the_first_derivative_is_no_reason_to_complain():
    x = leaf(1.0)
    made = exp_of("saved")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                             # of the cycle that this makes
        made.apply(x).sum().backward(create_graph=True)
    assert x.grad.item() == pytest.approx(2 * torch.e + 3)
    x.grad = None
    w = leaf(2.0)
    (g,) = grad((made.apply(x) * w).sum(), x, create_graph=True)
    assert grad(g.sum(), w)[0].item() == pytest.approx(2 * torch.e + 3)


HARMLESS = {
    "mask": lambda x: (x > 0).double(),
    "sign": lambda x: x.sign(),
    "rounded": lambda x: x.round(),
    "noise": lambda x: torch.ones(2, dtype=torch.float64) * 0.3,
    "shape": lambda x: torch.zeros_like(x) + 1,
    "indices": lambda x: x.argsort(),
}


@pytest.mark.parametrize("made", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_is_locally_constant_may_be_saved(made):
    def forward(ctx, x):
        ctx.save_for_backward(x, made(x))
        return made(x).double() * x**2

    def backward(ctx, g):
        x, m = ctx.saved_tensors
        return 2 * g * m.double() * x
    x = leaf(1.2, -2.6)
    assert second(with_backward(forward, backward).apply, x).tolist() == pytest.approx(
        (2 * made(x).double()).tolist())


def test_inputs_and_outputs_may_be_saved():
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, y)
        ctx.x = x
        return y

    made = with_backward(forward, lambda ctx, g: g * ctx.saved_tensors[1])
    assert second(made.apply, leaf(1.0)).item() == pytest.approx(torch.e)


def test_examining_leaves_no_trace():
    made, x = exp_of("saved"), leaf(1.0)
    kept = []

    def forward(ctx, x):
        kept.append(x * 2)
        ctx.save_for_backward(x)
        return kept[0] * x
    other = with_backward(forward, lambda ctx, g: 4 * g * ctx.saved_tensors[0])
    y, z = made.apply(x), other.apply(x)
    kept[0] + 1
    assert [t._flags for t in (x, y, z, kept[0])] == [1, 1, 1, 0]
    assert made._intermediates == ({1}, []) and other._intermediates == (set(), [])


def test_examining_does_not_change_what_forward_sees():
    def forward(ctx, x):
        assert not torch.is_grad_enabled() and x.requires_grad and not (x * 2).requires_grad
        return x * 2
    made = with_backward(forward, lambda ctx, g: 2 * g)
    made.apply(leaf(1.0)).sum().backward()


# --------------------------------------------------------------------------- once_differentiable

def square(saves=True):
    def forward(ctx, x):
        ctx.save_for_backward(*[x] * saves)
        return x * x if saves else 3 * x

    @once_differentiable
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g if saves else 3 * g
    return with_backward(forward, backward)


ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"
WAYS = {
    "grad": lambda f, x: grad(grad(f(x).sum(), x, create_graph=True)[0].sum(), x),
    "inputs": lambda f, x: grad(f(x).sum(), x, create_graph=True)[0].sum().backward(inputs=[x]),
    "backward": lambda f, x: grad(f(x).sum(), x, create_graph=True)[0].sum().backward(),
    "weight": lambda f, x: grad(
        grad((f(x) * (w := leaf(2.0))).sum(), x, create_graph=True)[0].sum(), w),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
@pytest.mark.parametrize("function", [lambda F, x: F(x) * x, lambda F, x: F(x) + x**3])
def test_once_differentiable_is_noticed_everywhere(way, function):
    made = square()
    with pytest.raises(RuntimeError, match=ONCE):
        way(lambda x: function(made.apply, x), leaf(3.0))


def test_once_differentiable_as_in_pytorch():
    made = square()
    with on_wrong_gradient("ignore"):
        assert second(lambda x: made.apply(x) * x, leaf(3.0)).item() == 6.0          # 18
        assert second(lambda x: made.apply(x) + x**3, leaf(3.0)).item() == 18.0      # 20


def test_once_differentiable_without_a_second_derivative():
    made = square(saves=False)
    assert second(lambda x: made.apply(x) + x**3, leaf(3.0)).item() == 18.0
    x, w = leaf(3.0), leaf(2.0)
    (g,) = grad((square().apply(x) + w**2).sum(), w, create_graph=True)
    assert grad(g.sum(), w)[0].item() == 2.0


# --------------------------------------------------------------------------- the switch

def test_the_switch_is_the_threads_own_and_checked():
    with pytest.raises(ValueError, match="mode must be one of"):
        on_wrong_gradient("quiet")
    on_wrong_gradient("ignore")
    try:
        seen = []
        thread = threading.Thread(target=lambda: seen.append(torch._state.state.on_wrong))
        thread.start()
        thread.join()
        assert seen == [None] and torch._state.state.on_wrong == "ignore"
    finally:
        on_wrong_gradient(None)

    @on_wrong_gradient("warn")
    def mode():
        return torch._state.state.on_wrong
    assert mode() == "warn" and torch._state.state.on_wrong is None


def test_intermediates_die_with_their_graph():
    import gc
    x = leaf(1.0)
    made = exp_of("saved")
    gc.collect()
    gc.disable()
    try:
        before = sum(type(o) is Intermediate for o in gc.get_objects())
        g = grad(made.apply(x).sum(), x, create_graph=True)
        del g
        assert sum(type(o) is Intermediate for o in gc.get_objects()) == before
    finally:
        gc.enable()
