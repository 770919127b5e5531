"""The named tuples that functions with several results return, as in torch.return_types.

>>> import retrograd as torch
>>> torch.sort(torch.tensor([2., 1.]))
torch.return_types.sort(
values=tensor([1., 2.]),
indices=tensor([1, 0]))
"""

from __future__ import annotations

from operator import itemgetter
from sys import modules

from . import _dtype


def _make(name: str, *fields: str) -> type:
    """A tuple type with named fields, built from one sequence and printed as PyTorch's."""

    def __new__(cls, values, unnamed=None):         # PyTorch's pickles have a second part: {}
        made = tuple.__new__(cls, values)
        if len(made) != len(fields):
            raise TypeError(f"torch.return_types.{name}() takes a {len(fields)}-sequence "
                            f"({len(made)}-sequence given)")
        return made

    def __repr__(self):
        parts = ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    def __reduce__(self):
        return _rebuild, (name, tuple(self))

    members = {"__new__": __new__, "__repr__": __repr__, "__reduce__": __reduce__,
               "__slots__": (), "__match_args__": fields,
               "n_fields": len(fields), "n_sequence_fields": len(fields), "n_unnamed_fields": 0}
    members |= {f: property(itemgetter(k)) for k, f in enumerate(fields)}
    made = _dtype.InC(name, (tuple,), members)
    made.lie_in("torch.return_types")
    return made


def _rebuild(name: str, values: tuple) -> tuple:
    return getattr(modules[__name__], name)(values)


sort = _make("sort", "values", "indices")
topk = _make("topk", "values", "indices")
kthvalue = _make("kthvalue", "values", "indices")
median = _make("median", "values", "indices")
nanmedian = _make("nanmedian", "values", "indices")
mode = _make("mode", "values", "indices")
max = _make("max", "values", "indices")
min = _make("min", "values", "indices")
cummax = _make("cummax", "values", "indices")
cummin = _make("cummin", "values", "indices")
aminmax = _make("aminmax", "min", "max")
histogram = _make("histogram", "hist", "bin_edges")
histogramdd = _make("histogramdd", "hist", "bin_edges")
frexp = _make("frexp", "mantissa", "exponent")
slogdet = _make("slogdet", "sign", "logabsdet")
qr = _make("qr", "Q", "R")
svd = _make("svd", "U", "S", "V")
triangular_solve = _make("triangular_solve", "solution", "cloned_coefficient")
geqrf = _make("geqrf", "a", "tau")
lu_unpack = _make("lu_unpack", "P", "L", "U")
linalg_slogdet = _make("linalg_slogdet", "sign", "logabsdet")
linalg_qr = _make("linalg_qr", "Q", "R")
linalg_svd = _make("linalg_svd", "U", "S", "Vh")
linalg_eig = _make("linalg_eig", "eigenvalues", "eigenvectors")
linalg_eigh = _make("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_inv_ex = _make("linalg_inv_ex", "inverse", "info")
linalg_cholesky_ex = _make("linalg_cholesky_ex", "L", "info")
linalg_lstsq = _make("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_lu = _make("linalg_lu", "P", "L", "U")
linalg_lu_factor = _make("linalg_lu_factor", "LU", "pivots")
linalg_ldl_factor = _make("linalg_ldl_factor", "LD", "pivots")
linalg_ldl_factor_ex = _make("linalg_ldl_factor_ex", "LD", "pivots", "info")
linalg_lu_factor_ex = _make("linalg_lu_factor_ex", "LU", "pivots", "info")
linalg_solve_ex = _make("linalg_solve_ex", "result", "info")


def __getattr__(name: str) -> type:
    """`max_out` and so on: what was written into `out=` comes back under another name."""
    plain = globals().get(name.removesuffix("_out"))
    if not (name.endswith("_out") and hasattr(plain, "n_fields")) or plain is histogramdd:
        raise AttributeError(f"module 'torch.return_types' has no attribute {name!r}")
    globals()[name] = found = _make(name, *plain.__match_args__)
    return found
