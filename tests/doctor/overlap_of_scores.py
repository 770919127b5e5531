import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
def dice_loss(p, t, smooth=1.0):
    inter = (p * t).sum()
    return 1 - (2 * inter + smooth) / (p.sum() + t.sum() + smooth)
for _ in range(8):
    x, m = torch.rand(4, 1, 16, 16), (torch.rand(4, 1, 16, 16) > 0.7).float()
    loss = dice_loss(net(x), m)
    opt.zero_grad()
    loss.backward()
    opt.step()
