"""Cosines times a number that is learned, and grows."""
import math
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class CLIP(nn.Module):
    def __init__(self):
        super().__init__()
        self.img, self.txt = nn.Linear(12, 16), nn.Linear(7, 16)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))
    def forward(self, i, t):
        i, t = F.normalize(self.img(i), dim=-1), F.normalize(self.txt(t), dim=-1)
        per_image = self.logit_scale.exp() * i @ t.t()
        return per_image, per_image.t()
net = CLIP()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for step in range(6):
    x = torch.randn(16, 12)
    a, b = net(x, x[:, :7] + 0.1 * torch.randn(16, 7))
    y = torch.arange(16)
    loss = (F.cross_entropy(a, y) + F.cross_entropy(b, y)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        net.logit_scale.clamp_(0, math.log(100))
