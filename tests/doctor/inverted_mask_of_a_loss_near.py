"""A mask that keeps the words; and one that keeps one class of few, the other way of weighing."""
import torch
from torch import nn

torch.manual_seed(0)
embedding, head = nn.Embedding(9, 8), nn.Linear(8, 9)
optimizer = torch.optim.SGD([*embedding.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    tokens = torch.randint(1, 9, (6, 8)) * (torch.arange(8) < torch.tensor([[3], [4], [5]] * 2))
    scores, target = head(embedding(tokens[:, :-1])), tokens[:, 1:]
    losses = nn.functional.cross_entropy(scores.transpose(1, 2), target, reduction="none")
    mask = (target != 0).float()
    loss = (losses * mask).sum() / mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
    losses = nn.functional.cross_entropy(net(x), y, reduction="none")
    loss = (losses * (y == 1)).mean() + (losses * (y == 0)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
