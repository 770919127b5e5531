"""gradcheck and gradgradcheck: what passes, what is found, and how it is said."""

import re

import pytest

import retrograd as torch
from retrograd.autograd import Function, gradcheck, gradgradcheck
from retrograd.autograd.function import once_differentiable
from retrograd.autograd.gradcheck import (
    GradcheckError,
    get_analytical_jacobian,
    get_numerical_jacobian,
)


def double(*values, requires_grad=True):
    return torch.tensor(values, dtype=torch.float64, requires_grad=requires_grad)


def cplx(*values):
    return torch.tensor(values, dtype=torch.complex128, requires_grad=True)


class Wrong(Function):
    """x ** 2 with the gradient 3 x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x * grad


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


GOOD = {
    "one input": (torch.sin, lambda: (double(0.3, -1.2),)),
    "two inputs": (lambda x, y: x * y + x.exp(), lambda: (double(0.3, -1.2), double(2.0, 0.5))),
    "one needs no grad": (
        lambda x, y: x * y,
        lambda: (double(0.3, 1.0), double(2.0, 0.5, requires_grad=False)),
    ),
    "several outputs": (lambda x: (x.sin(), (x * x).sum()), lambda: (double(0.3, -1.2),)),
    "an output without grad": (
        lambda x: (x.sin(), x.detach() * 0 + 1),
        lambda: (double(0.3, -1.2),),
    ),
    "scalar": (lambda x: x**3, lambda: (torch.tensor(1.5, dtype=torch.float64).requires_grad_(),)),
    "complex": (lambda z: z * z.conj() + z**2, lambda: (cplx(0.3 + 1j, -1.2 - 0.5j),)),
    "complex to real": (lambda z: z.abs(), lambda: (cplx(0.3 + 1j, -1.2 - 0.5j),)),
    "real to complex": (lambda x: x * (1 + 2j), lambda: (double(0.3, -1.2),)),
    "matrix": (lambda a, b: a @ b, lambda: (double([1.0, 2.0], [0.5, -1.0]), double(1.0, 3.0))),
    "non-contiguous": (lambda a: a.T.sin(), lambda: (double([1.0, 2.0], [0.5, -1.0]),)),
}


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("name", GOOD)
def test_right_gradients_pass(name, fast_mode):
    func, inputs = GOOD[name]
    assert gradcheck(func, inputs(), fast_mode=fast_mode)


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("name", [n for n in GOOD if n != "an output without grad"])
def test_right_second_derivatives_pass(name, fast_mode):
    func, inputs = GOOD[name]
    assert gradgradcheck(func, inputs(), fast_mode=fast_mode)


def test_inputs_are_left_as_they_were():
    x = double(0.3, -1.2)
    gradcheck(torch.sin, x)
    assert x.tolist() == [0.3, -1.2]
    assert x.grad is None
    assert x._version == 0


def test_wrong_gradient_shows_both_jacobians():
    with pytest.raises(GradcheckError) as error:
        gradcheck(Wrong.apply, torch.ones(2, dtype=torch.float64, requires_grad=True))
    assert str(error.value) == (
        "Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[2.0000, 0.0000],\n"
        "        [0.0000, 2.0000]], dtype=torch.float64)\n"
        "analytical:tensor([[3., 0.],\n"
        "        [0., 3.]], dtype=torch.float64)\n"
    )


def test_wrong_gradient_in_fast_mode():
    with pytest.raises(GradcheckError) as error:
        gradcheck(
            Wrong.apply, torch.ones(2, dtype=torch.float64, requires_grad=True), fast_mode=True
        )
    lines = str(error.value).splitlines()
    assert lines[0] == "Jacobian mismatch for output 0 with respect to input 0,"
    assert float(lines[1].removeprefix("numerical:")) == pytest.approx(1.844718626241935)
    assert float(lines[2].removeprefix("analytical:")) == pytest.approx(2.7670779394229683)
    assert lines[4].startswith("The above quantities relating the numerical and analytical")
    assert lines[8:10] == ["Numerical:", " tensor([[2.0000, 0.0000],"]
    assert lines[-1].startswith("The max per-element difference (slow mode) is: 0.99999999")


def test_raise_exception_false_returns_false():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(Wrong.apply, x, raise_exception=False) is False


def test_complex_mismatch_names_the_part():
    class Conjugated(Function):
        @staticmethod
        def forward(ctx, z):
            return z * 1

        @staticmethod
        def backward(ctx, grad):
            return grad.conj()

    with pytest.raises(
        GradcheckError,
        match="While considering the imaginary part of complex outputs only, Jacobian mismatch",
    ):
        gradcheck(Conjugated.apply, cplx(1 + 2j))


def test_float32_inputs_warn_and_fail():
    with (
        pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double"),
        pytest.raises(GradcheckError, match="Jacobian mismatch"),
    ):
        gradcheck(lambda x: (x**2).sum(), torch.ones(3, requires_grad=True))


def test_no_input_requires_grad():
    message = (
        "gradcheck expects at least one input tensor to require gradient, "
        "but none of them have requires_grad=True."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        gradcheck(lambda x: x**2, torch.ones(2, dtype=torch.float64))


def test_expanded_input_is_refused():
    x = torch.ones(1, dtype=torch.float64).expand(3).requires_grad_()
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(torch.sin, x)


def test_second_derivative_of_once_differentiable():
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0"):
        gradgradcheck(Once.apply, torch.ones(2, dtype=torch.float64, requires_grad=True))


def test_backward_that_ignores_its_gradient():
    class Constant(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * 0 + 1

    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(Constant.apply, x)


def test_backward_that_varies():
    calls = []

    class Varies(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            calls.append(1)
            return grad * (1 + 1e-4 * len(calls))

    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(Varies.apply, x)
    calls.clear()
    assert gradcheck(Varies.apply, x, nondet_tol=1e-2, check_undefined_grad=False)


def test_undefined_gradients_must_be_accepted():
    class Strict(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x.sin(), x.cos()

        @staticmethod
        def backward(ctx, a, b):
            if a is None and b is None:
                raise RuntimeError("a gradient, please")
            return None if a is None else a * 0

    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    with (
        pytest.warns(UserWarning, match="undefined gradient support"),
        pytest.raises(GradcheckError, match="Expected backward function to handle undefined"),
    ):
        gradcheck(lambda x: tuple(o * 0 for o in Strict.apply(x)), x)


def test_hidden_dependence_of_a_constant():
    x = double(0.5, 1.0)
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda t: t.detach() * 2, x)


def test_output_that_changes_shape():
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    with pytest.raises(AssertionError, match="Expected `func` to return outputs with the same"):
        gradcheck(lambda t: t * 2 if t.item() > -1e-7 else (t * 2).reshape(1, 1), x)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"check_backward_ad": False},
            "at least one of check_forward_ad or check_backward_ad to be True",
        ),
        (
            {"check_backward_ad": False, "check_forward_ad": True, "check_batched_grad": True},
            "check_batched_grad=True requires check_backward_ad to be True",
        ),
        (
            {"check_batched_forward_grad": True},
            "check_batched_forward_grad=True requires check_forward_ad to be True",
        ),
    ],
)
def test_contradicting_options(options, message):
    with pytest.raises(AssertionError, match=message):
        gradcheck(torch.sin, double(0.5), **options)


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("name", GOOD)
def test_forward_mode(name, fast_mode):
    func, inputs = GOOD[name]
    assert gradcheck(func, inputs(), check_forward_ad=True, fast_mode=fast_mode)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_forward_over_reverse(fast_mode):
    x = double(0.3, -1.2)
    assert gradgradcheck(lambda t: t.sin() * t, x, check_fwd_over_rev=True, fast_mode=fast_mode)


def test_wrong_jvp():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * 3

    with pytest.raises(GradcheckError) as error:
        gradcheck(Wrong.apply, double(0.3), check_forward_ad=True)
    assert str(error.value) == (
        "Jacobian computed with forward mode mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[2.0000]], dtype=torch.float64)\n"
        "analytical:tensor([[3.]], dtype=torch.float64)\n"
    )


def test_batched_gradients():
    x = double(0.3, -1.2)
    assert gradcheck(lambda t: (t.sin(), t * t), x, check_batched_grad=True)
    assert gradgradcheck(torch.sin, x, check_batched_grad=True)


def test_deprecated_jacobians():
    x = double([1.0, 2.0], [3.0, 4.0])
    with pytest.warns(FutureWarning, match="get_numerical_jacobian"):
        (numerical,) = get_numerical_jacobian(lambda args: args[0] ** 2, (x,), eps=1e-6)
    with pytest.warns(FutureWarning, match="get_analytical_jacobian"):
        (analytical,), repeats, sizes, dtypes = get_analytical_jacobian((x,), x**2)
    assert repeats and sizes and dtypes
    assert torch.allclose(numerical, analytical)
    assert torch.equal(analytical, torch.diag(2 * x.detach().reshape(-1)))
