"""A factor for each column, and one for each example, with as many columns as examples."""
import torch
from torch import nn

torch.manual_seed(0)
alphas = torch.linspace(0.99, 0.1, 20)
net, scale = nn.Linear(8, 8), nn.Parameter(torch.ones(8))
opt = torch.optim.Adam([*net.parameters(), scale], lr=1e-3)
columns = torch.linspace(0, 1, 8)
for _ in range(4):
    x = torch.rand(8, 5, 8)
    t = torch.randint(0, 20, (8,))
    a = alphas[t].view(-1, 1, 1)
    h = net(x * columns * a) * scale * torch.rand(8)
    loss = (h - a * x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
