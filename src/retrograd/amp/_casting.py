"""What autocast on the CPU does to functions: the lists, and the casts around a call.

LOWER        computed in bfloat16 (or float16): products of matrices and what is made of them
FLOAT32      computed in float32, as they lose too much otherwise
PROMOTED     computed in the widest of their tensors' dtypes

float64 and integers are left alone, and so are all other functions. The lists were read off
PyTorch's results.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FunctionType
from typing import Any

from .. import _dtype
from .._entries import intercept
from .._state import state
from .._tensor import Tensor
from ..ops.public import unwrapped

LOWER = {
    "torch": "mm matmul bmm addmm addbmm baddbmm conv1d conv2d conv3d conv_transpose1d "
             "conv_transpose2d conv_transpose3d conv_tbc prelu rnn_tanh_cell rnn_relu_cell "
             "inner chain_matmul",
    "Tensor": "__matmul__ __rmatmul__",
    "linalg": "vecdot multi_dot",
    "nn.functional": "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d "
                     "conv_transpose3d prelu scaled_dot_product_attention "
                     "multi_head_attention_forward affine_grid",
}
FLOAT32 = {
    "torch": "prod cdist trace inverse pinverse cholesky cholesky_inverse cholesky_solve svd qr "
             "geqrf ormqr orgqr lu_solve quantile nanquantile stft polar view_as_complex "
             "binary_cross_entropy_with_logits hinge_embedding_loss cosine_embedding_loss "
             "margin_ranking_loss poisson_nll_loss triplet_margin_loss ctc_loss kl_div",
    "linalg": "inv inv_ex cholesky cholesky_ex solve solve_ex eig eigvals eigh eigvalsh svd "
              "svdvals qr lstsq matrix_rank cond tensorinv tensorsolve householder_product "
              "lu_factor lu_factor_ex",
    "fft": "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft",
    "nn.functional": "mse_loss l1_loss smooth_l1_loss huber_loss cross_entropy nll_loss "
                     "binary_cross_entropy binary_cross_entropy_with_logits kl_div "
                     "cosine_embedding_loss hinge_embedding_loss poisson_nll_loss "
                     "margin_ranking_loss soft_margin_loss triplet_margin_loss multi_margin_loss "
                     "multilabel_margin_loss ctc_loss avg_pool3d max_pool3d adaptive_avg_pool3d "
                     "adaptive_max_pool3d max_unpool2d max_unpool3d grid_sample "
                     "local_response_norm",
}
PROMOTED = {"torch": "index_copy"}
PADDED = ("reflect", "replicate")       # modes in which pad is of the list FLOAT32


class Local(threading.local):
    """The autocast of the current thread."""

    def __init__(self) -> None:
        self.lower: _dtype.dtype | None = None      # None: off
        self.cached: dict[int, tuple[Tensor, Tensor]] | None = None


local = Local()
_armed = False
_lock = threading.RLock()


def arm() -> None:
    """Let the functions of the lists look whether autocast is on, from now on."""
    global _armed
    with _lock:
        if _armed:
            return
        _armed = True
        seen: set[int] = set()
        for home, name, choose in _listed():
            function = _find(home, name)
            if isinstance(function, FunctionType) and id(function) not in seen:
                seen.add(id(function))
                intercept(function, _around(choose))
        intercept(_find("nn.functional", "pad"), _around(_padding))
        intercept(import_module("retrograd.nn._functional.recurrent").layers, _recurrent)


def _listed() -> Iterator[tuple[str, str, Callable]]:
    """(where it is, its name, how its dtype is chosen) of every function that autocast knows."""
    for lists, choose in ((LOWER, _lower), (FLOAT32, _float32), (PROMOTED, _widest)):
        for home, names in lists.items():
            for name in names.split():
                yield home, name, choose


def _find(home: str, name: str) -> Any:
    path = {"torch": "retrograd", "Tensor": "retrograd"}.get(home, f"retrograd.{home}")
    owner = Tensor if home == "Tensor" else import_module(path)
    return unwrapped(getattr(owner, name, None))


def _around(choose: Callable) -> Callable:
    """Cast the tensors of a call to what `choose` says; what it calls in turn is left alone."""
    def cast_first(original: Callable, args: tuple, kwargs: dict) -> Any:
        lower = local.lower
        if lower is None:
            return original(*args, **kwargs)
        to = choose(lower, args, kwargs)
        local.lower = None
        try:
            if to is not None:
                args = _cast(args, to)
                kwargs = {name: _cast(value, to) for name, value in kwargs.items()}
            return original(*args, **kwargs)
        finally:
            local.lower = lower

    return cast_first


def _lower(lower: Any, args: tuple, kwargs: dict) -> Any:
    return lower


def _float32(lower: Any, args: tuple, kwargs: dict) -> Any:
    return _dtype.float32


def _widest(lower: Any, args: tuple, kwargs: dict) -> Any:
    dtypes = {t.dtype for t in (*args, *kwargs.values()) if isinstance(t, Tensor)}
    return _dtype.float32 if _dtype.float32 in dtypes else None


def _padding(lower: Any, args: tuple, kwargs: dict) -> Any:
    mode = kwargs.get("mode", args[2] if len(args) > 2 else "constant")
    return _dtype.float32 if mode in PADDED else None


def _recurrent(original: Callable, args: tuple, kwargs: dict) -> Any:
    """Recurrent layers are of the list LOWER, except for GRU's, of which only the products are."""
    if args[0] != "GRU":
        return _around(_lower)(original, args, kwargs)
    return original(*args, **kwargs, by_cells=local.lower is not None)


def _cast(value: Any, to: Any) -> Any:
    """`value`, its floating tensors narrower than float64 in the dtype `to`."""
    if isinstance(value, Tensor):
        dtype = value.dtype
        if dtype is to or not dtype.is_floating_point or dtype is _dtype.float64:
            return value
        return _cast_once(value, to) if _is_weight(value, to) else value.to(to)
    if type(value) is list or type(value) is tuple:
        return type(value)([_cast(part, to) for part in value])
    return value


def _is_weight(t: Tensor, to: Any) -> bool:
    """Whether a block keeps the cast of `t`: of leaves that are trained, to the lower dtype."""
    return (local.cached is not None and state.grad and to is not _dtype.float32
            and t.requires_grad and t.is_leaf and t.dtype is _dtype.float32)


def _cast_once(t: Tensor, to: Any) -> Tensor:
    kept = local.cached.get(id(t))
    if kept is None or kept[1].dtype is not to:
        kept = local.cached[id(t)] = t, t.to(to)
    return kept[1]
