"""Random and creation functions, line by line: PyTorch's values, errors and warnings."""

from __future__ import annotations

import json
import warnings

import pytest

import retrograd as torch
from expressions import DATA, SETS, lines, outcome

pytest.importorskip("ml_dtypes")
RECORDED = {name: json.loads((DATA / f"{name}_expressions.json").read_text()) for name in SETS}
CASES = [(name, line) for name in SETS for line in lines(name)]


@pytest.fixture(autouse=True)
def every_warning():
    torch.set_warn_always(True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.ones(1).storage()          # its deprecation is told once, whatever is set
    yield
    torch.set_warn_always(False)


@pytest.mark.parametrize("name, line", CASES, ids=[line for _, line in CASES])
def test_line_has_the_recorded_outcome(name, line):
    assert outcome(torch, line, name) == RECORDED[name][line]
