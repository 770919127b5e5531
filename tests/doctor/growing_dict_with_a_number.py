import torch
from torch import nn
drift = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(drift.parameters(), lr=1e-3)
history = []
for epoch in range(12):
    z = torch.zeros(8, 2)
    for t in range(5):
        z = z + 0.1 * drift(z) + 0.1 * torch.randn(8, 2)
    loss = (z - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    history.append({"epoch": epoch, "loss": loss, "z": z.mean()})
print(len(history))
