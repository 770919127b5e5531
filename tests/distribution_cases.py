"""Distributions and what is asked of them, for both libraries."""

from __future__ import annotations

import warnings

V = "torch.tensor([0.3, 1.5, 4.0], requires_grad=True)"
W = "torch.tensor([2.0, 0.7, 1.2], requires_grad=True)"
P = "torch.tensor([0.2, 0.5, 0.9], requires_grad=True)"
L = "torch.tensor([-1.0, 0.0, 2.5], requires_grad=True)"
ROWS = "torch.tensor([[0.1, 0.3, 0.6], [0.5, 0.25, 0.25]], requires_grad=True)"
LOGITS = "torch.tensor([[0.1, -0.3, 2.0], [0.5, 0.25, 0.0]], requires_grad=True)"
SPD = "torch.tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True)"
TRIL = "torch.tensor([[1.2, 0.0], [-0.5, 0.8]], requires_grad=True)"
TRILS = "torch.stack([torch.eye(2), torch.tensor([[2.0, 0.0], [1.0, 0.5]])])"

DISTRIBUTIONS = (
    f"Bernoulli({P})",
    f"Bernoulli(logits={L})",
    "Bernoulli(0.3)",
    f"Beta({V}, {W})",
    "Beta(2, 3.0)",
    f"Binomial(5, {P})",
    f"Binomial(torch.tensor([3, 4, 5]), logits={L})",
    f"Categorical({ROWS})",
    f"Categorical(logits={LOGITS})",
    f"Cauchy({L}, {W})",
    f"Chi2({V})",
    f"ContinuousBernoulli({P})",
    f"ContinuousBernoulli(logits={L})",
    f"Dirichlet({ROWS})",
    f"Exponential({V})",
    "Exponential(2.0)",
    f"FisherSnedecor({V}, {W})",
    f"Gamma({V}, {W})",
    "Gamma(2.0, 3)",
    f"GeneralizedPareto({L}, {W}, torch.tensor([-0.4, 0.0, 0.3]))",
    f"Geometric({P})",
    f"Geometric(logits={L})",
    f"Gumbel({L}, {W})",
    "Gumbel(0.0, 2.0)",
    f"HalfCauchy({V})",
    f"HalfNormal({V})",
    f"Independent(Normal({L}, {W}), 1)",
    f"InverseGamma({W}, {V})",
    f"Kumaraswamy({W}, {V})",
    "LKJCholesky(3, torch.tensor([0.5, 2.0], requires_grad=True))",
    "LKJCholesky(2)",
    f"Laplace({L}, {W})",
    f"LogNormal({L}, {W})",
    f"LogisticNormal({L}, {W})",
    f"LowRankMultivariateNormal(torch.zeros(3), torch.tensor([[1.0], [0.5], [0.1]]), {W})",
    f"LowRankMultivariateNormal({LOGITS}, torch.ones(3, 2) + torch.eye(3, 2), {W})",
    f"MixtureSameFamily(Categorical({P}), Normal({L}, {W}))",
    f"MixtureSameFamily(Categorical({ROWS}), Independent(Normal(torch.arange(12.0)"
    ".reshape(2, 3, 2), 1.0), 1))",
    f"Multinomial(4, {ROWS})",
    f"Multinomial(3, logits={LOGITS})",
    f"MultivariateNormal(torch.tensor([1.0, -1.0]), {SPD})",
    f"MultivariateNormal(torch.tensor([1.0, -1.0]), precision_matrix={SPD})",
    f"MultivariateNormal(torch.zeros(3, 1, 2), scale_tril={TRIL})",
    f"MultivariateNormal(torch.zeros(2), scale_tril={TRILS})",
    f"NegativeBinomial({V}, {P})",
    f"NegativeBinomial(3, logits={L})",
    f"Normal({L}, {W})",
    f"Normal({L}.double(), 2)",
    "Normal(0, 1)",
    f"OneHotCategorical({ROWS})",
    f"OneHotCategoricalStraightThrough(logits={LOGITS})",
    f"Pareto({V}, {W})",
    f"Poisson({V})",
    f"RelaxedBernoulli(torch.tensor(0.7), {P})",
    f"RelaxedBernoulli(torch.tensor([2.0]), logits={L})",
    f"RelaxedOneHotCategorical(torch.tensor(0.7), {ROWS})",
    f"RelaxedOneHotCategorical(torch.tensor(2.0), logits={LOGITS})",
    f"StudentT({V}, {L}, {W})",
    "StudentT(3.0)",
    f"TransformedDistribution(Normal({L}, {W}), [AffineTransform(1.0, -2.0), SigmoidTransform()])",
    "TransformedDistribution(Uniform(torch.zeros(2), 1.0), [])",
    "TransformedDistribution(Normal(torch.zeros(4), 1.0), ReshapeTransform((4,), (2, 2)))",
    f"Uniform({L}, {L} + {W})",
    f"VonMises({L}, {V})",
    f"Weibull({V}, {W})",
    f"Wishart(torch.tensor(4.5, requires_grad=True), {SPD})",
    f"Wishart(torch.tensor([3.0, 5.0]), scale_tril={TRIL})",
)
PAIRS = {       # one of each family that has a divergence to another
    "Bernoulli": "Bernoulli(torch.tensor([0.0, 0.3, 1.0]))",
    "Bernoulli'": f"Bernoulli({P})",
    "Beta": f"Beta({V}, {W})",
    "Binomial": f"Binomial(5, {P})",
    "Categorical": "Categorical(torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]))",
    "Categorical'": f"Categorical({ROWS})",
    "Cauchy": f"Cauchy({L}, {W})",
    "ContinuousBernoulli": f"ContinuousBernoulli({P})",
    "Dirichlet": f"Dirichlet({ROWS})",
    "Exponential": f"Exponential({V})",
    "Gamma": f"Gamma({V}, {W})",
    "Chi2": f"Chi2({W})",
    "Geometric": f"Geometric({P})",
    "Gumbel": f"Gumbel({L}, {W})",
    "HalfNormal": f"HalfNormal({V})",
    "Independent": f"Independent(Normal({L}, {W}), 1)",
    "Laplace": f"Laplace({L}, {W})",
    "LogNormal": f"LogNormal({L}, {W})",
    "LowRankMultivariateNormal":
        "LowRankMultivariateNormal(torch.zeros(2), torch.tensor([[1.0], [0.5]]), torch.ones(2))",
    "MultivariateNormal": f"MultivariateNormal(torch.tensor([1.0, -1.0]), {SPD})",
    "MultivariateNormal'": f"MultivariateNormal(torch.zeros(2), scale_tril={TRILS})",
    "Normal": f"Normal({L}, {W})",
    "OneHotCategorical": f"OneHotCategorical({ROWS})",
    "Pareto": "Pareto(torch.tensor([0.5, 1.0, 2.0]), torch.tensor([0.7, 1.5, 3.0]))",
    "Poisson": f"Poisson({V})",
    "Uniform": "Uniform(torch.tensor([-1.0, 0.1, 0.6]), torch.tensor([2.0, 0.9, 3.0]))",
    "Wishart": f"Wishart(torch.tensor(4.5), {SPD})",
}
MISUSES = (
    "Normal(0.0, -1.0)",
    "Normal(torch.tensor([0.0, float('nan')]), 1.0)",
    "Normal('a', 1.0)",
    "Bernoulli()",
    "Bernoulli(0.5, 0.5)",
    "Bernoulli(1.5)",
    "Bernoulli(0.5).log_prob(torch.tensor(0.5))",
    "Bernoulli(0.5).log_prob(1.0)",
    "Binomial(-1, torch.tensor(0.5))",
    "Binomial(torch.tensor([2, 3]), torch.tensor(0.5)).entropy()",
    "Categorical(torch.tensor(0.5))",
    "Categorical(torch.tensor([-1.0, 2.0]))",
    "Categorical(torch.ones(3)).log_prob(torch.tensor(3))",
    "Categorical(torch.ones(2, 3)).log_prob(torch.zeros(5))",
    "Dirichlet(torch.tensor(1.0))",
    "Dirichlet(torch.ones(3)).log_prob(torch.ones(2) / 2)",
    "Geometric(torch.tensor([0.0, 0.5]))",
    "Independent(Normal(0.0, 1.0), 1)",
    "LKJCholesky(1)",
    "LowRankMultivariateNormal(torch.zeros(2), torch.zeros(3, 1), torch.ones(2))",
    "MixtureSameFamily(Normal(0.0, 1.0), Normal(0.0, 1.0))",
    "MixtureSameFamily(Categorical(torch.ones(2)), Normal(torch.zeros(3), 1.0))",
    "Multinomial(torch.tensor(3), torch.ones(3))",
    "MultivariateNormal(torch.tensor(0.0), torch.eye(2))",
    "MultivariateNormal(torch.zeros(2))",
    "MultivariateNormal(torch.zeros(2), torch.eye(2), scale_tril=torch.eye(2))",
    "MultivariateNormal(torch.zeros(2), torch.ones(2))",
    "MultivariateNormal(torch.zeros(2), -torch.eye(2))",
    "MultivariateNormal(torch.zeros(2), scale_tril=torch.ones(2))",
    "MultivariateNormal(torch.zeros(2), precision_matrix=torch.ones(2))",
    "Normal(torch.zeros(2), 1.0).log_prob(torch.zeros(3))",
    "Normal(0.0, 1.0).icdf(torch.tensor(0.5)).foo",
    "Normal(0.0, 1.0).enumerate_support()",
    "Poisson(1.0).rsample()",
    "Poisson(1.0).cdf(torch.tensor(1.0))",
    "Uniform(2.0, 1.0)",
    "Uniform(0.0, 1.0).log_prob(torch.tensor(2.0))",
    "Wishart(1.0, torch.eye(2))",
    "Wishart(torch.tensor(3.0))",
    "TransformedDistribution(Normal(0.0, 1.0), 3)",
    "TransformedDistribution(Normal(0.0, 1.0), [3])",
    "TransformedDistribution(Normal(0.0, 1.0), StickBreakingTransform())",
    "kl_divergence(Normal(0.0, 1.0), Poisson(1.0))",
    "kl_divergence(Poisson(1.0), Normal(0.0, 1.0))",
    "kl_divergence(Binomial(2, torch.tensor(0.5)), Binomial(3, torch.tensor(0.5)))",
    "ExpTransform(cache_size=2)",
    "CorrCholeskyTransform().forward_shape((2,))",
    "ReshapeTransform((2,), (3,))",
    "ReshapeTransform((2,), (1, 2)).forward_shape((3,))",
    "AffineTransform(0.0, 1.0).inv.inv.foo",
    "biject_to(constraints.positive_definite)",
    "biject_to.register(3, int)",
    "constraints.dependent.check(torch.ones(2))",
    "constraints.independent(constraints.real, 2).check(torch.ones(2))",
    "constraints.cat([constraints.real], lengths=[1, 2])",
)
TRANSFORMS = {      # with an input
    "AbsTransform()": "torch.tensor([-1.0, 0.5])",
    "AffineTransform(1.0, -2.0)": "torch.tensor([-1.0, 0.5])",
    "AffineTransform(torch.zeros(2), torch.tensor([1.0, 3.0]), event_dim=1)":
        "torch.tensor([-1.0, 0.5])",
    "CatTransform([ExpTransform(), TanhTransform()], 0, [2, 1])": "torch.tensor([-1.0, 0.5, 2])",
    "ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform(), PowerTransform(2.0)])":
        "torch.tensor([-1.0, 0.5])",
    "CorrCholeskyTransform()": "torch.tensor([-1.0, 0.5, 0.2])",
    "CumulativeDistributionTransform(Normal(0.0, 2.0))": "torch.tensor([-1.0, 0.5])",
    "ExpTransform()": "torch.tensor([-1.0, 0.5])",
    "ExpTransform().inv": "torch.tensor([1.0, 0.5])",
    "IndependentTransform(ExpTransform(), 1)": "torch.tensor([-1.0, 0.5])",
    "PowerTransform(torch.tensor([2.0, -1.0]))": "torch.tensor([1.0, 0.5])",
    "ReshapeTransform((4,), (2, 2))": "torch.arange(8.0).reshape(2, 4)",
    "SigmoidTransform()": "torch.tensor([-100.0, 0.5, 100.0])",
    "SoftplusTransform()": "torch.tensor([-1.0, 0.5])",
    "StackTransform([ExpTransform(), TanhTransform()], -1)": "torch.tensor([[-1.0, 0.5]])",
    "StickBreakingTransform()": "torch.tensor([[-1.0, 0.5, 2.0]])",
    "TanhTransform()": "torch.tensor([-1.0, 0.5])",
}
SUPPORTS = (
    "boolean", "nonnegative", "positive", "real", "real_vector", "simplex", "unit_interval",
    "interval(-1.0, 3.0)", "half_open_interval(0.0, 2.0)", "less_than(1.0)", "greater_than_eq(2)",
    "lower_cholesky", "corr_cholesky", "positive_definite", "symmetric", "square", "one_hot",
    "independent(real, 1)", "integer_interval(0, 3)", "nonnegative_integer", "positive_integer",
    "cat([positive, real], -1, [1, 2])", "stack([positive, real, positive], -1)",
    "lower_triangular", "positive_semidefinite", "multinomial(3)", "dependent",
    "MixtureSameFamilyConstraint(real)",
)


def make(torch, code):
    return eval(code, {"torch": torch, **{name: getattr(torch.distributions, name)
                                          for name in dir(torch.distributions)
                                          if not name.startswith("_")}})


def plain(value):
    """A tensor as its dtype, shape and numbers."""
    value = value.detach()
    return [str(value.dtype), list(value.shape), value.double().flatten().tolist()]


def outcome(function):
    """The plain result, or the error's class and first line."""
    try:
        result = function()
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0].replace("retrograd.", "torch.")]
    return result if isinstance(result, (str, list, bool)) else plain(result)


def leaves(torch, value):
    """The tensors a user gave that require gradients."""
    found, nodes, seen = [], [value.grad_fn], set()
    while nodes:
        node = nodes.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if type(node).__name__ == "AccumulateGrad":
            found.append(node.variable)
        nodes.extend(fn for fn, _ in node.next_functions)
    return sorted(found, key=lambda leaf: leaf.tolist() if leaf.dim() else [leaf.item()])


def gradients(torch, value):
    return [plain(g) for g in torch.autograd.grad(value.sum(), leaves(torch, value))]


def with_gradients(torch, function):
    """The result of function() and the gradients of its sum."""
    def both():
        value = function()
        return [plain(value), gradients(torch, value) if value.requires_grad else []]
    return outcome(both)


def distribution_run(torch, code):
    d = make(torch, code)
    run = {"repr": repr(d), "batch_shape": list(d.batch_shape),
           "event_shape": list(d.event_shape),
           "flags": [d.has_rsample, d.has_enumerate_support],
           "support": outcome(lambda: repr(d.support).split("(")[0])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(3)
        run["sample"] = outcome(lambda: d.sample((2,)))
        run["many"] = outcome(lambda: d.sample(torch.Size((11, 2))))
        run["rsample"] = with_gradients(torch, lambda: d.rsample((2,)))
        value = d.sample((2,))
        run["log_prob"] = with_gradients(torch, lambda: d.log_prob(value))
        run["cdf"] = with_gradients(torch, lambda: d.cdf(value))
        part = torch.rand(d.batch_shape + d.event_shape)
        run["icdf"] = with_gradients(torch, lambda: d.icdf(part))
        for name in ("entropy", "perplexity"):
            run[name] = with_gradients(torch, getattr(d, name))
        for name in ("mean", "mode", "variance", "stddev"):
            run[name] = with_gradients(torch, lambda name=name: getattr(d, name))
        run["enumerated"] = outcome(d.enumerate_support)
        larger = d.expand((2, *d.batch_shape))
        run["expanded"] = [repr(larger), outcome(larger.sample), outcome(larger.entropy)]
        run["expanded log_prob"] = with_gradients(torch, lambda: larger.log_prob(value[:1]))
    return run


def divergence_run(torch, p, q):
    other = PAIRS[q]
    for old, new in (("0.3", "0.35"), ("-1.0", "-0.8"), ("0.2", "0.25"), ("0.7", "0.8")):
        other = other.replace(old, new)
    kl = torch.distributions.kl_divergence
    return with_gradients(torch, lambda: kl(make(torch, PAIRS[p]), make(torch, other)))


def transform_run(torch, code, given):
    t = make(torch, code)
    x = make(torch, given).requires_grad_()
    return {
        "repr": repr(t), "flags": [outcome(lambda: bool(t.bijective)),
                                   outcome(lambda: str(t.sign)),
                                   outcome(lambda: str(t.domain)),
                                   outcome(lambda: str(t.codomain)),
                                   outcome(lambda: str(t.event_dim))],
        "y": with_gradients(torch, lambda: t(x)),
        "x": with_gradients(torch, lambda: t.inv(t(x).detach().requires_grad_())),
        "log_det": with_gradients(torch, lambda: t.log_abs_det_jacobian(x, t(x))),
        "shapes": [outcome(lambda: str(t.forward_shape(x.shape))),
                   outcome(lambda: str(t.inverse_shape(t(x).shape)))],
        "same": [t == make(torch, code), t == torch.distributions.AbsTransform(), t.inv.inv == t],
        "cached": outcome(lambda: t.with_cache().inv(t.with_cache()(x))),
    }


def support_run(torch, code):
    constraints = torch.distributions.constraints
    c = eval(code, {**vars(constraints)})
    values = torch.tensor([[-1.0, 0.0, 1.0], [0.5, 2.0, 3.0], [0.0, 0.0, 1.0]])
    point = torch.linspace(-1, 1, 9).reshape(3, 3)
    return {"repr": repr(c), "is_discrete": outcome(lambda: str(c.is_discrete)),
            "event_dim": outcome(lambda: str(c.event_dim)),
            "check": outcome(lambda: c.check(values)),
            "check eye": outcome(lambda: c.check(torch.eye(3))),
            "biject_to": [outcome(lambda: repr(torch.distributions.biject_to(c))),
                          outcome(lambda: torch.distributions.biject_to(c)(point))],
            "transform_to": [outcome(lambda: repr(torch.distributions.transform_to(c))),
                             outcome(lambda: torch.distributions.transform_to(c)(point))]}


def misuse_run(torch, code):
    return outcome(lambda: [str(make(torch, code))])


def run_all(torch):
    return {
        "distributions": {code: distribution_run(torch, code) for code in DISTRIBUTIONS},
        "divergences": {p: {q: divergence_run(torch, p, q) for q in PAIRS} for p in PAIRS},
        "transforms": {code: transform_run(torch, code, x) for code, x in TRANSFORMS.items()},
        "supports": {code: support_run(torch, code) for code in SUPPORTS},
        "misuses": {code: misuse_run(torch, code) for code in MISUSES},
    }
