import torch
from torch import nn
from torch.distributions import Categorical

policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters())
states, gains = torch.randn(32, 4), torch.randn(32)
old = Categorical(logits=policy(states))
actions = old.sample()
before = old.log_prob(actions)
for _ in range(3):
    ratio = (Categorical(logits=policy(states)).log_prob(actions) - before).exp()
    loss = -torch.min(ratio * gains, ratio.clamp(0.8, 1.2) * gains).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
