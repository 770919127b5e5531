import torch
from torch import nn

torch.manual_seed(0)
seen = {}


def keep(module, inputs, output):
    seen.setdefault("hidden", []).append(output)


net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
net[0].register_forward_hook(keep)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(12):
    loss = net(torch.randn(16, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
