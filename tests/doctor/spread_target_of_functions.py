import torch
from torch import nn

net = nn.Linear(6, 1)
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(12, 6), torch.arange(12) % 2.0
for _ in range(3):
    loss = nn.functional.binary_cross_entropy_with_logits(net(x), y.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    predicted = (net(x) > 0).float()
    print(torch.eq(predicted, y).float().mean())
    print(torch.sub(net(x), y).abs().mean())
