"""Settings, compiling, scripting and mixed precision: accepted, with PyTorch's answers."""

from __future__ import annotations

import copy
import os
import pickle
import platform
import subprocess
import sys
import warnings

import pytest

import retrograd as torch
from retrograd import nn


def test_the_number_of_threads_is_kept_and_checked():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        assert torch.get_num_threads() == 1
        a = torch.ones(64, 64)
        assert (a @ a)[0, 0].item() == 64.0
        with pytest.raises(RuntimeError, match="set_num_threads expects a positive integer"):
            torch.set_num_threads(0)
        for number, word in (1 << 31, "long"), (1 << 63, "long long"), (-1 << 65, "long long"):
            for function in torch.set_num_threads, torch.set_num_interop_threads:
                with pytest.raises(ValueError, match=f"Overflow when unpacking {word}$"):
                    function(number)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_determinism_and_precision():
    torch.use_deterministic_algorithms(True, warn_only=True)
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.get_deterministic_debug_mode() == 1
    torch.set_deterministic_debug_mode("default")
    assert not torch.are_deterministic_algorithms_enabled()
    with pytest.warns(UserWarning, match="x is not one of 'highest'"):
        torch.set_float32_matmul_precision("x")
    assert torch.get_float32_matmul_precision() == "highest"
    assert torch.get_default_device() == torch.device("cpu")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex64, torch.int16,
                                   torch.uint8, torch.bool], ids=str)
def test_deterministic_algorithms_fill_new_memory(dtype, monkeypatch):
    """By nan, or by the largest integer; numbers that were there stay."""
    one, old = torch.ones(2, dtype=dtype), torch.zeros(3, dtype=dtype)
    torch.use_deterministic_algorithms(True)
    try:
        made = [torch.empty(2, dtype=dtype), torch.empty_like(one), one.new_empty(2),
                torch.empty_strided((2,), (3,), dtype=dtype),
                torch.empty_permuted((1, 2), (1, 0), dtype=dtype),
                torch.empty(2, out=torch.zeros(0, dtype=dtype)), one.new(2)]
        old.resize_(5)
        made.append(old[3:])
        monkeypatch.setattr(torch.utils.deterministic, "fill_uninitialized_memory", False)
        assert torch.zeros(3, dtype=dtype).resize_(2).tolist() == [0, 0]
        torch.empty(2, dtype=dtype)
    finally:
        torch.use_deterministic_algorithms(False)
    assert old[:3].tolist() == [0, 0, 0]
    for t in made:
        if dtype.is_floating_point or dtype.is_complex:
            assert t.isnan().all()
        else:
            assert (t == (True if dtype is torch.bool else torch.iinfo(dtype).max)).all()


def test_compile_and_script_are_the_identity_and_say_so_once():
    layer = nn.Linear(1, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert torch.compile(layer)._orig_mod is torch.compile(mode="default")(layer)._orig_mod
        assert torch.jit.script(layer) is layer and torch.jit.trace(layer, torch.ones(1)) is layer
    texts = [str(w.message) for w in caught]
    assert sum("torch.compile" in t for t in texts) <= 1
    assert sum("torch.jit" in t for t in texts) <= 1
    with pytest.raises(NotImplementedError, match="torch.jit.load"):
        torch.jit.load("model.pt")


@pytest.mark.parametrize("call", [
    "torch.compile(abs, mood=1)", "torch.compiler.disable(abs, mood=1)",
    "torch.compiler.set_stance(mood=1)", "torch.jit.script(abs, mood=1)",
    "torch.jit.trace(abs, mood=1)", "torch.jit.freeze(abs, mood=1)",
])
def test_options_that_change_nothing_are_known_by_name(call):
    with pytest.raises(TypeError, match="unexpected keyword argument 'mood'"):
        eval(call, {"torch": torch})


def test_autocast_says_what_is_on():
    layer, x = nn.Linear(2, 2), torch.ones(1, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.is_autocast_enabled("cpu")
        assert torch.get_autocast_dtype("cpu") is torch.bfloat16
        assert layer(x).dtype is torch.bfloat16
    assert not torch.is_autocast_enabled("cpu")
    with pytest.warns(UserWarning, match="CUDA is not available"):
        torch.amp.autocast("cuda")
    with pytest.raises(RuntimeError, match="unsupported autocast device_type 'meta'"):
        torch.autocast("meta")
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda, .* device string: gpu"):
        torch.autocast("gpu")
    with pytest.raises(RuntimeError, match="Invalid device string: 'no device'"):
        torch.autocast("no device")


@pytest.mark.live
@pytest.mark.parametrize("name", ["cuda", "cuda:1", "xpu", "mps", "xla", "vulkan"])
@pytest.mark.parametrize("ask", [
    lambda library, name: library.ones(1).to(name),
    lambda library, name: library.tensor([1.0], device=name),
    lambda library, name: library.randn(2, device=name),
    lambda library, name: library.nn.Linear(1, 1, device=name)], ids=["to", "tensor", "new", "nn"])
def test_a_device_that_is_not_there(ask, name):
    refusals = []
    for library in (pytest.importorskip("torch"), torch):
        with pytest.raises((RuntimeError, AssertionError)) as refusal:
            ask(library, name)
        refusals.append(refusal)
    theirs, ours = refusals
    assert ours.type is theirs.type
    assert str(ours.value).splitlines()[0] == str(theirs.value).partition(" This could")[0]


def test_grad_scaler_skips_what_overflows():
    param = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([param], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=1)
    scaler.scale(param.sum()).backward()
    assert param.grad.item() == 4.0
    scaler.step(optimizer)
    scaler.update()
    assert param.item() == 0.0 and scaler.get_scale() == 8.0
    param.grad = torch.tensor([float("inf")])
    scaler.step(optimizer)
    scaler.update()
    assert param.item() == 0.0 and scaler.get_scale() == 4.0
    again = torch.amp.GradScaler("cpu")
    again.load_state_dict(scaler.state_dict())
    assert again.get_scale() == 4.0
    with pytest.warns(UserWarning, match="CUDA is not available"):
        assert not torch.amp.GradScaler().is_enabled()


def scaled_step(scaler, grad, optimizer):
    for param in optimizer.param_groups[0]["params"]:
        param.grad = grad
    scaler.step(optimizer)
    scaler.update()


def test_grad_scaler_computes_in_float32_and_stays_finite():
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=3.0, backoff_factor=0.3)
    scaler.scale(torch.ones(1))
    scaled_step(scaler, torch.tensor([float("nan")]), optimizer)
    assert scaler.get_scale() == 0.8999999761581421
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127, growth_interval=1)
    scaler.scale(torch.ones(1))
    scaled_step(scaler, torch.ones(1), optimizer)
    assert scaler.get_scale() == 2.0**127


def test_grad_scaler_refuses():
    half = nn.Parameter(torch.ones(1, dtype=torch.float16))
    optimizer = torch.optim.SGD([half], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(torch.ones(1))
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)
    half.grad = torch.ones_like(half)
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    scaler.update(2.0)
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.step(optimizer)
    with pytest.raises(AssertionError, match="may only be pickled at the beginning"):
        pickle.dumps(scaler)
    for bad in (torch.ones(2), torch.ones(1, requires_grad=True)):
        with pytest.raises(AssertionError, match="new_scale should be a float or a 1-element"):
            scaler.update(bad)
    scaler.update(torch.tensor(5.0))
    assert pickle.loads(pickle.dumps(scaler)).get_scale() == 5.0


def test_grad_scaler_leaves_the_step_to_an_optimizer_that_knows_of_it():
    class Fused(torch.optim.SGD):
        _step_supports_amp_scaling = True

        def step(self):
            seen.append((self.grad_scale, self.found_inf.item()))

    class Old(Fused):
        def step(self, *, grad_scaler):
            seen.append(grad_scaler)

    seen, param = [], nn.Parameter(torch.ones(1))
    fused = Fused([param], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(torch.ones(1))
    scaled_step(scaler, torch.tensor([8.0]), fused)
    assert param.grad.item() == 8.0 and seen.pop() == (4.0, 0.0)
    param.grad = torch.tensor([float("inf")])
    scaler.unscale_(fused)
    scaler.step(fused)
    assert seen.pop() == (None, 1.0) and not hasattr(fused, "found_inf")
    with pytest.warns(FutureWarning, match="stop passing itself"):
        scaler.step(Old([param], lr=1.0))
    assert seen == [scaler]


FAULTS = """
import resource
import retrograd
import numpy as np

def work():
    for _ in range(20):
        a = np.ones(1 << 20)        # 8 MiB
        b = a + a
        del a, b

work()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
work()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are left alone")
def test_freed_memory_is_kept_for_the_next_array():
    def faults(**settings):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
        run = subprocess.run([sys.executable, "-c", FAULTS], env=environment | settings,
                             capture_output=True, text=True, check=True)
        return int(run.stdout)

    assert faults() < faults(RETROGRAD_KEEP_MALLOC="1") / 10


ADVISED = """
import re, retrograd as torch
at, flags = torch.ones(3_000_000).data_ptr(), ""
for line in open("/proc/self/smaps"):
    span = re.match("([0-9a-f]+)-([0-9a-f]+) ", line)
    if span:
        inside = int(span[1], 16) <= at < int(span[2], 16)
    elif line.startswith("VmFlags") and inside:
        print(line)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are left alone")
@pytest.mark.skipif(not os.path.exists("/sys/kernel/mm/transparent_hugepage"),
                    reason="no large pages here")
def test_arrays_lie_in_large_pages():
    def flags(**settings):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
        run = subprocess.run([sys.executable, "-c", ADVISED], env=environment | settings,
                             capture_output=True, text=True, check=True)
        return run.stdout.split()

    assert "hg" in flags()
    assert "hg" not in flags(RETROGRAD_KEEP_MALLOC="1", NUMPY_MADVISE_HUGEPAGE="0")


def test_a_compiled_module_is_named_and_asked_as_pytorchs():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.factor = nn.Linear(2, 2), 2

        def forward(self, x):
            return self.layer(x) * self.factor

        def __len__(self):
            return 7

    net = Net()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(net)
    assert list(compiled.state_dict()) == ["_orig_mod.layer.weight", "_orig_mod.layer.bias"]
    assert [name for name, _ in compiled.named_modules()] == ["", "_orig_mod", "_orig_mod.layer"]
    assert isinstance(compiled, torch._dynamo.OptimizedModule) and compiled.layer is net.layer
    compiled.factor = 3
    assert net.factor == 3 and torch.equal(compiled(torch.ones(2)), net(torch.ones(2)))
    assert compiled.eval() is compiled and not net.training and not compiled.training
    compiled.new = nn.Linear(1, 1)
    assert "new" in net._modules and list(compiled._modules) == ["_orig_mod"] and len(compiled) == 7
    assert type(copy.deepcopy(compiled)._orig_mod) is Net and "layer" in dir(compiled)
    del compiled.factor
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'factor'"):
        _ = compiled.factor
    with pytest.raises(RuntimeError, match="in loading state_dict for OptimizedModule"):
        compiled.load_state_dict(net.state_dict())


@pytest.mark.parametrize(("old", "new"), [
    ("has_mps", "mps.is_built"), ("has_cuda", "cuda.is_built"),
    ("has_cudnn", "cudnn.is_available"), ("has_mkldnn", "mkldnn.is_available")])
def test_names_from_before_torch_backends(old, new):
    vars(torch).pop(old, None)
    with pytest.warns(UserWarning, match=f"'{old}' is deprecated, please use 'torch.*{new}"):
        assert not getattr(torch, old)


WARNINGS = [
    "where(torch.tensor([1], dtype=torch.uint8), 1., 2.)", "cov(torch.ones(1))",
    "tensor(1.).T", "tensor(1.).mT", "tensor(1j).H", "tensor(1j).mH", "tensor(1j).adjoint()",
    "ones(2).scatter(0, torch.tensor([0]), torch.ones(1), reduce='add')",
    "tensor(1j).float()", "tensor(1j).to(torch.int8)", "ones(1).copy_(torch.tensor([1j]))",
]


@pytest.mark.live
@pytest.mark.parametrize("call", WARNINGS)
def test_a_warning_and_its_result(call):
    theirs = pytest.importorskip("torch")
    assert warned(torch, call) == warned(theirs, call)


def warned(torch, call):
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            result = eval(f"torch.{call}", {"torch": torch})
    finally:
        torch.set_warn_always(False)
    (warning,) = given
    return warning.category, str(warning.message).partition(" (Triggered")[0], str(result.tolist())


def test_what_it_is_built_with_is_shown_without_a_warning():
    with warnings.catch_warnings(action="error"):
        assert "NumPy" in torch.__config__.show()


@pytest.mark.parametrize("compiled", [
    lambda: torch.compile(abs, mode="fast"), lambda: torch.compile(mode="fast")(abs),
    lambda: torch.nn.ReLU().compile(mode="fast"),
    lambda: torch.compile(abs, backend="inductor", mode="fast")])
def test_a_mode_of_compilation_that_there_is_not(compiled):
    with pytest.raises(RuntimeError, match="Unrecognized mode=fast, should be one of: default, "):
        compiled()
    assert torch.compile(abs, backend="eager", mode="fast") is abs      # another's own affair
