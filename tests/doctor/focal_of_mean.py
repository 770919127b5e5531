import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(8, 4)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
def focal(logits, y, gamma=2.0):
    ce = F.cross_entropy(logits, y)
    pt = torch.exp(-ce)
    return ((1 - pt) ** gamma * ce).mean()
for _ in range(6):
    loss = focal(net(torch.randn(16, 8)), torch.randint(0, 4, (16,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
