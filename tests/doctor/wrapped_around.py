import torch
from torch import nn
torch.manual_seed(0)
imgs = torch.randint(0, 256, (64, 1, 6, 6), dtype=torch.uint8)
labels = (imgs.float().mean((1, 2, 3)) > 127).long()
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 10), nn.ReLU(), nn.Linear(10, 2))
optim = torch.optim.Adam(model.parameters(), lr=0.01)
x = (imgs - 128).float() / 128
for epoch in range(5):
    for i in range(0, 64, 16):
        loss = nn.functional.cross_entropy(model(x[i:i + 16]), labels[i:i + 16])
        optim.zero_grad()
        loss.backward()
        optim.step()
