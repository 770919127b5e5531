import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
norms = []
for p in net.parameters():
    p.register_hook(lambda g: norms.append(g.norm().item()))
mask = torch.ones(8, 4); mask[0] = 0
net[0].weight.register_hook(lambda g: g * mask)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(12):
    h = net[0].register_forward_hook(lambda m, a, o: None)
    x = torch.randn(8, 4)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    h.remove()
