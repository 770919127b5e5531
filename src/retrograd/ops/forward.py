"""Forward mode: the tangent of an operator's result, by the rule in its declaration."""

from __future__ import annotations

import inspect
from functools import cache

from .arguments import shown
from .declare import F as T

NO_RULE = ("Trying to use forward AD with {name} that does not support it because it has not been "
           "implemented yet.\nPlease file an issue to PyTorch at "
           "https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we "
           "can prioritize its implementation or submit a PR adding the implementation to "
           "derivatives.yaml")


def tangent(op, inputs, tangents, consts, result, F):
    """How `result` moves as each input moves along its tangent (None: it stands still).

    `F` is the namespace of the values: the operators for Tensors, the kernels for arrays. Returns
    None where nothing moves; a tuple for an operator with several outputs. Raises
    NotImplementedError for an operator without a rule.
    """
    moving = [_moves(t) for t in tangents]
    if True not in moving:
        return None
    rule, refusing = op.jvp, _refusing(op)
    if rule is None or refusing and any(
            m and i in refusing for i, m in zip(op.inputs, moving, strict=False)):
        raise NotImplementedError(NO_RULE.format(name=shown(op)))
    if rule == "linear":
        return _linear(op, inputs, tangents, consts, F)
    values = _values(op, inputs, consts, result)
    if rule == "elementwise":
        return _elementwise(op, tangents, values, F)
    values.update(zip([f"{i}_t" for i in op.inputs], tangents, strict=True))
    return rule(F, *_arguments(op, rule, values))


def _arguments(op, rule, values):
    """What a rule asks for by name; other names, or a star, take the plain values left over."""
    names = _names(rule)[1:]
    rest = iter([values[c] for c in op.consts if c not in names])
    args = []
    for name in names:
        if name in values:
            args.append(values[name])
        elif inspect.signature(rule).parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            args.extend(rest)
        else:
            args.append(next(rest))
    return args


def _moves(t):
    return any(one is not None for one in t) if isinstance(t, list) else t is not None


@cache
def _names(rule):
    return tuple(inspect.signature(rule).parameters)


@cache
def _refusing(op):
    """The inputs that have no derivative."""
    return {i for i in op.inputs if hasattr(op.formulas.get(i), "refuses")}


@cache
def _described(op):
    """The inputs whose shape, dtype or strides a formula or the rule of `op` names."""
    asked = {name for rule in (op.jvp, *op.formulas.values()) if callable(rule)
             for name in _names(rule)}
    return {i for i in op.inputs if asked & {f"{i}_shape", f"{i}_dtype", f"{i}_strides"}}


def _values(op, inputs, consts, result):
    """What a formula may ask for, by name."""
    values = dict(zip(op.inputs, inputs, strict=True))
    values.update(zip(op.consts, consts, strict=False))
    for i in _described(op):
        x = values[i]
        if isinstance(x, (list, tuple)):
            values[f"{i}_shape"] = [tuple(one.shape) for one in x]
        elif x is not None:
            array = getattr(x, "_data", x)
            values |= {f"{i}_shape": array.shape, f"{i}_dtype": array.dtype,
                       f"{i}_strides": array.strides}
    values.update(zip(op.outputs, result if isinstance(result, tuple) else (result,),
                      strict=False))
    return values


def _linear(op, inputs, tangents, consts, F):
    """A linear operator maps tangents as it maps values."""
    if F is T:
        apply = op.fn
    else:
        apply = op.kernel or getattr(F, op.kernel_name)
    return apply(*[_or_zeros(x, t, F) for x, t in zip(inputs, tangents, strict=True)], *consts)


def _or_zeros(x, t, F):
    if isinstance(x, (list, tuple)):
        return [_or_zeros(one, rate, F) for one, rate in zip(x, t, strict=True)]
    return F.zeros_like(x) if t is None and x is not None else t


def _elementwise(op, tangents, values, F):
    """The gradient g * conj(f'(x)) read forward: t * f'(x)."""
    moved = None
    for i, t in zip(op.inputs, tangents, strict=True):
        if t is not None:
            formula = op.formulas[i]
            part = F.conj(formula(F, F.conj(t), *[values[name] for name in _names(formula)[2:]]))
            moved = part if moved is None else moved + part
    return moved
