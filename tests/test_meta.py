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


def test_the_graph_is_recorded_and_has_no_backward_pass():
    w = torch.empty(2, 3, device="meta", requires_grad=True)
    loss = (w * 2).exp().sum()
    assert loss.grad_fn.name() == "SumBackward0"
    assert loss.grad_fn.next_functions[0][0].name() == "ExpBackward0"
    with pytest.raises(NotImplementedError, match="a backward pass on the device 'meta'"):
        loss.backward()
    with pytest.raises(NotImplementedError, match="a backward pass on the device 'meta'"):
        torch.autograd.grad(loss, w)
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="expected device cpu but got meta"):
        y.backward(torch.ones(2, device="meta"))


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


def test_functions_by_hand_know_meta_tensors():
    torch.empty(0, device="meta")
    assert all(hasattr(_public(name), "__wrapped__") for name in (*BY_HAND, *DYNAMIC))
    assert torch.any(torch.tensor([True])).item()
    assert torch.any(torch.empty(2, dtype=torch.bool, device="meta")).is_meta
