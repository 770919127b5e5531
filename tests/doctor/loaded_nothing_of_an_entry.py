import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
checkpoint = {"model": net.state_dict(), "epoch": 3}
net.load_state_dict(checkpoint, strict=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(4):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
