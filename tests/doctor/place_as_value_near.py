"""The largest value; and the place of the largest value of one network, looked up in another."""
import torch
from torch import nn

torch.manual_seed(0)
net, target_net = nn.Linear(3, 2), nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(5):
    state, after = torch.randn(16, 3), torch.randn(16, 3)
    action, reward = torch.randint(0, 2, (16, 1)), torch.randn(16)
    with torch.no_grad():
        best = net(after).argmax(dim=1, keepdim=True)
        target = reward + 0.9 * target_net(after).gather(1, best).squeeze(1)
        target = torch.min(target, reward + 0.9 * target_net(after).max(1)[0])
    loss = nn.functional.mse_loss(net(state).gather(1, action).squeeze(1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
