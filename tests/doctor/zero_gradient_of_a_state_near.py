"""A state that is set to zeros once, before the loop over the steps, and a cell of two layers."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.given, self.state = nn.Linear(3, 8), nn.Linear(8, 8, bias=False)
        self.cells = nn.ModuleList([nn.GRUCell(8, 8), nn.GRUCell(8, 8)])

    def forward(self, x):
        h, states = torch.zeros(len(x), 8), [torch.zeros(len(x), 8) for _ in self.cells]
        for t in range(x.shape[1]):
            h = torch.tanh(self.given(x[:, t]) + self.state(h))
            below = h
            for k, cell in enumerate(self.cells):
                below = states[k] = cell(below, states[k])
        return h + states[-1]


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(8):
    loss = net(torch.randn(4, 5, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
