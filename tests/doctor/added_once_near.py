"""Each row once, sums that are added up, and a mask."""
import torch
from torch import nn

torch.manual_seed(0)
message, update = nn.Linear(8, 8), nn.GRUCell(8, 8)
opt = torch.optim.Adam([*message.parameters(), *update.parameters()])
source, target = torch.randint(0, 20, (2, 80))
for _ in range(4):
    h = torch.randn(20, 8)
    m = message(h[source]).relu()
    sums = torch.zeros_like(h).index_add_(0, target, m)
    sums = sums.scatter_add(0, target[:, None].expand(-1, 8), m)
    sums[torch.randperm(20)[:5]] += 1
    sums[:, [0, 3]] += h[:, :2]
    sums[h[:, 0] > 0] += 1
    chosen = torch.zeros(20, 8).scatter(1, h.argmax(1, keepdim=True), update(sums, h)[:, :1])
    loss = (update(sums, h) + chosen).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
