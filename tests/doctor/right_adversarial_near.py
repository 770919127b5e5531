"""FGSM training: a gradient of the input, then a step on the perturbed one."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
for step in range(8):
    x, y = torch.rand(8, 1, 4, 4), torch.randint(0, 3, (8,))
    x.requires_grad_(True)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    worse = (x + 0.1 * x.grad.sign()).clamp(0, 1).detach()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(worse), y)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        right = (model(x).argmax(1) == y).sum().item()
