"""Derivatives of functions: jacobian, hessian, and their products with vectors.

All take `func(*inputs)` with a tensor or a tuple of tensors as inputs and outputs, never
change `inputs`, and leave the `.grad` of every tensor alone. With `create_graph=True` the
result can be differentiated again. With `strict=True` an output that does not depend on an
input is an error; otherwise the derivative is zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import retrograd as rg

from ._at_once import rows_at_once
from .gradients import NOT_REAL

if TYPE_CHECKING:
    from retrograd import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_OUTPUTS = "outputs of the user-provided function"


# Tuples in, tuples out. Libraries import these helpers by PyTorch's names for them:
# _as_tuple, _tuple_postprocess, _grad_postprocess, _construct_standard_basis_for.


def _as_tuple(x, name: str, caller: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether `x` was a tuple, and `x` as a tuple of tensors."""
    was_tuple = isinstance(x, tuple)
    for i, element in enumerate(x if was_tuple else (x,)):
        if not isinstance(element, rg.Tensor):
            which = f"value at index {i}" if was_tuple else f"given {name}"
            raise TypeError(
                f"The {name} given to {caller} must be either a Tensor or a tuple of Tensors "
                f"but the {which} has type {type(element)}."
            )
    return was_tuple, x if was_tuple else (x,)


def _tuple_postprocess(res, to_unpack: bool | tuple[bool, bool]):
    """`res` without the tuples that _as_tuple() added; a pair stands for outer and inner ones."""
    if isinstance(to_unpack, tuple):
        outer, inner = to_unpack
        return _tuple_postprocess(tuple(_tuple_postprocess(row, inner) for row in res), outer)
    return res if to_unpack else res[0]


# What goes in and what comes out


def _fresh(tensors, create_graph: bool, need_graph: bool) -> tuple[Tensor, ...]:
    """New tensors, unlike any that the function captured; connected to the old ones if asked."""
    return tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(need_graph)
        for t in tensors
    )


def _grad_postprocess(inputs, create_graph: bool) -> tuple[Tensor, ...]:
    return tuple(inputs) if create_graph else tuple(t.detach() for t in inputs)


def _checked_v(v, like, like_is_tuple: bool, caller: str, create_graph: bool):
    _, v = _as_tuple(v, "v", caller)
    v = _fresh(v, create_graph, need_graph=False)
    if len(v) != len(like):
        if like_is_tuple:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (a, b) in enumerate(zip(v, like, strict=True)):
        if a.shape != b.shape:
            entry = f"Entry {i} in " if like_is_tuple else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {b.shape} but got {a.shape}."
            )
    return v


def _v_for_inputs(v, inputs, is_tuple: bool, caller: str, create_graph: bool):
    if v is not None:
        return _checked_v(v, inputs, is_tuple, caller, create_graph)
    if len(inputs) != 1 or inputs[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a "
            "single Tensor with a single element."
        )
    return None


def _call(func, inputs, caller: str, strict: bool) -> tuple[bool, tuple[Tensor, ...]]:
    is_tuple, outputs = _as_tuple(func(*inputs), _OUTPUTS, caller)
    if strict:
        for i, out in enumerate(outputs):
            if not out.requires_grad:
                raise RuntimeError(
                    f"Output {i} of the user-provided function does not require gradients. "
                    "The outputs must be computed in a differentiable manner from the input "
                    "when running in strict mode."
                )
    return is_tuple, outputs


def _call_scalar(func, inputs, caller: str, strict: bool) -> tuple[Tensor, ...]:
    is_tuple, outputs = _call(func, inputs, caller, strict)
    if is_tuple:
        raise RuntimeError(f"The function given to {caller} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {caller} should contain a single element"
        )
    return outputs


def _grads(outputs, inputs, grad_outputs=None, create_graph=False, **options):
    """`autograd.grad` that ignores outputs that are None or do not require grad."""
    if grad_outputs is None:
        grad_outputs = (None,) * len(outputs)
    pairs = [
        (out, grad)
        for out, grad in zip(outputs, grad_outputs, strict=True)
        if out is not None and out.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return rg.autograd.grad(
        tuple(out for out, _ in pairs),
        inputs,
        tuple(grad for _, grad in pairs),
        allow_unused=True,
        create_graph=create_graph,
        **options,
    )


def _zeros_for_none(grads, like, strict: bool, create_graph: bool, what: str, missing: str):
    """Replace None by zeros; in strict mode raise `missing` (or that `what` is constant)."""
    filled = []
    for i, (grad, tensor) in enumerate(zip(grads, like, strict=True)):
        if grad is None:
            if strict:
                raise RuntimeError(missing.format(i=i))
            grad = rg.zeros_like(tensor)
        elif strict and create_graph and not grad.requires_grad:
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. "
                "This is not allowed in strict mode when create_graph=True."
            )
        filled.append(grad)
    return tuple(filled)


def _require_dependence(grads, constant: str) -> None:
    """In strict mode: no gradient may be missing, or constant (then say `constant`)."""
    for i, grad in enumerate(grads):
        if grad is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {i}."
                " This is not allowed in strict mode."
            )
        if not grad.requires_grad:
            raise RuntimeError(constant.format(i=i))


_CONSTANT_GRADIENT = (
    "The gradient with respect to input {i} is independent of the inputs of the"
    " user-provided function. This is not allowed in strict mode."
)
_CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided"
    " function with respect to input {i} is independent of the input. This is not"
    " allowed in strict mode. You should ensure that your function is twice"
    " differentiable and that the jacobian depends on the inputs (this would be"
    " violated by a linear function for example)."
)


# Products


def vjp(func: Callable, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """Outputs of `func` and v^T J, J the Jacobian at `inputs`.

    `v` has the shapes of the outputs; None means 1 where the output is one element.
    Raises RuntimeError where v does not fit.

    >>> import retrograd as torch
    >>> torch.autograd.functional.vjp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with rg.enable_grad():
        inputs_tuple, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _fresh(inputs, create_graph, need_graph=True)
        outputs_tuple, outputs = _call(func, inputs, "vjp", strict)
        if v is not None:
            v = _checked_v(v, outputs, outputs_tuple, "vjp", create_graph)
        elif len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single "
                "Tensor with a single element."
            )
    grads = _zeros_for_none(
        _grads(outputs, inputs, v, create_graph),
        inputs,
        strict,
        create_graph,
        "jacobian",
        "The output of the user-provided function is independent of input {i}. "
        "This is not allowed in strict mode.",
    )
    return (
        _tuple_postprocess(_grad_postprocess(outputs, create_graph), outputs_tuple),
        _tuple_postprocess(_grad_postprocess(grads, create_graph), inputs_tuple),
    )


def jvp(func: Callable, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """Outputs of `func` and J v, J the Jacobian at `inputs`.

    Computed by two backward passes: g -> g^T J is linear in g, and its own backward maps v to
    J v. `v` has the shapes of the inputs; None means 1 where the input is one element.

    >>> import retrograd as torch
    >>> torch.autograd.functional.jvp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with rg.enable_grad():
        inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _fresh(inputs, create_graph, need_graph=True)
        v = _v_for_inputs(v, inputs, inputs_tuple, "jvp", create_graph)
        outputs_tuple, outputs = _call(func, inputs, "jvp", strict)
        gs = tuple(rg.zeros_like(out, requires_grad=True) for out in outputs)
        pulled = _grads(outputs, inputs, gs, create_graph=True)
        if strict:
            _require_dependence(pulled, _CONSTANT_GRADIENT)
    pushed = _zeros_for_none(
        _grads(pulled, gs, v, create_graph),
        outputs,
        strict,
        create_graph,
        "jacobian",
        "The gradient with respect to the input is independent of entry {i}"
        " in the grad_outputs when using the double backward trick to compute"
        " forward mode gradients. This is not allowed in strict mode.",
    )
    return (
        _tuple_postprocess(_grad_postprocess(outputs, create_graph), outputs_tuple),
        _tuple_postprocess(_grad_postprocess(pushed, create_graph), outputs_tuple),
    )


def vhp(func: Callable, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """Value of the scalar function `func` and v^T H, H its Hessian at `inputs`.

    >>> import retrograd as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with rg.enable_grad():
        inputs_tuple, inputs, v, outputs, jac = _slopes(
            func, inputs, v, create_graph, strict, "vhp")
    return _with_hessian(
        outputs, _grads(jac, inputs, v, create_graph), inputs, inputs_tuple, create_graph, strict,
        "The jacobian of the user-provided function is independent of input {i}. "
        "This is not allowed in strict mode.")


def hvp(func: Callable, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """Value of the scalar function `func` and H v, H its Hessian at `inputs`.

    Where second derivatives are continuous H is symmetric and `vhp` is the cheaper call.

    >>> import retrograd as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with rg.enable_grad():
        inputs_tuple, inputs, v, outputs, jac = _slopes(
            func, inputs, v, create_graph, strict, "hvp")
        gs = tuple(rg.zeros_like(x, requires_grad=True) for x in inputs)
        pulled = _grads(jac, inputs, gs, create_graph=True)
    return _with_hessian(
        outputs, _grads(pulled, gs, v, create_graph), inputs, inputs_tuple, create_graph, strict,
        "The hessian of the user-provided function is independent of entry {i} in the "
        "grad_jacobian. This is not allowed in strict mode as it prevents from using the "
        "double backward trick to replace forward mode AD.")


def _slopes(func, inputs, v, create_graph, strict, name):
    """(whether the inputs are a tuple, the inputs, v, the scalar output, its gradient)."""
    inputs_tuple, inputs = _as_tuple(inputs, "inputs", name)
    inputs = _fresh(inputs, create_graph, need_graph=True)
    v = _v_for_inputs(v, inputs, inputs_tuple, name, create_graph)
    outputs = _call_scalar(func, inputs, name, strict)
    jac = _grads(outputs, inputs, create_graph=True)
    if strict:
        _require_dependence(jac, _CONSTANT_JACOBIAN)
    return inputs_tuple, inputs, v, outputs, jac


def _with_hessian(outputs, products, inputs, inputs_tuple, create_graph, strict, independent):
    """(the output, the products of the Hessian) as vhp() and hvp() return them."""
    products = _zeros_for_none(products, inputs, strict, create_graph, "hessian", independent)
    return (
        _tuple_postprocess(_grad_postprocess(outputs, create_graph), False),
        _tuple_postprocess(_grad_postprocess(products, create_graph), inputs_tuple),
    )


# Matrices


def jacobian(
    func: Callable,
    inputs,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
):
    """The Jacobian of `func` at `inputs`: for each output and input d output / d input.

    Its shape is `output.shape + input.shape`; a tuple of inputs or outputs makes it a tuple,
    both make it a tuple of tuples `J[output][input]`. `vectorize=True` runs one batched
    backward pass instead of one for each element of the outputs; without it several elements share
    a pass if no hook or the like could tell. `strategy="forward-mode"` (with `vectorize=True`)
    runs one batched forward-mode pass.

    >>> import retrograd as torch
    >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        _check_forward_options(create_graph, strict, vectorize)
        return _jacobian_by_forward_mode(func, inputs)
    with rg.enable_grad():
        inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _fresh(inputs, create_graph, need_graph=True)
        outputs_tuple, outputs = _call(func, inputs, "jacobian", strict)
        if vectorize:
            if strict:
                raise RuntimeError(
                    "torch.autograd.functional.jacobian: `strict=True` "
                    "and `vectorized=True` are not supported together. "
                    "Please either set `strict=False` or "
                    "`vectorize=False`."
                )
            blocks = _batched_rows(outputs, inputs, create_graph)
        else:
            blocks = [
                _rows(i, out, inputs, create_graph, strict) for i, out in enumerate(outputs)
            ]
    blocks = tuple(_grad_postprocess(row, create_graph) for row in blocks)
    return _tuple_postprocess(blocks, (outputs_tuple, inputs_tuple))


def _rows(i: int, out: Tensor, inputs, create_graph: bool, strict: bool) -> list[Tensor]:
    """d out / d input for each input, a backward pass for each element of `out`."""
    n = out.numel()
    if n and out.is_complex() and out.requires_grad:
        raise RuntimeError(
            f"{NOT_REAL.format(out.dtype)}\n\nA complex output has two derivatives: take those of "
            "its real and of its imaginary part. (vectorize=True gives what backward makes of a "
            "gradient of 1.)"
        )
    units = rg.eye(n, dtype=out.dtype, device=out.device).view(n, *out.shape)
    if not create_graph and not strict:
        blocks = rows_at_once(out, inputs, units)
        if blocks is not None:
            return [b.view(out.shape + x.shape) for b, x in zip(blocks, inputs, strict=True)]
    rows = [
        _grads((out,), inputs, (unit,), create_graph, retain_graph=True) for unit in units.unbind()
    ]
    blocks = []
    for k, x in enumerate(inputs):
        column = [row[k] for row in rows]
        if strict:
            _check_strict_rows(column, i, k, create_graph)
        if any(g is None for g in column):
            column = [rg.zeros_like(x) if g is None else g for g in column]
        stacked = rg.stack(column) if column else x.new_zeros((0, *x.shape))
        blocks.append(stacked.view(out.shape + x.shape))
    return blocks


def _check_strict_rows(column, i: int, k: int, create_graph: bool) -> None:
    for grad in column:
        if grad is None:
            raise RuntimeError(
                f"Output {i} of the user-provided function is "
                f"independent of input {k}. This is not allowed in "
                "strict mode."
            )
        if create_graph and not grad.requires_grad:
            raise RuntimeError(
                "The jacobian of the user-provided function is "
                f"independent of input {i}. This is not allowed in "
                "strict mode when create_graph=True."
            )


def _construct_standard_basis_for(tensors, tensor_numels) -> tuple[Tensor, ...]:
    """The unit vectors of all tensors laid end to end, a part for each tensor: (total, numel)."""
    total, start, blocks = sum(tensor_numels), 0, []
    for t, numel in zip(tensors, tensor_numels, strict=True):
        block = t.new_zeros((total, numel))
        block[start : start + numel] = rg.eye(numel, dtype=t.dtype, device=t.device)
        blocks.append(block)
        start += numel
    return tuple(blocks)


def _basis(tensors) -> list[Tensor]:
    """The same with each part in its tensor's shape: (total, *shape)."""
    blocks = _construct_standard_basis_for(tensors, [t.numel() for t in tensors])
    return [block.view(len(block), *t.shape) for block, t in zip(blocks, tensors, strict=True)]


def _batched_rows(outputs, inputs, create_graph: bool) -> list[list[Tensor]]:
    """Blocks by output, then input, from one backward pass over a batch of unit vectors."""
    numels = [out.numel() for out in outputs]
    grads = _grads(outputs, inputs, _basis(outputs), create_graph, is_grads_batched=True)
    by_input = []
    for x, grad in zip(inputs, grads, strict=True):
        if grad is None:
            grad = x.new_zeros((sum(numels), *x.shape))
        parts = zip(outputs, grad.split(numels), strict=True)
        by_input.append([part.reshape(out.shape + x.shape) for out, part in parts])
    return [list(of_output) for of_output in zip(*by_input, strict=True)]


def _check_forward_options(create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Raise PyTorch's errors for what jacobian() cannot do by forward mode."""
    if create_graph:
        raise NotImplementedError(
            "torch.autograd.functional.jacobian: `create_graph=True` "
            'and `strategy="forward-mode"` are not supported together (yet). '
            "Please either set `create_graph=False` or "
            '`strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` "
            'and `strategy="forward-mode"` are not supported together (yet). '
            "Please either set `strict=False` or "
            '`strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is"
            "only implemented for `vectorize=True`."
        )


def _jacobian_by_forward_mode(func: Callable, inputs):
    """The Jacobian column by column: the tangents of a basis, pushed forward as one batch."""
    from .._vmap_internals import _vmap
    from . import forward_ad

    inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
    outputs_tuple = False

    def pushed(*tangents):
        nonlocal outputs_tuple
        with forward_ad.dual_level():
            duals = map(forward_ad.make_dual, inputs, tangents)
            outputs_tuple, outputs = _as_tuple(func(*duals), _OUTPUTS, "jacobian")
            unpacked = [forward_ad.unpack_dual(out) for out in outputs]
            return tuple(
                rg.zeros_like(u.primal) if u.tangent is None else u.tangent for u in unpacked
            )

    numels = [x.numel() for x in inputs]
    blocks = []
    for columns in _vmap(pushed)(*_basis(inputs)):  # (total, *output.shape)
        parts = zip(inputs, columns.split(numels), strict=True)
        blocks.append([part.movedim(0, -1).reshape(part.shape[1:] + x.shape) for x, part in parts])
    if outputs_tuple and inputs_tuple:
        return blocks                                        # lists, as PyTorch's are
    return _tuple_postprocess(blocks, (outputs_tuple, inputs_tuple))


def hessian(
    func: Callable,
    inputs,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
):
    """The Hessian of the scalar function `func`: the Jacobian of its gradient.

    Its shape is `input.shape + input.shape`; with a tuple of inputs `H[i][j]` is a tuple of
    tuples. The inner derivative is by backward; `outer_jacobian_strategy` and `vectorize`
    are those of `jacobian` for the outer one.

    >>> import retrograd as torch
    >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    inputs_tuple, inputs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode".'
        )

    def scalar(*xs):
        return _call_scalar(func, xs, "hessian", strict)[0].squeeze()

    def gradient(*xs):
        if outer_jacobian_strategy == "forward-mode":
            xs = tuple(x.requires_grad_(True) for x in xs)
        jac = jacobian(scalar, xs, create_graph=True)
        if strict:
            _require_dependence(jac, _CONSTANT_JACOBIAN)
        return jac

    blocks = jacobian(
        gradient,
        inputs,
        create_graph=create_graph,
        strict=strict,
        vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )
    return blocks if inputs_tuple else blocks[0][0]
