"""Sums over the batches of an epoch, and the loss of a sequence's last step."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(32, 4), torch.randint(2, (32,)))
loader = DataLoader(data, batch_size=8, shuffle=True)
net, cell = nn.Linear(4, 2), nn.RNNCell(4, 2)
optimizer = torch.optim.SGD([*net.parameters(), *cell.parameters()], lr=0.1)
for _ in range(4):
    total = torch.zeros(())
    for x, y in loader:
        total = total + nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    h = torch.zeros(8, 2)
    for x in torch.randn(5, 8, 4):
        h = cell(x, h)
        last = h.pow(2).mean()
    optimizer.zero_grad()
    last.backward()
    optimizer.step()
