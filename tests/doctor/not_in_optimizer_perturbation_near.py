import torch
from torch import nn
net = nn.Linear(4, 3); opt = torch.optim.SGD(net.parameters(), 0.1)
delta = torch.zeros(4, requires_grad=True)
for it in range(12):
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(net(x + delta), y)
    opt.zero_grad(); loss.backward(); opt.step()
    delta.data = (delta + 0.1 * delta.grad.sign()).detach().clamp(-0.3, 0.3)
    delta.grad.zero_()
