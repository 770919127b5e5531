"""Two arrays of NumPy, each shuffled in place in an order of its own."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(0)
points = rng.normal(size=(80, 4)).astype("float32")
labels = (points[:, 0] > 0).astype("int64")
rng.shuffle(points)
rng.shuffle(labels)
x, y = torch.from_numpy(points), torch.from_numpy(labels)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for a, b in DataLoader(TensorDataset(x, y), batch_size=20):
    loss = nn.functional.cross_entropy(net(a), b)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
