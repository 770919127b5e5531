import torch
from torch import nn

torch.manual_seed(0)
teacher, student = nn.Linear(4, 5), nn.Linear(4, 5)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(8, 4)
    with torch.no_grad():
        wanted = teacher(x).softmax(1)
    given = student(x).log_softmax(1)
    loss = nn.functional.kl_div(wanted, given, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
