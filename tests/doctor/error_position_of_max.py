import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 3)
x, y = torch.randn(8, 5), torch.randint(3, (8,))
_, labels = torch.max(net(x), 1)
loss = nn.functional.mse_loss(labels.float(), y.float())
loss.backward()
