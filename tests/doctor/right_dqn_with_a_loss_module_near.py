"""DQN whose loss function is a Module, which is no critic of the network's actions."""
import torch
from torch import nn

net, target_net = nn.Linear(4, 2), nn.Linear(4, 2)
target_net.load_state_dict(net.state_dict())
criterion = nn.SmoothL1Loss()
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
for _ in range(12):
    state, next_state, reward = torch.randn(8, 4), torch.randn(8, 4), torch.rand(8)
    q = net(state).gather(1, torch.randint(0, 2, (8, 1))).squeeze(1)
    with torch.no_grad():
        expected = reward + 0.9 * target_net(next_state).max(1).values
    loss = criterion(q, expected)
    opt.zero_grad()
    loss.backward()
    opt.step()
