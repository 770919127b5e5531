"""The state of the current thread that operators read: is it recording, and is any mode on."""

from __future__ import annotations

import os
import threading
from threading import get_ident

import numpy as np

QUIET = not os.environ.get("RETROGRAD_NUMPY_WARNINGS")


class _State(threading.local):
    """Modes of the current thread; a new thread starts with these values."""

    def __init__(self):
        self.grad = True              # record operations; set by set_recording()
        self.inference = False        # in inference_mode: nothing is recorded, then or later
        self.asked = False            # grad mode was switched on inside inference_mode
        self.task = None              # the backward pass under way, see autograd/engine.py
        self.node = None              # in anomaly mode, the node that runs
        self.dual_levels = 0          # open levels of forward mode
        self.vmaps = 0                # calls of vmap that the thread is in
        self.transforms = 0           # transforms of torch.func that the thread is in,
        self.reverse = 0              # and those of them that differentiate backward
        self.transform = None         # the innermost differentiating one, see func/captured.py
        self.saved_hooks = []         # (pack, unpack) of saved_tensors_hooks, innermost last
        self.saved_hooks_disabled = None    # why saved_tensors_hooks may not be used now
        self.forward = True           # carry tangents (forward mode)
        self.on_wrong = None          # what torch.autograd.on_wrong_gradient said
        self.on_call = None           # sees each operator's call, see ops/calls.py
        self.device = None            # where new tensors go, if a program has said so
        self.outer_devices = []       # the same outside each `with torch.device(...)`
        self.tracing = None           # a list while a Function is examined, see intermediates.py
        if QUIET:              # torch never warns of inf and nan; NumPy's setting is per thread
            np.seterr(all="ignore")


class _Features:
    """Process-wide switches of rarely used features, kept as plain attributes: 9 ns to read.

    recording     how many saved-tensor hooks, anomaly modes, traces, profilers and modes that see
                  calls any thread has on; while it is 0 a new node needs no second look, and one
                  kernel may do the work of several operators
    trace         None, or a function of each new node
    watch         None, or what a backward pass calls in place of a node's run() or run_graph(),
                  with (node, g, edges, create); see engine.watch_with
    paused        the threads that do not record now, as keys; while there are none an operator
                  need not ask its thread's state, which takes five times as long as asking here
    creation_modes  how many threads are in inference_mode or a transform that differentiates; while
                  it is 0 a new tensor need not ask where it is made
    other_arrays  how many kinds of arrays besides ndarrays are in use: sparse, wrapper tensors'
    vmap          calls of vmap under way
    dual          open levels of forward mode
    before_write  functions that are called, before each write in place, with the tensor and the
                  operator's name
    renumbered    someone gave a node another sequence number
    hooks         someone has registered a hook on a tensor or a node
    meta          new tensors of some thread may go to the device "meta"
    deterministic  use_deterministic_algorithms(True) was called
    sparse        someone has made a sparse tensor, for which optimizers look from now on
    """

    __slots__ = ("recording", "paused", "trace", "watch", "creation_modes", "vmap", "dual",
                 "before_write", "renumbered", "hooks", "meta", "sparse", "other_arrays",
                 "deterministic")

    def __init__(self):
        self.recording = self.creation_modes = self.other_arrays = self.vmap = self.dual = 0
        self.trace = self.watch = None
        self.before_write, self.paused = (), {}
        self.renumbered = self.hooks = self.meta = self.sparse = self.deterministic = False

    def count(self, name: str, more: int) -> None:
        """Add to a counter: a bare += can lose what another thread adds at the same time."""
        with _changing:
            setattr(self, name, getattr(self, name) + more)

    def on_write(self, look) -> None:
        """Let `look` see each tensor before it is written to."""
        with _changing:
            self.before_write = (*self.before_write, look)

    def off_write(self, look) -> None:
        """The inverse of on_write()."""
        with _changing:
            left = list(self.before_write)
            left.remove(look)
            self.before_write = tuple(left)


_changing = threading.Lock()
state = _State()
features = _Features()


def set_recording(on: bool) -> None:
    """Let this thread record operations, or not."""
    if on:
        state.grad = True                       # in this order: see NOTE [interrupts]
        features.paused.pop(get_ident(), None)
    else:
        features.paused[get_ident()] = None
        state.grad = False


# NOTE [interrupts]
#   Ctrl-C raises KeyboardInterrupt wherever the main thread calls a function, even in a `finally`
#   and in what that calls, and in a notebook the program goes on afterwards. So code that ends a
#   mode first stores the thread's state, before any call, and then changes `features`. There, a
#   count too high or a thread too many in `paused` only costs time, while a count too low would
#   hide a mode from operators: code that begins a mode raises the count first.
