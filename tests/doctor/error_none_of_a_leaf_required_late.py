"""An image that is told to require grad after its score was computed."""
import torch
from torch import nn

net = nn.Linear(4, 2)
image = torch.rand(1, 4)
score = net(image).max()
image.requires_grad_()
score.backward()
print(image.grad.abs())
