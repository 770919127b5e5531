"""Costs, of which the policy is to bring few: these are to be made small without a minus."""
import torch
from torch import nn
from torch.distributions import Normal

mean, critic = nn.Linear(3, 1), nn.Linear(3, 1)
policy = torch.optim.Adam(mean.parameters())
values = torch.optim.Adam(critic.parameters())
for _ in range(6):
    states = torch.randn(32, 3)
    dist = Normal(mean(states), 0.5)
    actions = dist.sample()
    cost = (actions - states[:, :1]) ** 2
    delta = cost + 0.9 * critic(torch.randn(32, 3)).detach() - critic(states)
    values.zero_grad()
    delta.pow(2).mean().backward()
    values.step()
    loss = (dist.log_prob(actions) * delta.detach()).mean()
    policy.zero_grad()
    loss.backward()
    policy.step()
