"""A language model that is also trained to predict padding after padding."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Embedding(12, 8, padding_idx=0), nn.Linear(8, 12))
optimizer = torch.optim.Adam(net.parameters())
criterion = nn.CrossEntropyLoss()
for _ in range(3):
    texts = torch.randint(1, 12, (4, 7))
    texts[1, 4:] = texts[2, 5:] = 0
    scores = net(texts[:, :-1])
    loss = criterion(scores.flatten(0, 1), texts[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
