"""Custom Functions: what they may do, and what PyTorch says when they may not."""

import gc
import re
import weakref

import pytest

import retrograd as torch
import retrograd.autograd.forward_ad as fwAD
from retrograd.autograd import Function, gradcheck, gradgradcheck
from retrograd.autograd.function import once_differentiable


def leaf(*values, dtype=None):
    return torch.tensor(values, dtype=dtype or torch.float64, requires_grad=True)


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Apart(Function):
    """x * y * k, with setup_context and a default."""

    @staticmethod
    def forward(x, y, k=2.0):
        return x * y * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y, ctx.k = inputs
        ctx.save_for_backward(x, y)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y * ctx.k, grad * x * ctx.k, None

    @staticmethod
    def jvp(ctx, x_t, y_t, _):
        raise AssertionError("not asked for")


def function(forward, backward=lambda ctx, g: g, jvp=None, name="M"):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    if jvp is not None:
        body["jvp"] = staticmethod(jvp)
    return type(name, (Function,), body)


def test_values_gradients_and_names():
    x = leaf(1.0, 3.0)
    y = Square.apply(x)
    assert type(y.grad_fn).__name__ == y.grad_fn.name() == "SquareBackward"
    assert repr(y.grad_fn).startswith("<torch.autograd.function.SquareBackward object at 0x")
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 6.0]


def test_every_order_of_derivative():
    assert gradcheck(Square.apply, leaf(1.0, 3.0))
    assert gradgradcheck(Square.apply, leaf(1.0, 3.0))


def test_setup_context_with_a_default():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    Apart.apply(x, y).sum().backward()
    assert x.grad.tolist() == [6.0, 8.0] and y.grad.tolist() == [2.0, 4.0]
    assert gradcheck(lambda a, b: Apart.apply(a, b, 3.0), (x, y))


def test_what_ctx_knows():
    seen = {}

    def forward(ctx, x, y, k):
        seen["needs"] = ctx.needs_input_grad
        seen["grad mode"] = torch.is_grad_enabled()
        ctx.note = "kept"
        return x + y

    def backward(ctx, g):
        seen["note"], seen["in backward"] = ctx.note, ctx.needs_input_grad
        return g, None, None

    out = function(forward, backward).apply(leaf(1.0), torch.ones(1, dtype=torch.float64), "k")
    out.backward()
    assert seen == {
        "needs": (True, False, False),
        "grad mode": False,
        "note": "kept",
        "in backward": (True, False, False),
    }
    assert [type(fn).__name__ for fn, _ in out.grad_fn.next_functions] == [
        "AccumulateGrad",
        "NoneType",
    ]


@pytest.mark.parametrize("materialize", [True, False])
def test_gradients_of_unused_outputs(materialize):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 1, x * 2

    def backward(ctx, a, b):
        seen.append((a, b))
        return a

    function(forward, backward).apply(leaf(1.0))[0].backward()
    ((a, b),) = seen
    assert a.item() == 1
    assert (b.item() == 0) if materialize else b is None


def test_outputs_that_are_no_tensors():
    def forward(ctx, x):
        return x * 2, "text", None

    y, text, nothing = function(forward, lambda ctx, g, *_: 2 * g).apply(leaf(1.0))
    assert (text, nothing) == ("text", None)
    y.backward()
    assert function(lambda ctx, x: 3.0).apply(leaf(1.0)) == 3.0
    (listed,) = function(lambda ctx, x: [x.clone()]).apply(leaf(1.0))
    assert not listed.requires_grad


def test_under_no_grad_nothing_is_recorded():
    with torch.no_grad():
        y = Square.apply(leaf(1.0))
    assert not y.requires_grad and y.grad_fn is None


def test_input_returned_as_it_is():
    x = leaf(1.0, 2.0)
    y = function(lambda ctx, x: x, lambda ctx, g: g * 5).apply(x)
    assert y is not x and y._base is x
    y.sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_mark_dirty():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    times = function(forward, lambda ctx, g: g * 3)
    x = leaf(1.0, 2.0)
    y = x * 1
    z = times.apply(y)
    assert z is y and y.grad_fn.name() == "MBackward" and y._version == 2
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    x = leaf(1.0, 2.0)
    y = x * 1
    times.apply(y[:1])
    assert type(y.grad_fn).__name__ == "CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 1.0]


def test_mark_non_differentiable():
    def forward(ctx, x):
        values, indices = x.sort()
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter_(0, indices, g)

    x = leaf(3.0, 1.0, 2.0)
    values, indices = function(forward, backward).apply(x)
    assert values.requires_grad and not indices.requires_grad
    (values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [100.0, 1.0, 10.0]


def test_gradient_is_summed_and_cast_to_its_input():
    x = leaf(1.0, 2.0, 3.0, dtype=torch.float32)
    function(lambda ctx, x: x.clone(), lambda ctx, g: torch.ones(2, 3).double()).apply(
        x
    ).sum().backward()
    assert x.grad.dtype == torch.float32 and x.grad.tolist() == [2.0, 2.0, 2.0]


def test_vjp_is_another_name_of_backward():
    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    assert gradcheck(Twice.apply, leaf(1.0))


def test_saved_output_does_not_keep_the_graph_alive():
    class Mark:
        pass

    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(x, y)
            ctx.mark = Mark()
            return y

        @staticmethod
        def backward(ctx, g):
            _, y = ctx.saved_tensors
            return g * y

    gc.disable()
    try:
        x = leaf(1.0)
        y = Exp.apply(x)
        assert y.grad_fn.saved_tensors[1].grad_fn is y.grad_fn
        mark = weakref.ref(y.grad_fn.mark)
        del y
        assert mark() is None
    finally:
        gc.enable()


def test_freed_saved_tensors():
    x = leaf(3.0)
    y = Square.apply(x)
    y.backward()
    words = "Trying to backward through the graph a second time"
    with pytest.raises(RuntimeError, match=words):
        y.backward()
    with pytest.raises(RuntimeError, match=words):
        y.grad_fn.saved_tensors  # noqa: B018


def test_changed_saved_tensor():
    x = leaf(1.0) * 1
    y = Square.apply(x)
    x.add_(1)
    words = "one of the variables needed for gradient computation has been modified by an inplace"
    with pytest.raises(RuntimeError, match=words):
        y.backward()


def test_once_differentiable():
    class Once(Square):
        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = leaf(3.0)
    (g,) = torch.autograd.grad(Once.apply(x) ** 2, x, create_graph=True)
    assert g.item() == 108 and type(g.grad_fn).__name__ == "Error"
    words = "trying to differentiate twice a function that was marked with @once_differentiable"
    with pytest.raises(RuntimeError, match=words):
        g.backward()


# Forward mode


def test_jvp_of_a_function_is_its_forward_mode_rule():
    class Double(Square):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x * x

        @staticmethod
        def jvp(ctx, x_t):
            (x,) = ctx.saved_tensors
            return 2 * x * x_t

    assert gradcheck(Double.apply, leaf(1.0, 3.0), check_forward_ad=True)
    with fwAD.dual_level():
        dual = fwAD.make_dual(torch.tensor(3.0), torch.tensor(2.0))
        assert fwAD.unpack_dual(Double.apply(dual)).tangent.item() == 12


def dual(value=1.0, tangent=1.0):
    return fwAD.make_dual(torch.tensor([value]), torch.tensor([tangent]))


FORWARD_ERRORS = {
    "no jvp": (
        lambda: Square.apply(dual()),
        NotImplementedError,
        "You must implement the jvp function for custom autograd.Function to use it with forward "
        "mode AD.",
    ),
    "too many tangents": (
        lambda: function(lambda ctx, x: x.clone(), jvp=lambda ctx, t: (t, t)).apply(dual()),
        RuntimeError,
        "Function's jvp returned an invalid number of forward gradients (expected 1 but got 2)",
    ),
    "no tensor": (
        lambda: function(lambda ctx, x: x.clone(), jvp=lambda ctx, t: 3.0).apply(dual()),
        RuntimeError,
        "expected Variable or None (got float) for grad output 0.",
    ),
    "another shape": (
        lambda: function(lambda ctx, x: x.clone(), jvp=lambda ctx, t: torch.ones(7)).apply(dual()),
        RuntimeError,
        "Trying to set a forward gradient that has a different size than that of the original "
        "Tensor, this is not supported. Tensor is of size [1] while the given forward gradient is "
        "of size [7].",
    ),
    "no view": (
        lambda: function(lambda ctx, x: x[:1], jvp=lambda ctx, t: t * 2).apply(dual()),
        RuntimeError,
        "A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
        "returning a view.",
    ),
}


@pytest.mark.parametrize("case", FORWARD_ERRORS)
def test_forward_mode_errors(case):
    run, kind, words = FORWARD_ERRORS[case]
    with fwAD.dual_level(), pytest.raises(kind, match=re.escape(words)):
        run()


# torch.func


class Scaled(Function):
    """x * x * w, with a rule for vmap made from forward, backward and jvp."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x, w):
        return x * x * w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return 2 * g * x * w, (g * x * x).sum_to_size(w.shape)

    @staticmethod
    def jvp(ctx, x_t, w_t):
        x, w = ctx.saved_tensors
        return 2 * x * x_t * w + x * x * w_t


def scaled(x, w):
    return x * x * w


def slices():
    return torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), torch.tensor([2.0, 0.5])


TRANSFORMS = {
    "vmap": lambda f, x, w: torch.func.vmap(f, (0, None))(x, w),
    "vmap of grad": lambda f, x, w: torch.func.vmap(
        torch.func.grad(lambda a, b: f(a, b).sum(), (0, 1)), (0, None)
    )(x, w),
    "grad of vmap": lambda f, x, w: torch.func.grad(
        lambda a, b: torch.func.vmap(f, (0, None))(a, b).sin().sum(), (0, 1)
    )(x, w),
    "nested vmap": lambda f, x, w: torch.func.vmap(
        torch.func.vmap(f, (0, None)), (None, 0), out_dims=1
    )(x, torch.stack([w, w + 1])),
    "jacrev": lambda f, x, w: torch.func.jacrev(f, (0, 1))(x, w),
    "jacfwd": lambda f, x, w: torch.func.jacfwd(f, (0, 1))(x, w),
    "hessian": lambda f, x, w: torch.func.hessian(lambda a: f(a, w).sum())(x),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_generated_rule_for_vmap(name):
    got = TRANSFORMS[name](Scaled.apply, *slices())
    want = TRANSFORMS[name](scaled, *slices())
    pairs = zip(got, want, strict=True) if isinstance(got, tuple) else [(got, want)]
    for a, b in pairs:
        assert a.shape == b.shape and torch.allclose(a, b)


def test_own_rule_for_vmap():
    seen = []

    class Own(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x):
            seen.append((info.batch_size, info.randomness, len(in_dims)))
            return Own.apply(x), in_dims[0]

    out = torch.func.vmap(Own.apply)(torch.ones(3, 2))
    assert out.tolist() == [[2.0, 2.0]] * 3
    assert seen == [(3, "error", 1)]


def test_vmap_of_a_function_gets_its_inputs_as_they_were_given():
    seen = []

    class Own(Function):
        @staticmethod
        def forward(x, pair):
            return x * pair[0]

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x, pair):
            seen.append((in_dims, x.shape, x.stride()))
            x, y = x.movedim(in_dims[0], 0), pair[0].movedim(in_dims[1][0], 0)
            return x * y.reshape(-1, *(1,) * (x.dim() - 1)), 0

    x, y = torch.randn(2, 3, 4), torch.randn(4)
    assert torch.equal(torch.func.vmap(lambda x, y: Own.apply(x[0], [y, 1.0]), (2, 0))(x, y),
                       torch.stack([x[0, :, i] * y[i] for i in range(4)]))
    got = torch.func.vmap(lambda x, y: Own.apply(x, [y, 1.0]), (2, 0))(x[0][None], y)
    assert torch.equal(got, torch.stack([x[:1, :, i] * y[i] for i in range(4)]))
    assert seen == [((0, [0, None]), (4, 3), (1, 4)), ((2, [0, None]), (1, 3, 4), (12, 4, 1))]


def test_functions_that_transforms_cannot_take():
    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        torch.func.grad(lambda x: Square.apply(x).sum())(torch.ones(1))
    with pytest.raises(RuntimeError, match="You tried to vmap over Apart, but it does not have"):
        torch.func.vmap(Apart.apply)(torch.ones(2), torch.ones(2))


# Messages


def clone(ctx, x):
    return x.clone()


def dirty(change):
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return change(x)

    return function(forward, lambda ctx, *g: g[0])


def saving(value):
    def forward(ctx, x):
        ctx.save_for_backward(value)
        return x.clone()

    return function(forward)


def one():
    return torch.ones(1, requires_grad=True)


ERRORS = {
    "forward is missing": (
        lambda: type("N", (Function,), {}).apply(one()),
        NotImplementedError,
        "You must implement the forward function for custom autograd.Function.",
    ),
    "backward is missing": (
        lambda: type("N", (Function,), {"forward": staticmethod(clone)}).apply(one()).backward(),
        NotImplementedError,
        "You must implement either the backward or vjp method for your custom autograd.Function "
        "to use it with backward mode AD.",
    ),
    "backward and vjp": (
        lambda: (
            type(
                "N",
                (Function,),
                {
                    "forward": staticmethod(clone),
                    "backward": staticmethod(clone),
                    "vjp": staticmethod(lambda ctx, g: g),
                },
            )
            .apply(one())
            .backward()
        ),
        RuntimeError,
        "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
        "only implement one of them.",
    ),
    "too many gradients": (
        lambda: function(clone, lambda ctx, g: (g, g)).apply(one()).backward(),
        RuntimeError,
        "function MBackward returned an incorrect number of gradients (expected 1, got 2)",
    ),
    "too few gradients": (
        lambda: function(lambda ctx, x, y: x + y).apply(one(), one()).backward(),
        RuntimeError,
        "function MBackward returned an incorrect number of gradients (expected 2, got 1)",
    ),
    "a number": (
        lambda: function(clone, lambda ctx, g: 1.0).apply(one()).backward(),
        RuntimeError,
        "expected Variable or None (got float)",
    ),
    "gradient of a number": (
        lambda: (
            function(lambda ctx, x, k: x * k, lambda ctx, g: (g, g)).apply(one(), 2.0).backward()
        ),
        RuntimeError,
        "function MBackward returned a gradient different than None at position 2, but the "
        "corresponding forward input was not a Variable",
    ),
    "another shape": (
        lambda: (
            function(clone, lambda ctx, g: torch.ones(4))
            .apply(torch.ones(3, requires_grad=True))
            .sum()
            .backward()
        ),
        RuntimeError,
        "Function MBackward returned an invalid gradient at index 0 - got [4] but expected shape "
        "compatible with [3]",
    ),
    "a number saved": (
        lambda: saving(3.0).apply(one()),
        TypeError,
        "save_for_backward can only save variables, but argument 0 is of type float",
    ),
    "dirty leaf": (
        lambda: dirty(lambda x: x).apply(one()),
        RuntimeError,
        "a leaf Variable that requires grad has been used in an in-place operation.",
    ),
    "dirty and not returned": (
        lambda: dirty(lambda x: x * 2).apply(one() * 1),
        RuntimeError,
        "Some elements marked as dirty during the forward method were not returned as output. The "
        "inputs that are modified inplace must all be outputs of the Function.",
    ),
    "dirty view and another output": (
        lambda: dirty(lambda x: (x, x.clone())).apply((torch.ones(4, requires_grad=True) * 1)[:2]),
        RuntimeError,
        "If your Function modifies inplace an input that is a view of another Tensor, your "
        "Function cannot return more than one Tensor.",
    ),
    "setup_context and ctx": (
        lambda: type(
            "N",
            (Function,),
            {
                "forward": staticmethod(clone),
                "setup_context": staticmethod(lambda ctx, inputs, output: None),
            },
        ).apply(one()),
        TypeError,
        "missing a required argument: 'x'",
    ),
    "view changed afterwards": (
        lambda: function(lambda ctx, x: x.view(-1)).apply(one() * 1).add_(1),
        RuntimeError,
        "Output 0 of M is a view and is being modified inplace. This view was created "
        "inside a custom Function (or because an input was returned as-is)",
    ),
    "input saved apart": (
        lambda: type(
            "N",
            (Function,),
            {
                "forward": staticmethod(lambda x: x),
                "setup_context": staticmethod(lambda ctx, i, output: ctx.save_for_backward(output)),
            },
        ).apply(one()),
        RuntimeError,
        "An input that has been returned as-is as output is being saved for backward.",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_misuse_raises_pytorchs_words(case):
    run, kind, words = ERRORS[case]
    with pytest.raises(kind, match=re.escape(words)):
        run()


def test_instances_are_discouraged():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        made = Square()
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward"):
        made(torch.ones(1))


def test_names_that_the_node_needs_are_refused():
    def forward(ctx, x):
        ctx.edges = [(0, 1)]
        return x.clone()

    with pytest.raises(NotImplementedError, match="ctx.edges: the graph keeps something"):
        function(forward).apply(one())


def test_extra_gradients_that_are_none_are_ignored():
    x = one()
    function(clone, lambda ctx, g: (g, None, None)).apply(x).backward()
    assert x.grad.item() == 1


@pytest.mark.parametrize("requires_grad", [False, True])
def test_an_input_returned_as_it_is_keeps_its_class(requires_grad):
    class Marked(torch.Tensor):
        pass

    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return 3 * grad

    x = torch.ones(2).as_subclass(Marked).requires_grad_(requires_grad)
    y = Same.apply(x)
    assert type(y) is Marked and y is not x and y.requires_grad is requires_grad
    if requires_grad:
        y.sum().backward()
        assert x.grad.tolist() == [3, 3] and y.grad_fn.name() == "SameBackward"
