"""torch.fx.replace_pattern, torch.cond, jit.fork and what libraries import from torch.utils."""

from __future__ import annotations

import copy
import gc
import math
import operator
import pickle
import typing
from math import sqrt

import pytest

import retrograd as torch
from retrograd import fx, nn
from retrograd.utils._device import DeviceContext, set_device
from retrograd.utils.module_tracker import ModuleTracker
from retrograd.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakTensorKeyDictionary


def targets(traced):
    return [getattr(n.target, "__name__", n.target) for n in traced.graph.nodes
            if n.op not in ("placeholder", "output")]


def test_patterns_are_replaced():
    traced = fx.symbolic_trace(
        lambda x, v, w: x + torch.cat([v, w]).sum() * torch.cat([v, w]).sum())
    found = fx.replace_pattern(traced, lambda a, b: torch.cat([a, b]).sum(),
                               lambda a, b: torch.dot(a, b))
    traced.graph.lint()
    assert all(match.nodes_map[match.anchor].target == "sum" for match in found)
    assert len(found) == 2 and targets(traced) == ["dot", "dot", "mul", "add"]
    v, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    assert traced(torch.ones(1), v, w).item() == 122


def test_a_result_is_the_beginning_of_the_next_part():
    traced = fx.symbolic_trace(lambda x: torch.sin(torch.sin(x)))
    fx.replace_pattern(traced, lambda a: torch.sin(a), lambda a: torch.cos(a) * 2)
    x = torch.tensor(0.3)
    assert torch.equal(traced(x), torch.cos(torch.cos(x) * 2) * 2)


@pytest.mark.parametrize("program, found, left", [
    (lambda x: torch.neg(torch.neg(torch.neg(x))), 1, ["abs", "neg"]),
    (lambda x: torch.neg(torch.neg(x)) + torch.neg(x), 1, ["abs", "neg", "add"]),
    (lambda x: (lambda y: torch.neg(y) + y)(torch.neg(x)), 0, ["neg", "neg", "add"]),
    (lambda x: torch.neg(torch.sin(x)), 0, ["sin", "neg"]),
], ids=["overlap", "beside", "used elsewhere", "another function"])
def test_what_counts_as_a_part(program, found, left):
    traced = fx.symbolic_trace(program)
    x = torch.tensor([-1.0, 2.0])
    matches = fx.replace_pattern(traced, lambda a: torch.neg(torch.neg(a)), lambda a: torch.abs(a))
    assert (len(matches), targets(traced)) == (found, left)
    traced(x)


def test_annotations_are_kept():
    scope: dict = {}
    program = """
from typing import *
class Own: pass
def f(x: int, y: Optional[str] = None, *a: int, l: List[Own] = [], t: Tuple[int, ...] = (),
      s: "Own | None" = None, u: list[int] | None = None, c: Callable[[int], Own] = None,
      n: None = None):
    return x
def g(x: Dict[str, Any]) -> Tuple[int, Any]:
    return x
"""
    exec(compile(program, "<program>", "exec", dont_inherit=True), scope)
    traced = fx.symbolic_trace(scope["f"])
    assert ", ".join(traced.code.splitlines()[3].split(", ")[1:]) == (
        "x : int, y : typing_Union[str,NoneType] = None, l : typing_List[Own] = [], "
        "t : typing_Tuple[int,_] = (), s : _Own_None_ = None, u : list[int]|NoneType = None, "
        "c : typing_Callable_int_Own_ = None, n = None, *a):")
    lines = str(traced.graph).splitlines()
    assert lines[2] == ("    %y : typing.Optional[str] [num_users=0] = "
                        "placeholder[target=y](default=None)")
    traced = fx.symbolic_trace(scope["g"])
    assert traced.code.strip() == ("def forward(self, x : typing_Dict[str,typing_Any]) -> "
                                   "typing_Tuple[int,typing_Any]:\n    return x")
    assert traced.forward.__annotations__["return"] == typing.Tuple[int, typing.Any]  # noqa: UP006
    assert copy.deepcopy(traced).code == traced.code


@fx.wrap
def kept_whole(x):
    return x + 1


fx.wrap("len")


def test_what_is_wrapped_stays_so_in_generated_code():
    traced = fx.symbolic_trace(lambda x: kept_whole(x) * len(x))
    again = fx.symbolic_trace(traced)
    assert targets(traced) == targets(again) == ["kept_whole", "len", "mul"]
    assert torch.equal(again(torch.ones(2)), torch.full((2,), 4.0)) and len([1]) == 1


def test_numbers_are_not_symbolic():
    sym = torch.SymInt, torch.SymFloat, torch.SymBool
    assert torch.types.py_sym_types == sym
    assert not isinstance(2, sym) and not isinstance(2.0, sym) and not isinstance(True, sym)


def test_modules_come_with_the_replacement():
    class Two(nn.Module):
        def __init__(self, name, layer):
            super().__init__()
            self.name = name
            self.add_module(name, layer)

        def forward(self, x):
            return getattr(self, self.name)(x)

    traced = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    new = nn.Linear(2, 3)
    found = fx.replace_pattern(traced, fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2))),
                               Two("wide", new))
    assert len(found) == 1 and traced.wide is new
    assert [name for name, _ in traced.named_children()] == ["1", "wide"]
    assert traced(torch.ones(1, 2)).shape == (1, 3)


class Kept(nn.ReLU):
    _is_impure = True


class OfItsShape(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 2))
        self.on = nn.Buffer(torch.ones(2))

    def forward(self, x):
        if self.on.sum() > 0 and self.weight.shape[0] == self.weight.size()[0] == 3:
            return x @ self.weight + self.weight.dim() + self.on * self.weight.numel()
        return x


def test_dead_code_with_effects_stays():
    class Effects(nn.Module):
        def __init__(self):
            super().__init__()
            self.kept, self.dropped = Kept(), nn.ReLU()

        def forward(self, x):
            self.kept(x), self.dropped(x), torch.relu(x)
            torch._assert(x.dim() == 1, "one dimension")
            torch.rand_like(x)
            return x * 2

    class Whole(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return isinstance(m, nn.ReLU)

    net = Effects()
    traced = fx.GraphModule(net, Whole().trace(net))
    assert traced.graph.eliminate_dead_code()
    assert targets(traced) == ["kept", "dim", "eq", "_assert", "rand_like", "mul"]


def test_functions_with_effects_are_the_programs_to_name():
    def note(x):
        return x

    traced = fx.symbolic_trace(lambda x: x * 2)
    node = next(iter(traced.graph.nodes))
    with traced.graph.inserting_after(node):
        traced.graph.call_function(fx.has_side_effect(note), (node,))
    assert not traced.graph.eliminate_dead_code()


def test_programs_may_branch_on_shapes_of_parameters_and_on_buffers():
    net, x = OfItsShape(), torch.ones(1, 3)
    with pytest.raises(fx.proxy.TraceError):
        fx.Tracer().trace(net)
    traced = fx.GraphModule(net, fx.Tracer(param_shapes_constant=True).trace(net))
    assert targets(traced) == ["weight", "matmul", "add", "_tensor_constant0", "add"]
    assert torch.equal(traced(x), net(x))


def test_functions_of_math_are_recorded_whole():
    traced = fx.symbolic_trace(lambda x: math.sqrt(x) + sqrt(x))
    assert targets(traced) == ["sqrt", "sqrt", "add"]
    assert traced(4.0) == 4 and math.sqrt(4.0) == 2


def test_arguments_of_nodes_cannot_be_changed():
    from retrograd.fx.immutable_collections import immutable_dict, immutable_list
    values = immutable_list([1, 2])
    with pytest.raises(TypeError, match="'immutable_list' object does not support mutation"):
        values.append(3)
    with pytest.raises(TypeError, match="'immutable_dict' object does not support mutation"):
        immutable_dict(a=1)["a"] = 2
    assert values == [1, 2] and hash(values) == hash(immutable_list([1, 2]))


def test_cond_runs_one_function():
    x = torch.ones(2, requires_grad=True)
    assert torch.cond(x.sum() > 1, torch.sin, torch.cos, (x,)).grad_fn.name() == "SinBackward0"
    assert torch.cond(False, torch.sin, torch.cos, (x,)).grad_fn.name() == "CosBackward0"
    with pytest.raises(RuntimeError, match="Expected pred to be bool or single-element tensor"):
        torch.cond(x > 0, torch.sin, torch.cos, (x,))


def test_fork_and_wait():
    assert torch.jit.wait(torch.jit.fork(lambda a, b: a - b, 3, b=1)) == 2
    with pytest.raises(ZeroDivisionError):
        torch.jit.fork(lambda: 1 / 0)


def test_the_tracker_knows_the_modules_forward_and_backward():
    tracker, seen = ModuleTracker(), []

    class Spy(nn.Module):
        def forward(self, x):
            seen.append((sorted(tracker.parents), tracker.is_bw))
            y = x * 1
            y.register_hook(lambda g: seen.append((sorted(tracker.parents), tracker.is_bw)))
            return y * 1

    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(Spy()))
    with tracker:
        model(torch.ones(1, 2, requires_grad=True)).sum().backward()
    inside = ["Global", "Sequential", "Sequential.1", "Sequential.1.0"]
    assert seen == [(inside, False), (inside, True)]
    assert tracker.parents == {"Global"}


@pytest.mark.parametrize("kind", [WeakTensorKeyDictionary, WeakIdKeyDictionary])
def test_weak_dictionaries_go_by_identity(kind):
    known, kept, gone = kind(), torch.ones(2), torch.ones(2)
    known[kept], known[gone] = 1, 2
    ref = TensorWeakRef(gone)
    assert len(known) == 2 and known[gone] == 2 and torch.ones(2) not in known and ref() is gone
    gc.disable()
    try:
        del gone
        assert len(known) == 1 and ref() is None
    finally:
        gc.enable()
    assert [key is kept for key in known] == [True] and known.pop(kept) == 1 and not known


def test_weak_dictionaries_are_joined_and_copied():
    a, b, c = torch.ones(1), torch.ones(1), torch.ones(1)
    first, second = WeakIdKeyDictionary({a: 1, b: [2]}), WeakIdKeyDictionary({b: 3, c: 4})
    assert first | second == WeakIdKeyDictionary([(a, 1), (b, 3), (c, 4)])
    assert {c: 5} | first == WeakIdKeyDictionary([(a, 1), (b, [2]), (c, 5)])
    assert first != second and first != 3
    deep = copy.deepcopy(first)
    deep[b].append(6)
    assert first[b] == [2] and all(map(operator.is_, deep, (a, b)))
    first |= {a: 7}
    assert first[a] == 7


def test_tensors_are_swapped():
    a, b = torch.ones(2), nn.Parameter(torch.zeros(3))
    a.note = 1
    torch.utils.swap_tensors(a, b)
    assert type(a) is nn.Parameter and a.shape == (3,) and a.requires_grad
    assert type(b) is torch.Tensor and b.tolist() == [1, 1] and b.note == 1
    (a * 2).sum().backward()
    assert a.grad.tolist() == [2, 2, 2] and b.grad is None


def test_swapping_under_a_graph_is_noticed():
    w, x, other = torch.ones(2, requires_grad=True), torch.ones(2), torch.zeros(2)
    y = (w * x).sum()
    with pytest.raises(RuntimeError, match="a recorded graph leads to it"):
        torch.utils.swap_tensors(w, other)
    torch.utils.swap_tensors(x, other)
    with pytest.warns(torch.autograd.WrongGradientWarning, match="was changed through .data"):
        y.backward()


def test_devices_as_decorators():
    assert set_device("meta")(lambda: torch.zeros(1).device.type)() == "meta"
    kinds = set_device("meta")(lambda: (yield torch.zeros(1).device.type))
    assert list(kinds()) == ["meta"] and torch.zeros(1).device.type == "cpu"
    with DeviceContext("meta"):
        assert torch.zeros(1).is_meta
    assert not torch.zeros(1).is_meta


def test_functional_call_hands_back_what_forward_assigned():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            self.count = self.count + 1
            return x + self.count

    model, given = Counter(), {"count": torch.tensor([2.0])}
    assert torch.func.functional_call(model, given, torch.ones(1)).item() == 4
    assert given["count"].item() == 3 and model.count.item() == 0


def test_results_written_into_out_come_under_their_own_name():
    values, places = torch.empty(2), torch.empty(2, dtype=torch.int64)
    found = torch.max(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), 0, out=(values, places))
    assert found.values is values and type(found) is torch.return_types.max_out
    assert repr(found).startswith("torch.return_types.max_out(\nvalues=tensor([7., 5.])")
    copied = pickle.loads(pickle.dumps(found))
    assert type(copied) is type(found) and copied.indices.tolist() == [1, 0]
    with pytest.raises(AttributeError, match="histogramdd_out"):
        torch.return_types.histogramdd_out  # noqa: B018


@pytest.mark.live
def test_named_results_are_those_of_pytorch():
    real = pytest.importorskip("torch").return_types
    theirs = {name for name, t in vars(real).items()
              if hasattr(t, "n_fields") and not name.startswith("_")}
    assert {name for name in theirs if not hasattr(torch.return_types, name)} == set()
