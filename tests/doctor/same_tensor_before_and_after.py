"""Whether steps have changed the weights is asked of the weights alone."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
before, state = net[0].weight.data, net.state_dict()
old = list(net.parameters())
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("unchanged:", torch.equal(before, net[0].weight))
print(all(torch.allclose(state[key], value) for key, value in net.state_dict().items()))
for p, q in zip(old, net.parameters()):
    print((p == q).all(), (p.data - q.data).abs().max())
