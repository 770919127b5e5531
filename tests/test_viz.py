"""Pictures of graphs: what is in them, that it is true, and each form they are written in."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
import weakref
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import retrograd as torch
import retrograd.nn.functional as F
from retrograd import nn
from retrograd._state import features
from retrograd.debug import reading
from retrograd.utils.checkpoint import checkpoint
from retrograd.viz import groups
from retrograd.viz.command import check
from retrograd.viz.failure import picture_of_failure

viz = torch.viz
SOURCE = Path(__file__).parents[1] / "src"


def tutorial():
    """The network of the tutorial on leaf and non-leaf tensors."""
    x, y = torch.ones(1, 3), torch.ones(1, 2)
    W = torch.ones(3, 2, requires_grad=True)
    b = torch.ones(1, 2, requires_grad=True)
    z = (x @ W) + b
    y_pred = F.relu(z)
    return x, y, W, b, z, y_pred, F.mse_loss(y_pred, y)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(4), nn.Linear(4, 8), nn.Linear(8, 4)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def recorded(program):
    with viz.record() as recording:
        program()
    return recording.graph()


def net_picture(blocks=5):
    net, x = Net(blocks), torch.randn(3, 4)
    return recorded(lambda: net(x).sum().backward())


def boxes_named(picture, title):
    return [b for b in picture.boxes if b.title == title]


# ---- text

def test_tree_before_backward():
    x, y, W, b, z, y_pred, loss = tutorial()
    assert str(viz.graph(loss)) == """\
graph of loss: 4 operations, 2 leaves, 28 B saved
loss = MseLossBackward0  ()  saved 16 B
├─ y  leaf, no grad  (1, 2)
y_pred = ReluBackward0  (1, 2)  saved 8 B
z = AddBackward0  (1, 2)
├─ b  leaf, requires_grad  (1, 2)
MmBackward0  saved 12 B
├─ W  leaf, requires_grad  (3, 2)
└─ x  leaf, no grad  (1, 3)"""


def test_tree_after_backward():
    x, y, W, b, z, y_pred, loss = tutorial()
    z.retain_grad()
    loss.backward()
    assert str(viz.graph(loss)) == """\
graph of loss: 4 operations, 2 leaves
loss = MseLossBackward0  ()  freed
y_pred = ReluBackward0  (1, 2)  freed
z = AddBackward0  retains_grad  (1, 2)  .grad norm 4.243
├─ b  leaf, requires_grad  (1, 2)  .grad norm 4.243
MmBackward0  freed
└─ W  leaf, requires_grad  (3, 2)  .grad norm 7.348"""


def test_what_was_printed_is_named_again():
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp()
    text = str(viz.graph(y.sin() * y.cos() + y))
    assert text.count("ExpBackward0") == 3
    assert text.count("(see above)") + text.count("(see below)") == 2


def test_several_roots_and_a_tensor_without_a_graph():
    x = torch.tensor(2.0, requires_grad=True)
    a, b = x.exp(), x.sin()
    for several in ([a, b], {"first": a, "second": b}):
        assert str(viz.graph(several)).splitlines()[1].startswith("a = ExpBackward0")
    constant = torch.ones(2)
    assert "constant  leaf, no grad, no graph leads here  (2,)" in str(viz.graph(constant))


def test_long_graphs_print_short():
    y = x = torch.tensor(1.0, requires_grad=True)
    for _ in range(3000):
        y = y * 1.0 + 0.0
    text = str(viz.graph(y))
    assert "×3000]  6000 operations" in text and len(text.splitlines()) == 4
    assert "x  leaf" in text and x.grad is None


# ---- what is in a picture

PROGRAMS = {
    "tutorial": lambda: tutorial()[-1],
    "branches": lambda: (lambda x: (x.exp() + x * x).sum() * x.sum())(
        torch.ones(3, requires_grad=True)),
    "outputs": lambda: (lambda x: x.split(2)[0].sum() + x.max(0)[0])(
        torch.ones(4, requires_grad=True)),
    "in place": lambda: (lambda x: (x * 2).mul_(3).exp_().sum())(
        torch.ones(4, requires_grad=True)),
    "net": lambda: Net(4)(torch.randn(3, 4)).sum(),
}


def edges_of(loss):
    found = []
    for node in reading.nodes([loss.grad_fn]):
        found += [(type(n).__name__, type(node).__name__) for n in node.edges if n is not None]
    return sorted(found)


@pytest.mark.parametrize("name", PROGRAMS)
def test_wires_are_the_edges_of_the_graph(name):
    loss = PROGRAMS[name]()
    picture = viz.graph(loss)
    maker = {w.target: w.source for w in picture.wires if w.target.kind == "tensor"}
    found = [(type(maker.get(w.source, w.source).node).__name__, w.target.title)
             for w in picture.wires if w.edge is not None]
    assert sorted(found) == edges_of(loss)
    dot = picture.dot()
    for wire in picture.wires:
        assert f"b{wire.source.id} -> b{wire.target.id}" in dot
    assert dot.count("{") == dot.count("}")


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_are_in_the_engines_order(name):
    loss = PROGRAMS[name]()
    ran = []
    for node in reading.nodes([loss.grad_fn]):
        if node.edges:
            node.register_prehook(lambda grads, node=node: ran.append(node))
    picture = viz.graph(loss, backward=True)
    assert [s.node for s in picture.walked.steps] == ran and len(ran) > 3


def test_a_rehearsal_leaves_everything_as_it_was():
    x, y, W, b, z, y_pred, loss = tutorial()
    z.retain_grad()
    W.grad = torch.full((3, 2), 7.0)
    picture = viz.graph(loss, backward=True)
    assert W.grad.tolist() == [[7.0] * 2] * 3 and b.grad is None and z.grad is None
    assert boxes_named(picture, "W")[0].grad.numbers() == "[[3., 3.],\n [3., 3.],\n [3., 3.]]"
    loss.backward()
    assert W.grad.tolist() == [[10.0] * 2] * 3


def test_branches_are_summed():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    data = viz.graph((y * 2 + y * 5).sum(), backward=True).to_dict()
    y_box = next(b["id"] for b in data["boxes"] if b["title"] == "y")
    into = {k for k, w in enumerate(data["wires"]) if w["from"] == y_box}
    sent = [f["numbers"] for s in data["steps"] for f in s.get("sent", []) if f["wire"] in into]
    assert sorted(sent) == ["[2., 2.]", "[5., 5.]"]
    assert data["steps"][-1]["arrived"]["numbers"] == "[7., 7.]"
    assert [data["boxes"][k]["title"] for k in data["steps"][-1]["fills"]] == ["x"]


def test_outputs_of_one_operation_get_their_own_gradients():
    x = torch.ones(4, requires_grad=True)
    a, b, c = x.split([1, 1, 2])
    b.retain_grad()
    c.retain_grad()
    picture = viz.graph(a * 2 + b * 5, backward=True)
    data = picture.to_dict()
    step = data["steps"][-1]
    titles = {data["boxes"][int(k)]["title"]: v for k, v in step["outputs"].items()}
    assert titles == {"a": "2", "b": "5"}
    assert {data["boxes"][k]["title"] for k in step["fills"]} == {"b", "x"} and c is not None


def test_a_leaf_is_filled_when_its_last_gradient_has_come():
    x, w = (torch.tensor(2.0, requires_grad=True) for _ in range(2))
    data = viz.graph((x * w).exp() * w, backward=True).to_dict()
    filled = [(data["boxes"][box]["title"], k)
              for k, step in enumerate(data["steps"]) for box in step.get("fills", [])]
    assert sorted(filled) == [("w", 2), ("x", 2)]


def test_grad_before_and_after():
    w = torch.tensor(2.0, requires_grad=True)
    w.grad = torch.tensor(10.0)
    (box,) = boxes_named(recorded(lambda: (w * 3).backward()), "w")
    data = recorded(lambda: (w * 3).backward()).to_dict()
    (w_data,) = (b for b in data["boxes"] if b["title"] == "w")
    assert box.grad.brief() == "13"
    assert (w_data["before"]["brief"], w_data["grad"]["brief"]) == ("13", "16")


def test_only_nodes_that_saved_something_are_freed():
    x = torch.ones(2, requires_grad=True)
    data = recorded(lambda: ((x + 1) * 2).sum().backward()).to_dict()
    frees = {data["boxes"][s["box"]]["title"]: s.get("frees", False) for s in data["steps"]}
    assert frees == {"SumBackward0": False, "MulBackward0": True, "AddBackward0": False}
    kept = recorded(lambda: (x * 2).sum().backward(retain_graph=True)).to_dict()
    assert kept["keeps"] and not any(s.get("frees") for s in kept["steps"])


def test_saved_bytes_count_memory_once_and_leaves_not_at_all():
    w, x = torch.ones(8, requires_grad=True), torch.ones(8)
    y = w * x
    picture = viz.graph((y * y).sum() + y.exp().sum())
    assert picture.bytes_saved() == 3 * 32              # x, y and its exponential
    assert {s["name"] for b in viz.graph(y).to_dict()["boxes"] for s in b.get("saved", [])} == {
        "other"}


def test_lines_and_results_of_a_recording():
    def program():
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y.sum().backward()

    (box,) = boxes_named(recorded(program), "ExpBackward0")
    assert box.place.text == "y = x.exp()" and box.place.function == "program"
    assert box.value.numbers() == "[2.7183, 2.7183]"


def test_nan_and_inf_are_counted():
    x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
    (box,) = boxes_named(viz.graph(x.sqrt().sum(), backward=True), "x")
    assert box.grad.stats()["nan"] == 1 and box.grad.stats()["inf"] == 1
    large = torch.zeros(100_000, requires_grad=True)
    with torch.no_grad():
        large[77_777] = torch.nan
    assert viz.graph(large).boxes[0].value.stats()["nan"] == 1


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize("n", [3, 5000])
def test_statistics_are_near_the_exact_ones(dtype, n):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    x = torch.arange(n).to(getattr(torch, dtype)).requires_grad_()
    stats = viz.graph(x).boxes[0].value.stats()
    exact = np.abs(np.asarray(x.detach().to(torch.complex128).numpy()))
    assert stats["norm"] == pytest.approx(np.linalg.norm(exact), rel=1e-2)
    assert stats["max"] == pytest.approx(exact.max(), rel=1e-2)


def test_named_and_all_saved_constants():
    x = torch.ones(2, requires_grad=True)
    y = x * torch.ones(2)
    assert [b.kind for b in viz.graph(y).boxes].count("constant") == 0
    assert [b.kind for b in viz.graph(y, show_saved=True).boxes].count("constant") == 1


# ---- groups

def labels(picture):
    return [f"{g.label}: {g.type}" for g in picture.groups if g.kind == "module"]


@pytest.mark.parametrize("how", ["recorded", "by variables", "by params"])
def test_groups_are_modules(how):
    net, x = Net(2), torch.randn(3, 4)
    if how == "recorded":
        picture = recorded(lambda: net(x).sum().backward())
    else:
        loss = net(x).sum()
        picture = viz.graph(loss, params=net if how == "by params" else None)
    root = "Net" if how == "by params" else "net"
    found = labels(picture)
    assert found[:4] == [f"{root}: Net", "blocks.0: Block", "blocks.1: Block", "head: Linear"]
    assert found.count("norm: LayerNorm") == found.count("down: Linear") == 2
    (leaf,) = (b for b in picture.boxes if b.title.endswith("blocks.1.up.bias"))
    assert leaf.group.label == "up" and "parameter" in leaf.flags


def test_groups_by_names_alone():
    net = Net(2)
    loss = net(torch.randn(3, 4)).sum()
    parameters = dict(net.named_parameters())
    del net
    found = labels(viz.graph(loss, params=parameters))
    assert found[:3] == ["blocks.0: ", "blocks.1: ", "head: "] and found.count("up: ") == 2


def test_repeated_blocks_are_one_group():
    (repeat,) = (g for g in net_picture(6).groups if g.kind == "repeat")
    assert (repeat.label, repeat.count, len(repeat.members)) == ("blocks.0–5", 6, 6)


def test_rounds_of_a_loop_are_groups():
    w = torch.ones(2, requires_grad=True)

    def program():
        h = torch.zeros(2)
        for _ in range(5):
            h = torch.tanh(w * h + w)
        h.sum().backward()

    picture = recorded(program)
    (repeat,) = (g for g in picture.groups if g.kind == "repeat")
    assert repeat.count == 5 and "test_viz.py:" in repeat.label
    assert [len(g.members) for g in repeat.members if g in picture.groups] == [3] * 5


def test_no_group_holds_very_many():
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(5000):
        y = y * 1.0
    assert max(len(g.members) for g in viz.graph(y).groups) <= groups.LONG + 1


class Twice(nn.Module):
    """Its hidden state is used inside and outside, so its box must stand inside."""

    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, 8), nn.Linear(8, 4)

    def forward(self, x):
        hidden = self.up(x)
        return hidden, self.down(hidden)


def twice_picture():
    net, x = Twice(), torch.randn(3, 4)
    with viz.record() as recording:
        hidden, out = net(x)
        (out.sum() + hidden.sum()).backward()
    picture = recording.graph()
    assert [b.group.label for b in boxes_named(picture, "hidden")] == ["net"]
    return picture


def many_leaves():
    xs = [torch.ones(1, requires_grad=True) for _ in range(300)]
    return viz.graph(torch.cat([x * 2 for x in xs[:150]] + xs[150:]).sum())


def test_no_group_holds_very_many_leaves():
    picture = many_leaves()
    assert max(len(g.members) for g in picture.groups) <= groups.LONG + groups.RUN
    assert sum(b.kind == "leaf" for b in picture.boxes) == 300


@pytest.mark.parametrize("make", [net_picture, twice_picture, many_leaves,
                                  lambda: viz.graph(PROGRAMS["branches"]())])
def test_closed_groups_leave_no_cycle(make):
    picture = make()
    for keep in range(4):
        opened = {g for g in picture.groups if len(g.above()) <= keep + 1}
        seen = {}
        for box in picture.boxes:
            closed = [g for g in box.group.above() if g not in opened]
            seen[box] = closed[0] if closed else box
        edges = {(seen[w.source], seen[w.target]) for w in picture.wires}
        edges = {(a, b) for a, b in edges if a is not b}
        while edges:
            sources = {a for a, _ in edges} - {b for _, b in edges}
            assert sources, "a cycle"
            edges = {(a, b) for a, b in edges if a not in sources}


def test_parameters_that_are_not_in_the_graph_are_named():
    net, x = Twice(), torch.randn(3, 4)
    net.extra, net.frozen = nn.Linear(2, 2, bias=False), nn.Linear(2, 2)
    net.frozen.requires_grad_(False)
    apart = nn.Linear(2, 2)
    picture = viz.graph(net(x)[1].sum())
    assert picture.missing == ["net.extra.weight"] and apart is not None
    assert str(picture).splitlines()[-1] == "not in this graph: net.extra.weight"


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(4, 3, bias=False), nn.Linear(3, 4)

    def forward(self, x):
        code = self.encoder(x).detach()
        return self.decoder(code)


def test_the_line_that_cuts_parameters_off_is_named():
    net = Coder()
    loss = net(torch.ones(2, 4)).sum()
    cut = viz.graph(loss)
    with viz.record() as recording:
        for _ in range(2):
            again = net(torch.ones(2, 4)).sum()
            again.backward()
    del net, again
    for picture in (cut, recording.graph()):
        assert picture.missing == ["net.encoder.weight"]
        (told,) = picture.to_dict()["cuts"]
        assert told["place"]["text"] == "code = self.encoder(x).detach()"
        assert told["names"] == ["net.encoder.weight"] and "detach() gives" in told["what"]
        assert str(picture).splitlines()[-1].endswith("this cuts off `net.encoder.weight`")


# ---- failures

def test_a_failed_backward_marks_the_node():
    x = torch.ones(2, requires_grad=True)
    h = x.exp()
    loss = (h * 2).sum()
    h.add_(1)
    picture = viz.graph(loss, backward=True)
    assert picture.failed_box().title == "ExpBackward0"
    assert "failed at ExpBackward0: RuntimeError: one of the variables" in str(picture)
    assert "result changed since" in str(picture)
    data = picture.to_dict()
    assert data["boxes"][data["failed"]]["title"] == "ExpBackward0"
    assert data["steps"][-1]["failed"]


class Stubborn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise ArithmeticError("no gradient today")


def refused(grad):
    raise ArithmeticError("no gradient today")


@pytest.mark.parametrize("where", ["StubbornBackward", "ExpBackward0"])
def test_errors_of_the_program_are_marked_too(where):
    x = torch.ones(2, requires_grad=True)
    loss = (Stubborn.apply(x.exp()) if where == "StubbornBackward" else x.exp() * 2).sum()
    if where == "ExpBackward0":
        x.register_hook(refused)                 # after ExpBackward0 has run
    picture = viz.graph(loss, backward=True)
    assert picture.failed_box().title == where
    assert picture.error == "ArithmeticError: no gradient today"


def run_graph(tmp_path, program, *options, output="graph.txt"):
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "-m", "retrograd", "graph", "-o", output, *options, "program.py"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path,
                            env={"PYTHONPATH": str(SOURCE), "PATH": ""})
    file = tmp_path / output
    return result, file.read_text() if file.exists() else None


def test_options_may_follow_the_script(tmp_path):
    (tmp_path / "program.py").write_text("import sys; print(sys.argv[1:])\n" + LOOP)
    command = [sys.executable, "-m", "retrograd", "graph", "program.py", "-o", "step.txt", "--lr",
               "1", "--backward", "2", "--", "-o", "mine"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path,
                            env={"PYTHONPATH": str(SOURCE), "PATH": ""})
    assert result.stdout.splitlines()[0] == "['--lr', '1', '-o', 'mine']", result.stderr
    assert "pass 1" in result.stdout and "pass 3" not in result.stdout
    assert (tmp_path / "step.txt").exists() and not (tmp_path / "graph.html").exists()


FORWARD = """
import torch, torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 3), nn.Linear(5, 2)
    def forward(self, x):
        h = self.first(x).tanh()
        return self.second(h)
net = Net()
net(torch.ones(1, 4)).sum().backward()
"""
LOOP = """
import torch
w = torch.ones(2, requires_grad=True)
for k in range(1, 5):
    (w * k).sum().backward()
    print("pass", k)
"""


def test_command_draws_a_failed_forward(tmp_path):
    result, text = run_graph(tmp_path, FORWARD)
    assert result.returncode == 1 and "cannot be multiplied" in result.stderr
    assert "linear  program.py:9  <-- failed here" in text
    assert "h = TanhBackward0  (1, 3)  program.py:8" in text
    assert "net.second.weight  leaf, parameter, requires_grad  (2, 5)" in text


@pytest.mark.parametrize(("call", "name"), [
    ("a + b", "add"), ("a @ b", "matmul"), ("a[b]", "__getitem__"), ("a.reshape(7)", "reshape"),
    ("torch.cat([a, b])", "cat"), ("torch.einsum('ij,jk->ik', a, b)", "einsum"),
    ("torch.linalg.inv(a)", "inv"), ("F.conv2d(a, b)", "conv"),
])
def test_a_failed_call_is_drawn_though_nothing_was_recorded(call, name):
    program = f"a, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, 2)\n{call}\n"
    with pytest.raises((RuntimeError, IndexError)) as failed, torch.viz.record() as recorder:
        exec(program, {"torch": torch, "F": torch.nn.functional})
    text = str(picture_of_failure(failed.value, recorder))
    assert f"\n{name}  <string>:2  <-- failed here\n" in text and "a  " in text


def test_command_draws_the_last_pass_or_the_nth(tmp_path):
    result, text = run_graph(tmp_path, LOOP)
    assert (result.returncode, result.stdout.count("pass")) == (0, 4)
    assert "w  leaf, requires_grad  (2,)  .grad norm 14.14" in text
    result, text = run_graph(tmp_path, LOOP, "--backward", "2")
    assert (result.returncode, result.stdout.count("pass")) == (0, 1)
    assert "w  leaf, requires_grad  (2,)  .grad norm 4.243" in text


def test_command_marks_what_anomaly_mode_refuses(tmp_path):
    _, text = run_graph(tmp_path, """
import torch
x = torch.zeros(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    (x.sqrt() * 0).sum().backward()
""")
    (line,) = [line for line in text.splitlines() if line.endswith("<-- failed here")]
    assert line.startswith("SqrtBackward0") and "returned nan values" in text


def test_command_draws_what_was_left(tmp_path):
    loss = "import torch\nloss = torch.ones(2, requires_grad=True).exp().sum()\n"
    _, text = run_graph(tmp_path, loss)
    assert text.startswith("graph at the end: 2 operations, 1 leaf")
    detached = loss + "loss.detach().backward()\n"
    result, text = run_graph(tmp_path, detached)
    assert result.returncode == 1 and "backward  program.py:3  <-- failed here" in text
    result, text = run_graph(tmp_path, "print(1)", output="none.txt")
    assert (result.returncode, text) == (1, None) and "made no backward pass" in result.stderr


def test_command_refuses_what_it_cannot_do_before_it_runs(tmp_path):
    for options, said in [(("-o", "nowhere/graph.txt"), "there is no folder 'nowhere'"),
                          (("--backward", "0"), "counted from 1: '0'")]:
        result, _ = run_graph(tmp_path, LOOP, *options)
        assert (result.returncode, result.stdout) == (2, "") and said in result.stderr


def test_command_says_in_a_line_that_it_cannot_write(tmp_path, monkeypatch):
    (tmp_path / "graph.txt").mkdir()
    result, _ = run_graph(tmp_path, LOOP, "-o", "graph.txt", output="none.txt")
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert result.stderr.endswith("graph.txt: Is a directory\n")
    asked = []
    monkeypatch.setattr("os.access", lambda path, mode: asked.append(str(path)))
    for name in ("new.txt", "graph.txt"):
        with pytest.raises(PermissionError, match=f"^no permission to write .*{name}'$"):
            check(str(tmp_path / name))
    assert asked == [str(tmp_path), str(tmp_path / "graph.txt")]


def test_command_says_once_that_there_is_no_program(tmp_path):
    result = subprocess.run([sys.executable, "-m", "retrograd", "graph", "nowhere.py"], text=True,
                            capture_output=True, cwd=tmp_path,
                            env={"PYTHONPATH": str(SOURCE), "PATH": ""})
    (said,) = result.stderr.splitlines()
    assert result.returncode == 2 and "can't open file" in said


def test_command_writes_where_it_was_called(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    result, text = run_graph(tmp_path, "import os; os.chdir('elsewhere')\n" + LOOP)
    assert result.returncode == 0 and text is not None


def test_command_says_how_many_passes_there_were(tmp_path):
    result, text = run_graph(tmp_path, LOOP, "--backward", "5")
    assert (result.returncode, text) == (1, None)
    assert "no backward pass number 5: the last was number 4" in result.stderr


def test_command_refuses_other_suffixes_before_it_runs(tmp_path):
    result, _ = run_graph(tmp_path, LOOP, output="graph.png")
    assert (result.returncode, result.stdout) == (2, "") and "must end in one of" in result.stderr


# ---- the page and the still picture

def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def test_page_is_complete_in_itself():
    page = net_picture().html()
    assert "default-src 'none'" in page and "{{" not in page
    assert not re.search(r"""(?:src|href)\s*=|@import|url\((?!#)|\bfetch\(|XMLHttp""", page)
    assert data_of(page)["title"].startswith("backward of")


def test_names_cannot_break_the_page():
    x = torch.ones(1, requires_grad=True)
    page = viz.graph(x, params={"</script><b>&\"'": x}).html()
    assert data_of(page)["boxes"][0]["title"] == "</script><b>&\"'"
    assert "<b>&" not in page


def test_notebooks_get_the_page_in_a_frame():
    shown = viz.graph(tutorial()[-1])._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert shown.count("<") == 2


@pytest.mark.parametrize("suffix", ["html", "dot", "txt"])
def test_save_writes_the_form_of_the_suffix(tmp_path, suffix):
    picture = viz.graph(tutorial()[-1])
    picture.save(tmp_path / f"graph.{suffix}")
    written = (tmp_path / f"graph.{suffix}").read_text(encoding="utf-8")
    form = {"html": picture.html, "dot": picture.dot, "txt": lambda: f"{picture}\n"}[suffix]
    assert written == form()


def test_svg_without_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "quickjs", None)
    with pytest.raises(ImportError, match=r"pip install 'retrograd\[viz\]'"):
        viz.graph(tutorial()[-1]).svg()


SVG = "{http://www.w3.org/2000/svg}"


def rectangles(svg):
    """(x, y, width, height) of every box, by the id of its element."""
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        rect = group.find(f"{SVG}rect[@class='shape']")
        if rect is not None and "id" in group.attrib:
            x, y = map(float, re.findall(r"[-\d.]+", group.attrib["transform"]))
            found[group.attrib["id"]] = (x, y, float(rect.attrib["width"]),
                                         float(rect.attrib["height"]))
    return found


@pytest.mark.parametrize("make", [lambda: recorded(lambda: tutorial()[-1].backward()),
                                  net_picture])
def test_svg_boxes_do_not_overlap(make):
    pytest.importorskip("quickjs")
    picture = make()
    places = list(rectangles(picture.svg()).values())
    assert len(places) >= 6
    for k, (x, y, w, h) in enumerate(places):
        for x2, y2, w2, h2 in places[:k]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def points_of(path):
    """Points along an SVG path made of M, L and C."""
    numbers = [(kind, [float(n) for n in re.findall(r"[-\d.]+", rest)])
               for kind, rest in re.findall(r"([MLC])([^MLC]*)", path)]
    here = numbers[0][1]
    for kind, place in numbers[1:]:
        a, b, c, d = (here, place[:2], place[2:4], place[4:]) if kind == "C" else (
            here, here, place, place)
        for t in np.linspace(0, 1, 12):
            yield tuple(np.array(a) * (1 - t) ** 3 + 3 * np.array(b) * t * (1 - t) ** 2
                        + 3 * np.array(c) * t * t * (1 - t) + np.array(d) * t ** 3)
        here = d


def test_svg_lines_pass_boxes_by():
    pytest.importorskip("quickjs")
    svg = net_picture(1).svg()
    places = rectangles(svg).values()
    lines = [path.attrib["d"] for path in ElementTree.fromstring(svg).iter(f"{SVG}path")
             if path.attrib["class"].startswith("wire")]
    assert len(lines) > 20
    for line in lines:
        for px, py in points_of(line):
            for x, y, w, h in places:
                assert not (x + 1 < px < x + w - 1 and y + 1 < py < y + h - 1)


def test_svg_data_flows_down():
    pytest.importorskip("quickjs")
    picture = viz.graph(tutorial()[-1])
    places = rectangles(picture.svg())
    for wire in picture.wires:
        assert places[f"b{wire.source.id}"][1] < places[f"b{wire.target.id}"][1]


# ---- what it costs and keeps

def test_recording_leaves_nothing_behind():
    before = features.watch

    def program():                  # a frame that is read keeps its variables until it returns
        with viz.record() as recording:
            w = torch.ones(2, requires_grad=True)
            loss = (w * 2).exp().sum()
            loss.backward()
        assert features.watch is before and features.trace is None and features.recording == 0
        assert recording.graph().walked.steps
        return weakref.ref(loss.grad_fn)

    gc.disable()
    try:
        assert program()() is None
    finally:
        gc.enable()


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 3), nn.Linear(3, 1)

    def forward(self, x):
        def inside(t):
            return torch.tanh(self.first(t))
        return self.last(checkpoint(inside, x, use_reentrant=True))


def test_a_pass_inside_of_a_node_is_drawn():
    net, x = Halves(), torch.ones(2, 3, requires_grad=True)
    with viz.record() as recording:
        loss = net(x).sum()
        loss.backward()
    picture = recording.graph()
    assert picture.missing == []                    # net.first is filled by the inner pass
    (group,) = [g for g in picture.groups if g.label.startswith("pass inside")]
    assert group.label == "pass inside of CheckpointFunctionBackward"
    inner = {b.title for b in group.boxes()}
    assert {"TanhBackward0", "AddmmBackward0", "net.first.weight", "net.first.bias"} <= inner
    order = [picture.boxes[s["box"]].title for s in picture.to_dict()["steps"]]
    assert order == ["SumBackward0", "AddmmBackward0", "TBackward0", "TanhBackward0",
                     "AddmmBackward0", "TBackward0", "CheckpointFunctionBackward"]
    (still,) = [w for w in picture.wires if not w.flows]
    assert (still.source.title, still.target.title) == (
        "TanhBackward0", "CheckpointFunctionBackward")
    weight = next(b for b in picture.boxes if b.title == "net.first.weight")
    assert weight.grad.brief() == f"norm {net.first.weight.grad.norm().item():.4g}"


def test_a_failure_inside_of_a_node_is_marked_there():
    x = torch.ones(2, 3, requires_grad=True)

    def bad(t):
        t = torch.exp(t)
        if t.requires_grad:                         # when it is computed once more
            t.register_hook(lambda g: 1 / 0)
        return t * 2

    with viz.record() as recording, pytest.raises(ZeroDivisionError):
        checkpoint(bad, x, use_reentrant=True).sum().backward()
    picture = recording.graph()
    assert picture.failed_box() is not None and "ZeroDivisionError" in picture.error
    assert picture.failed_box().group.label == "pass inside of CheckpointFunctionBackward"


def test_recordings_and_traces_stand_inside_each_other():
    x = torch.tensor(2.0, requires_grad=True)
    with torch.debug.trace():
        with viz.record() as outer:
            y = x.exp()
            with viz.record() as inner:
                y = y.sin()
            z = y * 2
            assert [type(n).__name__ for n in inner.unfinished()] == ["SinBackward0"]
            assert [type(n).__name__ for n in outer.unfinished()] == ["MulBackward0"]
        w = z + 1
    assert outer.unfinished() == [z.grad_fn]
    assert reading.place_of(w.grad_fn).text == "w = z + 1"
    assert features.trace is None and features.recording == 0


def test_forward_alone_keeps_no_graph():
    with viz.record() as recording:
        for _ in range(3):
            loss = (torch.ones(2, requires_grad=True) * 2).sum()
        node = weakref.ref(loss.grad_fn)
        del loss
        assert node() is None and recording.unfinished() == []
    with pytest.raises(ValueError, match="no backward pass was recorded"):
        recording.graph()


def test_a_graph_of_tensors_without_numbers():
    w = torch.ones(2, 3, device="meta", requires_grad=True)
    assert str(viz.graph((w * 2).sum())).splitlines()[-1] == "└─ w  leaf, requires_grad"


def test_bad_arguments():
    with pytest.raises(TypeError, match="expected a Tensor or several, got int"):
        viz.graph(3)
    with pytest.raises(TypeError, match="expected a Tensor or several, got an empty list"):
        viz.graph([])
    with pytest.raises(TypeError, match=r"got Linear; a Module has none before it is called"):
        viz.graph(torch.nn.Linear(2, 1))
    with pytest.raises(ValueError, match="does not require grad"):
        viz.graph(torch.ones(2), backward=True)
    with pytest.raises(TypeError, match="params must be a Module, or pairs"):
        viz.graph(torch.ones(2, requires_grad=True), params=3)
    with pytest.raises(ValueError, match="must end in one of"):
        viz.graph(torch.ones(2, requires_grad=True)).save("graph.png")


def test_import_brings_no_pictures():
    code = "import retrograd, sys; print(any('viz' in m or '.debug' in m for m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         env={"PYTHONPATH": str(SOURCE)})
    assert run.stdout == "False\n"


def unrolled(turns):
    """A picture of a recurrence."""
    cell, read = nn.RNNCell(3, 4), nn.Linear(4, 1)
    with torch.viz.record() as recording:
        h, losses = torch.zeros(2, 4), []
        for _ in range(turns):
            h = cell(torch.ones(2, 3), h)
            losses.append(read(h).mean())
        loss = torch.stack(losses).sum()
        loss.backward()
    return recording.graph()


def test_a_few_rounds_of_a_loop_are_shown_one_by_one():
    assert [f"[round {k}]" in str(unrolled(5)) for k in (1, 5)] == [True, True]
    assert "×20]" in str(unrolled(20))


def test_entries_of_a_list_stand_in_the_rounds_that_made_them():
    w, losses = torch.ones(2, requires_grad=True), []
    h = torch.zeros(2)
    for _ in range(20):
        h = torch.tanh(w * h + w)
        losses.append(h.mean())
    picture = viz.graph(torch.stack(losses).sum())
    around = {b.title: b.group for b in picture.boxes if b.title.startswith("losses[")}
    assert len(around) == 20
    assert {(g.kind, g.label) for g in around.values()} == {
        ("round", f"round {k}") for k in range(1, 21)}


def test_what_is_promised_below_is_there():
    lines = [line.strip("│├└─ ") for line in str(unrolled(5)).splitlines()]
    for k, line in enumerate(lines):
        if line.endswith("(see below)"):
            label = line.removesuffix("(see below)")
            assert any(other.startswith(label) for other in lines[k + 1:]), line
    assert sum(line.startswith("losses[0]") for line in lines) == 1


def test_a_write_through_a_view_has_the_line_of_the_write():
    with torch.viz.record() as recording:
        h = torch.ones(2, 3, requires_grad=True) * 2
        h[0].mul_(3)
        h.sum().backward()
    written = next(b for b in recording.graph().boxes if b.title == "CopySlices")
    assert written.place.text == "h[0].mul_(3)"


@pytest.mark.parametrize("backward", [False, True])
def test_inside_vmap_the_graph_is_that_of_all_slices(backward):
    weight, seen = torch.ones(3, requires_grad=True), []

    def loss(row):
        y = (row * weight).exp().sum()
        seen.append(str(viz.graph(y, backward=backward)))
        return y
    result = torch.func.vmap(loss)(torch.ones(2, 3))
    assert all(name in seen[0] for name in ("SumBackward1", "ExpBackward0", "MulBackward0"))
    assert "weight  leaf, requires_grad" in seen[0] and weight.grad is None
    assert result.grad_fn.name() == "SumBackward1"
