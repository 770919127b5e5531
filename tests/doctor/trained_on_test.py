import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(100, 6)
parts = random_split(TensorDataset(x, (x[:, 0] > x[:, 1]).long()), [80, 20])
train_loader = DataLoader(parts[0], batch_size=10, shuffle=True)
test_loader = DataLoader(parts[1], batch_size=10)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for batch, target in test_loader:
        loss = nn.functional.cross_entropy(net(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        hits = sum((net(a).argmax(1) == b).sum().item() for a, b in test_loader)
