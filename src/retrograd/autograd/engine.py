"""The backward pass: one loop over nodes, newest first.

NOTE [ordering]
    A node runs when all gradients that flow into it have arrived: the edges that lead to it are
    counted first, then counted down. Of the nodes that are ready the one made last runs first
    (sequence numbers fall), and a leaf gets its gradient as soon as that is complete. The next
    node and its gradient are handed on in `node` and `g`, and only others wait in the heap, so a
    chain never touches it.

NOTE [whose buffer]
    A gradient that arrives at a node is not the engine's: the same array may be on its way to
    another node. The sum of two is, and is marked so, and a third is added into it in place. A leaf
    takes an array over without copying it only if nobody else refers to it, which the reference
    count tells; UNSHARED is that count for an array only known to the loop.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from heapq import heappop, heappush, heappushpop
from itertools import count
from operator import attrgetter
from sys import _getframe, getrefcount
from threading import Lock, RLock, Thread
from weakref import ref

import numpy as np

from .._callers import caller
from .._state import features, set_recording, state
from .._tensor import wrap
from ..kernels import fast
from .gradients import completed, is_sparse, ndarray, summed
from .node import LEAF_SEQ, AccumulateGrad
from .straight import LONGEST, note_shape, straight_pass


def run(roots, grads, keep=False, create=False, wanted=None, targets=(), arrivals=None):
    """Send `grads` backward from the edges `roots`; returns {edge: gradient} for `targets`.

    keep      do not free what the nodes saved
    create    compute on Tensors and record (create_graph)
    wanted    the nodes to run, or None for all
    targets   edges whose gradients are returned
    arrivals  count_arrivals(roots), from a caller who needed it to find `wanted`
    """
    if arrivals is None:
        arrivals = count_arrivals(roots)
    if (len(arrivals) <= LONGEST and may_be_straight(roots, create) and not features.renumbered
            and (wanted is None or targets)):
        note_shape(roots[0], arrivals, keep, create, wanted, targets)
    ready = start(roots, grads, arrivals)
    if wanted is not None:
        return run_some(arrivals, ready, keep, create, wanted, targets)
    run_all(arrivals, ready, keep, create)
    return {}


def run_all(arrivals, ready, keep, create):
    """Run every node; see NOTE [ordering].

    One function, although it is long: these lines run for every node of every graph, and a call for
    adding up gradients would cost 30 to 80 nanoseconds more for each input that is shared.
    """
    watch = features.watch
    plain = watch is None and not create
    while ready and ready[0][1]._seq >= LEAF_SEQ:         # leaves that are roots themselves
        _, leaf, g = heappop(ready)
        leaf.accumulate(g, create, False)
    _, node, g = heappop(ready) if ready else (0, None, None)
    while node is not None:
        if g.__class__ is not ndarray:
            g = completed(g, node)
        # From the gradient of the node's output to those of its inputs.
        edges = node.edges
        if g is None and not node.takes_none:
            results = (None,) * len(edges)
        elif not plain:
            results = (watch or run_node)(node, g, edges, create)
        elif node.part is not None and added_in_place(node, g, arrivals.get(edges[0])):
            results = (None,)
        else:
            results = node.run(g, edges)
        if not keep:
            node._saved = None
        # Each result goes to the node at its edge. Of the nodes that this makes ready, the youngest
        # is `following`, with the gradient `g`; the others wait in the heap.
        g = following = None
        i = -1
        for n in edges:
            i += 1
            if n is None:
                continue
            d = results[i]
            arrived = arrivals[n]
            if arrived is not None:                       # not its one gradient: see count_arrivals
                left = arrived[0] = arrived[0] - 1
                old = arrived[1]
                if d is not None:
                    if old is None:
                        if left == 0 and n._seq >= LEAF_SEQ:         # the only one a leaf gets
                            mine = not create and getrefcount(d) <= UNSHARED
                            n.accumulate(d, create, mine)
                            continue
                        arrived[1] = d
                    elif arrived[2] and not create:
                        # NumPy adds its scalars ten times faster than 0-d arrays
                        arrived[1] += d if old.__class__ is ndarray else d[()]
                    else:
                        add_up(arrived, 0 if node._numbers is None else node._numbers[i], d)
                if left:
                    continue
                d, arrived[1] = arrived[1], None          # the sum is complete
                if n._seq >= LEAF_SEQ:
                    if d is not None:
                        n.accumulate(d, create, arrived[2])
                    continue
            if following is None:
                following, g = n, d
            elif following._seq < n._seq:
                heappush(ready, (-following._seq, following, g))
                following, g = n, d
            else:
                heappush(ready, (-n._seq, n, d))
        d = results = old = None                          # they would raise getrefcount()
        # The youngest node of all that are ready runs next.
        if not ready:
            node = following
        elif following is None:
            _, node, g = heappop(ready)
        else:
            _, node, g = heappushpop(ready, (-following._seq, following, g))


def run_some(arrivals, ready, keep, create, wanted, targets):
    """Run the nodes in `wanted` alone, and return the gradients that arrive at `targets`."""
    captured, goals = {}, {n for n, _ in targets}
    reached = wanted | goals
    whole = arrivals.keys() <= reached                    # no gradient would go elsewhere
    run = features.watch or run_node
    while ready:
        _, node, g = heappop(ready)
        if g.__class__ is not ndarray:
            g = completed(g, node)
        if node in goals and g is not None:
            capture(captured, node, g, create, wanted, targets)
        if node not in wanted:
            continue
        if g is None and not node.takes_none:
            results = (None,) * len(node.edges)
        elif node._seq >= LEAF_SEQ:
            node.accumulate(g, create, False)
            continue
        else:
            edges = node.edges if whole else restricted(node, wanted, targets)
            results = run(node, g, edges, create)
            if not keep:
                node._saved = None
        i = -1
        for n in node.edges:
            i += 1
            if n not in reached:
                continue
            d, arrived = results[i], arrivals[n]
            if arrived is not None:                       # not its one gradient: see count_arrivals
                arrived[0] -= 1
                if d is not None:
                    add_up(arrived, 0 if node._numbers is None else node._numbers[i], d)
                if arrived[0]:
                    continue
                d, arrived[1] = arrived[1], None
            heappush(ready, (-n._seq, n, d))
    return captured


def count_arrivals(roots):
    """For each reachable node [gradients still to come, their sum, whether the sum is owned].

    The sum for a node with several outputs is a list, one for each. For a node that gets a single
    gradient, None: nothing needs to be kept for it. Leaves and roots always have a list.
    """
    arrivals, found = {}, []
    for n, _ in roots:
        if n not in arrivals:
            arrivals[n] = [0, None if n.n_outputs == 1 else [None] * n.n_outputs, False]
            found.append(n)
    for node in found:                                    # `found` grows meanwhile
        for n in node.edges:
            if n in arrivals:
                arrived = arrivals[n]
                if arrived is None:
                    arrivals[n] = [2, None, False]
                else:
                    arrived[0] += 1
            elif n is not None:
                if n.n_outputs != 1:
                    arrivals[n] = [1, [None] * n.n_outputs, False]
                else:
                    arrivals[n] = None if n._seq < LEAF_SEQ else [1, None, False]
                found.append(n)
    return arrivals


def start(roots, grads, arrivals):
    """The heap of the roots that no other root leads to, each with its gradient."""
    if len(roots) == 1:
        (n, nr), (g,) = roots[0], grads
        return [(0, n, g if n.n_outputs == 1 else [g if k == nr else None
                                                   for k in range(n.n_outputs)])]
    for (n, nr), g in zip(roots, grads, strict=True):
        add_up(arrivals[n], nr, g)
    ready = [(-n._seq, n, arrivals[n][1]) for n in dict.fromkeys(n for n, _ in roots)
             if arrivals[n][0] == 0]
    for _, n, _ in ready:
        arrivals[n][1] = None
    ready.sort()
    return ready


def add_up(arrived, nr, d):
    """Add a gradient to what has arrived at a node, for its output `nr`."""
    old = arrived[1]
    if old.__class__ is list:
        old[nr] = d if old[nr] is None else old[nr] + d
    elif old is None:
        arrived[1] = d
    else:
        arrived[1], arrived[2] = summed(old, d), True


def added_in_place(node, g, arrived):
    """Add the gradient of a part, as x[t] in a loop, to what has arrived for x; whether it was.

    Otherwise each step would make an array of zeros of x's size and add it to the sum.
    """
    if arrived is None or not arrived[2]:                         # see NOTE [whose buffer]
        return False
    total = arrived[1]
    if total.__class__ is not ndarray or g.__class__ is not ndarray or total.dtype is not g.dtype:
        return False
    total[node.part()] += g
    return True


def capture(captured, node, g, create, wanted, targets):
    """Note the gradient that has arrived at a node, for the edges in `targets` that lead to it."""
    if node not in wanted:               # else its hooks run only when the node does
        g = node.before_capture(g, create)
    for target in targets:
        if target[0] is node:
            captured[target] = g if node.n_outputs == 1 else g[target[1]]


def restricted(node, wanted, targets):
    """The edges of a node, with None in place of those beyond which nothing is wanted."""
    if node._numbers is None:
        edges = tuple([n if n in wanted or (n, 0) in targets else None for n in node.edges])
    else:
        edges = tuple([e[0] if e[0] in wanted or e in targets else None
                       for e in node.inputs()])
    if edges != node.edges:
        node.unpack_all()
    return edges


def nodes_towards(goals, arrivals):
    """Those of the nodes in `arrivals` from which a path leads to one of the nodes `goals`."""
    nodes = sorted([n for n in arrivals if n.edges], key=attrgetter("_seq"))
    found, before = set(), -1
    # Inputs are older than what is computed from them: one round is enough, unless renumbered.
    while len(found) > before:
        before = len(found) if features.renumbered else len(nodes)
        for n in nodes:
            if not (found.isdisjoint(n.edges) and goals.isdisjoint(n.edges)):
                found.add(n)
    return found


# --------------------------------------------------------------------------- watching

def run_node(node, g, edges, create):
    """Run one node: what a backward pass does unless `watch_with` put something in its place."""
    return node.run_graph(g, edges) if create else node.run(g, edges)


_watchers, _watching = [], Lock()


def watch_with(watcher) -> None:
    """Let every backward pass run its nodes by `watcher(inner, node, g, edges, create)`.

    The watcher calls `inner(node, g, edges, create)` and returns its result. The
    `inner` of a later watcher is the one before it.
    """
    with _watching:
        _set_watchers([*_watchers, watcher])


def unwatch(watcher) -> None:
    """Undo watch_with(watcher)."""
    with _watching:
        _set_watchers([w for w in _watchers if w is not watcher])


def watched() -> bool:
    """Whether anyone watches backward passes."""
    return bool(_watchers)


def _set_watchers(watchers):
    _watchers[:] = watchers
    inner = run_node
    for watcher in watchers:
        inner = partial(watcher, inner)
    features.watch = None if inner is run_node else inner


# --------------------------------------------------------------------------- leaves

def _references_of_an_unshared_array():
    results = (np.empty(1),)
    d = results[0]
    return getrefcount(d)


def _references_of_an_unshared_base():
    base = np.empty((2, 2))
    return getrefcount(base) + 1          # and the view's own reference


UNSHARED = _references_of_an_unshared_array()
UNSHARED_BASE = _references_of_an_unshared_base()


locks = tuple([RLock() for _ in range(64)])       # for leaves that several threads reach at once


def accumulate(node, g, create, mine):
    """Add `g` to the leaf's `.grad`; `mine` says that nobody else holds the array."""
    leaf = node.variable
    if not leaf._track & 1:              # it was frozen since
        return
    if leaf._grad_fn is not None:
        raise RuntimeError("leaf variable has been moved into the graph interior")
    lock = locks[id(leaf) >> 6 & 63]
    try:                                 # in half the time of `with lock`
        lock.acquire()
        if create:
            add_recorded(leaf, g)
        elif leaf._grad is None:
            leaf._grad = wrap(adopt(g, leaf._data, mine))
        else:
            add_to_grad(leaf._grad, leaf, g)
    finally:
        lock.release()


def add_recorded(leaf, g):
    """Add a Tensor, where the backward pass is recorded."""
    grad = leaf._grad
    if grad is None:
        from ..ops.copies import clone_like
        leaf._grad = clone_like(g, leaf)
    else:
        leaf._grad = g + grad if is_sparse(grad) else grad + g


def add_to_grad(grad, leaf, g):
    """Add an array to what a leaf has, in place."""
    target = grad._data
    if target.__class__ is not ndarray:                   # sparse: the sum may be dense
        leaf._grad = wrap(target + g)
        return
    if target.size >= fast.LARGE and added_by_twin(target, g):
        pass
    elif target.dtype is g.dtype or target.dtype.kind == g.dtype.kind:
        target += g
    else:
        target += g.real.astype(target.dtype) if g.dtype.kind == "c" else g.astype(target.dtype)
    grad._data = target if target.__class__ is ndarray else np.asarray(target)
    grad._cell[0] += 1


def added_by_twin(target, g):
    """Whether a compiled kernel has added a large gradient to what a leaf has."""
    return (target.dtype is g.dtype and fast.has("add") and not np.may_share_memory(target, g)
            and fast.twin("add")(target, g, out=target) is not None)


def adopt(g, array, mine):
    """`g` as an array of `array`'s dtype and layout, copied only if someone else may hold it."""
    if g.__class__ is not ndarray:
        if isinstance(g, np.generic):
            return np.asarray(g, dtype=array.dtype)
        return g.uncounted() if mine else g.copy()        # a sparse array
    if mine and g.dtype is array.dtype and g.strides == array.strides:
        base = g.base
        if base is None or (base.nbytes == g.nbytes and getrefcount(base) <= UNSHARED_BASE):
            return g
    copy = np.empty_like(array if array.__class__ is ndarray else g)
    copy[...] = g.real if g.dtype.kind == "c" and array.dtype.kind != "c" else g
    return copy


AccumulateGrad.accumulate = accumulate


# --------------------------------------------------------------------------- a whole pass

next_task = count(1).__next__
freeing = deque(maxlen=64)     # the last passes that freed a graph: (root, its _seq, caller)


class Task:
    """One backward pass: its number, what it runs, and what to call when it has finished."""

    __slots__ = ("number", "roots", "wanted", "targets", "callbacks", "outer", "depth",
                 "__weakref__")

    def __init__(self, roots, wanted, targets, outer):
        self.number, self.outer = next_task(), outer
        self.depth = 0 if outer is None else outer.depth + 1
        self.roots, self.wanted, self.targets = roots, wanted, targets
        self.callbacks = []

    def will_run(self, node):
        """Whether a gradient for `node` is computed in this pass."""
        if self.wanted is None:
            return node in count_arrivals(self.roots)
        return node in self.wanted or any(node is n for n, _ in self.targets)


def current_task():
    """The backward pass that this thread is in, or None."""
    return state.task


def is_checkpoint_valid():
    """Whether this pass, and those around it, run the whole graph."""
    task = state.task
    while task is not None:
        if task.wanted is not None:
            return False
        task = task.outer
    return True


PASSES_A_THREAD = 60        # nested passes before a new thread, with a recursion limit of its own


def run_in_thread(*args):
    """run() in a new thread with this thread's modes, for deeply nested passes."""
    modes, results = dict(state.__dict__), []
    recording = modes.pop("grad")

    def work():
        state.__dict__.update(modes)
        set_recording(recording)
        try:
            results.append((run(*args), None))
        except BaseException as error:       # raised below, in the thread that waits
            results.append((None, error))
        finally:
            set_recording(True)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    (captured, error), = results
    if error is not None:
        raise error
    return captured


def computes_on_tensors(create) -> bool:
    """Whether gradients are Tensors in this pass: to be recorded, with tangents or batched."""
    modes = state.__dict__
    return create or modes["dual_levels"] != 0 or modes["vmaps"] != 0


def may_be_straight(roots, create) -> bool:
    """Whether a pass may be one that was written out: see NOTE [straight passes]."""
    if features.watch is not None or len(roots) != 1:
        return False
    return not create or (state.grad and state.on_call is None
                          and not (features.recording or features.creation_modes))


def execute(roots, grads, keep, create, wanted=None, targets=(), arrivals=None):
    """run() as a task, in the grad mode that custom Functions and hooks must see.

    Where targets are given, the nodes that lead to them are wanted.
    """
    if roots and not keep:
        root = roots[0][0]
        freeing.append((ref(root), root._seq, caller(_getframe(2))))
    if (wanted is None and may_be_straight(roots, create)
            and not (features.vmap or features.dual)):
        found = straight_pass(roots[0], grads[0], keep, create, targets)
        if found is not None:
            return found                     # no user code ran that could have seen the modes
    if targets and wanted is None:
        arrivals = count_arrivals(roots)
        wanted = nodes_towards({n for n, _ in targets}, arrivals)
    modes = state.__dict__                   # faster than asking `state` for each
    before, outer, hooks = modes["grad"], modes["task"], modes["saved_hooks"]
    on_tensors = computes_on_tensors(create)
    task = Task(roots, wanted, targets, outer)
    modes["task"], modes["saved_hooks"] = task, hooks[:]
    set_recording(create)
    try:
        here = run if task.depth % PASSES_A_THREAD or task.depth == 0 else run_in_thread
        captured = here(roots, grads, keep, on_tensors, wanted, targets, arrivals)
        for callback in task.callbacks:      # a callback may add another
            callback()
        return captured
    finally:
        left = len(hooks) - len(modes["saved_hooks"])
        if left:                             # hooks that a node left on, or took off
            features.count("recording", left)
        modes["task"], modes["saved_hooks"] = outer, hooks
        set_recording(before)
