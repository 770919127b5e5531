"""__torch_dispatch__ of tensor classes: wrappers that compute every operator themselves."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import weakref
from importlib import import_module

import pytest

import retrograd


def classes(torch):
    """(Pair, Logging, names): two wrapper classes, and the operators that Logging was shown."""
    tree_map = import_module(f"{torch.__name__}.utils._pytree").tree_map
    names = []

    class Pair(torch.Tensor):
        """Two tensors of one shape, each computed on by itself."""

        @staticmethod
        def __new__(cls, a, b):
            return torch.Tensor._make_wrapper_subclass(
                cls, a.size(), strides=a.stride(), dtype=a.dtype, device=a.device,
                requires_grad=a.requires_grad)

        def __init__(self, a, b):
            self.a, self.b = a.detach(), b.detach()

        def __repr__(self):
            return f"Pair({self.a}, {self.b})"

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            first, second = (
                func(*tree_map(part, args), **tree_map(part, kwargs or {}))
                for part in (lambda x: x.a if isinstance(x, cls) else x,
                             lambda x: x.b if isinstance(x, cls) else x))
            if isinstance(first, torch.Tensor):
                return cls(first, second)
            if isinstance(first, (tuple, list)):
                return type(first)([cls(x, y) for x, y in zip(first, second, strict=True)])
            return first

    class Logging(torch.Tensor):
        """A tensor that notes the operators on it."""

        __slots__ = ("elem",)
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, elem):
            made = torch.Tensor._make_wrapper_subclass(
                cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(),
                dtype=elem.dtype, layout=elem.layout, device=elem.device,
                requires_grad=elem.requires_grad)
            made.elem = elem.detach()
            return made

        def __repr__(self):
            return f"Logging({self.elem})"

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            names.append(str(func))
            assert types == (cls,)
            plain = tree_map(lambda x: x.elem if isinstance(x, cls) else x, (args, kwargs or {}))
            return tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x,
                            func(*plain[0], **plain[1]))

    return Pair, Logging, names


Pair, Logging, NAMES = classes(retrograd)
NUMBERS = ([[1.5, -0.5, 2.0], [0.25, 3.0, -1.0]], [[0.5, 1.0, -2.0], [4.0, 0.75, 1.25]])

FUNCTIONS = {name: eval(f"lambda torch, x: {name}") for name in (
    "x + 1", "2 - x", "x * x", "x / (x * x + 1)", "x ** 3", "x.exp().log1p()", "x @ x.T", "x.sum()",
    "x.mean(1)", "x.view(3, 2)", "x.t()", "x[0]", "x[:, 1:]", "x.reshape(6).cumsum(0)",
    "torch.cat([x, x * 2])", "torch.stack([x, x])", "torch.where(x > 0, x, -x)", "x.max(1)[0]",
    "x.double() * 2", "x + torch.ones(3, dtype=torch.float64)", "x.split(1)[1]", "x.unbind(1)[2]",
    "torch.nn.functional.softmax(x, -1)", "torch.nn.functional.gelu(x)",
    "torch.nn.functional.linear(x, x)",
    "torch.nn.functional.mse_loss(x, torch.zeros(2, 3))", "torch.einsum('ij,kj->ik', x, x)",
    "x.clone().detach() * x", "torch.zeros_like(x) + x", "x.new_ones(3) * x",
    "torch.linalg.vector_norm(x)", "torch.var(x)", "x.clamp(0, 1)", "x.expand(2, 2, 3)",
    "torch.nn.functional.layer_norm(x, (3,))", "torch.nn.functional.group_norm(x, 3)",
    "torch.nn.functional.batch_norm(x, None, None, training=True)", "x.amax(1)")}


def numbers():
    return [retrograd.tensor(n, requires_grad=True) for n in NUMBERS]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_pair_is_computed_on_as_its_parts_are(name):
    a, b = numbers()
    x = Pair(a, b)
    results = [FUNCTIONS[name](retrograd, one) for one in (a, b)]
    y = FUNCTIONS[name](retrograd, x)
    assert type(y) is Pair and y.requires_grad and y.shape == results[0].shape
    assert y.dtype == results[0].dtype
    assert retrograd.equal(y.a, results[0]) and retrograd.equal(y.b, results[1])
    for result in (*results, y):
        (result * result).sum().backward()
    assert type(x.grad) is Pair
    retrograd.testing.assert_close((x.grad.a, x.grad.b), (a.grad, b.grad))


def test_gradients_of_plain_tensors_are_wrapped_and_add_up():
    a, b = numbers()
    p = retrograd.ones(3, requires_grad=True)
    for _ in range(2):
        (Pair(a, b) * p).sum().backward()
    assert type(p.grad) is Pair
    assert retrograd.equal(p.grad.b, 2 * b.detach().sum(0))


def test_gradients_for_a_dict_of_inputs():
    x, plain = retrograd.ones(2, requires_grad=True), retrograd.ones(2, requires_grad=True)
    pair = Pair(retrograd.ones(2), 2 * retrograd.ones(2))
    found = retrograd.autograd.grad((x * pair).sum() + plain.sum(), {"x": x, "plain": plain})
    assert list(found) == ["x", "plain"] and type(found["x"]) is Pair
    assert found["x"].b.tolist() == [2, 2]


def test_second_derivatives_and_hooks():
    a, b = numbers()
    x, seen = Pair(a, b), []
    x.register_hook(lambda g: seen.append(type(g)))
    (first,) = retrograd.autograd.grad((x ** 3).sum(), x, create_graph=True)
    (second,) = retrograd.autograd.grad(first.sum(), x)
    assert retrograd.equal(second.b, 6 * b.detach())
    assert seen == [Pair, Pair]


def test_parameters_and_copies():
    a, b = numbers()
    p = retrograd.nn.Parameter(Pair(a, b))
    assert isinstance(p, retrograd.nn.Parameter) and type(p) is Pair and p.is_leaf
    layer = retrograd.nn.Linear(3, 2)
    layer.weight = p
    layer(retrograd.ones(1, 3)).sum().backward()
    assert type(layer.weight.grad) is Pair
    assert retrograd.equal(copy.deepcopy(p).b, b)


def test_in_place():
    x = Pair(*numbers()).detach()
    version = x._version
    assert x.mul_(2) is x and x._version == version + 1
    assert x.b.tolist() == [[2 * n for n in row] for row in NUMBERS[1]]
    with pytest.raises(NotImplementedError, match="does not record writes to wrapper tensors"):
        Pair(*numbers()).mul(2).mul_(2)


def test_what_reads_numbers_is_refused():
    x = Pair(*numbers())
    x.sum().backward()
    with pytest.raises(NotImplementedError, match=r"Pair: a function reads the numbers"):
        x.prod().backward()
    with pytest.raises(RuntimeError, match=r"\.numpy\(\) is not supported for tensor subclasses\."):
        x.detach().numpy()
    with pytest.raises(RuntimeError, match=r"for tensor subclasses, got Pair"):
        x.tolist()


OPTIMIZERS = {"SGD": dict(momentum=0.9, weight_decay=0.1), "Adam": dict(amsgrad=True),
              "AdamW": {}, "RMSprop": dict(centered=True), "NAdam": {}, "Rprop": {}}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_update_what_a_wrapper_holds(name):
    def run(p):
        optimizer = getattr(retrograd.optim, name)([p], lr=0.1, **OPTIMIZERS[name])
        for _ in range(3):
            optimizer.zero_grad()
            (p * p + p).sum().backward()
            optimizer.step()
        return p

    pair = run(retrograd.nn.Parameter(Pair(*numbers()).detach()))
    for part, whole in zip((pair.a, pair.b), map(run, numbers()), strict=True):
        retrograd.testing.assert_close(part, whole.detach())


def test_a_class_may_call_its_tensor_data():
    """As the slot with the array is called here."""
    tree_map_only = retrograd.utils._pytree.tree_map_only

    class Inner(retrograd.Tensor):
        @staticmethod
        def __new__(cls, elem):
            made = retrograd.Tensor._make_wrapper_subclass(cls, elem.shape)
            made._data = elem
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            args, kwargs = tree_map_only(Inner, lambda x: x._data, (args, kwargs or {}))
            return cls(func(*args, **kwargs))

    a, _ = numbers()
    x = Inner(a.detach()).requires_grad_()
    assert x._data is not a and retrograd.equal(x._data, a)
    (x.exp() * 2).sum().backward()
    retrograd.testing.assert_close(x.grad._data, 2 * a.detach().exp())
    assert retrograd.equal(copy.deepcopy(x)._data, a)


def test_a_result_that_is_no_tensor():
    class Empty(retrograd.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return None

    with pytest.raises(RuntimeError, match=r"Unable to cast None to Tensor.*neg\.default"):
        -retrograd.Tensor._make_wrapper_subclass(Empty, (2,))


def test_wrapper_tensors_as_indices():
    class Index(retrograd.Tensor):
        @staticmethod
        def __new__(cls, numbers):
            made = retrograd.Tensor._make_wrapper_subclass(cls, numbers.shape, dtype=numbers.dtype)
            made.numbers = numbers
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return func(*retrograd.utils._pytree.tree_map_only(Index, lambda i: i.numbers, args))

    class Named(retrograd.Tensor):
        pass

    retrograd.ones(1).as_subclass(Named) + 1        # from here on functions ask classes
    a, _ = numbers()
    plain = retrograd.tensor([2, 0, 2])
    for read in (lambda i: a.t()[i], lambda i: a[:, i], lambda i: a[0, i], lambda i: a[None, 1, i],
                 lambda i: retrograd.index_select(a, 1, i)):
        x, y = read(Index(plain)), read(plain)
        assert type(x) is retrograd.Tensor and retrograd.equal(x, y)
        x, y = (retrograd.autograd.grad((t * t).sum(), a)[0] for t in (x, y))
        assert retrograd.equal(x, y)
    with pytest.raises(NotImplementedError, match="as an index"):
        retrograd.zeros(3)[Index(plain)] = 1.0
    with pytest.raises(NotImplementedError, match="a function reads the numbers"):
        a[:, Index(plain > 0)]


def test_classes_that_cannot_be():
    class Inner(retrograd.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    with pytest.raises(RuntimeError, match="must define __torch_dispatch__"):
        retrograd.Tensor._make_wrapper_subclass(type("Own", (retrograd.Tensor,), {}), (2,))
    with pytest.raises(NotImplementedError, match="_make_wrapper_subclass"):
        retrograd.ones(2).as_subclass(Inner)
    with pytest.raises(TypeError, match="all __torch_dispatch__ handlers returned NotImplemented"):
        retrograd.Tensor._make_wrapper_subclass(Inner, (2,)) + 1


def test_a_graph_of_wrapper_tensors_goes_without_the_collector():
    gc.disable()
    try:
        x = Pair(*numbers())
        y = (x.exp() * x).sum()
        seen = weakref.ref(x), weakref.ref(y.grad_fn)
        y.backward()
        del x, y
        assert [ref() for ref in seen] == [None, None]
    finally:
        gc.enable()


SHOWN = ("x * 2", "x * x", "x.exp()", "x @ x.T", "x.sum()", "x.sum(0)", "torch.cat([x, x])", "x[0]",
         "x.detach()", "torch.zeros_like(x)", "x.detach().add_(1)", "x.sum().item()", "x.double()",
         "torch.autograd.grad((x * x).sum(), x)", "torch.nn.functional.relu(x)", "x.clone()",
         "torch.nn.Parameter(x.detach())", "x > 0", "x.ge(1)", "2 == x", "x < x",
         "bool(x.sum() > 0)", "float(x.detach().sum())", "int(x.detach().sum())",
         "x.detach().__setitem__((0, 0), 5.)", "x.detach().copy_(x.detach())", "(x > 0).any()",
         "(x > 0).all(1)", "torch.equal(x, x)", "x.detach().nonzero()")


def shown(torch, code):
    """The result of `code` on a Logging tensor, and the operators that it was shown."""
    _, cls, names = classes(torch)
    x = cls(torch.tensor(NUMBERS[0], requires_grad=True))
    result = repr(eval(code, {"torch": torch, "x": x}))
    return result, [name for name in names if name != "aten.detach.default"]


@pytest.mark.live
@pytest.mark.parametrize("code", SHOWN)
def test_a_class_is_shown_what_pytorch_shows(code):
    real = pytest.importorskip("torch")
    assert shown(retrograd, code) == shown(real, code)


def test_a_class_with_slots_is_shown_operators():
    result, names = shown(retrograd, "torch.autograd.grad((x * x).sum(), x)[0]")
    assert result.startswith("Logging(tensor([[ 3.0000, -1.0000,  4.0000]")
    assert names == ["aten.mul.Tensor", "aten.sum.default", "aten.ones_like.default",
                     "aten.expand.default", "aten.mul.Tensor", "aten.mul.Tensor", "aten.add.Tensor"]


ARGUMENTS = (
    "x.sum(0)", "x.sum()", "x.mean(1, keepdim=True)", "x.double()", "x[0]", "x[i]", "x[:, i]",
    "torch.index_select(x, 0, i)", "torch.gather(x, 0, i[None])", "torch.cat([x, x])",
    "torch.cat([x, x], 1)", "torch.stack([x, x])", "x.expand(4, 2, 3)", "x.permute(1, 0)",
    "x.t()", "2 ** x", "x ** 2", "torch.add(x, x, alpha=2)",
    "x.clamp(min=0)", "x.var(0)", "x.amax(0)", "x.max(0)", "x.sort(0)", "x.tril()", "x.cumsum(0)",
    "x.scatter(0, i[None], 1.0)", "x.index_add(0, i, x)", "x.diagonal()", "x.unfold(0, 1, 1)",
    "F.gelu(x)", "F.embedding(i, x)", "F.layer_norm(x, (3,))", "F.mse_loss(x, x)", "x.roll(1, 0)",
    "x.masked_fill(x > 0, 0)", "torch.addcmul(x, x, x, value=2)", "x.to(torch.int32)",
    "F.leaky_relu(x)", "x.prod(0)", "x.logsumexp(0)", "x.narrow(0, 0, 1)", "x.add_(1, alpha=2)")


def called(torch, code):
    """(how a mode is shown each operator, the result) where the mode calls it as it was shown."""
    dispatch = import_module(f"{torch.__name__}.utils._python_dispatch")
    seen = []

    def text(a):
        if isinstance(a, torch.Tensor):
            return f"{a.dtype}{list(a.shape)}"
        return f"[{', '.join(map(text, a))}]" if isinstance(a, (list, tuple)) else repr(a)

    class Mode(dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            named = {k: text(v) for k, v in sorted((kwargs or {}).items())}
            seen.append(f"{func}{[*map(text, args)]}{named}")
            return func(*args, **(kwargs or {}))

    scope = {"torch": torch, "F": torch.nn.functional, "x": torch.tensor(NUMBERS[0]),
             "i": torch.tensor([0, 1])}
    with Mode():
        result = eval(code, scope)
    return seen, result[0] if isinstance(result, tuple) else result


@pytest.mark.live
@pytest.mark.parametrize("code", ARGUMENTS)
def test_arguments_are_shown_in_pytorchs_form(code):
    real = pytest.importorskip("torch")
    (ours, result), (theirs, expected) = called(retrograd, code), called(real, code)
    assert ours == theirs
    assert result.tolist() == pytest.approx(expected.tolist(), rel=1e-6, nan_ok=True) \
        if result.ndim < 2 else result.shape == expected.shape


@pytest.mark.parametrize("code", ARGUMENTS)
def test_arguments_are_taken_back_as_they_were_shown(code):
    scope = {"torch": retrograd, "F": retrograd.nn.functional, "i": retrograd.tensor([0, 1]),
             "x": retrograd.tensor(NUMBERS[0])}
    expected = eval(code, scope)
    retrograd.testing.assert_close(called(retrograd, code)[1],
                                   expected[0] if isinstance(expected, tuple) else expected)


def test_a_mode_sees_operators_before_the_classes_do():
    dispatch = retrograd.utils._python_dispatch
    seen = []

    class Mode(dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), types))
            return func(*args, **(kwargs or {}))

    x = Pair(*numbers())
    with Mode():
        y = x + 1
    assert type(y) is Pair and seen == [("aten.add.Tensor", (Pair,))]
    assert dispatch._get_current_dispatch_mode_stack() == []


class Held(retrograd.Tensor):
    """A wrapper that prints and pickles as Tensor does."""

    @staticmethod
    def __new__(cls, held):
        return retrograd.Tensor._make_wrapper_subclass(
            cls, held.shape, dtype=held.dtype, requires_grad=True)

    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return super().__repr__(tensor_contents=f"held={self.held}")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def test_wrapper_tensors_print_the_contents_that_their_class_hands_over():
    held = retrograd.ones(2)
    assert repr(Held(held)) == f"Held(held={held}, requires_grad=True)"


def test_wrapper_tensors_are_copied_pickled_and_saved():
    x, file = Held(retrograd.arange(3.0)), io.BytesIO()
    x.note = "n"
    assert copy.copy(x).held is x.held
    retrograd.save(x, file)
    file.seek(0)
    with retrograd.serialization.safe_globals([Held]):
        found = [copy.copy(x), pickle.loads(pickle.dumps(x)), retrograd.load(file)]
    for y in found:
        assert (type(y), repr(y), y.note, y.shape) == (Held, repr(x), "n", x.shape)
