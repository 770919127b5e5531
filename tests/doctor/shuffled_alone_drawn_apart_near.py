"""Pictures of two kinds, drawn one by one since they have no partners; one order for both."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
A, B, y = torch.randn(40, 6), torch.randn(40, 6), torch.randint(0, 2, (40,))
there, back, net = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 2)
parts = nn.ModuleList([there, back, net])
optimizer = torch.optim.Adam(parts.parameters(), lr=1e-3)
for _ in range(5):
    a, b = A[torch.randperm(40)[:8]], B[torch.randperm(40)[:8]]
    order = torch.randperm(40)[:8]
    labelled, labels = A[order], y[order]
    loss = F.l1_loss(back(there(a)), a) + F.l1_loss(there(back(b)), b)
    loss = loss + F.cross_entropy(net(labelled), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
