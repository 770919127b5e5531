"""Distributions against PyTorch: samples, densities, moments, gradients, divergences, refusals."""

from __future__ import annotations

import itertools
import math
import pickle
import warnings

import pytest

import retrograd as torch
from comparing import load
from distribution_cases import (
    DISTRIBUTIONS,
    MISUSES,
    PAIRS,
    SUPPORTS,
    TRANSFORMS,
    distribution_run,
    divergence_run,
    make,
    misuse_run,
    support_run,
    transform_run,
)

RECORDED = load("distributions.json")
# What PyTorch does not do: an expanded Multinomial loses its entropy, and a batch of Wishart
# samples cannot be differentiated.
BEYOND = {
    **{code: {"expanded"} for code in DISTRIBUTIONS if code.startswith("Multinomial")},
    **{code: {"rsample"} for code in DISTRIBUTIONS if code.startswith("Wishart(torch.tensor([")},
}


def assert_same(found, expected, where=""):
    """Equal but for the rounding of float32."""
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        assert (found == expected or math.isnan(found) and math.isnan(expected)
                or abs(found - expected) <= 1e-6 + 2e-5 * abs(expected)), where
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected:
            assert_same(found[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, list):
        assert len(found) == len(expected), (where, found, expected)
        for i, (a, b) in enumerate(zip(found, expected, strict=True)):
            assert_same(a, b, f"{where}[{i}]")
    else:
        assert found == expected, where


def without(run, keys):
    return {key: value for key, value in run.items() if key not in keys}


@pytest.mark.parametrize("code", DISTRIBUTIONS)
def test_distribution(code):
    beyond = BEYOND.get(code, ())
    assert_same(without(distribution_run(torch, code), beyond),
                without(RECORDED["distributions"][code], beyond))


@pytest.mark.parametrize("p", PAIRS)
def test_divergences_as_pytorch(p):
    for q in PAIRS:
        assert_same(divergence_run(torch, p, q), RECORDED["divergences"][p][q], q)


@pytest.mark.parametrize("code", TRANSFORMS)
def test_transforms_as_pytorch(code):
    assert_same(transform_run(torch, code, TRANSFORMS[code]), RECORDED["transforms"][code])


@pytest.mark.parametrize("code", SUPPORTS)
def test_supports_as_pytorch(code):
    assert_same(support_run(torch, code), RECORDED["supports"][code])


@pytest.mark.parametrize("code", MISUSES)
def test_misuse_raises_what_pytorch_raises(code):
    assert misuse_run(torch, code) == RECORDED["misuses"][code]


@pytest.mark.live
def test_all_of_it_beside_pytorch():
    real = pytest.importorskip("torch")
    for code in DISTRIBUTIONS:
        beyond = BEYOND.get(code, ())
        assert_same(without(distribution_run(torch, code), beyond),
                    without(distribution_run(real, code), beyond), code)
    for p, q in itertools.product(PAIRS, PAIRS):
        assert_same(divergence_run(torch, p, q), divergence_run(real, p, q), (p, q))


# ------------------------------------------------------------------------------------------- laws
CONTINUOUS = [
    "Beta(2.0, 3.0)", "Cauchy(1.0, 2.0)", "Chi2(torch.tensor(3.0))",
    "ContinuousBernoulli(torch.tensor(0.3))", "Exponential(2.0)", "FisherSnedecor(3.0, 4.0)",
    "Gamma(2.0, 3.0)", "GeneralizedPareto(1.0, 2.0, 0.3)", "GeneralizedPareto(1.0, 2.0, -0.3)",
    "Gumbel(1.0, 2.0)", "HalfCauchy(1.0)", "HalfNormal(1.0)", "InverseGamma(2.0, 1.0)",
    "Kumaraswamy(2.0, 3.0)", "Laplace(1.0, 2.0)", "LogNormal(0.0, 1.0)", "Normal(1.0, 2.0)",
    "Pareto(1.0, 3.0)", "StudentT(3.0, 1.0, 2.0)", "Uniform(1.0, 3.0)", "VonMises(1.0, 2.0)",
    "Weibull(1.0, 2.0)",
    "MixtureSameFamily(Categorical(torch.ones(2)), Normal(torch.tensor([0., 2.]), 1.0))",
]


def line(d, n=100_001):
    """Points that cover all values of d, dense near 0, with the width of each."""
    t = torch.linspace(-1, 1, n, dtype=torch.float64)
    x = torch.sinh(t * 25)
    width = torch.cosh(t * 25) * 25 * (2 / (n - 1))
    if type(d).__name__ == "VonMises":      # periodic
        width = width * (x.abs() <= math.pi)
    inside = d.support.check(x)
    return x[inside], width[inside]


@pytest.mark.parametrize("code", CONTINUOUS)
def test_densities_integrate_to_one(code):
    torch.set_default_dtype(torch.float64)
    try:
        d = make(torch, code)
        x, width = line(d)
        assert abs((d.log_prob(x).exp() * width).nansum().item() - 1) < 3e-3
    finally:
        torch.set_default_dtype(torch.float32)


COUNTS = ["Bernoulli(0.3)", "Binomial(5, torch.tensor(0.3))", "Categorical(torch.ones(4))",
          "Geometric(0.2)", "NegativeBinomial(2.5, torch.tensor(0.4))", "Poisson(3.0)"]


@pytest.mark.parametrize("code", COUNTS)
def test_probabilities_add_up_to_one(code):
    d = make(torch, code)
    k = torch.arange(200.0)
    k = k[d.support.check(k)]
    assert abs(d.log_prob(k).exp().sum().item() - 1) < 1e-5


@pytest.mark.parametrize("code", CONTINUOUS)
def test_icdf_inverts_cdf_and_cdf_integrates_the_density(code):
    torch.set_default_dtype(torch.float64)
    try:
        d = make(torch, code)
        part = torch.linspace(0.05, 0.95, 8)
        try:
            x = d.icdf(part)
        except NotImplementedError:
            return
        torch.testing.assert_close(d.cdf(x), part)
        x = x.detach().requires_grad_()
        (slope,) = torch.autograd.grad(d.cdf(x).sum(), x)
        torch.testing.assert_close(slope, d.log_prob(x).exp(), rtol=1e-6, atol=1e-8)
    finally:
        torch.set_default_dtype(torch.float32)


REPARAMETERISED = [
    ("Beta", (2.0, 3.0)), ("Cauchy", (1.0, 2.0)), ("ContinuousBernoulli", (0.3,)),
    ("Exponential", (2.0,)), ("Gamma", (2.0, 3.0)), ("Gumbel", (1.0, 2.0)), ("Laplace", (1.0, 2.0)),
    ("LogNormal", (0.5, 0.3)), ("Normal", (1.0, 2.0)), ("Pareto", (1.0, 3.0)),
    ("Uniform", (1.0, 3.0)), ("Weibull", (1.0, 2.0)),
]


@pytest.mark.parametrize(("name", "given"), REPARAMETERISED)
def test_a_samples_gradient_keeps_its_cdf(name, given):
    """The implicit law of reparameterisation: F(x(a); a) is constant in a."""
    kind = getattr(torch.distributions, name)
    params = [torch.tensor(g, dtype=torch.float64, requires_grad=True) for g in given]
    torch.manual_seed(0)
    x = kind(*params).rsample()
    slopes = torch.autograd.grad(x, params)

    def cdf(*at):       # by finite differences in the parameters
        d = kind(*at)
        if name == "Beta":      # has none: integrate
            t = torch.linspace(0, 1, 20_001, dtype=torch.float64)[1:-1]
            return (d.log_prob(x.detach() * t).exp() * x.detach()).sum() / 20_000
        return d.cdf(x.detach())

    for i, slope in enumerate(slopes):
        step = 1e-5
        up, down = ([p.detach() + step * sign * (i == j) for j, p in enumerate(params)]
                    for sign in (1, -1))
        of_parameter = (cdf(*up) - cdf(*down)) / (2 * step)
        density = kind(*params).log_prob(x.detach()).exp()
        assert abs((of_parameter + density * slope).item()) < 2e-3 * max(1, abs(slope.item()))


@pytest.mark.parametrize("pair", [("Gamma(2.0, 3.0)", "Normal(0.5, 1.0)"),
                                  ("Normal(0.5, 0.7)", "Gumbel(0.0, 1.0)"),
                                  ("Normal(0.5, 0.7)", "Laplace(0.0, 1.0)"),
                                  ("Beta(2.0, 3.0)", "Gamma(2.0, 1.0)"),
                                  ("Pareto(1.0, 4.0)", "Gamma(2.0, 1.0)"),
                                  ("Uniform(0.2, 0.7)", "Beta(2.0, 3.0)"),
                                  ("Gumbel(0.0, 1.0)", "Normal(0.5, 1.0)")])
def test_divergences_are_integrals(pair):
    torch.set_default_dtype(torch.float64)
    try:
        p, q = (make(torch, code) for code in pair)
        x, width = line(p)
        kept = q.support.check(x) & (p.log_prob(x) > -700)
        x, width = x[kept], width[kept]
        integrand = p.log_prob(x).exp() * (p.log_prob(x) - q.log_prob(x)) * width
        kl = torch.distributions.kl_divergence(p, q)
        assert abs(integrand.nansum().item() - kl.item()) < 3e-3
    finally:
        torch.set_default_dtype(torch.float32)


# ------------------------------------------------------------------------------------ mechanics
class Scaled(torch.distributions.Normal):
    def __init__(self, scale):
        super().__init__(0.0, scale)


def test_a_subclass_with_its_own_init_needs_its_own_expand():
    with pytest.raises(NotImplementedError, match="Subclass Scaled of Normal that defines a "
                                                  "custom __init__ method must also define"):
        Scaled(torch.ones(2)).expand((3, 2))


def test_a_subclasss_expand_may_hand_an_instance():
    class Named(Scaled):
        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Named, _instance)
            new.name = "n"
            return torch.distributions.Normal.expand(self, batch_shape, new)

    new = Named(torch.ones(2)).expand((3, 2))
    assert type(new) is Named and new.name == "n" and new.scale.shape == (3, 2)


def test_validation_is_a_default_and_an_argument():
    distributions = torch.distributions
    distributions.Normal(0.0, -1.0, validate_args=False).log_prob(torch.tensor(math.nan))
    distributions.Distribution.set_default_validate_args(False)
    try:
        distributions.Normal(0.0, -1.0)
        with pytest.raises(ValueError, match="Expected parameter scale"):
            distributions.Normal(0.0, -1.0, validate_args=True)
    finally:
        distributions.Distribution.set_default_validate_args(True)


def test_an_undeclared_distribution_warns():
    class Bare(torch.distributions.Distribution):
        pass

    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        d = Bare()
    with pytest.warns(UserWarning, match="does not define `support`"):
        d._validate_sample(torch.tensor(0.0))
    with pytest.raises(NotImplementedError):
        d.expand((2,))


def test_registered_divergences_are_inherited_and_ambiguity_is_told():
    distributions = torch.distributions
    P = type("P", (distributions.Normal,), {})
    Q = type("Q", (distributions.Normal,), {})
    p, q = P(0.0, 1.0), Q(0.0, 1.0)
    assert distributions.kl_divergence(p, q).item() == 0

    registered = [(P, distributions.Normal), (distributions.Normal, Q)]
    try:
        for i, pair in enumerate(registered):
            distributions.register_kl(*pair)(lambda p, q, i=i: i)
        with pytest.warns(RuntimeWarning, match=r"Please register_kl\(P, Q\)"):
            assert distributions.kl_divergence(p, q) == 0
    finally:
        for pair in registered:
            del distributions.kl._KL_REGISTRY[pair]
        distributions.kl._KL_MEMOIZE.clear()


def test_sample_n_is_deprecated():
    with pytest.warns(FutureWarning, match="Use `sample"):
        assert torch.distributions.Normal(0.0, 1.0).sample_n(3).shape == (3,)


def test_caches_give_back_the_very_input():
    t = torch.distributions.TanhTransform(cache_size=1)
    x = torch.tensor(30.0)
    assert t.inv(t(x)) is x


def test_lazy_parameters_record_gradients_even_under_no_grad():
    logits = torch.zeros(3, requires_grad=True)
    d = torch.distributions.Categorical(logits=logits)
    with torch.no_grad():
        d.sample()
    assert d.probs.requires_grad


@pytest.mark.parametrize("code", DISTRIBUTIONS)
def test_pickled_and_back(code):
    d = make(torch, code.replace(", requires_grad=True", ""))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = pickle.loads(pickle.dumps(d))
    assert repr(again) == repr(d)
    torch.manual_seed(0)
    expected = d.sample()
    torch.manual_seed(0)
    assert torch.equal(again.sample(), expected)


def test_a_training_step_of_reinforce_and_of_the_elbo():
    """The two ways of differentiating an expectation agree on the mean of x^2."""
    distributions = torch.distributions
    torch.manual_seed(0)
    loc = torch.tensor(1.0, requires_grad=True)
    d = distributions.Normal(loc, 0.5)
    x = d.rsample((20_000,))
    (by_path,) = torch.autograd.grad((x ** 2).mean(), loc)
    x = x.detach()
    (by_score,) = torch.autograd.grad((d.log_prob(x) * (x ** 2 - 1.25)).mean(), loc)
    assert abs(by_path.item() - 2) < 0.02 and abs(by_score.item() - 2) < 0.1


def test_arguments_are_checked_under_vmap():
    """A check is of all instances together, so that valid ones pass."""
    distributions = torch.distributions
    means, x = torch.arange(3.0), torch.zeros(3)
    got = torch.vmap(lambda m, v: distributions.Normal(m, 1.0).log_prob(v))(means, x)
    assert torch.equal(got, distributions.Normal(means, 1.0).log_prob(x))

    def density(row):
        return distributions.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(row)

    rows = torch.tensor([[0.5, -1.0], [2.0, 0.0], [0.0, 0.0]])
    slopes = torch.vmap(torch.func.jacrev(density))(rows)
    assert torch.allclose(slopes, -rows)
    with pytest.raises((ValueError, RuntimeError)):
        torch.vmap(lambda v: distributions.Exponential(1.0).log_prob(v))(means - 1)


@pytest.mark.parametrize("name", ["MultivariateNormal", "LowRankMultivariateNormal"])
def test_the_entropy_of_a_single_normal_is_not_expanded(name):
    given = (torch.eye(2),) if name == "MultivariateNormal" else (torch.ones(2, 1), torch.ones(2))
    root = given[0].requires_grad_()
    entropy = getattr(torch.distributions, name)(torch.zeros(2), root, *given[1:]).entropy()
    assert entropy.grad_fn.name() != "ExpandBackward0"
