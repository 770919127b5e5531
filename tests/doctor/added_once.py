import torch
from torch import nn

torch.manual_seed(0)
message, update = nn.Linear(8, 8), nn.GRUCell(8, 8)
opt = torch.optim.Adam([*message.parameters(), *update.parameters()])
source, target = torch.randint(0, 20, (2, 80))
for _ in range(4):
    h = torch.randn(20, 8)
    sums = torch.zeros_like(h)
    sums[target] += message(h[source]).relu()
    degree = torch.zeros(20)
    degree[target] = degree[target] + 1
    loss = (update(sums, h) - degree[:, None]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
