"""The place of the largest value in the target, where the value itself is due."""
import torch
from torch import nn

torch.manual_seed(0)
net, target_net = nn.Linear(3, 2), nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(5):
    state, after = torch.randn(16, 3), torch.randn(16, 3)
    action, reward = torch.randint(0, 2, (16, 1)), torch.randn(16)
    with torch.no_grad():
        best = target_net(after).max(dim=1)[1]
        target = reward + 0.9 * best
    loss = nn.functional.mse_loss(net(state).gather(1, action).squeeze(1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
