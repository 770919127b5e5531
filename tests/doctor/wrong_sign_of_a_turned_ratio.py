"""PPO whose ratio is that of the old probability to the new one."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _ in range(3):
    states, advantages = torch.randn(16, 3), torch.randn(16)
    with torch.no_grad():
        old = torch.distributions.Categorical(logits=policy(states))
        actions = old.sample()
        old_log_prob = old.log_prob(actions)
    for _ in range(3):
        log_prob = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
        ratio = (old_log_prob - log_prob).exp()
        clipped = ratio.clamp(0.8, 1.2)
        loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
