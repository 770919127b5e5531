import torch
from torch import nn

gru, last = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 5)
optimizer = torch.optim.Adam([*gru.parameters(), *last.parameters()])
criterion = nn.CrossEntropyLoss()
for _ in range(4):
    tags, out = torch.randint(5, (8, 6)), last(gru(torch.randn(8, 6, 4))[0])
    for t in range(6):
        loss = criterion(out[:, t], tags[:, t])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
