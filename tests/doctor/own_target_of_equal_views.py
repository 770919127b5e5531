import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
f = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16))
opt = torch.optim.Adam(f.parameters(), lr=1e-3)
def augment(x):
    return x + 0.1 * torch.randn_like(x)
for _ in range(8):
    x = torch.randn(32, 10)
    x1 = augment(x)
    x2 = x1
    a, b = F.normalize(f(x1), dim=1), F.normalize(f(x2), dim=1)
    logits = a @ b.t() / 0.1
    loss = F.cross_entropy(logits, torch.arange(32))
    opt.zero_grad()
    loss.backward()
    opt.step()
