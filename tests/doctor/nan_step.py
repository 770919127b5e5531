import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)).half()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(32, 8).half()
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
