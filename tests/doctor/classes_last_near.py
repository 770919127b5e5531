"""Scores whose classes lie in dimension 1, though T == C."""
import torch
from torch import nn

torch.manual_seed(0)
linear, conv = nn.Linear(8, 5), nn.Conv1d(8, 5, 1)
optimizer = torch.optim.Adam([*linear.parameters(), *conv.parameters()])
criterion = nn.CrossEntropyLoss()
for _ in range(3):
    x, y = torch.randn(3, 5, 8), torch.randint(5, (3, 5))
    optimizer.zero_grad()
    loss = criterion(linear(x).transpose(1, 2), y) + criterion(conv(x.transpose(1, 2)), y)
    loss = loss + criterion(linear(x).flatten(0, 1), y.flatten())
    soft = torch.rand(3, 5, 5).softmax(1)
    loss = loss + criterion(conv(x.transpose(1, 2)), soft)
    loss.backward()
    optimizer.step()
