"""torch.library: operators of a program's own, with the arguments and gradients they declare."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import retrograd as torch


def test_a_custom_operator_is_differentiated_by_its_formula():
    @torch.library.custom_op("tests::scaled_sin", mutates_args=())
    def scaled_sin(xs: list[torch.Tensor], scale: float = 1.0) -> torch.Tensor:
        return torch.from_numpy(np.sin(scale * sum(x.numpy() for x in xs)))

    def setup(ctx, inputs, output):
        xs, ctx.scale = inputs
        ctx.count = len(xs)
        ctx.save_for_backward(sum(xs))

    def backward(ctx, grad):
        (total,) = ctx.saved_tensors
        return [grad * ctx.scale * torch.cos(ctx.scale * total)] * ctx.count, None

    x = torch.tensor([0.3, 1.2], dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        scaled_sin([x, x]).sum().backward()
    scaled_sin.register_autograd(backward, setup_context=setup)
    assert torch.autograd.gradcheck(lambda x: torch.ops.tests.scaled_sin([x, x], scale=2.0), x)
    name = scaled_sin([x]).grad_fn.name()
    assert name == "GeneratedBackwardFor_tests_scaled_sin_defaultBackward"


def test_a_custom_operator_makes_new_tensors():
    @torch.library.custom_op("tests::same", mutates_args=())
    def same(x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.library.custom_op("tests::part", mutates_args=())
    def part(x: torch.Tensor) -> torch.Tensor:
        return x[:1]

    for x in (torch.ones(2), torch.ones(2, requires_grad=True)):
        for aliasing in (same, part):
            with pytest.raises(RuntimeError, match="must not also be an input"):
                aliasing(x)
    with pytest.raises(ValueError, match="Parameter x must have a type annotation"):
        torch.library.custom_op("tests::bare", lambda x: x, mutates_args=())


def test_a_custom_operator_that_writes():
    @torch.library.custom_op("tests::grow", mutates_args={"x"})
    def grow(x: torch.Tensor) -> None:
        x.add_(1)

    x = torch.zeros(2)
    grow(x)
    assert x.tolist() == [1.0, 1.0]
    with pytest.raises(NotImplementedError, match="mutates_args"):
        grow(torch.zeros(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="^Cannot register autograd formula for non-functional"):
        grow.register_autograd(lambda ctx: None)
    with pytest.raises(ValueError, match=r"\{'y'\} in mutates_args were not found"):
        torch.library.custom_op("tests::no_y", grow._initial, mutates_args={"y"})


def test_what_a_custom_operator_writes_is_noticed():
    @torch.library.custom_op("tests::fill_by_numpy", mutates_args={"xs"})
    def fill(xs: list[torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        for x in xs:
            x.numpy()[:] = 5
        return y.clone()

    w, x = torch.ones(2, requires_grad=True), torch.ones(2)
    product = w * x
    fill([x], w)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_arguments_of_a_custom_operator_follow_its_schema():
    schema = "(Tensor x, float y=2.5, *, int[]? sizes=None, int z=3) -> Tensor"

    @torch.library.custom_op("tests::by_schema", mutates_args=(), schema=schema)
    def scaled(x, y, *, sizes, z):
        assert type(y) is float and sizes in (None, [1, 2])
        return torch.from_numpy(x.numpy() * y * z)

    def setup(ctx, inputs, keyword_only_inputs, output):
        assert torch.is_grad_enabled() or inputs[0].requires_grad
        ctx.by = inputs[1] * keyword_only_inputs["z"]

    scaled.register_autograd(lambda ctx, g: (g * ctx.by, None), setup_context=setup)
    x = torch.ones(2, requires_grad=True)
    assert torch.autograd.grad(scaled(x, 2, z=5, sizes=[1, 2]).sum(), x)[0].tolist() == [10, 10]
    assert scaled(x.detach(), torch.tensor(2)).tolist() == [6, 6]
    for args, options, said in [
        ((x, "a"), {}, "Expected a value of type 'float' for argument 'y' but instead found"),
        ((x,), {"sizes": [1.5]}, r"Expected a value of type 'Optional\[List\[int\]\]'"),
        ((x, 1, 2), {}, r"takes 2 positional argument\(s\) but 3 was/were given"),
        ((), {}, "is missing value for argument 'x'"),
        ((x,), {"w": 1}, "Unknown keyword argument 'w' for operator 'tests::by_schema'"),
    ]:
        with pytest.raises(RuntimeError, match=said):
            scaled(*args, **options)
    with pytest.raises(ValueError, match="The schema suggests that the op mutates {'x'}"):
        torch.library.custom_op("tests::silent", lambda x: None, mutates_args=(),
                                schema="(Tensor(a!) x) -> ()")


def test_schemas_are_read_off_annotations():
    def one(x: torch.Tensor, xs: Sequence[torch.Tensor], n: int | None = None,
            dtype: torch.dtype = torch.float32, *, on: bool = True, by: float | None = None,
            ) -> tuple[torch.Tensor, torch.Tensor]:
        raise AssertionError

    infer = torch.library.infer_schema
    tail = ("SymInt? n=None, ScalarType dtype=float32, *, bool on=True, float? by=None) -> "
            "(Tensor, Tensor)")
    assert infer(one, mutates_args={"xs"}) == f"(Tensor x, Tensor(a1!)[] xs, {tail}"
    assert infer(one, mutates_args="unknown") == f"(Tensor(a0!) x, Tensor(a1!)[] xs, {tail}"

    def keyword(x: torch.Tensor, *, y: torch.Tensor) -> torch.Tensor:
        raise AssertionError

    with pytest.raises(NotImplementedError, match="kwarg-only Tensor args"):
        torch.library.custom_op("tests::keyword", keyword, mutates_args=())
    with pytest.raises(ValueError, match="only Tensors or collections of Tensors can be mutated"):
        infer(one, mutates_args=["n"])
    with pytest.raises(ValueError, match="No return type annotation was provided"):
        infer(lambda: None, mutates_args=())


def test_defaults_of_a_custom_operator_are_its_functions_own():
    first = torch.device("cpu:0")

    @torch.library.custom_op("tests::defaults", mutates_args=())
    def defaults(x: torch.Tensor, by: float = 2, name: str = "a",
                 device: torch.device = first,
                 dtype: torch.dtype = torch.int8) -> torch.Tensor:
        seen.extend((by, name, device, dtype))
        return x.clone()

    seen = []
    defaults(torch.ones(1))
    assert seen == [2, "a", first, torch.int8]


def test_kernels_of_a_custom_operator():
    @torch.library.custom_op("tests::elsewhere", mutates_args=(), device_types="cuda")
    def elsewhere(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    x = torch.ones(1)
    with pytest.raises(NotImplementedError, match="Could not run 'tests::elsewhere'"):
        elsewhere(x)
    torch.library.register_kernel("tests::elsewhere", "cpu", lambda x: x + 2)
    assert elsewhere(x).item() == 3
    with elsewhere.set_kernel_enabled("cpu", False):
        assert elsewhere(x).item() == 2
    torch.library.register_fake(torch.ops.tests.elsewhere.default)(lambda x: x.new_empty(7))
    assert elsewhere(x.to("meta")).shape == (7,)
    with pytest.raises(AttributeError, match="'nowhere'"):
        torch.library.register_kernel("tests::nowhere", "cpu", elsewhere)


def test_a_package_goes_on_without_its_library_of_operators(monkeypatch):
    """torchvision says what its operators do on "meta" whether their library was loaded or not."""
    monkeypatch.setattr(torch.ops, "left_out", [])
    with pytest.raises(RuntimeError, match="^operator tests::nms does not exist$"):
        torch.library.register_fake("tests::nms", len)
    with pytest.raises(OSError, match="no C"):
        torch.ops.load_library("_C.so")
    assert torch.library.register_fake("tests::nms", len) is len
    assert torch.library.register_fake("tests::nms")(len) is len
    with pytest.raises(AttributeError, match="'tests'"):
        torch.ops.tests.nms(torch.ones(1))


def test_results_of_a_custom_operator_in_a_list():
    @torch.library.custom_op("tests::each_twice", mutates_args=())
    def each_twice(xs: list[torch.Tensor]) -> list[torch.Tensor]:
        return [2 * x for x in xs]

    each_twice.register_autograd(lambda ctx, grads: [2 * g for g in grads])
    x, y = torch.ones(2, requires_grad=True), torch.ones(3)
    first, second = each_twice([x, y])
    assert type(each_twice([x])) is type(each_twice([y])) is list
    assert torch.autograd.grad(first.sum() + second.sum(), x)[0].tolist() == [2, 2]
