"""Dimensions that change places; and a crop of images that come channels first."""
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
optimizer = torch.optim.Adam(net.parameters())
images, labels = torch.rand(32, 8, 8, 3), torch.randint(0, 2, (32,))
first = torch.rand(32, 3, 8, 8)
for start in range(0, 32, 8):
    batch = images[start:start + 8].permute(0, 3, 1, 2)
    scores = net(batch.contiguous()) + net(first[start:start + 8].view(8, 3, 8, 8))
    loss = nn.functional.cross_entropy(scores, labels[start:start + 8])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
