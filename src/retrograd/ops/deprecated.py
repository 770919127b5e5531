"""What PyTorch has deprecated or removed, and the warnings and errors for it.

Calls with a factor in front of its tensors, x.add_(2, y) for x.add_(y, alpha=2), still work, since
older optimizers are written that way; so do the older names of linear algebra. The functions that
PyTorch has removed raise its error.
"""

from __future__ import annotations

from functools import wraps

from .._tensor import Tensor
from .._warnings import is_warn_always_enabled, warn, warn_once
from .arguments import as_method, crowded, invalid_combination, known, listed_signatures
from .public import public

_warned = False
OUT = ", Tensor out = None"


def factor_first(name, keyword, given, tensors):
    """(tensors, factor) of name(factor, *tensors); TypeError where that is not what was given."""
    number, *rest = (given, *tensors)
    if isinstance(number, Tensor) and (number.dim() or number.requires_grad):
        method = as_method(len(tensors) + 2)
        places, count = (n + (not method) for n in (len(tensors), len(tensors) + 1))
        raise crowded(name, places, places, count)
    names = ("other",) if len(rest) == 1 else ("tensor1", "tensor2")
    _check_tensors(name, (given, *tensors), rest)
    before, out = ("", "") if as_method(len(tensors) + 2) else ("Tensor input, ", OUT)
    listed = ", ".join(f"Tensor {each}" for each in names)
    _warn(name, f"{before}Number {keyword}, {listed}{', *' * bool(out)}{out}",
          [f"{before}{listed}, *, Number {keyword} = 1{out}"])
    return rest, number.item() if isinstance(number, Tensor) else number


def factors_first(fn):
    """Let `fn`, such as addmm(), also take its factors by position, before its last tensors.

    These are fn(beta, input, a, b), fn(beta, input, alpha, a, b) and, as methods,
    x.fn(beta, a, b), x.fn(beta, alpha, a, b).
    """
    @wraps(fn)
    def call(*args, **kwargs):
        if len(args) > 3 or kwargs:
            args, kwargs = _factors_by_name(fn, args, kwargs)
        return fn(*args, **kwargs)
    return call


def _factors_by_name(fn, args, kwargs):
    at = [k for k, each in enumerate(args) if isinstance(each, (int, float, complex))]
    if at not in ([0], [1], [0, 2], [1, 2]) or kwargs.keys() & {"beta", "alpha"}:
        return args, kwargs
    if at[0] == 1 and not as_method(len(args) + len(kwargs)):
        return args, kwargs                                  # f(x, beta, a, b) is no such call
    a, b = fn.__code__.co_varnames[1:3]
    listed = f"Tensor {a}, Tensor {b}"
    factors = dict(zip(("beta", "alpha"), (args[k] for k in at), strict=False))
    beta, *alpha = (f"Number {each}, " for each in factors)
    between = "Tensor input, " * (at[0] == 0)
    _warn(fn.__name__, f"{beta}{between}{''.join(alpha)}{listed}" + f", *{OUT}" * (at[0] == 0),
          known(fn.__name__) if at[0] == 0 else [f"{listed}, *, Number beta = 1, Number alpha = 1"])
    return [each for k, each in enumerate(args) if k not in at], {**kwargs, **factors}


def _check_tensors(name, given, tensors):
    if not all(isinstance(tensor, (Tensor, bool, int, float, complex)) for tensor in tensors):
        raise invalid_combination(name, given, {}, listed_signatures(name))


def _warn(name, old, new):
    global _warned
    if not _warned or is_warn_always_enabled():
        _warned = True
        warn(f"This overload of {name} is deprecated:\n\t{name}({old})\nConsider using "
             "one of the following signatures instead:"
             + "".join(f"\n\t{name}({each})" for each in new))


_GOING = " and will be removed in a future PyTorch release.\n"
_OLD = {
    "cholesky":
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky" + _GOING +
        "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
        "U = torch.cholesky(A, upper=True)\nshould be replaced with\n"
        "U = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent results for all "
        "valid (symmetric positive definite) inputs.",
    "qr":
        "torch.qr is deprecated in favor of torch.linalg.qr" + _GOING +
        "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
        "Q, R = torch.qr(A, some)\nshould be replaced with\n"
        "Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    "lu":
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex" +
        _GOING + "LU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
        "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
        "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
        "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
    "lu_solve":
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solve" + _GOING[1:] +
        "Note that torch.linalg.lu_solve has its arguments reversed.\n"
        "X = torch.lu_solve(B, LU, pivots)\nshould be replaced with\n"
        "X = torch.linalg.lu_solve(LU, pivots, B)",
    "triangular_solve":
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangular" +
        _GOING[1:] + "torch.linalg.solve_triangular has its arguments reversed and does not return "
        "a copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\n"
        "should be replaced with\nX = torch.linalg.solve_triangular(A, B).",
    "cross":
        "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the "
        "dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to "
        "agree with that of linalg.cross in a future release.",
    "chain_matmul":
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than "
        "multiple parameters.",
    **{name: f"at::{name} is deprecated and it is just left for JIT compatibility. It will be "
             f"removed in a future PyTorch release. Please use `linalg.{now}` instead"
       for name, now in (("frobenius_norm", "vector_norm(A, 2., dim, keepdim)"),
                         ("nuclear_norm", "matrix_norm(A, 'nuc', dim, keepdim)"))},
}


def warn_old(name):
    """PyTorch's warning, once in a process, that `name` is deprecated."""
    warn_once(_OLD[name])


# Functions of torch that are gone, and what does their work.
_REMOVED = {
    "eig": " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than "
           "real tensors mimicking complex tensors.\n\n"
           "L, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\n"
           "and\n\nL, V = torch.eig(A, eigenvectors=True) "
           "should be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)",
    "symeig": " The default behavior has changed from using the upper triangular portion of the "
              "matrix by default to using the lower triangular portion.\n\nL, _ = torch.symeig(A, "
              "upper=upper) should be replaced with:\nL = torch.linalg.eigvalsh(A, UPLO='U' if "
              "upper else 'L')\n\nand\n\nL, V = torch.symeig(A, eigenvectors=True) should be "
              "replaced with:\nL, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')",
    "solve": " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` "
             "has its arguments reversed and does not return the LU factorization.\n\n"
             "To get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` "
             "or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\n"
             "X = torch.linalg.solve(A, B)",
    "lstsq": " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n"
             "`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition "
             "in the returned tuple (although it returns other information about the problem).\n\n"
             "To get the QR decomposition consider using `torch.linalg.qr`.\n\nThe returned "
             "solution in `torch.lstsq` stored the residuals of the solution in the last m - n "
             "columns of the returned value whenever m > n. In torch.linalg.lstsq, the residuals "
             "are in the field 'residuals' of the returned named tuple.\n\nThe unpacking of the "
             "solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced "
             "with:\nX = torch.linalg.lstsq(A, B).solution",
    "matrix_rank": "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter "
                   "'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'.",
}


def _removed(name):
    def refuse(*args, **kwargs):
        raise RuntimeError("This function was deprecated since version 1.9 and is now removed."
                           + _REMOVED[name])
    successor = "eigh" if name == "symeig" else name
    refuse.__doc__ = f"Raises RuntimeError: removed from PyTorch. See torch.linalg.{successor}."
    return public(refuse, name=name, method=name != "matrix_rank")


for _name in _REMOVED:
    _removed(_name)
