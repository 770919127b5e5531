import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(32, 4), torch.randint(2, (32,)))
loader = DataLoader(data, batch_size=8, shuffle=True)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
