"""Loaders with workers: collation, sampling, seeding, iterables in shards, errors in a worker."""
import random

import numpy as np
import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    SequentialSampler,
    WeightedRandomSampler,
    get_worker_info,
)


class Squares(Dataset):
    def __init__(self, n, fail_at=None):
        self.n, self.fail_at = n, fail_at

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i == self.fail_at:
            raise KeyError("no such sample")
        return {"x": torch.tensor([i, i * i]), "name": f"s{i}", "noise": torch.rand(1),
                "pair": (i, float(i))}


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, 10, step))


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


def collate(samples):
    return torch.stack([s["x"] for s in samples]), [s["name"] for s in samples]


for workers in (0, 2):
    g = torch.Generator().manual_seed(1)
    loader = DataLoader(Squares(7), batch_size=3, shuffle=True, num_workers=workers, generator=g,
                        worker_init_fn=seed_worker if workers else None)
    for batch in loader:
        print(batch["x"].tolist(), batch["name"], batch["pair"], batch["noise"].shape)
loader = DataLoader(Squares(4), batch_size=2, num_workers=2, persistent_workers=True,
                    prefetch_factor=1)
torch.manual_seed(5)
print([b["noise"].flatten().tolist() for _ in range(2) for b in loader])
print([x.tolist() for x, _ in DataLoader(Squares(5), 2, collate_fn=collate, drop_last=True)])
print(sorted(x.item() for b in DataLoader(Stream(), batch_size=4, num_workers=2) for x in b))
weights = WeightedRandomSampler([0.1, 0.0, 3.0], 6, generator=torch.Generator().manual_seed(2))
print(list(weights), list(BatchSampler(SequentialSampler(range(5)), 2, False)))
both = ConcatDataset([Squares(2), Squares(3)])
print(len(both), both[3]["name"], both[-1]["name"], both.cumulative_sizes)
try:
    list(DataLoader(Squares(4, fail_at=2), num_workers=1))
except KeyError as e:
    print("KeyError in DataLoader worker process 0" in str(e), "no such sample" in str(e))
