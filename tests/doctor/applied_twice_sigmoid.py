import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, labels = torch.randn(8, 4), torch.ones(8, 1)
for _ in range(2):
    optimizer.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(net(x), labels)
    loss.backward()
    optimizer.step()
