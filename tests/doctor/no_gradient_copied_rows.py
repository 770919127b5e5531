import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(6, 4), nn.Linear(4, 6)

    def forward(self, x):
        rows = []
        for row in self.encoder(x):
            rows.append([2 * v for v in row])
        return self.decoder(torch.tensor(rows))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    x = torch.randn(3, 6)
    loss = nn.functional.mse_loss(net(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
