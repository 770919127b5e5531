"""A small test set that is kept for later, and another one that is read; a part of the data."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(100, 6)
data = TensorDataset(x, (x[:, 0] > x[:, 1]).long())
train, valid, test = random_split(data, [70, 20, 10])
train_loader, valid_loader = DataLoader(train, batch_size=10), DataLoader(valid, batch_size=10)
test_loader = DataLoader(test, batch_size=10)
few_loader, all_loader = DataLoader(Subset(data, range(20)), batch_size=10), DataLoader(data)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)


def accuracy(loader):
    with torch.no_grad():
        return sum((net(a).argmax(1) == b).sum().item() for a, b in loader) / len(loader.dataset)


for loader in (train_loader, few_loader):
    for batch, target in loader:
        loss = nn.functional.cross_entropy(net(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(accuracy(loader), accuracy(valid_loader))
