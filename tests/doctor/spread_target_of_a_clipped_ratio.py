import torch
from torch import nn

policy = nn.Linear(3, 4)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
states, gains = torch.randn(16, 3), torch.randn(16, 1)
with torch.no_grad():
    actions = torch.distributions.Categorical(logits=policy(states)).sample()
    before = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
for it in range(8):
    now = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
    ratio = (now - before).exp()
    loss = -torch.min(ratio * gains, ratio.clamp(0.8, 1.2) * gains).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
