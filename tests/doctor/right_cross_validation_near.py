"""A new network for each fold, early stopping, the best weights kept as a copy."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
data, target = torch.randn(24, 4), torch.randn(24, 1)
scores = []
for fold in range(3):
    held = torch.arange(24) % 3 == fold
    net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    best, weights = float("inf"), None
    for epoch in range(4):
        net.train()
        for x, y in zip(data[~held].split(8), target[~held].split(8)):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
        net.eval()
        with torch.inference_mode():
            val = nn.functional.mse_loss(net(data[held]), target[held]).item()
        plateau.step(val)
        if val < best:
            best, weights = val, copy.deepcopy(net.state_dict())
    net.load_state_dict(weights)
    scores.append(best)
print(sum(scores) / len(scores))
