import torch
from torch import nn
from torch.distributions import Categorical

body, head, value = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 1)
optimizer = torch.optim.Adam([p for m in (body, head, value) for p in m.parameters()])
for _ in range(8):
    states, actions, returns = torch.randn(16, 4), torch.randint(3, (16,)), torch.randn(16)
    h = body(states).tanh()
    policy, v = Categorical(logits=head(h)), value(h).squeeze(1)
    new = policy.log_prob(actions)
    old = policy.log_prob(actions)
    ratio = (new - old).exp()
    loss = -(ratio * (returns - v.detach())).mean() + (returns - v).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
