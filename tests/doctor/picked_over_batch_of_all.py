"""argmax() of a whole batch, compared with its labels."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
    output = net(x)
    loss = nn.functional.cross_entropy(output, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    predicted = torch.argmax(output)
    accuracy = (predicted == y).float().mean()
