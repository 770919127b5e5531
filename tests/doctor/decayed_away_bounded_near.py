"""A decay that leaves most of the weights, and as large a one as part of the gradients of Adam."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 5)
y = torch.sin(x[:, :1]) + x[:, 2:3]
for make, decay in ((torch.optim.AdamW, 3.0), (torch.optim.Adam, 50.0)):
    net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = make(net.parameters(), lr=0.001, weight_decay=decay)
    for _ in range(40):
        loss = nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
