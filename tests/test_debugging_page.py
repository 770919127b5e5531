"""docs/debugging.md: each program does what the page says, to the letter.

A python block is a program, named in its first line. The text block that follows is what it ends
with: the error or warning of a wrong.py, else what it prints, or the report of the doctor. A
right.py must neither fail nor warn.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from comparing import torch_is_retrograd
from retrograd.debug.doctor import Doctor

PAGE = Path(__file__).parents[1] / "docs" / "debugging.md"
BLOCK = re.compile(r"^```python\n# (\w+\.py)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
SECTIONS = re.split(r"^## ", PAGE.read_text(), flags=re.M)[1:]


def run(file, source):
    """(what a program printed, its error or first warning), under retrograd."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    printed, problem = io.StringIO(), ""
    with (torch_is_retrograd(), contextlib.redirect_stdout(printed),
          warnings.catch_warnings(record=True) as caught):
        warnings.simplefilter("always")
        try:
            exec(compile(source, file, "exec", dont_inherit=True), {"__name__": "__main__"})
        except RuntimeError as error:
            problem = f"RuntimeError: {error}"
    for warning in caught:
        problem = problem or f"{warning.category.__name__}: {warning.message}"
    return printed.getvalue(), problem


def outcome(file, source, expected):
    """What the text block below a program should say."""
    source = f"# {file}\n{source}"
    if expected.startswith("$ retrograd doctor"):
        with Doctor(file) as doctor:
            run(file, source)
        return f"$ retrograd doctor {file}\n{doctor.report}\n"
    if "debug.memory()" in source:           # it would see what other tests keep alive
        return in_a_process_of_its_own(file, source)
    printed, problem = run(file, source)
    assert file == "wrong.py" or not problem, problem
    return f"{problem}\n" if problem else printed


def in_a_process_of_its_own(file, source):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / file).write_text(source)
        command = [sys.executable, "-m", "retrograd", "run", file]
        done = subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("section", SECTIONS, ids=lambda text: text.split("\n")[0])
def test_each_program_prints_what_stands_below_it(section):
    blocks = list(BLOCK.finditer(section))
    assert {block[1] for block in blocks} >= {"wrong.py", "right.py"}
    for block in blocks:
        file, source, expected = block.groups(default="")
        assert outcome(file, source, expected) == expected


def test_the_page_has_ten_sections():
    assert [section.split(".")[0] for section in SECTIONS] == [str(n) for n in range(1, 11)]
