import torch
from torch import nn

policy = nn.Linear(3, 4)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
for it in range(8):
    states, rewards = torch.randn(16, 3), torch.randn(16, 1)
    choice = torch.distributions.Categorical(logits=policy(states))
    actions = choice.sample()
    loss = -(choice.log_prob(actions) * rewards).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
