"""A bonus that is subtracted, and entropies made small without a policy: of labels to be guessed."""
import torch
from torch import nn
from torch.distributions import Categorical
from torch.nn import functional as F

torch.manual_seed(0)
policy, net = nn.Linear(4, 3), nn.Linear(4, 3)
optimizer = torch.optim.Adam([*policy.parameters(), *net.parameters()], lr=0.01)
for _ in range(8):
    q = Categorical(logits=policy(torch.randn(16, 4)))
    action = q.sample()
    advantage = torch.randn(16)
    loss = -(q.log_prob(action) * advantage).mean() - 0.01 * q.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    guess = Categorical(logits=net(torch.randn(16, 4)))
    loss = F.cross_entropy(net(torch.randn(16, 4)), torch.randint(3, (16,)))
    loss = loss + 0.1 * guess.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
