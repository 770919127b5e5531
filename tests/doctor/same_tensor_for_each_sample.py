import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, n):
        self.data, self.filled = torch.randn(n, 6), torch.zeros(6)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        self.filled.copy_(self.data[i] + 0.1 * torch.randn(6))
        return self.filled, self.data[i].sum().gt(0).long()


net = nn.Linear(6, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in DataLoader(Noisy(64), batch_size=16, shuffle=True):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
