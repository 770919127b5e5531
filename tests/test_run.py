"""`retrograd run PROGRAM` behaves as `python PROGRAM`, except that torch is retrograd."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest

import retrograd

RUN = [sys.executable, "-m", "retrograd", "run"]


def execute(command, folder, text=None):
    """Exit status, output and errors of a command, with the two commands' own names made one."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, input=text, text=True, capture_output=True, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def assert_same(folder, *args, text=None):
    expected = execute([sys.executable, *args], folder, text)
    assert execute([*RUN, *args], folder, text) == expected
    return expected


PROGRAMS = {
    "names": """
        import sys, __main__
        print(__name__, __file__, __package__, __spec__, __doc__, sys.argv, sys.path[0])
        print(sorted(vars()), __builtins__, __loader__.name)
        print(sys.modules["__main__"] is __main__, __main__.sys is sys)
        """,
    "doc": '"""What it is for."""\nx: int = 1\nprint(__doc__, __annotations__)',
    "future": """
        from __future__ import annotations
        def f(x: Nowhere): ...
        print(f.__annotations__)
        """,
    "no_future": "def f(x: Nowhere): ...",
    "exit_number": "import sys; sys.exit(7)",
    "exit_text": "import sys; sys.exit('no such data')",
    "exit_none": "import sys; print('before'); sys.exit()",
    "raises": "def f(): return 1 / 0\nprint('before')\nf()",
    "chained": "try: {}['a']\nexcept KeyError as e: raise ValueError('b') from e",
    "group": "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
    "syntax": "print('never')\nif:\n",
    "encoding": "# -*- coding: latin-1 -*-\nprint(ascii('\u00e9'))",
    "own_hook": """
        import sys, traceback
        sys.excepthook = lambda kind, value, tb: print(kind, value, traceback.extract_tb(tb))
        open("nowhere.txt")
        """,
    "interrupted": "raise KeyboardInterrupt",
    "at_exit": """
        import atexit
        atexit.register(lambda: print(__name__, x))
        x = 3
        raise ValueError(x)
        """,
    "thread": """
        import threading
        main = threading.main_thread()
        threading.Thread(target=lambda: (main.join(), print("late"))).start()
        print("early")
        """,
    "warns": "import warnings\nwarnings.warn('look out')",
    "neighbour": "import helper\nprint(helper.__file__, helper.NAME)",
    "pickles": """
        import pickle
        class Point:
            pass
        print(type(pickle.loads(pickle.dumps(Point()))) is Point, Point.__module__)
        """,
    "spawns": """
        import multiprocessing
        def square(x):
            return x * x, __name__
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(square, [1, 2]))
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_as_under_python(name, tmp_path):
    lines = PROGRAMS[name].splitlines()
    indent = " " * 8 if lines[0] == "" else ""
    source = "\n".join(line.removeprefix(indent) for line in lines) + "\n"
    encoding = "latin-1" if name == "encoding" else "utf-8"
    (tmp_path / "program.py").write_text(source, encoding=encoding)
    (tmp_path / "helper.py").write_text("NAME = __name__\n")
    assert_same(tmp_path, "program.py", "first", "--second", "--", "-h")


def test_other_folder_and_link(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "helper.py").write_text("NAME = 'found'\n")
    (home / "program.py").write_text(
        "import helper, sys; print(helper.NAME, sys.path[0], __file__)"
    )
    (tmp_path / "link.py").symlink_to(home / "program.py")
    assert assert_same(tmp_path, os.path.join("home", "program.py"))[0] == 0
    assert assert_same(tmp_path, "link.py")[0] == 0


def test_missing_file(tmp_path):
    status, _, errors = assert_same(tmp_path, "nowhere.py")
    assert status == 2 and "No such file" in errors


def test_standard_input(tmp_path):
    text = "import sys\nprint(sys.argv, repr(sys.path[0]), '__file__' in vars())\n1 / 0\n"
    assert assert_same(tmp_path, "-", "x", text=text)[0] == 1


def test_modules_run_as_under_python(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "value.py").write_text("VALUE = 5\n")
    code = (
        "import sys\nfrom .value import VALUE\nprint(VALUE, __spec__.name, sys.argv, __package__)\n"
    )
    (package / "__main__.py").write_text(code)
    (package / "tool.py").write_text(code + "raise ValueError(VALUE)\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "__init__.py").write_text("")
    assert assert_same(tmp_path, "-m", "pack", "-h")[0] == 0
    for name in "empty", "nowhere", "nowhere.inside", "pack.py":
        assert assert_same(tmp_path, "-m", name)[0] == 1
    # python -m also shows the frames of its own runpy: compare what follows them.
    expected = execute([sys.executable, "-m", "pack.tool", "a"], tmp_path)
    found = execute([*RUN, "-m", "pack.tool", "a"], tmp_path)
    assert found[:2] == expected[:2]
    head, _, tail = found[2].partition("\n")
    assert head == "Traceback (most recent call last):" and expected[2].endswith(tail)
    assert "runpy" not in tail and "retrograd" not in tail


def test_folder_and_archive(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "__main__.py").write_text("import helper, sys; print(helper.__name__, sys.argv)")
    (folder / "helper.py").write_text("")
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)
    for program in "app", "app.zip":
        assert assert_same(tmp_path, program, "x")[:2] == (0, f"helper ['{program}', 'x']\n")
    (tmp_path / "bare").mkdir()
    assert assert_same(tmp_path, "bare")[0] == 1


TORCH = """
import multiprocessing, pickle, sys
import torch, torch.nn as nn, torch.nn.functional as F
from torch import Tensor
from torch.autograd import grad
from torch.utils.data import DataLoader
import retrograd

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1)

def child(module):
    import torch, retrograd
    return torch is retrograd and type(module).__module__ == __name__

if __name__ == "__main__":
    assert torch is retrograd and nn is retrograd.nn and F is retrograd.nn.functional
    assert Tensor is retrograd.Tensor and grad is retrograd.autograd.grad
    assert sys.modules["torch.nn"] is nn and nn.__spec__.name == "retrograd.nn"
    assert type(pickle.loads(pickle.dumps(Net()))) is Net
    for method in "spawn", "forkserver":
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.apply(child, (Net(),)))
    print(torch.ones(2).sum())
"""


def test_torch_is_retrograd(tmp_path):
    (tmp_path / "program.py").write_text(TORCH)
    found = execute([*RUN, "program.py"], tmp_path)
    assert found == (0, "spawn True\nforkserver True\ntensor(2.)\n", "")


@pytest.mark.parametrize(
    "line, last",
    [
        (
            "import torch.nowhere",
            "ModuleNotFoundError: No module named 'torch.nowhere'",
        ),
        (
            "import torch.nn.nowhere.deep",
            "ModuleNotFoundError: No module named 'torch.nn.nowhere'",
        ),
        (
            "import torch; torch.nowhere",
            "AttributeError: module 'torch' has no attribute 'nowhere'",
        ),
        (
            "import torch; torch.sofmax",
            "AttributeError: module 'torch' has no attribute 'sofmax'",
        ),
        (
            "import torch; torch.linalg.nowhere",
            "AttributeError: module 'torch.linalg' has no attribute 'nowhere'",
        ),
        (
            "import torch.multiprocessing; torch.multiprocessing.nowhere",
            "AttributeError: module 'torch.multiprocessing' has no attribute 'nowhere'",
        ),
        (
            "import torch.nn; torch.nn.Nowhere",
            "AttributeError: module 'torch.nn' has no attribute 'Nowhere'",
        ),
    ],
)
def test_what_is_missing_is_named(line, last, tmp_path):
    status, _, errors = execute([*RUN, "-"], tmp_path, line)
    assert status == 1
    said = errors.splitlines()
    assert [each for each in said if each.startswith(last)]   # Python may suggest a name after it
    assert ("Cure: if you mean `torch.softmax`, write that." in said) == ("sofmax" in line)


def test_install_and_uninstall(tmp_path):
    code = """
import retrograd
retrograd.install(); retrograd.install()
import torch.nn
assert torch is retrograd and torch.nn is retrograd.nn and torch.nn.__name__ == "torch.nn"
retrograd.uninstall(); retrograd.uninstall()
assert retrograd.nn.__name__ == "retrograd.nn"
import sys
assert not [n for n in sys.modules if n.split(".")[0] == "torch"]
sys.path.insert(0, "other")
import torch
assert torch.REAL
retrograd.install()
"""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "torch.py").write_text("REAL = True\n")
    status, _, errors = execute([sys.executable, "-c", code], tmp_path)
    last = errors.splitlines()[-1]
    assert status == 1
    assert last.startswith("ImportError: torch is already imported from ") and "torch.py" in last


def test_classes_and_functions_have_pytorchs_names(tmp_path):
    """Printed, pickled, found again by inspect; those loaded after the start, too."""
    code = """
import retrograd
retrograd.install()
import inspect, pickle
import torch
import torch.distributions, torch.utils.data
from torch.nn.utils import parametrizations
for cls in (torch.nn.Linear, torch.nn.MultiheadAttention, torch.nn.Parameter, torch.optim.Adam,
            torch.optim.Muon, torch.optim.lr_scheduler.LRScheduler, torch.distributions.Normal,
            torch.distributions.ExpTransform, torch.utils.data.DataLoader):
    print(cls)
assert inspect.getsource(torch.nn.Linear).startswith("class Linear(")
model = torch.nn.TransformerEncoderLayer(8, 2, dropout=0.0)
assert all(type(m).__module__.startswith("torch.nn.") for m in model.modules())
assert b"retrograd.nn.modules" not in pickle.dumps(model)
copy = pickle.loads(pickle.dumps(model))
assert type(copy) is torch.nn.TransformerEncoderLayer
assert torch.equal(copy(torch.ones(2, 1, 8)), model(torch.ones(2, 1, 8)))
for function in (torch.save, torch.nn.functional.gelu, torch.nn.init.xavier_uniform_,
                 torch.nn.utils.rnn.pad_sequence, torch.autograd.grad, torch.relu,
                 torch.special.digamma):
    print(function.__module__)
    assert pickle.loads(pickle.dumps(function)) is function
for call in (lambda: torch.nn.functional.gelu("a"), lambda: torch.nn.functional.dropout("a", 0.5)):
    try:
        call()
    except TypeError as error:
        print(error)
retrograd.uninstall()
print(torch.save.__module__, torch.nn.functional.gelu.__module__, torch.relu.__module__,
      torch.special.digamma.__module__)
print(retrograd.nn.Linear, retrograd.optim.Muon, retrograd.distributions.ExpTransform)
"""
    status, output, errors = execute([sys.executable, "-c", code], tmp_path)
    assert (status, errors) == (0, "")
    assert output.splitlines() == [
        "<class 'torch.nn.modules.linear.Linear'>",
        "<class 'torch.nn.modules.activation.MultiheadAttention'>",
        "<class 'torch.nn.parameter.Parameter'>",
        "<class 'torch.optim.adam.Adam'>",
        "<class 'torch.optim.Muon'>",
        "<class 'torch.optim.lr_scheduler.LRScheduler'>",
        "<class 'torch.distributions.normal.Normal'>",
        "<class 'torch.distributions.transforms.ExpTransform'>",
        "<class 'torch.utils.data.dataloader.DataLoader'>",
        "torch.serialization", "torch.nn.functional", "torch.nn.init",
        "torch.nn.utils.rnn", "torch.autograd", "torch", "torch.special",
        "gelu(): argument 'input' (position 1) must be Tensor, not str",
        "dropout(): argument 'input' (position 1) must be Tensor, not str",
        "retrograd.serialization retrograd.nn.functional retrograd retrograd.special",
        "<class 'retrograd.nn.modules.linear.Linear'> <class 'retrograd.optim._muon.Muon'> "
        "<class 'retrograd.distributions._pointwise.ExpTransform'>",
    ]


def test_functions_that_have_pytorchs_names_take_subclasses(tmp_path):
    """Tensor's own __torch_function__ tells them from functions of PyTorch itself."""
    code = """
import torch
class Own(torch.Tensor):
    pass
x = torch.ones(2).as_subclass(Own).requires_grad_()
print(type(torch.autograd.grad(x.sum(), x)[0]).__name__)
torch.autograd.backward(x.sum())
print(type(torch.nn.functional.relu(x)).__name__, x.grad.tolist())
"""
    path = tmp_path / "subclass.py"
    path.write_text(code)
    status, output, errors = execute([*RUN, str(path)], tmp_path)
    assert (status, output, errors) == (0, "Own\nOwn [1.0, 1.0]\n", "")


@pytest.mark.parametrize("command", ["run", "graph"])
def test_a_traceback_shows_the_lines_of_the_program(command, tmp_path, monkeypatch):
    """Also of an error that comes from another; all frames are shown to whoever asks for them."""
    (tmp_path / "program.py").write_text(
        "import torch\n"
        "class Net(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        return torch.ones(2, 3) @ x\n"
        "def step(x):\n"
        "    try:\n"
        "        return Net()(x)\n"
        "    except RuntimeError as error:\n"
        "        raise ValueError('step failed') from error\n"
        "step(torch.ones(2, 4))\n")
    program = [sys.executable, "-m", "retrograd", command, "program.py"]
    package = os.path.dirname(retrograd.__file__)
    monkeypatch.delenv("RETROGRAD_TRACEBACK", raising=False)
    status, _, errors = execute(program, tmp_path)
    assert status == 1 and package not in errors
    frames = [line.strip().partition(", ")[2] for line in errors.splitlines()
              if line.startswith("  File ")]
    assert frames == ["line 7, in step", "line 4, in forward", "line 10, in <module>",
                      "line 9, in step"]
    monkeypatch.setenv("RETROGRAD_TRACEBACK", "full")
    assert package in execute(program, tmp_path)[2]


@pytest.mark.parametrize("line, said", [
    ("torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD([torch.ones(1)])).step()",
     "Cure: `scheduler.step(loss)`, with the loss of the validation, once in each epoch."),
    ("torch.ones(2, dtype=torch.int64).div_(2)", "`a = a / n` instead of `a /= n`."),
    ("raise ValueError('of the program')", None),
    ("import nowhere", None)])
def test_an_error_that_says_nothing_itself_gets_the_doctors_cure(line, said, tmp_path):
    status, _, errors = execute([*RUN, "-"], tmp_path, f"import torch\n{line}\n")
    assert status == 1
    assert errors.rstrip().endswith(said) if said else "Cure" not in errors
    if said:
        (tmp_path / "program.py").write_text(f"import torch\n{line}\n")
        doctor = [sys.executable, "-m", "retrograd", "doctor", "program.py"]
        assert "Cure" not in execute(doctor, tmp_path)[2]         # it stands in the report


def test_a_traceback_from_a_worker_shows_the_lines_of_the_program(tmp_path):
    (tmp_path / "program.py").write_text(
        "import torch\n"
        "class Samples(torch.utils.data.Dataset):\n"
        "    def __len__(self):\n"
        "        return 2\n"
        "    def __getitem__(self, i):\n"
        "        return torch.ones(1)[i]\n"
        "if __name__ == '__main__':\n"
        "    list(torch.utils.data.DataLoader(Samples(), num_workers=1))\n")
    status, _, errors = execute([*RUN, "program.py"], tmp_path)
    frames = [line.strip().partition(", ")[2] for line in errors.splitlines()
              if line.startswith("  File ")]
    assert (status, frames) == (1, ["line 8, in <module>", "line 6, in __getitem__"])
    assert "index 1 is out of bounds for dimension 0 with size 1" in errors


def test_a_traceback_leaves_out_contextlib_only_where_this_package_called_it(tmp_path):
    (tmp_path / "program.py").write_text(
        "import contextlib\n"
        "import torch\n"
        "@contextlib.contextmanager\n"
        "def opened(path):\n"
        "    yield torch.load(path)\n"
        "with opened('nowhere.pt'):\n"
        "    pass\n")
    status, _, errors = execute([*RUN, "program.py"], tmp_path)
    frames = [line.strip().partition(", ")[2] for line in errors.splitlines()
              if line.startswith("  File ")]
    assert status == 1 and [frame.rpartition(" ")[2] for frame in frames] == [
        "<module>", "__enter__", "opened"]


def test_graph_says_nothing_below_an_error(tmp_path):
    for text in ("import nowhere_at_all\n", "def f(:\n    pass\n", "raise KeyboardInterrupt\n"):
        (tmp_path / "program.py").write_text(text)
        command = [sys.executable, "-m", "retrograd", "graph", "program.py"]
        errors = execute(command, tmp_path)[2]
        assert "Error" in errors or "KeyboardInterrupt" in errors
        assert "nothing to draw" not in errors
    (tmp_path / "program.py").write_text("import sys; sys.exit(3)\n")
    status, _, errors = execute(command, tmp_path)
    assert status == 3 and "nothing to draw" in errors


def test_an_unknown_option_shows_the_usage_of_its_command(tmp_path):
    for command in ("run", "doctor", "graph", "warmup"):
        status, _, errors = execute(
            [sys.executable, "-m", "retrograd", command, "--bogus", "x.py"], tmp_path)
        assert status == 2 and errors.startswith(f"usage: retrograd {command} [-h]")
        assert f"retrograd {command}: error: unrecognized arguments: --bogus" in errors
    status, _, errors = execute([sys.executable, "-m", "retrograd", "--bogus", "run", "x.py"],
                                tmp_path)
    assert status == 2 and errors.startswith("usage: retrograd [-h] [--version] COMMAND")


def test_command_line(tmp_path):
    api, own = retrograd.__version__.split("+retrograd.")
    found = execute([sys.executable, "-m", "retrograd", "--version"], tmp_path)
    assert found == (0, f"retrograd {own} (API of PyTorch {api})\n", "")
    status, text, _ = execute([*RUN, "--help"], tmp_path)
    assert status == 0 and "usage: retrograd run" in text
    status, text, _ = execute([sys.executable, "-m", "retrograd"], tmp_path)
    assert status == 0 and "usage: retrograd [-h]" in text and "doctor" in text
    status, _, errors = execute([*RUN], tmp_path)
    assert status == 2 and errors.endswith("the following arguments are required: SCRIPT\n")
    command = [sys.executable, "-m", "retrograd"]
    status, _, errors = execute([*command, "train.py", "--lr", "1"], tmp_path)
    assert status == 2 and errors.endswith("To run it: retrograd run train.py --lr 1\n")


def test_anomaly_mode_shows_the_frames_of_the_program_alone(tmp_path):
    (tmp_path / "p.py").write_text(
        "import torch\n"
        "with torch.autograd.detect_anomaly():\n"
        "    torch.zeros((), requires_grad=True).sqrt().mul(0).backward()\n")
    _, _, errors = execute([*RUN, "p.py"], tmp_path)
    _, shown = errors.split("Traceback of forward call that caused the error:\n", 1)
    assert shown.splitlines()[0].strip().startswith('File "')
    assert shown.splitlines()[0].endswith('p.py", line 3, in <module>')
