import torch
from torch import nn

torch.manual_seed(0)
maps = nn.Conv2d(1, 3, 3, padding=1)
opt = torch.optim.Adam(maps.parameters(), lr=1e-2)
places = torch.cartesian_prod(torch.arange(6.0), torch.arange(6.0))
for _ in range(4):
    x = torch.rand(8, 1, 6, 6)
    share = torch.softmax(maps(x).flatten(2), dim=1)
    loss = (share @ places - 2.5).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
