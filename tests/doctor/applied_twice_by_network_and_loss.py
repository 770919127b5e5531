import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    probability = net(torch.randn(8, 4)).squeeze(1)
    loss = nn.functional.binary_cross_entropy(
        torch.sigmoid(probability), torch.randint(2, (8,)).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
