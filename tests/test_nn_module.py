"""Module's own rules: registering, naming, hooks, state, copies, conversions."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
from collections import OrderedDict

import pytest

import retrograd as torch
from retrograd import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.shared = self.first
        self.norm = nn.BatchNorm1d(3)
        self.scale = nn.Parameter(torch.ones(3))
        self.register_buffer("seen", torch.zeros(()), persistent=False)

    def forward(self, x):
        return self.norm(self.first(x)) * self.scale


def test_importing_retrograd_leaves_nn_alone():
    code = "import sys, retrograd; print([m for m in sys.modules if m.startswith('retrograd.nn')])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_names_and_duplicates():
    net = Net()
    names = ["scale", "first.weight", "first.bias", "norm.weight", "norm.bias"]
    assert [name for name, _ in net.named_parameters()] == names
    every = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    assert every == [*names[:3], "shared.weight", "shared.bias", *names[3:]]
    assert [name for name, _ in net.named_modules()] == ["", "first", "norm"]
    assert [name for name, _ in net.named_children()] == ["first", "norm"]
    assert "seen" in dict(net.named_buffers()) and "seen" not in net.state_dict()


def test_assignment_moves_names_between_tables():
    m = nn.Module()
    m.x = 1
    m.x = nn.Parameter(torch.ones(1))
    assert "x" not in m.__dict__ and list(m._parameters) == ["x"]
    m.x = None
    assert m.x is None and list(m._parameters) == ["x"]
    del m.x
    m.x = nn.ReLU()
    m.x = nn.Parameter(torch.ones(1))
    assert not m._modules
    m.b = nn.Buffer(torch.ones(1), persistent=False)
    assert list(m.state_dict()) == ["x"]
    m.b = nn.Buffer(torch.ones(1))
    assert list(m.state_dict()) == ["x", "b"]
    assert {"x", "b"} <= set(dir(m))


def test_order_of_hooks():
    torch.manual_seed(0)
    module = nn.Linear(2, 2)
    calls = []

    def note(name):
        return lambda *args: calls.append(name)

    module_tools = nn.modules.module
    handles = [
        module.register_forward_hook(note("forward")),
        module.register_forward_hook(note("forward first"), prepend=True),
        module.register_forward_pre_hook(note("pre")),
        module.register_full_backward_pre_hook(note("backward pre")),
        module.register_full_backward_hook(note("backward")),
        module_tools.register_module_forward_pre_hook(note("global pre")),
        module_tools.register_module_forward_hook(note("global forward")),
        module_tools.register_module_full_backward_pre_hook(note("global backward pre")),
    ]
    try:
        module(torch.ones(1, 2, requires_grad=True)).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    assert calls == ["global pre", "pre", "global forward", "forward first", "forward",
                     "global backward pre", "backward pre", "backward"]
    calls.clear()
    module(torch.ones(1, 2)).sum().backward()
    assert calls == []


def test_hooks_may_replace_what_they_see():
    module = nn.Identity()
    module.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
    module.register_forward_hook(lambda m, args, kwargs, out: out + 1, with_kwargs=True)
    module.register_full_backward_pre_hook(lambda m, grads: (grads[0] * 3,))
    module.register_full_backward_hook(lambda m, grads_in, grads_out: (grads_in[0] + 1,))
    x = torch.ones(2, requires_grad=True)
    out = module(x)
    assert out.tolist() == [3.0, 3.0]
    out.sum().backward()
    assert x.grad.tolist() == [8.0, 8.0]      # (1 * 3 + 1) through the doubling


def test_always_called_hook_sees_an_exception():
    class Failing(nn.Module):
        def forward(self, x):
            raise KeyError("inside")

    module, seen = Failing(), []
    module.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
    with pytest.raises(KeyError, match="inside"):
        module(1)
    assert seen == [None]


def test_state_dict_round_trip_and_hooks():
    torch.manual_seed(0)
    net, other = Net(), Net()
    net(torch.randn(4, 2))
    assert str(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    for (name, a), (_, b) in zip(net.state_dict().items(), other.state_dict().items(), strict=True):
        assert a.equal(b), name
    net._register_state_dict_hook(lambda m, state, prefix, meta: OrderedDict(only=1))
    assert dict(net.state_dict()) == {"only": 1}
    keys = other.load_state_dict({"scale": torch.ones(3), "extra": 1}, strict=False)
    assert keys.unexpected_keys == ["extra"] and "first.weight" in keys.missing_keys


def test_load_by_assigning_keeps_the_given_tensors():
    net = nn.Linear(2, 1, bias=False)
    given = torch.ones(1, 2)
    net.load_state_dict({"weight": given}, assign=True)
    given.add_(1)
    assert net.weight.tolist() == [[2.0, 2.0]] and isinstance(net.weight, nn.Parameter)


def test_extra_state():
    class Counting(nn.Module):
        count = 0

        def get_extra_state(self):
            return self.count

        def set_extra_state(self, state):
            self.count = state

    first, second = Counting(), Counting()
    first.count = 3
    second.load_state_dict(first.state_dict())
    assert second.count == 3


def test_copies_are_apart_and_keep_sharing():
    net = Net()
    twin = copy.deepcopy(net)
    assert twin.shared is twin.first and twin.first.weight is not net.first.weight
    with torch.no_grad():
        twin.scale.add_(1)
    assert net.scale.tolist() == [1.0] * 3


def test_pickling():
    layer = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    again = pickle.load(io.BytesIO(pickle.dumps(layer)))
    assert repr(again) == repr(layer)
    assert again[0].weight.equal(layer[0].weight) and again[0].weight.requires_grad


def test_conversions_keep_parameters_the_same_objects():
    net = Net()
    weight, count = net.first.weight, net.norm.num_batches_tracked
    net.double()
    assert net.first.weight is weight and weight.dtype is torch.float64
    assert count.dtype is torch.int64
    net.to(torch.float32)
    assert net.scale.dtype is torch.float32
    net.first.weight.grad = torch.ones(3, 2)
    net.double()
    assert net.first.weight.grad.dtype is torch.float64


def test_zero_grad_modes_and_freezing():
    net = nn.Linear(2, 1)
    net(torch.ones(1, 2)).backward()
    net.zero_grad(set_to_none=False)
    assert net.weight.grad.tolist() == [[0.0, 0.0]]
    net.zero_grad()
    assert net.weight.grad is None
    assert not any(p.requires_grad for p in net.requires_grad_(False).parameters())
    assert not Net().eval().norm.training


def test_containers_act_as_lists_and_dicts():
    layers = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    assert repr(layers[1:]) == "Sequential(\n  (1): Tanh()\n  (2): Sigmoid()\n)"
    del layers[0]
    layers.append(nn.ELU()).insert(0, nn.GELU())
    assert [type(m).__name__ for m in layers] == ["GELU", "Tanh", "Sigmoid", "ELU"]
    assert len(layers * 2) == 8 and type((layers + layers)[-1]) is nn.ELU
    several = nn.ModuleDict({"b": nn.ReLU(), "a": nn.Tanh()})
    assert list(several) == ["b", "a"] and "a" in several
    kept = nn.ParameterList([torch.ones(1), 2])
    assert isinstance(kept[0], nn.Parameter) and kept[1] == 2
    table = nn.ParameterDict({"b": torch.ones(1), "a": torch.ones(1)})
    assert list(table.keys()) == ["a", "b"] and len(list(table.parameters())) == 2


def test_lazy_layers_take_shape_from_the_first_input():
    layer = nn.LazyLinear(3)
    assert repr(layer.weight) == "<UninitializedParameter>"
    assert layer(torch.ones(2, 5)).shape == (2, 3)
    assert type(layer) is nn.Linear and layer.weight.shape == (3, 5) and layer.in_features == 5


REFUSED = "^Attempted to use an uninitialized parameter in "


@pytest.mark.parametrize("use", [
    lambda w: w * 2, lambda w: torch.ones(2) + w, lambda w: torch.exp(w), lambda w: torch.cat([w]),
    lambda w: w.numel(), lambda w: len(w), lambda w: w.detach(), lambda w: nn.init.normal_(w),
    lambda w: nn.functional.relu(w)])
def test_nothing_is_computed_from_parameters_that_wait_for_their_shape(use):
    for waiting in (nn.LazyLinear(3).weight, nn.LazyBatchNorm1d().running_mean):
        with pytest.raises(ValueError, match=REFUSED):
            use(waiting)


def test_lazy_modules_are_converted_copied_and_loaded_while_they_wait():
    def made():
        return nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d(), nn.LazyLinear(2))
    net, other, third = made().double(), made(), made()
    assert copy.deepcopy(net[0]).weight.dtype == net[1].running_mean.dtype == torch.float64
    other.load_state_dict(net.state_dict())                      # nothing to load, as yet
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(4, 5, dtype=torch.float64)).sum().backward()
    optimizer.step()
    assert net[0].weight.shape == (3, 5) and net[1].running_var.dtype == torch.float64
    third.load_state_dict(net.state_dict())
    assert third[2].weight.tolist() == net[2].weight.float().tolist()
    assert other[0].has_uninitialized_params() and other[0].weight.dtype == torch.float32


def test_packed_sequences_give_what_each_sequence_gives_alone():
    torch.manual_seed(0)
    rnn = nn.LSTM(3, 4, num_layers=2, bidirectional=True)
    sequences = [torch.randn(n, 3) for n in (2, 5, 3)]
    packed = nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
    output, (h, c) = rnn(packed)
    for i, each in enumerate(nn.utils.rnn.unpack_sequence(output)):
        alone, (h1, c1) = rnn(sequences[i])
        assert torch.allclose(each, alone, atol=1e-6)
        assert torch.allclose(h[:, i], h1, atol=1e-6) and torch.allclose(c[:, i], c1, atol=1e-6)


@pytest.mark.parametrize("batch_first", (False, True))
@pytest.mark.parametrize("side", ("left", "right"))
@pytest.mark.parametrize("kind", ("plain", "recorded", "of other dtypes", "vectors"))
def test_pad_sequence(kind, side, batch_first):
    sequences = [torch.arange(1.0, 2 * n + 1).reshape(n, 2) for n in (2, 3, 1)]
    if kind == "recorded":
        sequences[1].requires_grad_()
    elif kind == "of other dtypes":
        sequences[1] = sequences[1].double()
    elif kind == "vectors":
        sequences = [s[:, 0] for s in sequences]
    out = nn.utils.rnn.pad_sequence(sequences, batch_first, -1.0, side)
    want = []
    for s in sequences:
        lack = (3 - len(s), 0) if side == "left" else (0, 3 - len(s))
        want.append(torch.nn.functional.pad(s, (0, 0) * (s.dim() - 1) + lack, value=-1.0).float())
    assert torch.equal(out, torch.stack(want, 0 if batch_first else 1))
    assert out.dtype == torch.float32 and out.requires_grad == (kind == "recorded")


def test_pad_sequence_of_other_sizes():
    with pytest.raises(RuntimeError, match=r"tensor a \(2\) must match the size of tensor b \(1\)"):
        nn.utils.rnn.pad_sequence([torch.ones(3, 2), torch.ones(3, 1)])
    assert [t.shape for t in torch.vmap(lambda x: nn.utils.rnn.pad_sequence([x, x[1:]]).unbind(1))(
        torch.ones(5, 3, 2))] == [(5, 3, 2)] * 2


def test_clipping():
    params = [nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(1))]
    params[0].grad, params[1].grad = torch.tensor([3.0, 0.0]), torch.tensor([4.0])
    assert nn.utils.clip_grad_norm_(params, 1.0).item() == 5.0
    assert torch.allclose(params[0].grad, torch.tensor([0.6, 0.0]))
    nn.utils.clip_grad_value_(params, 0.5)
    assert params[0].grad.tolist() == [0.5, 0.0]
    params[0].grad[0] = float("nan")
    with pytest.raises(RuntimeError, match="The total norm of order 2.0 for gradients"):
        nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
    with pytest.raises(RuntimeError, match=r"^Expected !nested_tensorlist\[0\].empty"):
        nn.utils.clip_grad_value_([nn.Parameter(torch.zeros(2))], 1.0)


def test_the_last_place_that_unpooling_cannot_fill_is_named():
    x = torch.ones(1, 1, 2)
    with pytest.raises(RuntimeError, match=r"invalid max index: 9 \(output volumes"):
        nn.functional.max_unpool2d(x[None], torch.tensor([[[[8, 9]]]]), 2)


@pytest.mark.parametrize("sizes", [[()], [(3,), ()], [(2500,), (120, 100), (1,)]])
@pytest.mark.parametrize("dtypes", [(torch.float32,), (torch.float64, torch.float32)])
def test_the_total_norm_is_that_of_the_operators(sizes, dtypes):
    tensors = [torch.randn(size, dtype=dtypes[k % len(dtypes)]) for k, size in enumerate(sizes)]
    found = nn.utils.get_total_norm(tensors)
    norms = [torch.linalg.vector_norm(t) for t in tensors]
    expected = torch.linalg.vector_norm(torch.stack(norms))
    assert found.dtype == expected.dtype and found.shape == ()
    assert found.item() == pytest.approx(expected.item(), 1e-6)
    huge = torch.tensor([1e30])                          # whose square is no float32 number
    assert nn.utils.get_total_norm([huge]).item() == huge.item()


def test_parametrization():
    class Symmetric(nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).mT

        def right_inverse(self, x):
            return x.triu()

    layer = nn.Linear(3, 3)
    parametrize = nn.utils.parametrize
    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert layer.weight.equal(layer.weight.mT)
    assert [name for name, _ in layer.named_parameters()] == [
        "bias", "parametrizations.weight.original"]
    layer.weight = torch.eye(3)
    assert layer.weight.tolist() == torch.eye(3).tolist()
    parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is nn.Linear and isinstance(layer.weight, nn.Parameter)


def test_pruning():
    layer = nn.Linear(2, 2, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, -4.0], [3.0, 2.0]]))
    nn.utils.prune.l1_unstructured(layer, "weight", amount=2)
    assert layer.weight.tolist() == [[0.0, -4.0], [3.0, 0.0]]
    assert list(layer.state_dict()) == ["weight_orig", "weight_mask"]
    nn.utils.prune.remove(layer, "weight")
    assert list(layer.state_dict()) == ["weight"] and not nn.utils.prune.is_pruned(layer)


def test_calls_without_hooks_go_straight_to_forward():
    class Plain(nn.Module):
        def forward(self, x):
            return sys._getframe(1).f_code.co_name, sys._getframe(2).f_code.co_name

    assert Plain()(1) == ("__call__", "test_calls_without_hooks_go_straight_to_forward")


def test_backends_answer_that_nothing_but_the_cpu_is_there():
    backends = torch.backends
    assert not backends.cudnn.is_available() and not backends.mps.is_available()
    assert not backends.cuda.is_built() and backends.cudnn.version() is None
    with backends.cudnn.flags(enabled=False, deterministic=True):
        assert backends.cudnn.deterministic and not backends.cudnn.enabled
    assert backends.cudnn.enabled and not backends.cudnn.deterministic
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        with backends.mkldnn.flags(speed=1):
            pass


def test_the_texts_of_containers_that_are_given_something_else():
    with pytest.raises(TypeError, match=r"^ParametersDict\.update should be called with an iterab"):
        nn.ParameterDict(3)
    with pytest.raises(TypeError, match=r"^ModuleDict\.update should be called with an iterable"):
        nn.ModuleDict(3)
    with pytest.raises(AssertionError, match="^Expected data to be a list or tuple of length 2$"):
        nn.utils.rnn.PackedSequence(torch.ones(3, 1))
