"""Threads that share a kernel's work: chunks of its range, taken by whoever is free.

NOTE [pool] A kernel is machine code, task(block, start, stop), and `block` the memory that holds
its arguments. To share it the caller writes it on the board, wakes the helpers and takes chunks
itself until none is left. So a helper that comes late, or not at all because the machine is busy,
costs nothing: the caller only waits for chunks that others have begun. A second caller who finds
the board taken does all of its work itself; a forked process begins with no helpers and an empty
board.

The caller takes chunks from the front and helpers from the back: what a processor has written in
one kernel it is likely to read in the next, from its own cache.

Helpers are Python threads that never leave machine code: they look at the board for a while, since
the next kernel is often near, and then wait for a signal there. To wait in Python they would need
its lock, which the caller holds between kernels, and would come back when the work is done.

The chunks do not depend on the number of threads, nor therefore does any result.
"""

from __future__ import annotations

import ctypes
import os
import threading
from functools import partial

import numpy as np
from llvmlite import ir

from .lazy import Lazy, intrinsic, jit, types
from .machine import OPTIONS, address

# Places on the board; those that threads change stand a cache line apart.
BUSY, OPEN, TAKEN, LATER, HELPING, ASLEEP, MUTEX, SIGNAL = range(0, 64, 8)
END, CHUNK, TASK, BLOCK, HELPERS, PLACES = range(64, 70)
PATIENCE = 10_000       # looks at the board before a helper goes to sleep: some milliseconds


def posix(name, count):
    """A function of the C library's threads, of so many addresses."""
    return Lazy(lambda: types.ExternalFunction(name, types.int32(*[types.int64] * count)))


_yield = posix("sched_yield", 0)
_make_mutex, _make_signal = posix("pthread_mutex_init", 2), posix("pthread_cond_init", 2)
_lock, _unlock = posix("pthread_mutex_lock", 1), posix("pthread_mutex_unlock", 1)
_wait, _signal = posix("pthread_cond_wait", 2), posix("pthread_cond_signal", 1)


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
def chunks(board):
    return (get(board, END) - 1) // get(board, CHUNK) + 1


@partial(jit, **OPTIONS)
def do_chunk(board, number):
    start = number * get(board, CHUNK)
    stop = min(start + get(board, CHUNK), get(board, END))
    call(get(board, TASK), get(board, BLOCK), start, stop)


@partial(jit, **OPTIONS)
def share(board, task, block, end, chunk, helpers):
    """Do the task over range(end), `chunk` at a time, with this many helpers."""
    if helpers < 1 or fetch_add(board, BUSY, 1) > 0:
        for start in range(0, end, chunk):
            call(task, block, start, min(start + chunk, end))
    else:
        put(board, TASK, task)
        put(board, BLOCK, block)
        put(board, END, end)
        put(board, CHUNK, chunk)
        work_together(board, helpers)
    if helpers > 0:
        fetch_add(board, BUSY, -1)


@partial(jit, **OPTIONS)
def work_together(board, helpers):
    put(board, TAKEN, 0)
    put(board, LATER, 0)
    fetch_add(board, OPEN, 1)
    asleep = min(fetch_add(board, ASLEEP, 0), helpers)
    if asleep > 0:
        _lock(board + 8 * MUTEX)
        for _ in range(asleep):
            _signal(board + 8 * SIGNAL)
        _unlock(board + 8 * MUTEX)
    mine = 0
    while fetch_add(board, TAKEN, 1) < chunks(board):
        do_chunk(board, mine)
        mine += 1
    fetch_add(board, OPEN, -1)
    looks = 0
    while fetch_add(board, HELPING, 0) > 0:
        looks += 1
        if looks > 100:
            _yield()


@partial(jit, **OPTIONS)
def help_once(board):
    """Help with the task on the board, if there is one."""
    fetch_add(board, HELPING, 1)
    if fetch_add(board, OPEN, 0) > 0:
        while fetch_add(board, TAKEN, 1) < chunks(board):
            do_chunk(board, chunks(board) - 1 - fetch_add(board, LATER, 1))
    fetch_add(board, HELPING, -1)


@native
def prepare(board):
    _make_mutex(board + 8 * MUTEX, 0)
    _make_signal(board + 8 * SIGNAL, 0)


@native
def help_out(board):
    """Help, for ever."""
    looks = 0
    while True:
        if fetch_add(board, OPEN, 0) > 0:
            help_once(board)
            looks = 0
        looks += 1
        _yield()
        if looks > PATIENCE:
            _lock(board + 8 * MUTEX)
            fetch_add(board, ASLEEP, 1)         # before the last look: who opens looks here after
            while fetch_add(board, OPEN, 0) == 0:
                _wait(board + 8 * SIGNAL, board + 8 * MUTEX)
            fetch_add(board, ASLEEP, -1)
            _unlock(board + 8 * MUTEX)


board = np.zeros(PLACES, np.int64)         # stays where it is: machine code knows its address
prepare(board.ctypes.data)


def start(count: int) -> int:
    """Start helpers until there are `count`, or as many as the system allows; returns how many."""
    while board[HELPERS] < count:
        try:
            threading.Thread(target=_help, args=(board,), name="retrograd kernels",
                             daemon=True).start()
        except RuntimeError:        # no more threads, or the interpreter is ending
            break
        board[HELPERS] += 1
    return int(board[HELPERS])


def _help(board: np.ndarray) -> None:
    """Holds the board as long as somebody looks at it."""
    help_out(board.ctypes.data)


def _after_fork() -> None:
    board[:] = 0
    prepare(board.ctypes.data)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
