import torch
from torch import nn

torch.manual_seed(0)
images = torch.randint(0, 256, (32, 1, 6, 6))
labels = (images[:, 0] // 86).clamp(max=2)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1))
opt = torch.optim.Adam(net.parameters())


def scaled(pixels):
    return pixels.float() / 255


for _ in range(3):
    for i in torch.randperm(32).split(8):
        x, y = scaled(images[i]), (scaled(labels[i]) * 255).round().long()
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
