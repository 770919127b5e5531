import torch
import torch.nn as nn
a, b = nn.Linear(4, 4), nn.Linear(4, 1)
opt_a = torch.optim.Adam(list(a.parameters()) + list(b.parameters()), lr=1e-3)
opt_b = torch.optim.Adam(b.parameters(), lr=1e-3)
for i in range(10):
    x = torch.randn(8, 4)
    loss = b(torch.relu(a(x))).pow(2).mean()
    opt_a.zero_grad(); opt_b.zero_grad()
    loss.backward()
    opt_a.step(); opt_b.step()
