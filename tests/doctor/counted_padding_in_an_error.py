import torch
from torch import nn

torch.manual_seed(0)
layer, out = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*layer.parameters(), *out.parameters()])
for _ in range(3):
    mask = (torch.arange(10) < torch.randint(2, 10, (6, 1))).float().unsqueeze(-1)
    y = torch.randn(6, 10, 1)
    pred = out(layer(torch.randn(6, 10, 3))[0])
    squares = ((pred - y) ** 2 * mask).mean()
    sizes = nn.functional.smooth_l1_loss(pred * mask, y * mask)
    optimizer.zero_grad()
    (squares + sizes).backward()
    optimizer.step()
