"""The comparison at the heart of gradcheck: derivatives against finite differences, by part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import retrograd as rg

from ._jacobians import (
    GradcheckError,
    analytical_jacobian,
    as_tuple,
    differentiable_outputs,
    forward_jacobians,
    is_differentiable,
    numerical_jacobian,
    numerical_jvp,
    requires_grad,
)

if TYPE_CHECKING:
    from retrograd import Tensor

_FAST_FAILED_SLOW_PASSED = """
Fast gradcheck failed but element-wise differences are small. This means that the
test might've passed in slow_mode!

Call gradcheck/gradgradcheck with `fast_mode=False` to compare element by element.
""".strip()


@dataclass(frozen=True)
class Settings:
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast: bool


@dataclass(frozen=True)
class Part:
    """One real-valued view of the checked function: itself, or its real or imaginary part."""

    func: Callable
    inputs: tuple
    out: object
    forward: bool = False
    complex_at: tuple[int, ...] = ()  # outputs (inputs, in forward mode) that were complex
    imaginary: bool = False

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return differentiable_outputs(self.out)

    def tensors(self) -> list[tuple[int, Tensor]]:
        return [(i, x) for i, x in enumerate(self.inputs) if requires_grad(x)]

    def mismatch(self, analytical, numerical, output: int, input: int) -> str:
        prefix = ""
        if (input if self.forward else output) in self.complex_at:
            part = "imaginary" if self.imaginary else "real"
            element = "inputs" if self.forward else "outputs"
            prefix = f"While considering the {part} part of complex {element} only, "
        mode = "computed with forward mode " if self.forward else ""
        return (
            f"{prefix}Jacobian {mode}mismatch for output {output:d} with respect to "
            f"input {input:d},\nnumerical:{numerical}\nanalytical:{analytical}\n"
        )


def _allclose(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    dtype = rg.promote_types(a.dtype, b.dtype)
    return rg.allclose(a.to(dtype), b.to(dtype), rtol, atol)


# Slow mode: the whole Jacobian


def _numerical_jacobians(part: Part, eps: float) -> list[list[Tensor]]:
    """Over inputs, over outputs that require grad."""
    outs = as_tuple(part.out)
    floating = [o for o in outs if is_differentiable(o)]
    jacobians = []
    for _, tensor in part.tensors():
        all_outputs = numerical_jacobian(
            part.func, part.inputs, outs, eps, tensor, part.forward
        )
        pairs = zip(floating, all_outputs, strict=True)
        jacobians.append([j for o, j in pairs if o.requires_grad])
    return jacobians


def _analytical_jacobians(part: Part, settings: Settings) -> list[list[Tensor]]:
    """Over inputs, over outputs that require grad."""
    if part.forward:
        floating = [o for o in as_tuple(part.out) if is_differentiable(o)]
        by_input = forward_jacobians(part.func, part.inputs, settings.check_grad_dtypes)
        return [
            [j for o, j in zip(floating, of_input, strict=False) if o.requires_grad]
            for of_input in by_input
        ]
    by_output = [
        analytical_jacobian(part.inputs, o, settings.nondet_tol, settings.check_grad_dtypes)
        for o in part.outputs
    ]
    return [list(of_input) for of_input in zip(*by_output, strict=True)]


def _check_slow(part: Part, settings: Settings) -> None:
    if not part.outputs:
        _check_constant(part, settings.eps)
        return
    numerical = _numerical_jacobians(part, settings.eps)
    analytical = _analytical_jacobians(part, settings)
    for output in range(len(part.outputs)):
        for i, (of_numerical, of_analytical) in enumerate(
            zip(numerical, analytical, strict=True)
        ):
            if of_numerical[output].numel() == 0:
                continue
            n, a = of_numerical[output], of_analytical[output]
            if not _allclose(a, n, settings.rtol, settings.atol):
                raise GradcheckError(part.mismatch(a, n, output, i))


def _check_constant(part: Part, eps: float) -> None:
    """A function none of whose outputs require grad must not depend on its inputs."""
    outs = as_tuple(part.out)
    for _, tensor in part.tensors():
        for jacobian in numerical_jacobian(
            part.func, part.inputs, outs, eps, tensor, part.forward
        ):
            if rg.ne(jacobian, 0).sum() > 0:
                raise GradcheckError("Numerical gradient for function expected to be zero")


# Fast mode: v^T J u for random v and u


def _random_direction(tensor: Tensor, generator) -> Tensor:
    """A random unit vector of non-negative reals, as many as `tensor` has elements."""
    dtype = rg.zeros((), dtype=tensor.dtype).abs().dtype  # complex -> its real type
    vector = rg.rand(tensor.numel(), generator=generator).to(dtype)
    return vector / vector.norm()


def directions(part: Part) -> tuple[list, list[Tensor] | None]:
    """u for each input (a pair for a complex one) and v for each output."""
    generator = rg.Generator()  # its own: the user's random stream stays where it was
    all_u = []
    for _, tensor in part.tensors():
        u = _random_direction(tensor, generator)
        all_u.append((u, _random_direction(tensor, generator)) if tensor.is_complex() else u)
    if part.forward:
        return all_u, None
    return all_u, [_random_direction(o, generator) for o in part.outputs]


def _numerical_products(part: Part, all_u, all_v, eps: float) -> list[list[Tensor]]:
    """v^T J u (J u in forward mode), over inputs, over outputs that require grad."""
    outs, products = as_tuple(part.out), []
    for (_, tensor), u in zip(part.tensors(), all_u, strict=True):
        along = numerical_jvp(part.func, part.inputs, tensor, u, eps, part.forward)
        kept = [ju for o, ju in zip(outs, along, strict=True) if o.requires_grad]
        if all_v is not None:
            kept = [(v * ju).sum() for v, ju in zip(all_v, kept, strict=True)]
        products.append(kept)
    return products


def _along(row: Tensor, u) -> Tensor:
    """The product of a row v^T J with u; real and imaginary parts apart for a complex input."""
    if not isinstance(u, tuple):
        return row.dot(u)
    parts = rg.view_as_real(row.resolve_conj())
    return parts.select(-1, 0).dot(u[0]) + 1j * parts.select(-1, 1).dot(u[1])


def _analytical_products(part: Part, all_u, all_v, settings: Settings) -> list[list[Tensor]]:
    if part.forward:
        floating = [o for o in as_tuple(part.out) if is_differentiable(o)]
        by_input = forward_jacobians(part.func, part.inputs, settings.check_grad_dtypes, all_u)
        return [
            [ju for o, ju in zip(floating, of_input, strict=True) if o.requires_grad]
            for of_input in by_input
        ]
    by_output = []
    for output, v in zip(part.outputs, all_v, strict=True):
        columns = analytical_jacobian(
            part.inputs, output, settings.nondet_tol, settings.check_grad_dtypes, v
        )
        by_output.append(
            [_along(c.T.squeeze(0), u) for c, u in zip(columns, all_u, strict=True)]
        )
    return [list(of_input) for of_input in zip(*by_output, strict=True)]


def _scaled_atol(atol: float, u, v) -> float:
    """Fast mode compares sums: an error of atol in every element of J gives sum(v) atol sum(u)."""
    total = sum(float(part.sum()) for part in as_tuple(u))
    return atol * total * (1.0 if v is None else float(v.sum()))


def _check_fast(part: Part, settings: Settings) -> None:
    all_u, all_v = directions(part)
    if not part.outputs:
        _check_constant_fast(part, all_u, settings)
        return
    numerical = _numerical_products(part, all_u, all_v, settings.eps)
    analytical = _analytical_products(part, all_u, all_v, settings)
    for i, (of_numerical, of_analytical) in enumerate(zip(numerical, analytical, strict=True)):
        for output, (n, a) in enumerate(zip(of_numerical, of_analytical, strict=True)):
            v = None if all_v is None else all_v[output]
            atol = _scaled_atol(settings.atol, all_u[i], v)
            if not _allclose(a, n, settings.rtol, atol):
                raise GradcheckError(
                    part.mismatch(a, n, output, i) + _slow_report(part, i, output, settings)
                )


def _check_constant_fast(part: Part, all_u, settings: Settings) -> None:
    for (_, tensor), u in zip(part.tensors(), all_u, strict=True):
        for jvp in numerical_jvp(part.func, part.inputs, tensor, u, settings.eps, part.forward):
            if jvp.numel() and jvp.abs().max() > settings.nondet_tol:
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _slow_report(part: Part, input: int, output: int, settings: Settings) -> str:
    """The two whole Jacobians, for the message of a fast check that failed."""
    numerical = _numerical_jacobians(part, settings.eps)[input][output]
    if part.forward:
        analytical = _analytical_jacobians(part, settings)[input][output]
    else:
        analytical = analytical_jacobian(part.inputs, part.outputs[output], float("inf"))[input]
    worst = (numerical - analytical).abs().max()
    report = (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \n"
        "in fast mode. See: https://github.com/pytorch/pytorch/issues/53876 for more background \n"
        "about fast mode. Below, we recompute numerical and analytical jacobians in slow mode:\n\n"
        f"Numerical:\n {numerical}\nAnalytical:\n{analytical}\n\n"
        f"The max per-element difference (slow mode) is: {worst}.\n"
    )
    if rg.allclose(analytical, numerical, settings.rtol, settings.atol):
        report += _FAST_FAILED_SLOW_PASSED
    return report


# Complex functions are checked through their real and imaginary parts


def _of_outputs(func, take):
    def part(*inputs):
        return tuple(take(o) if o.is_complex() else o for o in as_tuple(func(*inputs)))

    return part


def _of_inputs(func, positions, rebuild, originals):
    def part(*inputs):
        whole = list(inputs)
        for i in positions:
            whole[i] = rebuild(whole[i], originals[i])
        return as_tuple(func(*whole))

    return part


def backward_parts(func, inputs, out) -> list[Part]:
    if not any(o.is_complex() for o in as_tuple(out)):
        return [Part(func, inputs, out)]
    outputs = differentiable_outputs(out)
    complex_at = tuple(i for i, o in enumerate(outputs) if o.is_complex())
    parts = []
    for take, imaginary in ((rg.imag, True), (rg.real, False)):
        fn = _of_outputs(func, take)
        parts.append(Part(fn, inputs, fn(*inputs), False, complex_at, imaginary))
    return parts


def forward_parts(func, inputs, out) -> list[Part]:
    """The parts for forward mode: by real and imaginary parts of complex inputs."""
    complex_at = tuple(
        i for i, x in enumerate(inputs) if isinstance(x, rg.Tensor) and x.is_complex()
    )
    if not complex_at:
        return [Part(func, inputs, out, True)]
    # The other part keeps its value, so that func is called where it is defined.
    ways = (
        (lambda x, whole: whole.real + x * 1j, rg.imag, True),
        (lambda x, whole: x + whole.imag * 1j, rg.real, False),
    )
    parts = []
    for rebuild, take, imaginary in ways:
        fn = _of_inputs(func, complex_at, rebuild, inputs)
        reals = tuple(take(x) if i in complex_at else x for i, x in enumerate(inputs))
        parts.append(Part(fn, reals, fn(*reals), True, complex_at, imaginary))
    return parts


def check_parts(parts: list[Part], settings: Settings) -> None:
    for part in parts:
        (_check_fast if settings.fast else _check_slow)(part, settings)
