import torch
from torch import nn

encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
with torch.inference_mode():
    features = encoder(torch.ones(2, 3))
loss = head(features).sum()
loss.backward()
