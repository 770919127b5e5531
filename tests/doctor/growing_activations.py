import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
activations = []
def save(module, inp, out):
    activations.append(out)
model[0].register_forward_hook(save)
opt = torch.optim.Adam(model.parameters())
for i in range(12):
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    loss = ((model(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
