"""Threads that share a kernel's work: chunks of its range, taken by whoever is free.

NOTE [pool] A kernel is machine code, task(block, start, stop), and `block` the memory that holds
its arguments. To share it the caller writes it on the board, wakes the helpers and takes chunks
itself until none is left. So a helper that comes late, or not at all because the machine is busy,
costs nothing: the caller only waits for chunks that others have begun. Helpers are Python threads
that work without Python's lock and hold no reference to an array. A second caller who finds the
board taken does all of its work itself; a forked process begins with no helpers and an empty board.

The chunks do not depend on the number of threads, nor therefore does any result.
"""

from __future__ import annotations

import os
import threading

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from .. import fast
from .disk import DiskCache

# Places on the board; those that threads change stand a cache line apart.
OPEN, NEXT, HELPING, END, CHUNK, TASK, BLOCK, PLACES = 0, 8, 16, 24, 25, 26, 27, 32
PATIENCE = 1000         # looks at the board before a helper goes to sleep

board = np.zeros(PLACES, np.int64)
_taken = threading.Lock()
_sleeping: list[threading.Lock] = []       # one a helper: released to wake it
_yield = types.ExternalFunction("sched_yield", types.int32()) if os.name == "posix" else None


@intrinsic
def fetch_add(typingctx, array, place, value):
    """array[place] += value, by one thread at a time; the value before."""
    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        pointer = cgutils.get_item_pointer(context, builder, kind,
                                           context.make_array(kind)(context, builder, args[0]),
                                           [args[1]])
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")
    return types.int64(types.int64[::1], types.int64, types.int64), codegen


@intrinsic
def call(typingctx, task, block, start, stop):
    """task(block, start, stop), where `task` is an address."""
    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * 3)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()
    return types.void(types.int64, types.int64, types.int64, types.int64), codegen


def native(function):
    """Compile a function of this module; it runs without Python's lock."""
    compiled = njit(function, nogil=True, error_model="numpy")
    compiled._cache = DiskCache(f"pool.{function.__name__}")
    return compiled


@native
def work_alone(task, block, end, chunk):
    for start in range(0, end, chunk):
        call(task, block, start, min(start + chunk, end))


@native
def take_chunks(board):
    task, block, end, chunk = board[TASK], board[BLOCK], board[END], board[CHUNK]
    start = fetch_add(board, NEXT, chunk)
    while start < end:
        call(task, block, start, min(start + chunk, end))
        start = fetch_add(board, NEXT, chunk)


@native
def work_together(board, task, block, end, chunk):
    board[TASK], board[BLOCK], board[END], board[CHUNK] = task, block, end, chunk
    board[NEXT] = 0
    fetch_add(board, OPEN, 1)
    take_chunks(board)
    fetch_add(board, OPEN, -1)
    looks = 0
    while fetch_add(board, HELPING, 0) > 0:
        looks += 1
        if looks > 100:
            _yield()


@native
def help_out(board):
    """Help until nothing has been on the board for a while: the next kernel is often near."""
    looks = 0
    while looks < PATIENCE:
        if board[OPEN] > 0:
            fetch_add(board, HELPING, 1)
            if fetch_add(board, OPEN, 0) > 0:
                take_chunks(board)
            fetch_add(board, HELPING, -1)
            looks = 0
        looks += 1
        _yield()


def run(task: int, block: int, end: int, chunk: int) -> None:
    """Do the task over range(end), `chunk` at a time, by as many threads as there should be."""
    if fast.threads == 1 or end <= chunk or not _taken.acquire(blocking=False):
        work_alone(task, block, end, chunk)
        return
    try:
        _wake(min(fast.threads - 1, (end - 1) // chunk))
        work_together(board, task, block, end, chunk)
    finally:
        _taken.release()


def _wake(count: int) -> None:
    while len(_sleeping) < count:
        asleep = threading.Lock()
        asleep.acquire()
        try:
            threading.Thread(target=_help, args=(asleep, board), name="retrograd kernels",
                             daemon=True).start()
        except RuntimeError:        # the system allows no more, or the interpreter is ending
            break
        _sleeping.append(asleep)
    for asleep in _sleeping[:count]:
        if asleep.locked():
            asleep.release()


def _help(asleep: threading.Lock, board: np.ndarray) -> None:
    while True:
        asleep.acquire()
        help_out(board)


def _after_fork() -> None:
    global _taken, _sleeping, board
    _taken, _sleeping, board = threading.Lock(), [], np.zeros(PLACES, np.int64)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
