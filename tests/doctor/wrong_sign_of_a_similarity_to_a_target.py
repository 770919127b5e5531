import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
target = F.normalize(torch.randn(16, 4), dim=1)
student = nn.Linear(6, 4)
optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
for _ in range(8):
    one = F.normalize(student(torch.randn(16, 6)), dim=1)
    loss = (one * target).sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
