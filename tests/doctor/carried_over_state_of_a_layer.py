import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out, self.state = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 1), None

    def forward(self, x):
        steps, self.state = self.lstm(x, self.state)
        return self.out(steps[:, -1])


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(4, 5, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
