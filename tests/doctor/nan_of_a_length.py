import torch
from torch import nn

torch.manual_seed(0)
embedding, query = nn.Embedding(10, 4, padding_idx=0), nn.Parameter(torch.randn(4))
words = torch.tensor([[1, 2, 0], [3, 0, 0]])
e = embedding(words)
e = e / e.norm(dim=-1, keepdim=True)
scores = (e @ query).masked_fill(words == 0, 0.0)
scores.sum().backward()
