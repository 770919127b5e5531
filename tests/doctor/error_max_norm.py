import torch
from torch import nn
emb = nn.Embedding(10, 4, max_norm=1.0)
W = nn.Parameter(torch.randn(4, 4))
a = emb.weight @ W.t()
b = emb(torch.tensor([1, 2])) @ W.t()
(a.unsqueeze(0) + b.unsqueeze(1)).sigmoid().prod().backward()
