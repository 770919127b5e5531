import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
net = nn.Linear(4, 2)
loader = DataLoader(TensorDataset(torch.randn(32, 4), torch.randint(2, (32,))), 8, shuffle=True)


def train_epoch():
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


for epoch in range(4):
    train_epoch()
