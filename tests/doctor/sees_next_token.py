"""A language model whose positions attend to the ones after them."""
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(1, 2) / 8 ** 0.5
        return x + F.softmax(scores, dim=-1) @ self.v(x)


torch.manual_seed(0)
net = nn.Sequential(nn.Embedding(12, 8), Attention(), nn.LayerNorm(8), nn.Linear(8, 12))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    texts = torch.randint(12, (4, 7))
    scores = net(texts[:, :-1])
    loss = F.cross_entropy(scores.flatten(0, 1), texts[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
