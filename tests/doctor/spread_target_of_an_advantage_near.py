import torch
from torch import nn

policy, critic = nn.Linear(3, 4), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*policy.parameters(), *critic.parameters()], lr=0.01)
for it in range(8):
    states, rewards = torch.randn(16, 3), torch.randn(16)
    choice = torch.distributions.Categorical(logits=policy(states))
    values = critic(states).squeeze(1)
    drawn = choice.log_prob(choice.sample())
    later = torch.triu(rewards.expand(16, 16)).t()            # each step with each reward after it
    loss = -(drawn * (rewards - values.detach())).mean() - (drawn * later).sum(0).mean()
    loss = loss + (values - rewards).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
