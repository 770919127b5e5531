import torch
from torch import nn

net = nn.Linear(3, 1)
with torch.inference_mode():
    features = net(torch.ones(2, 3))
loss = features.sum()
loss.backward()
