import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for _ in range(8):
    q = Categorical(logits=policy(torch.randn(16, 4)))
    action = q.sample()
    advantage = torch.randn(16)
    loss = -(q.log_prob(action) * advantage).mean() + 0.01 * q.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
