"""torch.library: operators of a program's own, with the arguments and gradients they declare."""

from __future__ import annotations

import warnings
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


def test_a_custom_operator_that_returns_what_it_writes_to():
    @torch.library.custom_op("tests::sin_", mutates_args={"x"}, tags=torch.Tag.inplace)
    def sin_(x: torch.Tensor) -> torch.Tensor:
        np.sin(x.numpy(), out=x.numpy())
        return x

    @torch.library.custom_op("tests::sin_out", mutates_args={"out"}, tags=(torch.Tag.out,))
    def sin_out(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
        np.sin(x.numpy(), out=out.numpy())
        return out

    x, out = torch.ones(2), torch.zeros(2)
    assert sin_(x) is x and x._version == 1
    assert sin_out(torch.ones(2), out=out) is out and out.equal(x) and out._version == 1
    assert str(sin_._opoverload._schema) == "tests::sin_(Tensor(a0!) x) -> Tensor(a0!)"
    assert str(sin_out._opoverload._schema) == (
        "tests::sin_out(Tensor x, *, Tensor(a1!) out) -> Tensor(a1!)")
    assert sin_._opoverload.tags == [torch.Tag.pt2_compliant_tag, torch.Tag.inplace]
    far = torch.empty(2, device="meta")
    assert sin_(far) is far and sin_out(far, out=far) is far
    with pytest.raises(RuntimeError, match=r"sin_out\(\): functions with out=... arguments don't"):
        sin_out(torch.ones(2, requires_grad=True), out=out)
    with pytest.raises(RuntimeError, match="Out variants do not support autograd"):
        sin_out.register_autograd(lambda ctx, g: g)
    with pytest.warns(UserWarning, match="tagged with torch.Tag.inplace already get an autogen"):
        sin_.register_fake(lambda x: x)


def test_what_is_tagged_as_returning_what_it_writes_to_must_do_so():
    def new(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    def to_out(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
        return x.clone()

    def nothing(x: torch.Tensor) -> None:
        pass

    inplace, out = torch.Tag.inplace, torch.Tag.out
    copied = torch.library.custom_op("tests::new_", new, mutates_args={"x"}, tags=inplace)
    with pytest.raises(RuntimeError, match="torch.Tag.inplace must return its first argument"):
        copied(torch.ones(2))
    copied = torch.library.custom_op("tests::to_out", to_out, mutates_args={"out"}, tags=out)
    with pytest.raises(RuntimeError, match="torch.Tag.out must return its mutable keyword-only"):
        copied(torch.ones(2), out=torch.ones(2))
    infer = torch.library.infer_schema
    for function, written, tags, message in [
            (nothing, {"x"}, inplace, "requires the return annotation to be torch.Tensor"),
            (new, (), inplace, r"exactly the first positional argument, got \(\)"),
            (new, {"x"}, out, "requires mutable arguments to be keyword-only"),
            (new, (), out, "requires at least one mutable keyword-only Tensor argument")]:
        with pytest.raises(ValueError, match=message):
            infer(function, mutates_args=written, tags=tags)
    with pytest.raises(AssertionError, match="mutually exclusive"):
        infer(new, mutates_args={"x"}, tags=[inplace, out])


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
        ((x, "a"), {}, "type 'str'.\nPosition: 1\nValue: 'a'\nDeclaration: tests::by_schema"),
        (("a",), {}, "Cast error details: Unable to cast a to Tensor"),
        ((x,), {"x": x}, "Argument 'x' specified both as positional and keyword argument"),
        ((x, 1, 2, 3, 4), {}, r"expected at most 4 argument\(s\) but received 5 argument\(s\)"),
        ((x, 1, 2), {}, r"takes 2 positional argument\(s\) but 3 was/were given"),
        ((), {}, "is missing value for argument 'x'"),
        ((x,), {"w": 1}, "Unknown keyword argument 'w' for operator 'tests::by_schema'"),
    ]:
        with pytest.raises(RuntimeError, match=said):
            scaled(*args, **options)
    with pytest.raises(ValueError, match="The schema suggests that the op mutates {'x'}"):
        torch.library.custom_op("tests::silent", lambda x: None, mutates_args=(),
                                schema="(Tensor(a!) x) -> ()")


def test_schemas_show_defaults_as_pytorch_prints_them():
    schema = ('(Tensor x, float a=1.0, float? b=1e-5, float c=0.5, int[] n=[1,2], str m="a") '
              "-> Tensor")
    shown = torch.library.custom_op("tests::defaults", lambda x, *rest: x, mutates_args=(),
                                    schema=schema)._opoverload._schema
    assert str(shown) == ('tests::defaults(Tensor x, float a=1., float? b=1.0000000000000001e-05, '
                          'float c=0.5, int[] n=[1, 2], str m="a") -> Tensor')


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


def outcome(call):
    """A result as text, or the kind of error and how its message begins."""
    try:
        return repr(call())
    except Exception as error:
        return type(error).__name__, str(error).partition(". ")[0].partition("\n")[0][:60]


def defined_step_by_step(torch, ns):
    """What torch.library says to a program that defines and calls operators, in order."""
    library, x = torch.library, torch.ones(2, requires_grad=True)
    lib, ops = library.Library(ns, "DEF"), getattr(torch.ops, ns)

    def below(x):
        with torch._C._AutoDispatchBelowAutograd():
            return ops.below(x)

    def gradient(y):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            (grad,) = torch.autograd.grad(y.sum(), x, allow_unused=True)
        return grad, [str(w.message).partition(". ")[0] for w in said if ns in str(w.message)]

    cube = f"{ns}::cube"
    steps = [
        lambda: library.Library(ns, "DEF"),
        lambda: library.Library(ns, "OTHER"),
        lambda: library.Library("prim", "DEF"),
        lambda: lib,
        lambda: lib.define("scale(Tensor x, float y=2.5, *, int[]? z=None) -> Tensor"),
        lambda: lib.define("scale(Tensor x) -> Tensor"),
        lambda: lib.define("scale.by(Tensor x, Tensor y) -> Tensor"),
        lambda: lib.define("elsewhere::scale(Tensor x) -> Tensor"),
        lambda: ops.scale(x),
        lambda: lib.impl("scale", lambda x, y=2.5, *, z=None: x * y, "CPU"),
        lambda: lib.impl("scale.by", lambda x, y: x + y),
        lambda: lib.impl("scale", lambda x: x, "CUDA"),
        lambda: (ops.scale(x), ops.scale.default(x, 3), ops.scale(x, x), ops.scale.by(x, x)),
        lambda: gradient(ops.scale(x)),
        lambda: ops.scale("a"),
        lambda: ops.scale.default("a"),
        lambda: ops.scale.default(),
        lambda: ops.scale.default(x, w=1),
        lambda: ops.scale.other,
        lambda: ops.other,
        lambda: (ops.scale.overloads(), ops.scale, ops.scale.by, ops.scale.by._schema),
        lambda: [(a.name, str(a.type), a.default_value, a.kwarg_only)
                 for a in ops.scale.default._schema.arguments],
        lambda: (lib.define("below(Tensor x) -> Tensor"), lib.impl("below", below, "Autograd"),
                 lib.impl("below", lambda x: x.sin(), "CPU"), ops.below(x)),
        lambda: (lib.define("grow(Tensor(a!) x) -> Tensor(a!)"),
                 lib.impl("grow", lambda x: x.add_(1), "CPU"), ops.grow(torch.zeros(1))),
        lambda: ops.grow.default._schema.is_mutable,
        lambda: library.register_autograd(f"{ns}::grow", lambda ctx, g: g),
        lambda: (lib.define("pair(Tensor x) -> (Tensor, int)"),
                 lib.impl("pair", lambda x: (x.detach() + 1, 3), "CPU"), gradient(ops.pair(x)[0])),
        lambda: library.define("cube", "(Tensor x) -> Tensor"),
        lambda: library.define(cube, "cube(Tensor x) -> Tensor"),
        lambda: library.define(cube, "(Tensor x) -> Tensor", lib=lib),
        lambda: library.impl(cube, "nowhere", lambda x: x, lib=lib),
        lambda: library.impl(cube, "cpu", lambda x: x ** 3, lib=lib),
        lambda: library.register_autograd(
            cube, lambda ctx, g: g * ctx.by, lib=lib,
            setup_context=lambda ctx, inputs, output: setattr(ctx, "by", 3 * inputs[0] ** 2)),
        lambda: (ops.cube(x), gradient(ops.cube(x))),
        lambda: ops.cube(torch.ones(2, device="meta")),
        lambda: library.register_fake(cube, torch.empty_like, lib=lib)(x.detach()).shape,
        lambda: ops.cube(torch.ones(2, device="meta")),
        lambda: library.register_fake(f"{ns}::nothing", torch.empty_like),
        lambda: library.register_vmap(
            cube, lambda info, in_dims, x: ((x ** 3).movedim(in_dims[0], 0), 0), lib=lib),
        lambda: torch.vmap(ops.cube, 1)(torch.arange(6.0).view(2, 3)),
        lambda: lib.impl("cube", lambda x: x, "CPU", allow_override=False),
    ]
    said = [outcome(step) for step in steps]
    lib._destroy()
    return [*said, outcome(lambda: ops.scale(x))]


@pytest.mark.live
def test_a_library_says_what_pytorch_says():
    real = pytest.importorskip("torch")
    ours, theirs = (defined_step_by_step(t, "tests_steps") for t in (torch, real))
    assert ours == theirs


def results_by_schema(torch, ns):
    """What calls of operators give that return all sorts of things as all sorts of types."""
    one, said = torch.ones(1), {}
    values = [None, 3, 2.5, True, "a", one, [], [one], (one, one * 2), (one, 3), [1], [None, one],
              ([one], one * 2), (1, 2.5)]
    for i, result in enumerate(["Tensor", "Tensor[]", "Tensor?[]", "(Tensor, Tensor)", "int",
                                "(Tensor[], Tensor)", "(Tensor, int)", "float", "bool", "Scalar",
                                "str", "int[]", "float[]", "bool[]", "()"]):
        for k, value in enumerate(values):
            op = torch.library.custom_op(f"{ns}::f{i}_{k}", lambda x, v=value: v, mutates_args=(),
                                         schema=f"(Tensor x) -> {result}")
            said[result, str(value)] = outcome(lambda op=op: op(torch.zeros(2)))
    return said


@pytest.mark.live
def test_results_are_pytorchs():
    real = pytest.importorskip("torch")
    ours, theirs = (results_by_schema(t, "tests_results") for t in (torch, real))
    assert ours == theirs


def test_results_are_what_the_schema_says():
    said = results_by_schema(torch, "tests_said")
    assert said["Tensor", "3"] == ("RuntimeError", "Unable to cast 3 to Tensor")
    assert said["float", "3"] == "3.0" and said["int", "tensor([1.])"] == "1"
    assert said["Tensor[]", "(tensor([1.]), tensor([2.]))"] == "[tensor([1.]), tensor([2.])]"
    assert said["()", "None"] == "None" and said["()", "3"][0] == "RuntimeError"


def test_any_namespace_can_be_asked_for_an_operator():
    assert not hasattr(torch.ops.tests_nobody, "nms")
    with pytest.raises(AttributeError, match="^'_OpNamespace' 'tests_nobody' object has no attr"):
        torch.ops.tests_nobody.nms(torch.ones(1))
    assert not hasattr(torch.ops, "__wrapped__")
    from retrograd.ops import declare
    assert declare.__name__ == "retrograd.ops.declare"


def test_a_default_text_stands_in_double_quotes():
    op = torch.library.custom_op("tests::quoted", lambda x, s="a": x + 1, mutates_args=(),
                                 schema="(Tensor x, str s='a') -> Tensor")
    schema = op._opoverload._schema
    assert str(schema) == 'tests::quoted(Tensor x, str s="a") -> Tensor'


def test_a_library_of_operators():
    said = defined_step_by_step(torch, "tests_defined")
    assert said[12] == ("(tensor([2.5000, 2.5000], grad_fn=<MulBackward0>), "
                        "tensor([3., 3.], grad_fn=<MulBackward0>), "
                        "tensor([2., 2.], grad_fn=<AddBackward0>), "
                        "tensor([2., 2.], grad_fn=<AddBackward0>))")
    assert "an autograd kernel was not registered to the Autograd key" in said[13]
    assert said[-1] == ("AttributeError",
                        "'_OpNamespace' 'tests_defined' object has no attribute 'scale'"[:60])


def test_a_library_ends_with_its_registrations():
    def temporary():
        lib = torch.library.Library("tests_temporary", "DEF")
        lib.define("one(Tensor x) -> Tensor")
        lib.impl("one", lambda x: x, "CPU")
        assert torch.ops.tests_temporary.one(torch.ones(1)).item() == 1

    temporary()
    temporary()
    assert not hasattr(torch.ops.tests_temporary, "one")


def test_what_a_library_cannot_do_is_refused():
    library = torch.library
    lib = library.Library("tests_refused", "FRAGMENT")
    f = library.custom_op("tests::for_check", torch.ops.aten.sin, mutates_args=(),
                          schema="(Tensor x) -> Tensor")
    for call, said in [
        (lambda: library.Library("aten", "IMPL"), "TorchDispatchMode"),
        (lambda: lib.impl("f", lambda x: x, "Functionalize"), "'Functionalize'"),
        (lambda: lib.impl("f", lambda x: x, "CPU", with_keyset=True), "with_keyset"),
        (lambda: library.opcheck(f, (torch.ones(1),), test_utils="test_aot_dispatch_static"),
         "test_aot_dispatch_static"),
    ]:
        with pytest.raises(NotImplementedError, match=said):
            call()


def test_an_operator_for_triton_is_a_custom_operator():
    @torch.library.triton_op("tests::for_triton", mutates_args={})
    def for_triton(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert for_triton(torch.ones(1)).item() == torch.ops.tests.for_triton(torch.ones(1)).item() == 2


def test_opcheck_finds_what_is_registered_wrongly():
    lib = torch.library.Library("tests_checked", "DEF")
    for schema, kernel, said in [
        ("writes(Tensor x) -> ()", lambda x: x.add_(1)[:0].tolist() or None, "mutated"),
        ("returns(Tensor x) -> Tensor", lambda x: x, "alias output"),
        ("records(Tensor x) -> Tensor", lambda x: x.sin(), "autograd kernel"),
    ]:
        name = lib.define(schema)
        lib.impl(name, kernel, "CPU")
        op = getattr(torch.ops.tests_checked, name).default
        x = torch.ones(2, requires_grad=name == "records")
        results = torch.library.opcheck(op, (x,), raise_exception=False)
        assert any(said in str(result) for result in results.values()), results
    x = torch.ones(2, requires_grad=True)
    torch.library.register_fake(op)(lambda x: x.new_empty(3))
    with pytest.raises(Exception, match=r"shape \(2,\)"):
        torch.library.opcheck(op, (x,), test_utils="test_faketensor")
    torch.library.register_fake(op)(torch.empty_like)
    torch.library.register_autograd(op, lambda ctx, g: g)
    assert set(torch.library.opcheck(op, (x,)).values()) == {"SUCCESS"}


def test_a_rule_for_a_mode():
    class Mode(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    lib = torch.library.Library("tests_ruled", "DEF")
    lib.define("nothing(Tensor x, float y) -> Tensor")
    torch.library.register_torch_dispatch(
        "tests_ruled::nothing", Mode, lambda mode, func, types, args, kwargs: args[0] + args[1])
    with Mode():
        assert torch.ops.tests_ruled.nothing(torch.ones(1), 2.0).item() == 3
    with pytest.raises(NotImplementedError, match="no kernel is registered"):
        torch.ops.tests_ruled.nothing(torch.ones(1), 2.0)


# --------------------------------------------------------------------------- autocast

def test_an_operator_gets_its_floats_in_a_dtype_of_its_own_under_autocast():
    """And autocast is off inside it; float64 and whole numbers stay as they are."""
    seen = []

    @torch.library.custom_op("tests::squared_for_autocast", mutates_args=())
    def squared(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        seen.append((x.dtype, n.dtype, torch.is_autocast_enabled("cpu")))
        return torch.mm(x, x)

    x, n = torch.ones(2, 2, requires_grad=True), torch.tensor(3)
    torch.library.register_autocast("tests::squared_for_autocast", "cpu", torch.float16)
    squared.register_autocast("cpu", torch.bfloat16)               # the first one counts
    squared.register_autograd(lambda ctx, g: (2 * g.float(), None))
    squared(x, n)
    with torch.autocast("cpu"):
        y = squared(x, n)
        squared(x.double(), n)
        assert torch.ops.tests.squared_for_autocast(x, n).dtype is torch.float16
        assert torch.is_autocast_enabled("cpu")
    assert [dtype for dtype, _, _ in seen] == [
        torch.float32, torch.float16, torch.float64, torch.float16]
    assert not any(on for *_, on in seen) and {n for _, n, _ in seen} == {torch.int64}
    y.sum().backward()
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [[2, 2], [2, 2]]


def test_an_operator_of_a_library_is_cast_too():
    library = torch.library.Library("tests_autocast", "FRAGMENT")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CPU")
    torch.library.register_autocast("tests_autocast::twice", "cpu", torch.float16)
    with torch.autocast("cpu"):
        assert torch.ops.tests_autocast.twice(torch.ones(2)).dtype is torch.float16


@pytest.mark.parametrize(("device", "message"), [
    ("meta", "^Device type 'meta' does not support autocast"), (3, "^Expected `device_type` of"),
])
def test_devices_without_autocast(device, message):
    @torch.library.custom_op("tests::never_cast", mutates_args=())
    def never_cast(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    with pytest.raises(ValueError, match=message):
        never_cast.register_autocast(device, torch.float16)
