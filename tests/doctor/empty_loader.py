import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(50, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=64, drop_last=True)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(3):
    for batch, target in loader:
        loss = nn.functional.mse_loss(net(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
