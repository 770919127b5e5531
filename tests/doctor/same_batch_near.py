"""A loader that shuffles; and one whose iterator is made before the loop."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
examples = TensorDataset(torch.randn(64, 3), torch.randn(64, 1))
mixed, data = DataLoader(examples, batch_size=8, shuffle=True), DataLoader(examples, batch_size=8)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
batches = iter(data)
for _ in range(6):
    (x, y), (a, b) = next(iter(mixed)), next(batches)
    loss = nn.functional.mse_loss(net(x), y) + nn.functional.mse_loss(net(a), b)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
