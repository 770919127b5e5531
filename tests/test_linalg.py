"""torch.linalg, einsum, fft and their kin: identities, derivatives, PyTorch's errors."""

import math

import numpy as np
import pytest

import retrograd as torch
from retrograd import _blas
from retrograd.autograd import gradcheck, gradgradcheck
from retrograd.kernels import lapack, ldl, linalg
from retrograd.kernels.fft import overlap_add

RNG = np.random.default_rng(5)


def draw(*shape, complex_=False):
    values = RNG.standard_normal(shape)
    if complex_:
        values = values + 1j * RNG.standard_normal(shape)
    return torch.tensor(values, requires_grad=True)


def positive(a):
    return a @ a.mH + 2 * torch.eye(a.shape[-1], dtype=a.dtype)


# --------------------------------------------------------------------------- NumPy's LAPACK

@pytest.mark.parametrize("shape, half", [((2, 3), "m"), ((3, 2), "n"), ((3, 3), "n")])
def test_loops_have_the_names_of_numpy_2_0(shape, half, monkeypatch):
    class Loops:
        def __getattr__(self, name):
            first, *found = name.split("_")
            if found[:1] != [half]:
                raise AttributeError(name)
            rest = found[1:]
            return getattr(REAL, "_".join([first, *rest]), None) or getattr(REAL, name)
    REAL = lapack.LOOPS
    a = RNG.standard_normal(shape)
    expected = [linalg.linalg_svd(a, full) for full in (False, True)]
    monkeypatch.setattr(lapack, "LOOPS", Loops())
    for full, parts in zip((False, True), expected, strict=True):
        for found, part in zip(linalg.linalg_svd(a, full), parts, strict=True):
            np.testing.assert_array_equal(found, part)


# --------------------------------------------------------------------------- NumPy's OpenBLAS

@pytest.mark.parametrize("batch", [(), (2,)])
def test_nan_is_no_definite_matrix_and_has_no_eigenvalues(batch):
    a = torch.eye(3).expand(*batch, 3, 3).clone()
    a.view(-1, 3)[-1, 1] = torch.nan
    where = r"\(Batch element 1\): " if batch else ""
    error = torch.linalg.LinAlgError
    with pytest.raises(error, match=f"linalg.cholesky: {where}The factorization .* order 3 "):
        torch.linalg.cholesky(a)
    assert torch.linalg.cholesky_ex(a).info.tolist() == ([0, 3] if batch else 3)
    a.view(-1, 9)[-1] = torch.nan
    for function in torch.linalg.eigh, torch.linalg.eigvalsh:
        with pytest.raises(error, match=f"linalg.eigh: {where}The algorithm failed to converge "):
            function(a)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("order", [1, 2, 17, 39, 40])
def test_the_first_leading_minor_that_is_not_positive(order, upper):
    a = draw(40, 40).detach()
    a = a @ a.mT + torch.eye(40)
    a[order - 1, order - 1] = 1e-3 if order > 1 else -1
    one = (a.triu() if upper else a.tril())             # the other half is not read
    info = torch.linalg.cholesky_ex(torch.stack([torch.eye(40), one]), upper=upper).info
    assert info.tolist() == [0, order]
    with pytest.raises(torch.linalg.LinAlgError, match=f"minor of order {order} is not"):
        torch.linalg.cholesky(one, upper=upper)


@pytest.mark.parametrize("values, whole", [
    (torch.linalg.svdvals, lambda a: torch.linalg.svd(a).S),
    (torch.linalg.eigvalsh, lambda a: torch.linalg.eigh(a).eigenvalues),
    (lambda a: torch.linalg.eigvalsh(a, "U"), lambda a: torch.linalg.eigh(a, "U").eigenvalues)])
def test_values_without_vectors(values, whole):
    a = draw(3, 5, 5)
    assert torch.allclose(values(a.detach()), whole(a))
    assert values(a).requires_grad and not values(a.detach()).requires_grad

@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", [(70, 70), (90, 40), (40, 90), (2, 3, 5, 5), (0, 3), (2, 0, 0)])
def test_lu_is_the_same_by_lapack_and_by_panels(shape, dtype):
    a = RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)
    a = (a if dtype in "FD" else a.real).astype(dtype)
    if a.ndim == 4:
        a[1, 2] = 0                                             # singular
    found = lapack.getrf(a)
    if found is None:
        pytest.skip("NumPy has another BLAS")
    for mine, twin in zip(found, linalg._lu_by_panels(a), strict=True):
        assert mine.dtype == twin.dtype
        tolerance = 1e-4 if dtype in "fF" else 1e-12
        np.testing.assert_allclose(mine, twin, tolerance, tolerance)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", [(40, 40), (60, 20), (20, 60), (2, 3, 5, 4)])
@pytest.mark.parametrize("complete", [False, True])
def test_qr_is_numpys_in_the_matrix_own_precision(shape, dtype, complete):
    a = RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)
    a = (a if dtype in "FD" else a.real).astype(dtype)
    found = lapack.geqrf(a, complete)
    if found is None:
        pytest.skip("NumPy has another BLAS")
    for mine, twin in zip(found, np.linalg.qr(a, ["reduced", "complete"][complete]), strict=True):
        assert mine.dtype == a.dtype
        np.testing.assert_allclose(mine, twin, 0, 1e-4 if dtype in "fF" else 1e-12)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("shape, diagonal", [((1, 1), 1), ((7, 7), 0), ((2, 3, 5, 5), 1)])
def test_ldl_is_the_same_by_lapack_and_without(shape, diagonal, hermitian, dtype):
    a = RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)
    a = (a if dtype in "FD" else a.real).astype(dtype)
    a = a + (a.conj() if hermitian else a).swapaxes(-1, -2)
    a *= np.where(np.eye(shape[-1]), diagonal, 1).astype(dtype)
    if a.ndim == 4:
        a[1, 2] = 0                                             # singular
    hermitian = hermitian and dtype in "FD"
    found = lapack.sytrf(a, hermitian)
    if found is None:
        pytest.skip("NumPy has another BLAS")
    for mine, twin in zip(found, ldl._factors(a, hermitian), strict=True):
        assert mine.dtype == twin.dtype
        np.testing.assert_allclose(mine, twin, 0, 1e-3 if dtype in "fF" else 1e-10)
    assert found[2].reshape(-1).tolist() == ([0] * 5 + [1] if a.ndim == 4 else [0])


@pytest.mark.parametrize("n, threads", [(8, 3), (100, 1), (600, 3)])
def test_matrices_of_a_few_hundred_rows_have_one_thread(n, threads):
    get, put = _blas.thread_functions()
    if put is None:
        pytest.skip("NumPy has another BLAS")
    before, counted = get(), []
    try:
        put(3)
        lapack.on_one_thread(lambda a: counted.append(get()))(np.empty((n, n)))
        assert counted == [threads] and get() == 3
    finally:
        put(before)


# --------------------------------------------------------------------------- factorizations

@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4), (2, 3, 3), (0, 3, 3), (2, 0, 3)])
def test_factors_give_the_matrix_back(shape, complex_):
    a = draw(*shape, complex_=complex_).detach()
    q, r = torch.linalg.qr(a)
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    p, low, up = torch.linalg.lu(a)
    for made in (q @ r, (u * s.unsqueeze(-2)) @ vh, p @ low @ up):
        np.testing.assert_allclose(made.numpy(), a.numpy(), atol=1e-12)
    if shape[-1] == shape[-2]:
        h = positive(a)
        low = torch.linalg.cholesky(h)
        values, vectors = torch.linalg.eigh(h)
        w, v = torch.linalg.eig(a)
        for made, whole in (
            (low @ low.mH, h),
            ((vectors * values.unsqueeze(-2)) @ vectors.mH, h),
            ((v * w.unsqueeze(-2)) @ torch.linalg.inv(v), a + 0j),
        ):
            np.testing.assert_allclose(made.numpy(), whole.numpy(), atol=1e-11)


def test_pinv_and_matrix_exp():
    a = draw(4, 3).detach()
    p = torch.linalg.pinv(a)
    np.testing.assert_allclose((a @ p @ a).numpy(), a.numpy(), atol=1e-12)
    for scale in (1e-3, 1.0, 50.0):
        d = torch.diag(torch.tensor([0.3, -1.0, 0.01]) * scale).double()
        turn = torch.linalg.qr(draw(3, 3).detach())[0]
        made = torch.matrix_exp(turn @ d @ turn.mT)
        whole = turn @ torch.diag(torch.exp(d.diagonal())) @ turn.mT
        np.testing.assert_allclose(made.numpy(), whole.numpy(), rtol=1e-10, atol=1e-12)


def test_pinv_with_several_tolerances():
    a = draw(3, 3)
    many = torch.linalg.pinv(a, rtol=torch.tensor([0.1, 0.9]).double())
    each = torch.stack([torch.linalg.pinv(a, rtol=r) for r in (0.1, 0.9)])
    assert torch.allclose(many, each)
    got, want = (torch.autograd.grad(t.square().sum(), a)[0] for t in (many, each))
    assert torch.allclose(got, want)


# Functions that do not depend on how eigenvectors are normalized, of one symmetric input.
SPECTRAL = {
    "cholesky": lambda a: torch.linalg.cholesky(positive(a)),
    "cholesky_upper": lambda a: torch.linalg.cholesky(positive(a), upper=True),
    "cholesky_inverse": lambda a: torch.cholesky_inverse(torch.linalg.cholesky(positive(a))),
    "cholesky_solve": lambda a: torch.cholesky_solve(a, torch.linalg.cholesky(positive(a))),
    "eigvalsh": lambda a: torch.linalg.eigvalsh(positive(a)),
    "eigh_sqrt": lambda a: _function_of(positive(a), torch.sqrt),
    "eigh_projector": lambda a: (lambda v: v @ v.mH)(torch.linalg.eigh(positive(a))[1][..., :1]),
    "eigvals": lambda a: torch.linalg.eigvals(a).abs().sum(-1),
    "eig_norms": lambda a: torch.linalg.eig(a)[1].abs(),
    "svd_projector": lambda a: (lambda u: u @ u.mH)(torch.linalg.svd(a)[0][..., :2]),
    "lstsq": lambda a: torch.linalg.lstsq(a, a @ a).solution,
    "cond": torch.linalg.cond,
    "householder": lambda a: torch.linalg.householder_product(a, a[..., 0]),
}


def _function_of(a, f):
    values, vectors = torch.linalg.eigh(a)
    return (vectors * f(values).unsqueeze(-2)) @ vectors.mH


@pytest.mark.parametrize("name", SPECTRAL)
@pytest.mark.parametrize("complex_", [False, True])
def test_derivatives(name, complex_):
    f = SPECTRAL[name]
    a = draw(3, 3, complex_=complex_)
    assert gradcheck(f, a)
    if not complex_:
        assert gradgradcheck(f, a)
    assert gradcheck(f, draw(2, 3, 3, complex_=complex_))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape, count", [((4, 3), 2), ((2, 3, 6, 4), 4), ((70, 66), 66)])
def test_reflections_are_the_same_by_lapack_and_one_by_one(shape, count, dtype):
    draws = np.random.default_rng(0)
    a, tau = (torch.from_numpy(draws.standard_normal(s).astype(dtype)) * 0.3
              for s in (shape, (*shape[:-2], count)))
    by_lapack = torch.linalg.householder_product(a, tau)
    one_by_one = torch.linalg.householder_product(a.clone().requires_grad_(), tau)
    assert one_by_one.requires_grad and not by_lapack.requires_grad
    scale = one_by_one.detach().abs().max().item()
    np.testing.assert_allclose(by_lapack.numpy(), one_by_one.detach().numpy(), 0,
                               100 * np.finfo(dtype).eps * scale)


def test_determinant_of_a_singular_matrix():
    a = torch.tensor([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]], dtype=torch.float64, requires_grad=True)
    assert gradcheck(torch.linalg.det, a)


ERRORS = [
    (lambda: torch.linalg.solve(torch.zeros(3, 3), torch.ones(3, 1)), "_LinAlgError",
     "torch.linalg.solve: The solver failed because the input matrix is singular."),
    (lambda: torch.linalg.solve(torch.zeros(2, 3, 3), torch.ones(2, 3, 1)), "_LinAlgError",
     "torch.linalg.solve: (Batch element 0): The solver failed because the input matrix is "
     "singular."),
    (lambda: torch.linalg.inv(torch.zeros(3, 3)), "_LinAlgError",
     "linalg.inv: The diagonal element 1 is zero, the inversion could not be completed because the "
     "input matrix is singular."),
    (lambda: torch.linalg.cholesky(-torch.eye(3)), "_LinAlgError",
     "linalg.cholesky: The factorization could not be completed because the input is not "
     "positive-definite (the leading minor of order 1 is not positive-definite)."),
    (lambda: torch.linalg.inv(torch.ones(4, 3)), "RuntimeError",
     "linalg.inv: A must be batches of square matrices, but they are 4 by 3 matrices"),
    (lambda: torch.linalg.inv(torch.ones(3, 3, dtype=torch.int64)), "RuntimeError",
     "linalg.inv: Expected a floating point or complex tensor as input. Got Long"),
    (lambda: torch.linalg.inv(torch.ones(3, 3, dtype=torch.float16)), "RuntimeError",
     "linalg.inv: Low precision dtypes not supported. Got Half"),
    (lambda: torch.linalg.solve(torch.eye(3), torch.ones(4, 1)), "RuntimeError",
     "linalg.solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 4x1)"),
    (lambda: torch.linalg.lstsq(torch.ones(4, 3), torch.ones(3)), "RuntimeError",
     "torch.linalg.lstsq: input.size(-2) should match other.size(-1)"),
    (lambda: torch.linalg.lstsq(torch.ones(4, 3), torch.ones(3, 1)), "RuntimeError",
     "torch.linalg.lstsq: input.size(-2) should match other.size(-2)"),
    (lambda: torch.linalg.qr(torch.ones(4, 3, requires_grad=True), "complete").Q.sum().backward(),
     "RuntimeError", "The QR decomposition is not differentiable when mode='complete' and nrows > "
     "ncols."),
    (lambda: torch.linalg.qr(torch.ones(4, 3, requires_grad=True), "r").R.sum().backward(),
     "RuntimeError", "The derivative of linalg.qr depends on Q, which is not computed when "
     "mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to differentiate through "
     "linalg.qr."),
    (lambda: torch.linalg.qr(torch.ones(3)), "RuntimeError",
     "linalg.qr: The input tensor A must have at least 2 dimensions."),
    (lambda: torch.linalg.qr(torch.eye(3), mode="foo"), "RuntimeError",
     "qr received unrecognized mode 'foo' but expected one of 'reduced' (default), 'r', or "
     "'complete'"),
    (lambda: torch.linalg.svd(torch.full((2, 2), float("nan"))), "_LinAlgError",
     "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite "
     "values."),
    (lambda: torch.linalg.multi_dot([torch.eye(3)]), "RuntimeError",
     "multi_dot(): expected at least 2 tensors but got 1"),
    (lambda: torch.linalg.lu_solve(
        *torch.linalg.lu_factor(torch.eye(2)), torch.ones(2, 1, dtype=torch.float64)),
     "RuntimeError", "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of "
     "type Float and B of type Double instead"),
    (lambda: torch.tensordot(torch.ones(3, 2), torch.ones(3), ([0, 0], [0, 0])), "RuntimeError",
     "dim 0 appears multiple times in the list of dims"),
    (lambda: torch.tensordot(torch.ones(3, 3), torch.ones(4, 3), 1), "RuntimeError",
     "contracted dimensions need to match, but first has size 3 in dim -1 and second has size 4 in "
     "dim 0"),
    (lambda: torch.einsum("ij,jk", torch.ones(3, 3), torch.ones(4, 3)), "RuntimeError",
     "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously seen "
     "size 3"),
    (lambda: torch.einsum("ij,kj->ikk", torch.ones(3, 3), torch.ones(3, 3)), "RuntimeError",
     "einsum(): output subscript k appears more than once in the output"),
    (lambda: torch.einsum("i1", torch.ones(3, 3)), "RuntimeError",
     "einsum(): invalid subscript given at index 1 in the equation string, subscripts must be in "
     "[a-zA-Z]"),
    (lambda: torch.fft.fft(torch.ones(3), n=0), "RuntimeError",
     "Invalid number of data points (0) specified"),
    (lambda: torch.fft.fft(torch.ones(3), norm="foo"), "RuntimeError",
     'Invalid normalization mode: "foo"'),
    (lambda: torch.fft.rfft(torch.ones(3) + 0j), "RuntimeError",
     "rfft expects a real input tensor, but got ComplexFloat"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert (type(caught.value).__name__, str(caught.value)) == (kind, message)


# --------------------------------------------------------------------------- einsum

SIZES = {"a": 2, "b": 3, "c": 4, "i": 2, "j": 3, "k": 4, "l": 2}


@pytest.mark.parametrize("equation", [
    "ij,jk->ik", "ij,jk", "ij,ij->", "ij,ij->ij", "i,j->ij", "aij,ajk->aik", "ij->ji", "ij->",
    "ij->i", "il->l", "ii->i", "ii", "ij,jk,kl->il", "ijk,ilj,kl->il", "...ij,...jk->...ik",
    "i...->...i", "bij,bjk->bk", "aij,akj->", "ij,k->ijk", "i,i->i", "ai,aj,ak->aijk",
])
def test_einsum(equation):
    terms = equation.split("->")[0].split(",")
    shapes = [[SIZES[c] for c in t.replace("...", "ab")] for t in terms]
    operands = [draw(*s) for s in shapes]
    made = torch.einsum(equation, *operands)
    whole = np.einsum(equation, *(t.detach().numpy() for t in operands))
    np.testing.assert_allclose(made.detach().numpy(), whole, atol=1e-13)
    assert gradcheck(lambda *t: torch.einsum(equation, *t), operands)
    with torch.no_grad():
        plain = torch.einsum(equation, *operands)
    assert torch.equal(plain, made) and plain.stride() == made.stride()


def test_einsum_with_lists_and_size_one():
    a, b = draw(2, 1), draw(3, 4)
    made = torch.einsum(a, [0, 1], b, [1, 2], [0, 2])
    np.testing.assert_allclose(
        made.detach().numpy(), np.einsum("ij,jk->ik", np.repeat(a.detach().numpy(), 3, 1),
                                         b.detach().numpy()))
    with pytest.raises(RuntimeError, match="fewer operands"):
        torch.einsum("ij,jk", a)


@pytest.mark.parametrize("char", ["float32", "float64"])
def test_batches_that_share_a_matrix_are_one_product(char, monkeypatch):
    from retrograd.ops import matmul
    dtype = getattr(torch, char)
    x = torch.arange(24., dtype=dtype).reshape(2, 3, 4)
    w = torch.arange(20., dtype=dtype).reshape(4, 5).requires_grad_()
    recorded = x @ w
    assert recorded.grad_fn.name() == "UnsafeViewBackward0"
    turned = x.transpose(0, 1) @ w.detach()                 # batches that do not lie in one piece
    with monkeypatch.context() as patched, torch.no_grad():
        patched.setattr(matmul, "folded_product", None)     # needs three operators
        alone = x @ w
        assert torch.matmul(x, w).tolist() == alone.tolist()
    assert alone.shape == (2, 3, 5) and alone.grad_fn is None and not alone.requires_grad
    assert alone.is_contiguous() and alone._base is None
    assert alone.tolist() == recorded.tolist() == turned.transpose(0, 1).tolist()
    assert (x[:0] @ w.detach()).shape == (0, 3, 5)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        x @ w.detach().T


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_variances_and_correlations_of_complex_numbers_with_themselves_are_real(dtype):
    torch.manual_seed(0)
    x = torch.randn(9, 30, dtype=dtype, requires_grad=True)
    correlations = x.corrcoef()
    assert not x.cov().diagonal().imag.any() and not correlations.diagonal().imag.any()
    assert torch.view_as_real(correlations).abs().max() <= 1
    assert correlations.grad_fn.name() == "ComplexBackward0"
    if dtype == torch.complex128:
        assert torch.autograd.gradcheck(torch.cov, x)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cross_products_of_few_vectors_are_those_of_many(dim):
    shape = [24, 24, 24]
    shape[dim] = 3
    a, b = draw(*shape), draw(*shape)
    few = [torch.linalg.cross(x, y, dim=dim)
           for x, y in zip(a.split(6, (dim + 1) % 3), b.split(6, (dim + 1) % 3), strict=True)]
    assert torch.equal(torch.cat(few, (dim + 1) % 3), torch.linalg.cross(a, b, dim=dim))
    np.testing.assert_allclose(
        few[0].detach().numpy(),
        np.cross(*(x.detach().numpy().take(range(6), (dim + 1) % 3) for x in (a, b)), axis=dim))


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_lu_solve_recorded_or_not(left, adjoint):
    A, B = draw(5, 5).detach(), draw(5, 5).detach()
    LU, pivots = torch.linalg.lu_factor(A)
    assert pivots.tolist() != [1, 2, 3, 4, 5]                    # rows were exchanged
    X = torch.linalg.lu_solve(LU, pivots, B, left=left, adjoint=adjoint)
    a = A.mH if adjoint else A
    torch.testing.assert_close(a @ X if left else X @ a, B)
    recorded = torch.linalg.lu_solve(
        LU, pivots, B.clone().requires_grad_(), left=left, adjoint=adjoint)
    torch.testing.assert_close(recorded.detach(), X)


def test_products_of_matrices():
    a, b, c = draw(2, 3), draw(3, 5), draw(5, 2)
    chain = torch.linalg.multi_dot([a, b, c])
    np.testing.assert_allclose(chain.detach().numpy(), (a @ b @ c).detach().numpy())
    x = draw(3, 4, 2)
    np.testing.assert_allclose(
        torch.tensordot(x, draw(4, 3, 5), ([0, 1], [1, 0])).shape, (2, 5))
    np.testing.assert_allclose(
        torch.kron(a, b).detach().numpy(), np.kron(a.detach().numpy(), b.detach().numpy()))
    assert torch.kron(a.detach().requires_grad_(), b).grad_fn.name() == "UnsafeViewBackward0"


# --------------------------------------------------------------------------- Fourier transforms

@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 4, 9])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_fft_is_numpys(name, n, norm):
    x = draw(3, 6, complex_=name not in ("rfft", "ihfft"))
    made = getattr(torch.fft, name)(x, n, norm=norm)
    whole = getattr(np.fft, name)(x.detach().numpy(), n, norm=norm)
    np.testing.assert_allclose(made.detach().numpy(), whole, atol=1e-13)
    assert gradcheck(lambda t: getattr(torch.fft, name)(t, n, norm=norm), x)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_fft_over_several_dimensions(name):
    x = draw(3, 4, 5, complex_=name != "rfftn")
    for s, dim in ((None, (0, 2)), ((2, 6), (1, 2)), ((4, 4), None)):
        made = getattr(torch.fft, name)(x, s, dim)
        axes = tuple(range(1, 3)) if dim is None else dim
        whole = getattr(np.fft, name)(x.detach().numpy(), s, axes)
        np.testing.assert_allclose(made.detach().numpy(), whole, atol=1e-13)


def test_hermitian_transforms_are_inverses():
    x = draw(4, 6).detach()
    back = torch.fft.hfftn(torch.fft.ihfftn(x), s=(4, 6))
    np.testing.assert_allclose(back.numpy(), x.numpy(), atol=1e-13)


@pytest.mark.parametrize("normalized", [False, True])
def test_stft_and_back(normalized):
    x = draw(2, 40)
    window = torch.hann_window(8, dtype=torch.float64)
    spectrum = torch.stft(x, 8, 2, window=window, normalized=normalized, return_complex=True)
    assert spectrum.shape == (2, 5, 21)
    back = torch.istft(spectrum, 8, 2, window=window, normalized=normalized, length=40)
    np.testing.assert_allclose(back.detach().numpy(), x.detach().numpy(), atol=1e-12)
    assert gradcheck(
        lambda t: torch.stft(t, 8, 4, window=window, return_complex=True), draw(20))


def test_a_signal_too_short_to_be_padded_is_refused_first():
    """Before the window that is missing is warned of, and return_complex is asked for."""
    with pytest.raises(RuntimeError, match="^Argument #4: Padding size should be less than"):
        torch.stft(torch.ones(3), 16)


@pytest.mark.parametrize("count, length, hop", [(5, 8, 2), (5, 7, 3), (2, 9, 1), (3, 2, 4)])
def test_frames_add_up_where_they_overlap(count, length, hop):
    frames = np.random.default_rng(0).standard_normal((2, count, length))
    added = np.zeros((2, (count - 1) * hop + length))
    for k in range(count):
        added[:, k * hop : k * hop + length] += frames[:, k]
    result = overlap_add(frames, hop)
    assert np.array_equal(result, added) and result.flags.c_contiguous


def test_stft_aligned_to_the_window_begins_with_the_signal():
    """The window, shorter than a frame, begins where the signal does."""
    x, window = draw(1, 50).detach(), torch.hann_window(4, dtype=torch.float64)
    how = {"center": False, "return_complex": True, "pad_mode": "constant"}
    frames = torch.stft(x, 8, 3, 4, window, align_to_window=True, **how)
    padded = torch.nn.functional.pad(x, (2, 2))                 # (8 - 4) // 2 on either side
    assert frames.shape == (1, 5, 16)
    torch.testing.assert_close(frames, torch.stft(padded, 8, 3, 4, window, **how))


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unitriangular", [True, False])
def test_large_triangular_systems_read_one_triangle(char, left, upper, unitriangular):
    n = 40
    a = (RNG.standard_normal((2, 1, n, n)) / n * (1 + 1j if char in "FD" else 1)).astype(char)
    a[..., range(n), range(n)] = 2
    b = RNG.standard_normal((3, n, 5) if left else (3, 5, n)).astype(char)
    x = torch.linalg.solve_triangular(torch.tensor(a), torch.tensor(b), upper=upper, left=left,
                                      unitriangular=unitriangular).numpy()
    triangle = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        triangle[..., range(n), range(n)] = 1
    product = triangle @ x if left else x @ triangle
    np.testing.assert_allclose(product, np.broadcast_to(b, product.shape),
                               atol=1e-10 if char in "dD" else 2e-3)


VECTORS = {
    "svd_backward": lambda a: sum(x.sum() for x in torch.linalg.svd(a)[::2]),
    "linalg_eigh_backward": lambda a: torch.linalg.eigh(a + a.mH)[1].sum(),
    "linalg_eig_backward": lambda a: torch.linalg.eig(a)[1].sum(),
}


@pytest.mark.parametrize("name", VECTORS)
def test_a_loss_that_depends_on_the_phase_of_complex_vectors_is_refused(name):
    torch.manual_seed(0)
    a = torch.randn(3, 3, dtype=torch.complex128, requires_grad=True)
    with pytest.raises(RuntimeError, match=rf"^{name}: .* up to multiplication by e\^\{{i phi\}}"):
        VECTORS[name](a).abs().backward()
    assert a.grad is None


@pytest.mark.parametrize("name", VECTORS)
def test_a_loss_of_absolute_values_is_not(name):
    torch.manual_seed(0)
    a = torch.randn(3, 3, dtype=torch.complex128, requires_grad=True)
    vectors = {"svd_backward": lambda a: torch.linalg.svd(a)[0],
               "linalg_eigh_backward": lambda a: torch.linalg.eigh(a + a.mH)[1],
               "linalg_eig_backward": lambda a: torch.linalg.eig(a)[1]}[name]
    weights = torch.rand(3, 3, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda a: (vectors(a).abs() * weights).sum(), a)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("generalised", [True, False])
def test_lobpcg(largest, generalised):
    torch.manual_seed(0)
    a, b = torch.rand(2, 2, 9, 9, dtype=torch.float64)
    a, b = a @ a.mT, b @ b.mT + torch.eye(9) if generalised else None
    values, vectors = torch.lobpcg(a, 3, b, largest=largest)
    metric = torch.eye(9, dtype=torch.float64) if b is None else b
    assert torch.allclose(a @ vectors, metric @ vectors * values[..., None, :])
    assert torch.allclose(vectors.mT @ metric @ vectors, torch.eye(3, dtype=torch.float64))
    every = torch.linalg.eigvals(torch.linalg.solve(metric, a)).real.sort(descending=largest).values
    assert torch.allclose(values, every[..., :3])
    some = (a.requires_grad_(),) if b is None else (a.requires_grad_(), b.requires_grad_())
    assert torch.autograd.gradcheck(
        lambda *ab: torch.lobpcg((ab[0] + ab[0].mT) / 2, 2, None if b is None else
                                 (ab[1] + ab[1].mT) / 2, largest=largest)[0], some)


def test_lobpcg_refuses():
    a = torch.eye(4)
    for wrong, error in ((lambda: torch.lobpcg(a, 2), ValueError),
                         (lambda: torch.lobpcg(a[:2]), AssertionError),
                         (lambda: torch.lobpcg(a, B=a[:3, :3]), AssertionError),
                         (lambda: torch.lobpcg(a, tracker=print), NotImplementedError)):
        with pytest.raises(error):
            wrong()


def test_least_squares_is_one_node_and_counts_small_singular_values_as_zero():
    a, b = draw(5, 3), draw(5, 2)
    found = torch.linalg.lstsq(a, b, driver="gelsd")
    assert type(found.solution.grad_fn).__name__ == "LinalgLstsqBackward0"
    assert torch.allclose(found.solution, torch.linalg.pinv(a) @ b) and found.rank == 3
    assert torch.allclose(found.singular_values, torch.linalg.svdvals(a))
    alike = a[:, :1].expand(5, 3).detach()
    assert torch.linalg.lstsq(alike, b).rank == 1
    with pytest.raises(torch.linalg.LinAlgError, match="not finite"):
        torch.linalg.lstsq(alike / 0, b)


@pytest.mark.parametrize(("a", "b", "shapes"), [
    ((1, 4, 3), (2, 4, 1), [(2, 3, 1), (2, 1), (1,), (1, 3)]),      # ranks are of the matrices
    ((2, 1, 4, 3), (1, 3, 4, 1), [(2, 3, 3, 1), (2, 3, 1), (2, 1), (2, 1, 3)]),
    ((2, 4, 3), (2, 4), [(2, 3), (2, 1), (2,), (2, 3)]),
    ((4, 3), (4,), [(3,), (1,), (), (3,)]),
    ((1, 4, 3), (0, 4, 1), [(0, 3, 1), (0,), (1,), (1, 3)]),        # nor of no right sides
    ((2, 1, 4, 3), (1, 0, 4, 1), [(2, 0, 3, 1), (0,), (2, 1), (2, 1, 3)]),
    ((4, 3), (2, 4, 1), r"input.dim\(\) must be greater or equal to other.dim\(\)"),
    ((2, 4, 3), (4,), r"\(input.dim\(\) - other.dim\(\)\) <= 1"),
    ((3, 4, 3), (4, 1), r"The size of tensor a \(3\) must match the size of tensor b \(4\) at"),
])
def test_shapes_of_least_squares(a, b, shapes):
    a, b = draw(*a), draw(*b)
    if isinstance(shapes, str):
        with pytest.raises(RuntimeError, match=shapes):
            torch.linalg.lstsq(a, b)
    else:
        found = torch.linalg.lstsq(a, b, driver="gelsd")
        assert [tuple(t.shape) for t in found] == shapes


@pytest.mark.parametrize(("driver", "rcond", "rank"), [
    ("gelsd", 0.5, 2), ("gelsd", 0.99, 1), ("gelsd", 1.0, 2), ("gelsd", 2.0, 2), ("gelsd", 0.0, 2),
    ("gelss", 0.5, 2), ("gelss", 0.99, 1), ("gelss", 1.0, 0), ("gelss", 2.0, 0), ("gelss", 0.0, 2),
    ("gelsy", 0.5, 2), ("gelsy", 0.7, 1), ("gelsy", 1.0, 1), (None, 2.0, 1), (None, 0.0, 2),
])
def test_least_squares_cuts_off_what_its_driver_does(driver, rcond, rank):
    a = torch.tensor([[2.0, 0.0], [0.0, 1.2]], dtype=torch.float64)
    found = torch.linalg.lstsq(a, torch.ones(2, 1).double(), rcond=rcond, driver=driver)
    assert found.rank == rank
    wanted = torch.tensor([[0.5], [1 / 1.2]]).double() * (torch.arange(2) < rank).unsqueeze(1)
    assert torch.allclose(found.solution, wanted)
    if rank != 1:           # where a part of the matrix is cut off
        inputs = [t.requires_grad_() for t in (a, torch.tensor([[1.0], [3.0]]).double())]
        assert torch.autograd.gradcheck(
            lambda a, b: torch.linalg.lstsq(a, b, rcond=rcond, driver=driver).solution, inputs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 3, 5, 5), (1, 3), (3, 1), (80, 33)])
def test_least_squares_by_exchanged_columns_are_the_shortest_solutions(shape, dtype):
    a, b = draw(*shape).detach().to(dtype), draw(*shape[:-1], 2).detach().to(dtype)
    alike = torch.cat([a, a[..., :1]], -1)              # never of full column rank
    for matrix in (a, alike):
        found = torch.linalg.lstsq(matrix, b)
        torch.testing.assert_close(found.solution, torch.linalg.pinv(matrix) @ b,
                                   atol=1e-4, rtol=1e-3)
        assert (found.rank == min(shape[-2:])).all() and found.singular_values.shape == (0,)


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64])
def test_determinants_of_large_matrices_are_those_of_double_precision(dtype):
    a = draw(3, 40, 40).detach().to(dtype) / 5
    wide = a.to(torch.complex128 if dtype.is_complex else torch.float64)
    torch.testing.assert_close(torch.linalg.det(a), torch.linalg.det(wide).to(dtype))
    for found, wanted in zip(torch.linalg.slogdet(a), torch.linalg.slogdet(wide), strict=True):
        torch.testing.assert_close(found, wanted.to(found.dtype))
    a[1, :, 7] = 0
    assert torch.linalg.det(a)[1] == 0 and torch.linalg.det(a)[0] != 0
    sign, size = torch.linalg.slogdet(a)
    assert sign[1] == 0 and size[1] == -torch.inf
    a[0] *= torch.finfo(torch.float32).max / 1e3                       # more than float32 holds
    assert torch.linalg.det(a.real)[0].isinf()


def test_least_squares_by_gels_always_have_residuals():
    alike = torch.ones(3, 2, dtype=torch.float64)
    alike[0] = 0
    found = torch.linalg.lstsq(alike, torch.ones(3, 1).double(), driver="gels")
    torch.testing.assert_close(found.residuals, torch.ones(1).double())


@pytest.mark.filterwarnings("ignore:torch.cholesky is deprecated")
def test_the_older_cholesky_refuses_under_its_own_name():
    with pytest.raises(RuntimeError, match="^cholesky: A must be batches of square matrices"):
        torch.ones(2, 3).cholesky()
    with pytest.raises(RuntimeError, match="^linalg.cholesky: A must be batches of square"):
        torch.linalg.cholesky(torch.ones(2, 3))


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (3, 3)])
def test_forward_mode_of_complex_singular_vectors(shape):
    """What does not depend on the phases of the vectors, which are arbitrary."""
    torch.manual_seed(0)
    a = torch.randn(shape, dtype=torch.complex128, requires_grad=True)

    def squared(a):
        u, s, vh = torch.linalg.svd(a, full_matrices=False)
        return (u * (s * s).to(u.dtype)) @ vh

    assert torch.autograd.gradcheck(squared, a, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(torch.linalg.svdvals, a, check_fwd_over_rev=True)


@pytest.mark.parametrize("value", [1e30, -1e30, 1e-30, -1e-30])
@pytest.mark.parametrize("rows", [1, 40, 3000])
def test_the_norm_of_one_number_is_its_size(value, rows):
    """Though its square is infinite, or zero; recorded of PyTorch."""
    for ord in (2, 3, 0.5, -1):
        x = torch.full((rows, 1), value, requires_grad=True)
        y = torch.linalg.vector_norm(x, ord, 1)
        assert torch.equal(y, x.detach().abs()[:, 0])
    y = torch.linalg.vector_norm(x, dim=1)
    y.sum().backward()
    torch.testing.assert_close(x.grad, x.detach().sign())
    assert torch.linalg.vector_norm(x[0], 0).item() == 1


@pytest.mark.parametrize("p", [0.5, 1, 2, 3, math.inf])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_renorm_is_the_same_where_nothing_is_recorded(p, dim):
    torch.manual_seed(0)
    x = torch.randn(4, 5, 6)
    x[0], x[1, 2, 3] = 0, math.nan                          # a norm that is nan is not too large
    expected = torch.renorm(x.clone().requires_grad_(), p, dim, 1.5).detach()
    torch.testing.assert_close(torch.renorm(x, p, dim, 1.5), expected, equal_nan=True)
    torch.testing.assert_close(x.renorm_(p, dim, 1.5), expected, equal_nan=True)


def test_renorm_looks_at_its_numbers_before_the_dimensions():
    with pytest.raises(RuntimeError, match="expected maxnorm to be >= 0 but got -1"):
        torch.renorm(torch.ones(3), 2, 0, -1)


@pytest.mark.parametrize("maxnorm", [-1, -0.5, math.nan])
def test_renorm_to_less_than_nothing(maxnorm):
    with pytest.raises(RuntimeError, match=f"expected maxnorm to be >= 0 but got {maxnorm}"):
        torch.renorm(torch.ones(2, 2), 2, 0, maxnorm)


def test_renorm_in_half_precision_sums_in_single():
    """A norm may be beyond half precision though all numbers and the result are within."""
    x = torch.full((2, 3000), 5.0, dtype=torch.float16, requires_grad=True)
    y = torch.renorm(x, 1, 0, 6000.0)
    y.sum().backward()
    assert y.dtype is torch.float16 and not x.grad.isnan().any()
    torch.testing.assert_close(y.float(), torch.full((2, 3000), 2.0), rtol=1e-3, atol=0)


def test_the_error_of_a_singular_matrix_has_its_place_in_c():
    assert torch._C._LinAlgError is torch.linalg.LinAlgError
