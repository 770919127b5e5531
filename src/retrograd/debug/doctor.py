"""The Doctor: a program is run under observation, and what it does wrong is reported.

NOTE [observation]
    While a Doctor is at work, a few things are replaced for all threads: the function that runs a
    backward pass, AccumulateGrad's method, Module.__call__, Tensor.data, numpy and detach, and the
    functions that clip. Nodes are traced (tracing.py) and watched (engine.watch_with); optimizers
    have a hook, and report when they are made. Each of these events is passed on to the checks
    that have a method for it. When the Doctor stops, everything is put back.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from importlib import import_module

from .._tensor import Tensor
from .._torch_function import INITIAL, keeper, show_as
from ..amp.grad_scaler import GradScaler
from ..autograd import engine, explain, hooks
from ..autograd.node import AccumulateGrad
from ..distributions import Bernoulli, Categorical, Distribution, Independent, Normal
from ..nn import functional, init
from ..nn import utils as nn_utils
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..ops.public import stand_for
from ..optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from ..optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from ..random import Generator
from ..utils.data._utils.fetch import _MapDatasetFetcher
from ..utils.data.dataloader import DataLoader
from . import reading
from .check import KEYS, Check
from .findings import Report
from .observing import Observers
from .places import Place, is_our_function

# The files checks_<topic>.py, in the order in which their checks receive events
TOPICS = ("parameters", "training", "lost", "steps", "graph", "values", "scores", "dimensions",
          "losses", "constants", "targets", "sequences", "attention", "padding", "networks",
          "modes", "gradients", "settings", "optimizers", "schedules", "copies", "functions",
          "directions", "goals", "uphill", "upkeep", "measures", "own", "layout", "leaks", "forms",
          "data", "splits", "rules", "rates", "loaders", "updates", "bounds", "aliases", "likeness",
          "writes", "derivatives", "followers", "widths", "batches", "draws", "layers", "shares",
          "loops", "inputs")
FUNCTIONS = ("dropout", "kl_div", "cross_entropy", "soft_margin_loss", "hinge_embedding_loss",
             "margin_ranking_loss", "cosine_embedding_loss", "ctc_loss", "mse_loss", "l1_loss",
             "smooth_l1_loss", "huber_loss", "triplet_margin_loss",
             "triplet_margin_with_distance_loss", "poisson_nll_loss", "gumbel_softmax",
             "grid_sample")
# What happens now and then, and is told to checks that rest, too
ALWAYS_TOLD = {"on_optimizer", "on_part", "on_new_memory", "on_state", "on_load", "at_end"}
DENSITIES = {"log_prob", "entropy"}
COMPARING = ("__eq__", "eq", "__ne__", "ne", "__sub__", "sub", "equal", "allclose")
COMPARING_FUNCTIONS = ("eq", "ne", "sub", "equal", "allclose")
PICKING = ("argmax", "max", "softmax")
DECIDING = ("__gt__", "gt", "__ge__", "ge", "round")
WHOLE = ("long", "int")
TAKING_OUT = ("numpy", "detach", "detach_", "item", "tolist")


class Doctor(Observers):
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
        super().__init__()
        self.report = Report(program)
        modules = [import_module(f"{__package__}.checks_{topic}") for topic in TOPICS]
        self.checks = [check(self) for module in modules for check in module.CHECKS]
        self.standing: set[int] = set()      # ids of parameters of target networks, not trained
        self.taken: dict[int, dict[str, tuple[Place, str]]] = {}     # leaf -> lines that cut it off
        self.explained: set[int] = set()     # leaves without a gradient, whose cut is known
        self.asked: dict[int, Place] = {}    # leaf -> the autograd.grad() that was asked for it
        self.undo = contextlib.ExitStack()

    def is_trained(self, leaf: Tensor) -> bool:
        """Whether a leaf stays and is trained; an input of one pass must not be kept alive."""
        return isinstance(leaf, Parameter) or id(leaf) in self.given

    def teller(self, event: str) -> Callable[..., None]:
        """A function that passes an event on to the checks that have a method for it.

        A method that fails is left out from then on: it must not end the program that it observes.
        It stays if it failed because a tensor has no numbers to read, or because the program has
        called itself so often that there is no room for a call.
        """
        methods = [getattr(check, event) for check in self.checks
                   if getattr(type(check), event) is not getattr(Check, event)]
        key_of, rhythm, may_rest = KEYS.get(event), self.rhythm, event not in ALWAYS_TOLD
        wanting: tuple[dict, dict] = {}, {}      # case -> the methods that are told of it, also
                                                 # while some rest

        def choose(key, resting) -> list:
            return [m for m in methods if key in getattr(m, "keys", (key,))
                    and not (resting and m.__self__.rests)]

        def tell(*facts):
            resting = may_rest and rhythm.resting
            key = None if key_of is None else key_of(*facts)
            chosen = wanting[resting].get(key)
            if chosen is None:
                chosen = wanting[resting][key] = choose(key, resting)
            for method in chosen:
                try:
                    method(*facts)
                except (NotImplementedError, RecursionError):    # of a sparse or wrapper tensor
                    continue
                except Exception as error:
                    methods.remove(method)
                    for table in wanting:
                        table.clear()
                    name, kind = type(method.__self__).__name__, type(error).__name__
                    self.report.left_out.append(f"{name}.{event}: {kind}: {error}")
        return tell

    def named(self, network: Module, path: str) -> str:
        """What the program calls a part of a network: "net.layers.0.weight"."""
        if (known := self.of_parts.get(id(network), {}).get(path)) is not None:
            return known
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
        for name in (*TAKING_OUT, *COMPARING, *PICKING, *DECIDING, *WHOLE, "data", "__setitem__",
                     "__mul__"):
            undo.callback(keeper(Tensor, name))
        for name in TAKING_OUT:
            self._replace(undo, Tensor, name, self._taken_out(name + "()"))
        for name in COMPARING:
            self._replace(undo, Tensor, name, self._compared(name))
        self._replace(undo, Tensor, "__setitem__", self._put)
        self._replace(undo, Tensor, "__mul__", self._scaled)
        for name in WHOLE:
            self._replace(undo, Tensor, name, self._whole)
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
        for kind in (Distribution, Independent, Normal, Bernoulli, Categorical):
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
        self._replace(undo, DataLoader, "__init__", self._loader)
        self._replace(undo, DataLoader, "__iter__", self._reading)
        for name in INITIAL:
            undo.callback(keeper(init, name))
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
