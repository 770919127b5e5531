import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, labels = torch.randn(8, 4), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
for _ in range(2):
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(net(x), labels)
    loss.backward()
    optimizer.step()
