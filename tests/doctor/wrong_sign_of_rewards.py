import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for _ in range(8):
    log_probs, rewards = [], []
    for _ in range(5):
        q = Categorical(logits=policy(torch.randn(4)))
        action = q.sample()
        log_probs.append(q.log_prob(action))
        rewards.append(float(action))
    loss = (torch.stack(log_probs) * torch.tensor(rewards)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
