"""One mistake, one finding: that step() finds no gradient follows from it."""
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
critic = nn.Linear(4, 1)
actor_optimizer = torch.optim.Adam(actor.parameters())
critic_optimizer = torch.optim.Adam(critic.parameters())
for _ in range(6):
    state = torch.randn(8, 3)
    value = critic(torch.cat([state, torch.rand(8, 1)], 1))
    critic_loss = (value - torch.randn(8, 1)).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    with torch.no_grad():
        action = actor(state)
    actor_loss = -critic(torch.cat([state, action], 1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
