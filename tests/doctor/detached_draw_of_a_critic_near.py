import torch
from torch import nn
policy, q = nn.Linear(4, 2), nn.Linear(5, 1)
op, oq = torch.optim.Adam(policy.parameters(), lr=1e-2), torch.optim.Adam(q.parameters(), lr=1e-2)
for ep in range(6):
    s = torch.randn(8, 4)
    mu, ls = policy(s).chunk(2, 1)
    d = torch.distributions.Normal(mu, ls.exp())
    a = d.sample()
    qa = q(torch.cat([s, a], 1))
    lq = (qa - (-(a ** 2))).pow(2).mean()
    oq.zero_grad(); lq.backward(); oq.step()
    lp = -(d.log_prob(a) * qa.detach()).mean()
    op.zero_grad(); lp.backward(); op.step()
