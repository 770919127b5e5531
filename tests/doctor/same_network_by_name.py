import torch
from torch import nn

net = nn.Linear(4, 2)
target_net = net
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(6):
    state, reward = torch.randn(8, 4), torch.randn(8)
    with torch.no_grad():
        wanted = reward + 0.9 * target_net(torch.randn(8, 4)).max(1).values
    loss = nn.functional.mse_loss(net(state)[:, 0], wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for p, q in zip(target_net.parameters(), net.parameters()):
        p.data.copy_(0.99 * p.data + 0.01 * q.data)
