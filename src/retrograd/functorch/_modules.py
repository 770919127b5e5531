"""Modules as functions of their parameters, in the form that functional_call has replaced."""

from __future__ import annotations

import copy

from ..func.modules import check_alike
from ..nn import Module
from ..nn.utils.stateless import _functional_call
from ..ops.join import stack


class FunctionalModule(Module):
    """A module as a function: `f(params, *args)`."""

    def __init__(self, stateless_model, param_names):
        super().__init__()
        self.stateless_model, self.param_names = stateless_model, param_names

    def forward(self, params, *args, **kwargs):
        named = dict(zip(self.param_names, params, strict=True))
        return _functional_call(self.stateless_model, named, args, kwargs)


class FunctionalModuleWithBuffers(Module):
    """A module as a function: `f(params, buffers, *args)`."""

    def __init__(self, stateless_model, param_names, buffer_names):
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = param_names, buffer_names

    def forward(self, params, buffers, *args, **kwargs):
        named = dict(zip(self.param_names + self.buffer_names, (*params, *buffers), strict=True))
        return _functional_call(self.stateless_model, named, args, kwargs)


def make_functional(model, disable_autograd_tracking: bool = False):
    """(`model` as a function of its parameters, copies of them).

    RuntimeError if the model has buffers.
    """
    if any(True for _ in model.buffers()):
        raise RuntimeError("make_functional(model): `model` has buffers. Please use "
                           "make_functional_with_buffers(model) instead.")
    model, names, params = _copied(model, disable_autograd_tracking)
    return FunctionalModule(model, names), params


def make_functional_with_buffers(model, disable_autograd_tracking: bool = False):
    """(`model` as a function of its parameters and buffers, copies of these, copies of those)."""
    model, names, params = _copied(model, disable_autograd_tracking)
    buffers = dict(model.named_buffers())
    made = FunctionalModuleWithBuffers(model, names, tuple(buffers))
    return made, params, tuple(buffers.values())


def _copied(model, constant):
    """(a copy of the model, the names of its parameters, the parameters)."""
    model = copy.deepcopy(model)
    params = dict(model.named_parameters())
    if constant:
        for param in params.values():
            param.requires_grad_(False)
    return model, tuple(params), tuple(params.values())


def combine_state_for_ensemble(models):
    """(one of the models as a function, all parameters and all buffers stacked along dimension 0).

    For vmap over models of one architecture. RuntimeError if they differ in class or mode.
    """
    models = check_alike("combine_state_for_ensemble", models)
    made, params, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    return made[0], _stacked(params), _stacked(buffers)


def _stacked(tensors) -> tuple:
    return tuple(stack(same).detach() for same in zip(*tensors, strict=True))
