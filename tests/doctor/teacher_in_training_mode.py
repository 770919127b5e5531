import torch
from torch import nn
from torch.nn import functional as F

teacher = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))
student = nn.Linear(8, 4)
optimizer = torch.optim.Adam(student.parameters())
for _ in range(5):
    x = torch.randn(16, 8)
    with torch.no_grad():
        wanted = teacher(x).softmax(1)
    loss = F.kl_div(student(x).log_softmax(1), wanted, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
