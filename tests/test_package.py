"""The package as a whole: what importing it brings in, which way imports point, its examples."""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import os
import re
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import retrograd
from retrograd import _blas
from retrograd.ops.declare import REGISTRY
from retrograd.ops.manual import MANUAL
from retrograd.ops.public import FUNCTIONS, METHODS

SOURCE = Path(__file__).parents[1] / "src"
FILES = sorted(SOURCE.glob("retrograd/**/*.py"))
EXTRAS = {"numba", "llvmlite", "scipy", "ml_dtypes", "safetensors", "tqdm", "quickjs"}


ON_IMPORT = ("__main__", "_install_on_import")         # what runs, or installs, when imported


def test_every_module_can_be_imported():
    """Also those that nothing imports but a program that asks for them."""
    for path in FILES:
        if path.stem not in ON_IMPORT:
            name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)
                import_module(name.removesuffix(".__init__"))


@pytest.mark.parametrize("own", [None, "9"])
def test_blas_is_told_what_the_environment_does_not_say(monkeypatch, own):
    """OpenBLAS reads its variables while NumPy is imported; they are there no longer than that."""
    seen, name = [], "OPENBLAS_THREAD_TIMEOUT"
    monkeypatch.delenv("RETROGRAD_KEEP_BLAS", raising=False)
    monkeypatch.delenv(name, raising=False)
    if own is not None:
        monkeypatch.setenv(name, own)
    before, real = dict(os.environ), builtins.__import__
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, "numpy")
        patch.setattr(builtins, "__import__", lambda module, *rest: seen.append(
            os.environ.get(name)) if module == "numpy" else real(module, *rest))
        _blas.import_numpy()
    assert seen == [own or _blas.WAIT] and os.environ == before


def test_import_brings_numpy_alone():
    code = "import retrograd, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    command = [sys.executable, "-W", "error", "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    foreign = set(loaded) - set(sys.stdlib_module_names) - {"retrograd", "numpy"}
    assert not foreign & (EXTRAS | {"torch", "pytest"})


def test_functions_are_pickled_where_there_is_no_torch():
    code = """if 1:
        import sys; sys.modules["torch"] = None
        import pickle, retrograd
        for f in (retrograd.cat, retrograd.sin, retrograd.multiply, retrograd.special.entr,
                  retrograd.nn.functional.relu, retrograd.linalg.norm):
            assert pickle.loads(pickle.dumps(f)) is f
        del sys.modules["torch"]
        retrograd.install()
        print(retrograd.cat.__module__, retrograd.sin.__module__, retrograd.exp.__module__)
    """
    command = [sys.executable, "-W", "error", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "torch torch torch\n"


def notes(text: str) -> set[str]:
    """The notes that a text holds, not those that it points at: NOTE [name] begins their line."""
    return set(re.findall(r"^[ #\"]*NOTE \[([^\]]+)\](?! in | of |[.,:)])", text, re.M))


def test_notes_are_where_the_source_and_the_pages_say():
    texts = {path: path.read_text() for path in FILES}
    held = {path: notes(text) for path, text in texts.items()}
    pages = [path.read_text() for path in (SOURCE.parents[0] / "docs").glob("*.md")]
    for text in (*texts.values(), *pages):
        for name, file in re.findall(r"NOTE \[([^\]]+)\](?: in `?([\w/]+\.py))?", text):
            files = [path for path in held if name in held[path] and str(path).endswith(file)]
            assert files, f"NOTE [{name}] is not to be found" + f" in {file}" * bool(file)


def docstrings(path: Path):
    """(name, line, text) of every docstring of a file, private ones too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield getattr(node, "name", path.stem), node.body[0].lineno - 1, text


@pytest.mark.parametrize(
    "path", [path for path in FILES if ">>> " in path.read_text()],
    ids=lambda path: str(path.relative_to(SOURCE)))
def test_docstring_examples(path, monkeypatch):
    """Each example stands alone: what a reader pastes into a session prints what stands there."""
    for module in [m for m in sys.modules if m == "torch" or m.startswith("torch.")]:
        monkeypatch.delitem(sys.modules, module)         # PyTorch, imported by an earlier test
    for name, line, text in docstrings(path):
        run_example(text, name, str(path), line)


def test_docstring_examples_of_functions_made_in_loops():
    """conv2d, float(), new_zeros() ...: their docstrings stand in no source file as they are."""
    public = filter(inspect.isfunction, [*FUNCTIONS.values(), *METHODS.values(),
                                         *vars(retrograd.fft).values()])
    made = {fn.__name__: fn.__doc__ for fn in public if ">>> " in (fn.__doc__ or "")
            and f"def {fn.__name__}(" not in inspect.getsource(inspect.unwrap(fn))}
    assert made.keys() > {"conv2d", "float", "new_zeros", "fft2"}
    made.pop("bfloat16")                     # needs an extra
    for name, text in made.items():
        run_example(text, name, f"<help of {name}>", 0)


def test_every_public_function_has_an_example():
    """Those that only raise have none."""
    silent = {name for functions in (FUNCTIONS, METHODS) for name, fn in functions.items()
              if inspect.isfunction(fn) and name[0] != "_" and ">>> " not in (fn.__doc__ or "")
              and not (fn.__doc__ or "").startswith("Raises ")}
    assert not silent


DOCUMENTED = ("nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.rnn", "nn.utils.prune",
              "nn.utils.parametrize", "nn.utils.parametrizations", "nn.modules.module", "func",
              "optim", "optim.optimizer", "optim.lr_scheduler", "optim.swa_utils", "distributions",
              "linalg", "fft", "autograd", "autograd.functional", "autograd.forward_ad",
              "autograd.graph", "autograd.grad_mode", "amp", "debug", "viz", "compiler", "hub",
              "multiprocessing", "profiler", "utils.benchmark", "utils._pytree", "utils.data",
              "utils.data.datapipes.iter", "utils.data.datapipes.map", "jit",
              "distributions.constraints", "nn.attention.flex_attention")


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_name_that_a_module_offers_has_an_example(name):
    """Old names say instead what the new one is."""
    module = import_module(f"retrograd.{name}")
    names = getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]
    public = [value for value in (getattr(module, n) for n in names if n[0] != "_")
              if (inspect.isfunction(value) or inspect.isclass(value))
              and value.__module__.startswith(("retrograd", "torch"))
              and value.__name__[0] != "_" and value is not retrograd.linalg.LinAlgError]
    assert len(public) > 2
    old = re.compile(r"The (old|deprecated) name of |Raises ")
    assert not {value.__name__ for value in public if ">>> " not in (value.__doc__ or "")
                and not old.match(value.__doc__ or "")}


def test_activations_and_losses_say_what_shapes_they_take():
    modules = retrograd.nn.modules
    layers = {*modules.activation.__all__, *modules.loss.__all__} - {"NLLLoss2d"}
    assert not {n for n in layers if not re.search(r"\((\*|N)[,)]", getattr(modules, n).__doc__)}


@pytest.mark.parametrize("name", ["distributions", "distributions.transforms", "optim.lr_scheduler",
                                  "utils.data.datapipes.iter", "utils.data.datapipes.map"])
def test_docstrings_of_classes_name_their_arguments(name):
    """But those that all of a module take."""
    module = import_module(f"retrograd.{name}")
    common = {"self", "cls", "args", "kwargs", "validate_args", "cache_size", "datapipe",
              "source_datapipe"}
    for kind in filter(inspect.isclass, (getattr(module, n) for n in module.__all__)):
        made = kind.__new__ if "__new__" in vars(kind) else kind.__init__
        arguments = inspect.signature(made).parameters.keys() - common
        assert arguments <= set(re.findall(r"\w+", kind.__doc__)), kind.__name__


def test_docstring_examples_of_properties():
    texts = {name: value.__doc__ for name, value in vars(retrograd.Tensor).items()
             if isinstance(value, property) and ">>> " in (value.__doc__ or "")}
    assert texts.keys() > {"T", "mT", "real", "imag", "shape", "grad"}
    for name, text in texts.items():
        run_example(text, name, f"<help of Tensor.{name}>", 0)


def run_example(text, name, file, line):
    report: list[str] = []
    # No local holds the example: what names variables by looking through frames would find it.
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        doctest.DocTestParser().get_doctest(text, {}, name, file, line), out=report.append)
    assert failed == 0, "".join(report)


def test_manual_has_the_declared_functions():
    declared = {op.name for op in REGISTRY.values()
                if op.in_special or op.public and op.name not in FUNCTIONS}
    assert MANUAL.keys() == declared


@pytest.mark.parametrize("name", MANUAL)
def test_examples_of_declared_functions(name):
    home = retrograd.special if REGISTRY[name].in_special else retrograd
    run_example(getattr(home, name).__doc__, name, f"<help of {name}>", 0)


KINDS = {"bool": retrograd.bool, "integer": retrograd.int64, "half-precision": retrograd.float16,
         "floating": retrograd.float32, "complex": retrograd.complex64}


def refused_kinds(text):
    """{kind of dtype: error} of a docstring's "Raises RuntimeError for bool dtypes"."""
    named = {}
    for error, words in re.findall(r"(\w+Error) for ([\w -]+?)(?: dtypes| and (?=\w+Error))", text):
        meant = {kind for kind in KINDS if kind in words}
        meant |= {"half-precision"} if "floating" in meant else set()
        named |= dict.fromkeys(KINDS.keys() - meant if "all but" in words else meant, error)
    return named


@pytest.mark.parametrize("name", MANUAL)
def test_help_says_which_dtypes_are_refused(name):
    op = REGISTRY[name]
    function = getattr(retrograd.special if op.in_special else retrograd, name)
    values = {"threshold": 0, "value": 1} if name == "threshold" else {}
    refused = {}
    for kind, dtype in KINDS.items():
        try:
            function(*[retrograd.ones(2, 2, dtype=dtype)] * len(op.inputs), **values)
        except (NotImplementedError, RuntimeError) as error:
            refused[kind] = type(error).__name__
    assert refused_kinds(function.__doc__) == refused


@pytest.mark.parametrize("name", MANUAL)
def test_help_says_what_shape_and_dtype_a_result_has(name):
    op = REGISTRY[name]
    function = getattr(retrograd.special if op.in_special else retrograd, name)
    text, values = function.__doc__, {"threshold": 0, "value": 1} if name == "threshold" else {}
    for dtype in set(KINDS.values()) - {KINDS[kind] for kind in refused_kinds(text)}:
        x = retrograd.ones(2, 2, dtype=dtype)
        result = function(*[x] * len(op.inputs), **values)
        if "holds bools" in text:
            expected = retrograd.bool
        elif dtype == retrograd.bool and "bools become int64" in text:
            expected = retrograd.int64
        elif "Integers become" in text and not (dtype.is_floating_point or dtype.is_complex):
            expected = retrograd.float32
        elif dtype.is_complex and ("is real" in text or "(*, 2)" in text):
            expected = retrograd.float32
        else:
            expected = dtype
        assert result.dtype == expected
        assert "->" in text.partition(">>>")[0] or result.shape == x.shape


@pytest.mark.parametrize("name, kept", {
    "mul": "other for the gradient of input; input for the gradient of other",
    "hypot": ("input and result for the gradient of input; "
              "other and result for the gradient of other"),
    "exp": "result",
    "neg": "nothing"}.items())
def test_help_says_what_the_node_keeps(name, kept):
    assert f", keeps {kept}.\n" in getattr(retrograd, name).__doc__


@pytest.mark.parametrize("name", [name for name in MANUAL if REGISTRY[name].inplace])
def test_examples_of_declared_functions_in_place(name):
    run_example(REGISTRY[name].in_place.__doc__, name + "_", f"<help of {name}_>", 0)


def test_dir_names_what_is_imported_only_when_it_is_used():
    assert {"save", "manual_seed", "dropout", "vmap", "mul", "nn"} < set(dir(retrograd))
    assert {"data", "checkpoint", "swap_tensors"} < set(dir(retrograd.utils))
    assert {"utils", "Linear", "functional"} < set(dir(retrograd.nn))
    assert {"cuda", "mkldnn"} < set(dir(retrograd.backends))
    assert not {"import_module", "importlib", "Any"} & {
        *dir(retrograd.utils), *dir(retrograd.nn), *dir(retrograd.backends)}


@pytest.mark.parametrize("name, offered, internal", [
    ("autograd", {"backward", "Function", "gradcheck", "grad_mode"}, {"edge", "engine", "wrap"}),
    ("optim", {"SGD", "lr_scheduler", "swa_utils"}, {"adam", "import_module", "_rule"}),
    ("func", {"grad", "vmap"}, {"captured", "functools", "BATCHED"}),
    ("functional", {"einsum", "split"}, {"torch"}),
    ("nn.utils", {"parametrize", "fuse_conv_bn_eval", "rnn"}, {"import_module"}),
    ("debug", {"explain", "memory"}, {"lazy_names", "TYPE_CHECKING"}),
    ("viz", {"graph", "record"}, {"lazy_names", "TYPE_CHECKING"})])
def test_modules_offer_no_internals(name, offered, internal):
    """Neither by dir() nor by import *; what they offer is there."""
    module, imported = import_module(f"retrograd.{name}"), {}
    exec(f"from retrograd.{name} import *", imported)
    for names in (set(dir(module)), imported.keys()):
        assert offered < names and not internal & names
    assert all(hasattr(module, shown) for shown in dir(module))


def test_every_file_says_what_it_holds():
    silent = [str(path.relative_to(SOURCE)) for path in FILES
              if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))]
    assert not silent


@pytest.mark.parametrize("room", ["autograd", "debug", "func", "kernels", "kernels/fast", "viz"])
def test_the_layout_names_every_file_of_a_room(room):
    page = (SOURCE.parent / "docs" / "layout.md").read_text()
    named = set(re.findall(r"[`/](\w+)(?:\.py)?`", page))
    assert not {path.stem for path in (SOURCE / "retrograd" / room).glob("*.py")} - named


# The parts of docs/layout.md, from the lowest to the highest: when it is imported, a module may
# import only from its own layer and those below. (Imports inside functions serve rare paths.)
NAMED_AS_PYTORCH = "what is in no other layer: PyTorch's names and signatures"
LAYERS = [
    "_blas _malloc _memory _callers _lazy _state _version _warnings _dtype _attributes _meta "
    "_entries _absent _named _ops",
    "kernels",
    "_torch_function _tensor _moving autograd.node autograd.views autograd.windows autograd.saved "
    "autograd.unseen autograd.grad_mode autograd.on_tensors autograd.wrong",
    "ops random return_types _from_data _creation _legacy _windows _random",
    "autograd utils.hooks",
    NAMED_AS_PYTORCH,
    "debug",
    "viz",
    "_install _install_on_import _run cli __main__",
]
LEVEL = {name: level for level, names in enumerate(LAYERS) if names is not NAMED_AS_PYTORCH
         for name in names.split()}


def level(module: str) -> int:
    parts = module.split(".")
    own = LEVEL.get(parts[0], LAYERS.index(NAMED_AS_PYTORCH))
    return LEVEL.get(".".join(parts[:2]), own)


def dotted(path: Path) -> str:
    """The module of a file, without the package's name: autograd.node."""
    parts = path.relative_to(SOURCE / "retrograd").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in FILES}


def imported_at_import(path: Path):
    """The modules of the package that a file's top level imports."""
    package = path.relative_to(SOURCE / "retrograd").parts[:-1]
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("retrograd."):
                    yield alias.name.removeprefix("retrograd.")
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (node.module or "").split(".") if node.module else []
            if not node.level:
                if module[:1] != ["retrograd"]:
                    continue
                module = module[1:]
            for alias in node.names:
                name = ".".join([*base, *module, alias.name])
                yield name if name in MODULES else ".".join([*base, *module])


def test_layers_name_modules():
    assert {name for name in LEVEL if name not in MODULES} == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    own = dotted(path)
    if own:                                  # the package itself stands above everything
        above = [module for module in imported_at_import(path)
                 if module and level(module) > level(own)]
        assert not above, f"{own} imports from above: {above}"


def test_no_circle_of_imports():
    waiting = {own: {module for module in imported_at_import(path) if module in MODULES} - {own, ""}
               for own, path in MODULES.items()}
    while free := [own for own, modules in waiting.items() if not modules & waiting.keys()]:
        for own in free:
            del waiting[own]
    assert not waiting, f"each of these imports another of them: {sorted(waiting)}"
