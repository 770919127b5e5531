"""Numba, imported only where something must be compiled.

NOTE [lazy] A process whose kernels all lie on disk needs no Numba, which costs half a second and
70 MiB. So Numba's decorators run not when a module is imported but when a kernel that uses the
function is compiled; until then a Lazy stands in its place. `ready` puts the real objects there, in
the globals and closures of the functions that are about to be compiled.
"""

from __future__ import annotations

from dis import get_instructions
from functools import cache
from importlib import import_module
from types import CodeType, FunctionType, ModuleType

from ..._lazy import LazyModule


class Lazy:
    """What `make()` returns, once it is needed."""

    def __init__(self, make):
        self.make, self.made = make, None

    def real(self):
        if self.made is None:
            self.made = self.make()
        return self.made


numba, types, cgutils = map(LazyModule, ("numba", "numba.core.types", "numba.core.cgutils"))


def jit(function, **options):
    """numba.njit."""
    return Lazy(lambda: numba.njit(ready(function), pipeline_class=pipeline(), **options))


@cache
def pipeline() -> type:
    """A compiler of the passes that kernels need.

    Numba's own has twice as many: for `with` blocks, closures, inlining of its own, literally(),
    parallel loops and annotated listings. Each takes its time in every function.
    """
    compiler, untyped, typed = (import_module(f"numba.core.{name}")
                                for name in ("compiler", "untyped_passes", "typed_passes"))
    passes = (untyped.TranslateByteCode, untyped.FixupArgs, untyped.IRProcessing,
              untyped.RewriteSemanticConstants, untyped.DeadBranchPrune, untyped.GenericRewrites,
              untyped.ReconstructSSA, typed.NopythonTypeInference, typed.PreLowerStripPhis,
              typed.NopythonRewrites, typed.IRLegalization, typed.NativeLowering,
              typed.NoPythonBackend)

    class Pipeline(compiler.CompilerBase):
        def define_pipelines(self):
            manager = compiler.PassManager("kernel")
            for each in passes:
                manager.add_pass(each, each.__name__)
            manager.finalize()
            return [manager]

    return Pipeline


def intrinsic(function):
    """numba.extending.intrinsic."""
    return Lazy(lambda: import_module("numba.extending").intrinsic(function))


def by_types(choose, *implementations, **options):
    """A function for kernels; `choose` returns its implementation for the types of arguments."""
    def make():
        for function in (choose, *implementations):
            ready(function)
        import_module("numba.extending").overload(choose, jit_options=options)(choose)
        return choose
    return Lazy(make)


def ready(function: FunctionType) -> FunctionType:
    """`function`, with every Lazy that it refers to replaced by the real object."""
    names, attributes = mentioned(function.__code__)
    scope = function.__globals__
    make_real(scope, names)
    for name in names:
        if isinstance(scope.get(name), ModuleType) and scope[name].__package__ == __package__:
            make_real(vars(scope[name]), attributes)
    for cell in function.__closure__ or ():
        if isinstance(cell.cell_contents, Lazy):
            cell.cell_contents = cell.cell_contents.real()
    return function


def make_real(scope: dict, names: set[str]) -> None:
    for name in names:
        if isinstance(scope.get(name), Lazy):
            scope[name] = scope[name].real()


def mentioned(code: CodeType) -> tuple[set[str], set[str]]:
    """The names of globals and of attributes in code, and in the functions inside it."""
    names, attributes = set(), set()
    for instruction in get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            names.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.add(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner, more = mentioned(constant)
            names, attributes = names | inner, attributes | more
    return names, attributes
