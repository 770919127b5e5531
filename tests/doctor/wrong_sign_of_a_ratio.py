import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for _ in range(4):
    states, advantage = torch.randn(20, 4), torch.randn(20)
    with torch.no_grad():
        q = Categorical(logits=policy(states))
        action = q.sample()
        old = q.log_prob(action)
    for _ in range(2):
        ratio = (Categorical(logits=policy(states)).log_prob(action) - old).exp()
        kept = ratio.clamp(0.8, 1.2)
        gain = torch.min(ratio * advantage, kept * advantage).mean()
        optimizer.zero_grad()
        gain.backward()
        optimizer.step()
