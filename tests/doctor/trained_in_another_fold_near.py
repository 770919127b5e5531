"""Examples of the training itself are measured, beside a test set, and then more of them come in."""
import torch
from torch import nn

torch.manual_seed(0)
data, target = torch.randn(80, 4), torch.randn(80, 1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)


def measure(rows):
    net.eval()
    with torch.no_grad():
        loss = nn.functional.mse_loss(net(data[rows]), target[rows]).item()
    net.train()
    return loss


for n in (20, 40, 60):
    for epoch in range(4):
        for i in range(0, n, 10):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(data[i:i + 10]), target[i:i + 10])
            loss.backward()
            optimizer.step()
        measure(slice(0, 10))
        measure(slice(n, n + 20))
