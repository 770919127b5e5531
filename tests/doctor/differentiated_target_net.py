"""A target network that is copied now and then, and gets gradients."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
policy_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = copy.deepcopy(policy_net)
optimizer = torch.optim.RMSprop(policy_net.parameters())
for i in range(8):
    values = torch.zeros(8)
    values[:6] = target_net(torch.randn(6, 4)).max(1).values
    expected = values * 0.999 + torch.randn(8)
    taken = policy_net(torch.randn(8, 4)).gather(1, torch.randint(2, (8, 1)))
    loss = nn.SmoothL1Loss()(taken, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 2:
        target_net.load_state_dict(policy_net.state_dict())
