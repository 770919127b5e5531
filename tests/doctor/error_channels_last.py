import torch
from torch import nn
net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 26 * 26, 10))
img = torch.randn(4, 28, 28, 3)
out = net(img)
