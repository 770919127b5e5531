import torch
from torch import nn

torch.manual_seed(0)
x = torch.randint(256, (64, 28)).float()
y = (x.mean(1) > 127).float()
net = nn.Sequential(nn.Linear(28, 16), nn.Sigmoid(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(8):
    loss = nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
