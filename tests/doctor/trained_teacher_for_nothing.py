import torch
from torch import nn

teacher, student = nn.Linear(5, 3), nn.Linear(5, 3)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
for _ in range(5):
    x = torch.randn(8, 5)
    loss = (teacher(x) - student(x)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
