"""The examples learn, and their losses are PyTorch's (recorded by tests/record/curves.py)."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest

from comparing import EXAMPLES, load, run_example, torch_is_retrograd

CURVES = load("curves.json")


@pytest.mark.parametrize("name", CURVES)
def test_first_losses(name):
    with torch_is_retrograd():
        losses = run_example(name, len(CURVES[name]))
    np.testing.assert_allclose(losses, CURVES[name], rtol=0, atol=1e-4)


def test_every_example_is_compared():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == CURVES.keys()


@pytest.mark.parametrize("name", ["vae", "wgan_gp", "pinn", "maml"])
def test_pictures_are_drawn(name, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    with torch_is_retrograd(), contextlib.redirect_stderr(io.StringIO()):
        main = runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]
        main(None if name == "vae" else 2, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000


def test_digits_are_learnt():
    command = [sys.executable, "-m", "retrograd", "run", str(EXAMPLES / "digits.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    right, of = map(int, re.search(r"(\d+) of (\d+) held-out", done.stdout).groups())
    seconds = float(re.search(r"in ([\d.]+) s", done.stdout).group(1))
    assert of == 360 and right / of >= 0.97
    assert seconds < 20
