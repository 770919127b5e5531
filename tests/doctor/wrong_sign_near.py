"""The same with a minus, a cost instead of a reward, maximize=True, and steps uphill by hand."""
import torch
from torch import nn
from torch.distributions import Categorical
from torch.nn import functional as F

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randint(2, (8,))
rows = torch.arange(8)
policy, other, third = nn.Linear(4, 2), nn.Linear(4, 2), nn.Linear(4, 2)
encoder = nn.Linear(4, 4)
optimizer = torch.optim.Adam([*policy.parameters(), *encoder.parameters()], lr=0.01)
uphill = torch.optim.SGD(other.parameters(), lr=0.01, maximize=True)
for _ in range(8):
    q = Categorical(logits=policy(x))
    action = q.sample()
    reward, cost = action.float(), 1 - action.float()
    mu, log_var = encoder(x).chunk(2, dim=1)
    loss = -(q.log_prob(action) * reward).mean() + (q.log_prob(action) * cost).mean()
    loss = loss - F.log_softmax(policy(x), dim=1)[rows, y].mean()
    loss = loss + 0.5 * (mu.pow(2) + log_var.exp() - log_var - 1).sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    gain = F.log_softmax(other(x), dim=1)[rows, y].mean()
    uphill.zero_grad()
    gain.backward()
    uphill.step()
    gain = F.log_softmax(third(x), dim=1)[rows, y].mean()
    with torch.no_grad():
        for p, g in zip(third.parameters(), torch.autograd.grad(gain, [*third.parameters()])):
            p += 0.01 * g
