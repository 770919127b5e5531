"""Files: PyTorch's are read, ours are read by PyTorch, and bad ones do no harm."""

from __future__ import annotations

import argparse
import copy
import gc
import gzip
import importlib
import io
import math
import mmap
import operator
import os
import pickle
import sys
import zipfile
from collections import OrderedDict

import numpy as np
import pytest

import retrograd as torch
from comparing import DATA, torch_is_retrograd
from file_cases import make, objects, plain
from retrograd import serialization
from retrograd.utils import dlpack

FILES = DATA / "files"
NAMES = list(make(torch))
pytest.importorskip("ml_dtypes")


def saved(value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    return file.getvalue()


def loaded(data, **options):
    return torch.load(io.BytesIO(data), **options)


@pytest.mark.parametrize("options", [{}, {"weights_only": False}, {"mmap": True}], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_files_of_pytorch(name, options):
    found = torch.load(FILES / f"{name}.pt", **options)
    if name == "training":  # its values are the subject of other tests
        assert found["net"]._metadata == make(torch)["training"]["net"]._metadata
        torch.testing.assert_close(found, make(torch)["training"])
        return
    assert plain(found) == plain(make(torch)[name])


def test_whole_models_of_pytorch():
    model = torch.load(FILES / "model.pt", weights_only=False)
    assert type(model) is torch.nn.Sequential
    assert model(torch.tensor([[1.0, 2.0]])).tolist() == [[3.0]]
    with pytest.raises(pickle.UnpicklingError, match="GLOBAL torch.nn.modules.container.Sequent"):
        torch.load(FILES / "model.pt")


def rates(schedule):
    """The next learning rates of a schedule."""
    found = []
    for _ in range(5):
        schedule.optimizer.step()
        schedule.step()
        found.append(schedule.get_last_lr())
    return found


def checked_objects(found, torch):
    """What can be done with whole objects that came out of a file."""
    own = objects(torch)
    for one, other in zip(found["schedules"], own["schedules"], strict=True):
        assert one.state_dict().keys() == other.state_dict().keys()
        assert rates(one) == rates(other)
    assert found["scaler"].state_dict() == own["scaler"].state_dict()
    x = torch.tensor([[1.0, 2.0]])
    assert found["traced"](x).equal(own["traced"](x))
    assert found["traced"].code == own["traced"].code
    assert found["functions"] == own["functions"]


@pytest.mark.filterwarnings("ignore:Seems like")
def test_whole_objects_of_pytorch():
    checked_objects(torch.load(FILES / "objects.pt", weights_only=False), torch)
    checked_objects(loaded(saved(objects(torch)), weights_only=False), torch)


@pytest.mark.live
@pytest.mark.filterwarnings("ignore:Seems like")
@pytest.mark.parametrize("protocol", [2, 4])
def test_whole_objects_for_pytorch(protocol):
    real = pytest.importorskip("torch")
    data = saved(objects(torch), pickle_protocol=protocol)
    checked_objects(real.load(io.BytesIO(data), weights_only=False), real)


def test_a_traced_module_that_calls_functions_of_other_modules_is_saved():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    root = graph.call_function(math.sqrt, (4.0,))
    graph.output(graph.call_function(operator.mul, (x, root)))
    found = loaded(saved(torch.fx.GraphModule({}, graph)), weights_only=False)
    assert found(3.0) == 6.0


@pytest.mark.parametrize("name", NAMES)
def test_round_trips(name):
    value = make(torch)[name]
    assert plain(loaded(saved(value))) == plain(value)
    assert plain(loaded(saved(value), weights_only=False)) == plain(value)


@pytest.mark.parametrize("weights_only", [True, False])
def test_files_of_old_pytorch(weights_only):
    found = torch.load(FILES / "old.pt", weights_only=weights_only)
    assert plain(found) == plain(make(torch)["layouts"])
    found["row"][0, 0] = 7
    assert found["whole"][1, 0, 0] == 7
    whole = (FILES / "old.pt").read_bytes()
    for size in range(0, len(whole), 37):
        with pytest.raises((EOFError, pickle.UnpicklingError)):
            loaded(whole[:size])
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        torch.load(FILES / "old.pt", mmap=True)


OLD = [name for name in NAMES if name != "storages"]


@pytest.mark.parametrize("name", OLD)
def test_old_round_trips(name):
    value, file = make(torch)[name], io.BytesIO()
    torch.save(value, file, _use_new_zipfile_serialization=False)
    assert plain(loaded(file.getvalue())) == plain(value)
    assert plain(loaded(file.getvalue(), weights_only=False)) == plain(value)


@pytest.mark.live
@pytest.mark.parametrize("name", OLD)
def test_old_files_for_pytorch_and_from_it(name):
    real = pytest.importorskip("torch")
    for writer, reader in ((torch, real), (real, torch)):
        file, value = io.BytesIO(), make(writer)[name]
        writer.save(value, file, _use_new_zipfile_serialization=False)
        file.seek(0)
        assert plain(reader.load(file)) == plain(value)


def sparse_tensors(torch):
    i, v = torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([1.0, 2.0, 3.0])
    return {"coo": torch.sparse_coo_tensor(i, v, (2, 3)),
            "hybrid": torch.sparse_coo_tensor(i[:1, :2], torch.ones(2, 3), (2, 3)).coalesce(),
            "csr": torch.eye(3).to_sparse_csr(), "csc": torch.ones(2, 3).to_sparse_csc(),
            "parameter": torch.nn.Parameter(torch.eye(2).to_sparse())}


def told(tensors):
    """What is seen of sparse tensors."""
    return {name: (type(t).__name__, str(t.layout), t.requires_grad, t.to_dense().tolist(),
                   t.is_coalesced() if str(t.layout) == "torch.sparse_coo" else None)
            for name, t in tensors.items()}


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("zipped", [True, False])
def test_sparse_tensors_are_made_when_their_numbers_are_there(zipped, weights_only):
    file, value = io.BytesIO(), sparse_tensors(torch)
    torch.save(value, file, _use_new_zipfile_serialization=zipped)
    assert told(loaded(file.getvalue(), weights_only=weights_only)) == told(value)


@pytest.mark.live
@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("zipped", [True, False])
def test_tensors_that_are_computed_for_pytorch_and_from_it(zipped):
    real = pytest.importorskip("torch")
    for writer, reader in ((torch, real), (real, torch)):
        file, value = io.BytesIO(), sparse_tensors(writer)
        writer.save(value, file, _use_new_zipfile_serialization=zipped)
        file.seek(0)
        assert told(reader.load(file)) == told(value)
    z = real.tensor([1 + 2j, 3 - 1j]).conj()
    for expected in (z, z.imag, real.nn.Parameter(z)):
        file = io.BytesIO()
        real.save(expected, file, _use_new_zipfile_serialization=zipped)
        assert loaded(file.getvalue()).tolist() == expected.tolist()
        assert loaded(file.getvalue(), map_location="meta").shape == expected.shape


def of_many_kinds(torch):
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(torch.nn.Linear(2, 1).parameters(), lr=0.1)
    return [
        torch.nn.MultiheadAttention(4, 2), torch.nn.TransformerEncoderLayer(4, 2),
        torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 3),
        torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer),
        torch.optim.Adafactor([torch.ones(2, requires_grad=True)]),
        torch.distributions.LogNormal(torch.zeros(2), torch.ones(2)),
        torch.nn.functional.gelu, torch.Generator().manual_seed(5), torch.ones(2, 3).max(1),
        torch.linalg.svd(torch.ones(2, 2)),
    ]


@pytest.mark.live
@pytest.mark.parametrize("kind", range(10))
def test_objects_for_pytorch_and_from_it(kind):
    real = pytest.importorskip("torch")
    for writer, reader in ((torch, real), (real, torch)):
        file = io.BytesIO()
        writer.save(of_many_kinds(writer)[kind], file)
        file.seek(0)
        found, own = reader.load(file, weights_only=False), of_many_kinds(reader)[kind]
        assert type(found) is type(own)
        if hasattr(own, "state_dict"):
            assert found.state_dict().keys() == own.state_dict().keys()
        elif isinstance(own, torch.Generator | real.Generator):
            assert reader.rand(3, generator=found).equal(reader.rand(3, generator=own))


@pytest.mark.live
def test_plain_pickles_of_pytorch():
    real = pytest.importorskip("torch")
    x = real.arange(3.0)
    x.note = "n"
    data = pickle.dumps([x, x.numpy(), real.add, x.max(0), real.nn.Parameter(x)])
    with torch_is_retrograd():
        found = pickle.loads(data)
    assert [t.tolist() for t in (found[0], found[4])] == [[0, 1, 2]] * 2 and found[0].note == "n"
    assert found[2](1, 2) == 3 and found[3].indices == 2


def test_files_are_written_from_their_beginning_to_their_end(tmp_path):
    value = {"w": torch.arange(300.0)}
    with gzip.open(tmp_path / "file.gz", "wb") as file:
        torch.save(value, file)
    with gzip.open(tmp_path / "file.gz", "rb") as file:
        assert torch.load(file)["w"].equal(value["w"])
    after = io.BytesIO(b"header")
    after.seek(6)
    torch.save(value, after)
    after.seek(6)
    assert torch.load(after)["w"].equal(value["w"])

    class Full(io.BytesIO):
        def write(self, data):
            if self.tell() > 400:
                raise OSError("the disk is full")
            return super().write(data)

    with pytest.raises(OSError, match="the disk is full"):
        torch.save(value, Full())
    gc.collect()                             # nothing tries to write the end


def test_errors_of_the_program_are_its_own():
    def fails(storage, location):
        raise KeyError(location)

    with pytest.raises(KeyError, match="cpu"):
        loaded(WHOLE, map_location=fails)
    with pytest.raises(TypeError, match="'int' object is not callable"):
        loaded(WHOLE, map_location=5)
    with pytest.raises(TypeError, match="must return a storage or None"):
        loaded(WHOLE, map_location=lambda storage, location: 7)
    with pytest.warns(UserWarning, match="pickle_load_args only works if"), \
            pytest.raises(TypeError, match="unexpected keyword argument 'encodings'"):
        loaded(WHOLE, encodings="latin1")


class Slots:
    __slots__ = ("a",)


def test_names_of_python_2_and_classes_with_slots_alone():
    slots = Slots()
    slots.a = [range(3), 2**70]
    with serialization.safe_globals([Slots, range]):
        assert loaded(saved(slots)).a == slots.a
    unsafe = serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(saved([range(2), list])))
    assert unsafe == ["builtins.list", "builtins.range"]


def test_hooks_are_not_saved():
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="on tensor will not be serialized"):
        assert loaded(saved(x)).tolist() == [1, 1]


def test_files_need_only_read_seek_and_tell():
    class Bare:
        def __init__(self, data):
            file = io.BytesIO(data)
            self.read, self.seek, self.tell = file.read, file.seek, file.tell

    assert torch.load(Bare(saved(torch.ones(2)))).tolist() == [1.0, 1.0]
    with pytest.raises(AttributeError, match="'Reader' object has no attribute 'seek'. You can"):
        torch.load(type("Reader", (), {"read": None})())


@pytest.mark.live
@pytest.mark.parametrize("name", NAMES)
def test_files_for_pytorch(name, tmp_path):
    real = pytest.importorskip("torch")
    path = tmp_path / "file.pt"
    torch.save(make(torch)[name], path)
    found = real.load(path)
    if name == "training":
        for key, value in found["net"].items():
            np.testing.assert_allclose(value, make(real)["training"]["net"][key], rtol=1e-5)
    else:
        assert plain(found) == plain(make(real)[name])
    real.save(make(real)[name], path)
    assert plain(torch.load(path)) == plain(found) or name == "training"
    model = torch.nn.Linear(2, 1)
    torch.save(model, path)
    assert real.load(path, weights_only=False).weight.tolist() == model.weight.tolist()


def test_shared_memory_is_shared_again():
    x = torch.zeros(2, 3)
    for copied in (loaded(saved([x, x[1], x.t()])), copy.deepcopy([x, x[1], x.t()])):
        copied[0][1, 2] = 5
        assert copied[1][2] == 5 and copied[2][2, 1] == 5


def test_pickles():
    for value in make(torch).values():
        assert plain(pickle.loads(pickle.dumps(value))) == plain(value)
    model = torch.nn.Linear(2, 1)
    again = pickle.loads(pickle.dumps(model))
    assert again.weight.tolist() == model.weight.tolist() and again.weight.requires_grad
    result = torch.max(torch.eye(2), 0)
    assert repr(pickle.loads(pickle.dumps(result))) == repr(result)


class Celsius(torch.Tensor):
    pass


def test_subclasses_and_attributes():
    t = torch.ones(2).as_subclass(Celsius)
    t.place = "lab"
    for found in (pickle.loads(pickle.dumps(t)), loaded(saved(t), weights_only=False)):
        assert type(found) is Celsius and found.place == "lab" and found.tolist() == [1, 1]
    with pytest.raises(pickle.UnpicklingError, match="test_serialization.Celsius was not an"):
        loaded(saved(t))
    with serialization.safe_globals([Celsius]):
        assert type(loaded(saved(t))) is Celsius


def test_byte_orders():
    swapped = np.arange(4).byteswap().tobytes()

    def in_order(record):
        def change(name, part):
            if name.endswith("byteorder"):
                return record
            return swapped if name.endswith("data/0") else part

        return rewritten(change)

    assert loaded(in_order(b"big"))["w"].tolist() == [0, 1, 2, 3]
    assert loaded(in_order(None))["w"].tolist()[1] == 1 << 56
    serialization.set_default_load_endianness(serialization.LoadEndianness.BIG)
    try:
        assert loaded(in_order(None))["w"].tolist() == [0, 1, 2, 3]
    finally:
        serialization.set_default_load_endianness(None)
    assert serialization.get_default_load_endianness() is None


def test_the_archive_is_aligned_and_named_as_pytorchs(tmp_path):
    torch.save({"w": torch.ones(3), "v": torch.ones(1)}, tmp_path / "model.pt")
    with zipfile.ZipFile(tmp_path / "model.pt") as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        for info in archive.infolist():
            start = info.header_offset + 30 + len(info.filename) + len(info.extra)
            assert start % 64 == 0 or "/data/" not in info.filename
    with zipfile.ZipFile(FILES / "layouts.pt") as archive:
        theirs = [name.partition("/")[2] for name in archive.namelist()]
    assert names[0] == "model/data.pkl"
    assert {n.partition("/")[2] for n in names} <= set(theirs)


def test_mapped_files_are_not_changed(tmp_path):
    path = tmp_path / "w.pt"
    torch.save(torch.zeros(3), path)
    mapped = torch.load(path, mmap=True)
    mapped[0] = 1
    assert torch.load(path).tolist() == [0, 0, 0]


def test_the_location_meta():
    w = loaded(saved({"w": torch.arange(6.0).reshape(2, 3).t()}), map_location="meta")["w"]
    assert w.is_meta and w.shape == (3, 2) and w.stride() == (1, 3)


def test_files_of_the_old_format_load_to_meta_too():
    file = io.BytesIO()
    torch.save({"w": torch.arange(6.0).reshape(2, 3).t()}, file,
               _use_new_zipfile_serialization=False)
    file.seek(0)
    w = torch.load(file, map_location="meta")["w"]
    assert w.is_meta and w.shape == (3, 2) and w.stride() == (1, 3)


def test_locations():
    data = saved(torch.ones(1))
    moved = data.replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0")

    def with_location(change):
        return rewritten(lambda name, part: change(part) if name.endswith(".pkl") else part)

    assert data != moved
    foreign = with_location(lambda part: part.replace(b"\x03\0\0\0cpu", b"\x06\0\0\0cuda:0"))
    with pytest.raises(RuntimeError, match="torch.cuda.is_available\\(\\) is False"):
        loaded(foreign)
    for location in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda s, place: s):
        assert loaded(foreign, map_location=location)["w"].tolist() == [0, 1, 2, 3]


def test_other_pickle_modules():
    class Module:
        Pickler, Unpickler = pickle.Pickler, pickle.Unpickler

    data = saved([torch.ones(2)], pickle_module=Module)
    assert loaded(data, pickle_module=Module)[0].tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="explicit pickle_module is specified"):
        loaded(data, pickle_module=Module, weights_only=True)


def test_a_pickle_module_is_asked_for_the_names_in_the_file():
    """One that allows few classes lists torch.X, where `import torch` is retrograd."""
    asked = []

    class Unpickler(pickle.Unpickler):
        def find_class(self, module, name):
            asked.append(module)
            return super().find_class(module, name)

    class Module:
        pass

    Module.Unpickler = Unpickler
    data = saved(OrderedDict(w=torch.ones(2)))
    with torch_is_retrograd():
        importlib.import_module("torch")
        assert loaded(data, pickle_module=Module, weights_only=False)["w"].tolist() == [1, 1]
    assert set(asked) == {"collections", "torch._utils"}
    asked.clear()
    loaded(data, pickle_module=Module, weights_only=False)
    assert "retrograd._utils" in asked              # torch may be PyTorch here, or missing


# ------------------------------------------------------------------------------ refusals


class Evil:
    def __reduce__(self):
        return os.system, ("exit 1",)


class Sneaky:
    """Asks for an allowed function's insides."""

    def __reduce__(self):
        return getattr, (serialization.load, "__globals__")


def test_what_is_not_data_is_refused():
    for value, name in ((argparse.Namespace(a=1), "argparse.Namespace"), (Sneaky(), "getattr")):
        with pytest.raises(pickle.UnpicklingError) as error:
            loaded(saved(value))
        text = str(error.value)
        assert text.startswith("Weights only load failed. This file can still be loaded, to do so")
        assert f"GLOBAL {name} was not an allowed global by default. Please use `torch" in text
    with pytest.raises(pickle.UnpicklingError, match="whose module posix is blocked"):
        loaded(saved(Evil()))


def assembled(*instructions):
    """A file whose pickle is written by hand."""
    body = pickle.PROTO + b"\x02" + b"".join(instructions) + pickle.STOP
    return rewritten(lambda name, part: body if name.endswith("data.pkl") else part)


TEXT = pickle.BINUNICODE + b"\x01\0\0\0a"


def tensor_of(sizes, strides, metadata=b"}"):
    """Instructions that make a tensor with these sizes and strides over the four numbers."""
    long = [b"\x8a\x08" + n.to_bytes(8, "little") for n in (*sizes, *strides)]
    shape, steps = (b"(" + b"".join(part) + b"t" for part in (long[:len(sizes)], long[len(sizes):]))
    storage = b"(X\7\0\0\0storagectorch\nLongStorage\nX\1\0\0\0000X\3\0\0\0cpuK\4tQ"
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"K\0" + shape + steps + b"\x89}"
            + metadata + b"tR")


ENDLESS = tensor_of([10**10, 2], [0, 1])          # to go through it takes hours
DEEP = pickle.EMPTY_TUPLE + pickle.TUPLE1 * 10**5   # to hash it ends the process


@pytest.mark.parametrize(
    "instructions, message",
    [
        ((b"ccollections\nOrderedDict\n", pickle.EMPTY_DICT, pickle.BUILD), "Can only build"),
        ((b"ctorch\nTensor\n", TEXT, TEXT, pickle.SETITEM), "Can only SETITEM for dict"),
        ((pickle.EMPTY_TUPLE, TEXT, pickle.APPEND), "Can only append to lists"),
        ((TEXT, pickle.EMPTY_TUPLE, pickle.REDUCE), "Trying to call reduce for unrecognized"),
        ((TEXT, pickle.EMPTY_TUPLE, pickle.NEWOBJ), "Can only create new object for nn.Param"),
        ((TEXT, pickle.BINPERSID), "persistent_load id must be tuple or int, but got"),
        ((TEXT, pickle.TUPLE1, pickle.BINPERSID), "Only persistent_load of storage is allowed"),
        ((pickle.BINGET, b"\x09"), "pickle data was truncated or is damaged"),
        ((pickle.APPEND,), "pickle data was truncated or is damaged"),
        ((pickle.BINUNICODE, b"\xff\xff\xff\xffab"), "pickle data was truncated or is damaged"),
        ((b"cbuiltins\nbytearray\n", pickle.BININT, b"\xff\xff\xff\x7f", pickle.TUPLE1,
          pickle.REDUCE), "Can only make a bytearray from data"),
        ((pickle.DUP,), "Unsupported operand"),
        ((b"cbuiltins\nset\n", ENDLESS, pickle.TUPLE1, pickle.REDUCE), "Can only make a set from"),
        ((b"ccollections\nCounter\n", ENDLESS, pickle.TUPLE1, pickle.REDUCE), "a Counter from"),
        ((b"ccollections\nOrderedDict\n]", ENDLESS, pickle.APPEND, pickle.TUPLE1, pickle.REDUCE),
         "Can only make an OrderedDict from pairs"),
        ((b"ccollections\nOrderedDict\n)R", ENDLESS, pickle.BUILD), "state of an instance is a"),
        ((b"ctorch.storage\nUntypedStorage\n", ENDLESS, pickle.TUPLE1, pickle.REDUCE),
         "Trying to call reduce for unrecognized"),
        ((pickle.EMPTY_DICT, DEEP, pickle.NONE, pickle.SETITEM), "a tuple with too many values"),
        ((b"cbuiltins\nset\n]", DEEP, pickle.APPEND, pickle.TUPLE1, pickle.REDUCE),
         "a tuple with too many values"),
        ((b"(X\7\0\0\0storagectorch\nFloatStorage\n", DEEP, TEXT, b"K\4t", pickle.BINPERSID),
         "a name is a <class 'tuple'>"),
        ((pickle.EMPTY_LIST * 5000, pickle.APPEND * 4999, b"q\0(X\7\0\0\0storageh\0", TEXT, TEXT,
          b"K\4t", pickle.BINPERSID), "not a storage: <class 'list'>"),
    ],
    ids=range(21),
)  # fmt: skip
def test_pickles_that_try_something(instructions, message):
    with pytest.raises(pickle.UnpicklingError, match=message):
        loaded(assembled(*instructions))


def rewritten(change):
    """A file with its records changed; None leaves one out, a tuple renames it."""
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(saved({"w": torch.arange(4)}))) as old,
        zipfile.ZipFile(result, "w") as new,
    ):
        for info in old.infolist():
            part = change(info.filename, old.read(info))
            if isinstance(part, tuple):
                new.writestr(*part)
            elif part is not None:
                new.writestr(info.filename, part)
    return result.getvalue()


def replaced(ending, new):
    return lambda name, part: new(part) if name.endswith(ending) else part


WHOLE = saved({"w": torch.arange(4)})
BAD_FILES = {
    "cut": (WHOLE[:-100], RuntimeError, "failed finding central directory"),
    "start alone": (WHOLE[:300], RuntimeError, "failed finding central directory"),
    "nothing": (b"", EOFError, "^$"),
    "no archive": (b"\0 some text", pickle.UnpicklingError, "Unsupported operand 0"),
    "flipped bit": (
        WHOLE.replace(np.arange(4).tobytes(), np.arange(1, 5).tobytes()),
        RuntimeError, "failed reading file data/0: Bad CRC-32",
    ),
    "short storage": (
        rewritten(replaced("data/0", lambda part: part[:20])),
        RuntimeError, r"record size \(20 bytes\) does not match expected size \(32 bytes",
    ),
    "no storage": (
        rewritten(replaced("data/0", lambda part: None)),
        RuntimeError, "failed locating file data/0: file not found",
    ),
    "no pickle": (
        rewritten(replaced("data.pkl", lambda part: None)),
        RuntimeError, "failed locating file data.pkl: file not found",
    ),
    "no version": (
        rewritten(replaced("version", lambda part: None)),
        RuntimeError, r'Expected hasRecord\("version"\) to be true',
    ),
    "no folder": (
        rewritten(lambda name, part: (name.partition("/")[2], part)),
        RuntimeError, "file in archive is not in a subdirectory: data.pkl",
    ),
    "path out of the archive": (
        rewritten(lambda name, part: (f"../../{name}", part)),
        RuntimeError, r'Expected hasRecord\("version"\) to be true',
    ),
    "cut pickle": (
        rewritten(replaced("data.pkl", lambda part: part[:40])),
        pickle.UnpicklingError, "Weights only load failed",
    ),
    "unknown byte order": (
        rewritten(replaced("byteorder", lambda part: b"middle")),
        ValueError, "Unknown endianness type: middle",
    ),
    "sizes past the storage": (
        rewritten(replaced("data.pkl", lambda part: part.replace(b"K\x04\x85", b"K\x05\x85"))),
        RuntimeError, r"setStorage: sizes \[5\], strides \[1\], storage offset 0, and itemsize 8 "
        "requiring a storage size of 40 are out of bounds for storage of size 32",
    ),
    "negative size": (
        rewritten(
            replaced("data.pkl", lambda part: part.replace(b"K\x04\x85", b"J\xff\xff\xff\xff\x85"))
        ),
        RuntimeError, "a tensor cannot have sizes",
    ),
    "storage past the record": (
        rewritten(
            replaced("data.pkl", lambda part: part.replace(b"K\x04t", b"J\xff\xff\xff\x7ft"))
        ),
        RuntimeError, "does not match expected size",
    ),
    "path as a key": (
        rewritten(
            replaced("data.pkl", lambda part: part.replace(b"\x01\0\0\0000", b"\x05\0\0\0../..") )
        ),
        RuntimeError, "failed locating file data/../..: file not found",
    ),
    "local header of another record": (
        WHOLE.replace(b"archive/data/0", b"archive/data/9", 1),
        RuntimeError, "failed reading file data/0: File name in directory",
    ),
    "an attribute that a tensor consists of": (
        rewritten(replaced("data.pkl", lambda part: (
            b"\x80\x02ctorch._utils\n_rebuild_parameter_with_state\n"
            b"(ctorch\nTensor\nK\x01\x85R\x89}}X\x05\0\0\0_dataX\x01\0\0\0astR."))),
        pickle.UnpicklingError, "a file cannot set the attribute '_data' of a tensor",
    ),
    "more than the memory": (
        rewritten(replaced("data.pkl", lambda part: (
            b"\x80\x02ctorch\nTensor\n\x8a\x08\0\0\0\0\0\0\0\x01\x85R."))),
        pickle.UnpicklingError, "MemoryError",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(name):
    data, kind, message = BAD_FILES[name]
    with pytest.raises(kind, match=message):
        loaded(data)


@pytest.mark.parametrize("name", ["cut", "short storage", "sizes past the storage"])
def test_bad_files_mapped(name, tmp_path):
    path = tmp_path / "bad.pt"
    path.write_bytes(BAD_FILES[name][0])
    with pytest.raises(RuntimeError):
        torch.load(path, mmap=True)


def bomb():
    """A compressed record of zeros, a thousand times larger than the file."""
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({}, 2))
        archive.writestr("archive/version", b"3")
        with archive.open("archive/byteorder", "w") as record:
            for _ in range(100):
                record.write(bytes(1 << 20))
    return result.getvalue()


def test_small_files_do_not_become_huge():
    with pytest.raises(RuntimeError, match="would become 104857607 bytes"):
        loaded(bomb())
    overlapping = bytearray(WHOLE)
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as archive:
        directory = archive.start_dir
        target = archive.getinfo("archive/data/0").header_offset
    second = WHOLE.index(b"PK\1\2", directory + 4)
    overlapping[second + 42:second + 46] = target.to_bytes(4, "little")
    with pytest.raises(RuntimeError, match="overlaps another one"):
        loaded(bytes(overlapping))


@pytest.mark.parametrize("tensor", [
    tensor_of([10**10], [0], b"}X\3\0\0\0neg\x88s"),
    tensor_of([10**5, 10**5], [0, 0], b"}X\4\0\0\0conj\x88s"),
    b"ctorch._utils\n_rebuild_sparse_tensor\n(ctorch.serialization\n_get_layout\n"
    b"X\x10\0\0\0torch.sparse_coo\x85R(" + tensor_of([1, 10**10], [0, 0])
    + tensor_of([10**10], [0]) + b"K\4\x85ttR",
], ids=["negated", "conjugated", "sparse"])  # fmt: skip
def test_few_bytes_are_not_copied_without_end(tensor):
    with pytest.raises(RuntimeError, match="a tensor of 32 bytes in the file shows 80000000000"):
        loaded(assembled(tensor))


def test_many_compressed_records_do_not_become_huge():
    result = io.BytesIO(WHOLE)
    with zipfile.ZipFile(result, "a", zipfile.ZIP_DEFLATED) as archive:
        for i in range(3):
            archive.writestr(f"archive/data/{i + 1}", bytes(30 << 20))
    with pytest.raises(RuntimeError, match="more than a hundred times as many"):
        loaded(result.getvalue())


def old_file(*parts):
    head = serialization.load_old.__globals__["MAGIC_NUMBER"], 1001, {"little_endian": True}
    return b"".join(pickle.dumps(h, 2) for h in head) + b"".join(b"\x80\2" + p for p in parts)


OLD_STORAGE = b"(X\7\0\0\0storagectorch\nByteStorage\nX\1\0\0\000%dX\3\0\0\0cpuK\x40NtQ"


@pytest.mark.parametrize("parts, message", [
    ((OLD_STORAGE % 0 + b".", b"]."), "does not list all of its storages"),
    ((b"N.", b"ctorch\nSize\n."), "does not list all of its storages"),
    ((b"(" + b"".join(OLD_STORAGE % i for i in range(10)) + b"t.", b"]."), "larger than the file"),
], ids=["left out", "no list", "too many"])  # fmt: skip
def test_bad_old_files(parts, message):
    with pytest.raises(pickle.UnpicklingError, match=message):
        loaded(old_file(*parts))


def test_archives_of_other_kinds():
    tar = b"a" * 257 + b"ustar"
    with pytest.raises(RuntimeError, match="^Cannot use ``weights_only=True`` with files saved in "
                                           "the legacy .tar format. In PyTorch 2.6, we changed"):
        loaded(tar)
    with pytest.raises(NotImplementedError, match="legacy .tar format"):
        loaded(tar, weights_only=False)


def test_what_a_file_says_of_a_tensor_beside_its_numbers_is_a_dict():
    with pytest.raises((RuntimeError, pickle.UnpicklingError), match="metadata .* not tuple"):
        loaded(assembled(tensor_of([2], [1], b"K\1\x85")))


def test_a_byte_order_that_is_no_text_is_refused_like_any_other():
    data = rewritten(lambda name, part: b"\xff\xfe" if name.endswith("byteorder") else part)
    with pytest.raises(ValueError, match=r"^Unknown endianness type: \\xff\\xfe"):
        loaded(data)


def test_every_cut_and_many_changes_of_a_file_are_errors_or_harmless():
    rng = np.random.default_rng(0)
    for size in rng.integers(0, len(WHOLE), 40):
        with pytest.raises((RuntimeError, EOFError, pickle.UnpicklingError)):
            loaded(WHOLE[:size])
    for _ in range(200):
        data = bytearray(WHOLE)
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        try:
            loaded(bytes(data))
        except (RuntimeError, pickle.UnpicklingError):
            pass


def test_bad_paths_and_files_raise_pytorchs_words(tmp_path):
    with pytest.raises(RuntimeError, match="Parent directory .*none does not exist."):
        torch.save(1, tmp_path / "none" / "x.pt")
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like obj"):
        torch.save(1, 3)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'seek'. You can only"):
        torch.load(3)
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        loaded(WHOLE, mmap=True)
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        saved([x, x.view(torch.int32)])


def test_safe_globals():
    assert serialization.get_safe_globals() == []
    data = saved(argparse.Namespace(a=1))
    assert serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == [
        "argparse.Namespace"
    ]
    serialization.add_safe_globals([argparse.Namespace])
    try:
        assert loaded(data).a == 1
        assert serialization.get_safe_globals() == [argparse.Namespace]
    finally:
        serialization.clear_safe_globals()
    with serialization.safe_globals([(argparse.Namespace, "argparse.Namespace")]):
        assert loaded(data).a == 1


def test_environment_variables(monkeypatch):
    data = saved(argparse.Namespace(a=1))
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert loaded(data).a == 1
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match="but both were set"):
        loaded(data)
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with pytest.raises(pickle.UnpicklingError):
        loaded(data, weights_only=False)


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages_share_memory_and_are_saved():
    x = torch.arange(4, dtype=torch.int16)
    storage = x[1:].untyped_storage()
    assert storage.nbytes() == 8 and storage.data_ptr() == x.data_ptr()
    assert storage.tolist() == [0, 0, 1, 0, 2, 0, 3, 0]
    typed = x.storage()
    assert typed.tolist() == [0, 1, 2, 3] and typed.size() == 4 and typed[2] == 2
    typed[0] = 9
    assert x[0] == 9
    assert loaded(saved(typed)).tolist() == [9, 1, 2, 3]


def test_safetensors(tmp_path):
    numpy_side = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "w.safetensors"
    numpy_side.save_file({"w": np.ones(2, np.float32)}, path)
    assert torch.load(path)["w"].tolist() == [1, 1]


def test_dlpack_shares_memory():
    array = np.zeros(3)
    tensor = torch.from_dlpack(array)

    class Exporting:
        __dlpack__, __dlpack_device__ = array.__dlpack__, array.__dlpack_device__

    shared, copied = torch.as_tensor(Exporting()), torch.tensor(Exporting(), dtype=torch.float64)
    array[0] = 7
    assert shared[0] == 7 and copied[0] == 0 and copied.dtype == torch.float64
    tensor[0] = 1
    if torch.utils.dlpack.asks_for_flags():
        np.from_dlpack(tensor)[1] = 2
    else:
        tensor[1] = 2
    torch.from_dlpack(torch.utils.dlpack.to_dlpack(tensor))[2] = 3
    assert array.tolist() == [1, 2, 3]
    with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
        tensor.requires_grad_().__dlpack__()


def test_dlpack_of_a_numpy_that_knows_no_options():
    class Old(np.ndarray):
        def __dlpack__(self, *, stream=None):                   # NumPy 2.0's
            return super().__dlpack__(stream=stream)
    array = np.arange(3.0).view(Old)
    for copied in (False, True):
        capsule = dlpack.capsule_of(array, {"max_version": (1, 0), "copy": copied})
        assert torch.from_dlpack(capsule).tolist() == [0.0, 1.0, 2.0]


def test_dlpack_takes_bfloat16():
    pytest.importorskip("ml_dtypes")
    x = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
    for taken in torch.from_dlpack(x.T), torch.from_dlpack(torch.utils.dlpack.to_dlpack(x.T)):
        assert taken.dtype is torch.bfloat16 and taken.stride() == (1, 3)
        taken[0] += 1
    assert x.tolist() == [[2, 1, 2], [5, 4, 5]]
    with pytest.raises(RuntimeError, match="invalid capsule"):
        torch.from_dlpack(3)


@pytest.mark.live
def test_dlpack_exchanges_bfloat16_with_pytorch():
    real = pytest.importorskip("torch")
    pytest.importorskip("ml_dtypes")
    x = torch.arange(4, dtype=torch.bfloat16)
    theirs = real.from_dlpack(x)
    theirs[1:] *= 2
    ours = torch.from_dlpack(theirs[::2])
    ours[1] += 1
    assert theirs.dtype is real.bfloat16 and x.tolist() == [0, 2, 5, 6]


class Tagged(torch.Tensor):
    __slots__ = ("tag",)


class Stateful(torch.Tensor):
    def __getstate__(self):
        return "state", self.note

    def __setstate__(self, state):
        self.kind, self.note = state


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_subclasses_keep_slots_and_say_their_state(device):
    tagged = torch.ones(2, device=device).as_subclass(Tagged)
    tagged.tag, tagged.note = "tag", "note"
    stateful = torch.ones(2, device=device).as_subclass(Stateful)
    stateful.note = "note"
    for again in (lambda x: loaded(saved(x), weights_only=False), copy.deepcopy):
        found = again(tagged)
        assert (type(found), found.tag, found.note, found.device.type) == \
            (Tagged, "tag", "note", device)
    found = loaded(saved(stateful), weights_only=False)
    assert (type(found), found.kind, found.note) == (Stateful, "state", "note")


def test_parameters_keep_attributes():
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.note = [1]
    assert loaded(saved(parameter)).note == [1]


def test_data_can_be_skipped():
    value = {"w": torch.arange(3.0)}
    with torch.serialization.skip_data():
        empty = saved(value)
        assert loaded(saved(value))["w"].shape == (3,)
    assert len(empty) == len(saved(value))
    assert loaded(empty)["w"].tolist() == [0, 0, 0]


def test_shared_mapping_writes_back(tmp_path):
    path = tmp_path / "w.pt"
    torch.save(torch.zeros(3), path)
    with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        torch.load(path, mmap=True).fill_(2)
    torch.load(path, mmap=True).fill_(3)                 # MAP_PRIVATE again
    assert torch.load(path, mmap=True).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="expected mmap.MAP_PRIVATE or mmap.MAP_SHARED"):
        torch.serialization.set_default_mmap_options(12)


def test_files_without_checksums():
    data = bytearray(WHOLE)
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as archive:
        checksums = [(info.header_offset + 14, info.CRC) for info in archive.infolist()]
    for place, checksum in checksums:
        data[place:place + 4] = bytes(4)
        data = data.replace(checksum.to_bytes(4, "little"), bytes(4))
    assert loaded(bytes(data))["w"].tolist() == [0, 1, 2, 3]


def test_strings_of_python_2():
    old = saved([torch.ones(1)], _use_new_zipfile_serialization=False)
    text = old.replace(b"]q\x00", b"]q\x00U\x02\xc5\xbca", 1)      # before the tensor: two bytes
    assert text != old
    with pytest.warns(UserWarning, match="pickle_load_args only works"):
        assert loaded(text, encoding="bytes")[0] == b"\xc5\xbc"
    assert loaded(text, encoding="utf-8", weights_only=False)[0] == "\u017c"
    assert loaded(text, encoding="bytes", weights_only=False)[0] == b"\xc5\xbc"


def test_what_has_no_name_in_a_module_fails_as_in_pickle():
    """With the error of Python's own pickler, which torch.save uses in PyTorch."""
    def inside():
        """Of no module."""

    for unnamed in (inside, lambda: 1):
        with pytest.raises((AttributeError, pickle.PicklingError)) as expected:
            pickle.dumps(unnamed)
        with pytest.raises(expected.type) as found:
            torch.save({"f": unnamed}, io.BytesIO())
        assert str(found.value) == str(expected.value)


def test_plain_pickles_where_torch_is_not_this_package():
    """pickle looks for a class under its name, which for some is PyTorch's at all times."""
    noted = torch.ones(2)
    noted.note = "mine"
    again = pickle.loads(pickle.dumps(noted))
    assert type(again) is torch.Tensor and again.note == "mine" and again.tolist() == [1, 1]
    buffer = pickle.loads(pickle.dumps(torch.nn.Buffer(torch.ones(2))))
    assert isinstance(buffer, torch.nn.Buffer) and copy.copy(noted).note == "mine"

    class Mine(torch.linalg.LinAlgError):
        pass
    for error in (torch.linalg.LinAlgError, torch.OutOfMemoryError, torch.AcceleratorError):
        again = pickle.loads(pickle.dumps(error("no", 3)))
        assert type(again) is error and again.args == ("no", 3)
    with pytest.raises((pickle.PicklingError, AttributeError), match="Mine"):
        pickle.dumps(Mine())


def test_files_keep_attributes_in_pytorchs_form():
    noted, file = torch.ones(2), io.BytesIO()
    noted.note = "mine"
    torch.save(noted, file)
    with zipfile.ZipFile(file) as archive:
        pickled = archive.read("archive/data.pkl")
    assert b"torch._tensor\n_rebuild_from_type_v2" in pickled and b"torch\nTensor" in pickled
    file.seek(0)
    assert torch.load(file, weights_only=False).note == "mine"


# --------------------------------------------------------------------------- storages of buffers

NATIVE = sys.byteorder
FOREIGN = "big" if NATIVE == "little" else "little"


def test_a_storage_of_a_buffers_bytes():
    buffer = bytearray(b"abcdefgh")
    storage = torch.UntypedStorage.from_buffer(buffer, byte_order=NATIVE, dtype=torch.int16,
                                               offset=2, count=2)
    assert bytes(storage.tolist()) == b"cdef"
    swapped = torch.UntypedStorage.from_buffer(buffer, byte_order=FOREIGN, dtype=torch.int32)
    assert bytes(swapped.tolist()) == b"dcbahgfe"
    buffer[2] = 0
    assert bytes(storage.tolist()) == b"cdef"                # a copy
    assert storage.to(device="cpu") is storage and not storage.is_pinned()
    typed = torch.FloatStorage.from_buffer(bytes(8), NATIVE)
    assert typed.tolist() == [0.0, 0.0] and typed.to(device="cpu") is typed
    for kind in (storage, typed):
        with pytest.raises(RuntimeError, match="^Cannot access accelerator device when none is"):
            kind.pin_memory()


@pytest.mark.parametrize(("options", "error", "message"), [
    ({}, RuntimeError, "missing required argument 'byte_order'"),
    ({"byte_order": "x"}, ValueError, "^invalid byte_order 'x'"),
    ({"byte_order": "big", "offset": 1}, ValueError, "must be a multiple of element size \\(2\\)"),
    ({"byte_order": "big", "offset": 5}, ValueError, "no greater than buffer length \\(5\\) , "),
    ({"byte_order": "big", "count": 5}, ValueError, "has only 4 elements after offset 0, but"),
])
def test_buffers_that_are_no_storage(options, error, message):
    with pytest.raises(error, match=message):
        torch.UntypedStorage.from_buffer(b"abcd", dtype=torch.int16, **options)


def test_the_older_class_of_a_storage():
    assert torch.ones(2, dtype=torch.float64).storage_type() is torch.DoubleStorage
    x = torch.ones(2)
    assert x.const_data_ptr() == x.data_ptr() != 0
