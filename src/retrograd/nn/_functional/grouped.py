"""Products of matrices in groups, for mixtures of experts."""
from __future__ import annotations

import retrograd as torch
from retrograd.nn._functional._operators import ops
from retrograd.ops.nn_checks import cpp_name


def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    """mat_a[i] @ mat_b[i] for each group i.

    Args:
        mat_a, mat_b: 3-d, a matrix for each group; or 2-d, all groups' parts side by side: rows of
            mat_a, columns of mat_b, and where both are 2-d the dimension that is summed.
        offs: where the parts end, int32; what lies beyond the last one gives zeros.
        bias, out_dtype: refused, as by PyTorch.

    Shapes: (G, n, k) and (G, k, m) to (G, n, m); (sum n, k) and (G, k, m) to (sum n, m);
    (G, n, k) and (k, sum m) to (n, sum m); (n, sum k) and (sum k, m) to (G, n, m).

    >>> import retrograd as torch
    >>> experts = torch.tensor([[[1.]], [[10.]]])
    >>> torch.nn.functional.grouped_mm(torch.ones(3, 1), experts, offs=torch.tensor([1, 3]).int())
    tensor([[ 1.],
            [10.],
            [10.]])
    """
    for name, t in (("mat_a", mat_a), ("mat_b", mat_b)):
        if t.dtype not in (torch.float32, torch.bfloat16, torch.float16):
            raise RuntimeError(f"Expected {name} to be Float32, BFloat16 or Float16 matrix, got "
                               f"{t.dtype.tensor_name}")
        if t.dim() not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    flat = mat_a.dim() == 2, mat_b.dim() == 2
    if not all(flat) and mat_a.size(-1) != mat_b.size(-2):
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    if any(flat) != (offs is not None):
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, or no offset if both "
                           "matrices are 3d")
    if offs is not None and offs.dtype is not torch.int32:
        raise RuntimeError("Offsets have to be int32")
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype not in (None, mat_a.dtype):
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")
    if mat_b.dtype is not mat_a.dtype:
        raise RuntimeError("expected m1 and m2 to have the same dtype, but got: "
                           f"{cpp_name(mat_a)} != {cpp_name(mat_b)}")
    if not any(flat) and len(mat_a) != len(mat_b):
        raise RuntimeError("batched dimension has to match")
    if any(flat) and not all(flat) and len(offs) != len(mat_b if flat[0] else mat_a):
        raise RuntimeError("matrix batch sizes have to match")
    return ops.grouped_mm_of(mat_a, mat_b, None if offs is None else tuple(offs.tolist()))
