"""Divided by what counts; and errors where a random part of the input was hidden."""
import torch
from torch import nn

torch.manual_seed(0)
layer, out = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*layer.parameters(), *out.parameters()])
for _ in range(3):
    mask = (torch.arange(10) < torch.randint(2, 10, (6, 1))).float().unsqueeze(-1)
    hidden = (torch.rand(6, 10, 1) < 0.3).float()
    y = torch.randn(6, 10, 1)
    pred = out(layer(torch.randn(6, 10, 3))[0])
    total = nn.functional.mse_loss(pred * mask, y * mask, reduction="sum")
    loss = total / mask.sum() + ((pred - y) ** 2 * hidden).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
