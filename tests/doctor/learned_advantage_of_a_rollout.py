"""Logarithms and values that were collected step by step, and stacked."""
import torch
from torch import nn

actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=0.01)
for _ in range(3):
    logs, values = [], []
    for _ in range(6):
        state = torch.randn(3)
        chosen = torch.distributions.Categorical(logits=actor(state))
        logs.append(chosen.log_prob(chosen.sample()))
        values.append(critic(state).squeeze(0))
    advantage = torch.rand(6) - torch.stack(values)
    loss = -(torch.stack(logs) * advantage).mean() + advantage.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
