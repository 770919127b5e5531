import torch
from torch import nn
torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(pi.parameters(), lr=1e-3)
for it in range(3):
    s = torch.randn(64, 4)
    adv = torch.randn(64)
    with torch.no_grad():
        d = torch.distributions.Categorical(logits=pi(s))
        a = d.sample()
        old = d.log_prob(a)
    for k in range(3):
        new = torch.distributions.Categorical(logits=pi(s)).log_prob(a)
        ratio = (new - old).exp()
        loss = -torch.max(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
