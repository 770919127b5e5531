"""A teacher in eval() mode, one that is the average of its students, and draws of a Dropout."""
import copy

import torch
from torch import nn
from torch.nn import functional as F

student = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 4))
teacher = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 4)).eval()
average = copy.deepcopy(student).requires_grad_(False)
unsure = nn.Sequential(nn.Linear(8, 4), nn.Dropout(0.5))
optimizer = torch.optim.Adam(student.parameters())
for _ in range(5):
    x = torch.randn(16, 8)
    with torch.no_grad():
        wanted, other = teacher(x).softmax(1), average(x + 0.1 * torch.randn_like(x))
        draws = torch.stack([unsure(x) for _ in range(4)])
    scores = student(x)
    loss = F.kl_div(scores.log_softmax(1), wanted, reduction="batchmean")
    loss = loss + F.mse_loss(scores, other) + (scores - draws.mean(0)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for a, p in zip(average.parameters(), student.parameters()):
            a.lerp_(p, 0.01)
with torch.no_grad():
    print(teacher.train()(x).mean())             # BatchNorm learns its averages anew
