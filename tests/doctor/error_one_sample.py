import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(9, 4)
for xb in data.split(4):
    loss = model(xb).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
