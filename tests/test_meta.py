"""The device "meta": no memory, no numbers, and nothing of it on the CPU.

What PyTorch says of such tensors, line by line, is in data/meta_expressions.txt.
"""

from __future__ import annotations

import io
import resource
import sys
import threading

import pytest

import retrograd as torch
from retrograd import nn
from retrograd.ops.meta import BY_HAND, DYNAMIC, _public
from retrograd.utils.checkpoint import checkpoint


@pytest.mark.skipif(sys.maxsize < 1 << 40, reason="more bytes than there are addresses")
def test_a_large_model_takes_no_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(100_000, 100_000), nn.LayerNorm(100_000))
        model.register_buffer("ones", torch.ones(1 << 34))
    assert sum(p.nbytes for p in model.parameters()) > 4e10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000     # KiB


def test_a_module_is_filled_by_its_state():
    source = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    with pytest.warns(UserWarning, match="which is a no-op"):
        model.load_state_dict(source.state_dict())
    assert all(p.is_meta for p in model.parameters())
    model.load_state_dict(source.state_dict(), assign=True)
    x = torch.randn(4, 2)
    assert torch.equal(model(x), source(x))
    assert all(p.requires_grad for p in model.parameters())


def test_to_empty_makes_new_parameters():
    model = nn.Linear(2, 3, device="meta")
    before = model.weight
    model.to_empty(device="cpu")
    assert before.is_meta and model.weight is not before and not model.weight.is_meta
    with torch.no_grad():
        model.weight.fill_(2)
    assert model.weight.sum().item() == 12


@pytest.mark.parametrize("weights_only", [True, False])
def test_files_keep_what_there_is(weights_only):
    file = io.BytesIO()
    torch.save({"w": torch.empty_strided((2, 3), (1, 2), dtype=torch.float64, device="meta")}, file)
    file.seek(0)
    w = torch.load(file, weights_only=weights_only)["w"]
    assert (w.device.type, w.shape, w.stride(), w.dtype) == ("meta", (2, 3), (1, 2), torch.float64)


@pytest.mark.parametrize("pick", [lambda x, i: x[i], lambda x, i: x[:, i],
                                  lambda x, i: torch.nn.functional.embedding(i, x)])
def test_a_backward_pass_through_indexing_on_meta(pick):
    x = torch.empty(2, 3, device="meta", requires_grad=True)
    pick(x, torch.zeros(4, dtype=torch.int64, device="meta")).sum().backward()
    assert x.grad.is_meta and x.grad.shape == (2, 3)


def test_hooks_of_saved_tensors_see_meta_tensors():
    x = torch.empty(2, 3, device="meta", requires_grad=True)
    seen = []

    def note(t):
        seen.append((t.device.type, tuple(t.shape)))
        return t

    with torch.autograd.graph.saved_tensors_hooks(note, note):
        y = (x * x).exp().mm(x.t())
        z = y.sigmoid_()
    z.sum().backward(retain_graph=True)
    g, = torch.autograd.grad(z.sum(), x, create_graph=True)
    assert x.grad.is_meta and x.grad.shape == g.shape == (2, 3)
    assert {kind for kind, _ in seen} == {"meta"} and seen.count(("meta", (2, 2))) == 3
    assert torch.autograd.grad(g.sum(), x)[0].is_meta


def test_transforms_on_meta():
    x = torch.empty(2, 3, device="meta")
    for transform, shape in ((torch.func.grad, (2, 3)), (torch.func.jacrev, (2, 3)),
                             (torch.func.jacfwd, (2, 3))):
        d = transform(lambda a: a.exp().sum())(x)
        assert d.is_meta and d.shape == shape
    rows = torch.vmap(lambda a: a * torch.ones(3, device=a.device) if a.is_meta else None)(x)
    assert rows.is_meta and rows.shape == (2, 3)
    assert torch.vmap(torch.func.grad(lambda a: (a * a).sum()))(x).is_meta
    x.requires_grad_()
    d, = torch.autograd.grad(x.exp(), x, torch.empty(4, 2, 3, device="meta"), is_grads_batched=True)
    assert d.is_meta and d.shape == (4, 2, 3)
    assert torch.autograd.functional.jacobian(torch.exp, x).shape == (2, 3, 2, 3)


def test_checkpoints_on_meta():
    layer = torch.nn.Linear(3, 3, device="meta")
    x = torch.empty(2, 3, device="meta")
    y = checkpoint(lambda x: torch.nn.functional.gelu(layer(x)), x, use_reentrant=False)
    y.sum().backward()
    assert layer.weight.grad.is_meta and layer.weight.grad.shape == (3, 3)


def test_a_backward_pass_gives_gradients_on_meta():
    w = torch.empty(2, 3, device="meta", requires_grad=True)
    loss = (w * 2).exp().sum() + (w @ w.t()).sum() + w.split(1)[0].sum() + w[:, 1:].prod()
    assert loss.grad_fn.next_functions[1][0].name() == "ProdBackward0"
    loss.backward()
    assert (w.grad.device.type, w.grad.shape, w.grad.stride()) == ("meta", (2, 3), (3, 1))
    g, = torch.autograd.grad((w * w).sum(), w, create_graph=True)
    assert g.device.type == "meta" and g.grad_fn is not None
    z = w * 1
    z[0] = 2
    z[:, 1].mul_(3)
    assert torch.autograd.grad(z.sum(), w)[0].device.type == "meta"
    with pytest.raises(TypeError, match="can't convert meta device type tensor to numpy"):
        w.grad.numpy()
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="expected device cpu but got meta"):
        y.backward(torch.ones(2, device="meta"))
    with pytest.raises(RuntimeError, match="expected device meta but got cpu"):
        (w * 2).backward(torch.ones(2, 3))


@pytest.mark.parametrize("make, shape", [
    (lambda: nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2)), (5, 4)),
    (lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                           nn.Conv2d(8, 4, 3, groups=2), nn.Flatten()), (2, 3, 16, 16)),
    (lambda: nn.Sequential(nn.ConvTranspose2d(4, 6, 3, 2, groups=2), nn.GroupNorm(2, 6)),
     (2, 4, 8, 8)),
    (lambda: nn.LSTM(3, 5, 2, bidirectional=True), (7, 2, 3)),
    (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8)),
])
def test_a_training_step_on_meta(make, shape):
    net = make().to("meta")
    optimizer = torch.optim.Adam(net.parameters())
    out = net(torch.empty(shape, device="meta"))
    out = out[0] if isinstance(out, tuple) else out
    there = make()(torch.randn(shape))
    there = there[0] if isinstance(there, tuple) else there
    assert (out.shape, out.stride()) == (there.shape, there.stride())
    out.sum().backward()
    for p in net.parameters():
        assert (p.grad.shape, p.grad.device.type) == (p.shape, "meta")
    optimizer.step()
    state = optimizer.state[next(net.parameters())]
    assert state["exp_avg"].device.type == "meta"


def test_tensors_larger_than_any_memory():
    x = torch.empty(2**20, 2**20, device="meta")
    y = (x + torch.empty(2**20, device="meta")).mul(2).exp().t() * x
    assert (y.shape, y.dtype) == ((2**20, 2**20), torch.float32)
    z = torch.empty(3, 2**18, 2**14, device="meta") @ torch.empty(2**14, 2**17, device="meta")
    assert z.shape == (3, 2**18, 2**17)
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        x + torch.empty(3, device="meta")
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        x @ torch.empty(3, 2, device="meta")


@pytest.mark.parametrize("size", [(2, 3, 4), (1, 3, 1), (4, 1, 2), (0, 3, 2), (5, 5, 5)])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_the_memory_order_of_elementwise_results(size, order):
    x, row = torch.ones(size).permute(order), torch.ones(size).permute(order)[:1]
    for f in (torch.add, torch.mul, lambda x, row: x.exp(), lambda x, row: row * x,
              lambda x, row: x.half() + x, lambda x, row: x.relu()):
        there, found = f(x, row), f(x.to("meta"), row.to("meta"))
        assert (found.shape, found.dtype) == (there.shape, there.dtype)
        steps = zip(there.shape, there.stride(), found.stride(), strict=True)
        assert all(a == b or n == 1 for n, a, b in steps) or not there.numel()


def test_the_context_is_the_thread_s_and_nests():
    seen = []
    with torch.device("meta"):
        other = threading.Thread(target=lambda: seen.append(torch.zeros(1).device.type))
        other.start()
        other.join()
        with torch.device("cpu"):
            seen.append(torch.zeros(1).device.type)
        seen.append(torch.zeros(1).device.type)
    seen.append(torch.zeros(1).device.type)
    assert seen == ["cpu", "cpu", "meta", "cpu"]


def test_a_default_device_leaves_computations_where_they_are():
    x = torch.ones(3, requires_grad=True)
    with torch.device("meta"):
        y = (x * 2).exp().cumsum(0)[1:].sum()
        y.backward()
    assert not y.is_meta and not x.grad.is_meta


READERS = {
    "equal": lambda m: m.equal(m),
    "unique": lambda m: m.unique(),
    "nonzero": lambda m: m.nonzero(),
    "masked_select": lambda m: m.masked_select(m > 0),
    "mask": lambda m: m[m > 0],
    "mask of another": lambda m: torch.ones(2, 3)[m > 0],
    "index of another": lambda m: torch.ones(2, 3)[m.long()],
    "bincount": lambda m: m.long().flatten().bincount(),
    "inverse": lambda m: torch.linalg.inv(m @ m.mT),
    "dlpack": lambda m: torch.from_dlpack(m),
}


@pytest.mark.parametrize("name", READERS)
def test_what_reads_numbers_is_refused(name):
    with pytest.raises((NotImplementedError, BufferError)):
        READERS[name](torch.empty(2, 3, device="meta"))


@pytest.mark.parametrize(("read", "size", "sentence"), [
    (bool, 2, "more than one value is ambiguous"), (bool, 0, "with no values is ambiguous"),
    (bool, 1, "item.* cannot be called on meta"), (float, 1, "item.* cannot be called on meta"),
    (torch.Tensor.item, 2, "a Tensor with 2 elements cannot"),
    (float, 2, "only one element tensors can be converted"),
    (lambda m: torch.zeros(3)[m[0].long()], 2, "item.* cannot be called on meta"),
    (lambda m: torch.allclose(m, m), 2, "item.* cannot be called on meta")])
def test_the_size_is_looked_at_before_the_device(read, size, sentence):
    with pytest.raises((RuntimeError, ValueError), match=sentence):
        read(torch.zeros(size, device="meta"))


def test_functions_by_hand_know_meta_tensors():
    torch.empty(0, device="meta")
    assert all(hasattr(_public(name), "__wrapped__") for name in (*BY_HAND, *DYNAMIC))
    assert torch.any(torch.tensor([True])).item()
    assert torch.any(torch.empty(2, dtype=torch.bool, device="meta")).is_meta
