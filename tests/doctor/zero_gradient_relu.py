import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
with torch.no_grad():
    model[0].bias.fill_(-100.0)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(10):
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    loss = ((model(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
