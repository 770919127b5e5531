"""README's table of what is covered says no more than what is there."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import retrograd
from comparing import load

NAMES = load("surface.json")
OFFERED = load("offered.json")
README = (Path(__file__).parents[1] / "README.md").read_text()
CLAIMS = re.findall(r"^\| `(torch[\w.]*)` \| (\d+) of (\d+) \|", README, re.MULTILINE)


def present(namespace):
    """The names of PyTorch's namespace that retrograd's has too."""
    path = namespace.replace("torch", "retrograd", 1)
    if namespace == "torch.Tensor":
        from retrograd import Tensor as found
    else:
        try:
            found = importlib.import_module(path)
        except ModuleNotFoundError as missing:
            if missing.name != path:
                raise
            return []
    return [name for name in NAMES[namespace] if hasattr(found, name)]


@pytest.mark.parametrize("namespace, claimed, of", CLAIMS)
def test_the_claim_holds(namespace, claimed, of):
    assert len(NAMES[namespace]) == int(of)
    assert len(present(namespace)) >= int(claimed)


def test_every_namespace_is_in_the_table():
    assert {namespace for namespace, _, _ in CLAIMS} == NAMES.keys()


@pytest.mark.parametrize("name", sorted(OFFERED.keys() - {"torch"}))
def test_import_star_gives_what_pytorchs_gives(name):
    """Of the names that are here; and nothing else."""
    module, found = importlib.import_module(name.replace("torch", "retrograd", 1)), {}
    exec(f"from {module.__name__} import *", found)
    assert found.keys() - {"__builtins__"} == {n for n in OFFERED[name] if hasattr(module, n)}


def test_import_star_gives_what_torchs_gives():
    """In a process of its own: dtypes, constants, functions, and what other modules lend torch."""
    code = "from retrograd import *; print(*globals())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = {n for n in run.stdout.split() if not n.startswith("__")}
    assert found == {n for n in OFFERED["torch"] if hasattr(retrograd, n)}


def test_the_number_of_situations_in_the_table():
    (claim,) = re.findall(r"^\| situations in which .* \| (\d+) of \1 \|", README, re.MULTILINE)
    assert int(claim) == len(load("messages.json").keys() - {"torch"})       # the version


def _keywords(real):
    """{name: the names of a method's parameters}, of the operators that PyTorch dispatches."""
    found = {}
    for schema in real._C._jit_get_all_schemas():
        name, names = schema.name.removeprefix("aten::"), {a.name for a in schema.arguments}
        try:
            real._C._dispatch_find_schema_or_throw(schema.name, schema.overload_name)
        except RuntimeError:            # an operator of TorchScript's numbers and lists
            continue
        if "Dimname" not in str(schema) and not any(a.is_out for a in schema.arguments):
            found.setdefault(name, set()).update(names - {"self"})
    return found


NOT_TAKEN = {"bmm": {"out_dtype"}, "mm": {"out_dtype"}, "baddbmm": {"out_dtype"},
             "addmm": {"out_dtype"}, "uniform_": {"from"}, "log_normal_": {"from"},
             "orgqr": {"input2"}, "ormqr": {"input2", "input3"}, "resize": {"size"},
             "resize_as": {"the_template"},
             "to": {"other"}}           # PyTorch does not take this one either: it says "tensor"
OPTIONS = {"generator", "layout", "dtype", "device", "pin_memory", "memory_format", "non_blocking"}


@pytest.mark.live
def test_methods_take_pytorchs_keywords():
    wanted = _keywords(pytest.importorskip("torch"))
    wrong = {}
    for name in NAMES["torch.Tensor"]:
        method = getattr(retrograd.Tensor, name, None)
        if name in wanted and not name.startswith("_") and callable(method):
            parameters = inspect.signature(method).parameters.values()
            if not any(p.kind is p.VAR_KEYWORD for p in parameters):
                taken = {p.name for p in parameters if p.kind is not p.VAR_POSITIONAL}
                missing = wanted[name] - taken - OPTIONS
                if missing := missing - NOT_TAKEN.get(name, set()):
                    wrong[name] = missing
    assert not wrong


def _public_methods(cls):
    return {name: fn for name, fn in vars(cls).items()
            if inspect.isfunction(fn) and (not name.startswith("_") or name == "__init__")}


@pytest.mark.live
@pytest.mark.parametrize("home", ["distributions", "distributions.constraints", "nn", "optim",
                                  "optim.lr_scheduler"])
def test_methods_of_classes_have_pytorchs_parameters(home):
    pytest.importorskip("torch")
    real = importlib.import_module(f"torch.{home}")
    ours = importlib.import_module(f"retrograd.{home}")
    wrong = {}
    for name, cls in inspect.getmembers(real, inspect.isclass):
        if name.startswith("_") and home != "distributions.constraints":
            continue
        for method, theirs in _public_methods(cls).items():
            found = getattr(getattr(ours, name, None), method, None)
            if found is not None:
                parameters = list(inspect.signature(found).parameters)
                if parameters != list(inspect.signature(theirs).parameters):
                    wrong[f"{name}.{method}"] = parameters
    assert not wrong
