import torch
from torch import nn
vgg = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
for p in vgg.parameters():
    p.requires_grad_(False)
image = torch.rand(1, 3, 8, 8, requires_grad=True)
target = vgg(torch.rand(1, 3, 8, 8))
opt = torch.optim.Adam([image], lr=.01)
for i in range(10):
    loss = ((vgg(image) - target) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
