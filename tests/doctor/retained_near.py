"""Two losses share an encoder: the first backward() has to keep the graph."""
import torch
from torch import nn

encoder, a, b = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
for step in range(3):
    features = torch.tanh(encoder(torch.randn(8, 4)))
    a(features).mean().backward(retain_graph=True)
    b(features).mean().backward()
