"""Adversarial training, whose attacks are found in eval() mode; and a measured test set."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(40, 4), torch.randint(0, 2, (40,))
for epoch in range(5):
    net.eval()
    delta = torch.zeros_like(x, requires_grad=True)
    nn.functional.cross_entropy(net(x + delta), y).backward()
    attacked = x + 0.1 * delta.grad.sign()
    net.train()
    opt.zero_grad()
    nn.functional.cross_entropy(net(attacked), y).backward()
    opt.step()
    net.eval()
    with torch.no_grad():
        print(nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,))))
