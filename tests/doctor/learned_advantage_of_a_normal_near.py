"""An advantage that is detached, and errors weighted by a precision that is learned."""
import torch
from torch import nn
from torch.distributions import Normal

actor, critic = nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
log_std = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters(), log_std])
for _ in range(4):
    state = torch.randn(64, 3)
    policy, value = Normal(actor(state), log_std.exp()), critic(state).squeeze(1)
    action = policy.sample()
    returns = -(action - state[:, :2]).pow(2).sum(1)
    advantage = returns - value
    loss = -(policy.log_prob(action).sum(1) * advantage.detach()).mean() + advantage.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
