"""The same order twice, by the same seed; and the examples of two classes, each shuffled."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

points = np.random.default_rng(1).normal(size=(80, 4)).astype("float32")
labels = (points[:, 0] > 0).astype("int64")
np.random.seed(3)
np.random.shuffle(points)
np.random.seed(3)
np.random.shuffle(labels)
x, y = torch.from_numpy(points), torch.from_numpy(labels)
ups, downs = x[y == 1].numpy(), x[y == 0].numpy()
np.random.shuffle(ups)
np.random.shuffle(downs)
both = torch.from_numpy(np.concatenate([ups, downs]))
kinds = torch.cat([torch.ones(len(ups)), torch.zeros(len(downs))]).long()
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for dataset in (TensorDataset(x, y), TensorDataset(both, kinds)):
    for a, b in DataLoader(dataset, batch_size=20, shuffle=True):
        loss = nn.functional.cross_entropy(net(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
