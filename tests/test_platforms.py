"""Systems that are not this one: what Windows and a browser's Python do not have is not needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from retrograd.kernels import fast

ROOT = Path(__file__).parents[1]

WINDOWS = """
import mmap, os, sys
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None
for name in ("MAP_SHARED", "MAP_PRIVATE", "MAP_ANONYMOUS", "PROT_READ", "PROT_WRITE"):
    delattr(mmap, name)
for name in ("fork", "register_at_fork", "sched_getaffinity", "getuid", "sysconf"):
    delattr(os, name)
"""

BROWSER = """
import sys, threading
for name in ("_multiprocessing", "_posixshmem", "fcntl", "resource", "termios"):
    sys.modules[name] = None
def start(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start
"""

PROGRAM = """
import io
import retrograd as torch
from retrograd import nn
from retrograd.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x, y = torch.randn(60, 1, 8, 8), torch.randint(0, 3, (60,))
net = nn.Sequential(nn.Conv2d(1, 40, 3), nn.ReLU(), nn.Flatten(), nn.Linear(1440, 3))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=30, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(a), b)
        loss.backward()
        optimizer.step()
slopes = torch.func.vmap(torch.func.grad(lambda a: (a @ a).sum()))(torch.eye(300)[None])
assert slopes.isfinite().all()
file = io.BytesIO()
torch.save(net.state_dict(), file)
file.seek(0)
net.load_state_dict(torch.load(file))
text = str(torch.viz.graph(loss)) + str(torch.debug.explain(x))
assert "NllLossBackward0" in text
"""

EVERYTHING = """
import importlib, pkgutil
import retrograd
skipped = ("__main__", "kernels.fast", "_install_on_import", *{needs})
for module in pkgutil.walk_packages(retrograd.__path__, "retrograd.", lambda name: None):
    if not module.name.removeprefix("retrograd.").startswith(skipped):
        importlib.import_module(module.name)
"""


def run(code):
    """Run a program without compiled kernels, which neither system has."""
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True,
                            text=True, cwd=ROOT,
                            env={"PYTHONPATH": str(ROOT / "src"), "RETROGRAD_FAST": "0"})
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("system", [WINDOWS, BROWSER], ids=["windows", "browser"])
def test_a_program_trains(system):
    run(system + PROGRAM)


@pytest.mark.parametrize("system, needs", [
    (WINDOWS, ()),
    (BROWSER, ("multiprocessing", "utils.data._multiprocess")),
], ids=["windows", "browser"])
def test_every_module_is_imported(system, needs):
    run(system + EVERYTHING.replace("{needs}", repr(needs)))


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
INLINED = (ast.ListComp, ast.SetComp, ast.DictComp)


def taken_names(tree):
    """Where Python 3.12.1 fails: (line, name) of a loop's variable in one comprehension of a
    function that a later one takes from outside of the function.

    It puts comprehensions into the function around them, and takes the second for the first.
    """
    for scope in ast.walk(tree):
        if isinstance(scope, SCOPES):
            arguments = getattr(scope, "args", None)
            own = [] if arguments is None else ast.walk(arguments)
            parts = {**vars(scope), "decorator_list": []}.values()
            nodes = [n for part in parts for n in (part if isinstance(part, list) else [part])
                     if isinstance(n, ast.AST) and n is not arguments]
            loops, bound = [], {a.arg for a in own if isinstance(a, ast.arg)}
            collect(nodes, None, loops, bound)
            for k, (variables, _) in enumerate(loops):
                for _, used in loops[k + 1:]:
                    yield from ((line, name) for name, line in used.items()
                                if name in variables and name not in bound)


def collect(nodes, inside, loops, bound):
    """Add each comprehension's (variables, names used from outside of it) to `loops`, in order."""
    for node in nodes:
        if isinstance(node, INLINED):
            variables = {n.id for c in node.generators for n in ast.walk(c.target)
                         if isinstance(n, ast.Name)}
            around = variables | (inside[0] if inside else set())
            mine = (variables, {})
            loops.append(mine)
            collect(ast.iter_child_nodes(node), (around, mine[1]), loops, bound)
        elif isinstance(node, (*SCOPES, ast.ClassDef)):
            collect(getattr(node, "decorator_list", []), inside, loops, bound)
        elif isinstance(node, ast.Name):
            if inside is None and not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
            elif inside and node.id not in inside[0]:
                inside[1][node.id] = node.lineno
        else:
            collect(ast.iter_child_nodes(node), inside, loops, bound)


@pytest.mark.parametrize("body, found", [
    ("x = [slot for slot in a]; return [slot(i) for i in a]", True),
    ("return [[slot for slot in b] for b in a], {slot(i) for i in a}", True),
    ("return [slot for slot in a], [[slot(j) for j in i] for i in a]", True),
    ("return [(slot, k) for slot, k in a], [i for i in a if i > slot]", True),
    ("return list([len for len in b] + [len(i) for i in b] for b in a)", True),
    ("x = [slot(i) for i in a]; return [slot for slot in a]", False),
    ("x = [slot for slot in a]; return slot(a)", False),
    ("return [slot for slot in a], [slot for slot in a]", False),
    ("return [[slot for slot in b] + [slot(i)] for i in a]", False),
    ("slot = a; return [slot for slot in a], [slot for i in a]", False),
    ("return [slot for slot in a], list(slot(i) for i in a)", False)])
def test_the_guard_knows_what_python_3_12_1_takes_wrongly(body, found):
    """As found by running these lines with it."""
    assert bool(list(taken_names(ast.parse(f"def f(a): {body}")))) is found


@pytest.fixture(scope="module")
def faults():
    """Places of both kinds in the package, each of whose files is parsed once."""
    names, texts, files = [], [], sorted((ROOT / "src").rglob("*.py"))
    assert len(files) > 100
    for file in files:
        tree = ast.parse(file.read_text())
        names += [f"{file}:{line}: {name}" for line, name in taken_names(tree)]
        texts += [f"{file}:{line}" for line in texts_of_an_unnamed_encoding(tree)]
    return names, texts


def test_no_loop_takes_a_name_that_another_reads(faults):
    assert faults[0] == []


def test_kernels_are_left_alone_where_threads_are_not_posixs(monkeypatch):
    monkeypatch.setattr(fast.os, "name", "nt")
    assert not fast.enabled.__wrapped__()


def texts_of_an_unnamed_encoding(tree):
    """Lines that read or write text in the encoding that the system happens to have."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or any(k.arg == "encoding" for k in call.keywords):
            continue
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        mode = call.args[1] if len(call.args) > 1 else None
        if name == "open" and isinstance(call.func, ast.Name):
            if mode is None or isinstance(mode, ast.Constant) and "b" not in str(mode.value):
                yield call.lineno
        elif name == "read_text" and not call.args or name == "write_text" and mode is None:
            yield call.lineno


@pytest.mark.parametrize("line, found", [
    ("open(p)", True), ("open(p, 'w')", True), ("p.read_text()", True), ("p.write_text(t)", True),
    ("open(p, 'rb')", False), ("open(p, encoding='utf-8')", False), ("open(p, mode)", False),
    ("p.read_text('utf-8')", False), ("os.open(p, 0)", False)])
def test_the_guard_knows_which_text_has_no_encoding(line, found):
    assert bool(list(texts_of_an_unnamed_encoding(ast.parse(line)))) is found


def test_every_text_file_has_an_encoding(faults):
    assert faults[1] == []
