import torch
from torch import nn

policy, critic = nn.Linear(3, 4), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*policy.parameters(), *critic.parameters()], lr=0.01)
for it in range(8):
    states, returns = torch.randn(16, 3), torch.randn(16)
    choice = torch.distributions.Categorical(logits=policy(states))
    values = critic(states)
    advantage = returns - values.detach()
    loss = -(choice.log_prob(choice.sample()) * advantage).mean()
    loss = loss + (values[:, 0] - returns).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
