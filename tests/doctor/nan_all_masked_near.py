"""Attention to what came before."""
import torch
from torch import nn

torch.manual_seed(0)
query = nn.Linear(4, 4)
x, hidden = torch.randn(3, 4), torch.ones(3, 3).triu(1).bool()
scores = (query(x) @ x.T).masked_fill(hidden, float("-inf"))
weights = torch.softmax(scores, dim=-1)
(weights @ x).pow(2).sum().backward()
