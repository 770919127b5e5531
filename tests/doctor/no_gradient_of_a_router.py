import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 2)
        self.experts = nn.ModuleList([nn.Linear(4, 1) for _ in range(2)])

    def forward(self, x):
        choice = self.router(x).argmax(dim=-1)
        out = torch.zeros(len(x), 1)
        for i, expert in enumerate(self.experts):
            out[choice == i] = expert(x[choice == i])
        return out


net = Mixture()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(4):
    x = torch.randn(16, 4)
    loss = (net(x) - x.abs().sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
