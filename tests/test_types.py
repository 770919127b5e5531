"""The stubs that type checkers and editors read name what is there."""

from __future__ import annotations

import ast
import inspect
import runpy
from pathlib import Path

import pytest

import retrograd
from retrograd.ops import bind

PACKAGE = Path(*retrograd.__path__)


def declared(place: str, owner: str | None = None):
    """The functions of a stub, or of a class in it, by name."""
    body = ast.parse((PACKAGE / place).read_text()).body
    if owner is not None:
        [body] = [node.body for node in body if isinstance(node, ast.ClassDef)]
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def names_of_parameters(node: ast.FunctionDef):
    a = node.args
    words = [*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg]
    return [word.arg for word in words if word is not None]


def public_functions(module):
    return {name for name, fn in vars(module).items()
            if inspect.isfunction(fn) and not name.startswith("_")}


STUBS = {
    "torch": (retrograd, declared("_declared.pyi"), bind.function_names()),
    "Tensor": (retrograd.Tensor, declared("_declared.pyi", "Methods"), set()),
    "nn.functional": (retrograd.nn.functional, declared("nn/functional.pyi"),
                      public_functions(retrograd.nn.functional)),
    **{name: (home := getattr(retrograd, name), declared(f"{name}.pyi"),
              set(dir(home)) - {"LinAlgError"}) for name in ("linalg", "fft", "special")},
}


@pytest.mark.parametrize("where", STUBS)
def test_stubs_have_the_functions_with_their_parameters(where):
    home, stubs, expected = STUBS[where]
    missing = {name for name in expected - stubs.keys() if not name.startswith("_")}
    assert not missing, "run tools/stubs.py"
    for name, node in stubs.items():
        fn = getattr(home, name)
        if isinstance(fn, property):
            continue
        parameters = list(inspect.signature(fn).parameters)
        skipped = 1 if where == "Tensor" else 0        # self, whatever the function calls it
        assert names_of_parameters(node)[skipped:] == parameters[skipped:], f"{where}.{name}"


def test_stubs_know_the_methods():
    bound = {name for name, fn in vars(retrograd.Tensor).items()
             if inspect.isfunction(fn) and not name.startswith("_")}
    written = {node.name for node in ast.walk(ast.parse((PACKAGE / "_tensor.py").read_text()))
               if isinstance(node, ast.FunctionDef)}
    assert bound <= written | STUBS["Tensor"][1].keys()


def test_stubs_are_not_written_without_the_sources_of_pytorch(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="install PyTorch, too"):
        runpy.run_path(str(Path(__file__).parents[1] / "tools" / "stubs.py"), run_name="__main__")


def test_sizes_are_ints_to_a_type_checker():
    assert retrograd.Size.__orig_bases__ == (tuple[int, ...],)
    assert inspect.signature(retrograd.Size.__add__).return_annotation == "Size"
