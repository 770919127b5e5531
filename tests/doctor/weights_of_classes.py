import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
x = torch.randn(60, 4)
y = (x[:, 0] > 1).long()
weights = 1 / torch.bincount(y).float()
sampler = WeightedRandomSampler(weights, len(y))
loader = DataLoader(TensorDataset(x, y), batch_size=20, sampler=sampler)
net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for inputs, labels in loader:
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    opt.step()
