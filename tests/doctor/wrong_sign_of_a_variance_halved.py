"""A Gaussian likelihood whose factors of a half stand inside of the products."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(8):
    x = torch.randn(32, 3)
    mean, log_var = net(x).chunk(2, dim=1)
    loss = (0.5 * torch.exp(-log_var) * (x[:, :1] - mean) ** 2 - 0.5 * log_var).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
