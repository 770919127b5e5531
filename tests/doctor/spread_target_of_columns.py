import torch
from torch import nn
from torch.nn import functional as F

q, frozen = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(q.parameters())
for k in range(6):
    states, after, rewards = torch.randn(8, 4), torch.randn(8, 4), torch.rand(8)
    actions = torch.randint(0, 2, (8,))
    with torch.no_grad():
        target = rewards + 0.9 * frozen(after).max(1)[0]
    values = q(states)[:, actions]
    loss = F.mse_loss(values, target) if k % 2 else (values - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
