import torch
from torch import nn

net, divergence = nn.Linear(5, 3), nn.KLDivLoss(reduction="batchmean")
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    target = torch.softmax(torch.randn(8, 3), 1)
    loss = divergence(net(torch.randn(8, 5)), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
