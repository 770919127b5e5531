"""Makes `import torch` mean retrograd, for this process and the processes it starts."""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import FunctionType, ModuleType
from typing import Any

from . import _refused

__all__ = ["install", "uninstall"]


def _is_torch(name: str) -> bool:
    return name.partition(".")[0] in ("torch", "functorch")


def _own_name(name: str) -> str:
    """`functorch`, a package beside torch, lies inside retrograd."""
    if name.startswith("functorch"):
        return f"retrograd.{name}"
    return "retrograd" + name.removeprefix("torch")


# NOTE [names of classes and functions]
# While installed, they say that they are PyTorch's: `torch.nn.modules.linear.Linear`, where
# programs look whether a layer is one of torch.nn, print classes, or pickle a model. So do modules,
# which errors about missing names quote. Modules that are there when `install` is called are
# renamed by it, later ones as soon as they have been loaded. Classes are looked up in `sys.modules`
# by the name of their module (pickle, inspect, typing), so the module is put there under that name,
# too. Packages and private files that PyTorch does not have
# keep their names; what a public module beside such a file shows belongs to the public one.

_NOT_PYTORCHS = ("debug", "kernels", "ops", "viz")
_renamed: dict[type | FunctionType, str] = {}      # and the modules that they have been made in
_modules: list[ModuleType] = []


class _NamingLoader(SourceFileLoader):
    """Loads a file of retrograd, and gives what it defines PyTorch's names."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _name_members(module)


def _name_members(module: ModuleType) -> None:
    """Let classes and functions of a module, or of private files beside it, name it by torch."""
    spec = module.__spec__
    if spec is None or spec.name.split(".")[1] in _NOT_PYTORCHS or "._" in spec.name:
        return
    name = "torch" + spec.name.removeprefix("retrograd")
    sys.modules.setdefault(name, module)
    module.__name__ = name
    _modules.append(module)
    shown = getattr(module, "__all__", vars(module))
    for value in list(vars(module).values()):
        if isinstance(value, (type, FunctionType)) and value.__module__ and (
                value.__module__ == spec.name
                or value.__module__.startswith(f"{spec.parent}._") and value.__name__ in shown):
            _renamed[value] = value.__module__
            _move(value, name)


def _move(value: type | FunctionType, home: str) -> None:
    line = vars(value).get("__firstlineno__")     # which Python 3.13 drops with the old name, and
    value.__module__ = home                       # inspect.getsource() needs
    if line is not None:
        value.__firstlineno__ = line                                   # type: ignore[union-attr]


class _TorchFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `torch.X` as the module object `retrograd.X`; nothing is loaded twice."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.startswith("retrograd."):
            spec = PathFinder.find_spec(name, path)
            if spec is not None and type(spec.loader) is SourceFileLoader:
                spec.loader = _NamingLoader(name, spec.loader.path)
            return spec
        if not _is_torch(name):
            return None
        own = _own_name(name)
        if (own not in sys.modules and importlib.util.find_spec(own) is None
                and _refused.module(own) is None):
            raise ModuleNotFoundError(f"No module named {name!r}{_refused.ADVICE}", name=name)
        return ModuleSpec(name, self)

    def find_distributions(self, context: Any = None) -> Iterator[Any]:
        """torch's entry for importlib.metadata where none is installed: libraries ask for it."""
        if context is not None and context.name == "torch":
            from ._metadata import torch_distribution

            yield from torch_distribution(context.path)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(_own_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just put the spec of `torch.X` on the module: give it its own back.
        spec = module.__spec__
        assert spec is not None
        module.__spec__ = spec.loader_state


class _InstallOnArrival:
    """Pickles as a call of `install`, so that a child process runs it before its main module."""

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return install, ()


def _also_in_children(install_too: bool) -> None:
    """Put `install` into the data that multiprocessing sends a new interpreter, or take it out."""
    import multiprocessing
    from multiprocessing import spawn

    prepare: Any = spawn.get_preparation_data
    prepare = getattr(prepare, "__wrapped__", prepare)
    if install_too:

        @functools.wraps(prepare)
        def get_preparation_data(name: str) -> dict[str, Any]:
            return {**prepare(name), "retrograd": _InstallOnArrival()}

        spawn.get_preparation_data = get_preparation_data
    else:
        spawn.get_preparation_data = prepare
    # A fork server imports the main module by itself, ahead of any child: let it only import this.
    multiprocessing.set_forkserver_preload(
        ["retrograd._install_on_import" if install_too else "__main__"]
    )


_finder = _TorchFinder()


def _name_functions(package: str) -> None:
    """Let the package and its functions name `package` as their module.

    Libraries that patch torch compare its name; a pickle looks for a function there.
    """
    from .ops.bind import name_functions

    sys.modules["retrograd"].__name__ = package
    name_functions(package)


def install() -> None:
    """Make `import torch` resolve to retrograd in this process and its multiprocessing children.

    `torch` and every `torch.X` become the same module objects as `retrograd` and `retrograd.X`.
    A module or name that retrograd lacks raises ModuleNotFoundError or AttributeError that says
    so. Calling it again does nothing.

    Raises:
        ImportError: the real torch has been imported in this process already.

    >>> import retrograd
    >>> retrograd.install()
    >>> import torch
    >>> torch is retrograd
    True
    >>> retrograd.uninstall()
    """
    if _finder in sys.meta_path:
        return
    present = sys.modules.get("torch")
    if present is not None:
        raise ImportError(
            f"torch is already imported from {getattr(present, '__file__', 'an unknown place')}; "
            "call retrograd.install() before anything imports torch",
            name="torch",
        )
    sys.meta_path.insert(0, _finder)
    _name_functions("torch")
    for name, module in reversed(list(sys.modules.items())):     # packages after what is in them
        if name.startswith("retrograd."):
            _name_members(module)
    _also_in_children(True)


def uninstall() -> None:
    """Undo `install`: the next `import torch` finds what is installed under that name, if anything.

    Names already bound to retrograd's modules stay bound. Does nothing when not installed.
    """
    if _finder not in sys.meta_path:
        return
    sys.meta_path.remove(_finder)
    _name_functions("retrograd")
    while _renamed:
        value, home = _renamed.popitem()
        _move(value, home)
    while _modules:
        module = _modules.pop()
        made = [value for value in vars(module).values()        # when they were first asked for
                if isinstance(value, FunctionType) and value.__module__ == module.__name__]
        module.__name__ = module.__spec__.name                         # type: ignore[union-attr]
        for value in made:
            value.__module__ = module.__name__
    for name in [name for name in sys.modules if _is_torch(name)]:
        del sys.modules[name]
    _also_in_children(False)
