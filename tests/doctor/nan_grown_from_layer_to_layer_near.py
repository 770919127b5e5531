import torch
from torch import nn
torch.manual_seed(0)

def init(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_normal_(m.weight)
        nn.init.zeros_(m.bias)

layers = []
for _ in range(12):
    layers += [nn.Linear(64, 64), nn.ReLU()]
net = nn.Sequential(*layers, nn.Linear(64, 10))
net.apply(init)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(12):
    x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
