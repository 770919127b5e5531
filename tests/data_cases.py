"""What loaders, samplers and collating give, as plain values: run under either torch."""

from __future__ import annotations

import collections
import random

import numpy as np

Pair = collections.namedtuple("Pair", "x y")


def make_datasets(torch):
    data = torch.utils.data

    class Squares(data.Dataset):
        """Samples of every type that the default collating knows."""

        def __len__(self):
            return 23

        def __getitem__(self, i):
            return {
                "tensor": torch.full((2,), float(i)),
                "float": i * 0.5,
                "int": i,
                "text": str(i),
                "numpy": np.float32(i),
                "array": np.arange(i, i + 2, dtype=np.int64),
                "pair": Pair(i, (i, [torch.tensor(i)])),
            }

    class Draws(data.Dataset):
        """Samples that show how a worker is seeded."""

        def __len__(self):
            return 8

        def __getitem__(self, i):
            info = data.get_worker_info()
            seed = None if info is None else (info.id, info.num_workers, info.seed)
            if seed is None:
                return torch.rand(()).item(), seed
            return torch.rand(()).item(), np.random.rand(), random.random(), seed

    class Stream(data.IterableDataset):
        """A stream that its workers share."""

        def __init__(self, n):
            self.n = n

        def __iter__(self):
            info = data.get_worker_info()
            first, step = (0, 1) if info is None else (info.id, info.num_workers)
            return iter(range(first, self.n, step))

        def __len__(self):
            return self.n

    return Squares(), Draws(), Stream


def keep(batch):
    """Collate nothing."""
    return batch


def plain(value):
    """Tensors as [dtype, list], and containers by the kind they are."""
    if hasattr(value, "tolist"):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(plain, value)]
    return value


def runs(torch):
    """Name to a function without arguments, each to be run from the same seed."""
    data = torch.utils.data
    squares, draws, stream = make_datasets(torch)

    def load(dataset, epochs=1, **settings):
        loader = data.DataLoader(dataset, **settings)
        return lambda: [plain(list(loader)) for _ in range(epochs)]

    def tensors():
        return data.TensorDataset(torch.arange(20.0).view(10, 2), torch.arange(10))

    def split(dataset, *lengths):
        return [part.indices for part in data.random_split(dataset, lengths)]

    def sampled(kind, *args, **settings):
        return lambda: [list(getattr(data, kind)(*args, **settings)) for _ in range(2)]

    def parts():
        return [list(data.DataLoader(p, 3, True)) for p in data.random_split(tensors(), [0.7, 0.3])]

    generator = torch.Generator()
    generator.manual_seed(5)
    found = {
        "parts": lambda: plain(parts()),
        "split": lambda: split(range(10), 3, 7),
        "split fractions": lambda: split(range(11), 0.5, 0.25, 0.25),
        "tensors": load(tensors(), 2, batch_size=4, shuffle=True),
        "tensors drop_last": load(tensors(), 1, batch_size=4, shuffle=True, drop_last=True),
        "generator": load(tensors(), 2, batch_size=4, shuffle=True, generator=generator),
        "no batches": load(squares, batch_size=None),
        "batch_sampler": load(tensors(), batch_sampler=[[0, 1], [5], [2, 9]]),
        "RandomSampler": sampled("RandomSampler", range(10)),
        "RandomSampler replacement": sampled("RandomSampler", range(70), True),
        "RandomSampler more": sampled("RandomSampler", range(7), num_samples=17),
        "SubsetRandomSampler": sampled("SubsetRandomSampler", [3, 5, 6]),
        "WeightedRandomSampler": sampled("WeightedRandomSampler", [0.1, 0.5, 0.4], 9),
        "BatchSampler": sampled("BatchSampler", range(7), 3, False),
        "BatchSampler drop_last": sampled("BatchSampler", range(7), 3, True),
        "DistributedSampler": sampled("DistributedSampler", range(7), 3, 1),
        "DistributedSampler drop_last": sampled(
            "DistributedSampler", range(7), 3, 2, seed=4, drop_last=True
        ),
        "DistributedSampler short": sampled("DistributedSampler", range(2), 5, 3),
        "stacked": lambda: data.StackDataset(
            a=range(4), b=data.ConcatDataset([[1, 2], [3, 4]])
        ).__getitems__([0, 2]),
    }
    for n in (0, 1, 2):
        found |= {
            f"squares {n}": load(squares, batch_size=5, shuffle=True, num_workers=n),
            f"draws {n}": load(draws, 2, batch_size=2, num_workers=n, collate_fn=keep),
            f"stream {n}": load(stream(11), 2, batch_size=3, num_workers=n),
            f"stream drop_last {n}": load(stream(11), batch_size=3, drop_last=True, num_workers=n),
        }
    kept = dict(batch_size=2, num_workers=2, persistent_workers=True)
    found["persistent"] = load(draws, 2, shuffle=True, collate_fn=keep, **kept)
    found["persistent stream"] = load(stream(7), 2, **kept)
    return found


def outcome(torch, name):
    torch.manual_seed(3)
    value = runs(torch)[name]()
    return {"value": value, "next": torch.rand(()).item()}
