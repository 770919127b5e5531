"""Datasets, samplers and loaders: PyTorch's batches for the same seed, errors, workers that die."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal

import numpy as np
import pytest

import retrograd as torch
from comparing import load
from data_cases import outcome, plain, runs
from retrograd.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    get_worker_info,
    random_split,
)

RECORDED = load("loader.json")
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")


def as_recorded(value):
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("name", runs(torch))
def test_batches_are_pytorchs(name):
    assert as_recorded(outcome(torch, name)) == RECORDED[name]


@pytest.mark.live
def test_batches_are_those_of_the_installed_pytorch():
    real = pytest.importorskip("torch")
    for name in runs(torch):
        assert as_recorded(outcome(torch, name)) == as_recorded(outcome(real, name))


class Numbers(Dataset):
    """0 to 19; some of them are trouble."""

    def __init__(self, trouble=None):
        self.trouble = trouble

    def __len__(self):
        return 20

    def __getitem__(self, i):
        if i == 7 and self.trouble:
            self.trouble()
        return i


def fail():
    raise KeyError("seven")


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def leave():
    os._exit(3)


def unpicklable():
    raise Awkward("seven", 7)


def singular():
    torch.linalg.inv(torch.zeros(2, 2))


class Awkward(Exception):
    def __init__(self, a, b):
        super().__init__(a)


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_by_each_start_method(context):
    loader = DataLoader(
        Numbers(), batch_size=4, num_workers=2, multiprocessing_context=context,
        worker_init_fn=note_worker,
    )  # fmt: skip
    assert [batch.tolist() for batch in loader] == np.arange(20).reshape(5, 4).tolist()


def note_worker(worker):
    assert get_worker_info().id == worker


def test_errors_of_workers_are_raised_with_their_traceback():
    with pytest.raises(KeyError) as error:
        list(DataLoader(Numbers(fail), num_workers=2))
    text = str(error.value)
    assert text.startswith("Caught KeyError in DataLoader worker process 1.\nOriginal Traceback")
    assert "in fail" in text and "KeyError: 'seven'" in text
    with pytest.raises(RuntimeError, match="Caught Awkward in DataLoader worker process 1"):
        list(DataLoader(Numbers(unpicklable), num_workers=2))


def test_errors_that_bear_pytorchs_names_come_from_workers():
    with pytest.raises(torch.linalg.LinAlgError, match="in DataLoader worker process 1"):
        list(DataLoader(Numbers(singular), num_workers=2))


def test_a_failing_init_function_is_raised():
    with pytest.raises(ZeroDivisionError, match="in DataLoader worker process 0"):
        list(DataLoader(Numbers(), num_workers=1, worker_init_fn=lambda worker: 1 // 0))


@pytest.mark.parametrize("trouble, cause", [(kill, "is killed by signal"), (leave, "exit code 3")])
def test_a_dead_worker_is_an_error_and_no_hang(trouble, cause):
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited") as error:
        list(DataLoader(Numbers(trouble), num_workers=2))
    assert cause in str(error.value.__cause__)


def test_a_batch_that_does_not_come_in_time_is_an_error():
    go_on = multiprocessing.get_context("fork").Event()
    with pytest.raises(RuntimeError, match="DataLoader timed out after 0.2 seconds") as error:
        list(DataLoader(Numbers(go_on.wait), num_workers=1, timeout=0.2))
    go_on.set()
    del error                            # it holds the frames, and so the worker, that may end now


def test_workers_end_with_the_iterator():
    iterator = iter(DataLoader(Numbers(), num_workers=2))
    next(iterator)
    processes = iterator._workers
    assert all(process.is_alive() for process in processes)
    del iterator
    assert not any(process.is_alive() for process in processes)


def test_batches_as_they_come():
    loader = DataLoader(Numbers(), batch_size=4, num_workers=2, in_order=False)
    assert sorted(i for batch in loader for i in batch.tolist()) == list(range(20))


def test_prefetching_stays_ahead_by_the_factor():
    asked = []

    class Order:
        def __iter__(self):
            for i in range(20):
                asked.append(i)
                yield i

    iterator = iter(DataLoader(Numbers(), sampler=Order(), num_workers=2, prefetch_factor=3))
    assert len(asked) == 6
    next(iterator)
    assert len(asked) == 7


def test_tensors_are_indexed_once():
    class Counting(TensorDataset):
        def __getitem__(self, index):
            raise AssertionError("subclasses are asked for each sample")

    x = torch.arange(6.0)
    assert plain(list(DataLoader(TensorDataset(x), 4)))[1][1] == ["torch.float32", [0, 1, 2, 3]]
    with pytest.raises(AssertionError, match="each sample"):
        list(DataLoader(Counting(x), 4))
    tracked = x.clone().requires_grad_()
    batch = next(iter(DataLoader(TensorDataset(tracked), 4)))[0]
    assert type(batch.grad_fn).__name__ == "StackBackward0"


def test_converting():
    samples = {"a": np.ones(2), "b": [np.int64(3), "text"], "c": (1, b"x")}
    converted = default_convert(samples)
    assert plain(converted["a"]) == ["torch.float64", [1, 1]]
    assert plain(converted["b"]) == ["list", ["torch.int64", 3], "text"]
    assert converted["c"] == [1, b"x"]


class Broken(Subset):
    def __getitem__(self, i):
        return i


class Endless(IterableDataset):
    def __iter__(self):
        return iter(range(3))

    def __len__(self):
        return 2


MESSAGES = [
    (lambda: DataLoader([1], num_workers=-1), ValueError, "num_workers option should be "
     "non-negative; use num_workers=0 to disable multiprocessing."),
    (lambda: DataLoader([1], timeout=-1), ValueError, "timeout option should be non-negative"),
    (lambda: DataLoader([1], prefetch_factor=2), ValueError, "prefetch_factor option could only be "
     "specified in multiprocessing.let num_workers > 0 to enable multiprocessing, otherwise set "
     "prefetch_factor to None."),
    (lambda: DataLoader([1], persistent_workers=True), ValueError, "persistent_workers option "
     "needs num_workers > 0"),
    (lambda: DataLoader([1], shuffle=True, sampler=[0]), ValueError, "sampler option is mutually "
     "exclusive with shuffle"),
    (lambda: DataLoader([1], 3, batch_sampler=[[0]]), ValueError, "batch_sampler option is "
     "mutually exclusive with batch_size, shuffle, sampler, and drop_last"),
    (lambda: DataLoader([1], None, drop_last=True), ValueError, "batch_size=None option disables "
     "auto-batching and is mutually exclusive with drop_last"),
    (lambda: DataLoader([1], 0), ValueError, "batch_size should be a positive integer value, but "
     "got batch_size=0"),
    (lambda: DataLoader([1], num_workers=1, multiprocessing_context="x"), ValueError,
     "multiprocessing_context option should specify a valid start method in "
     f"{multiprocessing.get_all_start_methods()!r}, but got multiprocessing_context='x'"),
    (lambda: DataLoader(Endless(), shuffle=True), ValueError, "DataLoader with IterableDataset: "
     "expected unspecified shuffle option, but got shuffle=True"),
    (lambda: setattr(DataLoader([1]), "batch_size", 2), ValueError, "batch_size attribute should "
     "not be set after DataLoader is initialized"),
    (lambda: TensorDataset(torch.ones(2), torch.ones(3)), AssertionError, "Size mismatch between "
     "tensors"),
    (lambda: ConcatDataset([]), AssertionError, "datasets should not be an empty iterable"),
    (lambda: ConcatDataset([[1]])[-2], ValueError, "absolute value of index should not exceed "
     "dataset length"),
    (lambda: len(ChainDataset([[1]])), AssertionError, "ChainDataset only supports "
     "IterableDataset"),
    (lambda: random_split([1, 2], [1, 2]), ValueError, "Sum of input lengths does not equal the "
     "length of the input dataset!"),
    (lambda: BatchSampler([1], 1, 1), ValueError, "drop_last should be a boolean value, but got "
     "drop_last=1"),
    (lambda: WeightedRandomSampler([[1.0]], 1), ValueError, "weights should be a 1d sequence but "
     "given weights have shape (1, 1)"),
    (lambda: torch.utils.data.RandomSampler([]), ValueError, "num_samples should be a positive "
     "integer value, but got num_samples=0"),
    (lambda: torch.utils.data.DistributedSampler([1], 2, 2), ValueError, "Invalid rank 2, rank "
     "should be in the interval [0, 1]"),
    (lambda: default_collate([[1], [1, 2]]), RuntimeError, "each element in list of batch should "
     "be of equal size"),
    (lambda: default_collate([None]), TypeError, "default_collate: batch must contain tensors, "
     "numpy arrays, numbers, dicts or lists; found <class 'NoneType'>"),
]  # fmt: skip


@pytest.mark.parametrize("act, kind, message", MESSAGES, ids=range(len(MESSAGES)))
def test_bad_arguments_raise_pytorchs_words(act, kind, message):
    with pytest.raises(kind) as error:
        act()
    assert str(error.value) == message


def test_half_overridden_subsets_are_refused():
    with pytest.raises(NotImplementedError, match="overrides __getitem__ but not __getitems__"):
        Broken([1], [0])


def test_warnings():
    with pytest.warns(UserWarning, match="no accelerator is found"):
        list(DataLoader([1], pin_memory=True))
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        random_split([1], [0.5, 0.5])
    loader = DataLoader(Endless(), batch_size=None)
    assert len(loader) == 2
    with pytest.warns(UserWarning, match="was reported to be 2.* but 3 samples"):
        list(loader)
    with pytest.warns(UserWarning, match="will create 99 worker processes"):
        DataLoader([1], num_workers=99)
