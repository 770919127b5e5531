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

import ctypes
import os
import threading
from functools import partial

import numpy as np
from llvmlite import ir

from .. import fast
from .later import Later, intrinsic, jit, types
from .machine import OPTIONS, address

# Places on the board; those that threads change stand a cache line apart.
OPEN, NEXT, HELPING, END, CHUNK, TASK, BLOCK, PLACES = 0, 8, 16, 24, 25, 26, 27, 32
PATIENCE = 1000         # looks at the board before a helper goes to sleep

_taken = threading.Lock()
_sleeping: list[threading.Lock] = []       # one a helper: released to wake it
_yield = Later(lambda: types.ExternalFunction("sched_yield", types.int32())) \
    if os.name == "posix" else None


@intrinsic
def fetch_add(typingctx, board, place, value):
    """board[place] += value, by one thread at a time; the value before."""
    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("add", place_on(builder, *args[:2]), args[2], "seq_cst")
    return types.int64(types.int64, types.int64, types.int64), codegen


@intrinsic
def get(typingctx, board, place):
    """board[place]"""
    def codegen(context, builder, signature, args):
        return builder.load(place_on(builder, *args))
    return types.int64(types.int64, types.int64), codegen


@intrinsic
def put(typingctx, board, place, value):
    """board[place] = value"""
    def codegen(context, builder, signature, args):
        builder.store(args[2], place_on(builder, *args[:2]))
        return context.get_dummy_value()
    return types.void(types.int64, types.int64, types.int64), codegen


def place_on(builder, board, place):
    word = ir.IntType(64)
    at = builder.add(board, builder.mul(place, ir.Constant(word, 8)))
    return builder.inttoptr(at, word.as_pointer())


@intrinsic
def call(typingctx, task, block, start, stop):
    """task(block, start, stop), where `task` is an address."""
    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * 3)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()
    return types.void(types.int64, types.int64, types.int64, types.int64), codegen


def native(function):
    """A function of this module and of integers, compiled; it runs without Python's lock.

    Integers pass as pointers, which takes ctypes half the time.
    """
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * function.__code__.co_argcount)
    return kind(address(f"pool.{function.__name__}", function))


@partial(jit, **OPTIONS)
def take_chunks(board):
    task, block = get(board, TASK), get(board, BLOCK)
    end, chunk = get(board, END), get(board, CHUNK)
    start = fetch_add(board, NEXT, chunk)
    while start < end:
        call(task, block, start, min(start + chunk, end))
        start = fetch_add(board, NEXT, chunk)


@native
def work_alone(task, block, end, chunk):
    for start in range(0, end, chunk):
        call(task, block, start, min(start + chunk, end))


@native
def work_together(board, task, block, end, chunk):
    put(board, TASK, task)
    put(board, BLOCK, block)
    put(board, END, end)
    put(board, CHUNK, chunk)
    put(board, NEXT, 0)
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
        if fetch_add(board, OPEN, 0) > 0:
            fetch_add(board, HELPING, 1)
            if fetch_add(board, OPEN, 0) > 0:
                take_chunks(board)
            fetch_add(board, HELPING, -1)
            looks = 0
        looks += 1
        _yield()


class Board:
    """The memory that threads look at, and its address."""

    def __init__(self):
        self.places = np.zeros(PLACES, np.int64)
        self.address = self.places.ctypes.data


board = Board()


def run(task: int, block: int, end: int, chunk: int) -> None:
    """Do the task over range(end), `chunk` at a time, by as many threads as there should be."""
    if fast.threads == 1 or end <= chunk or not _taken.acquire(blocking=False):
        work_alone(task, block, end, chunk)
        return
    try:
        _wake(min(fast.threads - 1, (end - 1) // chunk))
        work_together(board.address, task, block, end, chunk)
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


def _help(asleep: threading.Lock, board: Board) -> None:
    while True:
        asleep.acquire()
        help_out(board.address)


def _after_fork() -> None:
    global _taken, _sleeping, board
    _taken, _sleeping, board = threading.Lock(), [], Board()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
