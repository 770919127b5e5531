"""Write the stubs that type checkers and editors read: of what is bound at import or found later.

Names, parameters and first lines of docstrings are retrograd's own; what a function returns is
looked up in the sources of the PyTorch that is installed beside it. Parameters are Any: what may be
passed is decided where it is read. Run it after entering a public function:

    python tools/stubs.py
"""

from __future__ import annotations

import ast
import inspect
from importlib.util import find_spec
from pathlib import Path

import retrograd
from retrograd.ops import bind, facts, transpose
from retrograd.ops.declare import REGISTRY
from retrograd.ops.public import ALIASES, METHODS

HEAD = '''"""For type checkers and editors, written by tools/stubs.py from what is there."""

# ruff: noqa
from builtins import bool as _bool, float as _float, int as _int
from typing import Any
'''
# PyTorch's spelling -> ours; what is not here is Any
RETURNS = {"Tensor": "Tensor", "Self": "Tensor", "_dtype": "dtype",
           "_size": "Size", "_bool": "_bool", "bool": "_bool", "_int": "_int", "int": "_int",
           "_float": "_float", "float": "_float",      # here bool, int and float are dtypes
           **{f"{kind}[{rest}]": f"tuple[{rest}]" for kind in ("tuple", "Tuple")
              for rest in ("Tensor, ...", "Tensor, Tensor", "Tensor, Tensor, Tensor")}}
OWN = {
    "._attributes": "Size device layout memory_format strided sparse_coo sparse_csr sparse_csc "
                    "sparse_bsr sparse_bsc jagged contiguous_format preserve_format channels_last "
                    "channels_last_3d",
    "._dtype": "dtype finfo iinfo can_cast promote_types get_default_dtype set_default_dtype",
    "._tensor": "Tensor",
    ".autograd.grad_mode": "enable_grad inference_mode is_grad_enabled is_inference_mode_enabled "
                           "no_grad set_grad_enabled",
}
# functions that PyTorch's stubs leave out, or annotate with no type
TENSORS = dict.fromkeys((
    "block_diag", "cdist", "celu", "chain_matmul", "combinations", "contiguous", "isin",
    "logsigmoid", "softsign", "sum_to_size", "tanhshrink", "tensordot", "threshold",
    "view_as_real"), {"Tensor"})
FAMILIES = ("linalg", "fft", "special")
SEVERAL = ("cholesky_ex", "eig", "eigh", "inv_ex", "ldl_factor", "ldl_factor_ex", "lstsq", "lu",
           "lu_factor", "lu_factor_ex", "qr", "slogdet", "solve_ex", "svd")


def returned(place: str, owner: str | None = None) -> dict[str, set[str]]:
    """The return annotations of the functions in a file of PyTorch, or of a class in it."""
    torch = find_spec("torch")
    if torch is None or torch.submodule_search_locations is None:
        raise SystemExit("install PyTorch, too: its sources say what functions return")
    [folder] = torch.submodule_search_locations
    body = ast.parse(Path(folder, place).read_text()).body
    if owner is not None:
        [body] = [node.body for node in body if isinstance(node, ast.ClassDef)
                  and node.name == owner]
    found: dict[str, set[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            text = ast.unparse(node.returns).strip("'")
            found.setdefault(node.name, set()).add(RETURNS.get(text, "Any"))
    return found


def result(name: str, *places: dict[str, set[str]]) -> str:
    """What `name` returns by the first of `places` that has it; Any where overloads differ."""
    for found in places:
        if name in found:
            return next(iter(found[name])) if len(found[name]) == 1 else "Any"
    return "Tensor" if name.endswith("_") else "Any"


def parameters(fn, method: bool) -> str:
    """A signature's parameters; the first of a method is self, defaults are shown if short."""
    words, kinds = [], []
    for k, p in enumerate(inspect.signature(fn).parameters.values()):
        if p.kind is p.KEYWORD_ONLY and not {p.KEYWORD_ONLY, p.VAR_POSITIONAL} & set(kinds):
            words.append("*")
        kinds.append(p.kind)
        if method and k == 0:
            words.append("self")
            continue
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        word = f"{star}{p.name}: Any"
        if p.default is not p.empty:
            simple = p.default is None or isinstance(p.default, (bool, int, float, str))
            word += f" = {p.default!r}" if simple and p.default == p.default else " = ..."
        words.append(word)
    return ", ".join(words)


def stub(name: str, fn, returns: str, method=False) -> list[str]:
    """A function's lines: its head, and the first line of its docstring."""
    lines = [f"def {name}({parameters(fn, method)}) -> {returns}:"]
    summary = (inspect.getdoc(fn) or "").partition("\n")[0].replace('"""', "'''")
    return [*lines, f'    r"""{summary}"""' if summary else "    ..."]


def names() -> list[str]:
    """The package's own names and those of its other modules, and its dtypes."""
    found = {name: f".{module}" for name, module in bind.ELSEWHERE.items()}
    found |= {name: "." for name in retrograd._SUBMODULES if find_spec(f"retrograd.{name}")}
    for module, own in OWN.items():
        found |= dict.fromkeys(own.split(), module)
    dtypes = [name for name, value in vars(retrograd).items() if isinstance(value, retrograd.dtype)]
    return [*(f"from {module} import {name} as {name}" for name, module in sorted(found.items())
              if not name.startswith("_")),
            "", *(f"{name}: dtype" for name in sorted(dtypes))]


def functions() -> list[str]:
    known = TENSORS, returned("_C/_VariableFunctions.pyi"), returned("functional.py")
    lines = []
    for name in sorted(bind.function_names()):
        lines += stub(name, bind.function(name), result(name, *known))
    return lines


def methods() -> list[str]:
    known = TENSORS, returned("_C/__init__.pyi", "TensorBase"), returned("_tensor.py", "Tensor")
    bound = {*METHODS, *ALIASES, *(op.name for op in REGISTRY.values() if op.public is True),
             *(op.name + "_" for op in REGISTRY.values() if op.public and op.inplace),
             "backward", "register_hook", "register_post_accumulate_grad_hook"}
    lines = ["class Methods:"]
    for name in sorted(bound):
        if not name.startswith("__"):
            fn = getattr(retrograd.Tensor, name)
            lines += ["    " + line for line in stub(name, fn, result(name, *known), True)]
    for name in (*transpose.PROPERTIES, *facts.PROPERTIES):
        returns = "Tensor" if name in transpose.PROPERTIES else "_int"
        lines += ["    @property", f"    def {name}(self) -> {returns}: ..."]
    return lines


def nn_functional() -> list[str]:
    known = TENSORS, returned("nn/functional.py"), returned("_C/_nn.pyi"), \
        returned("_C/_VariableFunctions.pyi")
    lines = []
    for name, fn in sorted(vars(retrograd.nn.functional).items()):
        if inspect.isfunction(fn) and not name.startswith("_"):
            either = "return_indices" in inspect.signature(fn).parameters
            lines += stub(name, fn, "Any" if either else result(name, *known))
    return lines


def family(name: str) -> list[str]:
    """The functions of torch.linalg and the like; those with several results return named ones."""
    home = getattr(retrograd, name)
    found = {other: getattr(home, other) for other in dir(home) if not other.startswith("_")}
    lines = ["from retrograd import Tensor"]
    if name == "linalg":
        lines += ["from retrograd.kernels.linalg import LinAlgError as LinAlgError"]
    for other, fn in found.items():
        if inspect.isfunction(fn):
            lines += stub(other, fn, "Any" if other in SEVERAL else "Tensor")
    return lines


def write(place: str, *parts: list[str]) -> None:
    """A stub file of the package: the head, then the parts, a blank line between them."""
    text = "\n".join([HEAD, *("\n".join([*part, ""]) for part in parts)])
    Path(*retrograd.__path__, place).write_text(text)


if __name__ == "__main__":
    write("_declared.pyi", names(), methods(), functions())
    write("nn/functional.pyi", ["from retrograd import Tensor"], nn_functional())
    for name in FAMILIES:
        write(f"{name}.pyi", family(name))
