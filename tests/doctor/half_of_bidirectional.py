import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8, batch_first=True, bidirectional=True)
        self.last = nn.Linear(16, 3)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.last(out[:, -1])


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 5, 4)), torch.randint(3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
