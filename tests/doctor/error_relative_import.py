import torch

from .layers import Encoder

net = Encoder()
net(torch.randn(2, 3)).sum().backward()
