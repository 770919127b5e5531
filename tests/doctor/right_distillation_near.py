"""A frozen teacher in eval mode, temperature, a weighted sum of losses, an averaged copy."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
teacher.eval()
for p in teacher.parameters():
    p.requires_grad_(False)
student = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
average = copy.deepcopy(student).requires_grad_(False)
optimizer = torch.optim.Adam(student.parameters())
losses = []
for step in range(8):
    x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
    soft = F.softmax(teacher(x) / 2, dim=1)
    scores = student(x)
    kd = F.kl_div(F.log_softmax(scores / 2, dim=1), soft, reduction="batchmean") * 4
    loss = 0.5 * kd + 0.5 * F.cross_entropy(scores, y, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
    with torch.no_grad():
        for a, p in zip(average.parameters(), student.parameters()):
            a.mul_(0.9).add_(p, alpha=0.1)
print(torch.stack(losses).mean(), average(torch.randn(2, 4)).shape)
