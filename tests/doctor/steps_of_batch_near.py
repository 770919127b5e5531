"""batch_first=True, and a network that is given steps first, and gives a row for each example."""
import torch
from torch import nn


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.attention = nn.Linear(3, 8), nn.MultiheadAttention(8, 2)
        self.gru, self.out = nn.GRU(8, 8), nn.Linear(8, 2)

    def forward(self, x):
        h = self.enter(x)
        return self.out(self.gru(self.attention(h, h, h)[0])[1][-1])


class Examples(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.out = nn.Linear(3, 8), nn.Linear(48, 2)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        h = self.enter(x)
        return self.out(self.attention(h, h, h)[0].flatten(1))


torch.manual_seed(0)
one, other = Steps(), Examples()
opt = torch.optim.Adam([*one.parameters(), *other.parameters()])
for _ in range(8):
    x = torch.randn(16, 6, 3)
    scores = one(x.transpose(0, 1)) + other(x)
    loss = nn.functional.cross_entropy(scores, (x[:, 0, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
