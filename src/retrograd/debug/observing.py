"""The functions that a Doctor puts in place of those it observes; they tell its checks of calls.

See NOTE [observation] in doctor.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType, GeneratorType
from typing import Any

import numpy as np

from .._callers import caller, is_own
from .._state import state
from .._tensor import Tensor
from ..autograd import engine
from ..autograd.views import CopySlices
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..nn.utils import parametrize
from ..optim.optimizer import Optimizer
from ..random import default_generator
from . import reading, tracing
from .check import Pass
from .names import Names
from .places import forget_locals, place, user_frames
from .rhythm import Rhythm

NETWORKS = 50            # the most networks that get names: looking for one takes a while


class Observers:
    """The functions that stand in for others while a Doctor is at work; each wraps the original."""

    def __init__(self):
        self.passes = 0
        self.arguments: tuple = ()           # of the Module call that has just returned
        self.keywords: dict[str, Any] = {}   # its arguments given by name
        self.calling: list[Module] = []      # the Modules that are being called, innermost last
        self.outermost: list[Any] = [None]   # a mark of that call; checks put in what they know
        self.networks: dict[int, str] = {}   # what the program calls the outermost ones
        self.of_parts: dict[int, dict[str, str]] = {}     # and the parameters of one that has no
                                             # name, such as net[:2]
        self.given: set[int] = set()         # ids of what optimizers were given
        self.batches = 0                     # that DataLoaders of this process have made
        self.rhythm = Rhythm()
        self.aside = False                   # a check runs something itself: no events for that

    def teller(self, event: str) -> Callable[..., None]:
        """A function that passes an event on to the checks that have a method for it."""
        raise NotImplementedError

    def _watch_nodes(self, undo) -> None:
        recorded, before, after = map(self.teller, ("on_node", "before_run", "after_run"))

        def listen(node):
            if self.aside:
                return
            tracing.note(node)
            variables = operator_frame(sys._getframe(1)).f_locals
            recorded(node, variables)

        def watch(inner, node, g, edges, create):
            if self.aside:
                return inner(node, g, edges, create)
            before(node, g)
            results = inner(node, g, edges, create)
            after(node, g, results)
            return results
        tracing.start(listen)
        undo.callback(tracing.stop)
        engine.watch_with(watch)
        undo.callback(engine.unwatch, watch)

    def _pass(self, execute):
        before, after = self.teller("before_pass"), self.teller("after_pass")
        use = self.teller("before_use")

        def observed(roots, grads, keep, create, wanted=None, targets=()):
            arguments = roots, grads, keep, create, wanted, targets
            if self.aside:
                return execute(*arguments)
            starts = [n for n, _ in roots]
            nodes = reading.nodes(starts)
            for node in nodes:
                if isinstance(node, CopySlices):
                    reading.note_of(node)        # a pass frees what knows the line of a write
            use(nodes)
            if state.task is not None or not roots:
                return execute(*arguments)
            self.passes += 1
            where = place(*caller())
            self.rhythm.comes_to(where)
            self.rhythm.goes_through(nodes)
            task = Pass(starts, nodes, keep, create, not targets, where, self.passes,
                        {n for n, _ in targets})
            before(task)
            captured = execute(*arguments)
            task.results = tuple((captured or {}).values())
            after(task)
            task.results = ()
            forget_locals()
            return captured
        return observed

    def _accumulate(self, accumulate):
        tell = self.teller("on_gradient")

        def observed(node, g, create, mine):
            tell(node.variable, g)
            accumulate(node, g, create, False)      # one more frame refers to the array
        return observed

    def _call(self, call):
        tell = self.teller("on_call")

        def observed(module, *args, **kwargs):
            outermost = not self.calling and sys._getframe(1).f_globals is not vars(parametrize)
            where = place(*caller()) if outermost else None
            if where is not None:
                self.rhythm.comes_to(where)
                self.rhythm.is_given(where, reading.shapes_of(args))
            if not self.calling:
                self.outermost = [None]
            self.calling.append(module)
            try:
                result = call(module, *args, **kwargs)
            finally:
                self.calling.pop()
            if outermost and id(module) not in self.networks and len(self.networks) < NETWORKS:
                self.note_names(module)
            self.arguments, self.keywords = args, kwargs
            tell(module, outermost, result, where)
            self.arguments, self.keywords = (), {}
            return result
        return observed

    def note_names(self, network: Module) -> None:
        """Note what the program calls a network, or its parameters if it has no name itself."""
        names = Names(user_frames())
        known = self.networks[id(network)] = names.of(network) or ""
        self.of_parts[id(network)] = {} if known else {
            path: name for path, p in network.named_parameters() if (name := names.of(p))}

    def _attribute(self, set_attribute):
        tell = self.teller("on_part")

        def observed(module, name, value):
            if isinstance(value, (Parameter, Module)) and "_modules" in vars(module):
                tell(module, name, value, caller())
            set_attribute(module, name, value)
        return observed

    def _state(self, state_dict):
        tell = self.teller("on_state")

        def observed(module, *args, **kwargs):
            result = state_dict(module, *args, **kwargs)
            if not is_own(sys._getframe(1).f_code.co_filename):      # else it is one of a part
                tell(result, place(*caller()))
            return result
        return observed

    def _load(self, load):
        tell = self.teller("on_load")

        def observed(module, state_dict, *args, **kwargs):
            if isinstance(state_dict, Mapping):              # else it is refused
                tell(module, state_dict, kwargs.get("strict", (*args, True)[0]), place(*caller()))
            return load(module, state_dict, *args, **kwargs)
        return observed

    def _taken_out(self, what):
        tell = self.teller("on_outside")

        def make(method):
            def observed(t, **options):
                if what == "detach_()":                  # which leaves nothing to see
                    tell(t, what, t)
                result = method(t, **options)
                if what != "detach_()":
                    tell(t, what, result)
                return result
            return observed
        return make

    def _compared(self, name):
        tell, told_of_all = self.teller("on_compared"), "sub" not in name
        tell_of_bytes = self.teller("on_wrapped")

        def make(method):
            def observed(*args, **kwargs):
                result = None                        # where the shapes do not fit
                try:
                    result = method(*args, **kwargs)
                finally:
                    t, other = reading.first_two(args, kwargs)
                    if isinstance(other, Tensor) and isinstance(t, Tensor) and (
                            told_of_all or t._data.shape != other._data.shape
                            or t._data is other._data) and (
                            not is_own(sys._getframe(1).f_code.co_filename)):
                        tell(name.strip("_"), t, other, result)
                if not told_of_all and isinstance(result, Tensor) and (
                        result._data.dtype == np.uint8) and (result._data > t._data).any():
                    tell_of_bytes(t, other)
                return result
            return observed
        return make

    def _put(self, put):
        tell = self.teller("on_put")

        def observed(t, index, value):
            parts = index if type(index) is tuple else (index,)
            if any(isinstance(part, (Tensor, list)) for part in parts):
                tell(t, index)
            return put(t, index, value)
        return observed

    def _scaled(self, multiply):
        tell = self.teller("on_scaled")

        def observed(t, other):
            result = multiply(t, other)
            if isinstance(other, Tensor):
                one, several = t._data.shape, other._data.shape
                if len(one) > len(several):
                    one, several = several, one
                if len(one) == 1 and len(several) > 1 and several[0] == several[-1] == one[0] > 1:
                    tell(t, other)
            return result
        return observed

    def _picked(self, pick):
        tell = self.teller("on_picked")

        def observed(*args, **kwargs):
            result = pick(*args, **kwargs)
            t, dim = reading.first_two(args, kwargs)
            if type(dim) is int and isinstance(t, Tensor):
                tell(pick.__name__, t, dim, result)
            return result
        return observed

    def _decided(self, decide):
        tell = self.teller("on_decided")

        def observed(*args, **kwargs):
            result = decide(*args, **kwargs)
            t, bound = reading.first_two(args, kwargs)
            half = type(bound) is float and bound == 0.5
            if isinstance(t, Tensor) and (half or len(args) + len(kwargs) == 1):     # round(t)
                tell(t)
            return result
        return observed

    def _whole(self, convert):
        tell = self.teller("on_whole")

        def observed(t, *args, **kwargs):
            result = convert(t, *args, **kwargs)
            if isinstance(t, Tensor) and t._data.dtype.kind == "f" and not is_own(
                    sys._getframe(1).f_code.co_filename):
                tell(t, result)
            return result
        return observed

    def _non_leaf(self, explained):
        tell = self.teller("on_no_gradient")

        def observed(t):
            text = explained(t)
            tell(t, text)
            return text
        return observed

    def _sample(self, sample):
        tell, tell_of_choice = self.teller("on_draw"), self.teller("on_choice")

        def observed(distribution, *args, **kwargs):
            result = sample(distribution, *args, **kwargs)
            if state.grad:
                which = tell if distribution.has_rsample else tell_of_choice
                which(distribution, result, place(*caller()))
            return result
        return observed

    def _density(self, density):
        tell = self.teller("on_density")

        def observed(distribution, *args, **kwargs):
            result = density(distribution, *args, **kwargs)
            tell(distribution, next(iter((*args, *kwargs.values())), None), result)
            return result
        return observed

    def _data(self, data):
        tell, tell_of_new = self.teller("on_outside"), self.teller("on_new_memory")

        def get(t):
            result = data.fget(t)
            tell(t, ".data", result)
            return result

        def put(t, value):
            data.fset(t, value)
            tell_of_new(t, value, caller())
        return property(get, put, data.fdel, data.__doc__)

    def _clip(self, clip):
        tell = self.teller("on_clip")

        def observed(parameters, *args, **kwargs):
            params = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            limit = kwargs.get("max_norm", kwargs.get("clip_value", (*args, None)[0]))
            tell(params, limit, place(*caller()))
            if isinstance(parameters, GeneratorType):        # clip() warns of an empty one
                parameters = (p for p in params)
            return clip(parameters, *args, **kwargs)
        return observed

    def _unpacked(self, unpack):
        tell = self.teller("on_unpacked")

        def observed(*args, **kwargs):
            result = unpack(*args, **kwargs)
            tell(*result)
            return result
        return observed

    def _checkpoint(self, checkpoint):
        tell = self.teller("on_checkpoint")

        def observed(*args, **kwargs):
            before = None if kwargs.get("preserve_rng_state", True) else \
                default_generator.get_state()._data
            result = checkpoint(*args, **kwargs)
            if before is not None:
                drawn = (default_generator.get_state()._data != before).any()
                tell(bool(drawn), place(*caller()))
            return result
        return observed

    def _function(self, function):
        tell = self.teller("on_function")

        def observed(*args, **kwargs):
            tell(function.__name__, args, kwargs)
            return function(*args, **kwargs)
        return observed

    def _schedule(self, warn):
        tell = self.teller("on_schedule")

        def observed(schedule):
            if not getattr(schedule.optimizer, "_opt_called", False):
                tell(schedule.optimizer, place(*caller()))
            warn(schedule)
        return observed

    def _scheduler(self, make):
        tell = self.teller("on_scheduler")

        def observed(scheduler, *args, **kwargs):
            make(scheduler, *args, **kwargs)
            tell(scheduler, place(*caller()))
        return observed

    def _scaler(self, call):
        tell = self.teller("on_scaler")

        def observed(scaler, *args, **kwargs):
            given = (*args, *kwargs.values())
            if scaler.is_enabled():
                tell(next((x for x in given if isinstance(x, Optimizer)), None))
            return call(scaler, *args, **kwargs)
        return observed

    def _seed(self, manual_seed):
        tell = self.teller("on_seed")

        def observed(generator, seed):
            if generator is default_generator:
                tell(seed, place(*caller()))
            return manual_seed(generator, seed)
        return observed

    def _init(self, init):
        tell = self.teller("on_init")

        def observed(*args, **kwargs):
            t = reading.first_of(args, kwargs, "tensor")
            if id(t) in self.given:
                tell(t)
            return init(*args, **kwargs)
        return observed

    def _fetch(self, fetch):
        tell, tell_of_batch = self.teller("on_samples"), self.teller("on_batch")

        def observed(fetcher, index):
            self.batches += 1
            collate = fetcher.collate_fn

            def told(samples):
                tell(fetcher.dataset, samples)
                batch = collate(samples)
                tell_of_batch(samples, batch, collate)
                return batch
            fetcher.collate_fn = told
            try:
                return fetch(fetcher, index)
            finally:
                fetcher.collate_fn = collate
        return observed

    def _loader(self, make):
        tell = self.teller("on_loader")

        def observed(loader, *args, **kwargs):
            make(loader, *args, **kwargs)
            tell(loader, place(*caller()))
        return observed

    def _reading(self, begin):
        tell = self.teller("on_reading")

        def observed(loader):
            tell(loader, place(*caller()))
            return begin(loader)
        return observed

    def _optimizer(self, make):
        tell = self.teller("on_optimizer")

        def observed(optimizer, *args, **kwargs):
            make(optimizer, *args, **kwargs)
            self.given |= {id(p) for group in optimizer.param_groups for p in group["params"]}
            tell(optimizer, place(*caller()))
        return observed

    def _step(self):
        tell = self.teller("on_step")

        def hook(optimizer, args, kwargs):
            where = place(*caller())
            self.rhythm.steps_at(where)
            tell(optimizer, reading.closure_in(args, kwargs), where)
            forget_locals()
        return hook

    def _stepped(self):
        tell = self.teller("after_step")

        def hook(optimizer, args, kwargs):
            tell(optimizer, reading.closure_in(args, kwargs))
            self.rhythm.step_ends()
        return hook

    def _hooks(self, call):
        tell = self.teller("on_zeros")

        def observed(*args):
            several = next((a for a in args if isinstance(a, dict)), None)
            if not several:
                return call(*args)
            given = args[1] if args[0] is several else args[2]
            before = reading.are_zeros(given)              # before: a hook may write into it
            result = call(*args)
            if not before and reading.are_zeros(result):
                tell(next(iter(several.values())))
            return result
        return observed


def operator_frame(frame: FrameType | None) -> FrameType:
    """The frame of the operator that has just made a node: the caller of `finish`."""
    while frame.f_code.co_name == "finish" or not is_operator(frame):    # type: ignore[union-attr]
        frame = frame.f_back                                             # type: ignore[union-attr]
    return frame                                                         # type: ignore[return-value]


def is_operator(frame: FrameType) -> bool:
    """Whether a frame can have made a node: not the Doctor's own."""
    return is_own(frame.f_code.co_filename) and frame.f_globals.get("__name__") != __name__
