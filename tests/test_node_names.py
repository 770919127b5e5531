"""Functions that are made of several operators record PyTorch's nodes, in its order."""

from __future__ import annotations

import pytest

import retrograd

FUNCTIONS = {
    "kron": lambda t, x, y, c: t.kron(x, y), "kron of rows": lambda t, x, y, c: t.kron(x[0], y),
    "kron of columns": lambda t, x, y, c: t.kron(x.t(), y.t()),
    "tensordot over all": lambda t, x, y, c: t.tensordot(x, y, 2),
    "tensordot of vectors": lambda t, x, y, c: t.tensordot(x[0], y[0], 1),
    "tensordot over all, crosswise": lambda t, x, y, c: t.tensordot(x, y, ([1, 0], [1, 0])),
    "tensordot of columns": lambda t, x, y, c: t.tensordot(x.t(), y, ([1, 0], [0, 1])),
    "tensordot over one": lambda t, x, y, c: t.tensordot(x, y, 1),
    "inner": lambda t, x, y, c: t.inner(x[0], y[0]),
    "conj_physical_": lambda t, x, y, c: (c * 1).conj_physical_(),
    "conj_physical_ of real numbers": lambda t, x, y, c: (x * 1).conj_physical_(),
    "matrix_power": lambda t, x, y, c: x.matrix_power(3),
    "matrix_power of the inverse": lambda t, x, y, c: x.matrix_power(-3),
    "multi_dot": lambda t, x, y, c: t.linalg.multi_dot([x, y, x]),
    "multi_dot of four": lambda t, x, y, c: t.linalg.multi_dot([x, y, x, y]),
    "xlogy by a number": lambda t, x, y, c: t.xlogy(x, 2.0),
    "xlogy of a number": lambda t, x, y, c: t.xlogy(2, x), "xlogy": lambda t, x, y, c: x.xlogy(y),
    "xlog1py by a number": lambda t, x, y, c: t.special.xlog1py(x, 2),
    "xlog1py of a number": lambda t, x, y, c: t.special.xlog1py(2.0, x),
    "zeta of a number": lambda t, x, y, c: t.special.zeta(3.0, x),
    "eq_ to a number": lambda t, x, y, c: (x * 1).eq_(2), "eq_": lambda t, x, y, c: (x * 1).eq_(y),
    "greater_ than a number": lambda t, x, y, c: (x * 1).greater_(2.0),
    "fill": lambda t, x, y, c: t.fill(x, 2.0), "fill_": lambda t, x, y, c: (x * 1).fill_(2.0),
    "fill with a tensor": lambda t, x, y, c: t.fill(x, y[0, 0]),
    "cov": lambda t, x, y, c: t.cov(x), "corrcoef": lambda t, x, y, c: t.corrcoef(x),
}


def nodes(node):
    """A graph as nested tuples of names."""
    return None if node is None else (node.name(), *(nodes(k) for k, _ in node.next_functions))


def recorded(name, torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    y = torch.tensor([[1.0, 0.5], [0.3, 2.0]], requires_grad=True)
    result = FUNCTIONS[name](torch, x, y, torch.tensor([1 + 2j, 3.0], requires_grad=True))
    return result, x, y


@pytest.mark.live
@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    assert nodes(recorded(name, retrograd)[0].grad_fn) == nodes(recorded(name, torch)[0].grad_fn)


@pytest.mark.live
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    found = []
    for t in (retrograd, torch):
        result, x, y = recorded(name, t)
        t.view_as_real(result).sum().backward() if result.is_complex() else result.sum().backward()
        found.append([None if z is None else z.tolist() for z in (result.detach(), x.grad, y.grad)])
    ours, theirs = found
    assert [z is None for z in ours] == [z is None for z in theirs]
    for one, other in zip(ours, theirs, strict=True):
        if one is not None:
            assert retrograd.allclose(retrograd.tensor(one), retrograd.tensor(other), rtol=1e-5)


GRADIENTS = {
    "softmax": lambda t, x: t.nn.functional.softmax(x, 1),
    "log_softmax": lambda t, x: t.nn.functional.log_softmax(x, 0),
    "gelu": lambda t, x: t.nn.functional.gelu(x),
    "gelu by tanh": lambda t, x: t.nn.functional.gelu(x, approximate="tanh"),
    "softplus": lambda t, x: t.nn.functional.softplus(x, 1.5),
    "logsigmoid": lambda t, x: t.nn.functional.logsigmoid(x),
    "elu": lambda t, x: t.nn.functional.elu(x, 1.5), "selu": lambda t, x: t.selu(x),
    "elu_": lambda t, x: t.nn.functional.elu_(x * 1, 1.5),
    "celu": lambda t, x: t.celu(x, 1.5), "celu_": lambda t, x: t.celu_(x * 1, 1.5),
    "hardswish": lambda t, x: t.nn.functional.hardswish(x),
    "leaky_relu": lambda t, x: t.nn.functional.leaky_relu(x),
    "hardtanh": lambda t, x: t.nn.functional.hardtanh(x),
    "hardshrink": lambda t, x: t.nn.functional.hardshrink(x),
    "softshrink": lambda t, x: t.nn.functional.softshrink(x),
    "prelu": lambda t, x: t.nn.functional.prelu(x, t.full((1,), 0.3, dtype=x.dtype)),
    "glu": lambda t, x: t.nn.functional.glu(x, 1),
    "atan2": lambda t, x: t.atan2(x, t.ones_like(x)),
}


@pytest.mark.live
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_that_are_recorded_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    graphs, values = zip(*(_of_a_gradient(name, t) for t in (retrograd, torch)), strict=True)
    assert graphs[0] == graphs[1]
    for mine, theirs in zip(*values, strict=True):
        assert mine.tolist() == pytest.approx(theirs.tolist(), rel=1e-12, abs=1e-12)


@pytest.mark.live
@pytest.mark.parametrize("of", [lambda F, x: F.layer_norm(x, (6,)),
                                lambda F, x: F.batch_norm(x, None, None, training=True),
                                lambda F, x: F.instance_norm(x.view(1, 4, 6))])
def test_gradients_of_norms_are_pytorchs(of):
    torch = pytest.importorskip("torch")
    results = []
    for t in (retrograd, torch):
        x = t.arange(24.0, dtype=t.float64).sqrt().sin().view(4, 6).requires_grad_()
        y = of(t.nn.functional, x)
        g, = t.autograd.grad(y, x, y.detach().cos().requires_grad_(), create_graph=True)
        second, = t.autograd.grad((g * x.detach()).sum(), x)
        graph = repr(nodes(g.grad_fn)).replace(", None", "")    # of statistics, weight and bias
        results.append((graph, g.detach().view(-1).tolist(), second.view(-1).tolist()))
    (graph, *ours), (expected, *theirs) = results
    assert graph == expected
    for mine, its in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(its, rel=1e-9, abs=1e-12)


def _of_a_gradient(name, t):
    """The graph of a function's gradient, and the second and third derivatives."""
    x = t.tensor([-4.0, -1.0, -0.25, 0.3, 1.5, 3.5], dtype=t.float64).reshape(2, 3).repeat(1, 2)
    x.requires_grad_()
    y = GRADIENTS[name](t, x)
    weight = t.arange(1.0, y.numel() + 1, dtype=t.float64).reshape(y.shape).requires_grad_()
    g, = t.autograd.grad(y, x, weight, create_graph=True)
    of_weight, second = t.autograd.grad((g * x.detach().cos()).sum(), (weight, x),
                                        create_graph=True, allow_unused=True)
    third, = t.autograd.grad((second * x.detach().sin()).sum(), x, materialize_grads=True) \
        if second.requires_grad else (second,)
    return nodes(g.grad_fn), [v.detach().reshape(-1) for v in (g, of_weight, second, third)]


@pytest.mark.filterwarnings("ignore:torch.cholesky")
def test_the_older_cholesky_has_a_node_of_its_own():
    x = retrograd.tensor([[4.0, 1.0], [1.0, 3.0]], requires_grad=True)
    old, new = retrograd.cholesky(x), retrograd.linalg.cholesky(x)
    assert old.grad_fn.name() == "CholeskyBackward0" and old.tolist() == new.tolist()
    grads = [retrograd.autograd.grad(t.sum(), x)[0].tolist() for t in (old, new)]
    assert grads[0] == grads[1]


@pytest.mark.parametrize("draw", [
    lambda t, x: t.bernoulli(x, 0.5), lambda t, x: t.binomial(x, x), lambda t, x: x.bernoulli(0.5),
    lambda t, x: t._sample_dirichlet(x)])
def test_draws_without_a_derivative_say_so_in_backward(draw):
    drawn = draw(retrograd, retrograd.tensor([1.0, 1.0], requires_grad=True))
    assert drawn.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for aten::_?[a-z_]+ is not implemented"):
        drawn.sum().backward()


def test_the_last_names():
    names = {name: recorded(name, retrograd)[0].grad_fn for name in FUNCTIONS}
    assert names["conj_physical_"].name() == "ConjPhysicalBackward1"
    assert names["kron"].next_functions[0][0].next_functions[0][0].name() == "UnsafeViewBackward0"
    assert names["tensordot over all"].next_functions[0][0].name() == "DotBackward0"


@pytest.mark.parametrize("dtype", [retrograd.int32, retrograd.uint8])
@pytest.mark.parametrize("dims", [2, ([1, 0], [1, 0])])
def test_whole_numbers_keep_their_dtype(dtype, dims):
    x = retrograd.tensor([[1, 2], [3, 4]], dtype=dtype)
    result = retrograd.tensordot(x, x, dims)
    assert result.dtype is dtype and result.item() == 30


def test_kron_refuses_a_factor_that_was_written_to():
    x = retrograd.ones(2, requires_grad=True)
    factor = x * 1
    product = retrograd.kron(factor, factor)
    factor += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
