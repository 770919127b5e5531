"""An embedding is moved, its gradient added to that of the batch, and moved back: then a step."""
import torch
from torch import nn


class Attack:
    def __init__(self, embedding):
        self.weight = embedding.weight
        self.kept = None

    def move(self, size=0.5):
        self.kept = self.weight.data.clone()
        self.weight.data.add_(size * self.weight.grad / self.weight.grad.norm())

    def restore(self):
        self.weight.data = self.kept


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.out = nn.Embedding(20, 8), nn.Linear(8, 3)

    def forward(self, tokens):
        return self.out(self.embedding(tokens).mean(1))


net = Net()
optimizer, attack = torch.optim.Adam(net.parameters()), Attack(net.embedding)
for _ in range(6):
    tokens, labels = torch.randint(0, 20, (16, 5)), torch.randint(0, 3, (16,))
    nn.functional.cross_entropy(net(tokens), labels).backward()
    attack.move()
    nn.functional.cross_entropy(net(tokens), labels).backward()
    attack.restore()
    optimizer.step()
    optimizer.zero_grad()
