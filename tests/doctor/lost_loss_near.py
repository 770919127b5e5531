"""Losses that are added up, or used in each turn, and a name that is used for something else."""
import torch
from torch import nn

gru, last = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 5)
optimizer = torch.optim.Adam([*gru.parameters(), *last.parameters()])
criterion = nn.CrossEntropyLoss()
for _ in range(4):
    tags, out = torch.randint(5, (8, 6)), last(gru(torch.randn(8, 6, 4))[0])
    losses, loss = [], 0
    for t in range(6):
        loss = loss + criterion(out[:, t], tags[:, t])
    for t in range(6):
        one = criterion(out[:, t], tags[:, t])
        losses.append(one)
    loss = loss + torch.stack(losses).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    loss = +loss.item()
