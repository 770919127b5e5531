"""A last batch that is left out, and samples that come one after another without a length."""
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Stream(IterableDataset):
    def __iter__(self):
        return iter(torch.randn(8, 4))


torch.manual_seed(0)
x = torch.randn(50, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32, drop_last=True)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for batch, target in loader:
    loss = nn.functional.mse_loss(net(batch), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for batch in DataLoader(Stream(), batch_size=16):
    assert len(batch) == 8
