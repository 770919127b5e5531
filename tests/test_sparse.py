"""Sparse tensors agree with dense ones: results, gradients, files; and PyTorch's where it is."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import re
import warnings
import weakref

import numpy as np
import pytest

import retrograd as torch
from retrograd.autograd.gradcheck import GradcheckError
from retrograd.kernels import sparse_products as products
from retrograd.ops.bind import function_names
from retrograd.ops.public import METHODS

F = torch.nn.functional
FUNCTIONS_OF_TORCH = sorted(function_names())


def sparse(shape=(4, 5), n=9, dense=0, seed=0, coalesced=False, dtype=np.float64):
    """A sparse tensor with places listed twice, its last `dense` dimensions dense."""
    rng = np.random.default_rng(seed)
    lead = len(shape) - dense
    indices = np.stack([rng.integers(0, k, n) for k in shape[:lead]])
    values = rng.standard_normal((n, *shape[lead:]))
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(values.shape)
    t = torch.sparse_coo_tensor(torch.tensor(indices), torch.tensor(values.astype(dtype)), shape)
    return t.coalesce() if coalesced else t


def dense(*shape, seed=1):
    return torch.tensor(np.random.default_rng(seed).standard_normal(shape))


def as_dense(t):
    return t.to_dense()


def same(actual, expected):
    torch.testing.assert_close(as_dense(actual), as_dense(expected))


A, B, H = sparse(), sparse(seed=2), sparse((4, 3, 2), 6, dense=1)
FUNCTIONS = {        # name: (function, inputs); what it gives of dense tensors is the law
    "neg": (lambda a: -a, A), "times number": (lambda a: a * 3, A), "over": (lambda a: a / 2, A),
    "plus": (lambda a, b: a + b, A, B), "minus": (lambda a, b: a - b, A, B),
    "alpha": (lambda a, b: torch.add(a, b, alpha=2), A, B),
    "dense plus": (lambda a, b: a + b, dense(4, 5), A),
    "dense minus": (lambda a, b: torch.sub(a, b, alpha=3), dense(4, 5), A),
    "product": (lambda a, b: a * b, A, B), "with dense": (lambda a, b: a * b, A, dense(4, 5)),
    "with row": (lambda a, b: a * b, A, dense(5)),
    "with long row": (lambda a, b: a * b, sparse((4, 70)), dense(70)),
    "with column": (lambda a, b: b * a, A, dense(4, 1)),
    "widened": (lambda a, b: a * b, A, dense(2, 4, 5)),
    "hybrid product": (lambda a, b: a * b, H, sparse((4, 3, 2), 5, dense=1, seed=3)),
    "hybrid with dense": (lambda a, b: a * b, H, dense(4, 3, 2)),
    "abs": (lambda a: a.abs(), A), "square": (lambda a: a ** 2, A), "sin": (lambda a: a.sin(), A),
    "sum": (lambda a: a.sum(), A), "sum 0": (lambda a: a.sum(0), A),
    "sum 1 kept": (lambda a: a.sum(1, keepdim=True), A), "hybrid sum": (lambda a: a.sum(2), H),
    "hybrid sum 0": (lambda a: a.sum(0), H), "sum both": (lambda a: a.sum((0, 2)), H),
    "mm": (lambda a, b: a @ b, A, dense(5, 3)), "dense mm": (lambda a, b: b @ a, A, dense(3, 4)),
    "mv": (lambda a, b: a @ b, A, dense(5)), "sparse mm": (lambda a, b: a @ b.t(), A, B),
    "addmm": (lambda c, a, b: torch.addmm(c, a, b, beta=2, alpha=3), dense(4, 3), A, dense(5, 3)),
    "bmm": (lambda a, b: torch.bmm(a, b), sparse((2, 4, 5), 12), dense(2, 5, 3)),
    "t": (lambda a: a.t(), A), "permute": (lambda a: a.permute(1, 0, 2), H),
    "select": (lambda a: a[1], A), "hybrid select": (lambda a: a.select(2, 1), H),
    "select all": (lambda a: a[1][2], A), "unsqueeze": (lambda a: a.unsqueeze(1), A),
    "unsqueeze last": (lambda a: a.unsqueeze(-1), H),
    "index_select": (lambda a: a.index_select(1, torch.tensor([4, 1, 1])), A),
    "hybrid index_select": (lambda a: a.index_select(2, torch.tensor([1, 0])), H),
    "cat": (lambda a, b: torch.cat([a, b]), A, B),
    "cat 1": (lambda a, b: torch.cat([a, b], 1), A, B),
    "hybrid cat": (lambda a, b: torch.cat([a, b], 2), H, H),
    "stack": (lambda a, b: torch.stack([a, b], 1), A, B), "to float": (lambda a: a.float(), A),
    "clone": (lambda a: a.clone(), A), "conj": (lambda a: a.conj() * a, sparse(dtype=complex)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gives_what_it_gives_of_dense_tensors(name):
    function, *inputs = FUNCTIONS[name]
    expected = function(*map(as_dense, inputs))
    same(function(*inputs), expected)
    same(function(*[t.coalesce() if t.is_sparse else t for t in inputs]), expected)


DIFFERENTIABLE = [n for n in FUNCTIONS if n not in (
    "sin", "abs", "sum 0", "sum 1 kept", "hybrid sum", "hybrid sum 0", "sum both", "select",
    "hybrid select", "select all", "unsqueeze", "unsqueeze last", "index_select", "cat", "cat 1",
    "hybrid index_select", "hybrid cat", "with row", "with long row", "with column", "widened",
    "bmm", "sparse mm")]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_are_those_of_dense_tensors_in_the_places_listed(name, create_graph):
    function, *inputs = FUNCTIONS[name]
    result = function(*inputs)
    weight = dense(*result.shape, seed=5).to(result.dtype)
    if result.is_sparse:                    # what it does not list takes no part
        weight = weight.sparse_mask(result.coalesce()).to_dense()
    grads = []
    for given in (inputs, [as_dense(t) for t in inputs]):
        given = [t.detach().clone().requires_grad_() for t in given]
        total = (as_dense(function(*given)) * weight).sum().real
        grads.append(torch.autograd.grad(total, given, create_graph=create_graph))
    for g, expected in zip(*grads, strict=True):
        if g.is_sparse:
            expected = expected.sparse_mask(g.coalesce().detach())
        same(g.detach(), expected.detach())


@pytest.mark.parametrize("function, inputs", [
    (lambda a, b: torch.sparse.mm(a, b), (A, dense(5, 2))),
    (lambda a, b: torch.sparse.mm(a, b.t()).to_dense(), (A, B)),
    (lambda c, a, b: torch.sparse.addmm(c, a, b, beta=.5, alpha=2), (dense(4, 2), A, dense(5, 2))),
    (lambda a: torch.sparse.sum(a, 0).to_dense(), (A,)), (lambda a: torch.sparse.sum(a), (A,)),
    (lambda a: torch.sparse.sum(a, (0, 2)).to_dense(), (H,)),
    (lambda a: torch.sparse.softmax(a, 1).to_dense(), (A,)),
    (lambda a: torch.sparse.softmax(a, 0).to_dense(), (H,)),
    (lambda a: torch.sparse.log_softmax(a, 0).coalesce().values(), (A,)),
    (lambda a: torch.sparse.log_softmax(a, 2).coalesce().values(), (H,)),
    (lambda a: a.sparse_mask(B.coalesce()).to_dense(), (A,)),
    (lambda a: a.sparse_mask(B.coalesce()).to_dense(), (dense(4, 5),)),
    (lambda a: a.to_sparse(1).to_dense(), (dense(4, 5),)),
    (lambda a: a.coalesce().values(), (A,)),
])
def test_gradients_by_finite_differences(function, inputs):
    """Of the values listed; a sparse gradient is their slope, place by place."""
    listed = [t.coalesce() if t.is_sparse else t for t in inputs]
    values = [t.values() if t.is_sparse else t for t in listed]

    def of_values(*values):
        return function(*[
            torch.sparse_coo_tensor(t.indices(), v, t.shape, is_coalesced=True) if t.is_sparse
            else v for t, v in zip(listed, values, strict=True)])
    values = [v.detach().clone().requires_grad_() for v in values]
    assert torch.autograd.gradcheck(of_values, values)


@pytest.mark.parametrize("layout", ["coo", "csr"])
@pytest.mark.parametrize("masked", [True, False])
def test_gradcheck_takes_sparse_inputs(layout, masked):
    a = getattr(sparse((3, 4), 5, seed=4).coalesce(), f"to_sparse_{layout}")().requires_grad_()

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return t * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3
    for function in (torch.Tensor.to_dense, lambda t: t * 2, lambda t: t @ dense(4, 2)):
        assert torch.autograd.gradcheck(function, (a,), masked=masked)
        with pytest.raises(GradcheckError, match="Jacobian mismatch"):
            torch.autograd.gradcheck(lambda t, f=function: Wrong.apply(f(t).to_dense()), (a,),
                                     masked=masked)


def test_softmax_is_that_of_what_is_listed():
    a = A.coalesce()
    listed = torch.full(a.shape, -torch.inf, dtype=a.dtype)
    listed[tuple(a.indices())] = a.values()
    for dim in (0, 1):
        expected = torch.softmax(listed, dim).nan_to_num(0.0)
        same(torch.sparse.softmax(a, dim), expected)
        kept = torch.sparse.log_softmax(a, dim).coalesce()
        torch.testing.assert_close(kept.values().exp(), expected[tuple(a.indices())])


# ------------------------------------------------------------------------- gradients of leaves

def embedded(sparse, **options):
    torch.manual_seed(0)
    table = torch.nn.Embedding(6, 3, sparse=sparse, **options)
    return table, table(torch.tensor([[1, 2, 1], [4, 0, 2]]))


@pytest.mark.parametrize("options", [{}, {"padding_idx": 2}])
def test_the_gradient_of_an_embedding_lists_the_rows_looked_up(options):
    grads = []
    for is_sparse in (True, False):
        table, rows = embedded(is_sparse, **options)
        (rows * dense(2, 3, 3).float()).sum().backward()
        assert table.weight.grad.is_sparse == is_sparse
        grads.append(table.weight.grad)
    same(*grads)


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_the_gradient_of_bags(mode):
    grads = []
    for is_sparse in (True, False):
        torch.manual_seed(0)
        bag = torch.nn.EmbeddingBag(6, 3, mode=mode, sparse=is_sparse, padding_idx=4)
        bag(torch.tensor([1, 2, 1, 4, 0]), torch.tensor([0, 3])).square().sum().backward()
        assert bag.weight.grad.is_sparse == is_sparse
        grads.append(bag.weight.grad)
    same(*grads)


@pytest.mark.parametrize("order", ["sparse first", "dense first", "one pass"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_sparse_and_dense_gradients_add_up(order, create_graph):
    w = dense(6, 3).requires_grad_()
    index = torch.tensor([1, 2, 1])

    def looked_up(is_sparse):
        return F.embedding(index, w, sparse=is_sparse).square().sum()
    expected, = torch.autograd.grad(looked_up(False) + w.sum(), w)
    losses = [looked_up(True), w.sum()]
    if order == "one pass":
        losses = [losses[0] + losses[1]]
    elif order == "dense first":
        losses.reverse()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")      # of the cycle that create_graph makes
        for loss in losses:
            loss.backward(create_graph=create_graph)
    assert not w.grad.is_sparse
    same(w.grad.detach(), expected)


def test_a_dense_gradient_stays_where_it_is_when_a_sparse_one_is_added():
    w = dense(6, 3).requires_grad_()
    w.sum().backward()
    array = w.grad.numpy()
    F.embedding(torch.tensor([1]), w, sparse=True).sum().backward()
    assert np.shares_memory(w.grad.numpy(), array) and array[1, 0] == 2


def test_hooks_see_sparse_gradients():
    table, rows = embedded(True)
    seen = []
    table.weight.register_hook(lambda g: (seen.append(g.layout), g * 2)[1])
    rows.sum().backward()
    assert seen == [torch.sparse_coo] and table.weight.grad.is_sparse
    assert table.weight.grad.to_dense()[4, 0] == 2


def test_a_sparse_gradient_passes_through_other_operators():
    w = dense(3, 2).requires_grad_()
    F.embedding(torch.tensor([0, 2]), w * 2, sparse=True).sum().backward()
    same(w.grad, torch.tensor([[2., 2.], [0, 0], [2, 2]], dtype=torch.float64))


def test_gather_with_sparse_grad():
    x, index = dense(3, 4).requires_grad_(), torch.tensor([[0, 0, 3], [1, 2, 2]])
    grads = [torch.autograd.grad(x.gather(1, index, sparse_grad=s).square().sum(), x)[0]
             for s in (True, False)]
    assert grads[0].is_sparse
    same(*grads)


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, 0.1),
    "adagrad": lambda p: torch.optim.Adagrad(p, 0.1, lr_decay=0.1),
    "maximize": lambda p: torch.optim.SGD(p, 0.1, maximize=True),
}


@pytest.mark.parametrize("write", [
    lambda x, s: x.add_(s, alpha=0.5), lambda x, s: x.sub_(s, alpha=0.5)])
def test_a_sparse_tensor_is_added_to_a_large_one(write):
    """Large enough for a compiled kernel, which dense tensors go to."""
    x, s = dense(60, 20), sparse((60, 20), 90)
    assert torch.allclose(write(x.clone(), s), write(x.clone(), s.to_dense()))


def test_sparse_bytes_are_subtracted_from_wider_integers():
    x, s = torch.full((2, 3), 7, dtype=torch.int16), torch.tensor([[9, 0, 1], [0, 200, 0]]).byte()
    assert x.sub_(s.to_sparse()).tolist() == [[-2, 7, 6], [7, -193, 7]]
    assert x.add_(s.to_sparse(), alpha=2).tolist() == [[16, 7, 8], [7, 207, 7]]


def test_eigenvalues_and_principal_components_of_sparse_matrices():
    a = sparse((7, 7), 9)
    a = (a + a.t() + torch.diag(torch.arange(3.0, 10)).to_sparse().to(a.dtype)).coalesce()
    for found, wanted in zip(torch.lobpcg(a, 2), torch.lobpcg(a.to_dense(), 2), strict=True):
        torch.testing.assert_close(found.abs(), wanted.abs())
    mean = torch.arange(7.0).to(a.dtype)
    for part in (a, sparse((4, 7), 9), sparse((7, 4), 9)):
        q = min(part.shape)
        u, s, v = torch.pca_lowrank(part, q)
        torch.testing.assert_close(u * s @ v.mT, part.to_dense() - part.to_dense().mean(0))
        m = mean[:part.shape[1]]
        u, s, v = torch.svd_lowrank(part, q, M=m)
        torch.testing.assert_close(u * s @ v.mT, part.to_dense() - m)
    with pytest.raises(ValueError, match="pca_lowrank input is expected to be 2-dimensional"):
        torch.pca_lowrank(sparse((2, 4, 5), 12))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_that_leave_zeros_alone_do_as_with_dense_gradients(name):
    weights = []
    for is_sparse in (True, False):
        torch.manual_seed(0)
        table, other = torch.nn.Embedding(6, 3, sparse=is_sparse), torch.nn.Linear(3, 1)
        optimizer = OPTIMIZERS[name]([*table.parameters(), *other.parameters()])
        for _ in range(3):
            optimizer.zero_grad()
            other(table(torch.tensor([1, 2, 1]))).square().sum().backward()
            optimizer.step()
        weights.append(torch.cat([table.weight.detach(), other.weight.detach()]))
    torch.testing.assert_close(*weights)


def test_sparse_adam_is_adam_where_every_row_is_looked_up():
    weights = []
    for is_sparse in (True, False):
        torch.manual_seed(0)
        table = torch.nn.Embedding(3, 2, sparse=is_sparse)
        kind = torch.optim.SparseAdam if is_sparse else torch.optim.Adam
        optimizer = kind(table.parameters(), lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            table(torch.tensor([1, 2, 0, 1])).square().sum().backward()
            optimizer.step()
        weights.append(table.weight.detach())
    torch.testing.assert_close(*weights)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop",
                                  "Adadelta", "ASGD", "Adafactor", "Muon"])
def test_the_others_refuse_and_change_nothing(name):
    table, rows = embedded(True)
    before = table.weight.detach().clone()
    rows.sum().backward()
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        getattr(torch.optim, name)(table.parameters()).step()
    assert torch.equal(table.weight, before)


# ------------------------------------------------------------------------- what is not there

def test_functions_without_a_sparse_form_say_so():
    for function in (torch.exp, torch.cumsum, torch.argmax, torch.sort, torch.nonzero, F.gelu):
        with pytest.raises(NotImplementedError, match="^Could not run 'aten::.*'SparseCPU'"):
            function(*(A, 0) if function is torch.cumsum else (A,))
    with pytest.raises(TypeError, match="can't convert Sparse layout tensor to numpy"):
        A.numpy()
    with pytest.raises(TypeError, match="can't convert Sparse layout tensor to numpy"):
        np.asarray(A)


RANDOM = ("bernoulli", "cuda", "dropout", "empty", "multinomial", "normal", "poisson", "rand",
          "rrelu")


@pytest.mark.parametrize("arguments", ["s", "s, 0", "s, s", "s, d", "d, s", "s, 2.0", "[s, s]"])
def test_no_public_function_gives_another_value_than_of_the_dense_tensor(arguments):
    a = torch.sparse_coo_tensor([[0, 1, 1], [1, 0, 1]], [1., 2., 3.], (2, 2))
    functions = {**{n: getattr(torch, n) for n in FUNCTIONS_OF_TORCH},
                 **{f"Tensor.{n}": fn for n, fn in METHODS.items()}}
    found = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function in functions.items():
            short = name.removeprefix("Tensor.")
            if short.startswith(RANDOM) or "__" in name or not callable(function):
                continue
            try:
                given = eval(arguments, {"s": a.clone(), "d": a.to_dense() + 1})
                actual = function(*(given if isinstance(given, tuple) else (given,)))
            except Exception as error:      # of arguments that do not fit, too
                assert "Coo" not in str(error), name
                continue
            if not isinstance(actual, torch.Tensor):
                continue
            given = eval(arguments, {"s": a.to_dense(), "d": a.to_dense() + 1})
            try:
                expected = function(*(given if isinstance(given, tuple) else (given,)))
            except Exception:
                continue                    # a function of sparse tensors alone
            actual, expected = actual.to_dense(), expected.to_dense()
            if expected.is_floating_point():
                actual[expected.isnan()], expected[expected.isnan()] = 0.0, 0.0    # 0 / 0
            torch.testing.assert_close(actual, expected,
                                       msg=lambda text, name=name: f"{name}({arguments}): {text}")
            found += 1
    assert found > 3


def test_an_index_outside_is_an_error_when_it_is_read():
    t = torch.sparse_coo_tensor([[0, 5]], [1.0, 2.0], (3,))
    for function in (torch.Tensor.to_dense, torch.Tensor.coalesce, lambda t: t * torch.ones(3)):
        with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
            function(t)


def test_what_is_differentiated_cannot_be_changed_unseen():
    a, b = A.clone().requires_grad_(), B.clone()
    y = a * b
    b.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.to_dense().sum().backward()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        a.mul_(2)


@pytest.mark.live
@pytest.mark.parametrize("alias", ["detach", "data", "values"])
@pytest.mark.parametrize("name", ["mul_", "div_", "neg_", "add_", "zero_"])
def test_who_sees_a_write(name, alias):
    real = pytest.importorskip("torch")
    seen = []
    for library in (real, torch):
        s = library.ones(2, 3).to_sparse()
        other = s.data if alias == "data" else getattr(s, alias)()
        written, read = (s, other) if alias == "values" else (other, s)
        arguments = {"neg_": (), "zero_": (), "add_": (library.ones(2, 3).to_sparse(),)}
        getattr(written, name)(*arguments.get(name, (2,)))
        seen.append((read.sum().item(), written.sum().item()))
    assert seen[0] == seen[1]


def test_a_mask_that_changes_later_changes_no_gradient():
    mask, x = torch.eye(3).to_sparse(), torch.ones(3, 3, requires_grad=True)
    y = x.sparse_mask(mask)
    mask.zero_()
    y.to_dense().sum().backward()
    torch.testing.assert_close(x.grad, torch.eye(3))


# ------------------------------------------------------------------------- copies and files

@pytest.mark.parametrize("copied", [
    copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t)),
    lambda t: (lambda file: (torch.save(t, file), file.seek(0), torch.load(file))[2])(io.BytesIO()),
], ids=["deepcopy", "pickle", "save"])
@pytest.mark.parametrize("t", [A, A.coalesce(), H], ids=["twice", "coalesced", "hybrid"])
def test_copies(copied, t):
    found = copied(t)
    assert repr(found) == repr(t) and found.is_coalesced() == t.is_coalesced()
    found._values().zero_()
    assert t.to_dense().any()


def test_parameters_and_modules_hold_sparse_tensors():
    p = torch.nn.Parameter(A.clone())
    assert p.is_sparse and p.requires_grad and isinstance(p, torch.nn.Parameter)
    module = torch.nn.Module()
    module.register_buffer("adjacency", A)
    assert copy.deepcopy(module).state_dict()["adjacency"].is_sparse


# ------------------------------------------------------------------------- beside PyTorch

@pytest.mark.live
@pytest.mark.parametrize("coalesced", [False, True])
def test_files_go_both_ways(tmp_path, coalesced):
    real = pytest.importorskip("torch")
    ours = sparse(coalesced=coalesced)
    torch.save({"a": ours}, tmp_path / "a.pt")
    theirs = real.load(tmp_path / "a.pt")["a"]
    assert repr(theirs) == repr(ours) and theirs.is_coalesced() == coalesced
    real.save({"a": theirs}, tmp_path / "b.pt")
    assert repr(torch.load(tmp_path / "b.pt")["a"]) == repr(ours)


@pytest.mark.live
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_list_the_same_elements_as_pytorch(name):
    real = pytest.importorskip("torch")
    function, *inputs = FUNCTIONS[name]
    if name in ("plus", "minus", "alpha"):
        inputs = [t.coalesce() for t in inputs]
    given = []
    for t in inputs:
        if t.is_sparse:
            given.append(real.sparse_coo_tensor(
                real.tensor(t._indices().numpy()), real.tensor(t._values().numpy()), t.shape,
                is_coalesced=t.is_coalesced(), check_invariants=True))
        else:
            given.append(real.tensor(t.numpy()))
    theirs, ours = _with(real, function)(*given), function(*inputs)
    assert theirs.is_sparse == ours.is_sparse
    if theirs.is_sparse:
        assert theirs._nnz() == ours._nnz() and theirs.is_coalesced() == ours.is_coalesced()
        np.testing.assert_array_equal(theirs._indices().numpy(), ours._indices().numpy())
        theirs, ours = theirs._values(), ours._values()
    np.testing.assert_allclose(theirs.numpy(), ours.numpy(), rtol=1e-6)


def _with(real, function):
    """The function with `torch` as another module."""
    return type(function)(function.__code__, {**globals(), "torch": real}, function.__name__)


def test_products_in_parts(monkeypatch):
    expected = A.to_dense() @ dense(5, 3)
    monkeypatch.setattr(products, "CHUNK", 6)
    torch.testing.assert_close(A @ dense(5, 3), expected)
    a = A.coalesce().requires_grad_()
    torch.sparse.mm(a, dense(5, 3)).sum().backward()
    same(a.grad, torch.ones(4, 3, dtype=torch.float64).mm(dense(5, 3).T).sparse_mask(a.detach()))


# ------------------------------------------------------------------------- row by row

C = A.coalesce()
OF_ROWS = {
    "times number": lambda a: a * 3, "neg": lambda a: -a, "plus": lambda a: a + a,
    "with dense": lambda a: a * dense(4, 5), "mm": lambda a: a @ dense(5, 3),
    "dense mm": lambda a: dense(3, 4) @ a, "mv": lambda a: a @ dense(5), "t": lambda a: a.t(),
    "t mm": lambda a: a.t() @ dense(4, 2), "sum": lambda a: a.sum(), "abs": lambda a: a.abs(),
    "addmm": lambda a: torch.addmm(dense(4, 2), a, dense(5, 2)), "clone": lambda a: a.clone(),
}


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_rows_and_columns_give_what_dense_matrices_give(name, layout):
    a = getattr(C, f"to_sparse_{layout}")().requires_grad_()
    expected = OF_ROWS[name](C.to_dense())
    actual = OF_ROWS[name](a)
    same(actual.detach(), expected)
    grads = []
    for t, result in ((a, actual), (b := C.to_dense().requires_grad_(), OF_ROWS[name](b))):
        weight = dense(*result.shape, seed=5)
        if actual.layout != torch.strided:
            weight = weight.sparse_mask(actual.detach().to_sparse()).to_dense()
        grads += torch.autograd.grad((as_dense(result) * weight).sum(), t)
    found, expected = [g.to_dense().sparse_mask(C) for g in grads]
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("starts, columns, complaint", [
    ([0, 1], [0], "must be equal to the number of rows + 1 (=3), but got 2"),
    ([0, 2, 1], [0], "crow_indices[..., 1:] - crow_indices[..., :-1] <= ncols"),
    ([0, 1, 1], [5], "0 <= col_indices < ncols"),
    ([0, 1, 1], [0, 1], "must be equal to nnz (=1)"),
    ([1, 1, 1], [0], "crow_indices[..., 0] == 0"),
])
def test_rows_that_do_not_fit_are_refused(starts, columns, complaint):
    with pytest.raises(RuntimeError, match=re.escape(complaint)):
        torch.sparse_csr_tensor(starts, columns, [1.0], (2, 2))


@pytest.mark.live
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
def test_files_of_rows_go_both_ways(tmp_path):
    real = pytest.importorskip("torch")
    ours = C.to_sparse_csr()
    torch.save(ours, tmp_path / "a.pt")
    theirs = real.load(tmp_path / "a.pt")
    assert repr(theirs) == repr(ours)
    real.save(theirs, tmp_path / "b.pt")
    assert repr(torch.load(tmp_path / "b.pt")) == repr(ours)


# ------------------------------------------------------------------------- beside other tools

def test_anomaly_mode_reads_sparse_gradients():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            table, rows = embedded(True)
            rows.sum().backward()
            assert table.weight.grad.is_sparse
            s = torch.sparse_coo_tensor([[0]], [0.0], (2,)).requires_grad_()
            with pytest.raises(RuntimeError, match="returned nan values"):
                (s * float("nan")).to_dense().sum().backward()


def test_saved_tensors_hooks_see_sparse_tensors():
    seen, d = [], torch.ones(5, 2, requires_grad=True)

    def pack(t):
        seen.append(t.layout)
        return t
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        (A.float() @ d).sum().backward()
        assert torch.sparse_coo in seen
        values, d = torch.ones(3, requires_grad=True), torch.ones(3, 2, requires_grad=True)
        s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], values, (2, 3))
        torch.sparse.mm(s, d).sum().backward()              # what is unpacked is sparse, too
    assert values.grad.tolist() == [2, 2, 2] and d.grad.tolist() == [[1, 1], [0, 0], [2, 2]]


def test_hooks_of_a_node_with_a_sparse_gradient_run_once():
    layouts, values = [], torch.ones(2, requires_grad=True)
    s = torch.sparse_coo_tensor([[0, 1], [2, 0]], values, (2, 3))
    t = s * 3
    for x in s, t:
        x.register_hook(lambda g: layouts.append(g.layout))
    torch.sparse.mm(t, torch.ones(3, 2)).sum().backward()
    assert layouts == [torch.sparse_coo] * 2 and values.grad.tolist() == [6, 6]


def test_a_node_of_a_sparse_product_can_be_called():
    s = torch.sparse_coo_tensor([[0, 1], [2, 0]], torch.ones(2, requires_grad=True), (2, 3))
    d = torch.ones(3, 2, requires_grad=True)
    _, of_s, of_d = torch.sparse.mm(s, d).grad_fn(torch.ones(2, 2))
    assert of_d.grad_fn.name() == "MmBackward0"             # as in PyTorch: alpha is 1
    assert of_s.is_sparse and of_s.to_dense().tolist() == [[0, 0, 2], [2, 0, 0]]
    assert of_d.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_a_write_into_recorded_values_is_refused():
    s = A.coalesce().requires_grad_()
    with pytest.raises(RuntimeError, match="values\\(\\) are recorded"):
        s.values().mul_(2)
    s.detach().values().mul_(2)
    same(s.detach(), 2 * A.to_dense())


MATRIX = torch.sparse_coo_tensor([[2, 0, 2], [0, 1, 0]], [1., 2., 3.], (3, 2))


def test_products_that_list_rows():
    """Recorded of PyTorch: which places they list, in which order."""
    right = torch.arange(4.).reshape(2, 2)
    product = torch.hspmm(MATRIX, right)
    assert product._indices().tolist() == [[0, 2]] and not product.is_coalesced()
    assert product._values().tolist() == [[4, 6], [0, 4]] and product.dense_dim() == 1
    product = MATRIX.smm(right)
    assert product._indices().tolist() == [[0, 0, 2, 2], [0, 1, 0, 1]]
    assert product._values().tolist() == [4, 6, 0, 4]
    total = torch.sspaddmm(MATRIX, MATRIX, right, beta=2, alpha=3)
    assert total._indices().tolist() == [[2, 0, 2, 0, 0, 2, 2], [0, 1, 0, 0, 1, 0, 1]]
    assert total._values().tolist() == [2, 4, 6, 12, 18, 0, 12] and not total.is_coalesced()
    same(total, 2 * MATRIX.to_dense() + 3 * MATRIX.to_dense() @ right)
    for empty in (torch.smm(MATRIX * 0, right), torch.hspmm(MATRIX.float() * 0, right)):
        assert not empty.to_dense().any()


@pytest.mark.parametrize(("call", "words"), [
    (lambda: torch.smm(MATRIX, torch.ones(3, 3)), "#3: Expected dim 0 size 2, got 3"),
    (lambda: torch.smm(MATRIX, torch.ones(2)), "#3: matrices expected, got 1D tensor"),
    (lambda: torch.hspmm(MATRIX, torch.ones(2, 2).double()), "scalar type Float but found Double"),
    (lambda: torch.hspmm(MATRIX, MATRIX), "expected strided result tensor"),
    (lambda: torch.hspmm(torch.ones(2, 2), torch.ones(2, 2)), "Could not run 'aten::hspmm'"),
    (lambda: torch.smm(MATRIX, MATRIX), "expected 'mat2' to have strided layout"),
    (lambda: torch.ones(2, 2).smm(torch.ones(2, 2)), "can only be called on sparse tensors"),
    (lambda: MATRIX.sspaddmm(MATRIX, torch.ones(2, 3)), "#1: Expected dim 1 size 3, got 2"),
    (lambda: torch.smm(MATRIX, torch.ones(2, 1, requires_grad=True)).to_dense().sum().backward(),
     "derivative for aten::sspaddmm is not implemented"),
])
def test_products_that_list_rows_are_refused(call, words):
    with pytest.raises(RuntimeError, match=re.escape(words)):
        call()


def test_compressed_matrices_are_in_beta(monkeypatch):
    from retrograd import _warnings
    monkeypatch.setattr(_warnings, "_warned", set())
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(2):
            torch.sparse_csc_tensor([0, 1], [0], [1.], (1, 1)).to_dense()
            torch.eye(2).to_sparse_csc()
    assert [str(w.message).partition(".")[0] for w in seen] == [
        "Sparse CSC tensor support is in beta state"]


def test_a_graph_of_sparse_tensors_needs_no_collector():
    gc.collect()
    gc.disable()
    try:
        s = A.coalesce().requires_grad_()
        y = torch.sparse.mm(s * 2, dense(5, 2)).relu() + (s + s).to_dense().sum()
        node = weakref.ref(y.grad_fn)
        y.sum().backward()
        del y
        assert node() is None
    finally:
        gc.enable()


def test_grad_scaler_unscales_sparse_gradients():
    table, rows = embedded(True)
    optimizer = torch.optim.SGD(table.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(rows.sum()).backward()
    scaler.unscale_(optimizer)
    assert table.weight.grad.to_dense()[4, 0] == 1


def test_a_state_dict_keeps_a_sparse_momentum():
    table, rows = embedded(True)
    optimizer = torch.optim.SGD(table.parameters(), 0.1, momentum=0.9)
    rows.sum().backward()
    optimizer.step()
    other = torch.optim.SGD(table.parameters(), 0.1, momentum=0.9)
    other.load_state_dict(optimizer.state_dict())
    assert other.state[table.weight]["momentum_buffer"].is_sparse
    other.step()


def test_sparse_constants_in_transforms():
    a, d = A.float(), torch.ones(5, 1)
    expected = torch.func.grad(lambda d: (a.to_dense() @ d).square().sum())(d)
    torch.testing.assert_close(torch.func.grad(lambda d: (a @ d).square().sum())(d), expected)


def test_a_product_that_says_how_it_adds_up():
    a, b = torch.eye(3).to_sparse_csr(), torch.ones(3, 2)
    assert torch.equal(torch.sparse.mm(a, b, reduce="sum"), torch.sparse.mm(a, b))


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
def test_products_reduced_by_rows(reduce):
    dense = torch.tensor([[0, 2.0, -1], [0, 0, 0], [1, 1, 3]], dtype=torch.float64)
    a = dense.to_sparse_csr().requires_grad_()
    b = torch.tensor([[1.0, 4], [2, -4], [-1, 0.5]], dtype=torch.float64, requires_grad=True)
    y = torch.sparse.mm(a, b, reduce)
    rows = [[v * b[j] for j, v in enumerate(row) if v] for row in dense]
    fold = {"sum": lambda r: r.sum(0), "mean": lambda r: r.mean(0), "amax": lambda r: r.max(0)[0],
            "amin": lambda r: r.min(0)[0]}[reduce]
    assert y.tolist() == [fold(torch.stack(r)).tolist() if r else [0, 0] for r in rows]
    assert type(y.grad_fn).__name__ == "SparseMmReduceImplBackward0"

    def by_values(values, b):
        parts = torch.sparse_csr_tensor(a.crow_indices(), a.col_indices(), values, a.shape)
        return torch.sparse.mm(parts, b, reduce)
    assert torch.autograd.gradcheck(by_values, (a.detach().values().requires_grad_(), b))


def test_equal_elements_of_a_reduced_row_give_the_gradient_to_the_first():
    a = torch.tensor([[1.0, 1, 1], [2, 0, 2]]).to_sparse_csr().requires_grad_()
    b = torch.tensor([[3.0, 1], [3, 2], [3, 2]], requires_grad=True)
    torch.sparse.mm(a, b, "max").sum().backward()
    assert a.grad.values().tolist() == [3, 2, 0, 3, 2]
    assert b.grad.tolist() == [[3, 0], [0, 1], [0, 2]]


def test_diagonals_get_their_gradient():
    x = torch.arange(6.0, dtype=torch.float64).view(2, 3).requires_grad_()
    below = torch.tensor([1, -1])
    assert torch.autograd.gradcheck(
        lambda x: torch.sparse.spdiags(x, below, (3, 4)).to_dense().sin(), x)


def test_errors_name_the_function_after_wrapper_tensors_too():
    """What looks at functions for such tensors stands between, and is not what was called."""
    class Wrapper(torch.Tensor):
        __torch_dispatch__ = classmethod(lambda cls, func, types, args=(), kwargs=None: None)

    torch.Tensor._make_wrapper_subclass(Wrapper, (2,))
    s = torch.eye(2).to_sparse()
    with pytest.raises(NotImplementedError, match="aten::equal"):
        torch.equal(s, s)
    with pytest.raises(NotImplementedError, match="aten::nonzero"):
        s.nonzero()


@pytest.mark.filterwarnings("ignore:torch.sparse.SparseTensor")
def test_older_constructors():
    """torch.sparse.FloatTensor(indices, values, size), of which many programs make graphs."""
    indices, values = torch.tensor([[0, 1], [1, 0]]), torch.tensor([1., 2.])
    made = torch.sparse.FloatTensor(indices, values, torch.Size([2, 3]))
    assert made.type() == "torch.sparse.FloatTensor" and made.shape == (2, 3)
    assert made.to_dense().tolist() == [[0, 1, 0], [2, 0, 0]]
    assert isinstance(made, torch.sparse.FloatTensor)
    assert not isinstance(values, torch.sparse.FloatTensor)
    assert not isinstance(made, torch.sparse.DoubleTensor)
    assert torch.sparse.LongTensor(2, 3).shape == (2, 3)
    assert made.type(torch.sparse.DoubleTensor).type("torch.sparse.DoubleTensor").dtype \
        is torch.float64
    assert repr(torch.sparse.FloatTensor) == "<class 'torch.sparse.FloatTensor'>"
    with pytest.raises(TypeError, match="received an invalid combination"):
        torch.sparse.FloatTensor(indices)


def test_the_warning_of_older_constructors(monkeypatch):
    from retrograd import _warnings
    monkeypatch.setattr(_warnings, "_warned", set())
    with pytest.warns(UserWarning) as seen:
        torch.sparse.FloatTensor(torch.tensor([[0]]), torch.ones(1))
        torch.sparse.FloatTensor()
    assert [str(w.message) for w in seen] == [
        "torch.sparse.SparseTensor(indices, values, *, device=) is deprecated.  Please use "
        "torch.sparse_coo_tensor(indices, values, dtype=, device=).",
        "torch.sparse.SparseTensor() is deprecated.  Please use torch.sparse_coo_tensor((0,), "
        "dtype=)."]


def test_other_names_of_products():
    right = torch.arange(4.).reshape(2, 2)
    assert torch.equal(torch.dsmm(MATRIX, right), torch.mm(MATRIX, right))
    assert torch.equal(torch.hsmm(MATRIX, right)._values(), torch.hspmm(MATRIX, right)._values())
    assert torch.saddmm(MATRIX, MATRIX, right)._nnz() == 7


def test_tensors_side_by_side_must_have_the_same_shape():
    square, column = torch.eye(3).to_sparse(), torch.ones(3, 1).to_sparse()
    assert torch.cat([square, column], 1).shape == (3, 4)
    with pytest.raises(RuntimeError, match=r"^All tensors must have the same shape: \[3, 3\] "
                       r"\(except in the concatenating dimension\), but found shape: \[3, 1\] at "
                       r"position 1\.$"):
        torch.cat([square, column], 0)
    whole = torch.ones(3, 3, 2)
    with pytest.raises(RuntimeError, match="same sparse_dim and dense_dim: 2, 1, but tensor at "
                                           "position 1 has 3, 0.$"):
        torch.cat([whole.to_sparse(2), whole.to_sparse(3)], 0)


@pytest.mark.parametrize("layout", ["sparse_csr", "sparse_csc"])
def test_rows_and_zeros_of_compressed_matrices(layout):
    matrix = getattr(torch.arange(6.0).reshape(2, 3), f"to_{layout}")()
    for like in (torch.zeros_like(matrix, dtype=torch.float64), matrix.new_zeros(2, 3)):
        assert str(like.layout) == f"torch.{layout}" and like.to_dense().tolist() == [[0] * 3] * 2
    assert matrix[1].layout is torch.sparse_coo
    assert matrix[1].to_dense().tolist() == [3, 4, 5]
    assert matrix[0, 2].item() == 2 and matrix.select(1, -1).to_dense().tolist() == [2, 5]


def test_zeros_like_a_sparse_tensor_have_no_memory_format():
    with pytest.raises(RuntimeError, match="^memory format option is only supported by strided"):
        torch.zeros_like(torch.eye(2).to_sparse(),
                             memory_format=torch.contiguous_format)


def test_a_sum_is_coalesced_if_both_tensors_are():
    known = torch.tensor([1.0, 0.0, 2.0]).to_sparse()
    unknown = torch.sparse_coo_tensor(known.indices(), known.values(), (3,))
    assert (known + known).is_coalesced()
    assert not (known + unknown).is_coalesced() and not (unknown + known).is_coalesced()


@pytest.mark.parametrize(("shape", "index"), [((), [0, 0]), ((10,), 3), ((), 0)])
def test_sparse_gradients_of_gather_where_one_side_is_a_number(shape, index):
    x = torch.ones(shape, requires_grad=True)
    (torch.gather(x, 0, torch.tensor(index), sparse_grad=True) * 2).sum().backward()
    dense = torch.ones(shape, requires_grad=True)
    (torch.gather(dense, 0, torch.tensor(index)) * 2).sum().backward()
    assert x.grad.is_sparse and torch.equal(x.grad.to_dense(), dense.grad)


def test_sparse_gradients_are_added_to_the_same_tensor():
    x = torch.ones(3, requires_grad=True)
    one = torch.sparse_coo_tensor([[1]], [2.0], (3,))
    x.backward(one)
    first, version = x.grad, x.grad._version
    x.backward(one)
    assert x.grad is first and first._version == version + 1
    assert first.to_dense().tolist() == [0, 4, 0] and one.to_dense().tolist() == [0, 2, 0]
    x.backward(torch.ones(3))
    assert x.grad is not first and x.grad.tolist() == [1, 5, 1]


def test_data_keeps_its_layout():
    x, y = torch.ones(2), torch.ones(2).to_sparse()
    for one, other in ((x, y), (y, x)):
        with pytest.raises(RuntimeError, match="have incompatible tensor type"):
            one.data = other


PRODUCTS = {      # of a (2, 3) and a (3, 2) matrix, one of them sparse, that do not fit
    "numbers": lambda t, a, b: (a, b.double()), "sizes": lambda t, a, b: (a, t.cat((b, b))),
    "sizes and numbers": lambda t, a, b: (a, t.cat((b, b)).double()),
}
LAYOUTS = {
    "coo and dense": lambda a, b: (a.to_sparse(), b),
    "dense and coo": lambda a, b: (a, b.to_sparse()),
    "coo and coo": lambda a, b: (a.to_sparse(), b.to_sparse()),
    "rows and dense": lambda a, b: (a.to_sparse_csr(), b),
    "dense and rows": lambda a, b: (a, b.to_sparse_csr()),
    "rows and rows": lambda a, b: (a.to_sparse_csr(), b.to_sparse_csr()),
    "coo and a vector": lambda a, b: (a.to_sparse(), b[:, 0]),
    "rows and a vector": lambda a, b: (a.to_sparse_csr(), b[:, 0]),
}


@pytest.mark.live
@pytest.mark.filterwarnings("ignore:Sparse CSR")
@pytest.mark.parametrize("wrong", PRODUCTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_that_do_not_fit_are_refused_in_pytorchs_words(layout, wrong):
    theirs = pytest.importorskip("torch")

    def message(t):
        a, b = LAYOUTS[layout](*PRODUCTS[wrong](t, t.ones(2, 3), t.ones(3, 2)))
        with pytest.raises(RuntimeError) as error:
            a @ b
        return str(error.value).partition("\n\n")[0]
    assert message(torch) == message(theirs)


def test_a_sparse_product_of_two_dtypes_is_refused():
    a, b = torch.eye(2).to_sparse(), torch.eye(2).double()
    with pytest.raises(RuntimeError, match="^mat1 dtype Float does not match mat2 dtype Double"):
        torch.sparse.mm(a, b.to_sparse())
    with pytest.raises(RuntimeError, match="^expected scalar type Float but found Double"):
        a @ b


def test_sums_of_expanded_values_list_the_elements_of_both():
    layer, x = torch.nn.Embedding(4, 3, sparse=True), torch.tensor([3, 1])
    for listed in ([3, 1], [3, 1, 3, 1]):
        layer(x).sum().backward()
        assert layer.weight.grad._indices().tolist() == [listed]
    layer.weight.grad = None
    for _ in range(2):
        layer(x).square().sum().backward()          # its values are not expanded
        assert layer.weight.grad._indices().tolist() == [[3, 1]]


def test_sums_of_expanded_values_do_not_grow_without_bound():
    a = torch.sparse_coo_tensor([[0, 1]], torch.ones(1).expand(2), (3,))
    twice = a + a
    assert twice._indices().tolist() == [[0, 1]] and not twice.is_coalesced()
    assert twice.to_dense().tolist() == [2, 2, 0]
