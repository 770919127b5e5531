"""A product of low rank, an embedding that is used by itself, a frozen layer, and a bend."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Linear(16, 4, bias=False), nn.Linear(4, 16)
        self.embed, self.classify = nn.Linear(16, 8), nn.Linear(8, 3)
        self.fixed, self.last = nn.Linear(3, 8), nn.Linear(8, 3)
        self.fixed.requires_grad_(False)

    def forward(self, x):
        h = torch.tanh(x + self.up(self.down(x)))
        code = self.embed(h)
        return self.last(self.fixed(torch.relu(self.classify(code)))), code


net = Net()
optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-2)
for _ in range(40):
    x = torch.randn(32, 16)
    scores, code = net(x)
    loss = nn.functional.cross_entropy(scores, x[:, :3].argmax(1)) + 0.01 * code.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
