"""kl_divergence, and the divergences within a family.

Those between families are in `_kl_families`, those of normal vectors in `_kl_vectors`.

>>> import retrograd as torch
>>> from retrograd.distributions import Normal, kl_divergence
>>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
tensor(0.5000)
"""

from __future__ import annotations

import math
import warnings

import retrograd as torch

from ..nn.functional import softplus
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import _sum_rightmost, euler_constant

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict = {}
_KL_MEMOIZE: dict = {}      # what was found for exact types


def register_kl(type_p, type_q):
    """Decorate a function of p and q that computes `kl_divergence(p, q)` for these classes.

    Subclasses inherit it; among several the nearest one counts. TypeError unless both are
    classes.

    >>> import retrograd as torch
    >>> from retrograd.distributions import Normal, kl_divergence, register_kl
    >>> class Mine(Normal):
    ...     pass
    >>> @register_kl(Mine, Mine)
    ... def _(p, q):
    ...     return (p.loc - q.loc).abs()
    >>> kl_divergence(Mine(0., 1.), Mine(2., 1.))
    tensor(2.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):      # libraries register classes of their own kinds
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorate(function):
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()
        return function

    return decorate


def kl_divergence(p, q):
    """The Kullback-Leibler divergence `E_p[log p(x) - log q(x)]`, of shape batch_shape.

    NotImplementedError where no formula is registered for the classes of p and q.

    >>> import retrograd as torch
    >>> from retrograd.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
    tensor(0.5000)
    """
    kinds = type(p), type(q)
    if kinds not in _KL_MEMOIZE:
        _KL_MEMOIZE[kinds] = _dispatch_kl(*kinds)
    function = _KL_MEMOIZE[kinds]
    if function is NotImplemented:
        raise NotImplementedError("No KL(p || q) is implemented for p type "
                                  f"{kinds[0].__name__} and q type {kinds[1].__name__}")
    return function(p, q)


def _dispatch_kl(type_p, type_q):
    """The function registered for the nearest base classes, or NotImplemented.

    Nearest in p first, or in q first: if these are not the same, a warning says so.
    """
    def distance(pair):
        return type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])

    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    left = min(matches, key=distance)
    right = min(matches, key=lambda pair: distance(pair)[::-1])
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
                      f"Please register_kl({left[0].__name__}, {right[1].__name__})",
                      RuntimeWarning, stacklevel=3)
    return _KL_REGISTRY[left]


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    def term(p_of, q_of, difference):       # of one outcome: P log (P / Q), with 0 log 0 = 0
        infinite = torch.where(q_of == 0, math.inf, p_of * difference)
        return torch.where(p_of == 0, 0.0, infinite)

    one = term(p.probs, q.probs, softplus(-q.logits) - softplus(-p.logits))
    zero = term(1 - p.probs, 1 - q.probs, softplus(q.logits) - softplus(p.logits))
    return one + zero


@register_kl(Beta, Beta)
def _beta(p, q):
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    total_p, total_q = a + b, c + d
    log_betas = (c.lgamma() + d.lgamma() + total_p.lgamma()) - (
        a.lgamma() + b.lgamma() + total_q.lgamma())
    return (log_betas + (a - c) * a.digamma() + (b - d) * b.digamma()
            + (total_q - total_p) * total_p.digamma())


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented")
    a_trial = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return torch.where(p.total_count > q.total_count, math.inf, p.total_count * a_trial)


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    terms = torch.where(q.probs == 0, math.inf, p.probs * (p.logits - q.logits))
    return torch.where(p.probs == 0, 0.0, terms).sum(-1)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    return (p.mean * (p.logits - q.logits) + (p._cont_bern_log_norm() + torch.log1p(-p.probs))
            - q._cont_bern_log_norm() - torch.log1p(-q.probs))


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    log_betas = (total.lgamma() - b.sum(-1).lgamma()) - (a.lgamma() - b.lgamma()).sum(-1)
    return log_betas + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p, q):
    """The Bregman divergence of the log-normalizer A: A(q) - A(p) - <q - p, A'(p)>."""
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential "
                                  "families cannot" + " " * 29
                                  + "be computed using Bregman divergences")
    of_p = [theta.detach().requires_grad_() for theta in p._natural_params]
    of_q = q._natural_params
    log_normalizer = p._log_normalizer(*of_p)
    slopes = torch.autograd.grad(log_normalizer.sum(), of_p, create_graph=True)
    result = q._log_normalizer(*of_q) - log_normalizer
    for theta_p, theta_q, slope in zip(of_p, of_q, slopes, strict=True):
        result = result - _sum_rightmost((theta_q - theta_p) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    a, b = p.concentration, q.concentration
    return (b * (p.rate / q.rate).log() + (b.lgamma() - a.lgamma()) + (a - b) * a.digamma()
            + (q.rate - p.rate) * (a / p.rate))


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, shift = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return (-ratio.log() + shift + ratio * euler_constant
            + torch.exp((1 + ratio).lgamma() - shift) - (1 + euler_constant))


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * torch.exp(-away / p.scale) - 1


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return torch.where(p.scale < q.scale, math.inf, result)


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return torch.where((q.low > p.low) | (q.high < p.high), math.inf, result)


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    return (((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
            - (4 * p.scale * q.scale).log())


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
