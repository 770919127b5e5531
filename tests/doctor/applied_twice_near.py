"""Softmax for attention and for a gate; log_softmax before nll_loss; sigmoid before a plain BCE."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net, head, gate = nn.Linear(4, 4), nn.Linear(4, 3), nn.Linear(4, 1)
params = [*net.parameters(), *head.parameters(), *gate.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)
x, labels = torch.randn(8, 4), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
for _ in range(3):
    h = net(x)
    h = torch.softmax(h @ h.T, dim=1) @ h
    scores = head(h)
    opened = torch.sigmoid(gate(h))
    loss = F.cross_entropy(scores, labels) + F.nll_loss(F.log_softmax(scores * opened, 1), labels)
    loss = loss + F.binary_cross_entropy(opened, torch.ones(8, 1))
    loss = loss + F.cross_entropy(scores, torch.softmax(scores.detach(), dim=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(torch.softmax(scores, 1).max().item())
