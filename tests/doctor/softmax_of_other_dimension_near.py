"""The classes last, and turned to the second place; or flattened; or second from the beginning."""
import torch
from torch import nn
import torch.nn.functional as F

net, image_net = nn.Linear(4, 3), nn.Conv2d(1, 3, 3, padding=1)
opt = torch.optim.SGD([*net.parameters(), *image_net.parameters()], lr=0.1)
for _ in range(3):
    scores, target = F.log_softmax(net(torch.randn(2, 5, 4)), dim=2), torch.randint(0, 3, (2, 5))
    loss = F.nll_loss(scores.transpose(1, 2), target)
    loss = loss + F.nll_loss(scores.permute(0, 2, 1), target)
    loss = loss + F.nll_loss(scores.reshape(-1, 3), target.reshape(-1))
    pixels = F.log_softmax(image_net(torch.randn(2, 1, 4, 4)), dim=1)
    loss = loss + F.nll_loss(pixels, torch.randint(0, 3, (2, 4, 4)))
    opt.zero_grad()
    loss.backward()
    opt.step()
