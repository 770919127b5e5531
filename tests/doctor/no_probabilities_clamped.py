import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
criterion = nn.BCELoss()
for i in range(10):
    x = torch.randn(8, 5)
    y = (x[:, :1] > 0).float()
    opt.zero_grad()
    out = net(x)
    out = torch.clamp(out, 0, 1)
    loss = criterion(out, y)
    loss.backward()
    opt.step()
