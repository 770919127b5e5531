"""__torch_function__: subclasses, foreign classes, modes, and what libraries ask about it."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
import threading
import weakref

import pytest

import retrograd as torch
from comparing import load
from retrograd import overrides
from subclass_cases import RUNS

RECORDED = load("subclasses.json")
CASES = [(kind, code) for kind, (_, codes) in RUNS.items() for code in codes]


class Refuses:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Answers:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, types, args, kwargs


def public(*args, **kwargs):
    if overrides.has_torch_function(args):
        return overrides.handle_torch_function(public, args, *args, **kwargs)
    return "plain"


def test_who_is_tensor_like():
    assert overrides.is_tensor_like(torch.ones(1))
    assert overrides.is_tensor_like(Answers())
    assert not overrides.is_tensor_like(1.0)


def test_plain_tensors_override_nothing():
    assert not overrides.has_torch_function((torch.ones(1), torch.nn.Parameter(torch.ones(1)), 3))
    assert overrides.has_torch_function((torch.ones(1), Answers()))
    assert public(torch.ones(1), 2) == "plain"


def test_the_protocol_is_called_in_order():
    refuses, answers = Refuses(), Answers()
    name, types, args, kwargs = public(refuses, answers, k=1)
    assert (name, types, args, kwargs) == (
        "public",
        (Refuses, Answers),
        (refuses, answers),
        {"k": 1},
    )
    with pytest.raises(TypeError, match="no implementation found for '.*public' on types that"):
        public(refuses)


def test_wrapped_functions_ask_the_protocol():
    @overrides.wrap_torch_function(lambda a: (a,))
    def twice(a):
        return a * 2

    assert twice(3) == 6
    assert twice(Answers())[0] == "twice"


@pytest.mark.parametrize(("kind", "code"), CASES)
def test_as_recorded(kind, code):
    assert RUNS[kind][0](torch, code) == RECORDED[kind][code]


@pytest.mark.live
def test_classes_are_asked_as_beside_pytorch():
    real = pytest.importorskip("torch")
    for kind, code in CASES:
        run = RUNS[kind][0]
        assert run(torch, code) == run(real, code), code


class Own(torch.Tensor):
    pass


def own(*numbers):
    return torch.tensor(numbers).as_subclass(Own)


def test_programs_without_subclasses_are_left_alone():
    """Neither parameters nor lazy modules make functions ask."""
    code = ("import retrograd as torch; code = torch.add.__code__;"
            "torch.nn.LazyLinear(2)(torch.nn.Linear(2, 2)(torch.ones(1, 2)));"
            "torch.distributions.Normal(0.0, 1.0).sample();"
            "from retrograd.nn.parameter import UninitializedTensorMixin as M; torch.sub;"
            "assert torch.add.__code__ is code and not hasattr(torch.add, '__wrapped__');"
            "torch.ones(1).as_subclass(type('Own', (torch.Tensor,), {}));"
            "assert torch.add.__code__ is not code and hasattr(torch.add, '__wrapped__')")
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("code", [
    "torch.mean(d)", "torch.cat([d])", "torch.add(d, 1)", "torch.ones(1) @ d", "d + torch.ones(1)",
    "torch.nn.functional.relu(d)", "torch.einsum('i->', d)"])
def test_a_foreign_class_is_asked_from_the_first_call_on(code):
    script = ("import retrograd as torch\n"
              "class Duck:\n"
              "    @classmethod\n"
              "    def __torch_function__(cls, func, types, args=(), kwargs=None): return 'asked'\n"
              "    __add__ = lambda self, other: torch.add(self, other)\n"
              f"d = Duck(); assert {code} == 'asked'")
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("code", [
    "torch.matmul(d, torch.ones(1))", "torch.mean(d)", "torch.sum(d, 0)", "torch.stack([d, d])",
    "torch.mm(torch.ones(1, 1), d)", "torch.max(d)", "torch.index_select(torch.ones(1), 0, d)",
    "torch.divide(1, d)", "torch.norm(d)", "torch.take(torch.ones(1), index=d)",
    "torch.resolve_conj(d)", "torch.is_conj(d)"])
def test_a_foreign_class_is_asked_by_functions_used_before_it_was_known(code):
    script = ("import retrograd as torch\n"
              "torch.matmul, torch.mean, torch.sum, torch.stack, torch.mm, torch.max, torch.ones\n"
              "torch.index_select, torch.divide, torch.norm, torch.take\n"
              "torch.resolve_conj, torch.is_conj\n"
              "class Duck:\n"
              "    @classmethod\n"
              "    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
              "        return func.__name__\n"
              f"d = Duck(); assert {code} == {code[6:].partition('(')[0]!r}")
    subprocess.run([sys.executable, "-c", script], check=True)


def test_functions_keep_their_names_signatures_and_identity():
    add, signature = torch.add, str(inspect.signature(torch.nansum))
    own(1.0)
    assert torch.add is add and add.__name__ == "add"
    assert str(inspect.signature(torch.nansum)) == signature


def test_gradients_flow_through_subclasses():
    x = own(1.0, 2.0).requires_grad_()
    (x.exp() * torch.tensor(2.0)).sum().backward()
    torch.testing.assert_close(x.grad, 2 * torch.tensor([1.0, 2.0]).exp())
    assert type(x.grad) is torch.Tensor


def test_graphs_of_subclasses_go_without_the_collector():
    gc.disable()
    try:
        x = own(1.0, 2.0).requires_grad_()
        y = x * 2
        gone = []
        weakref.finalize(y.grad_fn, gone.append, True)
        del y
        assert gone == [True]
    finally:
        gc.enable()


def test_writes_reach_the_original():
    base = torch.zeros(2)
    view = base.as_subclass(Own)
    view.add_(1)
    view[0] += 1
    assert base.tolist() == [2.0, 1.0] and base._version == view._version == 3


def test_a_changed_saved_value_is_named_where_it_was_changed():
    x = own(1.0, 2.0).requires_grad_()
    y = x.exp()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        y.sum().backward()
    assert "y.mul_(2)" in str(error.value)


@pytest.mark.parametrize("name, options", [
    ("LSTM", {"num_layers": 2}), ("GRU", {"bidirectional": True, "batch_first": True}),
    ("RNN", {}), ("LSTMCell", {}), ("GRUCell", {}), ("RNNCell", {"nonlinearity": "relu"})])
def test_recurrent_networks_are_functions_too(name, options):
    class Sees(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    def tensors(made):
        return [made] if isinstance(made, torch.Tensor) else [t for m in made for t in tensors(m)]

    seen = []
    net = getattr(torch.nn, name)(3, 2, **options)
    x = torch.rand((4, 3) if "Cell" in name else (4, 5, 3))
    plain, own_ones = tensors(net(x)), tensors(net(x.as_subclass(Own)))
    for one, other in zip(plain, own_ones, strict=True):
        assert type(other) is Own and torch.equal(one, other)
    with Sees():
        net(x)
    function = {"RNN": "rnn_tanh", "RNNCell": "rnn_relu_cell"}.get(
        name, name.lower().replace("cell", "_cell"))
    assert getattr(torch, function) in seen and torch.nn.functional.linear not in seen


def test_recurrent_networks_of_packed_sequences_keep_the_class():
    x = own(*map(float, range(8))).view(2, 4, 1)
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, [4, 2], True)
    output, hidden = torch.nn.GRU(1, 2)(packed)
    assert type(output.data) is type(hidden) is Own


def test_metadata_travels_by_an_override():
    class Tagged(torch.Tensor):
        tag = None

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            result = super().__torch_function__(func, types, args, kwargs or {})
            tags = [a.tag for a in args if isinstance(a, cls) and a.tag]
            if isinstance(result, cls) and tags:
                result.tag = tags[0]
            return result

    x = torch.ones(3).as_subclass(Tagged)
    x.tag = "metres"
    assert (torch.nn.functional.relu(x * 2)[:2].sum() / 3).tag == "metres"


def test_a_table_of_functions_for_a_foreign_class():
    handled = {}

    def implements(function):
        def register(own):
            handled[function] = own
            return own
        return register

    class Diagonal:
        def __init__(self, n, value):
            self.n, self.value = n, value

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func not in handled:
                return NotImplemented
            return handled[func](*args, **(kwargs or {}))

    @implements(torch.add)
    def add(a, b):
        return Diagonal(a.n, a.value + b.value)

    @implements(torch.mm)
    def mm(a, b):
        return b * a.value

    d = Diagonal(2, 3.0)
    assert torch.add(d, d).value == 6.0
    assert torch.equal(torch.mm(d, torch.ones(2, 2)), torch.full((2, 2), 3.0))
    with pytest.raises(TypeError, match="Multiple dispatch failed for 'torch.sub'"):
        torch.sub(d, d)


class Noting(overrides.TorchFunctionMode):
    def __init__(self):
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(func.__name__)
        return func(*args, **(kwargs or {}))


def test_modes_see_plain_tensors_and_nest():
    with Noting() as outer, Noting() as inner:
        (torch.ones(2) + 1).exp()
    assert inner.seen == ["ones", "add", "exp"] == outer.seen
    torch.ones(2)
    assert len(inner.seen) == 3


def test_a_mode_may_change_the_answer():
    class Twos(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            return result * 2 if func is torch.ones else result

    with Twos():
        assert torch.ones(1).item() == 2.0


def test_the_protocol_is_switched_off():
    x = own(1.0)
    with torch._C.DisableTorchFunctionSubclass():
        assert type(x * 2) is torch.Tensor
        assert not overrides.has_torch_function((x,))
    with Noting() as mode:
        with torch._C.DisableTorchFunctionSubclass():
            torch.exp(x)
        with torch._C.DisableTorchFunction():
            torch.exp(x)
    assert mode.seen == ["exp"]
    assert type(x * 2) is Own


def test_switches_are_the_threads_own():
    x, found = own(1.0), []
    with torch._C.DisableTorchFunctionSubclass():
        thread = threading.Thread(target=lambda: found.append(type(x * 2)))
        thread.start()
        thread.join()
    assert found == [Own]


def test_a_class_may_opt_out():
    class Quiet(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    assert type(torch.ones(1).as_subclass(Quiet) * 2) is torch.Tensor


def test_a_class_with_torch_dispatch_and_numbers_is_refused_where_one_is_made():
    class Watching(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    for make in (torch.ones(1).as_subclass, lambda cls: cls([1.0]),
                 lambda cls: torch.Tensor._make_subclass(cls, torch.ones(1))):
        with pytest.raises(NotImplementedError, match="^Watching.__torch_dispatch__: "):
            make(Watching)


def test_a_subclass_with_slots():
    class Slim(torch.Tensor):
        __slots__ = ("unit",)

    x = torch.ones(2, requires_grad=True).as_subclass(Slim)
    x.unit = "m"
    assert type(x * 2) is Slim and x.requires_grad


def test_a_subclass_called_with_a_tensor_is_a_view_of_it():
    x = torch.ones(2, requires_grad=True)
    view = Own(x)
    assert type(view) is Own and view._base is x and view.grad_fn.name() == "AliasBackward0"


def test_a_mode_that_declines_leaves_the_call_to_the_subclass():
    calls = []

    class Shy(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            calls.append(types)
            return NotImplemented if types else func(*args, **(kwargs or {}))

    with Shy():
        assert type(torch.neg(own(1.0))) is Own
    assert calls[-2:] == [(Own,), ()]


def test_a_function_of_the_program_is_not_asked_again_where_its_class_is_switched_off():
    class Declines(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(types)
            return NotImplemented if types else func(*args, **(kwargs or {}))

    class Sub(torch.Tensor):
        pass

    def double(x):
        if overrides.has_torch_function_unary(x):
            return overrides.handle_torch_function(double, (x,), x)
        return x * 2

    seen = []
    x = torch.ones(1).as_subclass(Sub)
    with Declines():
        assert type(double(x)) is Sub
    assert seen == [(Sub,), ()]


def test_what_can_be_overridden_is_listed_and_named():
    class Anything:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "asked"

    listed = overrides.get_overridable_functions()
    names = dict(vars(torch), torch=torch)
    for home in (torch, torch.nn.functional, torch.linalg, torch.Tensor):
        assert len(listed[home]) > 40
        for function in listed[home]:
            assert eval(overrides.resolve_name(function), names) == function
    assert torch.add in listed[torch] and torch.Tensor.shape.__get__ in listed[torch.Tensor]
    assert overrides.resolve_name(torch.nn.init.zeros_) == "torch.nn.init.zeros_"
    assert overrides.resolve_name(len) is None
    ignored = overrides.get_ignored_functions()
    assert torch.is_tensor in ignored and not ignored & set(listed[torch])
    standins = overrides.get_testing_overrides()
    assert set(standins) >= set(listed[torch]) and standins[torch.add](1, 2) == -1
    for function in (torch.exp, torch.nn.functional.relu, torch.linalg.inv):
        assert function(Anything()) == "asked"
    with pytest.raises(TypeError, match="too many positional arguments"):
        standins[torch.add](1, 2, 3, 4, 5)


def test_switches_are_told_and_undone():
    x = own(1.0)
    with torch._C.DisableTorchFunction():
        assert torch._C._is_torch_function_all_disabled()
        with overrides._enable_torch_function():
            assert type(x * 2) is Own
        assert type(x * 2) is torch.Tensor
    assert not torch._C._is_torch_function_all_disabled()
    with Noting() as mode:
        assert overrides._get_current_function_mode_stack() == [mode]


def test_misdeclared_handlers_are_told():
    class Plain:
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return 1

    with pytest.warns(UserWarning, match="as a plain method is deprecated"):
        assert torch.add(Plain(), 1) == 1
    with pytest.warns(DeprecationWarning, match="as a plain method is deprecated"):
        assert torch.nn.functional.relu(Plain()) == 1

    class Wrong(overrides.TorchFunctionMode):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return 1

    with pytest.raises(RuntimeError, match="as a classmethod is not supported"), Wrong():
        torch.ones(1)


@pytest.mark.live
def test_pytorchs_own_tensors_are_refused():
    real = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"must be Tensor, not Tensor of PyTorch \(retrograd.from"):
        torch.exp(real.ones(2))
    with pytest.raises(TypeError, match="unsupported operand"):
        torch.ones(2) + real.ones(2)
    with pytest.raises(TypeError, match="expected Tensor as element 0"):
        torch.cat([real.ones(2)])
    assert torch.from_dlpack(real.ones(2)).tolist() == [1.0, 1.0]


@pytest.mark.live
def test_pytorchs_own_functions_refuse_our_tensors():
    real = pytest.importorskip("torch")
    for call in (real.add, real.nn.functional.linear):
        with pytest.raises(TypeError, match="__torch_function__ handlers returned NotImplemented"):
            call(torch.ones(2, 2), torch.ones(2, 2))
    with pytest.raises(TypeError, match="no implementation found"):
        real.nn.functional.relu(torch.ones(2))


MAKING = ("torch.tensor([1])", "torch.as_tensor([1])", "torch.asarray([1])", "torch.zeros(2)",
          "torch.result_type(x, x)", "torch.rand(2)", "torch.arange(3)", "torch.nn.init.ones_(x)",
          "torch.nn.init.kaiming_uniform_(x[None])",
          "torch.sparse_coo_tensor(torch.zeros(1, 1), torch.ones(1), (2,))",
          "torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1))", "torch.full((2,), 1)")


def seen_by_a_mode(lib, modes, code):
    names = []

    class Names(modes.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    x = lib.ones(2)
    with Names():
        eval(code, {"torch": lib, "x": x})
    return [name for name in names if name != "_set_grad_enabled"]


@pytest.mark.live
@pytest.mark.parametrize("code", MAKING)
@pytest.mark.filterwarnings("ignore:Sparse")
def test_modes_see_how_tensors_are_made_as_in_pytorch(code):
    real = pytest.importorskip("torch")
    assert seen_by_a_mode(torch, overrides, code) == seen_by_a_mode(real, real.overrides, code)


def test_modes_see_how_tensors_are_made():
    for code in MAKING:
        assert seen_by_a_mode(torch, overrides, code), code
    assert seen_by_a_mode(torch, overrides, "torch.nn.Parameter(x)") == []
    assert seen_by_a_mode(torch, overrides, "torch.nn.init.uniform_(x)") == ["uniform_"]


def test_a_function_that_is_gone_hides_no_other_of_its_address():
    """A function is asked for its id, which the next one made may have."""
    from retrograd import _torch_function

    def make():
        return eval(compile("lambda x: x", _torch_function.__file__, "eval"))

    assert not any(_torch_function.asks(function) for function in [make() for _ in range(100)])
    for _ in range(100):
        _torch_function._enter("made", make())
    assert not any(_torch_function.asks(function) for function in [make() for _ in range(100)])


def test_a_mode_sees_attention_that_runs_at_once():
    """Where nothing is recorded or dropped, one step computes it, unless somebody looks."""
    names = []

    class Names(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    x, attention = torch.ones(1, 2, 4), torch.nn.MultiheadAttention(4, 2).eval()
    with torch.no_grad(), Names():
        attention(x, x, x, need_weights=False)
    assert "multi_head_attention_forward" in names


def test_a_function_that_is_passed_on_asks_nobody_itself():
    """What it calls asks again: torch.overrides.redispatch_function."""
    seen = []

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args, kwargs=None):
            seen.append(func.__name__)
            return torch.overrides.redispatch_function(func, types, args, kwargs)

    def scaled(a, b):
        if torch.overrides.has_torch_function((a, b)):
            return torch.overrides.handle_torch_function(scaled, (a, b), a, b)
        return a * b + 1

    a, b = (torch.tensor([x]).as_subclass(Own) for x in (3.0, 4.0))
    result = scaled(a, b)
    assert seen == ["scaled", "mul"] and type(result) is torch.Tensor and result.item() == 13
    assert a.shape == (1,) and seen[2:] == ["__get__"]
    with pytest.raises(TypeError):
        torch.overrides.redispatch_function(torch.add, (), (1,), None)
    assert torch.add(a, b).item() == 7 and seen[3:] == ["add"]       # nothing is left over


def test_a_mode_sees_what_a_function_that_is_passed_on_calls():
    class Own(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args, kwargs=None):
            seen.append(func.__name__)
            with self:
                return torch.overrides.redispatch_function(func, types, args, kwargs)

    seen = []
    with Own():
        torch.nn.functional.softmax(torch.ones(2), 0)
    assert seen == ["ones", "softmax", "softmax"]
