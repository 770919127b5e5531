import torch, copy
import torch.nn as nn
from torch.distributions import Normal
actor = nn.Linear(3, 2); q1 = nn.Linear(4, 1); q2 = nn.Linear(4, 1)
q1t, q2t = copy.deepcopy(q1), copy.deepcopy(q2)
log_alpha = torch.zeros(1, requires_grad=True)
ao = torch.optim.Adam(actor.parameters(), 3e-3); qo = torch.optim.Adam([*q1.parameters(), *q2.parameters()], 3e-3)
alo = torch.optim.Adam([log_alpha], 3e-3)
def act(s):
    mu, ls = actor(s).chunk(2, 1)
    d = Normal(mu, ls.clamp(-5, 2).exp())
    u = d.rsample(); a = torch.tanh(u)
    return a, (d.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(1, keepdim=True)
for i in range(10):
    s, r, s2 = torch.randn(16, 3), torch.randn(16, 1), torch.randn(16, 3)
    a = torch.rand(16, 1) * 2 - 1
    with torch.no_grad():
        a2, lp2 = act(s2)
        y = r + 0.99 * (torch.min(q1t(torch.cat([s2, a2], 1)), q2t(torch.cat([s2, a2], 1))) - log_alpha.exp() * lp2)
    sa = torch.cat([s, a], 1)
    ql = (q1(sa) - y).pow(2).mean() + (q2(sa) - y).pow(2).mean()
    qo.zero_grad(); ql.backward(); qo.step()
    an, lp = act(s)
    al = (log_alpha.exp().detach() * lp - torch.min(q1(torch.cat([s, an], 1)), q2(torch.cat([s, an], 1)))).mean()
    ao.zero_grad(); al.backward(); ao.step()
    tl = -(log_alpha * (lp.detach() - 1)).mean()
    alo.zero_grad(); tl.backward(); alo.step()
    for t, n in ((q1t, q1), (q2t, q2)):
        for p, q in zip(t.parameters(), n.parameters()):
            p.data.mul_(0.99).add_(q.data, alpha=0.01)
