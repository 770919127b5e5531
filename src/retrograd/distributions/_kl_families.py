"""Divergences between families: `KL(p || q) = -H(p) - E_p[log q(x)]`.

All that the cross entropy `-E_p[log q(x)]` needs to know of p is a few expected values, such as
`E log x` (MEAN_LOG); CROSS_ENTROPY has a line for each q. Where q is zero on a part of p's
support the divergence is infinite.
"""

from __future__ import annotations

import math

import retrograd as torch

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .continuous_bernoulli import ContinuousBernoulli
from .exponential import Exponential
from .gamma import Gamma
from .gumbel import Gumbel
from .kl import register_kl
from .laplace import Laplace
from .normal import Normal
from .pareto import Pareto
from .poisson import Poisson
from .uniform import Uniform
from .utils import euler_constant


def _x_log_x(x):
    return torch.special.xlogy(x, x)


def _mean_log_of_uniform(low, high):
    return (_x_log_x(high) - _x_log_x(low)) / (high - low) - 1


MEAN_LOG = {            # E log x
    Beta: lambda p: (p.concentration1.digamma()
                     - (p.concentration1 + p.concentration0).digamma()),
    Exponential: lambda p: -p.rate.log() - euler_constant,
    Gamma: lambda p: p.concentration.digamma() - p.rate.log(),
    Pareto: lambda p: p.scale.log() + p.alpha.reciprocal(),
    Uniform: lambda p: _mean_log_of_uniform(p.low, p.high),
}
MEAN_EXP = {            # E exp(-t x)
    Exponential: lambda p, t: p.rate / (p.rate + t),
    Gamma: lambda p, t: (1 + t / p.rate).pow(-p.concentration),
    Normal: lambda p, t: torch.exp(0.5 * (p.scale * t).pow(2) - p.loc * t),
    Uniform: lambda p, t: ((torch.exp(-t * p.low) - torch.exp(-t * p.high))
                           / (t * (p.high - p.low))),
}


def _moments(family, p):
    """Mean and variance; a Pareto's only where they are finite, see _pareto_to."""
    if family is not Pareto:
        return p.mean, p.variance
    mean = p.alpha * p.scale / (p.alpha - 1)
    return mean, mean * p.scale / ((p.alpha - 1) * (p.alpha - 2))


def _to_normal(family, p, q):
    mean, variance = _moments(family, p)
    square = q.scale.pow(2)
    return (0.5 * (2 * math.pi * square).log()
            + (variance + (mean - q.loc).pow(2)) / (2 * square))


def _to_gamma(family, p, q):
    a, mean = q.concentration, _moments(family, p)[0]
    return (a.lgamma() - a * q.rate.log() + (1 - a) * MEAN_LOG[family](p) + q.rate * mean)


def _to_gumbel(family, p, q):
    return (q.scale.log() + (p.mean - q.loc) / q.scale
            + torch.exp(q.loc / q.scale) * MEAN_EXP[family](p, q.scale.reciprocal()))


def _to_beta(family, p, q):       # only from Uniform
    a, b = q.concentration1, q.concentration0
    log_beta = a.lgamma() + b.lgamma() - (a + b).lgamma()
    return (log_beta + (1 - a) * MEAN_LOG[family](p)
            + (1 - b) * _mean_log_of_uniform(1 - p.high, 1 - p.low))


def _to_laplace(family, p, q):    # only from Normal: E|x - loc| is a folded normal's mean
    away = p.loc - q.loc
    z = away / p.scale
    distance = (math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * z.pow(2))
                + away * torch.erf(math.sqrt(0.5) * z))
    return (2 * q.scale).log() + distance / q.scale


CROSS_ENTROPY = {       # -E_p[log q(x)]
    Beta: _to_beta,
    ContinuousBernoulli: lambda family, p, q: (
        -p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()),
    Exponential: lambda family, p, q: q.rate * _moments(family, p)[0] - q.rate.log(),
    Gamma: _to_gamma,
    Gumbel: _to_gumbel,
    Laplace: _to_laplace,
    Normal: _to_normal,
    Pareto: lambda family, p, q: (
        (q.alpha + 1) * MEAN_LOG[family](p) - q.alpha * q.scale.log() - q.alpha.log()),
    Poisson: lambda family, p, q: q.rate - p.mean * q.rate.log(),   # from Bernoulli: log x! = 0
    Uniform: lambda family, p, q: (q.high - q.low).log(),
}
FINITE = {
    Bernoulli: (Poisson,),
    Beta: (ContinuousBernoulli, Exponential, Gamma, Normal),
    ContinuousBernoulli: (Exponential, Normal),
    Exponential: (Gamma, Gumbel, Normal),
    Gamma: (Exponential, Gumbel, Normal),
    Gumbel: (Normal,),
    Laplace: (Normal,),
    Normal: (Gumbel, Laplace),
    Uniform: (Gumbel, Normal),
}
INFINITE = {            # p's values are never all of q's
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}


def _divergence(family, other, p, q):
    return CROSS_ENTROPY[other](family, p, q) - p.entropy()


def _register(family, other, outside=None):
    """KL from `family` to `other`, infinite where `outside(p, q)`."""
    @register_kl(family, other)
    def kl(p, q):
        result = _divergence(family, other, p, q)
        return result if outside is None else torch.where(outside(p, q), math.inf, result)


def _infinite(p, q):
    return torch.full_like(next(iter(_parameters(p))), math.inf)


def _parameters(p):
    return (getattr(p, name) for name in p.arg_constraints)


for family, others in FINITE.items():
    for other in others:
        _register(family, other)
for family, others in INFINITE.items():
    for other in others:
        register_kl(family, other)(_infinite)

for family in (Beta, ContinuousBernoulli):
    _register(family, Uniform, lambda p, q: (q.low > 0) | (q.high < 1))
for other in (Exponential, Gamma):
    _register(Uniform, other, lambda p, q: p.low < 0)
_register(Uniform, Pareto, lambda p, q: p.low < q.scale)
for other in (Beta, ContinuousBernoulli):
    _register(Uniform, other, lambda p, q: (p.low < 0) | (p.high > 1))
for other in (Exponential, Gamma):      # a Pareto's mean is finite for alpha above 1,
    _register(Pareto, other, lambda p, q: p.alpha <= 1)
_register(Pareto, Normal, lambda p, q: p.alpha <= 2)     # its variance above 2
