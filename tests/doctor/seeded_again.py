import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
def batch():
    torch.manual_seed(42)
    return torch.randn(8, 4)
for _ in range(8):
    loss = net(batch()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
