"""The Doctor: a program is run under observation, and what it does wrong is reported.

NOTE [observation]
    While a Doctor is at work, a few things are replaced, for all threads: the function that runs a
    backward pass, AccumulateGrad's method, Module.__call__, Tensor.data, numpy and detach, and the
    functions that clip; nodes are traced (tracing.py) and watched (engine.watch_with), optimizers
    have a hook and report that they were made. Each of these calls the checks that have a method
    for it. Nothing of this remains when the Doctor stops.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from importlib import import_module
from types import FrameType, GeneratorType
from typing import Any

from .._callers import caller, is_own
from .._state import state
from .._tensor import Tensor
from .._torch_function import keeper, show_as
from ..amp.grad_scaler import GradScaler
from ..autograd import engine, explain, hooks
from ..autograd.node import AccumulateGrad
from ..distributions import Distribution, Independent, Normal
from ..nn import functional, init
from ..nn import utils as nn_utils
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..nn.utils import parametrize
from ..ops.public import stand_for
from ..optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from ..optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from ..random import Generator, default_generator
from ..utils.data._utils.fetch import _MapDatasetFetcher
from . import reading, tracing
from .check import KEYS, Check, Pass
from .findings import Report
from .names import Names
from .places import Place, forget_locals, is_our_function, place, user_frames
from .rhythm import Rhythm

# The files checks_<topic>.py, in the order in which their checks receive events
TOPICS = ("parameters", "training", "lost", "steps", "graph", "values", "scores", "losses",
          "constants", "targets", "sequences", "networks", "modes", "gradients", "settings",
          "optimizers", "schedules", "copies", "functions", "directions", "goals", "uphill",
          "upkeep", "measures", "own", "layout", "leaks", "forms", "data")
NETWORKS = 50            # that are given names: looking for one takes a while
FUNCTIONS = ("dropout", "kl_div", "cross_entropy", "soft_margin_loss", "hinge_embedding_loss",
             "margin_ranking_loss", "cosine_embedding_loss", "ctc_loss", "mse_loss", "l1_loss",
             "smooth_l1_loss", "huber_loss", "triplet_margin_loss",
             "triplet_margin_with_distance_loss")
DENSITIES = {"log_prob", "entropy"}
COMPARING = ("__eq__", "eq", "__ne__", "ne", "__sub__", "sub")
COMPARING_FUNCTIONS = ("eq", "ne", "sub")
PICKING = ("argmax", "max", "softmax")
DECIDING = ("__gt__", "gt", "__ge__", "ge", "round")
TAKING_OUT = ("numpy", "detach", "detach_", "item", "tolist")


class Doctor:
    """Observe what runs in a `with` block; `report` holds the findings after it.

    >>> import retrograd as torch
    >>> from retrograd.debug.doctor import Doctor
    >>> with Doctor() as doctor:
    ...     w = torch.zeros(2, requires_grad=True)
    ...     optimizer = torch.optim.SGD([w], lr=0.1)
    ...     optimizer.step()
    >>> doctor.report.findings[0].what
    'step() found no gradient in its 1 parameter: nothing was changed'
    """

    def __init__(self, program: str = "this program"):
        self.report = Report(program)
        modules = [import_module(f"{__package__}.checks_{topic}") for topic in TOPICS]
        self.checks = [check(self) for module in modules for check in module.CHECKS]
        self.passes = 0
        self.arguments: tuple = ()           # of the Module call that has just returned
        self.keywords: dict[str, Any] = {}   # its arguments given by name
        self.calling: list[Module] = []      # the Modules that are being called, innermost last
        self.outermost: list[Any] = [None]   # a mark of that call; checks put in what they know
        self.networks: dict[int, str] = {}   # what the program calls the outermost ones
        self.given: set[int] = set()         # ids of what optimizers were given
        self.standing: set[int] = set()      # ids of parameters of target networks, not trained
        self.taken: dict[int, dict[str, tuple[Place, str]]] = {}     # leaf -> lines that cut it off
        self.explained: set[int] = set()     # leaves without a gradient, whose cut is known
        self.rhythm = Rhythm()
        self.aside = False                   # a check runs something itself: no events for that
        self.undo = contextlib.ExitStack()

    def is_trained(self, leaf: Tensor) -> bool:
        """Whether a leaf stays and is trained; an input of one pass must not be kept alive."""
        return isinstance(leaf, Parameter) or id(leaf) in self.given

    def teller(self, event: str) -> Callable[..., None]:
        """A function that passes an event on to the checks that have a method for it.

        A method that fails is left out from then on: it must not end the program that it observes.
        If it failed because a tensor has no numbers to read, it stays.
        """
        methods = [getattr(check, event) for check in self.checks
                   if getattr(type(check), event) is not getattr(Check, event)]
        key_of = KEYS.get(event, lambda *facts: None)
        wanting: dict[Any, list] = {}            # case -> the methods that are told of it

        def tell(*facts):
            key = key_of(*facts)
            resting = self.rhythm.resting and event != "at_end"
            if (resting, key) not in wanting:
                wanting[resting, key] = [m for m in methods if key in getattr(m, "keys", (key,))
                                         and not (resting and m.__self__.rests)]
            for method in wanting[resting, key][:]:
                try:
                    method(*facts)
                except NotImplementedError:      # of a sparse, masked or wrapper tensor
                    continue
                except Exception as error:
                    methods.remove(method)
                    wanting.clear()
                    name, kind = type(method.__self__).__name__, type(error).__name__
                    self.report.left_out.append(f"{name}.{event}: {kind}: {error}")
        return tell

    def named(self, network: Module, path: str) -> str:
        """What the program calls a part of a network: "net.layers.0.weight"."""
        return ".".join(part for part in (self.networks.get(id(network), ""), path) if part)

    # ---------------------------------------------------------------- on and off
    def __enter__(self) -> Doctor:
        with contextlib.ExitStack() as undo:       # if one of these fails, all is undone
            self._observe_passes(undo)
            self._observe_tensors(undo)
            self._observe_modules(undo)
            self._observe_functions(undo)
            self._observe_distributions(undo)
            self._observe_training(undo)
            self.undo = undo.pop_all()
        return self

    def __exit__(self, *exc_info) -> None:
        self.undo.close()
        self.teller("at_end")()
        self.report.passes = self.passes

    def _replace(self, undo, owner, name, make) -> None:
        old = getattr(owner, name)
        undo.callback(setattr, owner, name, old)
        new = functools.wraps(old)(make(old))
        setattr(owner, name, new)

    def _observe_passes(self, undo) -> None:
        self._watch_nodes(undo)
        self._replace(undo, engine, "execute", self._pass)
        self._replace(undo, AccumulateGrad, "accumulate", self._accumulate)
        for name in ("_call_tensor_hooks", "_call_prehooks", "_call_posthooks"):
            self._replace(undo, hooks, name, self._hooks)

    def _observe_tensors(self, undo) -> None:
        for name in (*TAKING_OUT, *COMPARING, *PICKING, *DECIDING, "data"):
            undo.callback(keeper(Tensor, name))
        for name in TAKING_OUT:
            self._replace(undo, Tensor, name, self._taken_out(name + "()"))
        for name in COMPARING:
            self._replace(undo, Tensor, name, self._compared(name))
        for name in PICKING:
            self._replace(undo, Tensor, name, self._picked)
        for name in DECIDING:
            self._replace(undo, Tensor, name, self._decided)
        Tensor.data = self._data(Tensor.data)
        self._replace(undo, explain, "non_leaf_grad", self._non_leaf)

    def _observe_modules(self, undo) -> None:
        self._replace(undo, Module, "__call__", self._call)
        self._replace(undo, Module, "__setattr__", self._attribute)
        self._replace(undo, Module, "state_dict", self._state)
        self._replace(undo, Module, "load_state_dict", self._load)

    def _observe_functions(self, undo) -> None:
        package = sys.modules[__package__.partition(".")[0]]
        for name in FUNCTIONS:
            self._stand_for(undo, functional, name, self._function)
        for name in COMPARING_FUNCTIONS:
            self._stand_for(undo, package, name, self._compared(name))
        for name in PICKING:                     # F.softmax() calls the method
            self._stand_for(undo, package, name, self._picked)
        for name in ("gt", "ge", "round"):
            self._stand_for(undo, package, name, self._decided)
        for name in {*COMPARING, *PICKING, *DECIDING} - {"__eq__"}:
            undo.callback(show_as(getattr(Tensor, name), getattr(package, name.strip("_"))))
        equal = Tensor.__eq__                    # alone of these x == y is shown as the method
        undo.callback(show_as(equal.__wrapped__, equal))         # type: ignore[attr-defined]
        self._replace(undo, nn_utils.rnn, "pad_packed_sequence", self._unpacked)
        self._replace(undo, import_module("..utils.checkpoint", __package__), "checkpoint",
                      self._checkpoint)

    def _observe_distributions(self, undo) -> None:
        for kind in (Distribution, Independent, Normal):
            self._replace(undo, kind, "sample", self._sample)
        for kind in reading.kinds_of(Distribution):
            for name in DENSITIES & vars(kind).keys():
                if is_our_function(getattr(kind, name)):
                    self._replace(undo, kind, name, self._density)

    def _observe_training(self, undo) -> None:
        """Optimizers and what belongs to them: schedules, clipping, scalers, seeds."""
        self._replace(undo, Optimizer, "__init__", self._optimizer)
        undo.callback(register_optimizer_step_pre_hook(self._step()).remove)
        undo.callback(register_optimizer_step_post_hook(self._stepped()).remove)
        self._replace(undo, LRScheduler, "_warn_of_order", self._schedule)
        for kind in (LRScheduler, ReduceLROnPlateau):
            self._replace(undo, kind, "__init__", self._scheduler)
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            self._replace(undo, nn_utils, name, self._clip)
        for name in ("scale", "unscale_"):
            self._replace(undo, GradScaler, name, self._scaler)
        self._replace(undo, Generator, "manual_seed", self._seed)
        self._replace(undo, _MapDatasetFetcher, "fetch", self._fetch)
        for name in vars(init):
            if name.endswith("_") and not name.startswith("_"):
                self._replace(undo, init, name, self._init)

    def _stand_for(self, undo, owner, name, make) -> None:
        """Replace a public function of a module."""
        old = getattr(owner, name)               # which may be bound by that
        undo.callback(keeper(owner, name))
        self._replace(undo, owner, name, make)
        new = getattr(owner, name)
        undo.callback(stand_for(new))
        undo.callback(show_as(old, new))
        if getattr(vars(Tensor).get(name), "__wrapped__", None) is old:
            setattr(Tensor, name, new)           # Tensor.eq is torch.eq, as pickle has to find

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

    # ---------------------------------------------------------------- what is replaced
    def _pass(self, execute):
        before, after = self.teller("before_pass"), self.teller("after_pass")
        use = self.teller("before_use")

        def observed(roots, grads, keep, create, wanted=None, targets=()):
            arguments = roots, grads, keep, create, wanted, targets
            if self.aside:
                return execute(*arguments)
            starts = [n for n, _ in roots]
            nodes = reading.nodes(starts)
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
                self.networks[id(module)] = Names(user_frames()).of(module) or ""
            self.arguments, self.keywords = args, kwargs
            tell(module, outermost, result, where)
            self.arguments, self.keywords = (), {}
            return result
        return observed

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

        def make(method):
            def observed(*args, **kwargs):
                result = None                        # where the shapes do not fit
                try:
                    result = method(*args, **kwargs)
                finally:
                    t, other = reading.first_two(args, kwargs)
                    if isinstance(other, Tensor) and isinstance(t, Tensor) and (
                            told_of_all or t._data.shape != other._data.shape) and (
                            not is_own(sys._getframe(1).f_code.co_filename)):
                        tell(name.strip("_"), t, other, result)
                return result
            return observed
        return make

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

    def _non_leaf(self, explained):
        tell = self.teller("on_no_gradient")

        def observed(t, sentence):
            text = explained(t, sentence)
            tell(t, text)
            return text
        return observed

    def _sample(self, sample):
        tell = self.teller("on_draw")

        def observed(distribution, *args, **kwargs):
            result = sample(distribution, *args, **kwargs)
            if distribution.has_rsample and state.grad:
                tell(distribution, result, place(*caller()))
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
        tell = self.teller("on_samples")

        def observed(fetcher, index):
            collate = fetcher.collate_fn

            def told(samples):
                tell(fetcher.dataset, samples)
                return collate(samples)
            fetcher.collate_fn = told
            try:
                return fetch(fetcher, index)
            finally:
                fetcher.collate_fn = collate
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
