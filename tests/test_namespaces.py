"""PyTorch's outlying modules: what libraries import from them works, or says what is missing."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import inspect
import itertools
import subprocess
import sys
import threading
import typing
import warnings

import numpy as np
import pytest

import retrograd as torch
from comparing import torch_is_retrograd

UNAVAILABLE = ("cuda", "xpu", "mps", "mtia", "accelerator", "distributed")


@pytest.mark.parametrize("name", UNAVAILABLE)
def test_there_is_only_the_cpu(name):
    module = importlib.import_module(f"retrograd.{name}")
    assert module.is_available() is False
    assert getattr(module, "device_count", lambda: 0)() == 0


@pytest.mark.parametrize(
    "code, error, named",
    [
        ("import torch.nowhere", ModuleNotFoundError, "nowhere"),
        ("from torch import nowhere", ImportError, "nowhere"),
        ("from torch.nn import Nowhere", ImportError, "Nowhere"),
        ("import torch; torch.nowhere", AttributeError, "nowhere"),
        ("import torch; torch._C.nowhere", AttributeError, "nowhere"),
        ("import torch; torch.ops.nowhere.sin", AttributeError, "nowhere"),
        ("import torch; torch.ops.aten.nowhere", AttributeError, "nowhere"),
        ("import torch; torch.ao.quantization.prepare(0)", NotImplementedError, "ation.prepare"),
        ("import torch; torch.quantization.prepare(0)", NotImplementedError, "ation.prepare"),
        ("import torch; torch.nested.nested_tensor([])", NotImplementedError, "nested_tensor"),
        ("import torch.distributed.fsdp.wrap as w; w.wrap(0)", NotImplementedError, "wrap.wrap"),
        ("import torch; torch.distributed.DeviceMesh([0])", NotImplementedError, "DeviceMesh"),
        ("import torch; torch.distributed.nowhere", AttributeError, "nowhere"),
        ("import torch; torch.onnx.nowhere", AttributeError, "nowhere"),
        ("import torch.distributed.tensor as t; t.DTensor()", NotImplementedError, "DTensor"),
        ("import torch; torch.onnx.export(0, 0, 'f')", NotImplementedError, "torch.onnx.export"),
        ("import torch; torch.export.export(0, ())", NotImplementedError, "torch.export.export"),
        ("import torch; torch.export.Dim('n')", NotImplementedError, "torch.export.Dim"),
        ("import torch; torch.hub.load('a/b', 'c')", NotImplementedError, "a/b"),
        ("import torch; torch.sparse_bsr_tensor([0], [0], [])", NotImplementedError, "sparse_bsr"),
        ("import torch; torch.distributed.get_rank()", ValueError, "Default process group"),
        ("import torch; torch.distributed.init_process_group()", NotImplementedError, "init_proc"),
        ("from torch.utils.cpp_extension import load; load('x', [])", NotImplementedError, "load"),
    ],
)
def test_what_is_missing_is_named(code, error, named):
    with torch_is_retrograd(), pytest.raises(error, match=named):
        exec(code, {})


def test_names_in_missing_modules_serve_as_classes():
    with torch_is_retrograd():
        from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
        from torch.distributed.fsdp import ShardingStrategy

        class Sharded(FSDP):
            pass

        assert not isinstance(torch.nn.Linear(1, 1), FSDP) and issubclass(Sharded, FSDP)
        assert ShardingStrategy.FULL_SHARD is not None and (FSDP | None)
        with pytest.raises(NotImplementedError, match="fsdp.FullyShardedDataParallel: retrograd"):
            Sharded(torch.nn.Linear(1, 1))
        try:
            raise ValueError
        except (torch.distributed.DistBackendError, ValueError):
            pass


def test_torch_has_a_version_where_it_is_not_installed():
    code = (
        "import sys, importlib.metadata as m; sys.path[:] = [p for p in sys.path if p in keep];"
        "import retrograd; retrograd.install(); print(m.version('torch'))"
    )
    source = torch.__path__[0].rpartition("/")[0]
    stdlib = [p for p in sys.path if "site-packages" not in p]
    import numpy

    program = f"keep = {[*stdlib, source]!r}; import sys; sys.path.append({source!r});"
    program += f"sys.path.append({numpy.__path__[0].rpartition('/')[0]!r}); import numpy;" + code
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == str(torch.__version__), done.stderr


# ---- hub -----------------------------------------------------------------------------------


def test_hub_loads_from_a_folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(
        "import helper_of_hubconf\ndef net(width, bias=False):\n"
        "    return helper_of_hubconf.make(width, bias)\n"
    )
    (tmp_path / "helper_of_hubconf.py").write_text("def make(*args): return args\n")
    assert torch.hub.load(tmp_path, "net", 3, source="local", bias=True) == (3, True)
    with pytest.raises(RuntimeError, match="Cannot find callable other in hubconf"):
        torch.hub.load(tmp_path, "other", source="local")
    with pytest.raises(ValueError, match='Unknown source: "elsewhere"'):
        torch.hub.load(tmp_path, "net", source="elsewhere")
    assert str(tmp_path) not in sys.path


def test_hub_fetches_a_state_dict_once(tmp_path, capsys):
    torch.save({"w": torch.arange(3)}, tmp_path / "w.pth")
    digits = hashlib.sha256((tmp_path / "w.pth").read_bytes()).hexdigest()[:8]
    remote = (tmp_path / "w.pth").rename(tmp_path / f"w-{digits}.pth")
    folder = tmp_path / "cache"
    for _ in range(2):
        state = torch.hub.load_state_dict_from_url(remote.as_uri(), folder, check_hash=True)
        assert state["w"].tolist() == [0, 1, 2]
        remote.unlink(missing_ok=True)
    assert capsys.readouterr().out.count("Downloading") == 1
    assert [path.name for path in folder.iterdir()] == [remote.name]


def test_hub_refuses_a_file_with_another_hash(tmp_path):
    torch.save({}, tmp_path / "w-00000000.pth")
    uri, folder = (tmp_path / "w-00000000.pth").as_uri(), tmp_path / "cache"
    with pytest.raises(RuntimeError, match="invalid hash value"):
        torch.hub.load_state_dict_from_url(uri, folder, check_hash=True, progress=False)
    assert list(folder.iterdir()) == []


# ---- futures -------------------------------------------------------------------------------


def test_futures_chain_across_threads():
    first, second = torch.futures.Future(), torch.futures.Future()
    total = torch.futures.collect_all([first, second]).then(
        lambda done: sum(future.value() for future in done.value())
    )
    threads = [
        threading.Thread(target=future.set_result, args=(n,))
        for n, future in enumerate((first, second), 1)
    ]
    assert not total.done()
    for thread in threads:
        thread.start()
    assert total.wait() == 3
    for thread in threads:
        thread.join()
    assert torch.futures.wait_all([first, second]) == [1, 2]


def test_futures_carry_errors():
    future = torch.futures.Future()
    after = future.then(lambda done: done.wait() + 1)
    with pytest.raises(RuntimeError, match="incomplete future"):
        future.value()
    future.set_exception(OSError("lost"))
    with pytest.raises(OSError, match="lost"):
        future.value()
    said = "^Got the following error when running the callback: OSError: lost"
    with pytest.raises(RuntimeError, match=said) as error:
        after.wait()
    assert isinstance(error.value.__cause__, OSError)
    for again in (future.set_result, lambda n: future.set_exception(OSError(n))):
        with pytest.raises(RuntimeError, match="Attempting to mark a completed Future as complete"):
            again(1)


def test_the_first_error_ends_the_wait_for_all():
    late, failed = torch.futures.Future(), torch.futures.Future()
    both = torch.futures.collect_all([late, failed])
    failed.set_exception(OSError("lost"))
    assert both.done()
    late.set_result(1)
    with pytest.raises(OSError, match="lost"):
        both.wait()
    with pytest.raises(RuntimeError, match="Future can't be None"):
        torch.futures.wait_all([late, None])


# ---- lists of tensors ----------------------------------------------------------------------

LISTS = [torch.tensor([0.5, -1.5]), torch.tensor([[2.0], [0.25]])]
OTHERS = [torch.tensor([2.0, 3.0]), torch.tensor([[1.5], [4.0]])]


def plain(name, *args, **options):
    return [getattr(torch, name)(*each, **options) for each in zip(*args, strict=True)]


@pytest.mark.parametrize("name", ["exp", "abs", "neg", "sign", "sigmoid", "floor"])
def test_foreach_of_one_list(name):
    expected = plain(name, LISTS)
    found = getattr(torch, f"_foreach_{name}")(LISTS)
    written = [tensor.clone() for tensor in LISTS]
    assert getattr(torch, f"_foreach_{name}_")(written) is written
    for a, b, c in zip(found, expected, written, strict=True):
        assert torch.equal(a, b) and torch.equal(c, b)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "minimum", "pow"])
@pytest.mark.parametrize("other", [OTHERS, 2.0, [2.0, 3.0]], ids=["tensors", "number", "numbers"])
def test_foreach_of_two(name, other):
    seconds = other if isinstance(other, list) else [other, other]
    if name in ("maximum", "minimum"):
        seconds = [s if isinstance(s, torch.Tensor) else torch.tensor(s) for s in seconds]
    firsts = [tensor.abs() for tensor in LISTS]
    expected = plain(name, firsts, seconds)
    found = getattr(torch, f"_foreach_{name}")(firsts, other)
    getattr(torch, f"_foreach_{name}_")(firsts, other)
    for a, b, c in zip(found, expected, firsts, strict=True):
        assert torch.equal(a, b) and torch.equal(c, b)


def test_foreach_of_three():
    for name, options in (("addcmul", {"value": 0.5}), ("addcdiv", {"value": 2.0})):
        expected = plain(name, LISTS, OTHERS, OTHERS, **options)
        found = getattr(torch, f"_foreach_{name}")(LISTS, OTHERS, OTHERS, **options)
        assert all(map(torch.equal, found, expected))
    expected = plain("lerp", LISTS, OTHERS, [0.25, 0.25])
    assert all(map(torch.equal, torch._foreach_lerp(LISTS, OTHERS, 0.25), expected))
    norms = torch._foreach_norm(LISTS, 1)
    assert [norm.item() for norm in norms] == [t.abs().sum().item() for t in LISTS]


@pytest.mark.parametrize("args", [
    ("zero_",), ("sqrt_",), ("add_", OTHERS), ("copy_", OTHERS), ("mul_", 2.0),
    ("add_", OTHERS, 0.5), ("addcmul_", OTHERS, OTHERS), ("addcdiv_", OTHERS, OTHERS, [0.5, 2.0]),
    ("lerp_", OTHERS, 0.25)])
def test_foreach_writes_few_numbers_at_once_or_one_by_one(args):
    """With the same numbers, versions and errors, whether kernels are called alone or not."""
    name, *rest = args
    function = getattr(torch, f"_foreach_{name}")
    alone, leaves = ([t.abs().clone() for t in LISTS] for _ in range(2))
    function(alone, *rest)
    for leaf in leaves:
        leaf.requires_grad_()
    recorded = [leaf * 1 for leaf in leaves]
    function(recorded, *rest)
    assert all(map(torch.equal, alone, recorded)) and [t._version for t in alone] == [1, 1]
    assert all(t.grad_fn.name() != "MulBackward0" or name == "mul_" for t in recorded)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        function(leaves, *rest)
    squares = sum(leaf.square().sum() for leaf in leaves)
    with torch.no_grad():
        function(leaves, *rest)
    assert all(map(torch.equal, alone, leaves))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        squares.backward()


def test_foreach_refuses_parts_that_overlap():
    x = torch.ones(4)
    with pytest.raises(RuntimeError, match="single memory location"):
        torch._foreach_add_([x[:3]], [x[1:]])


@pytest.mark.parametrize(("name", "number", "dtype", "result"), [
    ("minimum", 2.5, torch.int32, [2.5, 1.0]), ("clamp_min", [2], torch.bool, [2, 2]),
    ("maximum", float("inf"), torch.uint8, [float("inf")] * 2),
    ("clamp_max", -1, torch.int8, [-1, -1])])
def test_a_number_in_foreach_promotes_as_in_clamp(name, number, dtype, result):
    tensor = torch.tensor([3, 1]).to(dtype)
    (found,) = getattr(torch, f"_foreach_{name}")([tensor], number)
    assert found.tolist() == result
    one = number[0] if isinstance(number, list) else number
    assert found.dtype == torch.result_type(tensor, one)
    if found.is_floating_point():
        with pytest.raises(RuntimeError, match="result type Float can't be cast"):
            getattr(torch, f"_foreach_{name}_")([tensor], number)


def test_foreach_has_pytorchs_names_alone():
    for name in ("clone_", "max_", "mm_", "norm_", "zero", "copy"):
        assert not hasattr(torch, f"_foreach_{name}")
    target = [torch.ones(2)]
    torch._foreach_copy_(target, [torch.zeros(2)], True)
    for given, message in ((1.0, "must be tuple of Tensors, not float"),
                           ([1], "expected Tensor as element 0 in argument 1, but got int")):
        with pytest.raises(TypeError, match=message):
            torch._foreach_copy_(target, given)
    assert target[0].tolist() == [0, 0]
    torch._foreach_zero_(target)
    assert torch._foreach_powsum([torch.tensor([-3.0, 1.0]), torch.zeros(0)], 3) == (28, 0)
    with pytest.raises(NotImplementedError, match="powsum_cpu"):
        torch._foreach_powsum([torch.ones(2).int()])
    with pytest.raises(RuntimeError, match="_foreach_max cannot compute"):
        torch._foreach_max([torch.ones(1), torch.ones(0)])


def test_numbers_packed_in_a_tensor_have_one_dimension():
    ones = [torch.ones(1), torch.ones(1)]
    found = torch._foreach_addcmul(ones, ones, ones, torch.tensor([2.0, 3.0]))
    assert found == (3, 4)
    for packed, words in ((torch.tensor(2), "dimension 1. Got 0"), (torch.ones(1, 1), "Got 2"),
                          (torch.ones(3), "to match input of length 2 but got 3"),
                          (torch.ones(4)[::2], "Expected scalars to be contiguous")):
        with pytest.raises(RuntimeError, match=words):
            torch._foreach_addcdiv(ones, ones, ones, packed)


def test_foreach_records_the_plain_nodes():
    x = torch.ones(2, requires_grad=True)
    (result,) = torch._foreach_mul([x], 3.0)
    result.sum().backward()
    assert result.grad_fn.name() == "MulBackward0" and x.grad.tolist() == [3.0, 3.0]


@pytest.mark.live
@pytest.mark.parametrize(
    "call",
    [
        "torch._foreach_add([], 1)",
        "torch._foreach_add([torch.ones(1)], [1, 2])",
        "torch._foreach_add([torch.ones(1)], [torch.ones(1)] * 2)",
        "torch._foreach_add([torch.ones(1)], torch.ones(2))",
        "torch._foreach_sub([torch.ones(1)], 1, alpha=2)",
        "torch._foreach_abs(torch.ones(1))",
        "torch._check(False)",
        "torch._check(1)",
        "torch._check(torch.tensor(False))",
        "torch._check_index(False, lambda: 'no')",
        "torch._check_value(False, 'text')",
        "torch._assert(False, 'no')",
        "torch._assert_async(torch.tensor(0))",
    ],
)
def test_refusals_as_in_pytorch(call):
    real = pytest.importorskip("torch")
    seen = []
    for module in (torch, real):
        with pytest.raises(Exception) as caught:  # noqa: B017
            eval(call, {"torch": module})
        seen.append((caught.type, str(caught.value)))
    assert seen[0][0] is seen[1][0]
    assert seen[0][1] == seen[1][1]


# ---- the profiler's steps ------------------------------------------------------------------


@pytest.mark.live
@pytest.mark.filterwarnings("ignore:Profiler won't be using warmup")
def test_schedules_as_in_pytorch():
    real = pytest.importorskip("torch.profiler")
    names = ("wait", "warmup", "active", "repeat", "skip_first")
    for numbers in itertools.product((0, 1), (0, 1), (1, 2), (0, 1, 2), (0, 3)):
        plan = dict(zip(names, numbers, strict=True))
        mine, theirs = torch.profiler.schedule(**plan), real.schedule(**plan)
        assert [mine(i).name for i in range(20)] == [theirs(i).name for i in range(20)]


def test_a_schedule_picks_steps(tmp_path):
    ready = []

    def on_trace_ready(prof):
        counts = {event.key: event.count for event in prof.key_averages()}
        ready.append((prof.step_num, counts["aten::mul"]))
        torch.profiler.tensorboard_trace_handler(str(tmp_path))(prof)

    plan = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2)
    with torch.profiler.profile(schedule=plan, on_trace_ready=on_trace_ready) as prof:
        for _ in range(9):
            torch.ones(2) * 2
            prof.step()
    assert ready == [(4, 2), (8, 2)]
    assert len(list(tmp_path.iterdir())) == 2


# ---- the older order of factors --------------------------------------------------------------

FACTORS_FIRST = [
    ("x.add_(2, y)", "x.add_(y, alpha=2)"),
    ("x.add(0.5, y)", "x.add(y, alpha=0.5)"),
    ("x.sub_(2, y)", "x.sub_(y, alpha=2)"),
    ("torch.sub(x, 2, y)", "torch.sub(x, y, alpha=2)"),
    ("x.addcmul_(2, y, z)", "x.addcmul_(y, z, value=2)"),
    ("torch.addcmul(x, 2, y, z)", "torch.addcmul(x, y, z, value=2)"),
    ("x.addcdiv_(-0.5, y, z)", "x.addcdiv_(y, z, value=-0.5)"),
    ("x.addmm(2, 3, y, z)", "x.addmm(y, z, beta=2, alpha=3)"),
    ("x.addmm_(2, y, z)", "x.addmm_(y, z, beta=2)"),
    ("x.addmm(2, mat1=y, mat2=z)", "x.addmm(y, z, beta=2)"),
    ("torch.addmm(2, x, 3, y, z)", "torch.addmm(x, y, z, beta=2, alpha=3)"),
    ("torch.addmv(2, x[0], y, z[0])", "torch.addmv(x[0], y, z[0], beta=2)"),
    ("x.addr(2, y[0], z[0])", "x.addr(y[0], z[0], beta=2)"),
]


@pytest.mark.parametrize("old, new", FACTORS_FIRST, ids=[old for old, _ in FACTORS_FIRST])
def test_a_factor_may_come_first(old, new, monkeypatch):
    from retrograd.ops import deprecated

    def names():
        return {"torch": torch, "x": torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
                "y": torch.tensor([[0.5, -1.0], [2.0, 0.25]]), "z": torch.eye(2) + 1}

    monkeypatch.setattr(deprecated, "_warned", False)
    with pytest.warns(UserWarning, match="This overload of .* is deprecated"):
        found = eval(old, names())
    assert torch.equal(found, eval(new, names()))
    assert torch.equal(eval(old, names()), found)  # it warns once


@pytest.mark.parametrize("call", ["x.add_(x, 2)", "torch.add(x, x, 2)", "x.addcmul_(x, x, 2)"])
def test_a_factor_may_not_come_last(call):
    with pytest.raises(TypeError, match="positional argument"):
        eval(call, {"torch": torch, "x": torch.ones(2)})


@pytest.mark.parametrize("call", [
    "x.addmm(x, x, gamma=2)", "torch.addmm(x, x, x, gamma=2)", "x.addmm_(x, x, gamma=2)",
    "torch.addmm(x, x, x, x)", "torch.addmm(x, x, 2, x)", "torch.addmm(x, x)", "x.addmm(x, 1)",
])
def test_products_that_are_added_take_no_other_arguments(call):
    with pytest.raises(TypeError, match=r"addmm_?\(\)"):
        eval(call, {"torch": torch, "x": torch.ones(2, 2)})


@pytest.mark.parametrize("name", ["addmm", "addmv", "addr", "addbmm", "baddbmm"])
def test_signatures_of_products_that_are_added(name):
    from retrograd.ops.arguments import listed_signatures
    first = listed_signatures(name)[0].split(" = ")[0]
    words = [word.split()[-1] for word in first.split(", ")[:3]]
    assert list(inspect.signature(getattr(torch, name)).parameters)[:3] == words


def test_outlying_names():
    with torch_is_retrograd():
        import torch as named
        from torch.functional import einsum

        assert named.__name__ == "torch" and named.torch is named
        assert einsum is named.einsum
    assert torch.__name__ == "retrograd"


@pytest.mark.parametrize("call", [
    "torch.ones(6).split(split_size=2)",
    "torch.split(torch.ones(6), split_size_or_sections=2)",
    "torch.tensor_split(torch.ones(6), sections=3)",
    "torch.tensor_split(torch.ones(6), indices=(2, 4))",
    "torch.ones(6).tensor_split(tensor_indices_or_sections=torch.tensor([2, 4]))",
    "torch.hsplit(torch.ones(6), sections=3)",
    "torch.hsplit(torch.ones(6), indices=[2, 4])",
])
def test_pieces_by_pytorchs_names(call):
    assert [len(piece) for piece in eval(call, {"torch": torch})] == [2, 2, 2]


@pytest.mark.parametrize("given", [torch.DoubleTensor, "torch.DoubleTensor"], ids=str)
def test_the_default_by_a_tensor_type(given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns once that this is deprecated
        try:
            torch.set_default_tensor_type(given)
            assert torch.ones(1).dtype is torch.float64
        finally:
            torch.set_default_tensor_type(torch.FloatTensor)
    assert torch.ones(1).dtype is torch.float32


@pytest.mark.parametrize("given, message", [
    (torch.IntTensor, "only floating-point types are supported as the default type"),
    ("torch.cuda.FloatTensor", "type torch.cuda.FloatTensor not available"),
    (torch.float64, "invalid type object"),
], ids=str)
def test_no_default_by_other_types(given, message):
    with warnings.catch_warnings(), pytest.raises(TypeError, match=message):
        warnings.simplefilter("ignore")
        torch.set_default_tensor_type(given)
    assert torch.get_default_dtype() is torch.float32


# PyTorch's lists of these modules are empty, or lack functions that PyTorch documents.
FULLER = {"fft", "onnx.operators", "onnx.symbolic_helper", "_dynamo._trace_wrapped_higher_order_op"}
EXPORTS = """if 1:
    import importlib, pkgutil, retrograd
    for found in pkgutil.walk_packages(retrograd.__path__, "retrograd.", lambda name: None):
        name = found.name.removeprefix("retrograd.")
        if name in ("__main__", "_install_on_import"):
            continue
        try:
            lists = [set(importlib.import_module(f"{package}.{name}").__all__)
                     for package in ("retrograd", "torch")]
        except (ImportError, AttributeError):       # another has no such module, or no list
            continue
        print(name, *lists[0] - lists[1])
"""


@pytest.mark.live
def test_a_star_import_gives_no_name_that_pytorchs_does_not_give():
    pytest.importorskip("torch")
    command = [sys.executable, "-c", EXPORTS]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    more = dict(line.partition(" ")[::2] for line in lines)
    assert len(more) > 100
    assert {name for name in more if more[name]} <= FULLER


def test_private_names_that_libraries_take():
    """They answer as PyTorch's do on a CPU."""
    from retrograd._jit_internal import BroadcastingList2, Optional
    from retrograd._utils import _flatten_dense_tensors, _unflatten_dense_tensors
    from retrograd.optim.optimizer import _default_to_fused_or_foreach
    from retrograd.utils.data._utils.pin_memory import pin_memory

    tensors = [torch.ones(2, 3), torch.arange(4.0)]
    flat = _flatten_dense_tensors(tensors)
    again = _unflatten_dense_tensors(flat, tensors)
    assert flat.shape == (10,)
    assert all(torch.equal(a, b) for a, b in zip(tensors, again, strict=True))
    assert _default_to_fused_or_foreach(tensors, False) == (False, False)
    assert _default_to_fused_or_foreach(tensors, False, use_fused=True) == (True, False)
    assert pin_memory({"b": "text"}) == {"b": "text"}
    with pytest.raises(RuntimeError, match="^Cannot access accelerator device when none is"):
        pin_memory({"a": tensors, "b": "text"})
    assert Optional is typing.Optional and BroadcastingList2[int] is None


def test_operators_are_found_by_pytorchs_names():
    assert torch.ops.aten.linalg_det(torch.eye(2)) == 1
    assert str(torch.ops.aten._convolution.default) == "aten._convolution.default"
    with pytest.raises(NotImplementedError, match="_convolution: retrograd has this name"):
        torch.ops.aten._convolution()


def test_a_module_has_annotations_to_ask_for():
    assert typing.get_type_hints(torch.nn.ReLU())["training"] is bool


def test_rows_of_sorted_indices():
    rows, columns = torch.tensor([0, 0, 2, 5]), torch.tensor([1, 2, 0, 3])
    starts = torch._convert_indices_from_coo_to_csr(rows, 6)
    assert starts.tolist() == [(rows < i).sum().item() for i in range(7)]
    pairs = torch._convert_indices_from_csr_to_coo(starts, columns)
    assert torch.equal(pairs, torch.stack([rows, columns]))
    flipped = torch._convert_indices_from_csr_to_coo(starts, columns, transpose=True,
                                                     out_int32=True)
    assert flipped.dtype == torch.int32 and torch.equal(flipped.flip(0), pairs)


def test_sizes_come_as_arguments_as_a_tuple_or_by_name():
    x = torch.arange(6.0).view(2, 3)
    assert x.reshape(3, 2).shape == x.reshape(shape=(3, 2)).shape == (3, 2)
    assert x.permute(1, 0).shape == x.permute(dims=(1, 0)).shape == (3, 2)
    assert x.repeat(2, 1).shape == x.repeat(repeats=(2, 1)).shape == (4, 3)
    assert x.tile(2, 1).shape == x.tile(dims=(2, 1)).shape == (4, 3)
    assert x.broadcast_to(4, 2, 3).shape == x.broadcast_to(size=(4, 2, 3)).shape == (4, 2, 3)
    assert x.sum_to_size(1, 3).shape == x.sum_to_size(size=(1, 3)).shape == (1, 3)
    with pytest.raises(TypeError, match="found element of type float at pos 0"):
        torch.empty((2.0, 3))
    with pytest.raises(TypeError, match="must be tuple of ints, not float"):
        torch.empty(2.0)


def test_a_while_loop_is_recorded():
    x = torch.ones(2, requires_grad=True)
    i, y = torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, 2 * y), (torch.tensor(0), x))
    y.sum().backward()
    assert i == 3 and x.grad.tolist() == [8.0, 8.0]
    with pytest.raises(RuntimeError, match="carried_inputs to be a tuple"):
        torch.while_loop(lambda y: False, lambda y: y, x)


SCANS = {
    "sums": lambda scan, w, xs: scan(lambda c, x: (c * w + x, c * x), w * 0, xs),
    "columns": lambda scan, w, xs: scan(lambda c, x: (c + x, c * x), xs[:, 0] * 0, xs, dim=1),
    "backwards": lambda scan, w, xs: scan(lambda c, x: (c * w + x, c * x), w * 0, xs, reverse=True),
    "trees": lambda scan, w, xs: scan(
        lambda c, x: ({"a": c["a"] + x[0]}, [x[1] * c["a"], c["a"] * w]), {"a": w * 0}, (xs, xs)),
    "nothing": lambda scan, w, xs: scan(lambda c, x: (c + x, c * x), w.detach(), []),
    "no function": lambda scan, w, xs: scan(3, w, xs),
    "no state": lambda scan, w, xs: scan(lambda c, x: (c, x), [], xs),
    "a number": lambda scan, w, xs: scan(lambda c, x: (c + x, x * 2), 0.0, xs),
    "not a bool": lambda scan, w, xs: scan(lambda c, x: (c + x, x * 2), w, xs, reverse=1),
    "another shape": lambda scan, w, xs: scan(lambda c, x: (c.sum(), x * 2), w, xs),
}


def scanned(torch, name):
    """The results of a scan and the gradient of the first, or the error's type and first words."""
    scan = importlib.import_module("torch._higher_order_ops.scan" if torch.__name__ == "torch" else
                                   "retrograd._higher_order_ops.scan").scan
    w, xs = torch.tensor([0.5, 2.0], requires_grad=True), torch.arange(6.0).view(3, 2)
    try:
        with warnings.catch_warnings():                  # of PyTorch's tracer
            warnings.simplefilter("ignore")
            leaves = torch.utils._pytree.tree_leaves(SCANS[name](scan, w, xs))
    except Exception as error:
        kind = RuntimeError if isinstance(error, RuntimeError) else type(error)
        return kind.__name__, str(error).partition(" but ")[0].partition(":")[0]
    grads = [torch.autograd.grad(t.sum(), w, retain_graph=True)[0].tolist()
             for t in leaves if t.requires_grad]
    return [t.tolist() for t in leaves], grads


@pytest.mark.live
@pytest.mark.parametrize("name", SCANS)
def test_a_scan_is_pytorchs(name):
    assert scanned(torch, name) == scanned(pytest.importorskip("torch"), name)


def test_a_scan_is_recorded():
    values, grads = scanned(torch, "sums")
    assert values == [[5.0, 15.0], [[0.0, 0.0], [0.0, 3.0], [8.0, 25.0]]]
    assert grads == [[2.0, 7.0], [0.0, 5.0]]
    assert scanned(torch, "no state") == ("RuntimeError", "scan() operator requires init leaves.")
    from retrograd import _higher_order_ops as ops
    assert ops.while_loop is torch.while_loop and ops.cond is torch.cond


def test_what_libraries_ask_of_cuda_before_they_seed_it():
    assert torch.cuda._is_in_bad_fork() is False and not torch.cuda.is_available()
    assert torch.cuda.is_tf32_supported() is False


def test_numpys_truth_values_of_a_tensor_are_bytes():
    x = torch.tensor([1.0, float("nan")])
    for found, expected in ((np.isnan(x), [0, 1]), (np.greater_equal(x, 1), [1, 0])):
        assert found.dtype is torch.uint8 and found.tolist() == expected


def test_what_a_program_sets_of_an_array_leaves_the_tensor_alone():
    x = torch.arange(4.0)
    for array in (x.numpy(), np.asarray(x), x.detach().numpy()):
        array.shape = 2, 2
        array.dtype = np.int32
        array.flags.writeable = False
    assert x.shape == (4,) and x.dtype is torch.float32
    x[0] = 5
    assert array[0, 0] == np.float32(5).view(np.int32)


def test_what_is_said_of_a_tensor_is_checked():
    x = torch.zeros(2, 3)
    torch._assert_tensor_metadata(x, [2, 3], (3, 1), torch.float32, device="cpu",
                                  layout=torch.strided)
    torch._assert_tensor_metadata(x)
    for wrong, message in (({"size": [2, 4]}, r"sizes mismatch! Expected: \[2, 4\], Got: \[2, 3\]"),
                           ({"stride": [1, 2]}, r"strides mismatch! Expected: \[1, 2\], Got: "),
                           ({"dtype": torch.int32}, "dtype mismatch! Expected: Int, Got: float"),
                           ({"device": "meta"}, "device mismatch! Expected: meta, Got: cpu"),
                           ({"layout": torch.sparse_coo}, "layout mismatch! Expected: Sparse")):
        with pytest.raises(RuntimeError, match=f"^Tensor {message}"):
            torch._assert_tensor_metadata(x, **wrong)


def test_masked_functions_have_the_module_that_pytorch_names():
    from retrograd.masked import _ops
    assert _ops.amax is torch.masked.amax and torch.masked.amax.__module__.endswith("masked._ops")


def test_torch_functional_has_the_factorizations_of_low_rank():
    assert torch.functional.svd_lowrank is torch.svd_lowrank
    assert torch.functional.pca_lowrank is torch.pca_lowrank


def test_no_accelerator_is_the_current_one():
    with torch.accelerator.device_index(None):
        pass
    for use in (torch.accelerator.device_index(0).__enter__, torch.accelerator.Graph,
                torch.accelerator.get_memory_info):
        with pytest.raises(RuntimeError, match="^Cannot access accelerator device when none is"):
            use()


def test_workers_are_processes_with_a_generator_of_their_own():
    generator = torch.random.thread_safe_generator()
    assert generator is None and torch.rand(2, generator=generator).shape == (2,)


def test_what_would_compile_is_remembered():
    assert torch.compiler.get_default_backend() == "inductor"
    torch.compiler.set_default_backend("eager")
    assert torch.compiler.get_default_backend() == "eager"
    torch.compiler.set_default_backend(None)
    assert torch.compiler.get_default_backend() == "inductor"
    with pytest.raises(TypeError, match="^backend must be a string or callable, got <class 'int'"):
        torch.compiler.set_default_backend(3)


@pytest.mark.parametrize("kind", [torch.Stream, torch.Event])
def test_streams_of_a_device_that_is_not_there(kind):
    with pytest.raises(RuntimeError, match="^PyTorch is not linked with support for cuda devices"):
        kind(device="cuda")
