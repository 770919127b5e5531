import torch
from torch import nn
net = nn.Linear(4, 2); opt = torch.optim.SGD(net.parameters(), lr=0.1)
anchor = net.state_dict()
for it in range(6):
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(net(x), y)
    prox = sum(((p - anchor[n]) ** 2).sum() for n, p in net.named_parameters())
    loss = loss + 0.5 * prox
    opt.zero_grad(); loss.backward(); opt.step()
