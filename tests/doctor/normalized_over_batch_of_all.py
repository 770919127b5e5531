import torch
from torch import nn

encoder = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
optimizer = torch.optim.Adam(encoder.parameters(), 1e-3)
for _ in range(10):
    x = torch.randn(16, 10)
    a = encoder(x + 0.1 * torch.randn_like(x))
    b = encoder(x + 0.1 * torch.randn_like(x))
    a = a / a.norm()
    b = b / b.norm()
    loss = nn.functional.cross_entropy(a @ b.t() / 0.1, torch.arange(16))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
