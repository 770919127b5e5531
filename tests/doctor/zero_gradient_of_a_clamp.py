import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
nn.init.constant_(net.bias, 5.0)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(6):
    x = 0.1 * torch.randn(8, 4)
    loss = nn.functional.mse_loss(net(x).clamp(0, 1), torch.full((8, 1), 0.5))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
