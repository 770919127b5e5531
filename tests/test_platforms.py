"""Systems that are not this one: what Windows and a browser's Python do not have is not needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True,
                            text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT / "src")})
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
