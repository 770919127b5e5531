"""Backward passes that were written out: they do what the engine's loop does, or leave it to it."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pytest

import retrograd as torch
from retrograd._state import features
from retrograd.autograd import engine, gradients, straight
from retrograd.autograd import leaves as autograd_leaves
from retrograd.kernels import fast


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """A pass is written out as soon as its shape has come once; none is known before or after."""
    monkeypatch.setattr(straight, "OFTEN", 1)
    monkeypatch.setattr(straight, "_passes", {})
    monkeypatch.setattr(straight, "_seen", {})
    monkeypatch.setattr(straight, "_written", {})
    # What tests elsewhere may have left: numbers of nodes changed, watchers.
    monkeypatch.setattr(features, "renumbered", False)
    monkeypatch.setattr(features, "watch", None)


@pytest.fixture
def passes(monkeypatch):
    """Whether straight_pass() knew a pass, in order."""
    answers, plain = [], straight.straight_pass

    def asked(*args):
        found = plain(*args)
        answers.append(found is not None)
        return found
    monkeypatch.setattr(engine, "straight_pass", asked)
    return answers


def leaves():
    torch.manual_seed(0)
    return [torch.randn(3, requires_grad=True), torch.randn(2, 3, requires_grad=True)]


def mean_of_squares(x, w):
    return ((w * x - 1) ** 2).mean()


def one_used_often(x, w):
    y = x.exp()
    return (y * y + x * y + w.sum(0) * x).sum()


def rows(x, w):
    return torch.nn.functional.cross_entropy(w * x, torch.tensor([1, 2]))


def rows_of_which_some_are_ignored(x, w):
    return torch.nn.functional.cross_entropy(w * x, torch.tensor([2, -100]), reduction="sum")


def rows_whose_scores_are_used_twice(x, w):
    scores = (w * x).log_softmax(1)
    return torch.nn.functional.nll_loss(scores, torch.tensor([0, 2])) + scores.exp().sum()


def rows_that_weigh(x, w):
    return torch.nn.functional.cross_entropy(w * x, torch.tensor([1, 2]), torch.tensor([1., 2, 3]))


def joined(x, w):
    return torch.cat([x, w[0], x.sin()]).prod()


def both_get_one_array(x, w):
    return (x + w).sum() + (x - w.mean(0)).sum()


def of_a_frozen(x, w):
    return (w.detach() * x).sum()


def normalized(x, w):
    y = torch.nn.functional.layer_norm(w * x, (3,), x.exp())
    return torch.nn.functional.batch_norm(y, None, None, x.sin(), training=True).sin().sum()


def of_several_outputs(x, w):
    values, places = (w * x).max(1)
    std, mean = torch.std_mean(w * x, 0)
    return values.sum() + (std * mean).sum() + places.sum() + w.sort(0).values.exp().sum()


def of_a_second_output(x, w):
    return (torch.std_mean(w)[1] * x).sum()


def parts(x, w):
    return (w[0] * w[1] * w.sum() * x).sum()


def parts_that_overlap(x, w):
    y = (w * x).exp()
    return (y[0] * y[1]).sum() + y[:, 1:].prod() + (y.diagonal() * x[:2]).sum() + y[1, 2]


def parts_of_what_others_get_too(x, w):
    y = w * x
    z = (y + w) * 2                             # y and w get one array
    return (y[1] * y[0]).sum() + z.sum() + (w[0] - y[1]).sin().sum()


def parts_of_a_number(x, w):
    y = x.sum().expand(4)                       # its gradient is a view
    return (y[0] * y[1] + y[2]) * w[0, 0] * w[1, 1] + y.unsqueeze(0)[0, 3]


def written_rows(x, w):
    y = torch.zeros(2, 3)
    y[0] = x * 2
    y[1] = w[0] + y[0]
    return (y * w).sum()


def written_into_views(x, w):
    y = w * 1
    y[0].mul_(x.detach())
    y[1] += y[0]
    corner = y[:, 1:]
    corner.exp_()
    return y.prod() + (corner * x[1:]).sum()


GRAPHS = [written_rows, written_into_views, parts, parts_that_overlap,
          parts_of_what_others_get_too, parts_of_a_number, mean_of_squares, one_used_often, rows,
          rows_of_which_some_are_ignored, rows_whose_scores_are_used_twice, rows_that_weigh, joined,
          both_get_one_array, of_a_frozen, normalized, of_several_outputs, of_a_second_output]


@pytest.fixture
def by_loop(monkeypatch):
    """A function after whose call no pass is written out any more."""
    def leave_all_to_the_loop():
        straight._passes.clear()
        monkeypatch.setattr(straight, "OFTEN", 10 ** 9)
    return leave_all_to_the_loop


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_same_bits_as_by_the_loop(graph, passes, by_loop):
    found = []
    for _ in range(3):
        x, w = leaves()
        graph(x, w).backward()
        graph(x, w).backward()                           # onto what is there
        found.append([None if p.grad is None else p.grad.tolist() for p in (x, w)])
    assert passes == [False] + [True] * 5
    by_loop()
    x, w = leaves()
    for _ in range(2):
        graph(x, w).backward()
    assert passes == [False] + [True] * 5 + [False] * 2
    assert found == [[None if p.grad is None else p.grad.tolist() for p in (x, w)]] * 3


def derivatives(graph, x, w, times):
    """What each way of asking for gradients gives, one after the other."""
    found = []
    for _ in range(times):
        x.grad = w.grad = None
        graph(x, w).backward()
        found += [x.grad, w.grad]
    for inputs in ([x, w], [x], [w], [w, x]):
        for options in ({}, {"retain_graph": True}):
            for _ in range(times):
                found += torch.autograd.grad(graph(x, w), inputs, allow_unused=True, **options)
    for inputs in ([x, w], [w]):
        for _ in range(times):
            firsts = torch.autograd.grad(graph(x, w), inputs, create_graph=True, allow_unused=True)
            found += firsts
            squares = [(g * g).sum() for g in firsts if g is not None and g.requires_grad]
            if squares:
                found += torch.autograd.grad(sum(squares), inputs, allow_unused=True)
    return [None if g is None else g.tolist() for g in found]


def random_graph(seed):
    """A function of two 3 x 3 matrices: nested operators, whose values meet again."""
    pick = random.Random(seed)
    steps = [(pick.choice(["add", "mul", "sub", "maximum", "sin", "tanh", "sum", "t", "matmul"]),
              pick.random(), pick.random()) for _ in range(pick.randint(1, 25))]

    def graph(x, w):
        values = [x, w]
        for name, i, j in steps:
            a, b = values[int(i * len(values))], values[int(j * len(values))]
            if name in ("sin", "tanh", "t"):
                values.append(getattr(a, name)())
            elif name == "sum":
                values.append(a.sum(int(j * 2), keepdim=True) + b)
            else:
                values.append(getattr(torch, name)(a, b))
        return (values[-1] * values[len(values) // 2]).sum()
    return graph


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed, passes, by_loop, monkeypatch):
    monkeypatch.setattr(fast, "HALF", 1)                 # sums in memory that nobody else has
    torch.manual_seed(seed)
    x, w = (torch.randn(3, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    if not random_graph(seed)(x, w).requires_grad:
        return
    written = derivatives(random_graph(seed), x, w, 2)
    assert any(passes)
    by_loop()
    passes.clear()
    assert repr(derivatives(random_graph(seed), x, w, 2)) == repr(written)
    assert not any(passes)


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_same_gradients_however_they_are_asked_for(graph, passes, by_loop):
    x, w = leaves()
    written = derivatives(graph, x, w, 2)
    assert sum(passes) >= (11 if w.grad is not None else 3)     # every way, if there is one
    by_loop()
    assert repr(derivatives(graph, x, w, 2)) == repr(written)


def test_gradients_are_those_of_the_tensors_asked_for(passes):
    x, w = leaves()

    def grads(*inputs):
        return [g.tolist() for g in torch.autograd.grad((x * w[0]).sum(), inputs)]
    first, second = grads(x, w)
    assert [grads(x, w), grads(w, x)] == [[first, second], [second, first]]
    assert passes == [False, True, True]
    y = torch.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        torch.autograd.grad((x * w[0]).sum(), (x, y))
    assert grads(x) == [first] and passes == [False, True, True, False, False]
    assert grads(w) == [second] and not passes[-1]       # the same number of other tensors
    assert x.grad is w.grad is None


def test_what_is_not_wanted_is_unpacked_all_the_same():
    x, w = leaves()
    for _ in range(2):
        torch.autograd.grad((x * w[0]).sum(), x)
    y = x * 1
    loss = (y * w[0].exp()).sum()
    torch.autograd.grad(loss, x)
    loss = (y * w[0].exp()).sum()
    with torch.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(loss, x)     # the product's gradient for x does not read y


def test_without_recording_a_graph_is_recorded_by_the_loop(passes):
    x, w = leaves()
    for _ in range(2):
        torch.autograd.grad((x * w[0]).sum(), x, create_graph=True)
    loss = (x * w[0]).sum()
    with torch.no_grad():
        g, = torch.autograd.grad(loss, x, create_graph=True)
    assert g.requires_grad and passes == [False, True]


def test_a_leaf_takes_over_an_array_that_nobody_else_holds(passes, monkeypatch):
    copies, copied = [], autograd_leaves.copied

    def noted(*args):
        copies.append(copied(*args))
        return copies[-1]
    monkeypatch.setattr(autograd_leaves, "copied", noted)
    w, b = torch.ones(2, 3, requires_grad=True), torch.zeros(2, requires_grad=True)
    for _ in range(3):
        w.grad = b.grad = None
        torch.nn.functional.linear(torch.ones(4, 3), w, b).exp().sum().backward()
    assert passes == [False, True, True] and not copies
    for _ in range(2):
        w.grad = b.grad = None
        (w.sum() + b.sum()).backward()
    assert passes[-1] and len(copies) == 4               # sum's gradient is one number, expanded


def test_a_graph_of_another_shape_goes_to_the_loop(passes):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 5.0], requires_grad=True)
    for factor in (w, w, w.detach(), x, w * 1, w):
        x.grad = None
        (x * factor).sum().backward()
        assert x.grad.tolist() == ([2, 4] if factor is x else [3, 5])
    assert passes == [False, True, False, False, False, True]
    x.grad = None
    (x * w).sum().backward()
    assert x.grad.tolist() == [3, 5]


def test_a_write_of_the_whole_where_the_pass_has_one_into_a_view_goes_to_the_loop(passes):
    def gradient(written):
        x = torch.ones(3, requires_grad=True)
        y = x * 1.5
        written(y)
        y.sum().backward()
        return x.grad.tolist()

    for _ in range(3):
        assert gradient(lambda y: y[:1].neg_()) == [-1.5, 1.5, 1.5]
    assert gradient(lambda y: y.neg_()) == [-1.5] * 3
    assert passes == [False, True, True, False]


def test_sparse_tensors_leave_other_graphs_to_their_passes(passes):
    torch.eye(2).to_sparse()
    x, w = leaves()
    for _ in range(2):
        torch.autograd.grad((x * w[0]).sum(), x, create_graph=True)
        (w * x).sum().backward()
    assert passes == [False, False, True, True]


def test_sparse_gradients_of_a_graph_that_was_written_out(passes):
    for g in torch.ones(2, 2), torch.ones(2, 2), torch.eye(2).to_sparse():
        table = torch.nn.Embedding(3, 2, sparse=True)
        (table(torch.tensor([0, 2])) * 3).sum().backward()
        x = torch.ones(2, 2, requires_grad=True)
        (x * 3).backward(g)
        assert table.weight.grad.to_dense().tolist() == [[3, 3], [0, 0], [3, 3]]
        assert x.grad.is_sparse == g.is_sparse
        assert (x.grad.to_dense() if g.is_sparse else x.grad).equal(
            3 * (g.to_dense() if g.is_sparse else g))
    assert passes == [False, False, True, True, True, True]


def test_gradients_of_parts_are_added_in_place(passes, monkeypatch):
    """The first part makes an array of zeros, the other ninety-nine add to it."""
    added = []
    monkeypatch.setattr(straight, "added_in_place",
                        lambda *args: added.append(gradients.added_in_place(*args)) or added[-1])
    for _ in range(2):
        x = torch.randn(100, 3, requires_grad=True)
        y = x * 2
        sum([y[i].sin().sum() for i in range(100)]).backward()
        torch.testing.assert_close(x.grad, 2 * (2 * x.detach()).cos())
    assert passes == [False, True] and added == [True] * 99


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("size", [1 << 11, 1 << 16])
def test_a_sum_takes_the_memory_that_only_its_caller_has(size, shared):
    d, x = np.full(size, 3.0), np.full(size, 4.0)
    other, at = d if shared else None, d.ctypes.data
    d = gradients.summed(d, x)
    assert (d.ctypes.data != at) == shared and (d == 7).all() and (x == 4).all()
    assert other is None or (other == 3).all()


def test_parts_of_one_call(passes):
    for count in (3, 3, 1, 1, 3):
        x = torch.arange(6.0, requires_grad=True)
        (x * 1).chunk(count)[-1].mul(2).sum().backward()
        assert x.grad.tolist() == [0] * (6 - 6 // count) + [2] * (6 // count)
    assert passes == [False, True, False, True, True]


@pytest.mark.parametrize("cut", [
    torch.unbind, lambda x: torch.unsafe_split(x, 1), lambda x: x.split([1, 1, 2])],
    ids="unbind unsafe_split split".split())
def test_derivatives_of_derivatives_of_parts(cut, passes):
    found = []
    for _ in range(3):
        w = torch.arange(12.0).div(4).view(4, 3).requires_grad_()
        a, b, *_ = cut(w.exp())
        grad, = torch.autograd.grad((a * b + a).sum(), w, create_graph=True)
        grad.sum().backward()
        found.append((grad.tolist(), w.grad.tolist()))
    assert passes == [False, False, *[True] * 4] and found == found[:1] * 3
    a, b = w.detach().exp()[:2]
    expected = torch.stack([a * b + a, a * b, 0 * a, 0 * a])
    torch.testing.assert_close(grad, expected)
    torch.testing.assert_close(w.grad, torch.stack([2 * a * b + a, 2 * a * b, 0 * a, 0 * a]))


def test_hooks_on_parts_are_called_by_the_loop(passes):
    seen = []
    for _ in range(3):
        x = torch.arange(6.0, requires_grad=True)
        a, b = (x * 1).chunk(2)
        a.register_hook(lambda g: seen.append(g.tolist()))
        (a * b).sum().backward()
    assert seen == [[3.0, 4.0, 5.0]] * 3 and not any(passes)


def test_nothing_of_a_program_runs_in_a_written_pass(passes):
    order = []
    for _ in range(2):
        x = torch.ones(2, requires_grad=True)
        (x * 2).sum().backward()
    x.register_hook(lambda g: order.append("leaf"))
    y = x * 2
    y.register_hook(lambda g: order.append("inner"))
    y.sum().backward()
    with torch.autograd.set_detect_anomaly(True):
        (torch.ones(2, requires_grad=True) * 2).sum().backward()
    (torch.ones(2, requires_grad=True) * 2).sum().backward(retain_graph=True)
    assert order == ["inner", "leaf"] and passes == [False, True, False, False]

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            order.append("own")
            return g * 2

    for _ in range(3):
        Twice.apply(x).sum().backward()
    assert order[2:] == ["own", "leaf"] * 3 and not any(passes[3:])
    passes.clear()
    for _ in range(3):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            loss = torch.ones(2, requires_grad=True).exp().prod()
        loss.backward()
    assert not any(passes)


def test_writes_into_views_by_a_program_s_own_function_go_through_the_loop(passes):
    order = []

    class Negated(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.neg_()

        @staticmethod
        def backward(ctx, g):
            order.append("own")
            return -g

    for negate in (torch.neg_, torch.neg_, Negated.apply, Negated.apply):
        x = torch.ones(2, 3, requires_grad=True)
        y = x * 2
        negate(y[0])
        y.sum().backward()
        assert x.grad.tolist() == [[-2.0] * 3, [2.0] * 3]
    assert passes == [False, True, False, False] and order == ["own"] * 2


def test_another_output_is_another_graph(passes):
    found = []
    for nr in (0, 0, 1, 1, 0):
        w = torch.tensor([[1.0, 2.0], [4.0, 0.0]], requires_grad=True)
        torch.std_mean(w, 1, correction=0)[nr].exp().sum().backward()
        found.append(w.grad.tolist())
    assert passes == [False, True, False, True, True]
    assert found[2] == found[3] != found[0] == found[1] == found[4]


def test_two_graphs_that_end_alike(passes):
    x, w = leaves()
    for k in range(6):
        ((x * w[k % 2]).sum() if k % 2 else (x + w.sin()).sum()).backward()
    assert passes == [False, False, True, True, True, True]


def test_errors_are_the_loop_s():
    for _ in range(2):
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        loss = (y * y).sum()
        loss.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time") as freed:
        loss.backward()
    assert "test_straight.py" in str(freed.value) and "<pass from" not in str(freed.value)
    y = x * 2
    loss = (y * y).sum()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_leaves_do_not_share_the_array_of_their_gradients(passes):
    for _ in range(2):
        x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        (x + y).sum().backward()
        x.grad.add_(1)
        assert y.grad.tolist() == [1, 1]
    seed = torch.ones(2)
    for _ in range(2):
        x = torch.zeros(2, requires_grad=True)
        (x + 1).backward(seed)
        x.grad.add_(1)
        assert seed.tolist() == [1, 1]
    assert passes == [False, True, False, True]


def test_a_graph_that_was_run_is_let_go():
    gc.disable()
    try:
        for _ in range(2):
            x = torch.ones(2, requires_grad=True)
            y = x.exp()
            loss = (y * y).sum()
            inner = weakref.ref(y.grad_fn)
            loss.backward()
            assert loss.grad_fn.next_functions[0][0]._saved is None
            del loss, y
            assert inner() is None
    finally:
        gc.enable()


def test_a_shape_is_written_out_when_it_has_come_often(monkeypatch):
    monkeypatch.setattr(straight, "OFTEN", 10)
    x = torch.ones(2, requires_grad=True)
    for _ in range(9):
        (x * 2).sum().backward()
    assert not straight._passes
    (x * 2).sum().backward()
    assert len(straight._passes) == 1
    for _ in range(11):
        y = x
        for _ in range(straight.LONGEST):
            y = y.sin()
        y.mean().backward()
    assert len(straight._passes) == 1                    # it is too long


def test_each_of_many_shapes_is_written_out_as_soon_as_the_first(passes, monkeypatch):
    monkeypatch.setattr(straight, "OFTEN", 10)
    x = torch.ones(2, requires_grad=True)
    shapes = [torch.sin, torch.cos, torch.tan, torch.exp, torch.tanh, torch.abs, torch.sqrt]
    for shape in shapes:
        passes.clear()
        for _ in range(21):
            shape(x).sum().backward()
        assert passes == [False] * 10 + [True] * 11
    for shape in shapes:                                 # only the last KEPT are tried at once
        passes.clear()
        for _ in range(3):
            shape(x).sum().backward()
        assert passes[1:] == [True, True]


@pytest.mark.parametrize(("nodes", "own_block"), [(5, False), (250, True)])
def test_the_frame_of_a_long_pass_leaves_room_for_those_of_its_calls(nodes, own_block):
    """Python's blocks of frames have 16 KiB. Where a pass nearly fills one, its calls need another,
    mapped and unmapped each time: steps took twice as long, in some programs and not in others."""
    y = leaves()[0]
    for _ in range(nodes):
        y = y.sin()
    y.sum().backward()
    (written,), = straight._passes.values()
    words = written.__code__.co_nlocals + written.__code__.co_stacksize
    assert (8 * words >= 16 << 10) is own_block


def test_a_changed_target_or_a_freed_graph_is_noticed_in_a_pass_of_two_nodes_at_once(passes):
    def loss():
        x, _ = leaves()
        target = torch.tensor([1])
        return torch.nn.functional.cross_entropy(x.exp()[None], target), target
    loss()[0].backward()
    found, target = loss()
    target += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.backward()
    found, _ = loss()
    found.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        found.backward()
    assert passes[0] is False


def test_two_nodes_at_once_where_no_row_counts(passes):
    for _ in range(2):
        x, w = leaves()
        torch.nn.functional.cross_entropy(w * x, torch.tensor([-100, -100])).backward()
        assert x.grad.tolist() == [0, 0, 0]
    assert passes == [False, True]
