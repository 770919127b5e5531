import torch
from torch import nn


class Average:
    def __init__(self, params, decay):
        self.decay = decay
        self.kept = [p.detach().clone() for p in params]

    @torch.no_grad()
    def update(self, params):
        for kept, p in zip(self.kept, params):
            gap = kept - p
            kept.add_((1 - self.decay) * gap)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
average = Average(net.parameters(), 0.95)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(12):
    x = torch.randn(32, 4)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    average.update(net.parameters())
