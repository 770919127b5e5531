"""Data pipes against PyTorch: what they yield, how long they are, what they refuse."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import retrograd as torch
from comparing import load
from pipe_cases import EXPRESSIONS, double, run
from retrograd.utils.data import DataLoader, IterDataPipe, functional_datapipe, non_deterministic
from retrograd.utils.data import guaranteed_datapipes_determinism as determinism
from retrograd.utils.data.datapipes.iter import IterableWrapper
from retrograd.utils.data.graph_settings import apply_sharding

RECORDED = load("pipes.json")


@pytest.mark.parametrize("code", EXPRESSIONS)
def test_as_recorded(code):
    assert run(torch, code) == RECORDED[code]


@pytest.mark.live
def test_live():
    real = pytest.importorskip("torch")
    for code in EXPRESSIONS:
        if "workers" not in code:
            assert run(torch, code) == run(real, code), code


def test_a_pipe_of_ones_own_is_a_method():
    @functional_datapipe("doubled_here")
    class Doubled(IterDataPipe):
        def __init__(self, datapipe):
            self.datapipe = datapipe

        def __iter__(self):
            for x in self.datapipe:
                yield 2 * x

    try:
        pipe = IterableWrapper([1, 2]).doubled_here()
        assert type(pipe) is Doubled and list(pipe) == [2, 4] == list(pipe)
        with pytest.raises(Exception, match="doubled_here as it is already taken"):
            functional_datapipe("doubled_here")(Doubled)
    finally:
        del IterDataPipe.functions["doubled_here"]


def test_only_the_last_iterator_goes_on():
    pipe = IterableWrapper(range(3))
    first, second = iter(pipe), iter(pipe)
    assert next(first) == 0 and next(second) == 0
    with pytest.raises(RuntimeError, match="has been invalidated because another iterator"):
        next(first)
    assert list(second) == [1, 2]


def test_a_pipe_that_is_its_own_iterator():
    class Countdown(IterDataPipe):
        def reset(self):
            self.n = 3

        def __iter__(self):
            return self

        def __next__(self):
            if self.n == 0:
                raise StopIteration
            self.n -= 1
            return self.n

    assert list(Countdown()) == [2, 1, 0]
    assert list(Countdown().map(double)) == [4, 2, 0]


def test_pipes_say_what_they_yield():
    class Numbers(IterDataPipe[int]):
        def __iter__(self):
            return iter([1, 2])

    assert list(Numbers().map(double)) == [2, 4]
    assert Numbers().batch.__doc__ == type(Numbers().batch(1)).__doc__


def test_shards_of_an_older_pipe():
    class Older(IterDataPipe):
        def __init__(self, source):
            self.source = source

        def apply_sharding(self, count, mine):
            self.part = slice(mine, None, count)

        def __iter__(self):
            return iter(self.source[self.part])

    assert list(apply_sharding(Older(range(7)), 3, 1)) == [1, 4]


def test_forks_under_way_are_pickled_and_begin_anew():
    first, second = IterableWrapper(range(3)).fork(2)
    iterator = iter(first)
    assert next(iterator) == 0
    assert [list(pipe) for pipe in pickle.loads(pickle.dumps((first, second)))] == [[0, 1, 2]] * 2
    assert list(iterator) == [1, 2] and list(second) == [0, 1, 2]


def test_pipes_are_pickled_with_their_settings():
    pipe = IterableWrapper(range(5)).shuffle().map(double).sharding_filter()
    pipe.apply_sharding(2, 1)
    again = pickle.loads(pickle.dumps(pipe))
    torch.manual_seed(0)
    expected = list(pipe)
    torch.manual_seed(0)
    assert list(again) == expected and len(again) == 2


def test_workers_share_the_order_and_split_it():
    loader = DataLoader(IterableWrapper(range(20)).shuffle().sharding_filter(), 4, num_workers=2)
    assert sorted(x for batch in loader for x in batch.tolist()) == list(range(20))


def test_a_loader_that_shuffles_adds_a_shuffler():
    with pytest.warns(UserWarning, match="does not contain a `Shuffler`"):
        loader = DataLoader(IterableWrapper(range(50)), 50, shuffle=True)
    (batch,) = loader
    assert batch.tolist() != list(range(50)) and sorted(batch.tolist()) == list(range(50))


def test_marked_pipes_are_refused_where_determinism_is_asked_for():
    @non_deterministic
    class Random(IterDataPipe):
        pass

    Random()
    with determinism(), pytest.raises(TypeError, match="Random is non-deterministic"):
        Random()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "inner").mkdir()
    for name, text in {"b.txt": "two", "a.txt": "one", "c.bin": "12345", "inner/d.txt": ""}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def names(pipe):
    return [Path(path).name for path in pipe]


def test_files_are_listed_in_order(folder):
    from retrograd.utils.data.datapipes.iter import FileLister, IterableWrapper
    assert names(FileLister(str(folder))) == ["a.txt", "b.txt", "c.bin"]
    assert names(FileLister(str(folder), "*.txt", recursive=True)) == ["a.txt", "b.txt", "d.txt"]
    assert names(FileLister([str(folder), str(folder / "c.bin")], ["*.bin", "a*"])) == \
        ["a.txt", "c.bin", "c.bin"]
    roots = IterableWrapper([str(folder / "inner")])
    assert names(roots.list_files()) == ["d.txt"]
    assert len(FileLister(str(folder), length=3)) == 3
    with pytest.raises(TypeError, match="FileListerIterDataPipe instance doesn't have valid"):
        len(FileLister(str(folder)))


def test_files_are_opened_and_read(folder):
    from retrograd.utils.data.datapipes.iter import FileLister, FileOpener
    files = FileLister(str(folder), "*.bin")
    read = [data for _, data in files.open_files("rb").read_from_stream(2)]
    assert read == [b"12", b"34", b"5"]
    (_, stream), = FileOpener(files)
    assert stream.read() == "12345" and not stream.closed and "c.bin" in repr(stream)
    stream.close()
    assert stream.closed
    with pytest.raises(ValueError, match="Invalid mode w"):
        FileOpener(files, "w")
    with pytest.raises(ValueError, match="binary mode doesn't take an encoding argument"):
        FileOpener(files, "rb", encoding="utf-8")
    from retrograd.utils.data import datapipes
    assert datapipes.map.SequenceWrapper([1])[0] == 1
