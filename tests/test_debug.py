"""Traces, memory reports and explain(): right lines, right names, and nothing left behind."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import time
import tracemalloc
import types

import pytest

import retrograd as torch
from retrograd import debug, nn, viz
from retrograd._state import features
from retrograd.debug import reading
from retrograd.debug.doctor import Doctor
from retrograd.debug.places import place
from retrograd.utils.checkpoint import checkpoint


def lines(t):
    """What stands at the line of each node of a graph, newest first."""
    places = [reading.place_of(n) for n in reading.nodes([t.grad_fn])]
    return [p.text for p in places if p is not None]


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


def test_equal_lines_in_two_files():
    """Code objects are equal there, but the places are not."""
    one, other = (compile("x = 1", file, "exec") for file in ("one.py", "other.py"))
    assert one == other
    assert [place(code, 0).file for code in (one, other)] == ["one.py", "other.py"]


# --------------------------------------------------------------------------- traces

def test_the_users_line_of_every_operator():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1)))
    with debug.trace():
        out = net(torch.ones(4, 2))
        loss = (out * 2).sum()
    assert set(lines(loss)) == {"out = net(torch.ones(4, 2))", "loss = (out * 2).sum()"}
    modules = [reading.call_of(n).path() for n in reading.nodes([out.grad_fn]) if n.edges]
    assert modules == ["2.0", "2.0", "1", "0", "0"]


def test_only_inside_the_block():
    x = torch.ones(2, requires_grad=True)
    with debug.trace():
        with debug.trace():
            pass
        y = x.exp()
    z = y.exp()
    assert lines(z) == ["y = x.exp()"]
    assert features.recording == 0 and features.trace is None


def test_functions_checkpoints_and_writes():
    x = torch.ones(2, requires_grad=True)
    with debug.trace():
        y = Square.apply(x)
        z = checkpoint(torch.exp, y, use_reentrant=False)
        z.mul_(3)
    assert lines(z) == ["z.mul_(3)", "z = checkpoint(torch.exp, y, use_reentrant=False)",
                        "y = Square.apply(x)"]


def test_threads_are_traced_too():
    x, made = torch.ones(2, requires_grad=True), []

    def work():
        made.append(x.exp())
    with debug.trace():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert lines(made[0]) == ["made.append(x.exp())"]


def test_an_exception_ends_the_trace_and_the_call():
    net = nn.Linear(2, 2)
    with pytest.raises(RuntimeError), debug.trace():
        net(torch.ones(3))
    assert features.trace is None
    with debug.trace():
        out = net(torch.ones(2))
    made = [n for n in reading.nodes([out.grad_fn]) if n.edges]
    assert {reading.call_of(n).path() for n in made} == {"Linear"}


def test_a_decorator():
    @debug.trace()
    def compute(x):
        return x.exp()
    assert lines(compute(torch.ones(2, requires_grad=True))) == ["return x.exp()"]


def test_hooks_and_saved_tensors_hooks_go_on():
    x, seen = torch.ones(2, requires_grad=True), []
    with debug.trace(), torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True),
                                                                 torch.tensor):
        y = x.exp()
        y.register_hook(seen.append)
        z = y * y
    z.sum().backward()
    assert len(seen) == 1 and lines(z) == ["z = y * y", "y = x.exp()"]


def nodes_named(name):
    """Which nodes of this name are alive."""
    return {id(o) for o in gc.get_objects() if type(o).__name__ == name}


def test_a_trace_makes_no_cycles_and_does_not_grow():
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

    def work():
        for _ in range(100):
            net(torch.ones(4, 2)).sum().backward()
            net.zero_grad()
    gc.collect()
    before = nodes_named("TanhBackward0")       # which other tests may have left
    gc.disable()
    try:
        with debug.trace():
            work()
            net.kept = net(torch.ones(1, 2))             # a Module that holds a traced graph
            net.kept = None
            tracemalloc.start()
            work()
            first = tracemalloc.get_traced_memory()[0]
            work()
            assert tracemalloc.get_traced_memory()[0] < first + 2000
        assert nodes_named("TanhBackward0") <= before
    finally:
        tracemalloc.stop()
        gc.enable()


def everything(net, x):
    """A step with hooks, checkpoints, a custom Function, a thread, and errors on both ways."""
    net.register_forward_hook(lambda *_: None).remove()
    y = Square.apply(checkpoint(net, x, use_reentrant=False))
    y = y + checkpoint(net, x, use_reentrant=True)
    y.register_hook(lambda g: g * 1)
    loss = y.sum()
    thread = threading.Thread(target=lambda: loss.backward())
    thread.start()
    thread.join()
    with contextlib.suppress(RuntimeError):
        net(torch.ones(3))                       # a wrong shape
    z = torch.sigmoid(net(x))
    z.mul_(2)
    with contextlib.suppress(RuntimeError):
        z.sum().backward()                       # a changed result
    net.zero_grad()


TURNS = 96          # so that what is kept once, as the last pass is by record(), weighs little


def growth_under(watch):
    """The bytes that a step leaves behind, with the garbage collector off."""
    net, x = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)), torch.ones(4, 2)
    x.requires_grad_()
    gc.collect()
    gc.disable()
    try:
        with watch():
            for _ in range(5):
                everything(net, x)
            tracemalloc.start()
            begin = tracemalloc.get_traced_memory()[0]
            for _ in range(TURNS):
                everything(net, x)
            return (tracemalloc.get_traced_memory()[0] - begin) / TURNS
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.fixture(scope="module")
def plain_growth():
    return growth_under(contextlib.nullcontext)


@pytest.mark.parametrize("watch", [debug.trace, viz.record, Doctor], ids=lambda w: w.__name__)
def test_nothing_grows_under(watch, plain_growth):
    assert growth_under(watch) < plain_growth + 2500


def test_a_trace_costs_less_than_the_work():
    x = torch.linspace(-1, 1, 8, requires_grad=True)

    def chain():
        begin = time.thread_time()
        for _ in range(20):
            y = x
            for _ in range(20):
                y = y * 1.01 + 0.1
            y.sum().backward()
        return time.thread_time() - begin
    chain()
    ratios = []
    for _ in range(15):
        plain = chain()
        with debug.trace():
            ratios.append(chain() / plain)
    assert sorted(ratios)[7] < 2                    # 1.3, but clocks are noisy


def test_an_error_names_the_traced_line():
    def forward(x):
        y = torch.sigmoid(x)
        return y, y * 2
    x = torch.ones(2, requires_grad=True)
    with debug.trace():
        y, z = forward(x)
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"y = torch.sigmoid\(x\)\n +\^ sigmoid\(\) kept"):
        z.sum().backward()


# --------------------------------------------------------------------------- memory

class Trainer:
    def __init__(self):
        self.history = {}


def report_with(name):
    """The graph that is kept alive by `name`, or by a thing whose description begins so."""
    for graph in debug.memory().graphs:
        if any(kept.startswith(name) for kept in graph.kept_by):
            return graph
    return None


def test_who_keeps_a_graph_alive():
    x = torch.ones(100, requires_grad=True)
    losses, trainer = [x.exp().sum()], Trainer()
    trainer.history["first"] = x.exp().sum() * 2
    view = x.exp()[2:4]

    def closure(kept):
        return lambda: kept
    function = closure([x.exp()])
    functions = {function}
    del function
    assert report_with("losses[0]").nodes == 2
    assert report_with("trainer.history['first']").nodes == 3
    assert report_with("view").nodes == 2
    assert report_with("a list of 1 in kept, a variable of <lambda>()").nodes == 1
    losses.clear()
    functions.clear()
    gc.collect()                # what looked at the function may have left a cycle
    assert report_with("losses") is None and report_with("a list of 1 in kept") is None
    assert view is not None


def test_all_graphs_share_the_walks_over_all_objects(monkeypatch):
    hidden = types.ModuleType("hidden")
    monkeypatch.setitem(sys.modules, "hidden", hidden)
    x, walks, ask = torch.ones(2, requires_grad=True), [], gc.get_referrers

    def counted(*things):
        walks.append(things)
        return ask(*things)
    monkeypatch.setattr(gc, "get_referrers", counted)
    counts = []
    for n in (2, 40):
        hidden.__dict__["losses"] = [x.exp().sum() for _ in range(n)]
        walks.clear()
        assert report_with(f"a list of {n} in ").nodes == 2
        counts.append(len(walks))
    assert counts[0] == counts[1]


def test_bytes_by_line():
    w = torch.ones(1000, requires_grad=True)
    with debug.trace():
        scaled = w * torch.ones(1000)
        result = scaled.exp()
    graph = report_with("result")
    assert (graph.nodes, graph.bytes) == (2, 8000)          # the ones, exp's result; w is a leaf
    by_line = {line.where.partition("  ")[2]: line.bytes for line in graph.lines}
    assert by_line == {"scaled = w * torch.ones(1000)": 4000, "result = scaled.exp()": 4000}
    result.sum().backward()
    assert report_with("result").bytes == 0


def test_memory_reports_leave_nothing_behind():
    def work():
        loss = torch.ones(3, requires_grad=True).exp().sum()
        before = report_with("loss")
        del loss
        return before, report_with("loss")
    before, after = work()
    assert before is not None and after is None
    text = str(debug.memory())
    assert text == "no graph is alive" or "held for backward" in text


# --------------------------------------------------------------------------- explain

def test_explain_a_leaf():
    w = torch.ones(2, requires_grad=True)
    loss = (w * w).sum()
    found = debug.explain(w).to_dict()
    assert found["name"] == "w" and found["grad"] is None
    assert "loss.backward() would fill it." in found["says"]
    assert [step["operator"] for step in found["path"]] == ["loss", "sum()", "mul()", "w"]
    loss.backward()
    found = debug.explain(w)
    assert any("largest element is 2" in sentence for sentence in found.says)
    assert any("already gone through the graph of loss" in sentence for sentence in found.says)


def test_explain_what_is_cut():
    encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 4)
    x = torch.ones(2, 4)
    code = encoder(x).detach()
    loss = ((decoder(code) - x) ** 2).mean()
    assert loss.requires_grad
    found = debug.explain(encoder.weight)
    assert "`loss` was computed from `encoder.weight`, but the way back is cut" in found.cut
    assert "code = encoder(x).detach()" in found.cut
    assert debug.explain(decoder.weight).cut == ""
    assert "code = encoder(x).detach()" in debug.explain(code).cut


class Partly(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last, self.spare = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 2)

    def forward(self, x):
        h = self.first(x)
        with torch.no_grad():
            h = torch.tanh(h)
        return self.last(h)


def test_explain_tells_what_is_cut_from_what_was_never_used():
    net = Partly()
    loss = net(torch.ones(3, 2)).mean()
    loss.backward()
    assert "h = torch.tanh(h)" in debug.explain(net.first.weight).cut
    spare = debug.explain(net.spare.weight)
    assert spare.cut == "" and "`loss` was not computed from it" in spare.says[-1]


def test_explain_what_has_no_gradient():
    counts = torch.tensor([1, 2])
    assert "whole numbers" in str(debug.explain(counts))
    data = torch.ones(2)
    assert "`data.requires_grad_()`" in str(debug.explain(data))
    with torch.inference_mode():
        frozen = torch.ones(2)
    assert "inference_mode" in str(debug.explain(frozen))
    leaf = torch.ones(2, requires_grad=True)
    result = leaf * 2
    assert "`result.retain_grad()`" in str(debug.explain(result))
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        debug.explain(3)
    with pytest.raises(TypeError, match="not NoneType; .* give the tensor itself"):
        debug.explain(leaf.grad)


def test_explain_a_network():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1), torch.nn.Linear(2, 2))
    net[1].bias.requires_grad_(False)
    h = net[0](torch.ones(2, 3)).detach()
    loss = net[1](h).sum()
    found = debug.explain(net)
    assert [one.state for one in found.parts.values()] == [
        "no gradient, cut off", "no gradient, cut off", "no gradient, so far",
        "frozen: requires_grad=False", "no gradient", "no gradient"]
    loss.backward()
    text = str(debug.explain(net))
    assert text.startswith("net: 6 parameters\n  0.weight  (4, 3)  no gradient, cut off\n")
    assert "  1.weight  (1, 4)  gradient: its largest element is " in text
    assert text.count("detach() gives the numbers of `net[0](torch.ones(2, 3))`") == 1
    assert debug.explain(net).to_dict()["parts"]["1.bias"]["requires_grad"] is False
    assert "net: 6 parameters" in debug.explain(net)._repr_html_()


def test_explain_after_a_failure():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    found = debug.explain(y)
    assert "y += 1" in found.failure and "Cure" in found.failure
    assert debug.explain(torch.ones(2, requires_grad=True)).failure == ""


def test_notebooks_get_html():
    x = torch.ones(2, requires_grad=True)
    page = debug.explain(x, loss=(x < 2).float().sum() + x.sum())._repr_html_()
    assert page.startswith("<div") and "&#x27;" not in page and "<script" not in page
    assert debug.memory()._repr_html_().startswith("<div")


# --------------------------------------------------------------------------- nothing left behind

def test_explanations_leave_no_graph_alive():
    def fail():
        x = torch.ones(3, requires_grad=True)
        explained = x.exp()
        explained.add_(1)
        with pytest.raises(RuntimeError, match="Cure"):
            explained.sum().backward()
        debug.explain(explained)
        node = explained.grad_fn
        del explained
        return node is not None and report_with("explained") is None
    gc.collect()
    before = nodes_named("ExpBackward0")
    gc.disable()
    try:
        assert fail()
        assert nodes_named("ExpBackward0") <= before
    finally:
        gc.enable()


def test_locals_that_the_program_holds_stay():
    x = torch.ones(3, requires_grad=True)
    mine = locals()
    with pytest.raises(RuntimeError, match="Cure"):
        (x * 2).backward()
    assert mine["x"] is x
