"""A single reward, divided by its own deviation in a function."""
import torch
from torch import nn


def normalized(rewards):
    return (rewards - rewards.mean()) / (rewards.std() + 1e-8)


torch.manual_seed(0)
policy = nn.Linear(2, 2)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
for steps in (3, 2, 1):
    distribution = torch.distributions.Categorical(logits=policy(torch.randn(steps, 2)))
    action = distribution.sample()
    advantage = normalized(torch.rand(steps))
    loss = -(distribution.log_prob(action) * advantage).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
