import torch
from torch import nn

pixels = torch.randint(0, 256, (64, 1, 8, 8), dtype=torch.uint8)
images, labels = pixels.float().div(255), torch.randint(0, 3, (64,))
net = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(10):
    batch = torch.randperm(64)[:16]
    x = images[batch] / 255.0
    loss = nn.functional.cross_entropy(net(x), labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
