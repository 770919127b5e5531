"""The labels come first, the scores second."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for _ in range(4):
    labels = nn.functional.one_hot(torch.randint(3, (8,)), 3).float()
    out = net(torch.randn(8, 4))
    loss = criterion(labels, out)
    loss = loss + nn.functional.binary_cross_entropy_with_logits(labels, out)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
