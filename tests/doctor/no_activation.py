import torch
from torch import nn

x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])


class Xor(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 8), nn.Linear(8, 1)

    def forward(self, x):
        h = self.first(x)
        return torch.sigmoid(self.second(h))


net = Xor()
optimizer = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
for _ in range(40):
    loss = nn.functional.binary_cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
