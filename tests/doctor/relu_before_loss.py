import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(10, 32), nn.Linear(32, 4)

    def forward(self, x):
        x = F.relu(self.first(x))
        return F.relu(self.last(x))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, labels = torch.randn(40, 10), torch.randint(0, 4, (40,))
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(net(x), labels)
    loss.backward()
    optimizer.step()
