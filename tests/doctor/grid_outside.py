import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(128, 2)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
y, x = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij")
for _ in range(5):
    fixed = torch.rand(6, 1, 8, 8)
    moving = fixed.roll(1, 3)
    shift = net(torch.cat([fixed, moving], 1).flatten(1))
    grid = torch.stack([x, y], -1) + shift[:, None, None]
    loss = F.mse_loss(F.grid_sample(moving, grid, align_corners=True), fixed)
    opt.zero_grad()
    loss.backward()
    opt.step()
