"""Machine code of functions of integers: read from disk, or made by Numba and kept there.

NOTE [machine code] What Numba compiles is an object file, and LLVM can put one into a process
without Numba: it takes one or two milliseconds, against half a second to import Numba and read
its own cache. The code refers to helpers of Numba's, nearly all for errors that kernels do not
raise; they lie in two extension modules of its, which are loaded without the package.
"""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from functools import cache
from importlib import import_module, machinery, util
from pathlib import Path
from threading import RLock

import llvmlite.binding as llvm

from . import disk
from .lazy import pipeline, ready, types

# Only compiled functions call these: leaving out the wrappers for Python and C saves a fifth of the
# compiling.
OPTIONS = {"nogil": True, "error_model": "numpy",
           "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_one_at_a_time = RLock()
_engines = []               # code lives as long as the engine that holds it


def address(name: str, function, result: bool = False) -> int:
    """Where the machine code of `function` is; it takes 64-bit integers, and with `result` returns
    one.

    `name` is that of its file: see NOTE [disk].
    """
    with _one_at_a_time:
        found = disk.read(name)
        if found is None:
            found = compiled(function, result)
            disk.write(name, *found)
        return loaded(*found)


def compiled(function, result: bool = False) -> tuple[str, bytes]:
    """The symbol of a function that C can call, and the object file that holds it."""
    CFunc = import_module("numba.core.ccallback").CFunc
    announce()
    integers = (types.int64,) * function.__code__.co_argcount
    kind = integers, types.int64 if result else types.void
    task = CFunc(ready(function), kind, {}, OPTIONS, pipeline_class=pipeline())
    codegen = import_module("numba.core.registry").cpu_target.target_context.codegen()
    with settings(codegen, function.__qualname__), without_collections():
        task.compile()
    return task._wrapper_name, codegen._tm.emit_object(task._library._final_module)


@contextmanager
def settings(codegen, task: str):
    """Let Numba optimize a task alone, with vectors of 512 bits where there are such, and load no
    code of it.

    Numba optimizes each function that a task calls, and loads machine code of it, and does so again
    once they are all linked into the task. The former takes a third of the time, and nobody calls
    that code. And for Intel's processors LLVM prefers 256 bits, for the sake of code that has few
    loops of vectors: exp, gelu and softmax then take one and a half times as long. All of this is
    replaced while Numba's passes run: its own functions and files stay as they are.
    """
    libraries = import_module("numba.core.codegen").CPUCodeLibrary
    triple, processor, features = codegen.magic_tuple()
    optimize, load = libraries._optimize_final_module, libraries._finalize_final_module

    def optimize_task(library):
        if library.name == task:
            optimize(library)

    def let_link(library):
        library._finalized = True

    with import_module("numba.core.compiler_lock").global_compiler_lock:
        machine = codegen._tm
        libraries._optimize_final_module, libraries._finalize_final_module = optimize_task, let_link
        codegen.set_env = lambda name, env: None         # it writes to what is not loaded
        if "+avx512f" in features.split(","):
            codegen._tm = llvm.Target.from_triple(triple).create_target_machine(
                cpu=processor, features=features + ",-prefer-256-bit", opt=3)
        try:
            yield
        finally:
            libraries._optimize_final_module, libraries._finalize_final_module = optimize, load
            codegen._tm = machine
            del codegen.set_env


@contextmanager
def without_collections():
    """Numba makes very many objects, and most stay: looking for cycles among them was in 7 of 100
    samples that a profiler took while it compiled."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def loaded(symbol: str, code: bytes) -> int:
    """The address of a symbol, once the object file is part of this process.

    Each file gets an engine of its own: two may have other functions under one name.
    """
    helpers()
    triple = llvm.get_process_triple()
    machine = llvm.Target.from_triple(triple).create_target_machine(jit=True)
    empty = llvm.parse_assembly(f'target triple = "{triple}"')
    engine = llvm.create_mcjit_compiler(empty, machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return engine.get_function_address(symbol)


@cache
def helpers() -> None:
    """Tell LLVM where Numba's helpers are, by the names that Numba gives them."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for prefix, module in ("numba_", "_helperlib"), ("NRT_", "core/runtime/_nrt_python"):
        for name, where in extension(module).c_helpers.items():
            llvm.add_symbol(name if name.startswith("_") else prefix + name, where)


def extension(path: str):
    """An extension module of Numba's, without the package around it."""
    package = Path(util.find_spec("numba").origin).parent
    name = f"numba.{path.replace('/', '.')}"
    spec = machinery.PathFinder.find_spec(name, [str((package / path).parent)])
    if spec is None:
        raise ImportError(f"there is no {name}")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


told = False                # whether this process has said that it compiles


def announce() -> None:
    """Say, once, why the program pauses."""
    global told
    if not told:
        told = True
        print("retrograd: compiling kernels for large tensors; they are kept for the next time "
              "(`retrograd warmup` compiles all those of float32 and float64).", file=sys.stderr)
