"""A margin that all examples keep after a while; the other loss goes on."""
import torch
from torch import nn

torch.manual_seed(0)
net, head = nn.Linear(4, 2, bias=False), nn.Linear(4, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.5)
labels = torch.tensor([1.0, -1.0] * 8)
x = torch.randn(16, 4) + 3 * labels[:, None]
for _ in range(40):
    scores = net(x)
    loss = torch.relu(1 - labels * (scores[:, 0] - scores[:, 1])).mean()
    loss = loss + nn.functional.cross_entropy(head(x), torch.arange(16) % 3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
