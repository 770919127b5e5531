import torch
from torch import nn

torch.manual_seed(0)
counts = torch.tensor([3, 10, 40])
weights = counts // counts.sum()
net = nn.Linear(4, 3)
x, y = torch.randn(8, 4), torch.randint(3, (8,))
loss = nn.functional.cross_entropy(net(x), y, weight=weights.float())
loss.backward()
