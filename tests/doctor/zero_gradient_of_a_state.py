import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.given, self.state = nn.Linear(3, 8), nn.Linear(8, 8, bias=False)

    def forward(self, x):
        for t in range(x.shape[1]):
            h = torch.zeros(len(x), 8)
            h = torch.tanh(self.given(x[:, t]) + self.state(h))
        return h


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(8):
    loss = net(torch.randn(4, 5, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
