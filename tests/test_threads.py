"""set_num_threads reaches NumPy's own threads; torch.compile returns what it is given.

Threads of the program share a few counters.
"""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path

import pytest

import retrograd as torch
from retrograd._state import features


def test_threads_are_set_and_read():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
    torch.set_num_interop_threads(3)
    assert torch.get_num_interop_threads() == 3


@pytest.mark.parametrize(
    "number, message", [(0, "a positive integer"), (2.5, "an int, but got float")]
)
def test_refused_numbers(number, message):
    for name in "set_num_threads", "set_num_interop_threads":
        with pytest.raises(RuntimeError, match=f"{name} expects {message}"):
            getattr(torch, name)(number)


def test_compile_is_the_identity():
    def double(x):
        return x * 2

    with pytest.warns(UserWarning, match="without compiling"):
        torch.set_warn_always(True)
        assert torch.compile(double) is double
    torch.set_warn_always(False)
    assert torch.compile(disable=True)(double) is double
    assert not torch.compiler.is_compiling()


def test_switches_that_all_threads_share_come_back_to_where_they_were():
    """Threads enter and leave modes at the same time; a lost update would leave one on for good."""
    interval = sys.getswitchinterval()
    before = features.recording, features.creation_modes, features.vmap, features.dual
    through = torch.autograd.graph.saved_tensors_hooks

    def work():
        x = torch.ones(3, requires_grad=True)
        for _ in range(30):
            with through(lambda t: t, lambda t: t), torch.inference_mode():
                pass
            torch.func.vmap(torch.func.grad(lambda a: a * a))(torch.ones(2))
            (x * x).sum().backward()

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(interval)
    assert (features.recording, features.creation_modes, features.vmap, features.dual) == before
    assert not features.paused


def test_counters_are_changed_under_their_lock():
    """A call on the right of a += is enough for another thread to come in between."""
    package = Path(torch.__file__).parent
    bare = [f"{path.name}: {line.strip()}" for path in package.rglob("*.py")
            for line in path.read_text(encoding="utf-8").splitlines()
            if re.search(r"features\.\w+ [+-]=", line)]
    assert not bare
