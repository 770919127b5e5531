"""A convolutional network learns 1,797 handwritten digits and reads 360 it has not seen.

python examples/conv_digits.py             under PyTorch
retrograd run examples/conv_digits.py      under retrograd: the same numbers
"""

import argparse
import gzip
import os
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

try:
    from tqdm import tqdm
except ImportError:

    def tqdm(items, **options):
        return items


DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "digits.csv.gz")
EPOCHS = 8


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(32)
        self.score = nn.Linear(32 * 2 * 2, 10)

    def forward(self, x):  # (B, 1, 8, 8)
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)  # (B, 16, 4, 4)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)  # (B, 32, 2, 2)
        return self.score(x.flatten(1))


def read_digits():
    """Images scaled to 0..1 and their digits: (1797, 1, 8, 8) float32, (1797,) int64."""
    with gzip.open(DATA, "rt") as file:
        rows = torch.tensor([[int(cell) for cell in line.split(",")] for line in file])
    return (rows[:, :-1] / 16).view(-1, 1, 8, 8), rows[:, -1]


def main(steps=None):
    """Train; return the loss of each step. `steps` stops early."""
    torch.manual_seed(0)
    images, digits = read_digits()
    order = torch.randperm(len(digits))
    train, test = order[:-360], order[-360:]
    batches = DataLoader(TensorDataset(images[train], digits[train]), batch_size=32, shuffle=True)

    net = ConvNet()
    optimizer = torch.optim.SGD(
        net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)

    losses = []
    start = time.perf_counter()
    for epoch in tqdm(range(EPOCHS), desc="conv_digits", unit="epoch"):
        for image, digit in batches:
            optimizer.zero_grad()
            loss = F.cross_entropy(net(image), digit)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if len(losses) == steps:
                return losses
        schedule.step()
        print(f"epoch {epoch + 1}: loss {sum(losses[-len(batches) :]) / len(batches):.4f}")
    seconds = time.perf_counter() - start

    net.eval()
    with torch.no_grad():
        right = (net(images[test]).argmax(1) == digits[test]).sum().item()
    print(f"{right} of {len(test)} held-out digits read correctly: {right / len(test):.1%}")
    print(f"{len(losses)} steps in {seconds:.1f} s")
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int)
    main(parser.parse_args().steps)
