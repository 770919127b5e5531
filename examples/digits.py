"""Trains a network on 1,797 handwritten digits and tests it on 360 it has not seen.

python examples/digits.py                  under PyTorch
retrograd run examples/digits.py           under retrograd: the same numbers
"""

import gzip
import os
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

try:
    from tqdm import tqdm
except ImportError:

    def tqdm(items, **options):
        return items


DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "digits.csv.gz")
EPOCHS = 30


def read_digits():
    """Images scaled to 0..1 and their digits: (1797, 64) float32, (1797,) int64."""
    with gzip.open(DATA, "rt") as file:
        rows = torch.tensor([[int(cell) for cell in line.split(",")] for line in file])
    return rows[:, :-1] / 16, rows[:, -1]


def main(steps=None):
    """Train; return the loss of each step. `steps` stops early."""
    torch.manual_seed(0)
    images, digits = read_digits()
    order = torch.randperm(len(digits))
    train, test = order[:-360], order[-360:]
    batches = DataLoader(TensorDataset(images[train], digits[train]), batch_size=32, shuffle=True)

    net = nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10)
    )
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    losses = []
    start = time.perf_counter()
    for epoch in tqdm(range(EPOCHS), desc="digits", unit="epoch"):
        for image, digit in batches:
            optimizer.zero_grad()
            loss = loss_of(net(image), digit)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if len(losses) == steps:
                return losses
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {sum(losses[-len(batches) :]) / len(batches):.4f}")
    seconds = time.perf_counter() - start

    with torch.no_grad():
        right = (net(images[test]).argmax(1) == digits[test]).sum().item()
    print(f"{right} of {len(test)} held-out digits read correctly: {right / len(test):.1%}")
    print(f"{len(losses)} steps in {seconds:.1f} s")
    return losses


if __name__ == "__main__":
    main()
