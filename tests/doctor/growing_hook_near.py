import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
features = {}
handle = model[0].register_forward_hook(lambda m, i, o: features.update(h=o.detach()))
opt = torch.optim.Adam(model.parameters())
for i in range(12):
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    loss = ((model(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
handle.remove()
