"""Features of autograd used many times leave no tensors and no nodes, with the collector off."""

import gc

import pytest

import retrograd as torch
from retrograd.autograd import Function, forward_ad, functional, graph
from retrograd.autograd.node import Node
from retrograd.utils.checkpoint import checkpoint


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        _, y = ctx.saved_tensors
        return g * y

    @staticmethod
    def jvp(ctx, t):
        (y,) = ctx.saved_tensors
        return t * y


def custom_function():
    Exp.apply(leaf(0.5)).sum().backward()


def custom_function_twice():
    x = leaf(0.5)
    (g,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    g.sum().backward()


def custom_function_dual():
    with forward_ad.dual_level():
        y = Exp.apply(forward_ad.make_dual(leaf(0.5), torch.ones(1, dtype=torch.float64)))
        forward_ad.unpack_dual(y).tangent.sum().backward()


def custom_function_unused():
    Exp.apply(leaf(0.5))


def tensor_hooks():
    x = leaf(0.5)
    y = x.exp()
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    y.grad_fn.register_prehook(lambda gs: None)
    y.grad_fn.register_hook(lambda gi, go: None)
    x.register_hook(lambda g: g)
    x.register_post_accumulate_grad_hook(lambda p: None)
    y.sum().backward()


def multi_grad_hooks():
    x = leaf(0.5)
    a, b = x.exp(), x.sin()
    graph.register_multi_grad_hook((a, b), lambda grads: None)
    graph.register_multi_grad_hook((a, b), lambda grad: None, mode="any")
    (a * b).sum().backward()


def packed_tensors():
    x = leaf(0.5)
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x.exp().sin() * x
    y.sum().backward()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        x.exp().sin()


def mutated_tensors():
    x = leaf(0.5)
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        z = (y**2).sum()
        y.sin_()
        z.backward()


def checkpointed():
    def f(x):
        return checkpoint(lambda t: t.sin().exp(), x, use_reentrant=False).sin()

    checkpoint(f, leaf(0.5), use_reentrant=False).sum().backward()
    checkpoint(f, leaf(0.5), use_reentrant=True).sum().backward()


def anomaly_mode():
    with torch.autograd.set_detect_anomaly(True):
        leaf(0.5).exp().sum().backward()


def failed_backward():
    x = leaf(0.5)
    y = x.exp()
    y.register_hook(lambda g: torch.ones(7))
    try:
        y.sum().backward()
    except RuntimeError:
        pass


def in_place_views():
    x = leaf(0.5, 1.5)
    y = x.clone()
    y[:1].mul_(2)
    y.sum().backward()


def edges():
    x = leaf(0.5)
    y = x.exp()
    torch.autograd.grad(y.sum(), graph.get_gradient_edge(y))


def derivatives_of_functions():
    x = leaf(0.5, 1.5)
    functional.jacobian(torch.sin, x)
    functional.hessian(lambda t: t.exp().sum(), x)
    functional.hvp(lambda t: t.exp().sum(), x, x)


def transforms():
    x = leaf(0.5, 1.5).detach()
    torch.func.hessian(lambda t: t.exp().sum())(x)
    torch.func.vmap(torch.func.grad(lambda t: t.exp()))(x)


def indices():
    x = leaf(0.5, 1.5)
    x[torch.tensor([0])].sum().backward()
    x.detach()[(torch.tensor([0]),)] = 2.0


def deep_nesting():
    class Again(Function):
        @staticmethod
        def forward(ctx, x, n):
            ctx.n = n
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            if ctx.n:
                with torch.enable_grad():
                    (x,) = ctx.saved_tensors
                    Again.apply(x.detach().requires_grad_(), ctx.n - 1).sum().backward()
            return g * 2, None

    Again.apply(leaf(0.5), 70).sum().backward()


FEATURES = [
    custom_function,
    custom_function_twice,
    custom_function_dual,
    custom_function_unused,
    tensor_hooks,
    multi_grad_hooks,
    packed_tensors,
    mutated_tensors,
    checkpointed,
    anomaly_mode,
    failed_backward,
    in_place_views,
    edges,
    derivatives_of_functions,
    transforms,
    indices,
    deep_nesting,
]


def alive():
    kinds = (torch.Tensor, Node)
    return sum(issubclass(type(o), kinds) for o in gc.get_objects())


@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f.__name__)
def test_nothing_is_left(feature):
    feature()  # builds operators and fills caches of constants
    feature()
    gc.collect()
    gc.disable()
    try:
        before = alive()
        for _ in range(5):
            feature()
        assert alive() == before
    finally:
        gc.enable()
