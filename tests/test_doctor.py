"""The doctor finds what is wrong in each script of `tests/doctor`, on the right line, and no more.

What is to be found is in `doctor_findings.py`.

Scripts whose names end in "_near" do almost the same and are right; so are the examples and the
tutorials' programs, but for those that a tutorial itself shows as mistakes.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import linecache
import os
import pickle
import re
import shutil
import subprocess
import sys
import textwrap
import warnings
import weakref
from pathlib import Path
from types import SimpleNamespace

import pytest

import doctor_findings  # whose table is no variable here: the doctor looks for names in those
import message_table
import retrograd as torch
from comparing import EXAMPLES, run_example, torch_is_retrograd
from retrograd import _state as state
from retrograd.debug import crashes
from retrograd.debug.check import Check
from retrograd.debug.checks_training import NotCleared
from retrograd.debug.crashes import crash
from retrograd.debug.doctor import Doctor
from retrograd.debug.findings import Finding, Report
from retrograd.optim import optimizer

HERE = Path(__file__).parent
SCRIPTS = HERE / "doctor"


def scripts(pattern):
    return sorted(path.stem for path in SCRIPTS.glob(pattern))


def examine(path):
    """The findings in a script, run in this process."""
    code = compile(path.read_text(), str(path), "exec", dont_inherit=True)
    silent = contextlib.redirect_stdout(io.StringIO())
    with torch_is_retrograd() as torch, warnings.catch_warnings(), silent:
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        with Doctor(path.name) as doctor:
            try:
                exec(code, {"__name__": "__main__"})
            except Exception as error:
                doctor.report.add(crash(error))
    assert doctor.report.left_out == []
    return doctor.report.findings


@pytest.mark.parametrize("name", doctor_findings.FINDINGS)
def test_what_is_found(name, monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS / "elsewhere")
    findings, expected = examine(SCRIPTS / f"{name}.py"), doctor_findings.FINDINGS[name]
    assert [(f.kind, f.text) for f in findings] == [(k, t) for k, t, _, _ in expected]
    for found, (_, line, what, reason) in zip(findings, expected, strict=True):
        source = Path(found.file).read_text().splitlines()
        assert source[found.line - 1].strip() == line
        assert Path(found.file).name in (f"{name}.py", "doctor_layers.py")
        assert what in found.what
        assert reason in f"{found.why} {found.cure}"


def test_an_error_that_met_nan_comes_after_the_line_that_made_it():
    error = Finding("error", "probability tensor contains either `inf`, `nan`", "", "")
    nan, other = Finding("nan-forward", "log() made inf", "", ""), Finding("double", "", "", "")
    assert Report("", [other, error, nan]).ordered() == [nan, error, other]
    error = Finding("error", "Target 5 is out of bounds.", "", "")
    assert Report("", [other, nan, error]).ordered() == [error, nan, other]


def test_a_line_is_counted_once_in_each_iteration():
    (found,) = examine(SCRIPTS / "out_of_reach_absolute.py")
    assert found.times == 4


@pytest.mark.parametrize("name", scripts("*_near.py"))
def test_a_near_miss_is_left_alone(name):
    assert examine(SCRIPTS / f"{name}.py") == []


@pytest.mark.parametrize("name", ["used_twice_lookahead_near", "schedule_near"])
def test_classes_of_a_program_without_a_file(name, monkeypatch):
    """As one that comes from standard input."""
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    assert examine(SCRIPTS / f"{name}.py") == []


LOADER = """class Data(torch.utils.data.Dataset):
    {}
    def __getitem__(self, k):
        return {}
for batch in torch.utils.data.DataLoader(Data(), batch_size=4, shuffle=True):
    pass
"""
NET = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 1)
    def forward({}x):
        return self.{}(x)
net = Net()
net(torch.ones(2, 3))
"""
CRASHES = {               # a program that fails, and words of the reason or the cure
    "torch.func.vmap(lambda x: x + torch.randn(()))(torch.ones(3))": 'randomness="different"',
    "torch.func.vmap(lambda x: x if x > 0 else -x)(torch.ones(3))": "`torch.where(condition,",
    "net = nn.Linear(2, 2)\ntorch.optim.SGD([{'params': net.parameters()}, "
    "{'params': [net.bias]}])": "`[p for p in net.parameters() if id(p) not in ids]`",
    "torch.func.grad(lambda w: w.sum().item())(torch.ones(3))": "without item()",
    "torch.func.grad(lambda w: None)(torch.ones(3))": "`return loss`",
    "torch.func.grad(lambda w: (w.sum(), w))(torch.ones(3))": "`grad(f, has_aux=True)`",
    "torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=None)": "give it a number, `lr=1e-3`",
    "torch.optim.SGD(nn.Linear(2, 1).parameters(), lr='0.1')": "make a number of it",
    "torch.cat([])": "nothing was appended to it",
    "torch.stack([]).mean()": "nothing was appended to it",
    LOADER.format("", "k"): "define `def __len__(self): return ...`",
    LOADER.format("__len__ = lambda self: 4", "None if k == 2 else (k, k)"):
        "for some sample the dataset has returned None",
    "nn.Linear(128 / 2, 10)": "`//` in place of `/`",
    NET.format("self, ", "fcl"): "`fc1`, which it has",
    NET.format("self, ", "other"): "set `self.other = ...` in __init__() of Net",
    NET.format("", "fc1"): "`def forward(self, x):`",
    "for number in torch.ones(3).sum(): pass": "there is nothing to go through",
    "nn.Conv2d(1, 2, 3)(np.zeros((4, 1, 8, 8)))": "`torch.from_numpy(array).float()`",
    "nn.Linear(3, 1)(np.zeros((4, 3)))": "`torch.from_numpy(array).float()`",
    "nn.Linear(3, 1)([1., 2., 3.])": "`torch.tensor(numbers)` of a list",
    "nn.Sequential(nn.Conv2d(1, 4, 5), nn.Conv2d(4, 4, 5))(torch.ones(1, 1, 6, 6))":
        "the layers before have left 2 x 2 of the image",
    "nn.Linear(2, 2).load_state_dict('net.pt')": "`net.load_state_dict(torch.load(path))`",
    "nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2))": "`.state_dict()` of what was loaded",
    "nn.ModuleList([nn.Linear(2, 2)])(torch.ones(2))": "for layer in self.layers: x = layer(x)",
    "nn.ModuleDict({'a': nn.Linear(2, 2)})(torch.ones(2))": "in self.layers.values(): x = layer",
    "nn.functional.mse_loss(torch.tensor([1, 2]), torch.tensor([1, 2]))": "with `.float()`",
    "nn.functional.one_hot(torch.tensor([0., 1.]))": "with `.long()`",
    "torch.from_numpy(np.array([[1], [1, 2]], dtype=object))": "pad_sequence()",
    "torch.optim.lr_scheduler.StepLR(nn.Linear(2, 2), 10)": "`StepLR(optimizer, step_size=10)`",
    "nn.Sequential([nn.Linear(2, 2)])": "`nn.Sequential(*layers)`",
    "torch.ones(3).shape(0)": "`x.shape[0]`",
    "torch.ones(3).size[0]": "`x.size(0)`",
    "x = torch.ones(3)\ntorch.tensor([x, x])": "`torch.stack([x, x])`",
    "float(torch.ones(3))": "float() was given a float32 tensor of shape (3,)",
    "torch.ones(3)[5]": "what is indexed here is a float32 tensor of shape (3,)",
    NET.format("self, ", "__call__"): "a forward() that calls its own network",
    "nn.Linear(2, 2).cuda()": "retrograd computes on the CPU",
}


@pytest.mark.parametrize("program", CRASHES)
def test_what_is_said_of_a_crash(program, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(f"import numpy as np\nimport torch\nfrom torch import nn\n{program}\n")
    found, = examine(path)
    assert found.kind == "error"
    assert CRASHES[program] in f"{found.why} {found.cure}"


@pytest.mark.parametrize("name", message_table.SITUATIONS)
def test_every_error_of_pytorch_can_be_explained(name, tmp_path, monkeypatch):
    """No explanation fails; if one did, it would be left out."""
    failed = []
    explain = crashes.said_of

    def noted(*given):
        try:
            return explain(*given)
        except Exception as error:
            failed.append(error)
            raise
    monkeypatch.setattr(crashes, "said_of", noted)
    path, code = tmp_path / "program.py", message_table.SITUATIONS[name]
    used = [line for word, line in message_table.IMPORTS.items()
            if re.search(rf"\b{word}\b", code)]
    path.write_text("\n".join(["import torch", *used, code]))
    examine(path)
    torch.set_grad_enabled(True)
    assert failed == []


def test_an_explanation_that_fails_is_left_out(monkeypatch):
    monkeypatch.setattr(crashes, "by_sentence", lambda *_: 1 / 0)
    try:
        torch.ones(2) + torch.ones(3)
    except RuntimeError as error:
        found = crash(error)
    assert found.what.startswith("the program ended here: RuntimeError: The size of tensor a (2)")
    assert (found.why, found.cure) == ("", "")


def test_every_script_is_expected():
    assert set(scripts("*.py")) == {*doctor_findings.FINDINGS, *scripts("*_near.py")}


# What a tutorial shows in order to warn of it, or takes to be necessary though it is not; and
# scripts that end in an error.
TUTORIALS = {
    "leaf_grad": ["gradient-of-a-result"],
    "internals_retain_in_loop": ["retained"],
    "retain_graph_necessary_3": ["retained"],
    "retain_grad_position_3": ["error"],
    "retain_graph_necessary_2": ["error"],
    "leaf_requires_grad_unset": ["error"],
    "leaf_retain_grad_refused": ["error"],
}


@pytest.mark.parametrize("path", sorted((HERE / "tutorials").glob("*.py")), ids=lambda p: p.stem)
def test_no_false_alarm_on_tutorials(path):
    kinds = [finding.kind for finding in examine(path)]
    assert kinds == TUTORIALS.get(path.stem, [])


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_no_false_alarm_on_the_examples(name):
    with torch_is_retrograd(), Doctor() as doctor:
        run_example(name, 7)
    assert doctor.report.findings == doctor.report.left_out == []


PUBLISHED = {"nothing_at_all": ["nan-forward"]}


@pytest.mark.parametrize("path", sorted((HERE / "published").glob("*.py")), ids=lambda p: p.stem)
def test_no_false_alarm_on_published_programs(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert [f.kind for f in examine(path)] == PUBLISHED.get(path.stem, [])


def test_a_check_that_fails_is_left_out(monkeypatch):
    def fails(check, task):
        raise ZeroDivisionError("of all things")
    monkeypatch.setattr(NotCleared, "after_pass", fails)
    with Doctor() as doctor:
        w = torch.ones(2, requires_grad=True)
        for _ in range(2):
            w.sum().backward()
    assert w.grad.tolist() == [2, 2]
    assert str(doctor.report).endswith(
        "left out: NotCleared.after_pass: ZeroDivisionError: of all things")


def test_inputs_are_not_kept_alive():
    net, inputs = torch.nn.Linear(3, 1), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with Doctor():
        for _ in range(3):
            x = torch.randn(2, 3, requires_grad=True)
            net(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            inputs.append(weakref.ref(x))
        del x
        gc.collect()
        assert [ref() for ref in inputs] == [None, None, None]


def command(folder, *args):
    done = subprocess.run([sys.executable, "-m", "retrograd", *args], cwd=folder, text=True,
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_the_command_prints_findings_as_text_and_json():
    status, output, _ = command(SCRIPTS, "doctor", "growing_sum.py")
    assert status == 0 and output.startswith("tensor(")
    assert "1. growing_sum.py:14  total = total + loss\n" in output
    status, output, errors = command(SCRIPTS, "doctor", "--json", "--strict", "growing_sum.py")
    assert status == 1 and "tensor(" in errors
    (found,) = json.loads(output)["findings"]
    assert (found["kind"], found["file"], found["line"]) == ("growing", "growing_sum.py", 14)
    assert found["what"] and found["why"] and found["cure"]


def test_the_command_on_a_right_program_and_on_one_that_fails():
    status, output, _ = command(SCRIPTS, "doctor", "--strict", "step_near.py")
    assert (status, output) == (0, "\nretrograd doctor: nothing found in step_near.py\n")
    status, output, _ = command(SCRIPTS, "doctor", "error.py")
    assert status == 1 and "1. error.py:7  loss.backward()" in output


def test_a_failing_program_shows_its_traceback_and_keeps_json_clean(tmp_path):
    (tmp_path / "fails.py").write_text("print('begun')\nraise ValueError('no such luck')\n")
    status, output, errors = command(tmp_path, "doctor", "--json", "fails.py")
    assert status == 1 and "begun" in errors
    assert 'line 2, in <module>' in errors and "ValueError: no such luck" in errors
    (found,) = json.loads(output)["findings"]
    assert (found["kind"], found["line"]) == ("error", 2)


def test_a_traceback_shows_the_program_and_the_report_explains():
    _, output, errors = command(SCRIPTS, "doctor", "error_one_sample.py")
    package = str(Path(torch.__file__).parent)
    assert "error_one_sample.py" in errors and package not in errors and "Cure" not in errors
    assert "    cure  " in output


def test_an_interrupted_program_gets_its_report(tmp_path):
    source = (SCRIPTS / "not_cleared.py").read_text() + "\nraise KeyboardInterrupt\n"
    (tmp_path / "stopped.py").write_text(source)
    status, output, errors = command(tmp_path, "doctor", "stopped.py")
    assert status == 130 and "KeyboardInterrupt" in errors
    assert "1 finding in stopped.py, which was stopped before its end\n" in output
    (tmp_path / "stopped.py").write_text("raise KeyboardInterrupt\n")
    _, output, _ = command(tmp_path, "doctor", "stopped.py")
    assert output.endswith("nothing found in stopped.py, which was stopped before its end and made "
                           "no backward pass in this process\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("args, statuses", [
    (["doctor", "error_one_sample.py"], {1}),
    (["doctor", "says_much.py"], {1}),
    (["run", "says_much.py"], {1}),
    (["graph", "says_much.py"], {1}),
    (["doctor", "--help"], {0, 1}),         # argparse of Python 3.11.2 tells us of the pipe
])
def test_a_reader_that_has_had_enough(args, statuses, unbuffered, tmp_path):
    """No complaint on standard error, wherever in the program or behind it the pipe broke."""
    shutil.copy(SCRIPTS / "error_one_sample.py", tmp_path)
    (tmp_path / "says_much.py").write_text("for i in range(20000):\n    print(i)\n")
    command = [sys.executable, "-m", "retrograd", *args]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "PYTHONUNBUFFERED": unbuffered}) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert "BrokenPipe" not in errors and process.returncode in statuses


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_a_broken_pipe_of_the_programs_own(tmp_path):
    (tmp_path / "pipe.py").write_text(
        "import os\nr, w = os.pipe()\nos.close(r)\nos.write(w, b'x')\n")
    status, output, errors = command(tmp_path, "doctor", "pipe.py")
    assert status == 1 and "1. pipe.py:4  os.write" in output and "BrokenPipeError" in errors


def test_a_report_in_an_encoding_that_lacks_letters(tmp_path):
    (tmp_path / "letters.py").write_text(
        "import torch\n\u03b8 = torch.ones(2, requires_grad=True) * 2\n\u03b8.grad\n",
        encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "retrograd", "doctor", "letters.py"],
                          cwd=tmp_path, text=True, capture_output=True,
                          env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "1. letters.py:3  \\u03b8.grad" in done.stdout


def test_an_exception_of_no_usual_kind(tmp_path):
    (tmp_path / "leaves.py").write_text(
        "class Leave(BaseException):\n    pass\nraise Leave('now')\n")
    status, output, errors = command(tmp_path, "doctor", "leaves.py")
    assert status == 1 and "ended here: Leave: now" in output and "Leave: now" in errors


def test_a_notebook_is_no_program(tmp_path):
    (tmp_path / "train.ipynb").write_text('{"cells": []}')
    for name in ("run", "doctor", "graph"):
        status, output, errors = command(tmp_path, name, "train.ipynb")
        assert (status, output) == (2, "") and "'train.ipynb' is a notebook" in errors


def test_a_program_from_standard_input():
    done = subprocess.run([sys.executable, "-m", "retrograd", "doctor", "-"], input="1",
                          text=True, capture_output=True)
    assert "nothing found in standard input" in done.stdout


class Shell:
    """What `%%doctor` asks of IPython's shell."""

    __slots__ = "magics", "user_ns", "user_ns_hidden"            # no way to them for Names

    def __init__(self):
        self.user_ns = {"torch": torch, "get_ipython": self.get_ipython}
        self.user_ns["kept"] = self.user_ns
        self.user_ns_hidden = {"get_ipython": 1, "kept": 1}
        self.magics = {}

    def get_ipython(self):
        return self

    def register_magic_function(self, function, kind, name):
        self.magics[kind, name] = function

    def run_cell(self, cell):
        file = f"<ipython-input-7-{len(linecache.cache)}>"
        linecache.cache[file] = len(cell), None, cell.splitlines(True), file
        result = SimpleNamespace(error_before_exec=None, error_in_exec=None)
        try:
            exec(compile(cell, file, "exec"), self.user_ns)
        except Exception as error:
            result.error_in_exec = error
        return result


def test_a_cell_of_a_notebook(capsys):
    shell = Shell()
    torch.load_ipython_extension(shell)
    examine_cell = shell.magics["cell", "doctor"]
    examine_cell("", "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1\n"
                 "y.sum().backward()\n")
    report = capsys.readouterr().out
    assert "1 finding in this cell\n\n1. In[7]:4  y.sum().backward()\n" in report
    assert "`y` was changed" in report                   # the shell has it by other names, too
    examine_cell("", "z = (x * 2).sum().backward()\n")
    assert capsys.readouterr().out == "\nretrograd doctor: nothing found in this cell\n"
    assert shell.user_ns["x"].grad.tolist() == [2, 2] and shell.user_ns["z"] is None


def test_a_cell_under_ipython(capsys):
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "retrograd")
    shell.run_cell("%%doctor\nimport retrograd\nw = retrograd.ones(2, requires_grad=True)\n"
                   "optimizer = retrograd.optim.SGD([w], lr=0.1)\noptimizer.step()\n")
    assert "In[1]:4  optimizer.step()\n    what  step() found no gradient" in (
        capsys.readouterr().out)


def test_a_program_that_exits_with_a_word(tmp_path):
    (tmp_path / "ends.py").write_text("import sys\nsys.exit('no data')\n")
    status, output, errors = command(tmp_path, "doctor", "ends.py")
    assert status == 1 and errors == "no data\n"
    assert "nothing found in ends.py, which made no backward pass" in output


def test_a_program_that_cannot_be_parsed(tmp_path):
    (tmp_path / "typo.py").write_text("import torch\nfor i in range(3)\n    print(i)\n")
    status, output, errors = command(tmp_path, "doctor", "typo.py")
    assert status == 1 and "1. typo.py:2  for i in range(3)\n" in output


def test_what_costs_only_time_comes_last():
    report = Report("net.py")
    for kind in ("retained", "not-cleared", "evaluation-recorded", "applied-twice", "error"):
        report.add(Finding(kind, kind, "", ""))
    assert [f["kind"] for f in report.to_dict()["findings"]] == [
        "error", "not-cleared", "applied-twice", "retained", "evaluation-recorded"]
    assert str(report).index("not-cleared") < str(report).index("retained")


def test_no_report_on_a_program_that_is_not_there(tmp_path):
    status, output, errors = command(tmp_path, "doctor", "--json", "nowhere.py")
    assert (status, output) == (2, "") and "can't open file" in errors


def test_the_page_lists_every_kind():
    page = (HERE.parent / "docs" / "debugging.md").read_text()
    table = page.split("### What the doctor looks for")[1].split("\n## ")[0]
    listed = {kind for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
              for kind in re.findall(r"`([a-z-]+)`", row)}
    assert listed == {kind for findings in doctor_findings.FINDINGS.values()
                      for kind, *_ in findings}


def test_nothing_stays_behind():
    def replaced():
        from retrograd.autograd import engine, hooks
        from retrograd.autograd.node import AccumulateGrad
        return (engine.execute, AccumulateGrad.accumulate, torch.nn.Module.__call__,
                torch.nn.Module.__setattr__, torch.Tensor.numpy, torch.Tensor.item,
                torch.Tensor.detach_, torch.Tensor.data, torch.nn.functional.cross_entropy,
                torch.utils.data.DataLoader.__iter__,
                hooks._call_tensor_hooks, hooks._call_posthooks, state.features.trace,
                state.features.watch, state.features.recording,
                dict(optimizer._global_optimizer_pre_hooks),
                dict(optimizer._global_optimizer_post_hooks))
    before = replaced()
    with pytest.raises(KeyError), Doctor():
        assert replaced() != before
        raise KeyError
    assert replaced() == before


def test_options_may_follow_the_script(tmp_path):
    (tmp_path / "program.py").write_text("import sys, torch\nprint(sys.argv[1:])\n")
    options = ["--json", "--lr", "1", "--", "--strict"]
    command = [sys.executable, "-m", "retrograd", "doctor", "program.py", *options]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path,
                            env={"PYTHONPATH": str(Path(torch.__file__).parents[1]), "PATH": ""})
    assert json.loads(result.stdout)["findings"] == []
    assert "['--lr', '1', '--strict']" in result.stderr


def test_subclasses_first_made_under_it_are_asked_afterwards():
    program = """
        import retrograd as torch
        from retrograd.debug.doctor import Doctor
        seen = []
        class Own(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                seen.append(func.__name__)
                return super().__torch_function__(func, types, args, kwargs or {})
        with Doctor():
            x = torch.ones(2, 2).as_subclass(Own)
            inside = type(x.detach()), type(x.data)
        assert inside == (type(x.detach()), type(x.data)) == (type(x),) * 2
        del seen[:]
        torch.nn.init.kaiming_uniform_(x)
        assert seen[0] == "kaiming_uniform_"
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def test_a_function_that_runs_again_disturbs_nothing(capsys):
    class Noisy(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            print("forward")
            return x * x + 0 * torch.rand(3)

        @staticmethod
        def backward(ctx, grad):
            return grad

    def program():
        torch.manual_seed(0)
        x = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
        Noisy.apply(x).sum().backward()
        return torch.rand(2).tolist()
    with Doctor() as doctor:
        observed = program()
    assert [f.kind for f in doctor.report.findings] == ["wrong-backward"]
    assert capsys.readouterr().out == "forward\n"
    assert program() == observed


def called(function):
    """What a call returns or raises, and the warnings, as text."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = str(function())
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result, [str(w.message) for w in said]


net = torch.nn.Linear(2, 2)
scaler = torch.amp.GradScaler("cpu")


@pytest.mark.parametrize("call", [
    lambda: net.load_state_dict(state_dict=net.state_dict()),
    lambda: torch.default_generator.manual_seed(seed=3).initial_seed(),
    lambda: torch.Generator().manual_seed(seed=3).initial_seed(),
    lambda: scaler.scale(outputs=torch.ones(2)),
    lambda: scaler.unscale_(optimizer=torch.optim.SGD(net.parameters())),
    lambda: torch.nn.utils.clip_grad_norm_(parameters=(p for p in []), max_norm=1.0),
    lambda: torch.nn.utils.clip_grad_norm_((p for p in [torch.ones(2)]), 1.0),
    lambda: torch.nn.utils.clip_grad_value_(clip_value=1.0, parameters=net.weight),
    lambda: torch.nn.functional.cross_entropy(input=torch.ones(2, 2), target=torch.tensor([0, 1])),
])
def test_what_is_replaced_takes_and_says_the_same(call):
    plain = called(call)
    with Doctor() as doctor:
        observed = called(call)
    assert observed == plain and doctor.report.left_out == []


def test_autocast_first_used_under_it_is_in_force_afterwards():
    program = """
        import retrograd as torch
        from retrograd.debug.doctor import Doctor
        scores, labels = torch.rand(2, 3, dtype=torch.bfloat16), torch.tensor([0, 1])

        def loss():
            with torch.autocast("cpu"):
                return torch.nn.functional.cross_entropy(scores, labels).dtype
        with Doctor():
            first = loss()
        with Doctor():
            again = loss()
        assert {first, again, loss()} == {torch.float32}
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def stale_view():
    with torch.no_grad():
        x = torch.ones(2, requires_grad=True)
        view = x[:1]
    base = torch.ones(2, requires_grad=True) * 2
    part = base.unbind()[0]
    base.mul_(2)
    return view.detach(), part.detach(), part.data


def sparse_leaf():
    x = torch.eye(2).to_sparse().requires_grad_()
    for _ in range(2):
        (x + x).to_dense().sum().backward()


def learnt_rate():
    rate = torch.tensor(0.1, requires_grad=True)
    w = torch.ones(2, requires_grad=True) * 2
    w.retain_grad()
    w.sum().backward()
    torch.optim.SGD([w], lr=rate, differentiable=True).step()


def masked():
    x = torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False]), requires_grad=True)
    for _ in range(2):
        (x.exp() * x).sum().backward()


def lone_number():
    torch.tensor(2.0, requires_grad=True).softmax(0).backward()


def freed_scores():
    scores = torch.ones(2, 3, requires_grad=True).log_softmax(1)
    loss = torch.nn.functional.nll_loss(scores, torch.tensor([0, 1]))
    loss.backward()
    with pytest.raises(RuntimeError, match="second time"):
        (loss * 2).backward()


def regenerated_view():
    """The node of a view that is made anew after a write to its base has no line."""
    y = torch.ones(3, requires_grad=True) * 2
    first = y[0]
    y.add_(1)
    first.copy_(first)
    y.abs().sum().backward()


def view_without_a_history():
    x = torch.ones(2, 1, requires_grad=True)
    y = x * 2
    for _ in range(2):
        with torch.no_grad():
            t = y.t()
        torch.autograd.grad(t.sum(), [x, t], allow_unused=True)


def endless():
    """Begins at several depths, so that some check is the one for which there is no room."""
    def again(x):
        return again(x + 1)

    def deeper(depth):
        if depth:
            deeper(depth - 1)
        with pytest.raises(RecursionError):
            again(torch.ones(1, requires_grad=True))
    deeper(5)


@pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors")
@pytest.mark.parametrize("program", [stale_view, sparse_leaf, learnt_rate, masked, lone_number,
                                     freed_scores, regenerated_view, view_without_a_history,
                                     endless])
def test_no_check_stumbles_over_rare_tensors(program):
    with Doctor() as doctor:
        program()
    assert doctor.report.left_out == []


LONG = """
import torch
from torch import nn
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(4, 2), torch.randn(4, 1)

def step(loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for _ in range(300):
    step(nn.functional.mse_loss(net(x), y))
"""


class Resting(Check):
    """Keeps the numbers of the backward passes that it is told of."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.told = []

    def before_pass(self, task):
        self.told.append(task.number)


def looked_at(text):
    """The Doctor after a program, and the backward passes that a check that rests was told of."""
    with torch_is_retrograd(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        doctor = Doctor()
        doctor.checks.append(Resting(doctor))
        with doctor:
            exec(compile(textwrap.dedent(text), "long.py", "exec"), {"__name__": "__main__"})
    assert doctor.report.left_out == []
    return doctor, doctor.checks[-1].told


def test_checks_of_one_step_rest_when_a_program_repeats_itself():
    doctor, told = looked_at(LONG)
    assert doctor.passes == 300
    assert 100 < len(told) < 150
    assert told[:100] == list(range(1, 101))


def test_what_begins_late_on_a_new_line_is_found():
    doctor, _ = looked_at(LONG + "step(nn.functional.mse_loss(net(x), torch.randn(4)))\n")
    assert [f.kind for f in doctor.report.findings] == ["spread-target"]


def test_what_goes_wrong_only_now_and_then_is_found():
    doctor, _ = looked_at(LONG.replace("optimizer.zero_grad()", """
    global count
    count += 1
    if count < 150:
        optimizer.zero_grad()""").replace("def step", "count = 0\n\ndef step"))
    assert "not-cleared" in {f.kind for f in doctor.report.findings}


def test_a_graph_that_reaches_over_a_step_is_seen_whole():
    """Of two steps in turn, the end of the first one is none where a check may fall asleep."""
    doctor, told = looked_at("""
        import torch
        from torch import nn
        G, D = nn.Linear(2, 2), nn.Linear(2, 1)
        of_g, of_d = (torch.optim.SGD(m.parameters(), lr=0.01) for m in (G, D))
        bce = nn.functional.binary_cross_entropy_with_logits
        ones, zeros = torch.ones(4, 1), torch.zeros(4, 1)
        for _ in range(200):
            fake = G(torch.randn(4, 2))
            loss = bce(D(torch.randn(4, 2)), ones) + bce(D(fake.detach()), zeros)
            of_d.zero_grad()
            loss.backward()
            of_d.step()
            loss = bce(D(fake), ones)
            of_g.zero_grad()
            loss.backward()
            of_g.step()
        """)
    assert len(told) < 300
    assert all(a % 2 == 1 and b == a + 1
               for a, b in zip(told[::2], told[1::2], strict=True))
    assert doctor.report.findings == []


def test_what_stands_in_for_functions_is_one_object_wherever_it_is_found():
    """pickle looks for a function by its name; classes are shown torch.gt for s > s."""
    class Shown(torch.Tensor):
        found = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.found.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    names = ("eq", "ne", "sub", "gt", "ge", "round", "max", "argmax")
    same = [name for name in names if getattr(torch.Tensor, name) is getattr(torch, name)]
    with Doctor() as doctor:
        for name in same:
            assert getattr(torch.Tensor, name) is getattr(torch, name)
            assert pickle.loads(pickle.dumps(getattr(torch.Tensor, name))) is getattr(torch, name)
        s = torch.ones(2).as_subclass(Shown)
        s == s, s > s, torch.eq(s, s), s.eq(s), s - s                # noqa: B015, B018
        assert Shown.found == [torch.Tensor.__eq__, torch.gt, torch.eq, torch.eq, torch.sub]
    assert doctor.report.left_out == []
    assert "max" in same
    assert all(getattr(torch.Tensor, name) is getattr(torch, name) for name in same)


@pytest.mark.parametrize(("call", "name"), [
    ("a @ b", "matmul"), ("a ** b", "pow"), ("a + b", "add"), ("a.reshape(7)", "reshape"),
    ("a.backward()", "backward"),
])
def test_a_crash_names_the_function_as_programs_do(call, name):
    a, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, 2)
    with pytest.raises(RuntimeError) as failed:
        exec(call, {"a": a, "b": b})
    given = crash(failed.value).why
    assert given.startswith(f"{name}() was given a float32 tensor of shape (2, 3)")
