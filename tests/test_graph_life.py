"""A recorded graph dies by reference counting alone, as soon as nobody names it."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest

import retrograd as torch
from retrograd._state import features
from retrograd.autograd import leaves, walks
from retrograd.autograd.node import Node


def _all_nodes():
    return sum(issubclass(type(o), Node) for o in gc.get_objects())


@pytest.fixture
def live_nodes():
    """How many nodes live that did not before the test; the collector is off meanwhile."""
    gc.collect()
    gc.disable()
    before = _all_nodes()
    yield lambda: _all_nodes() - before
    gc.enable()


def model():
    torch.manual_seed(0)
    w1 = torch.randn(4, 8, requires_grad=True)
    w2 = torch.randn(8, 1, requires_grad=True)
    x = torch.randn(16, 4)

    def loss():
        h = torch.tanh(x @ w1)
        h = h.view(16, 8)
        h = torch.cat([h[:8], h[8:]], 0)
        y = h.sin()
        y += 1
        rows = y * 1.0
        rows[0] = h[0] * 2
        return (rows.relu().log1p() @ w2).sum()
    return loss, (w1, w2)


@pytest.mark.parametrize("retain", [False, True])
def test_each_iteration_leaves_nothing(retain, live_nodes):
    loss, _ = model()
    counts = []
    for _ in range(4):
        out = loss()
        out.backward(retain_graph=retain)
        del out
        counts.append(live_nodes())
    assert counts == [counts[0]] * 4
    assert counts[0] == 0


def test_a_rebound_name_frees_the_graph_before(live_nodes):
    loss, _ = model()
    out = loss()
    first = live_nodes()
    for _ in range(3):
        out = loss()
        assert live_nodes() == first
    del out
    assert live_nodes() == 0


def test_a_kept_loss_keeps_its_graph(live_nodes):
    loss, _ = model()
    kept = [loss()]
    one = live_nodes()
    kept += [loss(), loss()]
    assert live_nodes() > 2 * one
    kept.clear()
    assert live_nodes() == 0


def test_saved_tensors_go_with_backward():
    x = torch.ones(1000, requires_grad=True)
    saved = np.zeros(1000, np.float32)
    t = torch.from_numpy(saved)
    y = (x * t).sum()
    del t
    node = y.grad_fn.next_functions[0][0]
    assert node._saved_other is not None
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        node._saved_other  # noqa: B018


def test_a_failed_backward_leaves_nothing(live_nodes):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        y.sum().backward()
    del y
    assert live_nodes() == 0


@pytest.mark.parametrize("depth", [200_000])
def test_a_deep_graph_is_walked_and_freed_without_recursion(depth, live_nodes):
    x = torch.ones((), requires_grad=True)
    y = x
    for _ in range(depth):
        y = y + x
    y.backward()
    assert x.grad.item() == depth + 1
    del y
    assert live_nodes() == 0


@pytest.mark.parametrize("keep", [False, True])
def test_a_leaf_takes_over_a_gradient_that_nobody_else_holds(keep):
    w = torch.ones(64, 32, requires_grad=True)
    addresses, kept = [], []

    def look(grads, _):
        addresses.append(grads[1].data_ptr())
        if keep:
            kept.append(grads[1])

    y = torch.ones(8, 32) @ w.t()
    y.grad_fn.register_hook(look)
    y.sum().backward()
    assert (w.grad.data_ptr() in addresses) == (not keep)
    assert w.grad.is_contiguous()


def test_a_gradient_shared_by_two_leaves_is_copied():
    a = torch.ones(5, requires_grad=True)
    b = torch.ones(5, requires_grad=True)
    g = torch.ones(5)
    (a + b).backward(g)
    a.grad.add_(1)
    assert b.grad.tolist() == [1.0] * 5
    assert g.tolist() == [1.0] * 5


def test_in_place_accumulation_keeps_the_tensor():
    w = torch.ones(5, requires_grad=True)
    (w * 2).sum().backward()
    first, version = w.grad, w.grad._version
    (w * 2).sum().backward()
    assert w.grad is first and first._version == version + 1
    assert first.tolist() == [4.0] * 5


def test_tensors_and_nodes_store_attributes_the_fast_way():
    for cls in (torch.Tensor, torch.nn.Parameter, Node):      # see NOTE [no __setattr__]
        for base in cls.__mro__[:-1]:
            assert not {"__setattr__", "__delattr__", "__getattribute__"} & vars(base).keys()


def test_a_gradient_that_others_hold_survives_the_backward_pass_of_a_write():
    w = torch.full((3,), 2.0, requires_grad=True)
    seen = []
    x = torch.zeros(4, 3)
    for row in range(3):
        x[row] = w * row
        x.register_hook(seen.append)
    g = torch.ones(4, 3)
    y = x * 1
    (x.sum() + y.sum()).backward(retain_graph=True)
    assert w.grad.tolist() == [6.0] * 3
    x.backward(g)
    assert g.tolist() == [[1.0] * 3] * 4
    assert w.grad.tolist() == [9.0] * 3
    first = [t for t in seen if t.sum() == 24]      # before any write was gone through
    assert [t.tolist() for t in first] == [[[2.0] * 3] * 4]


def read_function(view):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return 2 * t

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    return Twice.apply(view)


@pytest.mark.parametrize("read", [
    lambda v: v.sum(), lambda v: v * v, lambda v: torch.cat([v, v]), lambda v: v.unbind()[1],
    lambda v: v.clone().add_(v), read_function])
def test_a_view_of_what_was_written_is_older_than_its_readers(read):
    x = torch.ones(2, 3, requires_grad=True)
    base = torch.zeros(2, 3)
    view = base[0]
    base.copy_(x)
    out = read(view).sum()                  # the view's history is made here
    (grad,) = torch.autograd.grad(out, x, retain_graph=True)
    out.backward()
    assert torch.equal(grad, x.grad) and grad[0].any()
    stack = [out.grad_fn]
    while stack:
        node = stack.pop()
        followers = [n for n, _ in node.next_functions if n is not None and n.next_functions]
        assert all(n._sequence_nr() < node._sequence_nr() for n in followers)
        stack += followers


def test_gradients_do_not_depend_on_sequence_numbers():
    x = torch.ones(3, requires_grad=True)
    a = x * 2
    loss = a.exp().sin().sum()
    expected, = torch.autograd.grad(loss, x, retain_graph=True)
    a.grad_fn._set_sequence_nr(10**6)
    for _ in range(2):
        found, = torch.autograd.grad(loss, x, retain_graph=True)
        assert found.tolist() == expected.tolist()


def test_a_walk_towards_a_goal_leaves_out_what_is_older(monkeypatch):
    monkeypatch.setattr(features, "renumbered", False)       # another test may have left it
    x = torch.ones(3, requires_grad=True)
    older = x.exp()
    z = older.sin() * 2
    w, beside = z.sum(), x * 3
    assert len(list(walks.reachable([(w.grad_fn, 0)]))) == 5
    older.grad_fn.edges = None                           # to look inside would be an error
    assert walks.nodes_towards({z.grad_fn}, [(w.grad_fn, 0)]) == {w.grad_fn}
    assert walks.nodes_towards({beside.grad_fn}, [(w.grad_fn, 0)]) == set()


@pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph")
@pytest.mark.parametrize("create", [False, True])
def test_a_leaf_of_two_graphs_gets_the_sum_of_its_gradients(create):
    x = torch.tensor([1., 2.], requires_grad=True)
    y, beside = x * x + torch.cat([x, x])[:2] * x, x * 5
    y.sum().backward(create_graph=create)
    assert x.grad.tolist() == [4., 8.]
    beside.sum().backward()
    assert x.grad.tolist() == [9., 13.]


def test_one_thread_at_a_time_adds_to_a_leaf(monkeypatch):
    inside, most = [], []
    add = leaves.add_to_grad

    def slowly(*args):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.002)
        add(*args)
        inside.pop()

    monkeypatch.setattr(leaves, "add_to_grad", slowly)
    x = torch.ones(4, requires_grad=True)
    threads = [threading.Thread(target=lambda: (x * 2).sum().backward()) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert max(most) == 1 and x.grad.tolist() == [8.0] * 4


# --------------------------------------------------------------------------- a layer's graph

def tree(node):
    """A node's class, what its edges lead to, and what it saved, as values."""
    if node is None:
        return None
    saved = {name: getattr(node, name) for name in dir(node) if name.startswith("_saved_")}
    values = {name: (value.tolist(), value.requires_grad, tree(value.grad_fn))
              if isinstance(value, torch.Tensor) else value for name, value in saved.items()}
    leaf = getattr(node, "variable", None)
    return (node.name(), values, None if leaf is None else leaf.tolist(),
            [(tree(n), nr) for n, nr in node.next_functions])


@pytest.mark.parametrize("recorded", range(1, 8))
@pytest.mark.parametrize("twice", [False, True])
def test_linear_records_what_addmm_of_the_turned_weight_records(recorded, twice):
    def tensors():
        torch.manual_seed(0)
        x, w, b = (torch.randn(*shape) for shape in ((4, 3), (2, 3), (2,)))
        leaves = [t.requires_grad_(bool(recorded & 1 << k)) for k, t in enumerate((x, w, b))]
        if twice:                        # results of operators, among them a second output
            x, w, b = torch.cat([x, x]).chunk(2)[1], w * 1, b.sort().values
        return leaves, x, w, b

    leaves, x, w, b = tensors()
    others, x2, w2, b2 = tensors()
    y, y2 = torch.nn.functional.linear(x, w, b), torch.addmm(b2, x2, w2.t())
    assert torch.equal(y, y2) and tree(y.grad_fn) == tree(y2.grad_fn)
    for result, inputs in ((y, leaves), (y2, others)):
        wanted = [t for t in inputs if t.requires_grad]
        grads = torch.autograd.grad(result.pow(2).sum(), wanted, create_graph=True)
        sum(g.pow(2).sum() for g in grads).backward()
    assert [t.grad is None for t in leaves] == [not t.requires_grad for t in leaves]
    assert all(torch.equal(t.grad, t2.grad) for t, t2 in zip(leaves, others, strict=True)
               if t.requires_grad)


def test_the_weight_that_linear_saved_must_not_change():
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    y = torch.nn.functional.linear(x, w, torch.zeros(2))
    with torch.no_grad():
        w.mul_(2)
    with pytest.raises(RuntimeError, match=r"\[3, 2\]\], which is output 0 of AsStrided, "
                                           "is at version 1; expected version 0"):
        y.sum().backward()


def test_a_hook_on_saved_tensors_sees_those_of_linear():
    seen = []
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(4, 3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.shape) or t,
                                                  lambda t: t):
        torch.nn.functional.linear(x, w, torch.zeros(4)).sum().backward()
    assert seen == [(2, 3), (3, 4)] and w.grad.tolist() == [[2.0] * 3] * 4
