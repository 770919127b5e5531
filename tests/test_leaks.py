"""Features of autograd used many times leave no tensors and no nodes, with the collector off."""

import functools
import gc
import threading

import pytest

import retrograd as torch
from retrograd.autograd import Function, forward_ad, functional, graph
from retrograd.autograd.node import Node
from retrograd.utils._python_dispatch import TorchDispatchMode
from retrograd.utils.checkpoint import (
    checkpoint,
    checkpoint_sequential,
    create_selective_checkpoint_contexts,
)


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


def raw_saved_hooks():
    x = leaf(0.5)
    y = x.exp() * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    y.sum().backward()
    unused = x * x
    unused.grad_fn._raw_saved_other.register_hooks(lambda t: t, lambda t: t)


def saved_elsewhere():
    x = leaf(0.5)
    with graph.save_on_cpu():
        y = x.exp().sin() * x
    with graph.disable_saved_tensors_hooks("not here"):
        y = y * x
    y.sum().backward()


def removed_hooks():
    x = leaf(0.5)
    y = x.exp()
    for handle in (y.register_hook(lambda g: g), y.grad_fn.register_hook(lambda gi, go: gi),
                   x.register_post_accumulate_grad_hook(lambda p: None),
                   graph.register_multi_grad_hook((y, x), lambda grads: None)):
        handle.remove()
    y.sum().backward()


def nodes_by_hand():
    x = leaf(0.5)
    y = x.exp()
    y.grad_fn(torch.ones(1, dtype=torch.float64))
    y.grad_fn.metadata["note"] = 1
    graph.increment_version(x.detach())
    torch.autograd.backward(graph.get_gradient_edge(y), torch.ones(1, dtype=torch.float64))


def inference():
    with torch.inference_mode():
        y = leaf(0.5).exp()
    (y.clone() * leaf(0.5)).sum().backward()


def views_of_all_kinds():
    x = leaf(0.5, 1.5)
    y = x * 1
    a, b = y.unbind()
    y.view(2, 1).t()[0].mul_(3)
    z = torch.view_as_complex(torch.stack([y, y], -1))
    (z.real.sum() + z.imag.sum() + torch.view_as_real(z.conj()).sum()).backward()
    try:
        a.mul_(2)
    except RuntimeError:
        pass
    with torch.no_grad():
        x.view(-1).mul_(2)


def other_memory():
    x = leaf(0.5)
    x.data = torch.ones(1, dtype=torch.float64)
    x.data.mul_(2)
    (x * x).sum().backward()
    x.detach().set_(torch.ones(1, dtype=torch.float64))


def unseen_writes():
    x = leaf(0.5)
    y = (x * x).sum()
    x.data.add_(1)
    with torch.autograd.on_wrong_gradient("ignore"):
        y.backward()


class Keeps(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, y)
        return 2 * y

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[1]


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


def refused_second_derivatives():
    for function in (Keeps, Once):
        x = leaf(0.5)
        (g,) = torch.autograd.grad(function.apply(x).sum(), x, create_graph=True)
        try:
            torch.autograd.grad(g.sum(), x)
        except RuntimeError:
            pass


class Views(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.view(-1), x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g, _):
        return g.view(ctx.saved_tensors[0].shape)


class Dirty(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


def functions_with_views_and_writes():
    x = leaf(0.5, 1.5)
    Views.apply(x)[0].sum().backward()
    Dirty.apply(x * 1).sum().backward()
    torch.vmap(torch.func.grad(lambda t: Views.apply(t)[0].sum()))(x.detach().view(2, 1))


def forward_over_reverse():
    with forward_ad.dual_level():
        x = forward_ad.make_dual(leaf(0.5, 1.5), torch.ones(2, dtype=torch.float64))
        y = (x.sin() * x[0]).sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        forward_ad.unpack_dual(g)
        z = torch.zeros(2, dtype=torch.float64)
        z[:1].copy_(x[:1])


def batches_of_gradients():
    x = leaf(0.5, 1.5)
    y = x.sin() * x.sum()
    torch.autograd.grad(y, x, torch.eye(2, dtype=torch.float64), is_grads_batched=True)
    functional.jacobian(torch.sin, x, vectorize=True)
    functional.jacobian(torch.sin, x, vectorize=True, strategy="forward-mode")


def all_of_func():
    func, x = torch.func, leaf(0.5, 1.5).detach()

    def f(t):
        return (t.sin() * t.sum()).sum()
    func.vjp(f, x)[1](torch.tensor(1.0, dtype=torch.float64))
    func.jvp(f, (x,), (x,))
    func.jacrev(torch.sin)(x), func.jacfwd(torch.sin)(x), func.grad_and_value(f)(x)
    func.linearize(f, x)[1](x)
    torch.vmap(lambda t: t + torch.rand(()), randomness="different", chunk_size=1)(x)
    torch.vmap(lambda t, i: t[i])(x.view(2, 1), torch.tensor([0, 0]))
    torch.vmap(func.grad(lambda t: torch.vmap(torch.sin)(t).sum()))(x.view(2, 1))


def modules():
    models = [torch.nn.Linear(2, 2) for _ in range(2)]
    params, buffers = torch.func.stack_module_state(models)
    torch.vmap(lambda p, b: torch.func.functional_call(models[0], (p, b), (torch.ones(2),)))(
        params, buffers).sum().backward()


def checked_gradients():
    torch.autograd.gradcheck(torch.sin, leaf(0.5), check_forward_ad=True, fast_mode=True)
    torch.autograd.gradgradcheck(torch.sin, leaf(0.5), fast_mode=True)


def a_thread():
    x = leaf(0.5)
    y = x.exp()
    threads = [threading.Thread(target=lambda: y.sum().backward(retain_graph=True))
               for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def selectively_checkpointed():
    keep = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.sin.default])

    def run():
        return checkpoint(lambda t: t.sin().exp(), leaf(0.5), use_reentrant=False, context_fn=keep)

    run()
    run().sum().backward(retain_graph=True)


def dispatch_mode():
    with Seen():
        leaf(0.5).exp().sum().backward()


class Seen(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def tangents_of_older_views():
    with forward_ad.dual_level():
        base = torch.zeros(2, 3, dtype=torch.float64)
        view = base[0]
        base.copy_(forward_ad.make_dual(torch.ones_like(base), base.clone()))
        forward_ad.unpack_dual(view.exp()).tangent.sum()


def checkpointed_sequence():
    layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    x = torch.ones(1, 2, requires_grad=True)
    checkpoint_sequential(layers, 2, x, use_reentrant=False).sum().backward()


TIMES = 1000
SLOW = (deep_nesting, checked_gradients)     # take milliseconds each: 20 times
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
    raw_saved_hooks,
    saved_elsewhere,
    removed_hooks,
    nodes_by_hand,
    inference,
    views_of_all_kinds,
    other_memory,
    unseen_writes,
    refused_second_derivatives,
    functions_with_views_and_writes,
    forward_over_reverse,
    batches_of_gradients,
    all_of_func,
    modules,
    checked_gradients,
    a_thread,
    checkpointed_sequence,
    selectively_checkpointed,
    dispatch_mode,
    tangents_of_older_views,
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
        for _ in range(20 if feature in SLOW else TIMES):
            feature()
        assert alive() == before
    finally:
        gc.enable()
