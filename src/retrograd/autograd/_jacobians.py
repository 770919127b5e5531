"""Jacobians for gradcheck: by finite differences, by backward, by forward mode.

A Jacobian is a matrix of shape (elements of the input, elements of the output). For a complex
input of a real function it holds the conjugate Wirtinger derivative dL/dRe + i dL/dIm, which is
what backward computes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import retrograd as rg

from .._tensor import wrap

if TYPE_CHECKING:
    from retrograd import Tensor


class GradcheckError(RuntimeError):
    """What `gradcheck` and `gradgradcheck` raise when a gradient is wrong.

    >>> import retrograd as torch
    >>> x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    >>> try:
    ...     torch.autograd.gradcheck(lambda x: x * x.detach(), x)
    ... except RuntimeError as error:
    ...     print(type(error).__name__, str(error)[:21])
    GradcheckError Jacobian mismatch for
    """


NONDETERMINISTIC = """\n
NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected.

If the check is expected to vary, call gradcheck/gradgradcheck with `nondet_tol=<tol>`.
"""


def as_tuple(x) -> tuple:
    if isinstance(x, tuple):
        return x
    return tuple(x) if isinstance(x, list) else (x,)


def is_differentiable(x) -> bool:
    """Whether `x` is a tensor that can have a gradient."""
    return isinstance(x, rg.Tensor) and (x.is_floating_point() or x.is_complex())


def requires_grad(x) -> bool:
    return isinstance(x, rg.Tensor) and x.requires_grad


def differentiable_outputs(out) -> tuple[Tensor, ...]:
    return tuple(o for o in as_tuple(out) if o.requires_grad)


def tensors_requiring_grad(x) -> Iterator[Tensor]:
    """The tensors of a nested structure that require grad."""
    if isinstance(x, rg.Tensor):
        if x.requires_grad:
            yield x
    elif isinstance(x, (tuple, list)):
        for element in x:
            yield from tensors_requiring_grad(element)


# Finite differences


def _same_kind(a: Tensor, b: Tensor, eps: float, at: str) -> None:
    for name in ("shape", "dtype"):
        if getattr(a, name) != getattr(b, name):
            raise AssertionError(
                f"Expected `func` to return outputs with the same {name}"
                f" when inputs are perturbed {at}by {eps}, but got:"
                f" {name}s {getattr(a, name)} and {getattr(b, name)}."
            )


def _difference(call, place: Tensor, step, eps: float, at: str) -> list[Tensor]:
    """Central difference (f(x + step) - f(x - step)) / 2 eps, x being written in `place`."""
    kept = place.clone()
    place.copy_(kept - step)
    low = call()
    place.copy_(kept + step)
    high = call()
    place.copy_(kept)
    columns = []
    for a, b in zip(low, high, strict=True):
        _same_kind(a, b, eps, at)
        columns.append(((b - a) / (2 * eps)).detach().reshape(-1))
    return columns


def _directional(call, place: Tensor, step, eps: float, at: str, forward: bool) -> list[Tensor]:
    """One row of the numerical Jacobian for each output; `step` is a pair for complex inputs."""
    if not isinstance(step, tuple):
        columns = _difference(call, place, step, eps, at)
        if not forward and any(c.is_complex() for c in columns):
            raise AssertionError("Expected ds_dx to be real-valued, not complex.")
        return columns
    by_real = _difference(call, place, step[0], eps, at)
    by_imag = _difference(call, place, step[1] * 1j, eps, at)
    if any(c.is_complex() for c in by_real):
        raise AssertionError("Expected ds_dx to be real-valued, not complex")
    return [re + im * 1j for re, im in zip(by_real, by_imag, strict=True)]


def _caller(fn, inputs) -> Callable[[], tuple[Tensor, ...]]:
    # The inputs are passed as they are, their memory perturbed: fn may need their graph.
    return lambda: tuple(o.clone() for o in as_tuple(fn(*as_tuple(inputs))))


def numerical_jacobian(
    fn, inputs, outputs, eps: float, tensor: Tensor, forward: bool = False
) -> tuple[Tensor, ...]:
    """The Jacobians of each floating output of `fn` with respect to `tensor`."""
    if not tensor.requires_grad:
        raise AssertionError("Expected input to have requires_grad=True")
    kept = [i for i, o in enumerate(outputs) if is_differentiable(o)]
    dtype = tensor.dtype if tensor.is_complex() else None
    jacobians = tuple(
        outputs[i].new_zeros((tensor.numel(), outputs[i].numel()), dtype=dtype) for i in kept
    )
    call, memory = _caller(fn, inputs), _unwatched(tensor)
    step = (eps, eps) if tensor.is_complex() else eps
    for row, index in enumerate(itertools.product(*map(range, tensor.shape))):
        at = f"on index {index} "
        columns = _directional(call, memory[index], step, eps, at, forward)
        for jacobian, i in zip(jacobians, kept, strict=True):
            jacobian[row] = columns[i]
    return jacobians


def _unwatched(tensor):
    """The same memory, to be changed and put back: no version check is to see it."""
    return wrap(tensor._data)


def numerical_jvp(fn, inputs, tensor: Tensor, u, eps: float, forward: bool) -> list[Tensor]:
    """J u for each output of `fn`, along the direction `u` (a pair for complex inputs)."""
    memory = _unwatched(tensor)
    if isinstance(u, tuple):
        step = tuple(eps * part.reshape(memory.shape) for part in u)
    else:
        step = eps * u.reshape(memory.shape)
    return _directional(_caller(fn, inputs), memory, step, eps, "", forward)


# Backward


def backward_rows(vjp, output: Tensor) -> list[list[Tensor | None]]:
    """vjp(e_j) for each unit vector e_j of the output: a list of rows for each input."""
    unit = rg.zeros(output.shape, dtype=output.dtype)
    flat, rows = unit.view(-1), []
    for j in range(flat.numel()):
        flat.zero_()
        flat[j] = 1.0
        grads = [None if g is None else g.clone() for g in vjp(unit)]
        rows.append(grads)
    return [list(of_input) for of_input in zip(*rows, strict=True)]


def stack_rows(rows, inputs, width: int) -> tuple[list[Tensor], bool, bool]:
    """Matrices (input, width) from rows, and whether all sizes and all dtypes were right."""
    jacobians, sizes_ok, dtypes_ok = [], True, True
    for tensor in inputs:
        jacobians.append(tensor.new_zeros((tensor.numel(), width)))
    for tensor, jacobian, of_input in zip(inputs, jacobians, rows, strict=False):
        for j, row in enumerate(of_input):
            if row is None:
                continue
            sizes_ok = sizes_ok and row.shape == tensor.shape
            dtypes_ok = dtypes_ok and (row.shape != tensor.shape or row.dtype == tensor.dtype)
            if row.numel() != tensor.numel():
                raise AssertionError(
                    f"Expected out_jacobian column to have {row.numel()} elements, "
                    f"but got {tensor.numel()}"
                )
            jacobian[:, j] = row.reshape(-1)
    return jacobians, sizes_ok, dtypes_ok


def within(first, second, tol: float) -> bool:
    """Whether two lists of matrices differ by at most `tol` everywhere."""
    pairs = zip(first, second, strict=True)
    return not any(a.numel() and (a - b).abs().max() > tol for a, b in pairs)


def analytical_jacobian(
    inputs, output: Tensor, nondet_tol: float, check_grad_dtypes: bool = False, v=None
) -> list[Tensor]:
    """Jacobians of `output` by backward, computed twice to see that backward is repeatable.

    With `v` only the row v^T J of each is computed.
    """
    tensors = list(tensors_requiring_grad(inputs))

    def vjp(grad_output):
        return rg.autograd.grad(
            output, tensors, grad_output, retain_graph=True, allow_unused=True
        )

    def rows():
        if v is None:
            return backward_rows(vjp, output)
        grads = vjp(v.reshape(output.shape))
        return [[None if g is None else g.clone()] for g in grads]

    width = output.numel() if v is None else 1
    jacobians, sizes_ok, dtypes_ok = stack_rows(rows(), tensors, width)
    again, _, _ = stack_rows(rows(), tensors, width)
    if not dtypes_ok and check_grad_dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if not sizes_ok:
        raise GradcheckError("Analytical gradient has incorrect size")
    if not within(jacobians, again, nondet_tol):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with "
            "same input and grad_output multiple times gives different values, "
            "although analytical gradient matches numerical gradient."
            f"The tolerance for nondeterminism was {nondet_tol}." + NONDETERMINISTIC
        )
    return jacobians


# Forward mode


def dual_inputs(inputs) -> tuple[list, dict[int, Tensor]]:
    """Inputs with zero tangents, and the tangents by position, to be written in place."""
    from . import forward_ad

    duals, tangents = [], {}
    for i, x in enumerate(inputs):
        if requires_grad(x):
            x = forward_ad.make_dual(x.detach(), rg.zeros_like(x))
            tangents[i] = forward_ad.unpack_dual(x).tangent
        duals.append(x)
    return duals, tangents


def _tangent_rows(fn, duals, check_grad_dtypes: bool) -> list[Tensor]:
    """The flat tangents of the floating outputs of one forward-mode run; zeros where none."""
    from . import forward_ad

    rows = []
    for out in filter(is_differentiable, as_tuple(fn(*duals))):
        primal, tangent = forward_ad.unpack_dual(out)
        if tangent is None:
            tangent = rg.zeros_like(primal)
        elif check_grad_dtypes and primal.is_complex() != tangent.is_complex():
            raise GradcheckError("Forward AD gradient has dtype mismatch.")
        rows.append(tangent.reshape(-1).clone())  # it may be a view of an input's tangent
    return rows


def forward_jacobians(
    fn, inputs, check_grad_dtypes: bool = False, all_u=None
) -> list[list[Tensor]]:
    """Jacobians by forward mode: a list over inputs of lists over floating outputs.

    With `all_u`, a direction for each input, only the vectors J u are computed.
    """
    from . import forward_ad

    if any(requires_grad(x) and x.is_complex() for x in inputs):
        raise ValueError(
            "Expected inputs to be non-complex for _get_analytical_jacobian_forward_ad."
        )
    jacobians = []
    with forward_ad.dual_level():
        duals, tangents = dual_inputs(inputs)
        for k, tangent in enumerate(tangents.values()):
            if all_u is not None:
                tangent.copy_(all_u[k].view_as(tangent))
                jacobians.append(_tangent_rows(fn, duals, check_grad_dtypes))
                tangent.zero_()
                continue
            rows = []
            for index in itertools.product(*map(range, tangent.shape)):
                tangent[index] = 1.0
                rows.append(_tangent_rows(fn, duals, check_grad_dtypes))
                tangent[index] = 0.0
            jacobians.append([rg.stack(of_output) for of_output in zip(*rows, strict=True)])
    return jacobians
