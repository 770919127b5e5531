"""An image that is moved after it was made to require grad: its gradient is None in every turn."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1).double().requires_grad_(False)
image = torch.rand(1, 4, requires_grad=True).to(torch.float64)
for _ in range(3):
    loss = net(image).pow(2).sum()
    loss.backward(retain_graph=True)
    if image.grad is not None:
        image = (image - 0.1 * image.grad).detach()
