import torch
from torch import nn

actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
of_actor = torch.optim.Adam(actor.parameters(), lr=1e-3)
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(8):
    state, after, action = torch.randn(16, 3), torch.randn(16, 3), torch.rand(16, 1) * 2 - 1
    reward = -(action - state[:, :1]).pow(2)
    with torch.no_grad():
        target = reward + 0.99 * critic(torch.cat([after, actor(after)], 1))
    critic_loss = nn.functional.mse_loss(critic(torch.cat([state, action], 1)), target)
    of_critic.zero_grad()
    critic_loss.backward()
    of_critic.step()
    actor_loss = critic(torch.cat([state, actor(state)], 1)).mean()
    of_actor.zero_grad()
    actor_loss.backward()
    of_actor.step()
