import torch
from torch import nn
from torch.nn import functional as F

net = nn.Sequential(nn.Conv1d(4, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(),
                    nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
series, y = torch.randn(32, 10, 4), torch.randn(32, 1)
for k in range(4):
    x = series[8 * k:8 * k + 8]
    out = net(x.view(8, 4, 10))
    loss = F.mse_loss(out, y[8 * k:8 * k + 8])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
