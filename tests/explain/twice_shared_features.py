import torch
from torch import nn

encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
features = torch.relu(encoder(torch.ones(2, 3)))
for step in range(2):
    loss = head(features).mean()
    loss.backward()
