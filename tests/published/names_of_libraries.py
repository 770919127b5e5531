"""Names that libraries take from torch when they are imported, and what they ask of them."""
import io
from collections import UserDict

import torch
from torch.utils import _pytree as pytree


def attempt(call):
    try:
        print(call())
    except (RuntimeError, AssertionError, TypeError) as e:
        print(type(e).__name__, e)


for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
              torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz,
              torch.float8_e5m2fnuz, torch.float8_e8m0fnu):
    limits = torch.finfo(dtype)
    print(limits, limits.bits, limits.eps, limits.max, limits.min, limits.tiny, limits.resolution)

attempt(torch.cuda.CUDAGraph)
attempt(torch.cuda.Stream)
attempt(torch.cuda.Event)
attempt(torch.Stream)
attempt(torch.Event)
attempt(lambda: torch.Stream("cpu").query())
attempt(torch.accelerator.current_device_index)
attempt(torch.accelerator.synchronize)
attempt(lambda: torch.get_device_module("cpu").device_count())
attempt(lambda: torch.get_device_module("cuda").is_available())
attempt(lambda: torch.get_device_module("opencl"))
attempt(lambda: torch.cuda.random.get_rng_state_all())
attempt(lambda: torch.cuda.memory.memory_allocated())
attempt(lambda: torch.cuda.memory_stats())
attempt(lambda: torch.legacy_contiguous_format)
print(torch.cuda.OutOfMemoryError is torch.OutOfMemoryError, torch.OutOfMemoryError.__mro__)


class Record(dict):
    pass


class Shelf(UserDict):
    pass


pytree.register_pytree_node(Record, pytree._dict_flatten,
                            lambda v, c: Record(pytree._dict_unflatten(v, c)),
                            flatten_with_keys_fn=pytree._dict_flatten_with_keys)
tree = Record(a=[1, 2], b=Record(c=3))
print(pytree.tree_map(lambda x: x * 10, tree), type(pytree.tree_map(abs, tree)).__name__)
print([(pytree.keystr(path), leaf) for path, leaf in pytree.tree_leaves_with_path(tree)])

torch.save({"a": torch.arange(3.0)}, file := io.BytesIO())
file.seek(0)
reader = torch.PyTorchFileReader(file)
print(reader.has_record("data.pkl"), reader.has_record("x"), reader.get_record("version"))
storage = reader.get_storage_from_record("data/0", 12, torch.uint8)
print(storage.shape, storage._typed_storage()._untyped_storage.nbytes())
attempt(lambda: str(reader.get_record("x")))
print(torch.ops.aten.mm, torch.ops.aten.mm == torch.ops.aten.mm, repr(torch.ops.aten.mm))

a, b, c = torch.ones(2, 3, 5), torch.ones(2, 3, 4), torch.ones(2, 4, 5)
print(a.baddbmm(batch1=b, batch2=c, beta=0.5, alpha=2.0).sum(),
      torch.addmm(input=a[0], mat1=b[0], mat2=c[0]).sum(),
      torch.addbmm(a[0], batch1=b, batch2=c).sum(),
      torch.addr(a[0], vec1=b[0, :, 0], vec2=c[0, 0]).sum(),
      a[0].clone().addmm_(mat1=b[0], mat2=c[0]).sum(),
      torch.addmv(a[0, :, 0], mat=b[0], vec=c[0, :, 0]).sum())

for kind in (float, complex, int, bool, "float"):
    for limits in (torch.finfo, torch.iinfo):
        attempt(lambda kind=kind, limits=limits: limits(kind))

for name in ("eig", "symeig", "lstsq", "solve", "matrix_rank"):
    attempt(lambda name=name: getattr(torch, name)(torch.eye(2), torch.eye(2)))
print(torch.jit.wait(torch.jit.fork(torch.neg, torch.ones(2))), torch.ones(1).double().view(int))

print(isinstance(torch.ones(1), torch.masked.MaskedTensor),
      torch.masked.is_masked_tensor(torch.ones(1)))
print([(d, d.itemsize) for d in (torch.quint8, torch.qint8, torch.qint32, torch.quint4x2,
                                 torch.quint2x4)])
print([type(t).__module__ for t in (torch.ones(1), torch.nn.Parameter(torch.ones(1)))],
      torch.nn.Buffer.__module__)


def what_tensordict_names():
    """Names that tensordict, torchrl, open_clip and heavyball take from private modules of PyTorch."""
    import numpy as np
    import torch._functorch.vmap as vmap_source
    from torch import DisableTorchFunctionSubclass, TensorType
    from torch._C._functorch import _add_batch_dim, is_batchedtensor
    from torch._dynamo.exc import TorchDynamoException
    from torch._functorch.vmap import _maybe_remove_batch_dim  # noqa: F401
    from torch._guards import active_fake_mode
    from torch._utils import _get_available_device_type, _get_device_module
    from torch.compiler import assume_constant_result, set_stance, substitute_in_graph, wrap_numpy
    from torch.utils._contextlib import _DecoratorContextManager
    from torch.utils._pytree import is_structseq, is_structseq_class, is_structseq_instance

    print(callable(_add_batch_dim), vmap_source is not None, TensorType.__name__)
    seen = []
    torch.vmap(lambda x: seen.append(is_batchedtensor(x)) or x)(torch.ones(2))
    print(seen, is_batchedtensor(torch.ones(2)))
    print(issubclass(TorchDynamoException, Exception), active_fake_mode())
    print(_get_available_device_type(), _get_device_module("cuda").is_available())
    print(isinstance(torch.ones(1).untyped_storage(), torch.StorageBase))
    pair = torch.ones(2).max(0)
    print(is_structseq(pair), is_structseq_instance(pair), is_structseq_class(type(pair)),
          is_structseq((1, 2)), is_structseq_class(tuple))

    class shouting(_DecoratorContextManager):
        def __enter__(self):
            print("in")

        def __exit__(self, *error):
            print("out")

    @shouting()
    @assume_constant_result
    @substitute_in_graph(lambda x: len(x))
    def length(x):
        return 0

    with set_stance("force_eager"), DisableTorchFunctionSubclass():
        print(length([1, 2]))
    print(wrap_numpy(lambda a, scale: np.cumsum(a) * scale)(torch.ones(3), scale=2))


what_tensordict_names()


def what_others_name():
    """Names that torchtnt, torchdata, tabpfn, fairscale and heavyball take."""
    from torch._dynamo.utils import disable_cache_limit, warn_once
    from torch._ops import _OpNamespace
    from torch.cuda.amp.autocast_mode import autocast  # noqa: F401
    from torch.cuda.amp.grad_scaler import GradScaler
    from torch.cuda.streams import Event, Stream
    from torch.torch_version import TorchVersion
    from torch.utils.data.datapipes.datapipe import _IterDataPipeSerializationWrapper
    from torch.utils.data.datapipes.iter import IterableWrapper

    print(isinstance(torch.ops.aten, _OpNamespace), isinstance(torch.__version__, TorchVersion))
    print(GradScaler is torch.cuda.amp.GradScaler,
          issubclass(Stream, torch.cuda.Stream), issubclass(Event, torch.cuda.Event))
    with disable_cache_limit():
        warn_once("once")
    pipe = _IterDataPipeSerializationWrapper(IterableWrapper([1, 2]))
    print(len(pipe), list(pipe), list(pipe))
    print(torch.autograd._is_checkpoint_valid())


what_others_name()


def what_torchview_brevitas_and_mmengine_name():
    """And spikingjelly, torchlens."""
    from torch._C import ScriptMethod, ScriptObject
    from torch._C._functorch import maybe_current_level
    from torch._jit_internal import boolean_dispatch, boolean_dispatched
    from torch._subclasses.fake_tensor import unset_fake_temporarily
    from torch._utils import _take_tensors
    from torch.jit._state import _enabled
    from torch.nn.modules.conv import _ConvTransposeMixin, _ConvTransposeNd

    print(isinstance(torch.relu, (ScriptMethod, ScriptObject)), _enabled.enabled in (True, False))
    print(issubclass(_ConvTransposeMixin, _ConvTransposeNd))
    tensors = [torch.ones(3), torch.ones(2, dtype=torch.int8), torch.ones(5), torch.ones(1),
               torch.ones(3, dtype=torch.int8), torch.eye(2).to_sparse(), torch.zeros(0)]
    for size in (0, 8, 32, 1000):
        print([[tuple(t.shape) for t in group] for group in _take_tensors(tensors, size)])
    levels = [maybe_current_level()]
    torch.func.grad(lambda x: levels.append(maybe_current_level()) or torch.vmap(
        lambda y: levels.append(maybe_current_level()) or y)(x[None]).sum())(torch.ones(2))
    print(levels, maybe_current_level())
    with unset_fake_temporarily():
        either = boolean_dispatch("down", 1, False, lambda x, down: x.floor(),
                                  lambda x: x.ceil(), __name__, "either")
    print(either(torch.tensor(0.5)), either(torch.tensor(0.5), down=True))
    print({k: v for k, v in boolean_dispatched[either].items() if k[:3] != "if_"})
    print("relu" in dir(torch._C._VariableFunctions), "gelu" in dir(torch._C._nn))


what_torchview_brevitas_and_mmengine_name()


class Computed(type):
    """Of classes that compute their attributes, and refuse those they do not know."""

    def __getattr__(cls, name):
        raise RuntimeError(f"no {name}")


class Injected(metaclass=Computed):
    pass


attempt(lambda: torch.nn.functional.relu(Injected()))
attempt(lambda: torch.nn.ReLU()(torch.ones(1)))
