import torch
from torch import nn

torch.manual_seed(0)
net, seen = nn.Linear(4, 2), []
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
def remember(*step):
    seen.append(step)
for _ in range(8):
    scores = net(torch.randn(3, 4))
    remember(scores, 1.0)
    loss = scores.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
