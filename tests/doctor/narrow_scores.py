import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
f = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16))
opt = torch.optim.Adam(f.parameters(), lr=1e-3)
temperature = 0.07
for _ in range(8):
    x = torch.randn(32, 10)
    a = F.normalize(f(x + 0.1 * torch.randn_like(x)), dim=1)
    b = F.normalize(f(x + 0.1 * torch.randn_like(x)), dim=1)
    logits = a @ b.t() * temperature
    loss = F.cross_entropy(logits, torch.arange(32))
    opt.zero_grad()
    loss.backward()
    opt.step()
