"""Matrix products."""

from __future__ import annotations

from . import samples as S
from .declare import op

op("mm(self, mat2)", "MmBackward0", public=False, samples=S.matrix_pairs,
    self = lambda F, g, mat2: F.mm(g, F.mH(mat2)),    # (n,p)(p,m) -> (n,m)
    mat2 = lambda F, g, self: F.mm(F.mH(self), g),    # (m,n)(n,p) -> (m,p)
    jvp  = lambda F, self, mat2, self_t, mat2_t: F.mm(self_t, mat2) + F.mm(self, mat2_t))
