"""A row of attention in which everything is masked."""
import torch
from torch import nn

torch.manual_seed(0)
query = nn.Linear(4, 4)
x, hidden = torch.randn(3, 4), torch.tensor([[0, 0, 1], [1, 1, 1], [0, 1, 1]]).bool()
scores = (query(x) @ x.T).masked_fill(hidden, float("-inf"))
weights = torch.softmax(scores, dim=-1)
(weights @ x).pow(2).sum().backward()
