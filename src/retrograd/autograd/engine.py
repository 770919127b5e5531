"""The backward pass: one loop over nodes, newest first.

NOTE [ordering]
    Of the nodes that have received a gradient the youngest runs next. It has received all of its
    gradients, because every node that leads to it is younger still and has run: NOTE [ages] in
    walks.py. So nothing is counted. The next node and its gradient are handed on in `node` and `g`,
    and only the others wait, in a heap and in `waiting`: a chain never touches these.
    Leaves are outside this order. A leaf that only one edge anywhere leads to, as its reference
    count tells, gets its gradient at once, any other when no node is left to run. A hook could see
    that this is late, so while there are hooks, the gradients that leaves still lack are counted.

NOTE [whose buffer]
    A gradient that arrives at a node is not the engine's to change: the same array may be on its
    way to another node. The sum of two is new; it is marked as the engine's, and a third gradient
    is added to it in place. An unmarked array may be written to, or become a leaf's `.grad`, only
    if nothing else refers to it, as its reference count tells: UNSHARED is the count of an array
    that only the loop knows, HANDED_ON that of a written pass's, in summed().
"""

from __future__ import annotations

from collections import deque
from functools import partial
from heapq import heappop, heappush
from itertools import count
from sys import _getframe, getrefcount
from threading import Lock, Thread
from weakref import ref

import numpy as np

from .._callers import caller
from .._state import features, set_recording, state
from .gradients import ONLY_LOCAL, added_in_place, completed, ndarray, summed
from .node import LEAF_SEQ
from .straight import note_shape, straight_pass
from .walks import count_arrivals, nodes_towards, reachable, renumber


def _references_of_an_unshared_array():
    results = (np.empty(1),)
    d = results[0]
    return getrefcount(d)


# getrefcount() of what only a tuple and one local variable refer to: a result that nobody else
# holds, and a leaf that only the edge of this node leads to
UNSHARED = ONE_EDGE = _references_of_an_unshared_array()


def run(roots, grads, keep=False, create=False, wanted=None, targets=()):
    """Send `grads` backward from the edges `roots`; returns {edge: gradient} for `targets`.

    keep     do not free what the nodes saved
    create   compute on Tensors and record (create_graph)
    wanted   the nodes to run, or None for all
    targets  edges whose gradients are returned
    """
    if features.renumbered:
        renumber(roots)
    elif may_be_straight(roots, create) and (wanted is None or targets):
        note_shape(roots[0], keep, create, wanted, targets)
    if wanted is not None:
        return run_some(roots, grads, keep, create, wanted, targets)
    run_all(roots, grads, keep, create)
    return {}


def run_all(roots, grads, keep, create):
    """Run every node that the roots lead to, in the order of NOTE [ordering].

    It is one long function because its lines run for every node of every graph: calling a helper
    to add up gradients would take another 30 to 80 nanoseconds for each shared input.
    """
    watch = features.watch
    plain = watch is None and not create
    left = count_arrivals(roots) if features.hooks else None
    waiting, ready, node, g = start(roots, grads)
    if left is not None:                                  # roots that are leaves, if complete
        whole = [n for n in waiting if left[n] == 0 and n._seq >= LEAF_SEQ]
        fill_leaves({n: waiting.pop(n) for n in whole}, create)
    while node is not None:
        if g.__class__ is not ndarray:
            g = completed(g, node)
        # From the gradient of the node's output to those of its inputs.
        edges = node.edges
        if g is None and not node.takes_none:
            results = (None,) * len(edges)
        elif not plain:
            results = (watch or run_node)(node, g, edges, create)
        elif node.part is not None and added_in_place(node, g, waiting.get(edges[0])):
            results = (None,)
        else:
            results = node.run(g, edges)
        if not keep:
            node._saved = None
        # Each result goes to the node at its edge. The youngest of these nodes is `following`, with
        # the gradient `g`; the others wait.
        g = following = None
        i = -1
        for n in edges:
            i += 1
            if n is None:
                continue
            d = results[i]
            if n in waiting:
                arrived = waiting[n]
                if arrived[1] and plain and d is not None:
                    # NumPy adds its scalars ten times faster than 0-d arrays
                    arrived[0] += d if arrived[0].__class__ is ndarray else d[()]
                else:
                    add_up(arrived, 0 if node._numbers is None else node._numbers[i], d)
                if left is not None and is_last(left, n):
                    fill_leaves({n: waiting.pop(n)}, create)
            elif n is following:                          # the same input twice, as in x * x
                g = d if g is None else g if d is None else summed(g, d)
            elif n._seq >= LEAF_SEQ:
                if getrefcount(n) > ONE_EDGE if left is None else not is_last(left, n):
                    waiting[n] = [d, False]
                elif d is not None or n.takes_none:
                    mine = not create and getrefcount(d) <= UNSHARED
                    n.accumulate(d, create, mine)
            elif n.n_outputs != 1:
                add_up(wait(n, waiting, ready), 0 if node._numbers is None else node._numbers[i], d)
            elif following is None:
                following, g = n, d
            elif following._seq < n._seq:
                wait(following, waiting, ready)[0] = g
                following, g = n, d
            else:
                wait(n, waiting, ready)[0] = d
        # References left here would make a gradient look as if it were on its way elsewhere too.
        d = results = arrived = None
        # The youngest of all nodes that have a gradient runs next.
        if ready and (following is None or following._seq < -ready[0][0]):
            if following is not None:
                wait(following, waiting, ready)[0] = g
            _, node = heappop(ready)
            g = waiting.pop(node)[0]
        else:
            node = following
    fill_leaves(waiting, create)


def run_some(roots, grads, keep, create, wanted, targets):
    """Run the nodes in `wanted` alone, and return the gradients that arrive at `targets`."""
    captured, goals = {}, {n for n, _ in targets}
    reached = {None, *wanted, *goals}
    watch = features.watch
    plain = watch is None and not create
    left = count_arrivals(roots) if features.hooks else None
    waiting, ready, node, g = start(roots, grads)
    if node is None:
        node, g = next_of(waiting, ready)
    while node is not None:
        if g.__class__ is not ndarray:
            g = completed(g, node)
        # (the hooks of a single root run also if it leads to no target)
        if node in goals or len(roots) == 1 and node not in wanted:
            capture(captured, node, g, create, wanted, targets)
        edges = results = ()
        if node in wanted:
            edges = node.edges
            if not reached.issuperset(edges):
                edges = restricted(node, wanted, targets)
            if g is None and not node.takes_none:
                results = (None,) * len(edges)
            elif node._seq >= LEAF_SEQ:
                node.accumulate(g, create, False)
            elif plain:
                results = node.run(g, edges)
            else:
                results = (watch or run_node)(node, g, edges, create)
            if not keep:
                node._saved = None
        node, g = hand_on(node, edges, results, waiting, ready, left)
    return captured


def hand_on(node, edges, results, waiting, ready, left):
    """Send each of a node's results to the node at its edge, as run_all() does in its own lines.

    Returns the node that runs next, and its gradient.
    """
    g = following = None
    for i, n in enumerate(edges):
        if n is None:
            continue
        arrived = waiting.get(n)
        if arrived is None and following is None and n._seq < LEAF_SEQ and n.n_outputs == 1:
            following, g = n, results[i]
            continue
        if n is following:                                # the same input twice
            arrived = wait(n, waiting, ready)
            arrived[0], following = g, None
        elif arrived is None:
            arrived = wait(n, waiting, ready)
        add_up(arrived, 0 if node._numbers is None else node._numbers[i], results[i])
        if left is not None and is_last(left, n):
            heappush(ready, (-n._seq, n))
    if following is not None and (not ready or following._seq > -ready[0][0]):
        return following, g
    if following is not None:
        wait(following, waiting, ready)[0] = g
    return next_of(waiting, ready)


def start(roots, grads):
    """What a pass begins with: (waiting, ready, the first node to run, its gradient).

    `waiting` is {node: [gradient, whether that is the engine's]}, `ready` the heap of these nodes
    without the leaves. If all roots are leaves, node and gradient are None.
    """
    waiting, ready = {}, []
    if len(roots) == 1 and roots[0][0].n_outputs == 1 and roots[0][0]._seq < LEAF_SEQ:
        return waiting, ready, roots[0][0], grads[0]
    for (n, nr), g in zip(roots, grads, strict=True):
        add_up(waiting.get(n) or wait(n, waiting, ready), nr, g)
    return waiting, ready, *(next_of(waiting, ready) if ready else (None, None))


def wait(node, waiting, ready):
    """Put a node among those that wait; returns its entry, [gradient, whether it is the engine's].

    The gradient is None so far; for a node with several outputs it is a list with one for each.
    Leaves do not enter the heap.
    """
    waiting[node] = arrived = [None if node.n_outputs == 1 else [None] * node.n_outputs, False]
    if node._seq < LEAF_SEQ:
        heappush(ready, (-node._seq, node))
    return arrived


def next_of(waiting, ready):
    """Take out the youngest node that waits, and its gradient; leaves come last."""
    if not waiting:
        return None, None
    node = heappop(ready)[1] if ready else next(iter(waiting))
    return node, waiting.pop(node)[0]


def is_last(left, node):
    """Count a gradient that arrives at `node`. Returns whether it was the last one of a leaf."""
    left[node] -= 1
    return left[node] == 0 and node._seq >= LEAF_SEQ


def fill_leaves(waiting, create):
    """Hand the leaves in `waiting` their gradients."""
    while waiting:
        leaf = next(iter(waiting))
        d, mine = waiting.pop(leaf)
        if d is not None or leaf.takes_none:
            mine = mine or not create and getrefcount(d) <= ONLY_LOCAL
            leaf.accumulate(d, create, mine)


def add_up(arrived, nr, d):
    """Add a gradient, unless it is None, to what has arrived at a node for its output `nr`."""
    old = arrived[0]
    if d is None:
        return
    if old.__class__ is list:
        old[nr] = d if old[nr] is None else old[nr] + d
    elif old is None:
        arrived[0] = d
    else:
        arrived[0], arrived[1] = summed(old, d), True


def capture(captured, node, g, create, wanted, targets):
    """Note the gradient that has arrived at a node, for the edges in `targets` that lead to it."""
    if node not in wanted:               # else its hooks run only when the node does
        g = node.before_capture(g, create)
    for target in targets:
        if target[0] is node and g is not None:
            captured[target] = g if node.n_outputs == 1 else g[target[1]]


def restricted(node, wanted, targets):
    """The edges of a node, with None for those that lead to nothing wanted."""
    if node._numbers is None:
        edges = tuple([n if n in wanted or (n, 0) in targets else None for n in node.edges])
    else:
        edges = tuple([e[0] if e[0] in wanted or e in targets else None
                       for e in node.inputs()])
    if edges != node.edges:
        node.unpack_all()
    return edges


# --------------------------------------------------------------------------- watching

def run_node(node, g, edges, create):
    """Run one node; watchers go around this."""
    return node.run_graph(g, edges) if create else node.run(g, edges)


_watchers, _watching = [], Lock()


def watch_with(watcher) -> None:
    """Let every backward pass run its nodes by `watcher(inner, node, g, edges, create)`.

    The watcher calls `inner(node, g, edges, create)` and returns its result; `inner` is the
    watcher that came before, or run_node().
    """
    with _watching:
        _set_watchers([*_watchers, watcher])


def unwatch(watcher) -> None:
    """Undo watch_with(watcher)."""
    with _watching:
        _set_watchers([w for w in _watchers if w is not watcher])


def has_watchers() -> bool:
    """Whether anyone watches backward passes."""
    return bool(_watchers)


def _set_watchers(watchers):
    _watchers[:] = watchers
    inner = run_node
    for watcher in watchers:
        inner = partial(watcher, inner)
    features.watch = None if inner is run_node else inner


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
            return node in reachable(self.roots)
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
    """Whether a pass that was written out may do it: see NOTE [straight passes]."""
    if features.watch is not None or len(roots) != 1:
        return False
    return not create or (state.grad and state.on_call is None
                          and not (features.recording or features.creation_modes))


def execute(roots, grads, keep, create, wanted=None, targets=()):
    """run() as a Task, in the grad mode that custom Functions and hooks must see.

    If there are targets and nothing is said of `wanted`, the nodes that lead to them are wanted.
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
        wanted = nodes_towards({n for n, _ in targets}, roots)
    modes = state.__dict__                   # faster than asking `state` for each
    before, outer, hooks = modes["grad"], modes["task"], modes["saved_hooks"]
    on_tensors = computes_on_tensors(create)
    task = Task(roots, wanted, targets, outer)
    modes["task"], modes["saved_hooks"] = task, hooks[:]
    try:
        set_recording(create)
        here = run if task.depth % PASSES_A_THREAD or task.depth == 0 else run_in_thread
        captured = here(roots, grads, keep, on_tensors, wanted, targets)
        for callback in task.callbacks:      # a callback may add another
            callback()
        return captured
    finally:
        modes["grad"], modes["task"] = before, outer          # first: see NOTE [interrupts]
        after, modes["saved_hooks"] = modes["saved_hooks"], hooks
        set_recording(before)
        left = len(hooks) - len(after)
        if left:                             # hooks that a node left on, or took off
            features.count("recording", left)
