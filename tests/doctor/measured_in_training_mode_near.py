"""Calls in training mode, without recording, that are meant: no measure is taken of them."""
import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 3))
teacher = copy.deepcopy(net)
optimizer = torch.optim.Adam(net.parameters())
x, labels = torch.randn(32, 8), torch.randint(3, (32,))
for _ in range(6):
    with torch.no_grad():
        wanted = teacher(x).softmax(1)           # a teacher that follows, in training mode
    scores = net(x)
    loss = F.cross_entropy(scores, labels) + F.cross_entropy(scores, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for a, p in zip(teacher.parameters(), net.parameters()):
            a.lerp_(p, 0.01)
        for a, p in zip(teacher.buffers(), net.buffers()):
            a.copy_(p)
        action = net(x).argmax(1)                # an agent that acts
        print("actions", action.sum())
with torch.no_grad():
    net(x)                                       # BatchNorm learns its averages
    votes = torch.stack([net(x).softmax(1) for _ in range(10)]).mean(0)      # dropout's committee
    print((votes.argmax(1) == labels).sum())
net.eval()
with torch.no_grad():
    print((net(x).argmax(1) == labels).sum())
