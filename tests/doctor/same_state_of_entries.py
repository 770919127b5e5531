import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
least, best = float("inf"), None
for _ in range(6):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
    if loss.item() < least:
        least = loss.item()
        best = {name: t for name, t in net.state_dict().items()}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.load_state_dict(best)
